"""Load a session's entries, or an entry and its descendants, linked by effective parents, and traverse them."""

import sqlite3
from collections import deque
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import NamedTuple

from ccindex.query.ids import Target
from ccindex.store.sql_files import load


class EntryNode(NamedTuple):
    """An entry with its effective parent; `line` is None if it was set aside, and `is_active` describes the line."""

    entry: int
    parent: int | None
    thread: int
    is_agent: int
    line: int | None
    is_active: int
    is_talk: int


class Step(NamedTuple):
    """An entry in a traversal, its distance from the start, and values for additional columns of its row."""

    entry: int
    depth: int
    more: tuple[object, ...] = ()


class TreeStep(NamedTuple):
    """An entry in a drawn tree; an entry that starts a block is indented below its parent."""

    entry: int
    depth: int
    indent: int
    starts_block: bool
    is_last: bool


class EntryGraph:
    """Entries and the links between them; entries, roots and children are sorted by time."""

    def __init__(self, nodes: Iterable[EntryNode]) -> None:
        self.nodes = {node.entry: node for node in nodes}
        self.roots: list[int] = []
        self.children: dict[int, list[int]] = {}
        for node in self.nodes.values():
            if node.parent is not None and node.parent in self.nodes:
                self.children.setdefault(node.parent, []).append(node.entry)
            else:
                self.roots.append(node.entry)

    def depth_first(self) -> Iterator[Step]:
        """Yield every root with all its descendants."""
        stack = [Step(root, 0) for root in reversed(self.roots)]
        while stack:
            step = stack.pop()
            yield step
            stack += [Step(child, step.depth + 1) for child in reversed(self.children.get(step.entry, ()))]

    def breadth_first(self) -> Iterator[Step]:
        """Yield the entries level by level, siblings together, in the order of their parents."""
        queue = deque(Step(root, 0) for root in self.roots)
        while queue:
            step = queue.popleft()
            yield step
            queue += [Step(child, step.depth + 1) for child in self.children.get(step.entry, ())]

    def tree(self) -> Iterator[TreeStep]:
        """Yield the entries in the order in which a tree is drawn, with their indentation.

        An entry is followed at the same indentation by its `next_entry`, if that is the only child in the thread or is
        on the same line. All other children start indented blocks: branches of a rewind or retry, side entries of a
        stitched fork, agents and other sessions. Blocks come first, so that a long conversation is not indented.
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
        """Of the roots outside agent threads with a talk entry at or below them, return those that are active.

        If none is active, return the first of these roots. If there is no such root, return the first root of all.
        """
        starts = [root for root in self.roots if not self.nodes[root].is_agent and self._latest_talk[root][0] >= 0]
        return [root for root in starts if self.nodes[root].is_active] or starts[:1] or self.roots[:1]

    def active_path(self, start: int) -> Iterator[Step]:
        """Follow `next_entry` from an entry to a leaf."""
        entry: int | None = start
        depth = 0
        while entry is not None:
            yield Step(entry, depth)
            entry = self.next_entry(entry)
            depth += 1

    def longest_path(self) -> list[Step]:
        """Return the longest chain from a root to a leaf; if there are several, the one with the earliest leaf."""
        leaf = max(self.nodes, key=self.depths.__getitem__, default=None)
        chain = []
        current = leaf
        while current is not None and current in self.nodes:
            chain.append(current)
            current = self.nodes[current].parent
        return [Step(entry, depth) for depth, entry in enumerate(reversed(chain))]

    def next_entry(self, entry: int) -> int | None:
        """Return the child that continues the entry's thread, or None if the entry has no child in its thread.

        A child on an active line is preferred. Next, a child on another line, which starts a branch, is preferred to
        the children on the entry's own line. Of the remaining children, the one with the latest talk entry at or below
        it is chosen.
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
        """Per entry, the time rank of the last talk entry at or below it in its thread (-1: none), and its own rank."""
        ranks = {entry: rank for rank, entry in enumerate(self.nodes)}
        latest = {entry: ranks[entry] if node.is_talk else -1 for entry, node in self.nodes.items()}
        for entry in reversed(self.depths):  # children before parents
            node = self.nodes[entry]
            parent = self.nodes.get(node.parent) if node.parent is not None else None
            if parent is not None and parent.thread == node.thread:
                latest[parent.entry] = max(latest[parent.entry], latest[entry])
        return {entry: (latest[entry], rank) for entry, rank in ranks.items()}

    def _following(self, entry: int) -> int | None:
        """Return the entry that follows this one at the same indentation."""
        child = self.next_entry(entry)
        is_same_line = child is not None and self.nodes[child].line == self.nodes[entry].line
        return child if is_same_line or len(self._own_children(entry)) == 1 else None

    def _own_children(self, entry: int) -> list[EntryNode]:
        """Return the children in the entry's own thread."""
        thread = self.nodes[entry].thread
        children = (self.nodes[child] for child in self.children.get(entry, ()))
        return [child for child in children if child.thread == thread]


def load_graph(connection: sqlite3.Connection, target: Target) -> EntryGraph:
    """Load the entries of a session, or an entry with all its descendants in any session."""
    if target.kind == "session":
        rows = connection.execute(load("query/session_graph"), {"session_id": target.id})
    else:
        rows = connection.execute(load("query/subtree_graph"), {"uuid": target.id})
    return EntryGraph(map(EntryNode._make, rows))
