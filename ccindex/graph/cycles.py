"""Cycles in a graph where everything has at most one parent."""

from collections.abc import Sequence
from operator import lt

from ccindex.model.graph import NONE


def is_ascending(parents: Sequence[int]) -> bool:
    """Whether every parent comes before its children, as a clock that only goes forward has it."""
    return all(map(lt, parents, range(len(parents))))


def least_of_cycles(parents: Sequence[int]) -> list[int]:
    """Return the least member of every cycle; whoever has no parent has NONE."""
    if is_ascending(parents):
        return []
    found: list[int] = []
    walk_of = [NONE] * len(parents)
    for start in range(len(parents)):
        at = start
        while at != NONE and walk_of[at] == NONE:
            walk_of[at] = start
            at = parents[at]
        if at != NONE and walk_of[at] == start:
            found.append(_least(parents, at))
    return found


def _least(parents: Sequence[int], member: int) -> int:
    least, at = member, parents[member]
    while at != member:
        least, at = min(least, at), parents[at]
    return least
