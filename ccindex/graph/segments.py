"""Segments of a line: runs of entries that are sorted as units and can be cut where a compaction belongs."""

from bisect import bisect_left, bisect_right, insort
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from ccindex.model.graph import Node


@dataclass(slots=True)
class Segment:
    """A run of entries on a line, filled while entries are placed. `cuts`: positions at which the segment is split."""

    line: int
    nodes: list[int] = field(default_factory=list)
    ends_in_rewind: bool = False
    is_side_of_roots: bool = False  # contains only side children next to roots that start branches
    cuts: list[int] = field(default_factory=list)

    def pieces(self) -> list["Segment"]:
        """Split the segment at its cuts."""
        if not self.cuts:
            return [self]
        starts, ends = [0, *self.cuts], [*self.cuts, len(self.nodes)]
        pieces = [
            replace(self, nodes=self.nodes[start:end], ends_in_rewind=False, cuts=[])
            for start, end in zip(starts, ends, strict=True)
        ]
        pieces[-1].ends_in_rewind = self.ends_in_rewind
        return pieces


def order_segments(segments: Sequence[Segment], nodes: Sequence[Node]) -> list[Segment]:
    """Split the segments of one line at their cuts, and sort the pieces.

    A piece is sorted by its earliest talk entry, or by its first entry if it has no talk entries.

    (rule: segment_order)
    """
    pieces = [piece for segment in segments for piece in segment.pieces()]
    if len(pieces) < 2:
        return pieces
    return sorted(
        pieces, key=lambda piece: min((index for index in piece.nodes if nodes[index].is_talk), default=piece.nodes[0])
    )


class Cutter:
    """Finds entries in segments and cuts segments after them. Every segment is indexed once, not once per cut."""

    def __init__(self, nodes: Sequence[Node]) -> None:
        self._nodes = nodes
        self._located: dict[int, tuple[Segment, int]] = {}
        self._located_counts: dict[int, int] = {}  # by line: the number of segments in `_located`
        self._talk: dict[int, _Talk] = {}  # by id() of the segment; segments are never freed during the walk

    def cut_before(self, boundary: int, after: int, segments: Sequence[Segment]) -> None:
        """Cut the segment after the entry `after` if talk entries follow it and all of them are later than `boundary`.

        (rule: compaction_cut)
        """
        segment, position = self._locate(after, segments)
        next_cut = bisect_right(segment.cuts, position)
        end = segment.cuts[next_cut] if next_cut < len(segment.cuts) else len(segment.nodes)
        talk = self._talk.get(id(segment))
        if talk is None:
            talk = self._talk[id(segment)] = _Talk(segment.nodes, self._nodes)
        earliest = talk.earliest(position + 1, end)
        if earliest is not None and earliest > boundary:
            insort(segment.cuts, position + 1)

    def _locate(self, index: int, segments: Sequence[Segment]) -> tuple[Segment, int]:
        """Return the segment of an entry and the entry's position in it; `segments`: all segments of the line."""
        line = segments[0].line
        for segment in segments[self._located_counts.get(line, 0) :]:
            self._located.update((member, (segment, position)) for position, member in enumerate(segment.nodes))
        self._located_counts[line] = len(segments)
        return self._located[index]


class _Talk:
    """A sparse table of a segment's talk entries, for finding the earliest one in any range of positions."""

    def __init__(self, members: Sequence[int], nodes: Sequence[Node]) -> None:
        self._positions = [position for position, index in enumerate(members) if nodes[index].is_talk]
        self._levels = [[members[position] for position in self._positions]]

    def earliest(self, start: int, end: int) -> int | None:
        """Return the earliest talk entry at positions from `start` to `end` (exclusive), or None if there is none."""
        first, last = bisect_left(self._positions, start), bisect_left(self._positions, end)
        if first >= last:
            return None
        level = (last - first).bit_length() - 1
        while len(self._levels) <= level:
            below, step = self._levels[-1], 1 << (len(self._levels) - 1)
            self._levels.append(list(map(min, below, below[step:])))
        row = self._levels[level]
        return min(row[first], row[last - (1 << level)])
