"""History that was recorded twice: subtrees compared by the API responses that they hold."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Generic, TypeVar

from ccindex.model.graph import NONE, Node

from .links import Links
from .subtrees import Preorder

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
