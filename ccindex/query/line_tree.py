"""Load the line trees that a session is part of, and read lines with the items inserted between their entries."""

import json
import sqlite3
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import NamedTuple

from ccindex.store.sql_files import load

PAGE_ENTRIES = 4_000  # entries loaded per statement


class TreeLine(NamedTuple):
    """A line as a node of its tree; `number` is its key in the database."""

    number: int
    parent: int | None
    line_id: str
    session: int
    session_id: str
    kind: str
    attachment_uuid: str | None
    entry_count: int
    is_active: int
    parent_position: int | None
    agent_id: str | None
    first_at: int | None
    first_uuid: str
    relation: str | None  # relation of a trunk's session to its parent session
    parent_session_id: str | None
    is_retry: int = 0  # 1: a branch made by a retry, not by a rewind

    @property
    def is_agent(self) -> bool:
        """Whether the line belongs to a subagent."""
        return self.kind in ("agent", "agent_branch")


class TreeNode(NamedTuple):
    """A line with its depth, and whether it is the last child of its parent."""

    line: TreeLine
    depth: int
    is_last: bool


@dataclass(frozen=True, slots=True)
class LineTree:
    """Line trees: the lines by number, the roots, and each line's children. Roots and children are sorted by time."""

    lines: Mapping[int, TreeLine]
    roots: Sequence[int]
    children: Mapping[int, Sequence[int]]

    def walk(self, roots: Sequence[int] | None = None) -> Iterator[TreeNode]:
        """Yield the lines depth first, every line before its children (rule: reading_order)."""
        stack = _stack_items(self.roots if roots is None else roots, 0)
        while stack:
            number, depth, is_last = stack.pop()
            yield TreeNode(self.lines[number], depth, is_last)
            stack.extend(_stack_items(self.children.get(number, ()), depth + 1))


def _stack_items(numbers: Sequence[int], depth: int) -> list[tuple[int, int, bool]]:
    return [(number, depth, index == 0) for index, number in enumerate(reversed(numbers))]


def load_line_tree(connection: sqlite3.Connection, session_id: str | None = None) -> LineTree:
    """Load all trees, or only the trees that contain an entry recorded in the given session."""
    keys = connection.execute(load("query/tree_line_keys"), {"session_id": session_id})
    lines = load_lines(connection, (number for (number,) in keys))
    children: defaultdict[int, list[int]] = defaultdict(list)
    for line in lines:
        if line.parent is not None:
            children[line.parent].append(line.number)
    roots = [line.number for line in lines if line.parent is None]
    return LineTree({line.number: line for line in lines}, roots, dict(children))


def load_lines(connection: sqlite3.Connection, numbers: Iterable[int]) -> list[TreeLine]:
    """Load the lines with the given numbers, sorted by the time of their first entries."""
    values = {"lines": json.dumps(list(numbers))}
    return [TreeLine(*row) for row in connection.execute(load("query/line_rows"), values)]


class ReadingStep(NamedTuple):
    """An entry, or queued text that no entry contains, with the line on which it is read.

    `set_aside` is the reason why an entry is on no line. `depth` is the number of lines that enclose this one.
    """

    entry: int | None
    queued: int | None  # occurrence of the queued text
    position: int
    set_aside: str | None
    line: int | None
    size: int  # bytes recorded
    depth: int = 0


_SortKey = tuple[int, str, int, int]  # timestamp, path, generation, offset


class _LineEntry(NamedTuple):
    """A row of query/line_entries: an entry on a line."""

    line: int
    entry: int
    position: int
    size: int
    timestamp_ms: int
    path: str
    generation: int
    offset: int

    @property
    def sort_key(self) -> _SortKey:
        """The key that sorts entries by time."""
        return self.timestamp_ms, self.path, self.generation, self.offset


class _Insertion(NamedTuple):
    """A row of query/line_insertions: a set-aside entry or queued text."""

    line: int
    entry: int | None
    position: int
    set_aside: str | None
    queued: int | None
    is_before: int
    size: int
    timestamp_ms: int
    path: str
    generation: int
    offset: int

    @property
    def sort_key(self) -> _SortKey:
        """The key that sorts the item by time."""
        return self.timestamp_ms, self.path, self.generation, self.offset

    @property
    def earliest_position(self) -> int:
        """The first position before which the item can be inserted."""
        return self.position if self.is_before else self.position + 1


class LineEntryReader:
    """Reads lines in a known order: several short lines with one statement, and long lines in pages."""

    def __init__(self, connection: sqlite3.Connection, tree: LineTree, order: Iterable[int]) -> None:
        self._connection = connection
        self._tree = tree
        self._pending = deque(order)
        self._entries: dict[int, Iterable[_LineEntry]] = {}
        self._insertions: defaultdict[int, list[_Insertion]] = defaultdict(list)

    def read(self, number: int, end: int | None) -> Iterator[ReadingStep]:
        """Yield the entries of a line up to a position (None: all), with its insertions merged in by time."""
        if number not in self._entries:
            self._load()
        return _merge(self._entries.pop(number), self._insertions.pop(number, []), end)

    def _load(self) -> None:
        """Load the next line, and as many of the following lines as fit into one page."""
        group = [self._pending.popleft()]
        count = self._size(group[0])
        while self._pending and count + self._size(self._pending[0]) <= PAGE_ENTRIES:
            group.append(self._pending.popleft())
            count += self._size(group[-1])
        for row in self._connection.execute(load("query/line_insertions"), {"lines": json.dumps(group)}):
            self._insertions[row[0]].append(_Insertion(*row))
        if count > PAGE_ENTRIES:
            self._entries[group[0]] = self._pages(group[0], count)
            return
        loaded: dict[int, list[_LineEntry]] = {number: [] for number in group}
        for entry in self._page(group, 0, count):
            loaded[entry.line].append(entry)
        self._entries.update(loaded)

    def _size(self, number: int) -> int:
        return self._tree.lines[number].entry_count

    def _pages(self, number: int, count: int) -> Iterator[_LineEntry]:
        for first in range(0, count, PAGE_ENTRIES):
            yield from self._page([number], first, first + PAGE_ENTRIES - 1)

    def _page(self, lines: Sequence[int], first: int, last: int) -> list[_LineEntry]:
        values = {"lines": json.dumps(lines), "first": first, "last": last}
        return [_LineEntry(*row) for row in self._connection.execute(load("query/line_entries"), values)]


def _merge(entries: Iterable[_LineEntry], insertions: Iterable[_Insertion], end: int | None) -> Iterator[ReadingStep]:
    """Yield the entries in order, with the insertions between them (rule: set_aside_visible).

    Queued text is inserted at its position. A set-aside entry is inserted after its fork, before the first entry that
    is later in time.
    """
    included = [item for item in insertions if end is None or item.position <= end]
    pending = deque(sorted(included, key=lambda item: (item.earliest_position, item.sort_key)))
    late: list[tuple[_SortKey, _Insertion]] = []  # a heap of set-aside entries that are later than all entries so far
    latest: _SortKey | None = None
    position = 0
    for entry in entries:
        if end is not None and entry.position > end:
            break
        if included:
            latest = entry.sort_key if latest is None else max(latest, entry.sort_key)
            yield from (_step(item, position - 1) for item in _pop_due(pending, late, position, latest))
        yield ReadingStep(entry.entry, None, entry.position, None, entry.line, entry.size)
        position += 1
    remaining = [*(item for _, item in late), *pending]
    remaining.sort(key=lambda item: (max(item.earliest_position, position), item.sort_key))
    yield from (_step(item, position - 1) for item in remaining)


def _pop_due(
    pending: deque[_Insertion], late: list[tuple[_SortKey, _Insertion]], position: int, latest: _SortKey
) -> list[_Insertion]:
    """Remove and return the items to insert before the entry at a position, sorted by time."""
    due = []
    while pending and pending[0].earliest_position <= position:
        item = pending.popleft()
        if item.queued is None:
            heappush(late, (item.sort_key, item))
        else:
            due.append(item)
    while late and late[0][0] < latest:
        due.append(heappop(late)[1])
    return sorted(due, key=lambda item: item.sort_key)


def _step(item: _Insertion, position: int) -> ReadingStep:
    return ReadingStep(item.entry, item.queued, max(position, 0), item.set_aside, item.line, item.size)
