"""`scripts/soak forgetting`: forget sessions and projects in the middle of random histories."""

import tempfile
from collections import Counter
from pathlib import Path

from ccindex.maintain.forget import finish_forgetting, forget, plan_forget
from ccindex.model.sources import Tombstone, TombstoneKind
from ccindex.store.connection import changing
from ccindex.store.sources import add_tombstones
from tests.making.files import write_all
from tests.making.indexes import ask, broken, differences, everything, index, rebuild, tombstones
from tests.reference.random_choices import RandomChoices, numbers_from_seed

from .histories import soak
from .history import IndexMismatch
from .options import make_parser
from .random_projects import random_projects
from .run_modes import RunMode, index_in_mode, random_mode


def main(arguments: list[str]) -> int:
    """Simulate random histories; print every difference and a summary."""
    parsed = make_parser("forgetting", __doc__, count=100, cases="histories").parse_args(arguments)
    return soak("forgetting", range(parsed.seed, parsed.seed + parsed.count), check_history)


def check_history(seed: int, figures: Counter[str]) -> None:
    """Index some files, forget sessions or projects, and index the rest; compare with a run that has the tombstones."""
    rng = RandomChoices(numbers_from_seed(f"forgetting {seed}"))
    files = random_projects(seed).files
    with tempfile.TemporaryDirectory(prefix="ccindex-soak-") as name:
        folder = Path(name).resolve()
        root, db = folder / "projects", folder / "x.db"
        early = set(rng.some(sorted(files), 1, len(files)))
        write_all(root, {path: data for path, data in files.items() if path in early})
        index_in_mode(random_mode(rng), db, root)
        for tombstone in _choose_tombstones(rng, db):
            _forget(db, tombstone)
            _expect(broken(db), {}, "invariants after forgetting")
        for path in rng.shuffled([path for path in files if path not in early]):
            write_all(root, {path: files[path]})
            if rng.chance(40):
                index_in_mode(random_mode(rng), db, root)
                figures["ingests"] += 1
        index(db, root)
        _check_index(folder, root, db, random_mode(rng))
    figures["histories"] += 1
    figures["ingests"] += 2


def _choose_tombstones(rng: RandomChoices, db: Path) -> list[Tombstone]:
    """Return tombstones for one or two sessions or projects in the index."""
    sessions = [
        Tombstone(TombstoneKind.SESSION, name) for (name,) in ask(db, "select session_id from session_ids order by 1")
    ]
    projects = ask(db, "select distinct project from sources order by 1")
    return rng.some([*sessions * 3, *(Tombstone(TombstoneKind.PROJECT, name) for (name,) in projects)], 1, 2)


def _forget(db: Path, tombstone: Tombstone) -> None:
    with changing(db, create=False) as connection:
        forget(connection, plan_forget(connection, [tombstone]))
        _expect(finish_forgetting(connection), True, "forgetting is finished")  # noqa: FBT003 - an expected value


def _check_index(folder: Path, root: Path, db: Path, mode: RunMode) -> None:
    _expect(broken(db), {}, "invariants")
    _expect(index(db, root, full=True).run_id, None, "another run has nothing to do")
    views = everything(db)
    rebuild(db)
    _expect(differences(everything(db), views), {}, "a rebuild")
    expected = folder / "expected.db"
    with changing(expected, create=True) as connection:
        add_tombstones(connection, tombstones(db), "")
    index_in_mode(mode, expected, root)
    _expect(differences(everything(expected), views), {}, "a run that had the tombstones from the start")


def _expect(actual: object, expected: object, description: str) -> None:
    if actual != expected:
        raise IndexMismatch(f"{description}: {actual}")
