"""Rows of sources and generations: what is known of files, and how far each was read."""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import astuple
from typing import Any

from ccindex.model.sources import FileRole, FileState, FoundFile, KnownSource, PathInfo, ReadPosition
from ccindex.store.rows import insert_into

_COLUMNS = (
    "select s.id, s.path, s.role, s.project, s.session_hint, s.agent_id, s.workflow_run, s.generation, s.is_missing, "
    "g.device, g.inode, g.size, g.mtime_ns, g.archived, g.offset, g.line_no, g.line_objects, g.malformed, "
    "g.saw_crlf, g.is_torn, g.last_at, g.last_session, g.head_hash, g.tail_hash "
)
_TABLES = "from sources s join generations g on g.source = s.id "
_SAVE_GENERATION = insert_into("generations", verb="insert or replace")
_CURRENT = _COLUMNS + _TABLES + "and g.number = s.generation "


def known_below(connection: sqlite3.Connection, folders: Iterable[str]) -> dict[str, KnownSource]:
    """Return the sources at or below some paths, by path."""
    found: dict[str, KnownSource] = {}
    for folder in folders:
        inside = folder.rstrip("/") + "/"
        rows = connection.execute(
            _CURRENT + "where s.path = ? or (s.path >= ? and s.path < ?)",
            (folder, inside, inside[:-1] + "0"),  # "0" is the character after "/"
        )
        found.update((known.path, known) for known in map(_known, rows))
    return found


def known_all(connection: sqlite3.Connection) -> Iterator[KnownSource]:
    """Give every source in order of path."""
    return map(_known, connection.execute(_CURRENT + "order by s.path").fetchall())


def add_source(connection: sqlite3.Connection, found: FoundFile, now: str) -> int:
    """Add a file; its first generation is added when it was read."""
    raw = None if found.path == found.real else found.real.encode("utf-8", "surrogateescape")
    info = found.info
    cursor = connection.execute(
        "insert into sources (path, raw_path, role, project, session_hint, agent_id, workflow_run, generation, "
        "is_missing, first_indexed_at) values (?, ?, ?, ?, ?, ?, ?, 1, 0, ?)",
        (
            found.path,
            raw,
            info.role,
            info.project,
            info.session_hint,
            info.agent_id,
            info.workflow_run,
            now,
        ),
    )
    # no RETURNING: at every statement of several steps FTS5 writes out what it has gathered
    return int(cursor.lastrowid or 0)


def save_position(
    connection: sqlite3.Connection, key: tuple[int, int], state: FileState, position: ReadPosition, indexed_at: str
) -> None:
    """Record how far a generation was read, and in which state of the file; `key`: source and generation."""
    connection.execute(_SAVE_GENERATION, (*key, *astuple(state), *astuple(position), indexed_at))


def update_hashes(connection: sqlite3.Connection, key: tuple[int, int], head_hash: int, tail_hash: int) -> None:
    """Record the hashes of both ends of a generation whose archived bytes were changed."""
    update = "update generations set head_hash = ?, tail_hash = ? where source = ? and number = ?"
    connection.execute(update, (head_hash, tail_hash, *key))


def load_generation(connection: sqlite3.Connection, source: int, number: int) -> tuple[KnownSource, str]:
    """Return a source as it was at one of its generations, and when that was indexed."""
    find = _COLUMNS + ", g.last_indexed_at " + _TABLES + "where s.id = ? and g.number = ?"
    *row, indexed_at = connection.execute(find, (source, number)).fetchone()
    return _known(row), indexed_at


def set_missing(connection: sqlite3.Connection, source: int, *, is_missing: bool) -> None:
    """Note that a file is gone, or is back."""
    connection.execute("update sources set is_missing = ? where id = ?", (is_missing, source))


def _known(row: Sequence[Any]) -> KnownSource:
    (source, path, role, project, hint, agent, run, generation, is_missing, *rest) = row
    name = path.rpartition("/")[2]
    return KnownSource(
        source=source,
        path=path,
        info=PathInfo(FileRole(role), project, hint, agent, run, name.rpartition(".")[0] or name),
        generation=generation,
        is_missing=bool(is_missing),
        state=FileState(*rest[:4]),
        position=ReadPosition(*rest[4:]),
    )
