"""What lies below every entry in its thread: heights, talk and typed prompts, in one pass each."""

from collections.abc import Sequence
from operator import attrgetter

from ccindex.model.graph import NONE, TALK, Node

from .cycles import is_ascending


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
