"""Yield the entries of a session, line, entry or path in reading order, in batches of limited size."""

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from itertools import chain

from ccindex.query.ids import Target
from ccindex.query.line_tree import LineEntryReader, LineTree, ReadingStep, TreeLine
from ccindex.store.sql_files import load

BATCH_ENTRIES = 500  # maximum per batch
BATCH_BYTES = 16 << 20  # recorded size after which a batch ends


class AgentPlacement(Enum):
    """The position of subagents in the reading order."""

    SKIPPED = auto()
    AFTER = auto()  # after the lines of their session
    INSIDE = auto()  # where they were spawned


@dataclass(frozen=True, slots=True)
class ReadingOrder:
    """The order in which lines are read; `inline` puts child lines where they start."""

    agents: AgentPlacement = AgentPlacement.AFTER
    inline: bool = False

    def enters(self, line: TreeLine) -> bool:
        """Whether a child line is read inside its parent, where it starts."""
        return self.inline or (self.agents is AgentPlacement.INSIDE and line.is_agent)

    def skips(self, line: TreeLine) -> bool:
        """Whether a line is skipped."""
        return not self.inline and self.agents is AgentPlacement.SKIPPED and line.is_agent


def find_session(connection: sqlite3.Connection, target: Target) -> str:
    """Return the id of the session whose trees contain the target."""
    if target.kind == "session":
        return target.id
    find = {
        # crafted ids can give two lines the same id, which then refers to the earlier line
        "line": "select i.session_id from lines l join threads t on t.id = l.thread "
        "join session_ids i on i.id = t.session join owned_entries e on e.id = l.first_entry "
        "join sources s on s.id = e.source where l.line_id = :id "
        "order by e.timestamp_ms, s.path, e.generation, e.offset limit 1",
        "entry": "select i.session_id from owned_entries e join session_ids i on i.id = e.session where e.uuid = :id",
        "path": "select i.session_id from owned_entries e join session_ids i on i.id = e.session "
        "where e.uuid = substr(:id, 6)",
    }
    return str(connection.execute(find[target.kind], {"id": target.id}).fetchone()[0])


def reading_batches(
    connection: sqlite3.Connection, tree: LineTree, target: Target, order: ReadingOrder
) -> Iterator[list[ReadingStep]]:
    """Yield the reading steps for a target, in batches that are small enough to load."""
    batch: list[ReadingStep] = []
    size = 0
    for step in _steps(connection, tree, target, order):
        batch.append(step)
        size += step.size
        if len(batch) >= BATCH_ENTRIES or size >= BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _steps(
    connection: sqlite3.Connection, tree: LineTree, target: Target, order: ReadingOrder
) -> Iterator[ReadingStep]:
    if target.kind == "entry":
        return _entry(connection, target.id)
    if target.kind == "path":
        return _path(connection, tree, target.id.removeprefix("path-"), order)
    lines = [node.line for node in tree.walk()]
    if target.kind == "line":
        # an agent line that the user asked for is not skipped
        return _lines(connection, tree, [line for line in lines if line.line_id == target.id], order.enters)
    inside = [line for line in lines if line.session_id == target.id]
    unplaced = _unplaced(connection, target.id)
    if not inside:
        return chain(_copied(connection, tree, target.id), unplaced)
    included = [line for line in inside if not order.skips(line)] or inside
    return chain(_lines(connection, tree, included, order.enters), unplaced)


def _entry(connection: sqlite3.Connection, uuid: str) -> Iterator[ReadingStep]:
    find = (
        "select e.id, p.position, p.set_aside_reason, coalesce(p.line, f.line, k.line) from entries e "
        "join placements p on p.entry = e.id left join forks f on f.entry = p.fork and f.thread = p.thread "
        "left join placements k on k.entry = p.fork where e.uuid = ?"
    )
    entry, position, reason, line = connection.execute(find, (uuid,)).fetchone()
    yield ReadingStep(entry, None, position or 0, reason, line, 0)


def _path(connection: sqlite3.Connection, tree: LineTree, leaf_uuid: str, order: ReadingOrder) -> Iterator[ReadingStep]:
    """Read a path from its root. Each line is read up to the position where the next line starts."""
    rows = connection.execute(load("query/path_lines"), {"leaf_uuid": leaf_uuid}).fetchall()
    ends: dict[int, int | None] = dict(rows)

    def enters(line: TreeLine) -> bool:
        return line.number not in ends and order.enters(line)

    yield from _read(connection, tree, ends, enters)


def _lines(
    connection: sqlite3.Connection, tree: LineTree, lines: Sequence[TreeLine], enters: Callable[[TreeLine], bool]
) -> Iterator[ReadingStep]:
    """Read each line once, in tree order, on its own or inside another line (rule: reading_order)."""
    roots: dict[int, int | None] = {}
    entered: set[int] = set()
    for line in lines:
        if line.number not in entered:
            roots[line.number] = None
            entered.update(_entered_below(tree, line.number, enters))
    return _read(connection, tree, roots, enters)


def _entered_below(tree: LineTree, number: int, enters: Callable[[TreeLine], bool]) -> Iterator[int]:
    waiting = [number]
    while waiting:
        children = [child for child in tree.children.get(waiting.pop(), ()) if enters(tree.lines[child])]
        yield from children
        waiting.extend(children)


def _copied(connection: sqlite3.Connection, tree: LineTree, session_id: str) -> Iterator[ReadingStep]:
    """Read the copied entries of a session that owns no entry, line by line in tree order."""
    find = (
        "select o.entry from session_ids i join occurrences o on o.session = i.id "
        "where i.session_id = ? and o.entry is not null"
    )
    own = {entry for (entry,) in connection.execute(find, (session_id,))}
    lines: dict[int, int | None] = {node.line.number: None for node in tree.walk()}
    return (step for step in _read(connection, tree, lines, lambda _: False) if step.entry in own)


def _unplaced(connection: sqlite3.Connection, session_id: str) -> Iterator[ReadingStep]:
    """Read the queued text of a session that has no entries outside its subagents."""
    find = (
        "select q.occurrence, o.length from session_ids i join queued_words q on q.session = i.id "
        "join occurrences o on o.id = q.occurrence join sources s on s.id = o.source "
        "where i.session_id = ? and q.entry is null order by o.timestamp_ms, s.path, o.generation, o.offset"
    )
    for occurrence, size in connection.execute(find, (session_id,)):
        yield ReadingStep(None, occurrence, 0, None, None, size)


def _read(
    connection: sqlite3.Connection, tree: LineTree, roots: Mapping[int, int | None], enters: Callable[[TreeLine], bool]
) -> Iterator[ReadingStep]:
    """Read each root line up to a position (None: to the end), including the child lines that are entered from it."""
    reader = LineEntryReader(connection, tree, _start_order(tree, roots, enters))
    for root, end in roots.items():
        stack = [_with_children(tree, _entered_from(tree, root, enters, end), reader.read(root, end))]
        while stack:
            item = next(stack[-1], None)
            if item is None:
                stack.pop()
            elif isinstance(item, ReadingStep):
                yield item._replace(depth=len(stack) - 1)
            else:
                children = _entered_from(tree, item, enters, None)
                stack.append(_with_children(tree, children, reader.read(item, None)))


def _entered_from(tree: LineTree, number: int, enters: Callable[[TreeLine], bool], end: int | None) -> list[int]:
    """Return the children of a line that are entered, sorted by the position at which they start."""
    children = [
        child
        for child in tree.children.get(number, ())
        if enters(tree.lines[child]) and (end is None or _start_position(tree, child) <= end)
    ]
    # the sort is stable, so children that start from the same entry stay sorted by time
    return sorted(children, key=lambda child: _start_position(tree, child))


def _start_position(tree: LineTree, child: int) -> int:
    return tree.lines[child].parent_position or 0


def _with_children(
    tree: LineTree, children: Sequence[int], steps: Iterable[ReadingStep]
) -> Iterator[ReadingStep | int]:
    """Yield the steps of a line, and between them the numbers of the child lines to enter."""
    entered = 0
    for step in steps:
        while entered < len(children) and _start_position(tree, children[entered]) < step.position:
            yield children[entered]
            entered += 1
        yield step
    yield from children[entered:]


def _start_order(tree: LineTree, roots: Mapping[int, int | None], enters: Callable[[TreeLine], bool]) -> Iterator[int]:
    """Yield the lines in the order in which their first entries are read."""
    for root in roots:
        stack = [root]
        while stack:
            number = stack.pop()
            yield number
            stack.extend(reversed(_entered_from(tree, number, enters, roots.get(number))))
