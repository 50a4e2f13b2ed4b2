"""Ingest modes: an empty index is filled by ordinary runs or by first loads, with shards of various sizes."""

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from ccindex.ingest.ingest import IngestReport
from tests.making.first_loads import small_shards
from tests.making.indexes import index
from tests.reference.random_choices import RandomChoices

_UNLIMITED_BYTES = 1 << 40


@dataclass(frozen=True, slots=True)
class RunMode:
    """The number of worker processes (None: no first load), and the size of shards."""

    jobs: int | None = None
    shard_bytes: int = 0

    @property
    def may_publish(self) -> bool:
        """Whether a first load may show the newest sessions before it is complete."""
        return self.jobs is not None and self.shard_bytes < _UNLIMITED_BYTES


SINGLE_PROCESS = RunMode()


def random_mode(rng: RandomChoices) -> RunMode:
    """Return a random mode, mostly without workers, because starting them takes longer than reading small files."""
    if rng.chance(50):
        return SINGLE_PROCESS
    return RunMode(2 if rng.chance(12) else 0, rng.pick([_UNLIMITED_BYTES, 2_000, 1, 1]))


@contextmanager
def using_mode(mode: RunMode) -> Iterator[None]:
    """Make runs use the given mode even if there is little to read."""
    with nullcontext() if mode.jobs is None else small_shards(mode.shard_bytes, mode.shard_bytes):
        yield


def index_in_mode(mode: RunMode, db: Path, *folders: Path, full: bool = False) -> IngestReport:
    """Run one ingest in the given mode."""
    with using_mode(mode):
        return index(db, *folders, full=full, jobs=mode.jobs)
