"""Prepare exports: pages with their file names, entries with their blocks, and a session as one JSON document."""

import hashlib
import json
import re
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import Any

from ccindex import __version__
from ccindex.query.ids import Target, entry_keys
from ccindex.query.line_tree import ReadingStep, load_line_tree
from ccindex.query.lists import SESSIONS, Filters, ViewRow, list_rows
from ccindex.query.paths import PathRow, conversation_paths
from ccindex.query.reading_order import ReadingOrder, find_session, reading_batches
from ccindex.query.transcript import CONVERSATION_KINDS
from ccindex.store.archive import Archive
from ccindex.store.sql_files import load

_SAFE = re.compile(r"[0-9a-z_-][0-9a-z._-]{0,99}")
# suffixes that ccindex itself adds to file names
_RESERVED = re.compile(r".*(-[0-9a-f]{10}|_path[0-9]+|_abandoned|_agent-.*)", re.DOTALL)
_UNSAFE = re.compile(r"[^0-9a-z._-]")
_MAX_PREFIX_CHARS = 80
_HASH_DIGITS = 10


def file_name_part(name: str) -> str:
    """Return an id in a form that every file system accepts in a file name. A changed id ends with a hash."""
    if _SAFE.fullmatch(name) and not _RESERVED.fullmatch(name):
        return name
    digest = hashlib.sha256(name.encode("utf-8", "backslashreplace")).hexdigest()
    # lower case only, because some file systems ignore case
    return f"{_UNSAFE.sub('_', name)[:_MAX_PREFIX_CHARS]}-{digest[:_HASH_DIGITS]}"


@dataclass(frozen=True, slots=True)
class ExportPage:
    """A path that is exported as page `number` of a session's `total` pages, with or without its subagents.

    A page with an `agent_id` shows a path of a subagent whose call is not known. No other page contains that subagent.
    """

    path: PathRow
    session_id: str
    number: int
    total: int
    agents: bool
    agent_id: str | None = None

    @property
    def file_name(self) -> str:
        """The file name, which is unique within the session and shows whether the path was abandoned."""
        agent = "" if self.agent_id is None else f"_agent-{file_name_part(self.agent_id)}"
        is_active = self.path.status == "active"
        number = "" if self.total == 1 and is_active else f"_path{self.number}"
        status = "" if is_active else "_abandoned"
        return f"transcript_{file_name_part(self.session_id)}{agent}{number}{status}.md"


def sessions_matching(connection: sqlite3.Connection, filters: Filters) -> list[str]:
    """Return the ids of the sessions that match the filters, as in `ccindex sessions`."""
    return sorted(row["session_id"] for row in list_rows(connection, SESSIONS, replace(filters, limit=None)))


def pages_through(connection: sqlite3.Connection, session_id: str, *, agents: bool) -> list[ExportPage]:
    """Return pages for the paths through a session, numbered by the time of their leaves, and for unlinked subagents.

    Pages for unlinked subagents are included only if `agents` is true or the session has no other path.
    """
    paths = conversation_paths(connection, session_id)
    pages = [
        ExportPage(path, session_id, number, len(paths), agents=agents) for number, path in enumerate(paths, start=1)
    ]
    return [*pages, *_unlinked_pages(connection, session_id, agents=agents)] if agents or not pages else pages


def pages_ending_in(connection: sqlite3.Connection, session_ids: Sequence[str], *, agents: bool) -> list[ExportPage]:
    """Return a page for every path that ends in one of the sessions, numbered as in v1_paths."""
    return [page for session_id in session_ids for page in _ending_in(connection, session_id, agents=agents)]


def _ending_in(connection: sqlite3.Connection, session_id: str, *, agents: bool) -> Iterator[ExportPage]:
    through = pages_through(connection, session_id, agents=agents)
    ending = [page for page in through if page.path.session_id == session_id]
    total = sum(page.agent_id is None for page in ending)
    for page in ending:
        yield page if page.agent_id is not None else replace(page, number=page.path.number, total=total)


def _unlinked_pages(connection: sqlite3.Connection, session_id: str, *, agents: bool) -> Iterator[ExportPage]:
    """Yield the pages of subagents whose lines are roots, numbered per subagent."""
    paths = [path for path in conversation_paths(connection, session_id, agents=True) if path.is_agent]
    keys = entry_keys(connection, (path.root_uuid for path in paths))
    rows = connection.execute(load("query/path_threads"), {"roots": json.dumps(list(keys.values()))})
    threads = {root: (thread_id, agent_id) for root, thread_id, agent_id in rows}
    by_agent: dict[tuple[str, str], list[PathRow]] = {}
    for path in paths:
        thread_id, agent_id = threads[keys[path.root_uuid]]
        if agent_id is not None:  # the path starts in a subagent's thread
            by_agent.setdefault((thread_id, agent_id), []).append(path)
    for (_, agent_id), agent_paths in by_agent.items():
        for number, path in enumerate(agent_paths, start=1):
            yield ExportPage(path, session_id, number, len(agent_paths), agents, agent_id)


def load_entries(
    connection: sqlite3.Connection,
    target: Target,
    order: ReadingOrder | None = None,
    *,
    everything: bool = True,
    with_raw: bool = False,
) -> Iterator[ViewRow]:
    """Yield the entries of a target with the columns of v1_entries, `set_aside` and their blocks.

    Queued text that no entry contains has the uuid None. Unless `everything` is true, set-aside entries are included
    only if they are typed, belong to the conversation or are the target itself. If `with_raw` is true, each row has the
    recorded object, byte for byte, as `raw`.
    """
    tree = load_line_tree(connection, find_session(connection, target))
    archive = Archive(connection)
    for steps in reading_batches(connection, tree, target, order or ReadingOrder()):
        locations = _load_locations(connection, steps) if with_raw else {}
        for step, row in _load_rows(connection, steps):
            is_shown = step.set_aside is None or row["kind"] in CONVERSATION_KINDS or row["is_typed"]
            if everything or is_shown or target.kind == "entry":
                yield row | {"raw": archive.slice(*locations[step.entry, step.queued])} if with_raw else row


def _load_rows(connection: sqlite3.Connection, steps: Sequence[ReadingStep]) -> Iterator[tuple[ReadingStep, ViewRow]]:
    entries = {"entries": json.dumps([step.entry for step in steps if step.entry is not None])}
    rows = dict(_keyed_rows(connection, load("query/entry_rows"), entries))
    blocks: defaultdict[int, list[ViewRow]] = defaultdict(list)
    for entry, block in _keyed_rows(connection, load("query/block_rows"), entries):
        blocks[entry].append(block)
    queued = [step.queued for step in steps if step.queued is not None]
    queued_rows = _load_queued(connection, queued) if queued else {}
    for step in steps:
        if step.entry is not None:
            in_order = sorted(blocks[step.entry], key=itemgetter("idx"))
            yield step, rows[step.entry] | {"set_aside": step.set_aside, "blocks": in_order}
        elif step.queued is not None:
            yield step, queued_rows[step.queued]


def _load_queued(connection: sqlite3.Connection, occurrences: Sequence[int]) -> dict[int, ViewRow]:
    """Load queued text as rows with the columns of v1_entries; source path and line number identify it."""
    cursor = connection.execute("select * from v1_entries limit 0")
    empty_row: ViewRow = dict.fromkeys(column[0] for column in cursor.description)
    rows = {}
    for occurrence, row in _keyed_rows(connection, load("query/queued_rows"), {"queued": json.dumps(occurrences)}):
        block = {"uuid": None, "idx": 0, "type": "text", "text": row["text"]}
        rows[occurrence] = empty_row | row | {"set_aside": None, "blocks": [block]}
    return rows


def _load_locations(
    connection: sqlite3.Connection, steps: Sequence[ReadingStep]
) -> dict[tuple[int | None, int | None], tuple[int, int, int, int]]:
    """Load the archive positions of entries and queued text: source, generation, offset and length."""
    values = {
        "entries": json.dumps([step.entry for step in steps if step.entry is not None]),
        "queued": json.dumps([step.queued for step in steps if step.queued is not None]),
    }
    rows = connection.execute(load("query/archive_locations"), values)
    return {
        (entry, queued): (source, generation, offset, length)
        for entry, queued, source, generation, offset, length in rows
    }


def _keyed_rows(connection: sqlite3.Connection, query: str, values: Mapping[str, str]) -> Iterator[tuple[int, ViewRow]]:
    """Yield each row's first column, and a dict of the others, including any that are added to the view later."""
    cursor = connection.execute(query, values)
    columns = [column[0] for column in cursor.description[1:]]
    for key, *row in cursor:
        yield key, dict(zip(columns, row, strict=True))


_IN_SESSION = "session_id = :session_id"
_STARTS_OR_ENDS_IN_SESSION = (
    "uuid in (select uuid from v1_entries where session_id = :session_id) "
    "or target_line_id in (select line_id from v1_lines where session_id = :session_id)"
)
# uses an index on entries instead of scanning all sessions
_BY_ENTRY = "session_id = :session_id and uuid in (select uuid from v1_entries where session_id = :session_id)"
_BY_LEAF = (
    "session_id = :session_id "
    "and (leaf_uuid is null or leaf_uuid in (select uuid from v1_entries where session_id = :session_id))"
)
# per member: the view, the condition on its rows, and their order
_VIEWS = {
    "lines": ("v1_lines", _IN_SESSION, "first_timestamp_ms, line_id, parent_line_id, entry_count"),
    "forks": ("v1_forks", _IN_SESSION, "thread_id, uuid"),
    "junctions": ("v1_junctions", _STARTS_OR_ENDS_IN_SESSION, "uuid, ordinal, target_line_id"),
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
_OMITTED_COLUMN = "revision"  # omitted, because it depends on how often the session was indexed


def session_document(connection: sqlite3.Connection, session_id: str) -> Iterator[str]:
    """Yield the lines of a JSON document: the session, its lines, paths and entries, and its rows in other views."""
    yield f'{{"ccindex_version": {_json(__version__)},'
    [session] = _view_rows(connection, ("v1_sessions", _IN_SESSION, "session_id"), session_id)
    yield f'"session": {_json(session)},'
    members: list[tuple[str, Iterable[ViewRow]]] = [
        (name, _view_rows(connection, view, session_id)) for name, view in _VIEWS.items()
    ]
    members[1:1] = [
        ("paths", map(_path_row, conversation_paths(connection, session_id))),
        ("entries", map(_entry_row, load_entries(connection, Target("session", session_id)))),
    ]
    for number, (name, rows) in enumerate(members, start=1):
        yield from _list_member(name, rows, end="," if number < len(members) else "")
    yield "}"


def _list_member(name: str, rows: Iterable[ViewRow], *, end: str) -> Iterator[str]:
    """Yield a member whose value is a list, with one row per line."""
    yield f'"{name}": ['
    previous = None
    for row in rows:
        if previous is not None:
            yield f"{previous},"
        previous = _json(row)
    if previous is not None:
        yield previous
    yield f"]{end}"


def _path_row(path: Any) -> ViewRow:
    return {name: value for name, value in path._asdict().items() if name != "is_agent"}


def _entry_row(entry: ViewRow) -> ViewRow:
    return {name: value for name, value in entry.items() if name != _OMITTED_COLUMN}


def _view_rows(connection: sqlite3.Connection, view: tuple[str, str, str], session_id: str) -> Iterator[ViewRow]:
    """Yield the rows of a view for one session, with all columns."""
    name, condition, order = view
    query = f"select * from {name} where {condition} order by {order}"  # noqa: S608 - names from _VIEWS
    cursor = connection.execute(query, {"session_id": session_id})
    columns = [column[0] for column in cursor.description]
    for row in cursor:
        yield dict(zip(columns, row, strict=True))


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
