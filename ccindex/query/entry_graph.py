"""Takes a session or an entry, gives its entries as a forest of effective parents, and walks over it."""

import sqlite3
from collections import deque
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import NamedTuple

from ccindex.query.ids import Target
from ccindex.store.sql_files import load


class Node(NamedTuple):
    """An entry and its effective parent; `line` is None if it was set aside, `is_active` is its line's."""

    entry: int
    parent: int | None
    thread: int
    is_agent: int
    line: int | None
    is_active: int
    is_talk: int


class Step(NamedTuple):
    """An entry on a walk, its distance from where the walk began, and values for further columns of its row."""

    entry: int
    depth: int
    more: tuple[object, ...] = ()


class TreeStep(NamedTuple):
    """An entry in a drawn tree; one that starts a block is indented below its parent, the last one ends it."""

    entry: int
    depth: int
    indent: int
    starts_block: bool
    is_last: bool


class EntryGraph:
    """Entries, given by time, and the links among them; roots and children are by time, too."""

    def __init__(self, nodes: Iterable[Node]) -> None:
        self.nodes = {node.entry: node for node in nodes}
        self.roots: list[int] = []
        self.children: dict[int, list[int]] = {}
        for node in self.nodes.values():
            if node.parent is not None and node.parent in self.nodes:
                self.children.setdefault(node.parent, []).append(node.entry)
            else:
                self.roots.append(node.entry)

    def depth_first(self) -> Iterator[Step]:
        """Give every root with all below it."""
        stack = [Step(root, 0) for root in reversed(self.roots)]
        while stack:
            step = stack.pop()
            yield step
            stack += [Step(child, step.depth + 1) for child in reversed(self.children.get(step.entry, ()))]

    def breadth_first(self) -> Iterator[Step]:
        """Give the entries level by level, every level in the order of its parents."""
        queue = deque(Step(root, 0) for root in self.roots)
        while queue:
            step = queue.popleft()
            yield step
            queue += [Step(child, step.depth + 1) for child in self.children.get(step.entry, ())]

    def tree(self) -> Iterator[TreeStep]:
        """Give the entries as a tree is drawn: a line goes on at the same indentation, all else is a block below.

        Of the children in its own thread an entry is followed by `next_entry`, if that is the only one or on the same
        line. Blocks are the others: the branches of a rewind or retry, the side entries of a stitched fork, agents and
        other sessions. They come before the entry that follows, so that a long conversation is not indented at all.
        """
        stack = [TreeStep(root, 0, 0, starts_block=False, is_last=False) for root in reversed(self.roots)]
        while stack:
            step = stack.pop()
            yield step
            following = self._following(step.entry)
            blocks = [child for child in self.children.get(step.entry, ()) if child != following]
            depth = step.depth + 1
            if following is not None:
                stack.append(TreeStep(following, depth, step.indent, starts_block=False, is_last=False))
            last = blocks[-1] if blocks and following is None else None
            stack += [
                TreeStep(child, depth, step.indent + 1, starts_block=True, is_last=child == last)
                for child in reversed(blocks)
            ]

    def active_starts(self) -> list[int]:
        """Return the roots outside agent threads with talk at or below them, those on active lines if there are any.

        Without any of them, return the first root.
        """
        starts = [root for root in self.roots if not self.nodes[root].is_agent and self._latest_talk[root][0] >= 0]
        return [root for root in starts if self.nodes[root].is_active] or starts[:1] or self.roots[:1]

    def active_path(self, start: int) -> Iterator[Step]:
        """Follow `next_entry` from an entry to a leaf."""
        at: int | None = start
        depth = 0
        while at is not None:
            yield Step(at, depth)
            at = self.next_entry(at)
            depth += 1

    def longest_path(self) -> list[Step]:
        """Give the longest chain from a root to a leaf; of several the one whose leaf is earliest."""
        leaf = max(self.nodes, key=self.depths.__getitem__, default=None)
        chain = []
        at = leaf
        while at is not None and at in self.nodes:
            chain.append(at)
            at = self.nodes[at].parent
        return [Step(entry, depth) for depth, entry in enumerate(reversed(chain))]

    def next_entry(self, entry: int) -> int | None:
        """Choose the child with which the entry's thread goes on; None: it has no child in its thread.

        A child on an active line comes before others and one on another line, which starts a branch, before those that
        were put on the entry's own line. Among several the one with the latest talk is chosen, itself or below it.
        """
        line = self.nodes[entry].line
        chosen = max(
            self._own_children(entry),
            key=lambda child: (child.is_active, child.line != line, self._latest_talk[child.entry]),
            default=None,
        )
        return None if chosen is None else chosen.entry

    @cached_property
    def depths(self) -> dict[int, int]:
        """The distance of every entry from its root."""
        return {step.entry: step.depth for step in self.depth_first()}

    @cached_property
    def _latest_talk(self) -> dict[int, tuple[int, int]]:
        """Of every entry the rank by time of the latest talk at or below it in its thread (-1: none), and its own."""
        ranks = {entry: rank for rank, entry in enumerate(self.nodes)}
        latest = {entry: ranks[entry] if node.is_talk else -1 for entry, node in self.nodes.items()}
        for entry in reversed(self.depths):  # children before parents
            node = self.nodes[entry]
            above = self.nodes.get(node.parent) if node.parent is not None else None
            if above is not None and above.thread == node.thread:
                latest[above.entry] = max(latest[above.entry], latest[entry])
        return {entry: (latest[entry], rank) for entry, rank in ranks.items()}

    def _following(self, entry: int) -> int | None:
        """The entry that stands below this one at the same indentation."""
        child = self.next_entry(entry)
        is_on = child is not None and self.nodes[child].line == self.nodes[entry].line
        return child if is_on or len(self._own_children(entry)) == 1 else None

    def _own_children(self, entry: int) -> list[Node]:
        """The children in the entry's own thread."""
        thread = self.nodes[entry].thread
        children = (self.nodes[child] for child in self.children.get(entry, ()))
        return [child for child in children if child.thread == thread]


def load_graph(connection: sqlite3.Connection, target: Target) -> EntryGraph:
    """Load the entries of a session, or an entry with everything below it in any session."""
    if target.kind == "session":
        rows = connection.execute(load("query/graph_of_session"), {"session_id": target.id})
    else:
        rows = connection.execute(load("query/graph_below"), {"uuid": target.id})
    return EntryGraph(map(Node._make, rows))
