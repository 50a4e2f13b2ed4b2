"""What lies under each entry in its thread, by one pass from the leaves up."""

from collections.abc import Sequence

from ccindex.model.graph import NONE, Below, Kind, Node

from .cycles import is_ascending

_KINDS = {str(kind): kind for kind in Kind}
_NOTHING = Below(0, talks=False, has_typed=False, nearest_talk=None)


class Depths:
    """Heights, talk and typed words under every entry; `of` gives one entry's."""

    def __init__(self, nodes: Sequence[Node], parents: Sequence[int]) -> None:
        """`parents`: within the thread, NONE for a root; without cycles."""
        count = len(nodes)
        self._nodes = nodes
        self._height = height = [0] * count
        self._typed = typed = [False] * count
        self._nearest = nearest = [NONE] * count  # the talk below that is nearest, then earliest
        distance = [0] * count
        for index in _leaves_first(parents):
            parent = parents[index]
            if parent == NONE:
                continue
            node = nodes[index]
            if height[parent] <= height[index]:
                height[parent] = height[index] + 1
            if node.is_typed or typed[index]:
                typed[parent] = True
            talk, away = (index, 1) if node.is_talk else (nearest[index], distance[index] + 1)
            held = nearest[parent]
            if talk != NONE and (held == NONE or (away, talk) < (distance[parent], held)):
                nearest[parent], distance[parent] = talk, away

    def of(self, index: int) -> Below:
        """Return what lies under an entry."""
        nearest = self._nearest[index]
        if self._height[index] == 0:
            return _NOTHING
        return Below(
            self._height[index],
            talks=nearest != NONE,
            has_typed=self._typed[index],
            nearest_talk=None if nearest == NONE else _KINDS[self._nodes[nearest].kind],
        )


def _leaves_first(parents: Sequence[int]) -> Sequence[int]:
    """Order entries so that each comes after all that lies under it."""
    if is_ascending(parents):
        return range(len(parents) - 1, -1, -1)
    waiting = [0] * len(parents)
    for parent in parents:
        if parent != NONE:
            waiting[parent] += 1
    order = [index for index, count in enumerate(waiting) if count == 0]
    for index in order:  # grows while it is walked
        parent = parents[index]
        if parent != NONE:
            waiting[parent] -= 1
            if waiting[parent] == 0:
                order.append(parent)
    return order
