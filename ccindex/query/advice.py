"""What a user might do about an index that is sound: when it last ran, what would be lost, what takes up room."""

import shlex
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from ccindex.read.settings import Retention
from ccindex.store.forgotten import is_scrub_due
from ccindex.store.private import open_to_others

_DAY_MS = 86_400_000
_MUCH = 0.25  # of the file's pages unused


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What no query can tell: the clock, the last run, Claude Code's settings, the file."""

    now_ms: int
    ran_ms: int | None
    retention: Retention
    database: Path


@dataclass(frozen=True, slots=True)
class Room:
    """Bytes on the disk: of the index, of the archive in it, of what that holds, and of pages not in use."""

    index: int
    archive: int
    recorded: int
    unused: int


class LastChange(NamedTuple):
    """The last run that changed something, and when it ended, or began if it did not end."""

    status: str
    at_ms: int | None


def last_change(connection: sqlite3.Connection) -> LastChange | None:
    """Return the last run that changed something; None: nothing ever did."""
    find = (
        "select status, cast(round((julianday(coalesce(finished_at, started_at)) - 2440587.5) * 86400000) as integer) "
        "from v1_ingest_runs order by run_id desc limit 1"
    )
    row = connection.execute(find).fetchone()
    return None if row is None else LastChange(*row)


def room_of(connection: sqlite3.Connection, database: Path) -> Room:
    """Measure what the index takes up."""
    pages, size, free = (
        connection.execute(f"pragma {name}").fetchone()[0] for name in ("page_count", "page_size", "freelist_count")
    )
    (packed,) = connection.execute("select coalesce(sum(length(data)), 0) from chunks").fetchone()
    (raw,) = connection.execute("select coalesce(sum(length), 0) from extents").fetchone()
    try:
        log = database.with_name(database.name + "-wal").stat().st_size
    except FileNotFoundError:  # the last writer has taken it away
        log = 0
    return Room(pages * size + log, packed, raw, free * size)


def advice(connection: sqlite3.Connection, around: Surroundings, room: Room) -> Iterator[str]:
    """Say what to do next, the most pressing first; nothing if all is well."""
    yield from _about_runs(connection, around)
    if others := open_to_others(around.database):
        yield f"others may read the index: chmod 600 {' '.join(map(_typed, others))}"
    if is_scrub_due(connection):
        yield "traces of what was forgotten are still in the file, as somebody was reading it: run ccindex ingest"
    (missing,) = connection.execute("select count(*) from v1_sources where state = 'missing'").fetchone()
    if missing:
        backup = f'sqlite3 {_typed(around.database)} ".backup ccindex-backup.db"'
        which = "1 file is" if missing == 1 else f"{missing:,} files are"
        yield f"{which} only in this index: back it up, for example with: {backup}"
    for kind, step in _STEPS.items():
        (count,) = connection.execute("select count(*) from v1_diagnostics where kind = ?", (kind,)).fetchone()
        if count:
            yield f"{step}: {count:,}"
    (unknown,) = connection.execute("select count(*) from v1_drift").fetchone()
    if unknown:
        yield f"update ccindex: types or keys it does not know (v1_drift names them): {unknown:,}"
    if room.unused > _MUCH * room.index:
        yield f"{room.unused:,} bytes of the index are not in use; ccindex db vacuum gives them back"


def _typed(path: Path) -> str:
    """A path as a shell takes it."""
    return shlex.quote(str(path).encode("utf-8", "backslashreplace").decode())


def _about_runs(connection: sqlite3.Connection, around: Surroundings) -> Iterator[str]:
    days = around.retention.days
    if around.ran_ms is None:
        yield "nothing says when ccindex ingest last ran: have cron or a hook run it"
    elif around.now_ms - around.ran_ms > days * _DAY_MS:
        yield (
            f"the last run was more than {days} days ago, after which Claude Code deletes transcripts: "
            "some may be lost; have cron or a hook run ccindex ingest"
        )
    elif around.now_ms - around.ran_ms > _DAY_MS:
        yield "the last run was more than a day ago: have cron or a hook run ccindex ingest"
    last = last_change(connection)
    if last is not None and last.status in ("failed", "interrupted"):
        yield f"the last run that read something was {last.status}: run ccindex ingest again, it goes on from there"


_STEPS = {
    "unreadable": "make readable what could not be read (v1_diagnostics names it)",
    "malformed-line": "lines that are no JSON object are in the archive only (v1_diagnostics names them)",
    "unknown-model": "update genai-prices and run ccindex db reprice, for sessions with models without a known price",
}
