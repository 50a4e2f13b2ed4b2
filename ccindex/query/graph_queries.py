"""Run a named graph query on a session or an entry, and return the resulting rows."""

import json
import sqlite3
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from itertools import islice
from typing import NamedTuple, TypeVar

from ccindex.graph.threads import smallest_of_cycles
from ccindex.model.graph import NONE
from ccindex.query.entry_graph import Step, TreeStep, load_graph
from ccindex.query.ids import Target
from ccindex.query.timeline import TimelineBlock, load_blocks
from ccindex.store.sql_files import load

_Key = TypeVar("_Key", bound=Hashable)
_AnyStep = TypeVar("_AnyStep", Step, TreeStep)

BATCH_ROWS = 500


class GraphQuery(StrEnum):
    """The name of a graph query on the command line."""

    ANCESTORS = "ancestors"
    DESCENDANTS = "descendants"
    CHILDREN = "children"
    ACTIVE_PATH = "active-path"
    BRANCH_POINTS = "branch-points"
    LONGEST_PATH = "longest-path"
    ROOTS = "roots"
    SIDECHAINS = "sidechains"
    MAIN_THREAD = "main-thread"
    IS_LINEAR = "is-linear"
    CYCLES = "cycles"
    DEPTH_FIRST = "depth-first"
    BREADTH_FIRST = "breadth-first"
    TREE = "tree"


_ENTRY_QUERIES = {GraphQuery.ANCESTORS, GraphQuery.DESCENDANTS, GraphQuery.CHILDREN}
_ENTRY_OR_SESSION_QUERIES = {GraphQuery.DEPTH_FIRST, GraphQuery.BREADTH_FIRST, GraphQuery.TREE}


class GraphRow(NamedTuple):
    """The columns that a graph query reports for an entry.

    `agent_id` is the agent that its thread belongs to. `line_id`, `position` and `is_active` are None if it was set
    aside, and `set_aside` is the reason. `status` is `active` or `abandoned` where a branch starts. `root_kind` is None
    unless the entry is a root of its thread. `child_count` counts the children in all threads.
    """

    uuid: str
    depth: int
    parent_uuid: str | None
    session_id: str
    thread_id: str
    agent_id: str | None
    line_id: str | None
    position: int | None
    set_aside: str | None
    is_active: int | None
    status: str | None
    root_kind: str | None
    child_count: int
    type: str | None
    subtype: str | None
    kind: str
    timestamp: str | None
    timestamp_ms: int


# columns that a query returns in addition to the columns of GraphRow
EXTRA_COLUMNS: Mapping[GraphQuery, tuple[str, ...]] = {
    GraphQuery.BRANCH_POINTS: ("child_thread_id", "thread_child_count", "rung", "verdict"),
    GraphQuery.SIDECHAINS: ("last_uuid", "entry_count", "attachment_uuid"),
    GraphQuery.CYCLES: ("cycle", "recorded_parent_uuid"),
}


def id_kinds(query: GraphQuery) -> tuple[str, ...]:
    """Return the kinds of targets that a query accepts."""
    if query in _ENTRY_OR_SESSION_QUERIES:
        return ("session", "entry")
    return ("entry",) if query in _ENTRY_QUERIES else ("session",)


def load_steps(connection: sqlite3.Connection, query: GraphQuery, target: Target) -> Iterable[Step]:
    """Run any query except `is-linear` and `tree`, whose results have other types."""
    return _LOADERS[query](connection, target)


def load_tree(connection: sqlite3.Connection, target: Target) -> Iterator[TreeStep]:
    """Yield the entries of a session, or an entry and its descendants, in the order in which a tree is drawn."""
    return load_graph(connection, target).tree()


def is_linear(connection: sqlite3.Connection, target: Target) -> bool:
    """Whether every entry of a session has at most one child per thread."""
    row = connection.execute(load("query/branch_points"), {"session_id": target.id}).fetchone()
    return row is None


def load_rows(connection: sqlite3.Connection, steps: Iterable[_AnyStep]) -> Iterator[tuple[_AnyStep, GraphRow]]:
    """Yield every step with its row. The rows are loaded in batches."""
    for batch in _batches(steps):
        yield from zip(batch, _rows(connection, batch), strict=True)


def load_rows_with_blocks(
    connection: sqlite3.Connection, steps: Iterable[_AnyStep]
) -> Iterator[tuple[_AnyStep, GraphRow, Sequence[TimelineBlock]]]:
    """Yield every step with its row and the shortened content blocks of the entry."""
    for batch in _batches(steps):
        blocks = load_blocks(connection, [step.entry for step in batch])
        for step, row in zip(batch, _rows(connection, batch), strict=True):
            yield step, row, blocks[step.entry]


def _batches(steps: Iterable[_AnyStep]) -> Iterator[list[_AnyStep]]:
    remaining = iter(steps)
    while batch := list(islice(remaining, BATCH_ROWS)):
        yield batch


def _rows(connection: sqlite3.Connection, steps: Sequence[_AnyStep]) -> Iterator[GraphRow]:
    entries = json.dumps([step.entry for step in steps])
    rows = connection.execute(load("query/graph_rows"), {"entries": entries})
    for step, (uuid, *columns) in zip(steps, rows, strict=True):
        yield GraphRow(uuid, step.depth, *columns)


def _ancestors(connection: sqlite3.Connection, target: Target) -> Iterator[Step]:
    """Yield the ancestors of an entry, root first; the root has depth 0."""
    rows = connection.execute(load("query/ancestors"), {"uuid": target.id})
    return (Step(entry, depth) for depth, (entry,) in enumerate(rows))


def _children(connection: sqlite3.Connection, target: Target) -> Iterator[Step]:
    """Yield the children of an entry, sorted by time."""
    return (Step(entry, 1) for (entry,) in connection.execute(load("query/children"), {"uuid": target.id}))


def _descendants(connection: sqlite3.Connection, target: Target) -> Iterator[Step]:
    """Yield the descendants of an entry depth first, siblings sorted by time; its children have depth 1."""
    return (step for step in load_graph(connection, target).depth_first() if step.depth)


def _depth_first(connection: sqlite3.Connection, target: Target) -> Iterator[Step]:
    return load_graph(connection, target).depth_first()


def _breadth_first(connection: sqlite3.Connection, target: Target) -> Iterator[Step]:
    return load_graph(connection, target).breadth_first()


def _roots(connection: sqlite3.Connection, target: Target) -> Iterator[Step]:
    """Yield the entries of a session that have no parent in it, sorted by time."""
    return (Step(root, 0) for root in load_graph(connection, target).roots)


def _active_path(connection: sqlite3.Connection, target: Target) -> Iterator[Step]:
    """Follow the active children from every active root of the session's conversation; each root has depth 0.

    Compactions create new roots, so there can be several chains.
    """
    graph = load_graph(connection, target)
    for root in graph.active_starts():
        yield from graph.active_path(root)


def _longest_path(connection: sqlite3.Connection, target: Target) -> list[Step]:
    return load_graph(connection, target).longest_path()


def _main_thread(connection: sqlite3.Connection, target: Target) -> Iterator[Step]:
    """Yield the entries of a session outside agent threads, sorted by time."""
    graph = load_graph(connection, target)
    return (Step(node.entry, graph.depths[node.entry]) for node in graph.nodes.values() if not node.is_agent)


def _branch_points(connection: sqlite3.Connection, target: Target) -> Iterator[Step]:
    """Yield a session's entries that have several children in one thread, once per such thread, sorted by time."""
    depths = load_graph(connection, target).depths
    for entry, *columns in connection.execute(load("query/branch_points"), {"session_id": target.id}):
        yield Step(entry, depths[entry], tuple(columns))


def _sidechains(connection: sqlite3.Connection, target: Target) -> Iterator[Step]:
    """Yield the first entry of every agent thread of a session, sorted by time.

    A thread has depth 1 if it is attached to the session's own thread or not attached at all.
    """
    values = {"session_id": target.id}
    depths = _thread_depths(dict(connection.execute(load("query/parent_threads"), values)))
    for thread, entry, *columns in connection.execute(load("query/sidechains"), values):
        yield Step(entry, depths.get(thread, 1), tuple(columns))


def _recorded_cycles(connection: sqlite3.Connection, target: Target) -> Iterator[Step]:
    """Yield the members of every cycle of recorded parents that contains an entry of the session, child first.

    A cycle starts at its earliest member, which has depth 0. Cycles are numbered from 1.
    """
    # the cycles are found in Python, because a recursive query that counts the depth would not terminate
    links = {entry: columns for entry, *columns in connection.execute(load("query/recorded_cycles"))}
    cycles = _cycles({entry: parent for entry, (parent, *_) in links.items()})
    own = [cycle for cycle in cycles if any(links[entry][1] == target.id for entry in cycle)]
    for number, cycle in enumerate(own, start=1):
        for depth, entry in enumerate(cycle):
            yield Step(entry, depth, (number, links[entry][2]))


_LOADERS: Mapping[GraphQuery, Callable[[sqlite3.Connection, Target], Iterable[Step]]] = {
    GraphQuery.ANCESTORS: _ancestors,
    GraphQuery.DESCENDANTS: _descendants,
    GraphQuery.CHILDREN: _children,
    GraphQuery.ACTIVE_PATH: _active_path,
    GraphQuery.BRANCH_POINTS: _branch_points,
    GraphQuery.LONGEST_PATH: _longest_path,
    GraphQuery.ROOTS: _roots,
    GraphQuery.SIDECHAINS: _sidechains,
    GraphQuery.MAIN_THREAD: _main_thread,
    GraphQuery.CYCLES: _recorded_cycles,
    GraphQuery.DEPTH_FIRST: _depth_first,
    GraphQuery.BREADTH_FIRST: _breadth_first,
}


def _thread_depths(parents: Mapping[int, int]) -> dict[int, int]:
    """Return the depths of agent threads, given their parent threads; the first thread of a cycle has depth 1."""
    # recorded parents can attach threads to each other even if no entry is its own ancestor
    depths = dict.fromkeys((cycle[0] for cycle in _cycles(parents)), 1)
    for start in parents:
        trail = []
        current = start
        while current in parents and current not in depths:
            trail.append(current)
            current = parents[current]
        depth = depths.get(current, 1)
        for thread in reversed(trail):
            depth += 1
            depths[thread] = depth
    return depths


def _cycles(parents: Mapping[_Key, _Key]) -> list[list[_Key]]:
    """Return the cycles of a graph with one parent per key, in the order of their first keys in the mapping."""
    keys = list(parents)
    numbers = {key: number for number, key in enumerate(keys)}
    starts = smallest_of_cycles([numbers.get(parent, NONE) for parent in parents.values()])
    return [_cycle_from(parents, keys[number]) for number in sorted(starts)]


def _cycle_from(parents: Mapping[_Key, _Key], start: _Key) -> list[_Key]:
    members = [start]
    while parents[members[-1]] != start:
        members.append(parents[members[-1]])
    return members
