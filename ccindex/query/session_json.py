"""Entries in reading order with their blocks, and a session as one JSON document."""

import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from ccindex import __version__
from ccindex.query.ids import Named
from ccindex.query.paths import conversation_paths
from ccindex.query.reading_order import Manner, Read, reading_of
from ccindex.store.archive import Archive
from ccindex.store.sql_files import load

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


Shown = dict[str, Any]

TALK = frozenset({"prompt", "assistant", "result"})


def entries_of(
    connection: sqlite3.Connection, named: Named, manner: Manner | None = None, *, everything: bool = True
) -> Iterator[Shown]:
    """Give the entries of what is named, with the columns of v1_entries, `set_aside` and their blocks.

    Queued words that no entry holds are given where they stand, with the uuid None. Of what was set aside only talk and
    typed words are given, unless it shall be everything.
    """
    for read in reading_of(connection, named, manner or Manner()).entries:
        entry = _shown(connection, read) if read.queued is None else _queued(connection, read.queued)
        if everything or read.set_aside is None or entry["kind"] in TALK or entry["is_typed"] or named.kind == "entry":
            yield entry


def _shown(connection: sqlite3.Connection, read: Read) -> Shown:
    [entry] = _rows(connection, "select * from v1_entries where uuid = :uuid", uuid=read.uuid)
    blocks = _rows(connection, "select * from v1_blocks where uuid = :uuid order by idx", uuid=read.uuid)
    return entry | {"set_aside": read.set_aside, "blocks": blocks}


def _queued(connection: sqlite3.Connection, occurrence: int) -> Shown:
    """Queued words in the form of an entry; their source and line identify them."""
    find = "select * from v1_entries limit 0"
    nothing = dict.fromkeys(column[0] for column in connection.execute(find).description)
    [words] = _rows(connection, load("query/queued_words"), occurrence=occurrence)
    block = {"uuid": None, "idx": 0, "type": "text", "text": words["text"]}
    return nothing | words | {"set_aside": None, "blocks": [block]}


def _rows(connection: sqlite3.Connection, query: str, **values: str | int | None) -> list[Shown]:
    """Rows of a view with all its columns, by name: whatever is added to it is shown."""
    cursor = connection.execute(query, values)
    columns = [column[0] for column in cursor.description]
    return [dict(zip(columns, row, strict=True)) for row in cursor]


_IN_SESSION = "session_id = :session_id"
_LEAVES_OR_ENDS_THERE = (
    "uuid in (select uuid from v1_entries where session_id = :session_id) "
    "or target_line_id in (select line_id from v1_lines where session_id = :session_id)"
)
# what the index finds by an entry it need not look for in all sessions
_BY_ENTRY = "session_id = :session_id and uuid in (select uuid from v1_entries where session_id = :session_id)"
_BY_LEAF = (
    "session_id = :session_id "
    "and (leaf_uuid is null or leaf_uuid in (select uuid from v1_entries where session_id = :session_id))"
)
# member: its view, which rows, and their order
_VIEWS = {
    "lines": ("v1_lines", _IN_SESSION, "first_timestamp_ms, line_id, parent_line_id, entry_count"),
    "forks": ("v1_forks", _IN_SESSION, "thread_id, uuid"),
    "junctions": ("v1_junctions", _LEAVES_OR_ENDS_THERE, "uuid, ordinal, target_line_id"),
    "set_aside": ("v1_set_aside", _IN_SESSION, "thread_id, uuid"),
    "agents": ("v1_agents", _IN_SESSION, "first_timestamp_ms, agent_id"),
    "tool_pairs": ("v1_tool_pairs", _IN_SESSION, "timestamp_ms, tool_use_id"),
    "responses": ("v1_responses", _IN_SESSION, "timestamp_ms, message_id"),
    "compactions": ("v1_compactions", _BY_ENTRY, "timestamp_ms, uuid"),
    "summaries": ("v1_summaries", _BY_LEAF, "source_path, line_no, kind, leaf_uuid, text"),
    "file_touches": ("v1_file_touches", _BY_ENTRY, "timestamp_ms, uuid, tool_use_id, path, operation"),
    "queued_words": ("v1_queued_words", _IN_SESSION, "timestamp_ms, source_path, line_no, text"),
    "task_notices": ("v1_task_notices", _IN_SESSION, "timestamp_ms, source_path, line_no, task_id, status"),
    "records": ("v1_records", _IN_SESSION, "source_path, line_no, byte_offset, is_current"),
}
_ABOUT_THE_INDEX = "revision"  # the same session is told in the same bytes however often it was indexed

Row = Mapping[str, Any]


def document(connection: sqlite3.Connection, session_id: str) -> Iterator[str]:
    """Give the document's lines: the session, its lines, the paths through it, its entries, and what each view has."""
    yield f'{{"ccindex_version": {_json(__version__)},'
    [session] = _view_rows(connection, ("v1_sessions", _IN_SESSION, "session_id"), session_id)
    yield f'"session": {_json(session)},'
    members: list[tuple[str, Iterable[Row]]] = [
        (name, _view_rows(connection, view, session_id)) for name, view in _VIEWS.items()
    ]
    members[1:1] = [
        ("paths", map(_path_row, conversation_paths(connection, session_id))),
        ("entries", map(_entry_row, entries_of(connection, Named("session", session_id)))),
    ]
    for place, (name, rows) in enumerate(members, start=1):
        yield from _listed(name, rows, end="," if place < len(members) else "")
    yield "}"


def _listed(name: str, rows: Iterable[Row], *, end: str) -> Iterator[str]:
    """A member whose value is a list, each row on its line behind the comma it needs."""
    yield f'"{name}": ['
    before = None
    for row in rows:
        if before is not None:
            yield f"{before},"
        before = _json(row)
    if before is not None:
        yield before
    yield f"]{end}"


def _path_row(path: Any) -> Row:
    return {name: value for name, value in path._asdict().items() if name != "is_agent"}


def _entry_row(entry: Row) -> Row:
    return {name: value for name, value in entry.items() if name != _ABOUT_THE_INDEX}


def _view_rows(connection: sqlite3.Connection, view: tuple[str, str, str], session_id: str) -> Iterator[Row]:
    """Rows with all the columns of a view, by name: whatever is added to it is exported."""
    name, condition, order = view
    query = f"select * from {name} where {condition} order by {order}"  # noqa: S608 - of the table above
    cursor = connection.execute(query, {"session_id": session_id})
    columns = [column[0] for column in cursor.description]
    for row in cursor:
        yield dict(zip(columns, row, strict=True))


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
