"""A session to its entries by time or by line, with the beginning of their content, and to the links between them."""

import json
import sqlite3
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import NamedTuple

from ccindex.store.sql_files import load

_MAX_TEXT_CHARS = 4_000  # of a block: more than one line shows, with room for a secret at its end
_BATCH_ENTRIES = 200


class TimelineBlock(NamedTuple):
    """The beginning of a content block: a call with its whole input, a result with the name of its tool."""

    type: str | None
    text: str | None
    tool: str | None
    input: str | None  # JSON
    is_error: int | None


class TimelineEntry(NamedTuple):
    """An entry; `at` is None if no instant was recorded, `line_id` if it was set aside outside its thread's lines."""

    entry: int
    uuid: str | None  # None: queued words that no entry contains
    at: int | None
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
    """A link from an entry of the session to its parent, whose kind and session are None if it was never seen."""

    child_uuid: str
    parent_uuid: str
    kind: str
    state: str
    is_aside: int
    is_own: int
    parent_kind: str | None
    parent_session_id: str | None


def load_timeline(connection: sqlite3.Connection, session_id: str) -> Iterator[TimelineEntry]:
    """Yield the entries and the queued words that no entry contains by time, those without an instant last."""
    queued = deque(_load_queued(connection, session_id))
    for entry in _with_blocks(connection, _load_entries(connection, session_id)):
        while queued and (entry.at is None or (queued[0].at or 0) < entry.at):
            yield queued.popleft()
        yield entry
    yield from queued


def load_entries_by_line(connection: sqlite3.Connection, session_id: str) -> Iterator[TimelineEntry]:
    """Yield the entries line by line, the lines by time of their first entries; entries outside any line last."""
    lines: dict[int | None, list[TimelineEntry]] = {}  # without blocks, which are loaded in batches
    for entry in _load_entries(connection, session_id):
        lines.setdefault(entry.line, []).append(entry)
    outside = lines.pop(None, [])
    return _with_blocks(connection, chain(*lines.values(), outside))


def load_links(connection: sqlite3.Connection, session_id: str) -> Iterator[ParentLink]:
    """Yield the links of all entries to their parents, also to parents that were never seen."""
    return (ParentLink(*row) for row in connection.execute(load("query/links"), {"session_id": session_id}))


def load_blocks(connection: sqlite3.Connection, entries: Sequence[int]) -> Mapping[int, Sequence[TimelineBlock]]:
    """Load the beginnings of the content blocks of entries; of an entry without blocks its own text."""
    values = {"entries": json.dumps(entries), "most": _MAX_TEXT_CHARS}
    blocks: defaultdict[int, list[TimelineBlock]] = defaultdict(list)
    for entry, *row in connection.execute(load("query/timeline_blocks"), values):
        blocks[entry].append(TimelineBlock(*row))
    return blocks


def _load_entries(connection: sqlite3.Connection, session_id: str) -> Iterator[TimelineEntry]:
    rows = connection.execute(load("query/timeline_entries"), {"session_id": session_id})
    return (TimelineEntry(*row) for row in rows)


def _load_queued(connection: sqlite3.Connection, session_id: str) -> Iterator[TimelineEntry]:
    values = {"session_id": session_id, "most": _MAX_TEXT_CHARS}
    for text, *row in connection.execute(load("query/timeline_queued"), values):
        yield TimelineEntry(*row)._replace(blocks=(TimelineBlock("text", text, None, None, None),))


def _with_blocks(connection: sqlite3.Connection, entries: Iterable[TimelineEntry]) -> Iterator[TimelineEntry]:
    remaining = iter(entries)
    while batch := list(islice(remaining, _BATCH_ENTRIES)):
        blocks = load_blocks(connection, [entry.entry for entry in batch])
        yield from (entry._replace(blocks=tuple(blocks[entry.entry])) for entry in batch)
