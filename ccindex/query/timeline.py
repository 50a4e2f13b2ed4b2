"""Load a session's entries, sorted by time or grouped by line, with shortened content, and their parent links."""

import json
import sqlite3
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import NamedTuple

from ccindex.store.sql_files import load

_MAX_TEXT_CHARS = 4_000  # per block: more than fits on a line, so that a secret at the end of the line is recognised
_BATCH_ENTRIES = 200


class TimelineBlock(NamedTuple):
    """A content block with shortened text; a call has its full input, and a result the name of its tool."""

    type: str | None
    text: str | None
    tool: str | None
    input: str | None  # JSON
    is_error: int | None


class TimelineEntry(NamedTuple):
    """An entry, or queued text. `timestamp_ms` is None if it was not recorded.

    `line_id` is the line of the entry, or of its fork if the entry was set aside. It is None if there is no such line.
    """

    entry: int
    uuid: str | None  # None for queued text that no entry contains
    timestamp_ms: int | None
    agent_id: str | None
    kind: str
    type: str | None
    subtype: str | None
    set_aside: str | None
    line_id: str | None
    line_kind: str | None
    is_active: int | None
    line: int | None = None
    blocks: tuple[TimelineBlock, ...] = ()


class ParentLink(NamedTuple):
    """A link from an entry of the session to its parent; the kind and session of an unseen parent are None."""

    child_uuid: str
    parent_uuid: str
    kind: str
    state: str
    is_aside: int
    is_own: int
    parent_kind: str | None
    parent_session_id: str | None


def load_timeline(connection: sqlite3.Connection, session_id: str) -> Iterator[TimelineEntry]:
    """Yield entries, and queued text that no entry contains, sorted by time; entries without a timestamp come last."""
    queued = deque(_load_queued(connection, session_id))
    for entry in _with_blocks(connection, _load_entries(connection, session_id)):
        while queued and (entry.timestamp_ms is None or (queued[0].timestamp_ms or 0) < entry.timestamp_ms):
            yield queued.popleft()
        yield entry
    yield from queued


def load_entries_by_line(connection: sqlite3.Connection, session_id: str) -> Iterator[TimelineEntry]:
    """Yield the entries grouped by line, lines sorted by their first entries; entries without a line come last."""
    lines: dict[int | None, list[TimelineEntry]] = {}  # blocks are loaded later, in batches
    for entry in _load_entries(connection, session_id):
        lines.setdefault(entry.line, []).append(entry)
    outside = lines.pop(None, [])
    return _with_blocks(connection, chain(*lines.values(), outside))


def load_links(connection: sqlite3.Connection, session_id: str) -> Iterator[ParentLink]:
    """Yield the links from all entries to their parents, including parents that were never seen."""
    return (ParentLink(*row) for row in connection.execute(load("query/parent_links"), {"session_id": session_id}))


def load_blocks(connection: sqlite3.Connection, entries: Sequence[int]) -> Mapping[int, Sequence[TimelineBlock]]:
    """Load the content blocks of the given entries, with shortened text; for an entry without blocks, its own text."""
    values = {"entries": json.dumps(entries), "max_chars": _MAX_TEXT_CHARS}
    blocks: defaultdict[int, list[TimelineBlock]] = defaultdict(list)
    for entry, *row in connection.execute(load("query/timeline_blocks"), values):
        blocks[entry].append(TimelineBlock(*row))
    return blocks


def _load_entries(connection: sqlite3.Connection, session_id: str) -> Iterator[TimelineEntry]:
    rows = connection.execute(load("query/timeline_entries"), {"session_id": session_id})
    return (TimelineEntry(*row) for row in rows)


def _load_queued(connection: sqlite3.Connection, session_id: str) -> Iterator[TimelineEntry]:
    values = {"session_id": session_id, "max_chars": _MAX_TEXT_CHARS}
    for text, *row in connection.execute(load("query/timeline_queued"), values):
        yield TimelineEntry(*row)._replace(blocks=(TimelineBlock("text", text, None, None, None),))


def _with_blocks(connection: sqlite3.Connection, entries: Iterable[TimelineEntry]) -> Iterator[TimelineEntry]:
    remaining = iter(entries)
    while batch := list(islice(remaining, _BATCH_ENTRIES)):
        blocks = load_blocks(connection, [entry.entry for entry in batch])
        yield from (entry._replace(blocks=tuple(blocks[entry.entry])) for entry in batch)
