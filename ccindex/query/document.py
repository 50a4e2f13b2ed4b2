"""A session and all that the views say of it as one JSON document, a row a line."""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ccindex import __version__

from .ids import Named
from .paths import conversation_paths
from .show import entries_of

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
    [session] = _rows(connection, ("v1_sessions", _IN_SESSION, "session_id"), session_id)
    yield f'"session": {_json(session)},'
    members: list[tuple[str, Iterable[Row]]] = [
        (name, _rows(connection, view, session_id)) for name, view in _VIEWS.items()
    ]
    members[1:1] = [
        ("paths", map(_path, conversation_paths(connection, session_id))),
        ("entries", map(_entry, entries_of(connection, Named("session", session_id)))),
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


def _path(path: Any) -> Row:
    return {name: value for name, value in path._asdict().items() if name != "is_agent"}


def _entry(entry: Row) -> Row:
    return {name: value for name, value in entry.items() if name != _ABOUT_THE_INDEX}


def _rows(connection: sqlite3.Connection, view: tuple[str, str, str], session_id: str) -> Iterator[Row]:
    """Rows with all the columns of a view, by name: whatever is added to it is exported."""
    name, condition, order = view
    query = f"select * from {name} where {condition} order by {order}"  # noqa: S608 - of the table above
    cursor = connection.execute(query, {"session_id": session_id})
    columns = [column[0] for column in cursor.description]
    for row in cursor:
        yield dict(zip(columns, row, strict=True))


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
