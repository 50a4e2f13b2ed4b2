"""Ingest modes: with or without worker processes, and with or without bulk loading into an empty index."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

from ccindex.ingest import file_changes, run, workers
from ccindex.ingest.ingest import IngestReport
from tests.making.indexes import index
from tests.reference.random_choices import RandomChoices

_UNLIMITED_BYTES = 1 << 40


@dataclass(frozen=True, slots=True)
class RunMode:
    """The number of worker processes, and the maximum size of a bulk-load transaction; 0 means no bulk load."""

    jobs: int = 0
    bulk_bytes: int = 0

    @property
    def may_split_bulk_load(self) -> bool:
        """Whether a bulk load may need more than one transaction."""
        return 0 < self.bulk_bytes < _UNLIMITED_BYTES


SINGLE_PROCESS = RunMode()


def random_mode(rng: RandomChoices) -> RunMode:
    """Return a random mode, mostly without workers, because starting them takes longer than reading small files."""
    jobs = 2 if rng.chance(12) else 0
    return RunMode(jobs, rng.pick([_UNLIMITED_BYTES, _UNLIMITED_BYTES, 2_000]) if rng.chance(50) else 0)


@contextmanager
def using_mode(mode: RunMode) -> Iterator[None]:
    """Make ingest runs use the given mode even if there is little to read."""
    with (
        patch.object(workers, "MIN_PARALLEL_BYTES", 0),
        patch.object(file_changes, "MIN_BULK_BYTES", 0 if mode.bulk_bytes else _UNLIMITED_BYTES),
        patch.object(run, "BULK_COMMIT_BYTES", mode.bulk_bytes),
    ):
        yield


def index_in_mode(mode: RunMode, db: Path, *folders: Path, full: bool = False) -> IngestReport:
    """Run one ingest in the given mode."""
    with using_mode(mode):
        return index(db, *folders, full=full, jobs=mode.jobs)
