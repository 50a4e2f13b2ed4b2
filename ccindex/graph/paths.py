"""Find the paths through a tree of lines: each runs from the root of the tree to the end of a line."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from ccindex.graph.lines import Line, parents_first
from ccindex.model.graph import NONE, EntryKind, Node


class Path(NamedTuple):
    """A path from the root of a tree of lines to the end of a line."""

    line: int
    number: int
    root: int
    leaf: int
    fork: int
    entry_count: int
    compaction_count: int


class _PathPrefix(NamedTuple):
    """The part of a path above a line."""

    root: int
    fork: int
    entry_count: int
    compaction_count: int


def find_paths(lines: Sequence[Line], nodes: Sequence[Node], sessions: Sequence[int]) -> list[Path]:
    """Find all paths, and number conversation paths and agent paths separately; `sessions`: the session of every line.

    (rule: path_listing)
    """
    order = parents_first(lines)
    ends = _ends(lines, order, agents=False) | _ends(lines, order, agents=True)
    prefixes, boundaries = _path_prefixes(lines, nodes, order)
    numbers: Counter[tuple[int, bool]] = Counter()
    found = []
    for number in sorted(ends, key=lambda number: lines[number].nodes[-1]):
        line, prefix = lines[number], prefixes[number]
        numbers[sessions[number], line.is_agent] += 1
        found.append(
            Path(
                number,
                numbers[sessions[number], line.is_agent],
                prefix.root,
                line.nodes[-1],
                prefix.fork,
                prefix.entry_count + len(line.nodes),
                prefix.compaction_count + len(boundaries[number]),
            )
        )
    return found


def _ends(lines: Sequence[Line], order: Sequence[int], *, agents: bool) -> set[int]:
    """Return the lines on which conversation paths end, or agent paths if `agents` is set (rule: conversation_path).

    No path ends on a line that ends in a rewind or a retry, or on a line whose last entry is part of a longer path.
    """
    runs = [False] * len(lines)  # a path ends on the line or leaves it for another line
    is_passed = [False] * len(lines)  # a path continues on another line after this line's last entry
    found = set()
    for number in reversed(order):
        line = lines[number]
        if line.can_end_path and not is_passed[number] and (agents or not line.is_agent):
            runs[number] = True
            if line.is_agent == agents:
                found.add(number)
        if runs[number] and line.parent != NONE:
            runs[line.parent] = True
            if line.parent_position == len(lines[line.parent].nodes) - 1:
                is_passed[line.parent] = True
    return found


def _path_prefixes(
    lines: Sequence[Line], nodes: Sequence[Node], order: Sequence[int]
) -> tuple[list[_PathPrefix], list[list[int]]]:
    """Return the part of the path above each line, and the positions of the compactions on each line."""
    boundary = EntryKind.BOUNDARY
    boundaries = [
        [position for position, index in enumerate(line.nodes) if nodes[index].kind == boundary] for line in lines
    ]
    prefixes = [_PathPrefix(line.nodes[0], NONE, 0, 0) for line in lines]
    for number in order:
        line = lines[number]
        if line.parent != NONE:
            above = prefixes[line.parent]
            prefixes[number] = _PathPrefix(
                above.root,
                line.attachment if line.is_branch else above.fork,
                above.entry_count + line.parent_position + 1,
                above.compaction_count + bisect_right(boundaries[line.parent], line.parent_position),
            )
    return prefixes, boundaries
