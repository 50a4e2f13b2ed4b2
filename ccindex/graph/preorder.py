"""Find the children of every entry, and the preorder positions that turn every subtree into a range."""

from collections.abc import Sequence

from ccindex.model.graph import NONE


def children_by_time(parents: Sequence[int]) -> tuple[list[int], list[int]]:
    """Return every entry's first child and next sibling in time order; NONE means that there is none."""
    first, following = [NONE] * len(parents), [NONE] * len(parents)
    for index in range(len(parents) - 1, -1, -1):
        parent = parents[index]
        if parent != NONE:
            following[index], first[parent] = first[parent], index
    return first, following


class Preorder:
    """Preorder positions of entries, so that every subtree is a range of positions."""

    def __init__(self, parents: Sequence[int], children: tuple[list[int], list[int]]) -> None:
        """Compute all positions; `children`: as returned by `children_by_time`."""
        first, following = children
        self.start = start = [0] * len(parents)
        self.end = end = [0] * len(parents)
        position = 0
        for root, above in enumerate(parents):
            if above != NONE:
                continue
            current = root
            while current != NONE:
                start[current] = position
                position += 1
                if first[current] != NONE:
                    current = first[current]
                    continue
                end[current] = position
                while current != root and following[current] == NONE:
                    current = parents[current]
                    end[current] = position
                current = NONE if current == root else following[current]
