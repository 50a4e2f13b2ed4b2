"""What lies below every entry in its thread, and subtrees compared by the responses they hold."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Generic, TypeVar

from ccindex.graph.parents import Links
from ccindex.graph.threads import is_ascending
from ccindex.model.graph import NONE, TALK, Node


class Subtrees:
    """Height, talk and typed prompts of every entry's subtree, by one pass from the leaves up.

    `first_talk` and `latest_talk` are at or below the entry; `first_spoken` passes over synthetic entries.
    """

    def __init__(self, nodes: Sequence[Node], parents: Sequence[int]) -> None:
        """`parents`: within the thread, NONE for a root; without cycles."""
        count = len(nodes)
        is_talk = [node.kind in TALK and not node.is_command for node in nodes]
        order = _leaves_first(parents)
        self.height = height = [0] * count
        self.talks_below = talks_below = bytearray(count)
        self.has_typed = has_typed = bytearray([node.is_typed and node.kind == "prompt" for node in nodes])
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
            has_typed[parent] |= has_typed[index]
            if height[parent] <= height[index]:
                height[parent] = height[index] + 1
            if late != NONE:
                latest[parent] = max(latest[parent], late)
                _bring_near(nearest, distance, index, parent)
        self.first_spoken = nearest
        if any(map(_SYNTHETIC, nodes)):
            self.first_spoken = _spoken(nodes, parents, order, is_talk)


_SYNTHETIC = attrgetter("is_synthetic")


def _spoken(nodes: Sequence[Node], parents: Sequence[int], order: Sequence[int], is_talk: Sequence[bool]) -> list[int]:
    """Find by entry the nearest talk at or below it that is not synthetic, of several the earliest."""
    nearest = [NONE] * len(parents)
    distance = [0] * len(parents)
    for index in order:
        if is_talk[index] and not nodes[index].is_synthetic:
            nearest[index], distance[index] = index, 0
        if nearest[index] != NONE and parents[index] != NONE:
            _bring_near(nearest, distance, index, parents[index])
    return nearest


def _bring_near(nearest: list[int], distance: list[int], index: int, parent: int) -> None:
    """Give an entry what is nearest to its child, unless something nearer or as near and earlier is known."""
    away, held = distance[index] + 1, nearest[parent]
    if held == NONE or (away, nearest[index]) < (distance[parent], held):
        nearest[parent], distance[parent] = nearest[index], away


def _leaves_first(parents: Sequence[int]) -> Sequence[int]:
    """Order entries so that every one comes after all that lies below it."""
    if is_ascending(parents):
        return range(len(parents) - 1, -1, -1)
    waiting = [0] * len(parents)
    for parent in parents:
        if parent != NONE:
            waiting[parent] += 1
    order = [index for index, count in enumerate(waiting) if count == 0]
    for index in order:  # grows during the loop
        parent = parents[index]
        if parent != NONE:
            waiting[parent] -= 1
            if waiting[parent] == 0:
                order.append(parent)
    return order


def children_by_time(parents: Sequence[int]) -> tuple[list[int], list[int]]:
    """Return the first child of every entry and its next sibling."""
    first, following = [NONE] * len(parents), [NONE] * len(parents)
    for index in range(len(parents) - 1, -1, -1):
        parent = parents[index]
        if parent != NONE:
            following[index], first[parent] = first[parent], index
    return first, following


class Preorder:
    """Positions of entries such that a subtree is a range of them."""

    def __init__(self, parents: Sequence[int]) -> None:
        first, following = children_by_time(parents)
        self.start = start = [0] * len(parents)
        self.end = end = [0] * len(parents)
        position = 0
        for root, above in enumerate(parents):
            if above != NONE:
                continue
            at = root
            while at != NONE:
                start[at] = position
                position += 1
                if first[at] != NONE:
                    at = first[at]
                    continue
                end[at] = position
                while at != root and following[at] == NONE:
                    at = parents[at]
                    end[at] = position
                at = NONE if at == root else following[at]


_CLIMB = 16  # entries between two parts of a response before their positions in the tree are compared

_Key = TypeVar("_Key", str, bytes)
_Range = tuple[int, int]


def compared_entries(links: Links) -> list[int]:
    """Return the entries with a response in threads where the entries of some response do not form a chain.

    Only there can a history be recorded twice, or the parts of a response side by side.
    """
    nodes, parents, thread_of = links.nodes, links.inner, links.thread_of
    before: dict[str, int] = {}
    doubtful: set[tuple[int, str]] = set()
    for index, response in enumerate(map(attrgetter("response"), nodes)):
        if response is None:
            continue
        above = before.get(response, NONE)
        if above not in (NONE, parents[index]) and not _is_near_above(parents, above, index):
            doubtful.update(((thread_of[index], response), (thread_of[above], response)))
        before[response] = index
    if not doubtful:
        return []
    positions = Preorder(parents)
    parts: defaultdict[tuple[int, str], list[int]] = defaultdict(list)
    for index, node in enumerate(nodes):
        if node.response is not None and (key := (thread_of[index], node.response)) in doubtful:
            parts[key].append(index)
    threads = {thread for (thread, _), held in parts.items() if not _is_chain(positions, held)}
    return [index for index, node in enumerate(nodes) if node.response is not None and thread_of[index] in threads]


def _is_near_above(parents: Sequence[int], above: int, index: int) -> bool:
    at = parents[index]
    for _ in range(_CLIMB):
        if at in (above, NONE):
            break
        at = parents[at]
    return at == above


def _is_chain(positions: Preorder, indexes: Iterable[int]) -> bool:
    """Whether every entry lies below the one before it."""
    end = None
    for start, index in sorted((positions.start[index], index) for index in indexes):
        if end is not None and start >= end:
            return False
        end = positions.end[index]
    return True


class Recordings:
    """Compares subtrees by the responses they hold, to find those that record the same history."""

    def __init__(self, nodes: Sequence[Node], parents: Sequence[int], contents: Mapping[int, frozenset[bytes]]) -> None:
        self._order = order = Preorder(parents)
        start = order.start
        held = sorted((start[index], node.response) for index, node in enumerate(nodes) if node.response is not None)
        self._responses = _Located(held)
        self._contents = _Located(sorted((start[index], key) for index, keys in contents.items() for key in keys))

    def is_recorded_again(self, one: int, other: int) -> bool:
        """Whether `one` holds responses, `other` holds all of them, and both hold one content of theirs."""
        inside = self._order.start[one], self._order.end[one]
        outside = self._order.start[other], self._order.end[other]
        return self._responses.is_subset(inside, outside) and self._contents.meets(inside, outside)

    def responses(self, index: int) -> set[str]:
        """Return the responses at or below an entry."""
        return set(self._responses.within((self._order.start[index], self._order.end[index])))

    def contents(self, index: int) -> set[bytes]:
        """Return the contents of the responses at or below an entry."""
        return set(self._contents.within((self._order.start[index], self._order.end[index])))


class _Located(Generic[_Key]):
    """Keys by position. Two ranges of positions are compared by looking up every key of the smaller one."""

    def __init__(self, held: Sequence[tuple[int, _Key]]) -> None:
        """`held`: positions in order, with their keys."""
        self._positions = [position for position, _ in held]
        self._keys: list[_Key] = [key for _, key in held]
        self._of: defaultdict[_Key, list[int]] = defaultdict(list)
        for position, key in held:
            self._of[key].append(position)

    def within(self, range_: _Range) -> Sequence[_Key]:
        """Return the keys in a range."""
        return self._keys[self._first(range_[0]) : self._first(range_[1])]

    def is_subset(self, one: _Range, other: _Range) -> bool:
        """Whether a range has keys and the other one has all of them."""
        size = self._size(one)
        if size == 0:
            return False
        if size <= self._size(other):
            return all(self._has(key, other) for key in self._each(one))
        return sum(self._count(key, one) for key in set(self._each(other))) == size

    def meets(self, one: _Range, other: _Range) -> bool:
        """Whether two ranges have a key in common."""
        if self._size(one) > self._size(other):
            one, other = other, one
        return any(self._has(key, other) for key in self._each(one))

    def _each(self, range_: _Range) -> Iterable[_Key]:
        return (self._keys[place] for place in range(self._first(range_[0]), self._first(range_[1])))

    def _has(self, key: _Key, range_: _Range) -> bool:
        positions = self._of[key]
        place = bisect_left(positions, range_[0])
        return place < len(positions) and positions[place] < range_[1]

    def _count(self, key: _Key, range_: _Range) -> int:
        positions = self._of[key]
        return bisect_left(positions, range_[1]) - bisect_left(positions, range_[0])

    def _size(self, range_: _Range) -> int:
        return self._first(range_[1]) - self._first(range_[0])

    def _first(self, position: int) -> int:
        return bisect_left(self._positions, position)
