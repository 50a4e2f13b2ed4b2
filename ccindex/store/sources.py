"""Rows of sources and generations: what is known of files, and how far each was read."""

import sqlite3
from collections.abc import Iterable, Iterator
from typing import Any

from ccindex.model.sources import FileState, Found, Known, Place, Position, Role, Watermark
from ccindex.store.rows import insert_into

_KNOWN = (
    "select s.id, s.path, s.role, s.project, s.session_hint, s.agent_id, s.workflow_run, s.generation, s.is_missing, "
    "g.device, g.inode, g.size, g.mtime_ns, g.archived, g.offset, g.line_no, g.line_objects, g.malformed, "
    "g.saw_crlf, g.is_torn, g.last_at, g.last_session, g.head_hash, g.tail_hash "
    "from sources s join generations g on g.source = s.id "
)
_CURRENT = _KNOWN + "and g.number = s.generation "


def known_below(connection: sqlite3.Connection, folders: Iterable[str]) -> dict[str, Known]:
    """Return the sources at or below some paths, by path."""
    found: dict[str, Known] = {}
    for folder in folders:
        inside = folder.rstrip("/") + "/"
        rows = connection.execute(
            _CURRENT + "where s.path = ? or (s.path >= ? and s.path < ?)",
            (folder, inside, inside[:-1] + "0"),  # "0" is the character after "/"
        )
        found.update((known.path, known) for known in map(_known, rows))
    return found


def known_all(connection: sqlite3.Connection) -> Iterator[Known]:
    """Give every source in order of path."""
    return map(_known, connection.execute(_CURRENT + "order by s.path").fetchall())


def add_source(connection: sqlite3.Connection, found: Found, now: str) -> int:
    """Make a file known; its first generation is added as it is read."""
    raw = None if found.path == found.real else found.real.encode("utf-8", "surrogateescape")
    place = found.place
    cursor = connection.execute(
        "insert into sources (path, raw_path, role, project, session_hint, agent_id, workflow_run, generation, "
        "is_missing, first_indexed_at) values (?, ?, ?, ?, ?, ?, ?, 1, 0, ?)",
        (
            found.path,
            raw,
            place.role,
            place.project,
            place.session_hint,
            place.agent_id,
            place.workflow_run,
            now,
        ),
    )
    # no RETURNING: at every statement of several steps FTS5 writes out what it has gathered
    return int(cursor.lastrowid or 0)


def begin_generation(connection: sqlite3.Connection, source: int, number: int) -> None:
    """Make a generation the current one; what an earlier one held is no longer current."""
    connection.execute("update sources set generation = ? where id = ?", (number, source))
    connection.execute("update occurrences set is_current = 0 where source = ?", (source,))
    connection.execute("delete from diagnostics where source = ?", (source,))


def save_position(connection: sqlite3.Connection, position: Position) -> None:
    """Keep how far a generation was read."""
    state, mark = position.state, position.mark
    connection.execute(
        insert_into("generations", verb="insert or replace"),
        (
            position.source,
            position.generation,
            state.device,
            state.inode,
            state.size,
            state.mtime_ns,
            mark.archived,
            mark.offset,
            mark.line_no,
            mark.line_objects,
            mark.malformed,
            mark.saw_crlf,
            mark.is_torn,
            mark.last_at,
            mark.last_session,
            mark.head_hash,
            mark.tail_hash,
            position.read_at,
        ),
    )


def position_of(connection: sqlite3.Connection, source: int, number: int) -> tuple[Place, Position]:
    """Return how far one generation was read, and of what kind of file."""
    known = _known(connection.execute(_KNOWN + "where s.id = ? and g.number = ?", (source, number)).fetchone())
    (read_at,) = connection.execute(
        "select last_indexed_at from generations where source = ? and number = ?", (source, number)
    ).fetchone()
    return known.place, Position(source, number, known.state, known.watermark, read_at)


def set_missing(connection: sqlite3.Connection, source: int, *, is_missing: bool) -> None:
    """Note that a file is gone, or is back."""
    connection.execute("update sources set is_missing = ? where id = ?", (is_missing, source))


def _known(row: tuple[Any, ...]) -> Known:
    (source, path, role, project, hint, agent, run, generation, is_missing, *rest) = row
    state, mark = rest[:4], rest[4:]
    name = path.rpartition("/")[2]
    return Known(
        source=source,
        path=path,
        place=Place(Role(role), project, hint, agent, run, name.rpartition(".")[0] or name),
        generation=generation,
        is_missing=bool(is_missing),
        state=FileState(*state),
        watermark=Watermark(*mark),
    )
