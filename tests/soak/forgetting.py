"""`scripts/soak forgetting`: something is forgotten in the middle of a history; seeds to figures."""

import tempfile
from collections import Counter
from pathlib import Path

from ccindex.maintain.forget import finish_forgetting, forget, plan_forget
from ccindex.model.sources import Forgets, Tombstone
from ccindex.store.connection import changing
from ccindex.store.sources import put_tombstones
from tests.making.files import write_all
from tests.making.indexes import ask, broken, differences, everything, index, rebuild, tombstones
from tests.reference.dice import Dice, seeded

from .histories import soak
from .options import options
from .plays import Differs
from .ways import Way, index_so, some_way
from .worlds import world


def main(arguments: list[str]) -> int:
    """Play as many histories as wanted and print what came of them."""
    wanted = options("forgetting", __doc__, count=100, cases="histories").parse_args(arguments)
    return soak("forgetting", range(wanted.seed, wanted.seed + wanted.count), play)


def play(seed: int, figures: Counter[str]) -> None:
    """Let some files come, forget a session or a project, let the rest come, and hold it against a run that knew."""
    dice = Dice(seeded(f"forgetting {seed}"))
    files = world(seed).files
    with tempfile.TemporaryDirectory(prefix="ccindex-soak-") as name:
        folder = Path(name).resolve()
        root, db = folder / "projects", folder / "x.db"
        early = set(dice.some(sorted(files), 1, len(files)))
        write_all(root, {path: data for path, data in files.items() if path in early})
        index_so(some_way(dice), db, root)
        for tombstone in _named(dice, db):
            _forget(db, tombstone)
            _expect(broken(db), {}, "the invariants after forgetting")
        for path in dice.shuffled([path for path in files if path not in early]):
            write_all(root, {path: files[path]})
            if dice.chance(40):
                index_so(some_way(dice), db, root)
                figures["ingests"] += 1
        index(db, root)
        _look(folder, root, db, some_way(dice))
    figures["histories"] += 1
    figures["ingests"] += 2


def _named(dice: Dice, db: Path) -> list[Tombstone]:
    """One or two things that the index knows."""
    known = [Tombstone(Forgets.SESSION, name) for (name,) in ask(db, "select session_id from session_ids order by 1")]
    projects = ask(db, "select distinct project from sources order by 1")
    return dice.some([*known * 3, *(Tombstone(Forgets.PROJECT, name) for (name,) in projects)], 1, 2)


def _forget(db: Path, tombstone: Tombstone) -> None:
    with changing(db, create=False) as connection:
        forget(connection, plan_forget(connection, [tombstone]))
        _expect(finish_forgetting(connection), True, "that nothing is in the way")  # noqa: FBT003 - what is expected


def _look(folder: Path, root: Path, db: Path, way: Way) -> None:
    _expect(broken(db), {}, "the invariants")
    _expect(index(db, root, full=True).run_id, None, "a run that finds nothing")
    said = everything(db)
    rebuild(db)
    _expect(differences(everything(db), said), {}, "a rebuild")
    knowing = folder / "knowing.db"
    with changing(knowing, create=True) as connection:
        put_tombstones(connection, tombstones(db), "")
    index_so(way, knowing, root)
    _expect(differences(everything(knowing), said), {}, "a run that knew from the start what to leave out")


def _expect(found: object, wanted: object, what: str) -> None:
    if found != wanted:
        raise Differs(f"{what}: {found}")
