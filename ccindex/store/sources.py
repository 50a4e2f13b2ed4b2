"""Read and write sources, generations, tombstones and redactions, and erase deleted data from the database file."""

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import astuple
from typing import Any

from ccindex.model.sources import (
    FileRole,
    FileState,
    Forgotten,
    FoundFile,
    KnownSource,
    PathInfo,
    ReadPosition,
    Redaction,
    Source,
    Tombstone,
    TombstoneKind,
)
from ccindex.store.rows import insert_into
from ccindex.store.sql_files import load

_COLUMNS = (
    "select s.id, s.path, s.role, s.project, s.session_hint, s.agent_id, s.workflow_run, s.generation, s.is_missing, "
    "g.device, g.inode, g.size, g.mtime_ns, g.archived, g.offset, g.line_no, g.line_objects, g.malformed_lines, "
    "g.has_crlf, g.is_torn, g.last_timestamp_ms, g.last_session, g.head_hash, g.tail_hash "
)
_TABLES = "from sources s join generations g on g.source = s.id "
_CURRENT = _COLUMNS + _TABLES + "and g.number = s.generation "


def sources_below(connection: sqlite3.Connection, folders: Iterable[str]) -> dict[str, KnownSource]:
    """Return the sources at or under the given paths, by path."""
    sources: dict[str, KnownSource] = {}
    for folder in folders:
        prefix = folder.rstrip("/") + "/"
        rows = connection.execute(
            _CURRENT + "where s.path = ? or (s.path >= ? and s.path < ?)",
            (folder, prefix, prefix[:-1] + "0"),  # "0" is the character after "/"
        )
        sources.update((known.path, known) for known in map(_known_source, rows))
    return sources


def all_sources(connection: sqlite3.Connection) -> Iterator[KnownSource]:
    """Return all sources in order of their paths."""
    return map(_known_source, connection.execute(_CURRENT + "order by s.path").fetchall())


def has_sources(connection: sqlite3.Connection) -> bool:
    """Return whether any file has been indexed."""
    return connection.execute("select 1 from sources").fetchone() is not None


def add_source(connection: sqlite3.Connection, found: FoundFile, now: str) -> int:
    """Add a source for a file and return its id; its first generation is added when its read position is saved."""
    raw = None if found.path == found.real else found.real.encode("utf-8", "surrogateescape")
    info = found.info
    row = Source(
        path=found.path,
        raw_path=raw,
        role=info.role,
        project=info.project,
        session_hint=info.session_hint,
        agent_id=info.agent_id,
        workflow_run=info.workflow_run,
        generation=1,
        is_missing=0,
        first_indexed_at=now,
    )
    cursor = connection.execute(insert_into("sources"), row)
    # no RETURNING, because FTS5 flushes its pending data at every statement that takes several steps
    return int(cursor.lastrowid or 0)


def save_position(
    connection: sqlite3.Connection, key: tuple[int, int], state: FileState, position: ReadPosition, indexed_at: str
) -> None:
    """Save the read position of a generation and the state of its file; `key`: source and generation."""
    save = insert_into("generations", verb="insert or replace")
    connection.execute(save, (*key, *astuple(state), *astuple(position), indexed_at))


def update_hashes(connection: sqlite3.Connection, key: tuple[int, int], head_hash: int, tail_hash: int) -> None:
    """Save the hashes of both ends of a generation after its archived bytes have changed."""
    update = "update generations set head_hash = ?, tail_hash = ? where source = ? and number = ?"
    connection.execute(update, (head_hash, tail_hash, *key))


def load_generation(connection: sqlite3.Connection, source: int, number: int) -> tuple[KnownSource, str]:
    """Return a source with one generation's state and position, and the time when that generation was last indexed."""
    find = _COLUMNS + ", g.last_indexed_at " + _TABLES + "where s.id = ? and g.number = ?"
    *row, indexed_at = connection.execute(find, (source, number)).fetchone()
    return _known_source(row), indexed_at


def set_missing(connection: sqlite3.Connection, source: int, *, is_missing: bool) -> None:
    """Record that a file is missing, or that it is present again."""
    connection.execute("update sources set is_missing = ? where id = ?", (is_missing, source))


def _known_source(row: Sequence[Any]) -> KnownSource:
    (source, path, role, project, hint, agent, run, generation, is_missing, *state) = row
    name = path.rpartition("/")[2]
    return KnownSource(
        source=source,
        path=path,
        info=PathInfo(FileRole(role), project, hint, agent, run, name.rpartition(".")[0] or name),
        generation=generation,
        is_missing=bool(is_missing),
        state=FileState(*state[:4]),
        position=ReadPosition(*state[4:]),
    )


_SOURCE_DEPENDENT_TABLES = ("extents", "redactions", "generations", "sidecars", "drift", "diagnostics")
_SCRUB = "scrub"
_REFILLED = "refilled"
_SCRUB_BUSY_MS = 2_000


def load_forgotten(connection: sqlite3.Connection) -> Forgotten:
    """Return the forgotten sessions, projects and files, which must not be indexed again."""
    names: defaultdict[str, set[str]] = defaultdict(set)
    for kind, name in connection.execute("select kind, name from tombstones where kind <> 'leaf'"):
        names[kind].add(name)
    return Forgotten(
        sessions=frozenset(names[TombstoneKind.SESSION]),
        projects=frozenset(names[TombstoneKind.PROJECT]),
        files=frozenset(names[TombstoneKind.FILE]),
    )


def add_tombstones(connection: sqlite3.Connection, tombstones: Iterable[Tombstone], now: str) -> None:
    """Add tombstones; existing ones are not changed."""
    connection.executemany(
        insert_into("tombstones", verb="insert or ignore"), ((kind, name, now) for kind, name in tombstones)
    )


def delete_tombstones(connection: sqlite3.Connection, tombstones: Iterable[Tombstone]) -> None:
    """Delete tombstones, so that the next run can index their files again."""
    connection.executemany("delete from tombstones where kind = ? and name = ?", tombstones)
    # file tombstones follow from session tombstones; the next run adds those that are still needed
    connection.execute("delete from tombstones where kind = 'file'")
    connection.execute(
        "delete from tombstones where kind = 'leaf' "
        "and not exists (select 1 from tombstones where kind in ('session', 'project'))"
    )
    # a remaining leaf tombstone can belong to an allowed session; this is known only after its entry is indexed again
    connection.execute(
        "insert or replace into meta select ?, '1' where exists (select 1 from tombstones where kind = 'leaf')",
        (_REFILLED,),
    )
    # makes the next run read redacted files again, if they still exist
    connection.execute(
        "update generations set mtime_ns = 0 where (source, number) in (select source, generation from redactions)"
    )


def delete_leaf_tombstones(connection: sqlite3.Connection) -> None:
    """Delete the tombstones of leaves whose entries are in the index again."""
    connection.execute(
        "delete from tombstones where kind = 'leaf' "
        "and name in (select e.uuid from tombstones f join entries e on e.uuid = f.name where e.occurrence is not null)"
    )


def delete_redactions(connection: sqlite3.Connection, source: int, generation: int) -> None:
    """Record that the archive has all bytes of a generation again, but that rows for the restored bytes are missing."""
    connection.execute("delete from redactions where source = ? and generation = ?", (source, generation))
    connection.execute("insert or replace into meta values (?, '1')", (_REFILLED,))


def is_refilled(connection: sqlite3.Connection) -> bool:
    """Return whether the archive or the tombstones may have changed without the rows being updated."""
    return connection.execute("select 1 from meta where key = ?", (_REFILLED,)).fetchone() is not None


def end_refill(connection: sqlite3.Connection) -> None:
    """Record that the rows match the archive again."""
    connection.execute("delete from meta where key = ?", (_REFILLED,))


def find_sessions(connection: sqlite3.Connection, session_ids: Iterable[str]) -> list[int]:
    """Return the row ids of the given session ids, except those that are not in the index."""
    find = "select id from session_ids where session_id = ?"
    rows = (connection.execute(find, (session_id,)).fetchone() for session_id in session_ids)
    return [row[0] for row in rows if row is not None]


def agent_files(connection: sqlite3.Connection, sessions: Iterable[int]) -> list[str]:
    """Return paths of agent transcripts outside session folders that contain objects of the given sessions only."""
    params = {"sessions": json.dumps(list(sessions))}
    return [path for (path,) in connection.execute(load("derive/forgotten_agent_files"), params)]


def forgotten_objects(connection: sqlite3.Connection) -> dict[tuple[int, int], list[Redaction]]:
    """Return the byte ranges of forgotten objects that are still in the index, by source and generation."""
    redactions: defaultdict[tuple[int, int], list[Redaction]] = defaultdict(list)
    for source, generation, offset, length in connection.execute(load("derive/forgotten_objects")):
        redactions[source, generation].append(Redaction(offset, length))
    return dict(redactions)


def drop_sources(connection: sqlite3.Connection, sources: Iterable[int]) -> None:
    """Delete sources and their extents; the caller deletes unused chunks and the rows built from these sources."""
    for source in sources:
        for table in _SOURCE_DEPENDENT_TABLES:
            connection.execute(f"delete from {table} where source = ?", (source,))  # noqa: S608
        connection.execute("delete from sources where id = ?", (source,))


def add_redactions(
    connection: sqlite3.Connection, source: int, generation: int, redactions: Iterable[Redaction]
) -> None:
    """Record which bytes of a generation were overwritten with spaces in the archive."""
    rows = ((source, generation, *redaction) for redaction in redactions)
    connection.executemany(insert_into("redactions", verb="insert or replace"), rows)


def load_redactions(connection: sqlite3.Connection, source: int, generation: int) -> list[Redaction]:
    """Return the byte ranges of a generation that were overwritten with spaces in the archive."""
    find = "select start, length from redactions where source = ? and generation = ? order by start"
    return [Redaction(*row) for row in connection.execute(find, (source, generation))]


def request_scrub(connection: sqlite3.Connection) -> None:
    """Record that free pages and the log still contain deleted data; call this in the transaction that deletes it."""
    connection.execute("insert or replace into meta values (?, '1')", (_SCRUB,))


def is_scrub_due(connection: sqlite3.Connection) -> bool:
    """Return whether deleted data may still be in free pages or in the log."""
    return connection.execute("select 1 from meta where key = ?", (_SCRUB,)).fetchone() is not None


def scrub(connection: sqlite3.Connection) -> bool:
    """Vacuum the file and empty its log; return False if a reader prevents that and the scrub must be repeated."""
    with _short_busy_timeout(connection):
        # tried first, because otherwise every run would vacuum the file in vain while a reader stays open for hours
        if not _empty_log(connection):
            return False
        connection.execute("pragma temp_store = file")  # vacuum copies the whole index, which may not fit into memory
        connection.execute("vacuum")
        if not _empty_log(connection):
            return False
        connection.execute("delete from meta where key = ?", (_SCRUB,))
        return True


@contextmanager
def _short_busy_timeout(connection: sqlite3.Connection) -> Iterator[None]:
    """Wait less than usual for a reader, because a later run can repeat the work."""
    (timeout_ms,) = connection.execute("pragma busy_timeout").fetchone()
    connection.execute(f"pragma busy_timeout = {min(timeout_ms, _SCRUB_BUSY_MS)}")
    try:
        yield
    finally:
        connection.execute(f"pragma busy_timeout = {timeout_ms}")


def _empty_log(connection: sqlite3.Connection) -> bool:
    """Copy the log into the file and truncate the log; return False if a reader prevents that."""
    (is_busy, *_) = connection.execute("pragma wal_checkpoint(truncate)").fetchone()
    return not is_busy
