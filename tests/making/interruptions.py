"""Ingest in very small batches, and interrupt a run between two batches."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from unittest.mock import patch

from ccindex.derive import owners
from ccindex.ingest import run
from ccindex.read import row_batches, source_reader
from ccindex.store import entry_writer
from tests.making.indexes import index


@contextmanager
def small_batches(times: int = 1) -> Iterator[None]:
    """Make all batches very small; `times` multiplies their size."""
    with (
        patch.object(source_reader, "CHUNK_BYTES", 64 * times),
        patch.object(source_reader, "CHECKPOINT_BYTES", 64 * times),
        patch.object(run, "COMMIT_BYTES", 300 * times),
        patch.object(source_reader, "BATCH_BYTES", 50 * times),
        patch.object(owners, "_BATCH_COPIES", times),
        patch.object(row_batches, "MAX_NUMBERED_UUIDS", 2 * times),
        patch.object(entry_writer, "MAX_REMEMBERED_IDS", 2 * times),
    ):
        yield


def ingest_until_killed(db: Path, root: Path, after: int, *, is_lost: bool = False, jobs: int | None = None) -> None:
    """Ingest and stop after `after` + 1 batches; with `is_lost`, the last of them is not committed."""
    commit = run.IngestRun.commit
    remaining = after

    def limited(self: run.IngestRun, status: str, **options: Any) -> None:
        nonlocal remaining
        if is_lost and remaining == 0:
            raise KeyboardInterrupt
        commit(self, status, **options)
        remaining -= status == "running"
        if remaining < 0:
            raise KeyboardInterrupt

    with patch.object(run.IngestRun, "commit", limited), suppress(KeyboardInterrupt):
        index(db, root, jobs=jobs)
