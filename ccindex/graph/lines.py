"""Build the tree of lines from placed entries: names, attachments, junctions and active branches."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from ccindex.graph.line_ids import LineName
from ccindex.graph.parents import Links
from ccindex.graph.placement import Placement, Track
from ccindex.graph.preorder import Preorder, children_by_time
from ccindex.graph.threads import short_names, smallest_of_cycles
from ccindex.model.graph import NONE, Verdict


@dataclass(frozen=True, slots=True)
class Line:
    """A line: its entries in order, and the entry it attaches to."""

    name: LineName
    thread: int
    kind: str
    is_agent: bool
    is_branch: bool  # starts at a rewind or a retry
    nodes: tuple[int, ...]
    can_end_path: bool  # the last segment does not end in a rewind or a retry
    attachment: int = NONE
    parent: int = NONE
    parent_position: int = NONE
    is_active: bool = True

    @property
    def id(self) -> str:
        """The full id of the line. For many lines, a single call to `line_ids` is cheaper."""
        return str(self.name)


class LinePosition(NamedTuple):
    """A line and a position on it."""

    line: int
    position: int


class Junction(NamedTuple):
    """An entry and one of the lines that continue from it: a branch or a line of another thread."""

    node: int
    target: int
    kind: str
    ordinal: int


@dataclass(frozen=True, slots=True)
class Forest:
    """All lines in time order, the line and position of every entry, junctions, and lines detached to break loops."""

    lines: tuple[Line, ...]
    line_of: list[int]
    position_of: list[int]
    junctions: tuple[Junction, ...]
    loop_cuts: tuple[int, ...]
    line_positions: "LinePositions"


def build_lines(links: Links, placement: Placement) -> Forest:
    """Name and attach the lines, mark the active ones, and find the junctions (rule: line_order, loop_cut)."""
    names = [LineName(links.threads[track.thread].id) for track in placement.tracks]
    has_branches = any(track.branch_of != NONE for track in placement.tracks)
    if has_branches:
        _name_branches(links, placement.tracks, names)
    tracks = [number for number, track in enumerate(placement.tracks) if track.segments]
    tracks.sort(key=lambda number: placement.tracks[number].segments[0].nodes[0])
    line_of, position_of = [NONE] * len(links.nodes), [NONE] * len(links.nodes)
    drafts = []
    for line, number in enumerate(tracks):
        drafts.append(_draft(links, placement.tracks[number], names[number]))
        for position, index in enumerate(drafts[-1].nodes):
            line_of[index], position_of[index] = line, position
    line_positions = LinePositions(placement, line_of, position_of)
    attachments = _attachments(links, placement, tracks)
    positions = [line_positions.of(node) if node != NONE else LinePosition(NONE, NONE) for node in attachments]
    parents = [position.line for position in positions]
    loop_cuts = smallest_of_cycles(parents)
    for line in loop_cuts:
        parents[line] = NONE
    lines = tuple(
        draft
        if parent == NONE
        else replace(draft, attachment=attachment, parent=parent, parent_position=position.position)
        for draft, parent, attachment, position in zip(drafts, parents, attachments, positions, strict=True)
    )
    if has_branches:
        chosen = choose_active_branches(links, placement, line_positions, tracks)
        lines = _mark_active(lines, [chosen.get(number, True) for number in tracks])
    junctions = _junctions(links, lines, line_of, position_of, [placement.tracks[number] for number in tracks])
    return Forest(lines, line_of, position_of, junctions, tuple(loop_cuts), line_positions)


@dataclass(frozen=True, slots=True)
class LinePositions:
    """Line positions of all entries. An entry that was set aside has the position of its fork."""

    placement: Placement
    line_of: Sequence[int]
    position_of: Sequence[int]
    cache: dict[int, int] = field(default_factory=dict)  # entry set aside -> entry on a line

    def of(self, node: int) -> LinePosition:
        """Return the line and position of an entry; for an entry that was set aside, those of its fork."""
        trail = []
        while self.line_of[node] == NONE and node not in self.cache:
            trail.append(node)
            node = self.placement.aside[node].fork
        node = self.cache.get(node, node)
        self.cache.update((passed, node) for passed in trail)
        return LinePosition(self.line_of[node], self.position_of[node])


def parents_first(lines: Sequence[Line]) -> list[int]:
    """Return the indexes of all lines, each after the line it attaches to."""
    children: list[list[int]] = [[] for _ in lines]
    order: list[int] = []
    for number, line in enumerate(lines):
        (order if line.parent == NONE else children[line.parent]).append(number)
    for number in order:  # grows during the loop
        order.extend(children[number])
    return order


def _name_branches(links: Links, tracks: Sequence[Track], names: list[LineName]) -> None:
    """Name every branch after its parent line and its first entry, instead of after its thread (rule: branch_id)."""
    branches: defaultdict[int, list[int]] = defaultdict(list)
    for number, track in enumerate(tracks):
        if track.branch_of != NONE:
            branches[track.branch_of].append(number)
    for number in sorted(branches):  # a line is named before its branches
        started = {child: links.nodes[tracks[child].start].uuid for child in branches[number]}
        short = short_names(started.values())
        for child, uuid in started.items():
            names[child] = LineName(short[uuid], names[number])


def _draft(links: Links, track: Track, name: LineName) -> Line:
    is_agent, is_branch = links.threads[track.thread].agent_id is not None, track.branch_of != NONE
    kind = ("agent_branch" if is_branch else "agent") if is_agent else ("branch" if is_branch else "trunk")
    # a segment that contains only side children next to roots that start branches does not count as the last segment
    segments = [segment for segment in track.segments if not segment.is_side_of_roots]
    return Line(
        name,
        track.thread,
        kind,
        is_agent,
        is_branch,
        tuple(index for segment in track.segments for index in segment.nodes),
        can_end_path=bool(segments) and not segments[-1].ends_in_rewind,
    )


def _attachments(links: Links, placement: Placement, tracks: Sequence[int]) -> list[int]:
    """Return the entry that each line attaches to.

    A branch attaches to its fork. Any other line attaches to the parent of its earliest root.

    (rule: line_attachment)
    """
    first_root: dict[int, int] = {}
    for root in links.roots:
        track = placement.track_of[root.index]
        if track != NONE:
            first_root.setdefault(track, root.index)
    return [
        placement.tracks[number].fork
        if placement.tracks[number].branch_of != NONE
        else links.parents[first_root[number]]
        for number in tracks
    ]


def choose_active_branches(
    links: Links, placement: Placement, line_positions: LinePositions, tracks: Sequence[int]
) -> dict[int, bool]:
    """Choose the active branch at every rewind and retry, and return for each branch whether it was chosen."""
    forks: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
    for number, track in enumerate(placement.tracks):
        if track.branch_of != NONE:
            forks[track.fork, track.thread].append(number)
    parents = [track.branch_of for track in placement.tracks]
    below = Preorder(parents, children_by_time(parents))  # a line and all branches below it form a range
    leaves = {
        session: below.start[tracks[line_positions.of(record.leaf).line]]
        for session, record in links.family.leaves.items()
    }
    chosen: dict[int, bool] = {}
    for (_, thread), branches in forks.items():
        leaf = leaves.get(links.threads[thread].session, NONE)
        holding = frozenset(number for number in branches if below.start[number] <= leaf < below.end[number])
        active = _choose_branch(links, placement, branches, holding)
        chosen.update((number, number == active) for number in branches)
    return chosen


def _choose_branch(links: Links, placement: Placement, branches: list[int], holding: frozenset[int]) -> int:
    """Choose the active branch among the branches of one fork.

    The criteria, in this order, are the active flag of the first entry, the session's last `last-prompt` record, the
    latest talk entry (only at a retry), and file order. `holding`: the branches whose subtree contains the entry that
    the record refers to.

    (rule: active_branch)
    """
    starts = {number: placement.tracks[number].start for number in branches}
    flagged = [number for number in branches if links.nodes[starts[number]].is_active]
    candidates = flagged or branches
    if len(candidates) == 1:
        return candidates[0]
    track = placement.tracks[branches[0]]
    record = links.family.leaves.get(links.threads[track.thread].session)
    if record is not None and all(record.time > links.family.time(start) for start in starts.values()):
        for number in candidates:
            if number in holding:
                return number
    if track.verdict is Verdict.RETRY:
        last = max(candidates, key=lambda number: placement.latest_talk[starts[number]])
        if placement.latest_talk[starts[last]] != NONE:
            return last
    return max(candidates, key=lambda number: links.family.seq(starts[number]))


def _mark_active(lines: Sequence[Line], chosen: Sequence[bool]) -> tuple[Line, ...]:
    """Mark a line as inactive if it or a line above it is a branch that was not chosen (rule: active_line)."""
    is_active = list(chosen)
    for number in parents_first(lines):
        parent = lines[number].parent
        if parent != NONE and not is_active[parent]:
            is_active[number] = False
    return tuple(replace(line, is_active=active) for line, active in zip(lines, is_active, strict=True))


def _junctions(
    links: Links, lines: Sequence[Line], line_of: Sequence[int], position_of: Sequence[int], tracks: Sequence[Track]
) -> tuple[Junction, ...]:
    """Find the entries at which a branch starts or that have a child in another thread (rule: junction_kind)."""
    starts = {(track.fork, line): track.start for line, track in enumerate(tracks) if track.branch_of != NONE}
    leaving: defaultdict[int, dict[int, int]] = defaultdict(dict)
    for root in links.roots:
        parent, line = links.parents[root.index], line_of[root.index]
        if NONE not in (parent, line):
            leaving[parent].setdefault(line, root.index)
    for (fork, line), start in starts.items():
        leaving[fork][line] = min(start, leaving[fork].get(line, start))
    junctions = []
    for node, targets in leaving.items():
        line = line_of[node]
        is_last = line != NONE and position_of[node] == len(lines[line].nodes) - 1
        for ordinal, target in enumerate(sorted(targets, key=targets.__getitem__)):
            if (node, target) in starts:
                kind = str(tracks[target].verdict)
            elif lines[target].is_agent:
                kind = "agent"
            else:
                kind = "resume" if is_last else "fork"
            junctions.append(Junction(node, target, kind, ordinal))
    return tuple(junctions)
