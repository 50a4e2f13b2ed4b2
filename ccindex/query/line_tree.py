"""A session to the trees of lines around it, and a line to its entries with those that are read beside them."""

import json
import sqlite3
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import NamedTuple

from ccindex.store.sql_files import load

PAGE_ENTRIES = 4_000  # that are read at once


class TreeLine(NamedTuple):
    """A line as a node of its tree; `number` is its key in the index."""

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
    relation: str | None  # of a trunk's session to its parent session
    parent_session_id: str | None
    is_retry: int = 0  # a branch that a retry made: the model answered again, and nobody went back

    @property
    def is_agent(self) -> bool:
        """Whether it is a line of a subagent."""
        return self.kind in ("agent", "agent_branch")


class TreeNode(NamedTuple):
    """A line with its depth, and whether it is the last child of its parent."""

    line: TreeLine
    depth: int
    is_last: bool


@dataclass(frozen=True, slots=True)
class LineTree:
    """Trees of lines: the lines by number, the roots and every line's children by time."""

    lines: Mapping[int, TreeLine]
    roots: Sequence[int]
    children: Mapping[int, Sequence[int]]

    def walk(self, roots: Sequence[int] | None = None) -> Iterator[TreeNode]:
        """Yield the lines depth first, every line before its children."""
        stack = _pushed(self.roots if roots is None else roots, 0)
        while stack:
            number, depth, is_last = stack.pop()
            yield TreeNode(self.lines[number], depth, is_last)
            stack.extend(_pushed(self.children.get(number, ()), depth + 1))


def _pushed(numbers: Sequence[int], depth: int) -> list[tuple[int, int, bool]]:
    return [(number, depth, place == 0) for place, number in enumerate(reversed(numbers))]


def load_line_tree(connection: sqlite3.Connection, session_id: str | None = None) -> LineTree:
    """Load all trees, or those that contain an entry recorded in a session."""
    wanted = connection.execute(load("query/tree_lines"), {"session_id": session_id})
    found = load_lines(connection, (number for (number,) in wanted))
    children: defaultdict[int, list[int]] = defaultdict(list)
    for line in found:
        if line.parent is not None:
            children[line.parent].append(line.number)
    roots = [line.number for line in found if line.parent is None]
    return LineTree({line.number: line for line in found}, roots, dict(children))


def load_lines(connection: sqlite3.Connection, numbers: Iterable[int]) -> list[TreeLine]:
    """Load lines by their numbers, in order of the time of their first entries."""
    values = {"lines": json.dumps(list(numbers))}
    return [TreeLine(*row) for row in connection.execute(load("query/lines"), values)]


class ReadingStep(NamedTuple):
    """An entry, or queued words that no entry contains, with the line on which it is read.

    `set_aside` is the reason why an entry is on no line. `depth` counts the lines that were entered on the way.
    """

    entry: int | None
    queued: int | None  # the occurrence of the operation that queued the words
    position: int
    set_aside: str | None
    line: int | None
    size: int  # bytes recorded
    depth: int = 0


_Time = tuple[int, str, int, int]  # instant, path, generation, offset


class _LineEntry(NamedTuple):
    """A row of query/line_entries: an entry on a line."""

    line: int
    entry: int
    position: int
    size: int
    at: int
    path: str
    generation: int
    offset: int

    @property
    def time(self) -> _Time:
        """The entry's place in time."""
        return self.at, self.path, self.generation, self.offset


class _Aside(NamedTuple):
    """A row of query/line_asides: an entry that was set aside, or queued words."""

    line: int
    entry: int | None
    position: int
    set_aside: str | None
    queued: int | None
    is_before: int
    size: int
    at: int
    path: str
    generation: int
    offset: int

    @property
    def time(self) -> _Time:
        """The place in time of the entry or the words."""
        return self.at, self.path, self.generation, self.offset

    @property
    def earliest(self) -> int:
        """The first position before which it can be read."""
        return self.position if self.is_before else self.position + 1


class LineReader:
    """Reads lines whose order is known beforehand: short ones together, long ones in pages."""

    def __init__(self, connection: sqlite3.Connection, tree: LineTree, order: Iterable[int]) -> None:
        self._connection = connection
        self._tree = tree
        self._waiting = deque(order)
        self._entries: dict[int, Iterable[_LineEntry]] = {}
        self._asides: defaultdict[int, list[_Aside]] = defaultdict(list)

    def read(self, number: int, end: int | None) -> Iterator[ReadingStep]:
        """Yield a line's entries up to a position (None: all), with asides and queued words in their places in time."""
        if number not in self._entries:
            self._load()
        return _merged(self._entries.pop(number), self._asides.pop(number, []), end)

    def _load(self) -> None:
        """Load the next line, and as many after it as one page can hold."""
        group = [self._waiting.popleft()]
        count = self._size(group[0])
        while self._waiting and count + self._size(self._waiting[0]) <= PAGE_ENTRIES:
            group.append(self._waiting.popleft())
            count += self._size(group[-1])
        for row in self._connection.execute(load("query/line_asides"), {"lines": json.dumps(group)}):
            self._asides[row[0]].append(_Aside(*row))
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


def _merged(entries: Iterable[_LineEntry], asides: Iterable[_Aside], end: int | None) -> Iterator[ReadingStep]:
    """Yield entries in order, and before each what is read before it.

    Queued words are read at their position, an entry set aside before the first one after its fork that is later.
    """
    wanted = [aside for aside in asides if end is None or aside.position <= end]
    waiting = deque(sorted(wanted, key=lambda aside: (aside.earliest, aside.time)))
    late: list[tuple[_Time, _Aside]] = []  # a heap: set aside by a fork before, and later than all entries so far
    latest: _Time | None = None
    place = 0
    for entry in entries:
        if end is not None and entry.position > end:
            break
        if wanted:
            latest = entry.time if latest is None else max(latest, entry.time)
            yield from (_step(aside, place - 1) for aside in _due(waiting, late, place, latest))
        yield ReadingStep(entry.entry, None, entry.position, None, entry.line, entry.size)
        place += 1
    rest = sorted([*(aside for _, aside in late), *waiting], key=lambda aside: (max(aside.earliest, place), aside.time))
    yield from (_step(aside, place - 1) for aside in rest)


def _due(waiting: deque[_Aside], late: list[tuple[_Time, _Aside]], place: int, latest: _Time) -> list[_Aside]:
    """Remove and return what is read before the entry at a place, by time."""
    due = []
    while waiting and waiting[0].earliest <= place:
        aside = waiting.popleft()
        if aside.queued is None:
            heappush(late, (aside.time, aside))
        else:
            due.append(aside)
    while late and late[0][0] < latest:
        due.append(heappop(late)[1])
    return sorted(due, key=lambda aside: aside.time)


def _step(aside: _Aside, position: int) -> ReadingStep:
    return ReadingStep(aside.entry, aside.queued, max(position, 0), aside.set_aside, aside.line, aside.size)
