"""Place every entry of a family on a line, or set it aside with a reason."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import NamedTuple, TypeVar

from ccindex.graph.ladder import rule
from ccindex.graph.parents import Links
from ccindex.graph.segments import Cutter, Segment, order_segments
from ccindex.graph.subtrees import Recordings, Subtrees
from ccindex.model.graph import NONE, Child, EntryKind, Fork, ForkContents, Reason, Ruling, Verdict


class SetAside(NamedTuple):
    """The reason why an entry is on no line, and the fork where it was set aside."""

    reason: Reason
    fork: int


class RuledFork(NamedTuple):
    """A ruling on the children that an entry has in one thread."""

    parent: int
    thread: int
    child_count: int
    ruling: Ruling


@dataclass(slots=True)
class Track:
    """A line under construction. The main line of a thread can stay empty if the thread's roots start branches."""

    thread: int
    branch_of: int = NONE
    fork: int = NONE
    start: int = NONE
    verdict: Verdict | None = None
    segments: list[Segment] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Placement:
    """The line of every entry, or the reason why it is on no line. `inlined` maps inlined entries to their forks."""

    tracks: list[Track]
    track_of: list[int]
    aside: Mapping[int, SetAside]
    inlined: Mapping[int, int]
    ruled: list[RuledFork]
    latest_talk: Sequence[int]  # by entry: the latest talk entry at or below it; empty if not computed


def place_entries(links: Links, contents: ForkContents) -> Placement:
    """Place the entries of all threads, walking each thread's roots in time order, with compact boundaries last."""
    walker = _Walker(links, contents)
    members: defaultdict[int, list[int]] = defaultdict(list)
    for index, thread in enumerate(links.thread_of):
        members[thread].append(index)
    roots: defaultdict[int, list[int]] = defaultdict(list)
    for root in links.roots:
        roots[links.thread_of[root.index]].append(root.index)
    for thread in range(len(links.threads)):
        walker.walk_thread(thread, roots[thread], members[thread])
    return walker.result()


class _Walker:
    """Places entries thread by thread, without recursion. Every entry is placed once."""

    def __init__(self, links: Links, contents: ForkContents) -> None:
        self._links = links
        self._nodes = links.nodes
        self._contents = contents
        self._subtrees: Subtrees | None = None  # built when first needed
        self._recordings: Recordings | None = None  # built on the first comparison
        self._first_child, self._next_sibling = links.children
        self._anchors = frozenset(
            links.parents[root]
            for thread, root in links.first_roots.items()
            if links.threads[thread].agent_id is not None
        )
        self._cutter: Cutter | None = None  # built on the first cut
        self._above_results: dict[int, int] = {}
        self._kept_root: dict[int, int] = {}  # root that was recorded again -> root that is walked instead
        self._todo: list[tuple[int, int]] = []
        self._tracks: list[Track] = []
        self._track_of = [NONE] * len(links.nodes)
        self._aside: dict[int, SetAside] = {}
        self._inlined: dict[int, int] = {}
        self._ruled: list[RuledFork] = []

    def result(self) -> Placement:
        """Return the placement of all entries, with the segments of every line in order."""
        for track in self._tracks:
            if len(track.segments) > 1 or any(segment.cuts for segment in track.segments):
                track.segments = order_segments(track.segments, self._nodes)
        latest = self._subtrees.latest_talk if self._subtrees is not None else ()
        return Placement(self._tracks, self._track_of, self._aside, self._inlined, self._ruled, latest)

    def walk_thread(self, thread: int, roots: list[int], members: list[int]) -> None:
        """Place the entries of one thread on lines. The first line is the main line of the thread (rule: line_walk)."""
        own = len(self._tracks)
        self._tracks.append(Track(thread))
        boundaries = [root for root in roots if self._nodes[root].kind == EntryKind.BOUNDARY]
        others = [root for root in roots if self._nodes[root].kind != EntryKind.BOUNDARY]
        if self._contents.contents and len(others) > 1:
            self._set_aside_recorded_again([root for root in others if self._links.parents[root] == NONE])
        others = [root for root in others if root not in self._aside]
        for group in self._root_groups(thread, others) if len(others) > 1 else [others] if others else ():
            if len(group) == 1:
                self._extend(Segment(own), group[0])
            else:
                self._fork_of_roots(own, group)
        for boundary in boundaries:
            self._extend(Segment(self._continued_line(boundary, own, members)), boundary)

    def _set_aside_recorded_again(self, roots: list[int]) -> None:
        """Set aside every parentless root whose history is repeated below another root with a later talk entry.

        (rule: recorded_again_roots)
        """
        if len(roots) < 2:
            return
        recordings, latest = self._get_recordings(), self._get_subtrees().latest_talk
        roots = sorted(roots, key=latest.__getitem__, reverse=True)
        responses = {root: recordings.responses(root) for root in roots}
        contents = {root: recordings.contents(root) for root in roots}
        by_response, by_content = _inverted(responses), _inverted(contents)
        for root in roots:
            if not responses[root] or not contents[root]:
                continue
            candidates = min((by_response[response] for response in responses[root]), key=len)
            if sum(len(by_content[content]) for content in contents[root]) < len(candidates):
                similar = set(chain.from_iterable(by_content[content] for content in contents[root]))
                candidates = sorted(similar, key=latest.__getitem__, reverse=True)
            for other in candidates:
                if latest[other] <= latest[root]:
                    break
                if recordings.is_recorded_again(root, other):
                    self._kept_root[root] = self._kept_root.get(other, other)
                    self._set_aside_replays([root], other)
                    break

    def _root_groups(self, thread: int, roots: list[int]) -> list[list[int]]:
        """Group the roots that have the same parent outside the thread. An agent's earliest root is a group of its own.

        (rule: outside_roots)
        """
        links = self._links
        is_agent = links.threads[thread].agent_id is not None
        groups: list[list[int]] = []
        by_parent: dict[int, list[int]] = {}
        for root in roots:
            parent = links.parents[root]
            is_single = (is_agent and links.first_roots[thread] == root) or root in links.spawns
            if parent == NONE or is_single:
                groups.append([root])
            elif parent in by_parent:
                by_parent[parent].append(root)
            else:
                by_parent[parent] = [root]
                groups.append(by_parent[parent])
        return groups

    def _fork_of_roots(self, own: int, roots: list[int]) -> None:
        """Rule on roots as children of their common parent outside the thread (rule: outside_roots)."""
        segment = Segment(own)
        next_child = self._rule(segment, self._links.parents[roots[0]], roots)
        segment.is_side_of_roots, segment.ends_in_rewind = segment.ends_in_rewind, False
        self._extend(segment, next_child)

    def _extend(self, segment: Segment, start: int) -> None:
        """Follow a segment to its end, then follow the segments that start at its forks (rule: line_walk)."""
        first, following, track_of = self._first_child, self._next_sibling, self._track_of
        while True:
            nodes, line, current = segment.nodes, segment.line, start
            while current != NONE:
                nodes.append(current)
                track_of[current] = line
                child = first[current]
                is_fork = child != NONE and following[child] != NONE
                current = self._rule(segment, current, list(self._children_of(current))) if is_fork else child
            if nodes:
                self._tracks[line].segments.append(segment)
            if not self._todo:
                return
            line, start = self._todo.pop()
            segment = Segment(line)

    def _rule(self, segment: Segment, parent: int, children: list[int]) -> int:
        """Place all children of a fork; return the child that continues the segment, or NONE."""
        subtrees = self._get_subtrees()
        fork = Fork(
            self._nodes[parent],
            tuple([self._child(index, subtrees) for index in children]),
            self._contents.uses.get(parent, frozenset()),
            self._response_above(parent),
            self._is_recorded_again,
        )
        ruling = rule(fork)
        thread = self._links.thread_of[children[0]]
        self._ruled.append(RuledFork(parent, thread, len(children), ruling))
        self._inline(segment, parent, ruling)
        self._set_aside_replays(ruling.set_aside, parent)
        self._todo.extend((segment.line, start) for start in ruling.segments)
        for start in ruling.branches:
            self._todo.append((len(self._tracks), start))
            self._tracks.append(Track(thread, segment.line, parent, start, ruling.verdict))
        segment.ends_in_rewind = bool(ruling.branches)
        return ruling.next_child

    def _child(self, index: int, subtrees: Subtrees) -> Child:
        nodes, contents = self._nodes, self._contents
        talk, real_talk = subtrees.first_talk[index], subtrees.first_real_talk[index]
        latest = subtrees.latest_talk[index]
        return Child(
            index,
            nodes[index],
            subtrees.height[index],
            bool(subtrees.talks_below[index]),
            bool(subtrees.has_typed_prompt[index]),
            talk,
            None if talk == NONE else nodes[talk].kind,
            real_talk,
            None if real_talk == NONE else nodes[real_talk].kind,
            latest,
            0 if latest == NONE else nodes[latest].timestamp_ms,
            contents.answers.get(index, ()),
            contents.texts.get(index, ""),
            contents.contents.get(index, frozenset()),
        )

    def _response_above(self, parent: int) -> str | None:
        """Return the response of the nearest ancestor that is not a result. Return None if `parent` is not a result."""
        nodes, parents, above = self._nodes, self._links.parents, self._above_results
        trail = []
        current = parent
        while current != NONE and nodes[current].kind == EntryKind.RESULT:
            if current in above:
                current = above[current]
                break
            trail.append(current)
            current = parents[current]
        above.update((passed, current) for passed in trail)
        return None if current in (NONE, parent) else nodes[current].response

    def _is_recorded_again(self, one: int, other: int) -> bool:
        return bool(self._contents.contents) and self._get_recordings().is_recorded_again(one, other)

    def _get_subtrees(self) -> Subtrees:
        if self._subtrees is None:
            self._subtrees = Subtrees(self._nodes, self._links.inner)
        return self._subtrees

    def _get_recordings(self) -> Recordings:
        if self._recordings is None:
            self._recordings = Recordings(self._links, self._contents.contents)
        return self._recordings

    def _inline(self, segment: Segment, fork: int, ruling: Ruling) -> None:
        """Put inlined children on the line in time order, with the entries below them that must stay on the line.

        These are commands and the entries that agents attach to. All other entries below an inlined child are set
        aside, but children in `inline_whole` are inlined with all their descendants.

        (rule: inline_order, anchor)
        """
        if not ruling.inline and not ruling.inline_whole:
            return
        aside = SetAside(Reason.STRUCTURAL, fork)
        placed = [*ruling.inline, *ruling.inline_whole]
        for child in ruling.inline:
            for index in self._descendants(child):
                if index in self._anchors or self._nodes[index].is_command:
                    placed.append(index)
                else:
                    self._aside[index] = aside
        for child in ruling.inline_whole:
            placed += self._descendants(child)
        placed.sort()
        segment.nodes += placed
        for index in placed:
            self._track_of[index] = segment.line
            self._inlined[index] = fork

    def _set_aside_replays(self, children: Iterable[int], fork: int) -> None:
        """Set aside children and all their descendants as replays."""
        aside = SetAside(Reason.REPLAY, fork)
        for child in children:
            self._aside[child] = aside
            self._aside.update((index, aside) for index in self._descendants(child))

    def _descendants(self, index: int) -> Iterator[int]:
        stack = list(self._children_of(index))
        while stack:
            below = stack.pop()
            yield below
            stack.extend(self._children_of(below))

    def _children_of(self, index: int) -> Iterator[int]:
        child = self._first_child[index]
        while child != NONE:
            yield child
            child = self._next_sibling[child]

    def _continued_line(self, boundary: int, own: int, members: list[int]) -> int:
        """Find the line that a compact boundary continues, and cut a segment of that line where the boundary belongs.

        (rule: compaction_root)
        """
        thread_of, track_of = self._links.thread_of, self._track_of
        for named in self._links.family.logical.get(boundary, ()):
            if thread_of[named] != thread_of[boundary]:
                continue
            if track_of[named] != NONE:
                if self._cutter is None:
                    self._cutter = Cutter(self._nodes)
                self._cutter.cut_before(boundary, named, self._tracks[track_of[named]].segments)
                return track_of[named]
            if named in self._aside:
                fork = self._aside[named].fork
                fork = self._kept_root.get(fork, fork)
                return track_of[fork] if thread_of[fork] == thread_of[boundary] else own
        # The search ends at the previous boundary at the latest, because that boundary is already on a line. The total
        # work is therefore linear.
        for position in range(bisect_left(members, boundary) - 1, -1, -1):
            if track_of[members[position]] != NONE:
                return track_of[members[position]]
        return own


_Key = TypeVar("_Key", str, bytes)


def _inverted(keys_by_root: Mapping[int, Iterable[_Key]]) -> dict[_Key, list[int]]:
    """Map each key to the roots that have it, in the order of `keys_by_root`."""
    roots_by_key: defaultdict[_Key, list[int]] = defaultdict(list)
    for root, keys in keys_by_root.items():
        for key in keys:
            roots_by_key[key].append(root)
    return roots_by_key
