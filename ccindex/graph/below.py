"""What lies under each entry in its thread, by one pass from the leaves up."""

from collections.abc import Sequence

from ccindex.model.graph import NONE, Below, Kind, Node

_NOTHING = Below(0, talks=False, has_typed=False, nearest_talk=None)


class Depths:
    """Heights, talk and typed words under every entry; `of` gives one entry's."""

    def __init__(self, nodes: Sequence[Node], parents: Sequence[int]) -> None:
        """`parents`: within the thread, NONE for a root; without cycles."""
        count = len(nodes)
        self._nodes = nodes
        self._height = [0] * count
        self._typed = [False] * count
        self._nearest = [NONE] * count  # the talk below that is nearest, then earliest
        self._distance = [0] * count
        for index in _leaves_first(parents):
            parent = parents[index]
            if parent != NONE:
                self._tell(parent, index)

    def of(self, index: int) -> Below:
        """Return what lies under an entry."""
        nearest = self._nearest[index]
        if self._height[index] == 0:
            return _NOTHING
        return Below(
            self._height[index],
            talks=nearest != NONE,
            has_typed=self._typed[index],
            nearest_talk=None if nearest == NONE else Kind(self._nodes[nearest].kind),
        )

    def _tell(self, parent: int, child: int) -> None:
        node = self._nodes[child]
        self._height[parent] = max(self._height[parent], self._height[child] + 1)
        if node.is_typed or self._typed[child]:
            self._typed[parent] = True
        nearest, distance = (child, 1) if node.is_talk else (self._nearest[child], self._distance[child] + 1)
        if nearest == NONE:
            return
        held = self._nearest[parent]
        if held == NONE or (distance, nearest) < (self._distance[parent], held):
            self._nearest[parent], self._distance[parent] = nearest, distance


def _leaves_first(parents: Sequence[int]) -> list[int]:
    """Order entries so that each comes after all that lies under it."""
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
