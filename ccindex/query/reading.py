"""A session, line, entry or path to its entries in reading order."""

import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum, auto
from itertools import chain

from ccindex.store.sqlfiles import load

from .forest import LineRow, Read, Tree, forest, read_entering, read_line
from .ids import Named


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
        "order by o.at, s.path, o.generation, o.offset"
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
        "order by o.at, s.path, o.generation, o.offset limit 1",
        "entry": "select i.session_id from entries e join occurrences o on o.id = e.occurrence "
        "join session_ids i on i.id = o.session where e.uuid = :id",
        "path": "select i.session_id from entries e join occurrences o on o.id = e.occurrence "
        "join session_ids i on i.id = o.session where e.uuid = substr(:id, 6)",
    }
    return str(connection.execute(find[named.kind], {"id": named.id}).fetchone()[0])


def _entry(connection: sqlite3.Connection, uuid: str) -> Iterator[Read]:
    find = (
        "select p.position, p.reason, coalesce(p.line, f.line, k.line) from entries e join places p on p.entry = e.id "
        "left join forks f on f.entry = p.fork and f.thread = p.thread "
        "left join places k on k.entry = p.fork where e.uuid = ?"
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
