"""`scripts/soak rules`: compare the index with the reference implementation on random projects, one per seed."""

import argparse
import json
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

from tests.making.files import Files, write_all
from tests.making.graph_outcome import differences_from_reference
from tests.making.indexes import broken, index
from tests.reference.random_choices import numbers_from_seed
from tests.reference.random_projects import random_project
from tests.reference.transcript_builder import TranscriptBuilder

Difference = dict[str, Any]
Compare = Callable[[Files], Difference]
# file name and line
Item = tuple[str, bytes]

_PROGRESS_SECONDS = 20
_CHUNK = 8


def main(arguments: list[str]) -> int:
    """Compare random projects; at the first difference, write a reduced project that still differs, and stop."""
    parsed = _parser().parse_args(arguments)
    started = reported = time.monotonic()
    agreed = 0
    for seed, difference in _compare_all(range(parsed.seed, parsed.seed + parsed.projects), jobs=parsed.jobs):
        if difference:
            _report(seed, difference, parsed.out)
            print(f"{agreed:,} of {parsed.projects:,} projects agreed before that, {time.monotonic() - started:.0f} s")
            return 1
        agreed += 1
        if time.monotonic() - reported > _PROGRESS_SECONDS:
            reported = time.monotonic()
            print(f"{agreed:,} projects agreed, {reported - started:.0f} s", flush=True)
    print(f"{agreed:,} projects agreed, 0 differences, {time.monotonic() - started:.0f} s")
    return 0


def project(seed: int) -> Files:
    """Return the project for a seed; the same seed always gives the same project."""
    return random_project(TranscriptBuilder(numbers_from_seed(f"rules {seed}")))


def compare(files: Files) -> Difference:
    """Index a project; return violated invariants and the differences from the reference implementation."""
    with tempfile.TemporaryDirectory(prefix="ccindex-soak-") as name:
        root, db = Path(name).resolve() / "p", Path(name) / "x.db"
        write_all(root, files)
        try:
            index(db, root)
            violations: Difference = {f"check {name}": rows for name, rows in broken(db).items()}
            return violations | differences_from_reference(db, root)
        except Exception as error:  # noqa: BLE001  # a crash counts as a difference
            return {type(error).__name__: str(error)}


def smallest(files: Files, fails: Callable[[Files], bool]) -> Files:
    """Reduce a project that fails: remove lines, first many at once and then one by one, while it still fails."""
    items: list[Item] = [(name, line) for name, data in files.items() for line in data.splitlines(keepends=True)]
    size = len(items) // 2
    while size:
        for start in range(len(items) - size, -1, -size):
            fewer = items[:start] + items[start + size :]
            if fails(_files(fewer)):
                items = fewer
        size //= 2
    return _files(items)


def _files(items: list[Item]) -> Files:
    files: Files = {}
    for name, line in items:
        files[name] = files.get(name, b"") + line
    return files


def _compare_all(seeds: range, *, jobs: int) -> Iterator[tuple[int, Difference]]:
    """Yield (seed, difference) for every seed, in order."""
    if jobs == 1:
        yield from ((seed, _compare_seed(seed)) for seed in seeds)
        return
    with ProcessPoolExecutor(jobs) as pool:
        try:
            yield from zip(seeds, pool.map(_compare_seed, seeds, chunksize=_CHUNK), strict=True)
        finally:
            pool.shutdown(cancel_futures=True)


def _compare_seed(seed: int) -> Difference:
    return compare(project(seed))


def _report(seed: int, difference: Difference, out: Path | None) -> None:
    """Write a reduced project that still differs in at least one of the same keys, and print its differences."""
    files = smallest(project(seed), partial(_still_differs, set(difference)))
    target = (out or Path(tempfile.mkdtemp(prefix="ccindex-rules-"))) / f"seed-{seed}"
    write_all(target, files)
    print(f"DIFFERENCE at seed {seed}; reproduce with: scripts/soak rules --projects 1 --seed {seed}")
    print(f"reduced project: {target}")
    for key, value in compare(files).items():
        print(f"  {key}:")
        rows = value if isinstance(value, list) else [value]
        for name, row in zip(("index", "reference"), rows, strict=False):
            print(f"    {name}: {json.dumps(row, default=str)[:2000]}")


def _still_differs(keys: set[str], files: Files) -> bool:
    return bool(keys & set(compare(files)))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="scripts/soak rules", description=__doc__)
    parser.add_argument("--projects", type=int, default=3_000, help="number of projects; default: %(default)s")
    parser.add_argument("--seed", type=int, default=1, help="seed of the first project; default: %(default)s")
    parser.add_argument("--jobs", type=int, default=1, help="number of processes; default: %(default)s")
    parser.add_argument(
        "--out",
        type=Path,
        default=None,
        help="folder for the reduced project that still differs; default: a new temporary folder",
    )
    return parser
