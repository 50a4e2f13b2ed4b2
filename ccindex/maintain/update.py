"""Open an index for writing, upgrade it if necessary, and start ingest runs."""

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from ccindex.ingest.run import IngestRun, Loaded
from ccindex.store.connection import changing
from ccindex.store.create import Outdated, outdated_rows
from ccindex.store.sources import is_scrub_due, scrub

if TYPE_CHECKING:
    from ccindex.ingest.file_changes import ProgressCallback


@contextmanager
def open_to_ingest(
    path: Path, folders: Sequence[Path], *, jobs: int, on_progress: "ProgressCallback | None" = None
) -> Iterator[IngestRun]:
    """Open an index and start an ingest run; an empty index is first filled with up to `jobs` additional processes."""
    loaded: Loaded | None = None

    def fill() -> None:
        nonlocal loaded
        from ccindex.ingest.first_load import load_first  # noqa: PLC0415 - 10 ms; most runs do not need it

        loaded = load_first(path, folders, jobs=jobs, on_progress=on_progress or (lambda _: None))

    with open_to_write(path, create=True, fill=fill) as connection:
        yield begin_run(connection, loaded)


def open_to_write(
    path: Path, *, create: bool, fill: Callable[[], object] | None = None
) -> AbstractContextManager[sqlite3.Connection]:
    """Open an index for writing. Create or upgrade it first if necessary, and call `fill` before it is opened."""
    return changing(path, create=create, rebuild=_rebuild_upgraded, fill=fill)


def begin_run(connection: sqlite3.Connection, loaded: Loaded | None = None) -> IngestRun:
    """Start an ingest run or, if the index has just been filled, continue the run that filled it.

    Before the run starts, a pending scrub is done and outdated rows are rebuilt or derived again.
    """
    if is_scrub_due(connection):
        scrub(connection)
    renew_if_outdated(connection)
    run = IngestRun(connection, _remove_forgotten)
    if loaded is not None:
        run.resume(loaded)
    return run


def renew_if_outdated(connection: sqlite3.Connection) -> None:
    """Rebuild rows, or derive them again, if a version of ccindex with different rules wrote them."""
    outdated = outdated_rows(connection)
    if outdated is Outdated.NONE:
        return
    # imported here because it takes 48 ms and is needed only after an upgrade
    from ccindex.maintain.rebuild import derive_again, rebuild  # noqa: PLC0415

    if outdated is Outdated.RECORDED:
        rebuild(connection)
    else:
        derive_again(connection)


def vacuum(connection: sqlite3.Connection) -> None:
    """Return unused pages to the file system."""
    connection.execute("vacuum")
    connection.execute("pragma wal_checkpoint(truncate)")


def _rebuild_upgraded(connection: sqlite3.Connection) -> None:
    from ccindex.maintain.rebuild import rebuild_rows  # noqa: PLC0415 - 48 ms, as in renew_if_outdated

    rebuild_rows(connection)


def _remove_forgotten(connection: sqlite3.Connection) -> None:
    """Remove forgotten entries that a run has read."""
    # imported here because it takes 51 ms and is needed only if something was forgotten
    from ccindex.maintain.forget import remove_forgotten  # noqa: PLC0415

    remove_forgotten(connection)
