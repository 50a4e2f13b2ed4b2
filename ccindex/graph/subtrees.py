"""What lies below every entry in its thread: heights, talk and typed prompts, in one pass each."""

from collections.abc import Sequence

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
        self.has_typed = has_typed = bytearray(node.is_typed_prompt for node in nodes)
        self.latest_talk = latest = [NONE] * count
        for index in order:
            parent = parents[index]
            if latest[index] != NONE:
                talks_below[index] = 1
            if is_talk[index]:
                latest[index] = max(latest[index], index)
            if parent == NONE:
                continue
            if height[parent] <= height[index]:
                height[parent] = height[index] + 1
            if has_typed[index]:
                has_typed[parent] = 1
            latest[parent] = max(latest[parent], latest[index])
        self.first_talk = _nearest(parents, order, is_talk)
        self.first_spoken = self.first_talk
        if any(node.is_synthetic for node in nodes):
            spoken = [talks and not node.is_synthetic for talks, node in zip(is_talk, nodes, strict=True)]
            self.first_spoken = _nearest(parents, order, spoken)


def _nearest(parents: Sequence[int], order: Sequence[int], is_wanted: Sequence[bool]) -> list[int]:
    """Find by entry the nearest wanted one at or below it, of several the earliest."""
    nearest = [NONE] * len(parents)
    distance = [0] * len(parents)
    for index in order:
        if is_wanted[index]:
            nearest[index], distance[index] = index, 0
        found, parent = nearest[index], parents[index]
        if NONE in (found, parent):
            continue
        away, held = distance[index] + 1, nearest[parent]
        if held == NONE or (away, found) < (distance[parent], held):
            nearest[parent], distance[parent] = found, away
    return nearest


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
