"""The classic questions to the graph of effective parents, and the cycles of recorded ones, by exact ids.

Of an id that no entry or session has there is nothing to tell.
"""

import sqlite3
from collections.abc import Hashable, Mapping
from typing import NamedTuple, TypeVar

from ccindex.graph.threads import least_of_cycles
from ccindex.model.graph import NONE
from ccindex.store.sql_files import load

_Key = TypeVar("_Key", bound=Hashable)
_BESIDE = frozenset({"agent", "hook", "local_command"})  # roots that no conversation starts with


class Step(NamedTuple):
    """An entry that a walk comes by, and how many links it is away from where the walk began."""

    uuid: str
    depth: int


class Child(NamedTuple):
    """An entry below another; on no line if it was set aside."""

    uuid: str
    thread_id: str
    line_id: str | None


class Root(NamedTuple):
    """An entry without a parent in its session: why it is a root of its thread, and its parent elsewhere."""

    uuid: str
    kind: str
    parent_uuid: str | None


class BranchPoint(NamedTuple):
    """An entry with several children in one thread."""

    uuid: str
    thread_id: str
    child_count: int


class Sidechain(NamedTuple):
    """An agent's thread and the entry it hangs on; depth 1 is below a trunk, or below nothing."""

    thread_id: str
    first_uuid: str
    last_uuid: str
    entry_count: int
    attachment_uuid: str | None
    depth: int


def ancestors(connection: sqlite3.Connection, uuid: str) -> list[Step]:
    """Give the parent of an entry, the parent's parent and so on; the parent has depth 1."""
    return [Step(*row) for row in connection.execute(load("query/ancestors"), {"uuid": uuid})]


def descendants(connection: sqlite3.Connection, uuid: str) -> list[Step]:
    """Give everything below an entry, depth first, siblings by time; its children have depth 1."""
    return [Step(*row) for row in connection.execute(load("query/descendants"), {"uuid": uuid})]


def children(connection: sqlite3.Connection, uuid: str) -> list[Child]:
    """Give the entries right below an entry, by time, with their threads and lines."""
    return [Child(*row) for row in connection.execute(load("query/children"), {"uuid": uuid})]


def roots(connection: sqlite3.Connection, session_id: str) -> list[Root]:
    """Give the entries of a session that have no parent in it, by time."""
    return [Root(*row) for row in connection.execute(load("query/roots"), {"session_id": session_id})]


def depth_first(connection: sqlite3.Connection, session_id: str) -> list[Step]:
    """Give the entries of a session, each root with all below it, siblings by time; roots have depth 0."""
    return [Step(*row) for row in connection.execute(load("query/depth_first"), {"session_id": session_id})]


def breadth_first(connection: sqlite3.Connection, session_id: str) -> list[Step]:
    """Give the entries of a session level by level, each level in the order of its parents, siblings by time."""
    # among entries of one depth both walks come by in the same order, and sorting keeps it
    return sorted(depth_first(connection, session_id), key=lambda step: step.depth)


def active_path(connection: sqlite3.Connection, session_id: str) -> list[str]:
    """Follow the active child in the thread at every entry, from where a session's conversation starts to a leaf."""
    starts = roots(connection, session_id)
    if not starts:
        return []
    # hooks fire before the first prompt; agents may be all that is left of a session
    first = next((root for root in starts if root.kind not in _BESIDE), starts[0])
    return _uuids(connection, load("query/active_path"), uuid=first.uuid)


def branch_points(connection: sqlite3.Connection, session_id: str) -> list[BranchPoint]:
    """Give the entries of a session with several children in one thread, by time, once a thread."""
    return [BranchPoint(*row) for row in connection.execute(load("query/branch_points"), {"session_id": session_id})]


def is_linear(connection: sqlite3.Connection, session_id: str) -> bool:
    """Whether no entry of a session has several children in one thread."""
    return not branch_points(connection, session_id)


def longest_path(connection: sqlite3.Connection, session_id: str) -> list[str]:
    """Give the longest chain from root to leaf within a session; of several the one whose leaf is earliest."""
    return _uuids(connection, load("query/longest_path"), session_id=session_id)


def main_thread(connection: sqlite3.Connection, session_id: str) -> list[str]:
    """Give the entries of a session's trunk, by time."""
    return _uuids(connection, load("query/main_thread"), session_id=session_id)


def sidechains(connection: sqlite3.Connection, session_id: str) -> list[Sidechain]:
    """Give the agent threads of a session, by time of their first entries."""
    named = {"session_id": session_id}
    depths = _depths(dict(connection.execute(load("query/threads_above"), named)))
    rows = connection.execute(load("query/sidechains"), named)
    return [Sidechain._make((*columns, depths.get(thread, 1))) for thread, *columns in rows]


def recorded_cycles(connection: sqlite3.Connection) -> list[list[str]]:
    """Give the cycles of parents as recorded, each from its earliest member on, child before parent."""
    # a walk in SQL either forgets the way it came or, with a depth to order by, never ends on a cycle
    return _cycles(dict(connection.execute(load("query/recorded_cycles"))))


def _uuids(connection: sqlite3.Connection, statement: str, **named: str) -> list[str]:
    return [uuid for (uuid,) in connection.execute(statement, named)]


def _depths(above: Mapping[int, int]) -> dict[int, int]:
    """Tell how deep threads are that hang in others; of those in a circle the earliest counts as hanging nowhere."""
    # recorded parents can make threads hang in each other though no entry is its own ancestor
    tops = {cycle[0] for cycle in _cycles(above)}
    depths = dict.fromkeys(tops, 1)
    for start in above:
        trail = []
        at = start
        while at in above and at not in depths:
            trail.append(at)
            at = above[at]
        depth = depths.get(at, 1)
        for thread in reversed(trail):
            depth += 1
            depths[thread] = depth
    return depths


def _cycles(parents: Mapping[_Key, _Key]) -> list[list[_Key]]:
    """Give the cycles of a graph with one parent each, they and their members from what the mapping has first."""
    keys = list(parents)
    numbers = {key: number for number, key in enumerate(keys)}
    least = least_of_cycles([numbers.get(parent, NONE) for parent in parents.values()])
    return [_cycle_from(parents, keys[number]) for number in sorted(least)]


def _cycle_from(parents: Mapping[_Key, _Key], start: _Key) -> list[_Key]:
    members = [start]
    while parents[members[-1]] != start:
        members.append(parents[members[-1]])
    return members
