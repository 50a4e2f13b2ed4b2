"""Opens an index to write: upgraded, rows made by older rules renewed, forgotten things removed, unused pages freed."""

import sqlite3
from contextlib import AbstractContextManager
from pathlib import Path

from ccindex.ingest.run import IngestRun
from ccindex.store.connection import changing
from ccindex.store.create import Outdated, outdated_rows
from ccindex.store.sources import is_scrub_due, scrub


def open_to_write(path: Path, *, create: bool) -> AbstractContextManager[sqlite3.Connection]:
    """Open an index to write, created or upgraded first if need be."""
    return changing(path, create=create, rebuild=_rebuild_upgraded)


def begin_run(connection: sqlite3.Connection, jobs: int = 0) -> IngestRun:
    """Start a run; nothing else is written unless there is a need. `jobs`: processes that may read for it."""
    if is_scrub_due(connection):
        scrub(connection)
    renew_if_outdated(connection)
    return IngestRun(connection, jobs, _remove_forgotten)


def renew_if_outdated(connection: sqlite3.Connection) -> None:
    """Bring an index up to date whose rows were made by other rules than those of this version."""
    outdated = outdated_rows(connection)
    if outdated is Outdated.NONE:
        return
    # 48 ms, which a run on an index of this version does not need
    from ccindex.maintain.rebuild import derive_again, rebuild  # noqa: PLC0415

    if outdated is Outdated.RECORDED:
        rebuild(connection)
    else:
        derive_again(connection)


def vacuum(connection: sqlite3.Connection) -> None:
    """Give unused pages back to the disk."""
    connection.execute("vacuum")
    connection.execute("pragma wal_checkpoint(truncate)")


def _rebuild_upgraded(connection: sqlite3.Connection) -> None:
    from ccindex.maintain.rebuild import rebuild_rows  # noqa: PLC0415 - as in renew_if_outdated

    rebuild_rows(connection)


def _remove_forgotten(connection: sqlite3.Connection) -> None:
    """Remove what this run read of things that were forgotten."""
    # 51 ms, which a run does not need unless something was forgotten
    from ccindex.maintain.forget import remove_forgotten  # noqa: PLC0415

    remove_forgotten(connection)
