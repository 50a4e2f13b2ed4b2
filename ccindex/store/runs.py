"""Read and write ingest runs, and diagnostics about paths that are not sources."""

import sqlite3
from collections.abc import Iterable

from ccindex.model.sources import IngestRunRow
from ccindex.store.rows import insert_into

ScanDiagnostic = tuple[str, str, str, str | None]  # kind, severity, path, detail


def save_run(connection: sqlite3.Connection, run_id: int | None, row: IngestRunRow) -> int:
    """Add or replace the row of a run; return its id."""
    save = insert_into("ingest_runs", ("id", *IngestRunRow._fields), verb="insert or replace")
    return int(connection.execute(save, (run_id, *row)).lastrowid or 0)


def end_run(connection: sqlite3.Connection, run_id: int, status: str, finished_at: str) -> None:
    """Record how a run ended; its counts stay as they were at its last commit."""
    update = "update ingest_runs set status = ?, finished_at = ? where id = ?"
    connection.execute(update, (status, finished_at, run_id))


def has_open_run(connection: sqlite3.Connection, current: int | None) -> bool:
    """Return whether a run was killed after its first commit; `current` is the run that is still active."""
    find = "select 1 from ingest_runs where status = 'running' and id is not ?"
    return connection.execute(find, (current,)).fetchone() is not None


def close_open_runs(connection: sqlite3.Connection, current: int | None) -> None:
    """Mark killed runs as interrupted; `current` is the run that is still active."""
    connection.execute(
        "update ingest_runs set status = 'interrupted' where status = 'running' and id is not ?", (current,)
    )


def was_last_run_incomplete(connection: sqlite3.Connection) -> bool:
    """Return whether the last recorded run failed or was interrupted."""
    last = connection.execute("select status from ingest_runs order by id desc limit 1").fetchone()
    return last is not None and last[0] != "ok"


def load_scan_diagnostics(connection: sqlite3.Connection) -> list[ScanDiagnostic]:
    """Return the diagnostics about paths that are not sources."""
    find = "select kind, severity, path, detail from diagnostics where source is null and path is not null"
    return connection.execute(find).fetchall()


def replace_scan_diagnostics(
    connection: sqlite3.Connection, removed: Iterable[ScanDiagnostic], added: Iterable[ScanDiagnostic]
) -> None:
    """Delete and add diagnostics about paths that are not sources."""
    connection.executemany(
        "delete from diagnostics where source is null and kind = ? and severity = ? and path = ? and detail is ?",
        removed,
    )
    connection.executemany(insert_into("diagnostics", ("kind", "severity", "path", "detail")), added)
