"""Conversation paths: which lines end one, and what each runs through. A path is its last line."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from ccindex.model.graph import NONE, Kind, Node

from .tree import Line, downwards


class Path(NamedTuple):
    """A path from the root of the line tree to the end of a line."""

    line: int
    number: int
    root: int
    leaf: int
    fork: int
    entry_count: int
    compaction_count: int


class _Above(NamedTuple):
    """What a path has run through when it comes to a line."""

    root: int
    fork: int
    entry_count: int
    compaction_count: int


def paths(lines: Sequence[Line], nodes: Sequence[Node], sessions: Sequence[int]) -> list[Path]:
    """Find the paths; `sessions`: of each line. Agents' are numbered apart from the conversation's."""
    order = downwards(lines)
    ends = _ends(lines, order, agents=False) | _ends(lines, order, agents=True)
    above, boundaries = _above(lines, nodes, order)
    numbers: Counter[tuple[int, bool]] = Counter()
    found = []
    for number in sorted(ends, key=lambda number: lines[number].nodes[-1]):
        line, before = lines[number], above[number]
        numbers[sessions[number], line.is_agent] += 1
        found.append(
            Path(
                number,
                numbers[sessions[number], line.is_agent],
                before.root,
                line.nodes[-1],
                before.fork,
                before.entry_count + len(line.nodes),
                before.compaction_count + len(boundaries[number]),
            )
        )
    return found


def _ends(lines: Sequence[Line], order: Sequence[int], *, agents: bool) -> set[int]:
    """Lines at whose end a path ends: none that ends in a rewind, or through whose last entry another path runs."""
    runs = [False] * len(lines)  # a path runs through the line
    is_passed = [False] * len(lines)  # one runs through its last entry
    found = set()
    for number in reversed(order):
        line = lines[number]
        if line.goes_on and not is_passed[number] and (agents or not line.is_agent):
            runs[number] = True
            if line.is_agent == agents:
                found.add(number)
        if runs[number] and line.parent != NONE:
            runs[line.parent] = True
            if line.parent_position == len(lines[line.parent].nodes) - 1:
                is_passed[line.parent] = True
    return found


def _above(lines: Sequence[Line], nodes: Sequence[Node], order: Sequence[int]) -> tuple[list[_Above], list[list[int]]]:
    """What lies above each line on the way to its root, and where on each line compactions are."""
    boundary = Kind.BOUNDARY
    boundaries = [
        [position for position, index in enumerate(line.nodes) if nodes[index].kind == boundary] for line in lines
    ]
    above = [_Above(line.nodes[0], NONE, 0, 0) for line in lines]
    for number in order:
        line = lines[number]
        if line.parent != NONE:
            before = above[line.parent]
            above[number] = _Above(
                before.root,
                line.attachment if line.is_branch else before.fork,
                before.entry_count + line.parent_position + 1,
                before.compaction_count + bisect_right(boundaries[line.parent], line.parent_position),
            )
    return above, boundaries
