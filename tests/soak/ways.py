"""How a run goes about it: with further processes or alone, an empty index loaded at one go or as in any later run."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

from ccindex.ingest import file_changes, run, workers
from ccindex.ingest.ingest import IngestReport
from tests.making.indexes import index
from tests.reference.dice import Dice

_NEVER = 1 << 40  # bytes that nobody has


@dataclass(frozen=True, slots=True)
class Way:
    """So many processes, and bytes that the first transaction of a first load may hold; 0: no such load."""

    jobs: int = 0
    first: int = 0

    @property
    def is_parted(self) -> bool:
        """Whether a first load may take more than one transaction."""
        return 0 < self.first < _NEVER


ALONE = Way()


def some_way(dice: Dice) -> Way:
    """Pick one; mostly the plainest, since processes take longer to start than made-up files to read."""
    jobs = 2 if dice.chance(12) else 0
    return Way(jobs, dice.pick([_NEVER, _NEVER, 2_000]) if dice.chance(50) else 0)


@contextmanager
def going(way: Way) -> Iterator[None]:
    """Let runs go that way, however little there is to read."""
    with (
        patch.object(workers, "MIN_PARALLEL_BYTES", 0),
        patch.object(file_changes, "MIN_BULK_BYTES", 0 if way.first else _NEVER),
        patch.object(run, "MAX_BULK_BYTES", way.first),
    ):
        yield


def index_so(way: Way, db: Path, *places: Path, full: bool = False) -> IngestReport:
    """Run one ingest that way."""
    with going(way):
        return index(db, *places, full=full, jobs=way.jobs)
