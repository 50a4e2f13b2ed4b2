"""Open an index for writing, upgrade it if necessary, and start ingest runs."""

import sqlite3
from contextlib import AbstractContextManager
from pathlib import Path

from ccindex.ingest.run import IngestRun
from ccindex.store.connection import changing
from ccindex.store.create import Outdated, outdated_rows
from ccindex.store.sources import is_scrub_due, scrub


def open_to_write(path: Path, *, create: bool) -> AbstractContextManager[sqlite3.Connection]:
    """Open an index for writing. Create or upgrade it first if necessary."""
    return changing(path, create=create, rebuild=_rebuild_upgraded)


def begin_run(connection: sqlite3.Connection, jobs: int = 0) -> IngestRun:
    """Start an ingest run, in which up to `jobs` additional processes read files.

    Before the run starts, a pending scrub is done and outdated rows are rebuilt or derived again.
    """
    if is_scrub_due(connection):
        scrub(connection)
    renew_if_outdated(connection)
    return IngestRun(connection, jobs, _remove_forgotten)


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
