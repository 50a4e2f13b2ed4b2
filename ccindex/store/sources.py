"""Rows of sources, generations and tombstones, and the objects that tombstones apply to."""

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
    Forgets,
    Forgotten,
    FoundFile,
    KnownSource,
    PathInfo,
    ReadPosition,
    Source,
    Span,
    Tombstone,
)
from ccindex.store.rows import insert_into
from ccindex.store.sql_files import load

_COLUMNS = (
    "select s.id, s.path, s.role, s.project, s.session_hint, s.agent_id, s.workflow_run, s.generation, s.is_missing, "
    "g.device, g.inode, g.size, g.mtime_ns, g.archived, g.offset, g.line_no, g.line_objects, g.malformed, "
    "g.saw_crlf, g.is_torn, g.last_at, g.last_session, g.head_hash, g.tail_hash "
)
_TABLES = "from sources s join generations g on g.source = s.id "
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


def has_sources(connection: sqlite3.Connection) -> bool:
    """Whether any file was indexed yet."""
    return connection.execute("select 1 from sources").fetchone() is not None


def add_source(connection: sqlite3.Connection, found: FoundFile, now: str) -> int:
    """Add a file; its first generation is added when it was read."""
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
    # no RETURNING: at every statement of several steps FTS5 writes out what it has gathered
    return int(cursor.lastrowid or 0)


def save_position(
    connection: sqlite3.Connection, key: tuple[int, int], state: FileState, position: ReadPosition, indexed_at: str
) -> None:
    """Record how far a generation was read, and in which state of the file; `key`: source and generation."""
    save = insert_into("generations", verb="insert or replace")
    connection.execute(save, (*key, *astuple(state), *astuple(position), indexed_at))


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


_OF_SOURCE = ("extents", "redactions", "generations", "sidecars", "drift", "diagnostics")
_SCRUB = "scrub"
_PATIENCE_MS = 2_000
_REFILLED = "refilled"


def load_forgotten(connection: sqlite3.Connection) -> Forgotten:
    """Return what may not come back."""
    names: defaultdict[str, set[str]] = defaultdict(set)
    for kind, name in connection.execute("select kind, name from tombstones where kind <> 'leaf'"):
        names[kind].add(name)
    return Forgotten(
        sessions=frozenset(names[Forgets.SESSION]),
        projects=frozenset(names[Forgets.PROJECT]),
        files=frozenset(names[Forgets.FILE]),
    )


def put_tombstones(connection: sqlite3.Connection, tombstones: Iterable[Tombstone], now: str) -> None:
    """Keep some things from coming back; one that is kept already stays as it is."""
    connection.executemany(
        insert_into("tombstones", verb="insert or ignore"), ((kind, name, now) for kind, name in tombstones)
    )


def lift_tombstones(connection: sqlite3.Connection, tombstones: Iterable[Tombstone]) -> None:
    """Let some things come back."""
    connection.executemany("delete from tombstones where kind = ? and name = ?", tombstones)
    # files were noted for the sake of sessions: what is still forgotten is noted again when it is met
    connection.execute("delete from tombstones where kind = 'file'")
    connection.execute(
        "delete from tombstones where kind = 'leaf' "
        "and not exists (select 1 from tombstones where kind in ('session', 'project'))"
    )
    # the remaining leaves can belong to something allowed; that is known once its entries are back
    connection.execute(
        "insert or replace into meta select ?, '1' where exists (select 1 from tombstones where kind = 'leaf')",
        (_REFILLED,),
    )
    # so that the next run reads again what has blanks, if it is still there
    connection.execute(
        "update generations set mtime_ns = 0 where (source, number) in (select source, generation from redactions)"
    )


def lift_known_leaves(connection: sqlite3.Connection) -> None:
    """Let summaries come back of entries that did."""
    connection.execute(
        "delete from tombstones where kind = 'leaf' "
        "and name in (select e.uuid from tombstones f join entries e on e.uuid = f.name where e.occurrence is not null)"
    )


def lift_redactions(connection: sqlite3.Connection, source: int, generation: int) -> None:
    """Note that a generation has its bytes again, of which rows have still to be made."""
    connection.execute("delete from redactions where source = ? and generation = ?", (source, generation))
    connection.execute("insert or replace into meta values (?, '1')", (_REFILLED,))


def is_refilled(connection: sqlite3.Connection) -> bool:
    """Whether something may have come back, into the archive at least, that rows and tombstones do not tell of."""
    return connection.execute("select 1 from meta where key = ?", (_REFILLED,)).fetchone() is not None


def end_refill(connection: sqlite3.Connection) -> None:
    """Note that the rows are those of the archive again."""
    connection.execute("delete from meta where key = ?", (_REFILLED,))


def session_numbers(connection: sqlite3.Connection, session_ids: Iterable[str]) -> list[int]:
    """Return the numbers of those sessions that the index knows."""
    find = "select id from session_ids where session_id = ?"
    found = (connection.execute(find, (session_id,)).fetchone() for session_id in session_ids)
    return [row[0] for row in found if row is not None]


def agent_files(connection: sqlite3.Connection, sessions: Iterable[int]) -> list[str]:
    """Return the agent transcripts outside session folders in which every object claims one of these sessions."""
    given = {"sessions": json.dumps(list(sessions))}
    return [path for (path,) in connection.execute(load("derive/forgotten_agent_files"), given)]


def held_objects(connection: sqlite3.Connection) -> dict[tuple[int, int], list[Span]]:
    """The objects of something forgotten that the index holds, by source and generation."""
    found: defaultdict[tuple[int, int], list[Span]] = defaultdict(list)
    for source, generation, offset, length in connection.execute(load("derive/forgotten_objects")):
        found[source, generation].append(Span(offset, length))
    return dict(found)


def drop_sources(connection: sqlite3.Connection, sources: Iterable[int]) -> None:
    """Take files out of the index and their bytes out of the archive; rows made of them are the caller's."""
    for source in sources:
        for table in _OF_SOURCE:
            connection.execute(f"delete from {table} where source = ?", (source,))  # noqa: S608
        connection.execute("delete from sources where id = ?", (source,))


def note_redactions(connection: sqlite3.Connection, source: int, generation: int, spans: Iterable[Span]) -> None:
    """Remember which bytes of a generation are blanks in the archive only."""
    rows = ((source, generation, *span) for span in spans)
    connection.executemany(insert_into("redactions", verb="insert or replace"), rows)


def redactions_of(connection: sqlite3.Connection, source: int, generation: int) -> list[Span]:
    """Return which bytes of a generation are blanks in the archive only."""
    find = "select start, length from redactions where source = ? and generation = ? order by start"
    return [Span(*row) for row in connection.execute(find, (source, generation))]


def ask_for_scrub(connection: sqlite3.Connection) -> None:
    """Note, in the transaction that takes something out, that its traces have still to go."""
    connection.execute("insert or replace into meta values (?, '1')", (_SCRUB,))


def is_scrub_due(connection: sqlite3.Connection) -> bool:
    """Whether traces of something taken out may still be in the file."""
    return connection.execute("select 1 from meta where key = ?", (_SCRUB,)).fetchone() is not None


def scrub(connection: sqlite3.Connection) -> bool:
    """Write the whole file anew and empty its log; False: a reader still needs the log, so do it again later."""
    with _impatient(connection):
        # asked first: where somebody reads for hours, not every run may write the whole file for nothing
        if not _is_log_emptied(connection):
            return False
        connection.execute("pragma temp_store = file")  # vacuum copies the whole index, which may exceed memory
        connection.execute("vacuum")
        if not _is_log_emptied(connection):
            return False
        connection.execute("delete from meta where key = ?", (_SCRUB,))
        return True


@contextmanager
def _impatient(connection: sqlite3.Connection) -> Iterator[None]:
    """Do not wait as long as elsewhere for a reader, who may stay, when a later run will do."""
    (usual,) = connection.execute("pragma busy_timeout").fetchone()
    connection.execute(f"pragma busy_timeout = {min(usual, _PATIENCE_MS)}")
    try:
        yield
    finally:
        connection.execute(f"pragma busy_timeout = {usual}")


def _is_log_emptied(connection: sqlite3.Connection) -> bool:
    """Bring what the log holds to its place in the file, unless a reader is in the way."""
    (is_busy, *_) = connection.execute("pragma wal_checkpoint(truncate)").fetchone()
    return not is_busy
