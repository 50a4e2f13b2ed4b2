"""Recorded bytes of entries and of queued words, from the archive."""

import sqlite3
from collections.abc import Callable

from ccindex.store.archive import Archive

_OWNER = (
    "select o.source, o.generation, o.offset, o.length from entries e "
    "join occurrences o on o.id = e.occurrence where e.uuid = ?"
)
_QUEUED = (
    "select o.source, o.generation, o.offset, o.length from queued_words q "
    "join occurrences o on o.id = q.occurrence join sources s on s.id = o.source "
    "where s.path = ? and o.line_no = ? order by o.generation desc, o.offset limit 1"
)


def recorder(connection: sqlite3.Connection) -> Callable[[str], bytes]:
    """Return a function from a uuid to the object that owns it, byte for byte as it was recorded."""
    archive = Archive(connection)

    def recorded(uuid: str) -> bytes:
        return archive.slice(*connection.execute(_OWNER, (uuid,)).fetchone())

    return recorded


def recorded_queued(connection: sqlite3.Connection, source_path: str, line_no: int) -> bytes:
    """Return the operation on a line of a source that queued words which no entry holds."""
    return Archive(connection).slice(*connection.execute(_QUEUED, (source_path, line_no)).fetchone())
