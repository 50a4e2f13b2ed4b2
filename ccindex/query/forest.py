"""The forest of lines, and the order in which a tree of them is read."""

import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ccindex.store.sqlfiles import load


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


class Read(NamedTuple):
    """An entry in reading order, by the line that it is read on; `set_aside` says why it is on no line.

    `depth` counts the lines that were entered to come to it.
    """

    uuid: str
    position: int
    set_aside: str | None
    line: int | None
    depth: int = 0


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


def read_line(connection: sqlite3.Connection, number: int, *, upto: int | None = None) -> Iterator[Read]:
    """Give a line's entries in order, and after each fork what was set aside there."""
    for row in connection.execute(load("query/line_entries"), {"line": number}):
        uuid, position, set_aside = row
        read = Read(uuid, position, set_aside, number)
        if upto is not None and read.position > upto:
            return
        yield read


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
