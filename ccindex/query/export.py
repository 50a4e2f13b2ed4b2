"""What an export writes: pages with their file names, entries with blocks, a session as one JSON document."""

import hashlib
import json
import re
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ccindex import __version__
from ccindex.query.ids import Target, entry_keys
from ccindex.query.line_tree import ReadingStep, load_line_tree
from ccindex.query.lists import SESSIONS, Filters, list_rows
from ccindex.query.paths import PathRow, conversation_paths
from ccindex.query.reading_order import ReadingOrder, reading_batches, session_of
from ccindex.query.transcript import CONVERSATION_KINDS
from ccindex.store.archive import Archive
from ccindex.store.sql_files import load

_PLAIN = re.compile(r"[0-9a-z_-][0-9a-z._-]{0,99}")
# endings that are added to names made of other ids
_TAKEN = re.compile(r".*(-[0-9a-f]{10}|_path[0-9]+|_abandoned|_agent-.*)", re.DOTALL)
_OTHER = re.compile(r"[^0-9a-z._-]")
_KEPT_CHARS = 80
_HASH_DIGITS = 10


def file_name_part(name: str) -> str:
    """Return an id as part of a file name: unchanged if every file system can store it, else cut and with a hash."""
    if _PLAIN.fullmatch(name) and not _TAKEN.fullmatch(name):
        return name
    digest = hashlib.sha256(name.encode("utf-8", "backslashreplace")).hexdigest()
    # lower case only: some file systems ignore case
    return f"{_OTHER.sub('_', name)[:_KEPT_CHARS]}-{digest[:_HASH_DIGITS]}"


@dataclass(frozen=True, slots=True)
class ExportPage:
    """A path that becomes a page: number `number` of `total` of a session, with or without its subagents.

    With an `agent_id` it is a path of a subagent that nothing links to a call, so that no other page contains it.
    """

    path: PathRow
    session_id: str
    number: int
    total: int
    agents: bool
    agent_id: str | None = None

    @property
    def file_name(self) -> str:
        """The file name, different for every path of a session, and marked if the path was abandoned."""
        agent = "" if self.agent_id is None else f"_agent-{file_name_part(self.agent_id)}"
        is_active = self.path.status == "active"
        number = "" if self.total == 1 and is_active else f"_path{self.number}"
        status = "" if is_active else "_abandoned"
        return f"transcript_{file_name_part(self.session_id)}{agent}{number}{status}.md"


def sessions_matching(connection: sqlite3.Connection, filters: Filters) -> list[str]:
    """Return the sessions that match filters, as `ccindex sessions` lists them."""
    return sorted(row["session_id"] for row in list_rows(connection, SESSIONS, replace(filters, limit=None)))


def pages_through(connection: sqlite3.Connection, session_id: str, *, agents: bool) -> list[ExportPage]:
    """Return the paths through a session, numbered by time of their leaves, and those of unlinked subagents.

    The latter are included if agents are wanted, or if the session has no other path.
    """
    paths = conversation_paths(connection, session_id)
    pages = [
        ExportPage(path, session_id, number, len(paths), agents=agents) for number, path in enumerate(paths, start=1)
    ]
    return [*pages, *_unlinked_pages(connection, session_id, agents=agents)] if agents or not pages else pages


def pages_ending_in(connection: sqlite3.Connection, session_ids: Sequence[str], *, agents: bool) -> list[ExportPage]:
    """Return every path that ends in one of the sessions, once, numbered as in v1_paths."""
    return [page for session_id in session_ids for page in _ending_in(connection, session_id, agents=agents)]


def _ending_in(connection: sqlite3.Connection, session_id: str, *, agents: bool) -> Iterator[ExportPage]:
    through = pages_through(connection, session_id, agents=agents)
    ending = [page for page in through if page.path.session_id == session_id]
    total = sum(page.agent_id is None for page in ending)
    for page in ending:
        yield page if page.agent_id is not None else replace(page, number=page.path.number, total=total)


def _unlinked_pages(connection: sqlite3.Connection, session_id: str, *, agents: bool) -> Iterator[ExportPage]:
    """Yield pages of subagents whose lines are roots, numbered per subagent."""
    paths = [path for path in conversation_paths(connection, session_id, agents=True) if path.is_agent]
    keys = entry_keys(connection, (path.root_uuid for path in paths))
    rows = connection.execute(load("query/path_threads"), {"roots": json.dumps(list(keys.values()))})
    threads = {root: (thread_id, agent_id) for root, thread_id, agent_id in rows}
    found: dict[tuple[str, str], list[PathRow]] = {}
    for path in paths:
        thread_id, agent_id = threads[keys[path.root_uuid]]
        if agent_id is not None:  # the path starts with the subagent
            found.setdefault((thread_id, agent_id), []).append(path)
    for (_, agent_id), own in found.items():
        for number, path in enumerate(own, start=1):
            yield ExportPage(path, session_id, number, len(own), agents, agent_id)


Row = dict[str, Any]


def load_entries(
    connection: sqlite3.Connection,
    target: Target,
    order: ReadingOrder | None = None,
    *,
    everything: bool = True,
    with_raw: bool = False,
) -> Iterator[Row]:
    """Yield the entries of a target with the columns of v1_entries, `set_aside` and their blocks.

    Queued words that no entry contains have the uuid None. Of entries that were set aside only conversation and typed
    words are given, unless with `everything`. With `with_raw` the member `raw` is the recorded object, byte for byte.
    """
    tree = load_line_tree(connection, session_of(connection, target))
    archive = Archive(connection)
    for steps in reading_batches(connection, tree, target, order or ReadingOrder()):
        raw = _load_locations(connection, steps) if with_raw else {}
        for step, row in _load_rows(connection, steps):
            is_shown = step.set_aside is None or row["kind"] in CONVERSATION_KINDS or row["is_typed"]
            if everything or is_shown or target.kind == "entry":
                yield row | {"raw": archive.slice(*raw[step.entry, step.queued])} if with_raw else row


def _load_rows(connection: sqlite3.Connection, steps: Sequence[ReadingStep]) -> Iterator[tuple[ReadingStep, Row]]:
    entries = {"entries": json.dumps([step.entry for step in steps if step.entry is not None])}
    rows = dict(_keyed(connection, load("query/entry_rows"), entries))
    blocks: defaultdict[int, list[Row]] = defaultdict(list)
    for entry, block in _keyed(connection, load("query/block_rows"), entries):
        blocks[entry].append(block)
    queued = [step.queued for step in steps if step.queued is not None]
    words = _load_queued(connection, queued) if queued else {}
    for step in steps:
        if step.entry is not None:
            yield step, rows[step.entry] | {"set_aside": step.set_aside, "blocks": blocks[step.entry]}
        elif step.queued is not None:
            yield step, words[step.queued]


def _load_queued(connection: sqlite3.Connection, occurrences: Sequence[int]) -> dict[int, Row]:
    """Load queued words in the form of entries; their source and line identify them."""
    cursor = connection.execute("select * from v1_entries limit 0")
    nothing: Row = dict.fromkeys(column[0] for column in cursor.description)
    found = {}
    for occurrence, words in _keyed(connection, load("query/queued_rows"), {"queued": json.dumps(occurrences)}):
        block = {"uuid": None, "idx": 0, "type": "text", "text": words["text"]}
        found[occurrence] = nothing | words | {"set_aside": None, "blocks": [block]}
    return found


def _load_locations(
    connection: sqlite3.Connection, steps: Sequence[ReadingStep]
) -> dict[tuple[int | None, int | None], tuple[int, int, int, int]]:
    """Load where the archive has what entries and queued words were read from: source, generation, offset, length."""
    values = {
        "entries": json.dumps([step.entry for step in steps if step.entry is not None]),
        "queued": json.dumps([step.queued for step in steps if step.queued is not None]),
    }
    rows = connection.execute(load("query/locations"), values)
    return {(entry, queued): (source, *place) for entry, queued, source, *place in rows}


def _keyed(connection: sqlite3.Connection, query: str, values: Mapping[str, str]) -> Iterator[tuple[int, Row]]:
    """Yield the first column of rows, and the others by name: a column that a view gains is shown as well."""
    cursor = connection.execute(query, values)
    columns = [column[0] for column in cursor.description[1:]]
    for key, *row in cursor:
        yield key, dict(zip(columns, row, strict=True))


_IN_SESSION = "session_id = :session_id"
_LEAVES_OR_ENDS_THERE = (
    "uuid in (select uuid from v1_entries where session_id = :session_id) "
    "or target_line_id in (select line_id from v1_lines where session_id = :session_id)"
)
# found through the index of entries instead of in all sessions
_BY_ENTRY = "session_id = :session_id and uuid in (select uuid from v1_entries where session_id = :session_id)"
_BY_LEAF = (
    "session_id = :session_id "
    "and (leaf_uuid is null or leaf_uuid in (select uuid from v1_entries where session_id = :session_id))"
)
# per member: its view, which rows, and their order
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
_ABOUT_THE_INDEX = "revision"  # left out, so that the document does not depend on how often the session was indexed


def session_document(connection: sqlite3.Connection, session_id: str) -> Iterator[str]:
    """Yield the lines of the document: the session, its lines, paths and entries, and its rows of other views."""
    yield f'{{"ccindex_version": {_json(__version__)},'
    [session] = _view_rows(connection, ("v1_sessions", _IN_SESSION, "session_id"), session_id)
    yield f'"session": {_json(session)},'
    members: list[tuple[str, Iterable[Row]]] = [
        (name, _view_rows(connection, view, session_id)) for name, view in _VIEWS.items()
    ]
    members[1:1] = [
        ("paths", map(_path_row, conversation_paths(connection, session_id))),
        ("entries", map(_entry_row, load_entries(connection, Target("session", session_id)))),
    ]
    for place, (name, rows) in enumerate(members, start=1):
        yield from _list_member(name, rows, end="," if place < len(members) else "")
    yield "}"


def _list_member(name: str, rows: Iterable[Row], *, end: str) -> Iterator[str]:
    """Yield a member whose value is a list, one row per line."""
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
    """Yield rows with all columns of a view."""
    name, condition, order = view
    query = f"select * from {name} where {condition} order by {order}"  # noqa: S608 - names from _VIEWS
    cursor = connection.execute(query, {"session_id": session_id})
    columns = [column[0] for column in cursor.description]
    for row in cursor:
        yield dict(zip(columns, row, strict=True))


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
