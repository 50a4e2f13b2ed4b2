"""The line tree, and the entries of a session, line, entry or path in reading order."""

import sqlite3
from bisect import bisect_right
from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from itertools import accumulate, chain
from typing import NamedTuple

from ccindex.query.ids import Named
from ccindex.store.sql_files import load


class LineRow(NamedTuple):
    """A line as it stands in the tree."""

    number: int
    parent: int | None
    line_id: str
    session_id: str
    kind: str
    attachment_uuid: str | None
    entry_count: int
    is_active: int
    parent_position: int | None
    agent_id: str | None
    first_at: int | None
    relation: str | None
    is_retry: int = 0  # a branch of which nobody went back: the model answered again


class Read(NamedTuple):
    """An entry or queued words in reading order, with the line they are read on.

    `set_aside` is the reason why an entry is on no line. `depth` counts the lines that were entered on the way.
    """

    uuid: str | None  # None: queued words, which no entry holds
    position: int
    set_aside: str | None
    line: int | None
    depth: int = 0
    queued: int | None = None  # the occurrence of the operation that queued the words


@dataclass(frozen=True, slots=True)
class Tree:
    """Lines by number, their roots and children by time."""

    lines: dict[int, LineRow]
    roots: Sequence[int]
    children: dict[int, list[int]]

    def downwards(self, roots: Sequence[int] | None = None) -> Iterator[tuple[LineRow, int, bool]]:
        """Give lines with their depth, and whether each is the last of its parent's; a line before its children."""
        stack = _pushed(self.roots if roots is None else roots, 0)
        while stack:
            number, depth, is_last = stack.pop()
            yield self.lines[number], depth, is_last
            stack.extend(_pushed(self.children.get(number, ()), depth + 1))


def _pushed(numbers: Sequence[int], depth: int) -> list[tuple[int, int, bool]]:
    return [(number, depth, place == 0) for place, number in enumerate(reversed(numbers))]


def forest(connection: sqlite3.Connection, session_id: str | None = None) -> Tree:
    """Read all lines, or the trees that hold an entry recorded in a session."""
    found = [LineRow(*row) for row in connection.execute(load("query/forest"), {"session_id": session_id})]
    children: defaultdict[int, list[int]] = defaultdict(list)
    for line in found:
        if line.parent is not None:
            children[line.parent].append(line.number)
    return Tree(
        {line.number: line for line in found}, [line.number for line in found if line.parent is None], dict(children)
    )


_Time = tuple[int, str, int, int]  # instant, path, generation, offset


class _Row(NamedTuple):
    """A row of query/line_entries."""

    uuid: str | None
    position: int
    set_aside: str | None
    queued: int | None
    is_before: int
    at: int
    path: str
    generation: int
    offset: int

    @property
    def is_own(self) -> bool:
        """Whether it is an entry on the line."""
        return self.set_aside is None and self.queued is None

    @property
    def time(self) -> _Time:
        """Its place in time."""
        return self.at, self.path, self.generation, self.offset

    def read(self, line: int, position: int) -> Read:
        """Return it as read behind that position of a line."""
        return Read(self.uuid, position, self.set_aside, line, queued=self.queued)


def read_line(connection: sqlite3.Connection, number: int, *, upto: int | None = None) -> Iterator[Read]:
    """Give a line's entries in order; entries that its forks set aside and queued words in their places in time."""
    rows = [_Row(*row) for row in connection.execute(load("query/line_entries"), {"line": number})]
    wanted = rows if upto is None else [row for row in rows if row.position <= upto]
    own = sorted((row for row in wanted if row.is_own), key=lambda row: row.position)
    latest = list(accumulate((row.time for row in own), max))
    beside = deque(sorted((_slot(row, latest), row.time, row) for row in wanted if not row.is_own))
    for place, row in enumerate(own):
        while beside and beside[0][0] <= place:
            yield beside.popleft()[2].read(number, max(place - 1, 0))
        yield row.read(number, row.position)
    for _, _, row in beside:
        yield row.read(number, max(len(own) - 1, 0))


def _slot(row: _Row, latest: Sequence[_Time]) -> int:
    """The place on the line of the entry before which the row is read.

    Queued words stand beside their entry, an entry set aside before the first one behind its fork that is later.
    `latest`: for each place the latest time up to it.
    """
    earliest = row.position if row.is_before else row.position + 1
    return earliest if row.queued is not None else max(bisect_right(latest, row.time), earliest)


def read_entering(
    connection: sqlite3.Connection, tree: Tree, root: int, enters: Callable[[LineRow], bool], upto: int | None = None
) -> Iterator[Read]:
    """Give a line's entries in order, entering lines that hang on it, and on these, right where they hang."""
    stack: list[Iterator[Read | int]] = [_with_children(connection, tree, root, enters, upto)]
    while stack:
        following = next(stack[-1], None)
        if following is None:
            stack.pop()
        elif isinstance(following, Read):
            yield following._replace(depth=len(stack) - 1)
        else:
            stack.append(_with_children(connection, tree, following, enters, None))


def _with_children(
    connection: sqlite3.Connection, tree: Tree, number: int, enters: Callable[[LineRow], bool], upto: int | None
) -> Iterator[Read | int]:
    """A line's entries, and the numbers of lines to be entered between them."""
    waiting = sorted(
        (
            child
            for child in tree.children.get(number, ())
            if enters(tree.lines[child]) and (upto is None or (tree.lines[child].parent_position or 0) <= upto)
        ),
        key=lambda child: tree.lines[child].parent_position or 0,  # stable: by time where several hang on one entry
    )
    entered = 0
    for read in read_line(connection, number, upto=upto):
        while entered < len(waiting) and (tree.lines[waiting[entered]].parent_position or 0) < read.position:
            yield waiting[entered]
            entered += 1
        yield read
    yield from waiting[entered:]


class Agents(Enum):
    """What becomes of subagents' lines."""

    SKIPPED = auto()
    AFTER = auto()  # the lines of their session
    INSIDE = auto()  # where they were spawned


@dataclass(frozen=True, slots=True)
class Manner:
    """How to read; `inline`: branches and agents right where they leave."""

    agents: Agents = Agents.AFTER
    inline: bool = False

    def enters(self, line: LineRow) -> bool:
        """Whether a line that hangs on the one being read is read there and then."""
        return self.inline or (self.agents is Agents.INSIDE and _is_agent(line))

    def skips(self, line: LineRow) -> bool:
        """Whether a line is not read at all."""
        return not self.inline and self.agents is Agents.SKIPPED and _is_agent(line)


@dataclass(frozen=True, slots=True)
class Reading:
    """The lines around what is named, and its entries as they come."""

    tree: Tree
    entries: Iterator[Read]


def reading_of(connection: sqlite3.Connection, named: Named, manner: Manner, tree: Tree | None = None) -> Reading:
    """Return what is to be read of something that there is, in the trees of its session."""
    tree = tree or forest(connection, _session_of(connection, named))
    if named.kind == "entry":
        return Reading(tree, _entry(connection, named.id))
    if named.kind == "path":
        return Reading(tree, _path(connection, tree, named.id.removeprefix("path-"), manner))
    if named.kind == "line":
        wanted = [line for line, _, _ in tree.downwards() if line.line_id == named.id]
        # an agent that is asked for by its own name is not skipped
        return Reading(tree, _lines(connection, tree, wanted, manner.enters))
    inside = [line for line, _, _ in tree.downwards() if line.session_id == named.id]
    unplaced = _unplaced(connection, named.id)
    if not inside:
        return Reading(tree, chain(_copied(connection, tree, named.id), unplaced))
    wanted = [line for line in inside if not manner.skips(line)] or inside
    return Reading(tree, chain(_lines(connection, tree, wanted, manner.enters), unplaced))


def _unplaced(connection: sqlite3.Connection, session: str) -> Iterator[Read]:
    """Queued words of a session whose trunk holds no entry."""
    find = (
        "select q.occurrence from session_ids i join queued_words q on q.session = i.id join occurrences o "
        "on o.id = q.occurrence join sources s on s.id = o.source where i.session_id = ? and q.entry is null "
        "order by o.timestamp_ms, s.path, o.generation, o.offset"
    )
    for (occurrence,) in connection.execute(find, (session,)):
        yield Read(None, 0, None, None, queued=occurrence)


def _is_agent(line: LineRow) -> bool:
    return line.kind.startswith("agent")


def _session_of(connection: sqlite3.Connection, named: Named) -> str:
    """The session whose trees hold what is named."""
    if named.kind == "session":
        return named.id
    find = {
        # ids that were made to collide may give two lines one name: the earlier has it
        "line": "select i.session_id from lines l join threads t on t.id = l.thread "
        "join session_ids i on i.id = t.session join entries e on e.id = l.first_entry "
        "join occurrences o on o.id = e.occurrence join sources s on s.id = o.source where l.line_id = :id "
        "order by o.timestamp_ms, s.path, o.generation, o.offset limit 1",
        "entry": "select i.session_id from entries e join occurrences o on o.id = e.occurrence "
        "join session_ids i on i.id = o.session where e.uuid = :id",
        "path": "select i.session_id from entries e join occurrences o on o.id = e.occurrence "
        "join session_ids i on i.id = o.session where e.uuid = substr(:id, 6)",
    }
    return str(connection.execute(find[named.kind], {"id": named.id}).fetchone()[0])


def _entry(connection: sqlite3.Connection, uuid: str) -> Iterator[Read]:
    find = (
        "select p.position, p.set_aside_reason, coalesce(p.line, f.line, k.line) from entries e "
        "join placements p on p.entry = e.id left join forks f on f.entry = p.fork and f.thread = p.thread "
        "left join placements k on k.entry = p.fork where e.uuid = ?"
    )
    position, reason, line = connection.execute(find, (uuid,)).fetchone()
    yield Read(uuid, position or 0, reason, line)


def _path(connection: sqlite3.Connection, tree: Tree, leaf_uuid: str, manner: Manner) -> Iterator[Read]:
    """Follow a path down from its root, along each line to where the next one leaves."""
    lines = connection.execute(load("query/path_lines"), {"leaf_uuid": leaf_uuid}).fetchall()
    along = {number for number, _ in lines}

    def enters(line: LineRow) -> bool:
        return line.number not in along and manner.enters(line)

    for number, upto in lines:
        yield from read_entering(connection, tree, number, enters, upto)


def _lines(
    connection: sqlite3.Connection, tree: Tree, wanted: list[LineRow], enters: Callable[[LineRow], bool]
) -> Iterator[Read]:
    """Read lines in the order of the tree, each once, whether by its own turn or inside another."""
    entered: set[int] = set()
    for line in wanted:
        if line.number in entered:
            continue
        entered.update(_entered_from(tree, line.number, enters))
        yield from read_entering(connection, tree, line.number, enters)


def _entered_from(tree: Tree, number: int, enters: Callable[[LineRow], bool]) -> Iterator[int]:
    """The lines that are read inside another."""
    waiting = [number]
    while waiting:
        children = [child for child in tree.children.get(waiting.pop(), ()) if enters(tree.lines[child])]
        yield from children
        waiting.extend(children)


def _copied(connection: sqlite3.Connection, tree: Tree, session: str) -> Iterator[Read]:
    """Read what a session holds that owns none of it: its copies, where the owners' lines have them."""
    find = (
        "select 1 from entries e join occurrences o on o.entry = e.id join session_ids i on i.id = o.session "
        "where e.uuid = ? and i.session_id = ?"
    )
    for line, _, _ in tree.downwards():
        for read in read_line(connection, line.number):
            if read.uuid is not None and connection.execute(find, (read.uuid, session)).fetchone():
                yield read
