"""Compute facts about every entry's subtree, and compare subtrees by the responses they contain."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Generic, TypeVar

from ccindex.graph.parents import Links
from ccindex.graph.preorder import Preorder
from ccindex.graph.threads import is_ascending
from ccindex.model.graph import NONE, TALK, Node


class Subtrees:
    """The heights, talk entries and typed prompts of all subtrees, computed from the leaves up (rule: subtree_talk).

    `first_talk`: the nearest talk entry at or below an entry, or the earliest one if several are equally near;
    `first_real_talk`: the same, but ignoring synthetic entries; `latest_talk`: the latest talk entry at or below an
    entry.
    """

    def __init__(self, nodes: Sequence[Node], parents: Sequence[int]) -> None:
        """Compute all values. `parents`: every entry's parent in the same thread (NONE for a root), without cycles."""
        count = len(nodes)
        is_talk = [node.kind in TALK and not node.is_command for node in nodes]
        order = _leaves_first(parents)
        self.height = height = [0] * count
        self.talks_below = talks_below = bytearray(count)
        self.has_typed_prompt = has_typed_prompt = bytearray(
            [node.is_typed and node.kind == "prompt" for node in nodes]
        )
        self.latest_talk = latest = [NONE] * count
        self.first_talk = nearest = [NONE] * count
        distance = [0] * count
        for index in order:
            parent, late = parents[index], latest[index]
            if late != NONE:
                talks_below[index] = 1
            if is_talk[index]:
                nearest[index], distance[index] = index, 0
                if late < index:
                    latest[index] = late = index
            if parent == NONE:
                continue
            has_typed_prompt[parent] |= has_typed_prompt[index]
            if height[parent] <= height[index]:
                height[parent] = height[index] + 1
            if late != NONE:
                latest[parent] = max(latest[parent], late)
                _propagate_nearest(nearest, distance, index, parent)
        self.first_real_talk = nearest
        if any(map(_SYNTHETIC, nodes)):
            self.first_real_talk = _nearest_real_talk(nodes, parents, order, is_talk)


_SYNTHETIC = attrgetter("is_synthetic")


def _nearest_real_talk(
    nodes: Sequence[Node], parents: Sequence[int], order: Sequence[int], is_talk: Sequence[bool]
) -> list[int]:
    """Return the nearest non-synthetic talk entry in every subtree, or the earliest one if several are equally near."""
    nearest = [NONE] * len(parents)
    distance = [0] * len(parents)
    for index in order:
        if is_talk[index] and not nodes[index].is_synthetic:
            nearest[index], distance[index] = index, 0
        if nearest[index] != NONE and parents[index] != NONE:
            _propagate_nearest(nearest, distance, index, parents[index])
    return nearest


def _propagate_nearest(nearest: list[int], distance: list[int], index: int, parent: int) -> None:
    """Copy an entry's nearest talk entry to its parent, unless the parent's is nearer, or equally near and earlier."""
    steps, previous = distance[index] + 1, nearest[parent]
    if previous == NONE or (steps, nearest[index]) < (distance[parent], previous):
        nearest[parent], distance[parent] = nearest[index], steps


def _leaves_first(parents: Sequence[int]) -> Sequence[int]:
    """Return the entries in an order in which every entry comes after its descendants."""
    if is_ascending(parents):
        return range(len(parents) - 1, -1, -1)
    open_children = [0] * len(parents)
    for parent in parents:
        if parent != NONE:
            open_children[parent] += 1
    order = [index for index, count in enumerate(open_children) if count == 0]
    for index in order:  # grows during the loop
        parent = parents[index]
        if parent != NONE:
            open_children[parent] -= 1
            if open_children[parent] == 0:
                order.append(parent)
    return order


_MAX_CLIMB = 16  # ancestors to search for the previous part of a response before preorder positions are computed

_Key = TypeVar("_Key", str, bytes)
_Range = tuple[int, int]


def compared_entries(links: Links) -> list[int]:
    """Return the entries that belong to a response, in threads where the entries of some response are not a chain.

    Only in such threads can history be recorded twice, or parts of a response be siblings.
    """
    nodes, parents, thread_of = links.nodes, links.inner, links.thread_of
    latest_part: dict[str, int] = {}
    doubtful: set[tuple[int, str]] = set()
    for index, response in enumerate(map(attrgetter("response"), nodes)):
        if response is None:
            continue
        previous = latest_part.get(response, NONE)
        if previous not in (NONE, parents[index]) and not _is_near_ancestor(parents, previous, index):
            doubtful.update(((thread_of[index], response), (thread_of[previous], response)))
        latest_part[response] = index
    if not doubtful:
        return []
    positions = links.preorder
    parts: defaultdict[tuple[int, str], list[int]] = defaultdict(list)
    for index, node in enumerate(nodes):
        if node.response is not None and (key := (thread_of[index], node.response)) in doubtful:
            parts[key].append(index)
    threads = {thread for (thread, _), indexes in parts.items() if not _is_chain(positions, indexes)}
    return [index for index, node in enumerate(nodes) if node.response is not None and thread_of[index] in threads]


def _is_near_ancestor(parents: Sequence[int], ancestor: int, index: int) -> bool:
    current = parents[index]
    for _ in range(_MAX_CLIMB):
        if current in (ancestor, NONE):
            break
        current = parents[current]
    return current == ancestor


def _is_chain(positions: Preorder, indexes: Iterable[int]) -> bool:
    """Return whether the entries form a chain: in preorder, every entry is below the previous one."""
    end = None
    for start, index in sorted((positions.start[index], index) for index in indexes):
        if end is not None and start >= end:
            return False
        end = positions.end[index]
    return True


class Recordings:
    """Compares subtrees by the responses they contain, to find subtrees that record the same history."""

    def __init__(self, links: Links, contents: Mapping[int, frozenset[bytes]]) -> None:
        self._order = order = links.preorder
        start = order.start
        responses = [
            (start[index], node.response) for index, node in enumerate(links.nodes) if node.response is not None
        ]
        self._responses = _KeyPositions(sorted(responses))
        self._contents = _KeyPositions(sorted((start[index], key) for index, keys in contents.items() for key in keys))

    def is_recorded_again(self, one: int, other: int) -> bool:
        """Return whether the subtree of `other` repeats the history in the subtree of `one`.

        The subtree of `one` must contain responses, the subtree of `other` must contain all of them, and the two
        subtrees must have at least one content digest in common.

        (rule: replay_recorded_again)
        """
        range_ = self._order.start[one], self._order.end[one]
        other_range = self._order.start[other], self._order.end[other]
        return self._responses.is_subset(range_, other_range) and self._contents.intersects(range_, other_range)

    def responses(self, index: int) -> set[str]:
        """Return the responses at or below an entry."""
        return set(self._responses.keys_in((self._order.start[index], self._order.end[index])))

    def contents(self, index: int) -> set[bytes]:
        """Return the content digests of the responses at or below an entry."""
        return set(self._contents.keys_in((self._order.start[index], self._order.end[index])))


class _KeyPositions(Generic[_Key]):
    """Keys by position. Two ranges of positions are compared by looking up the keys of the range with fewer keys."""

    def __init__(self, items: Sequence[tuple[int, _Key]]) -> None:
        """Index (position, key) pairs, which must be sorted by position."""
        self._positions = [position for position, _ in items]
        self._keys: list[_Key] = [key for _, key in items]
        self._positions_of: defaultdict[_Key, list[int]] = defaultdict(list)
        for position, key in items:
            self._positions_of[key].append(position)

    def keys_in(self, range_: _Range) -> Sequence[_Key]:
        """Return the keys in a range."""
        return self._keys[self._first(range_[0]) : self._first(range_[1])]

    def is_subset(self, one: _Range, other: _Range) -> bool:
        """Return whether the first range has keys and the other range contains all of them."""
        size = self._size(one)
        if size == 0:
            return False
        if size <= self._size(other):
            return all(self._has(key, other) for key in self._keys_in_range(one))
        return sum(self._count(key, one) for key in set(self._keys_in_range(other))) == size

    def intersects(self, one: _Range, other: _Range) -> bool:
        """Return whether two ranges have a key in common."""
        if self._size(one) > self._size(other):
            one, other = other, one
        return any(self._has(key, other) for key in self._keys_in_range(one))

    def _keys_in_range(self, range_: _Range) -> Iterable[_Key]:
        return (self._keys[index] for index in range(self._first(range_[0]), self._first(range_[1])))

    def _has(self, key: _Key, range_: _Range) -> bool:
        positions = self._positions_of[key]
        index = bisect_left(positions, range_[0])
        return index < len(positions) and positions[index] < range_[1]

    def _count(self, key: _Key, range_: _Range) -> int:
        positions = self._positions_of[key]
        return bisect_left(positions, range_[1]) - bisect_left(positions, range_[0])

    def _size(self, range_: _Range) -> int:
        return self._first(range_[1]) - self._first(range_[0])

    def _first(self, position: int) -> int:
        return bisect_left(self._positions, position)
