"""The entries of a family to lines: every entry is placed on one, or set aside with a reason."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import NamedTuple, TypeVar

from ccindex.graph.ladder import rule
from ccindex.graph.parents import Links
from ccindex.graph.segments import Cutter, Segment, in_order
from ccindex.graph.subtrees import Recordings, Subtrees, children_by_time
from ccindex.model.graph import NONE, Child, Fork, ForkContents, Kind, Reason, Ruling, Verdict


class Aside(NamedTuple):
    """Why an entry is on no line, and the fork where that was decided."""

    reason: Reason
    fork: int


class Ruled(NamedTuple):
    """A ruling on the children that an entry has in one thread."""

    parent: int
    thread: int
    child_count: int
    ruling: Ruling


@dataclass(slots=True)
class Track:
    """A line during the walk; a thread's own line stays empty if its roots are branches."""

    thread: int
    branch_of: int = NONE
    fork: int = NONE
    start: int = NONE
    verdict: Verdict | None = None
    segments: list[Segment] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Placement:
    """The line or reason of every entry; `inlined`: the fork that put an entry on a line beside its continuation."""

    tracks: list[Track]
    track_of: list[int]
    aside: Mapping[int, Aside]
    inlined: Mapping[int, int]
    ruled: list[Ruled]
    latest_talk: Sequence[int]  # at or below an entry; empty if there is no fork


def place_entries(links: Links, contents: ForkContents) -> Placement:
    """Walk all threads: non-boundary roots first, then boundaries, each by time."""
    walker = _Walker(links, contents)
    members: defaultdict[int, list[int]] = defaultdict(list)
    for index, thread in enumerate(links.thread_of):
        members[thread].append(index)
    roots: defaultdict[int, list[int]] = defaultdict(list)
    for root in links.roots:
        roots[links.thread_of[root.index]].append(root.index)
    for thread in range(len(links.threads)):
        walker.thread(thread, roots[thread], members[thread])
    return walker.result()


class _Walker:
    """What was placed so far. Every entry is placed once; nothing is recursive."""

    def __init__(self, links: Links, contents: ForkContents) -> None:
        self._links = links
        self._nodes = links.nodes
        self._contents = contents
        self._subtrees: Subtrees | None = None  # made at the first fork
        self._recordings: Recordings | None = None  # made at the first comparison
        self._first_child, self._next_sibling = children_by_time(links.inner)
        self._anchors = frozenset(
            links.parents[root]
            for thread, root in links.first_roots.items()
            if links.threads[thread].agent_id is not None
        )
        self._cutter: Cutter | None = None  # made at the first cut
        self._above_results: dict[int, int] = {}
        self._kept_root: dict[int, int] = {}  # by root that was recorded again: the root that is walked instead
        self._todo: list[tuple[int, int]] = []
        self._tracks: list[Track] = []
        self._track_of = [NONE] * len(links.nodes)
        self._aside: dict[int, Aside] = {}
        self._inlined: dict[int, int] = {}
        self._ruled: list[Ruled] = []

    def result(self) -> Placement:
        """Return where everything was placed, the segments of every line in order."""
        for track in self._tracks:
            if len(track.segments) > 1 or any(segment.cuts for segment in track.segments):
                track.segments = in_order(track.segments, self._nodes)
        latest = self._subtrees.latest_talk if self._subtrees is not None else ()
        return Placement(self._tracks, self._track_of, self._aside, self._inlined, self._ruled, latest)

    def thread(self, thread: int, roots: list[int], members: list[int]) -> None:
        """Walk one thread; its own line is the first."""
        own = len(self._tracks)
        self._tracks.append(Track(thread))
        boundaries = [root for root in roots if self._nodes[root].kind == Kind.BOUNDARY]
        others = [root for root in roots if self._nodes[root].kind != Kind.BOUNDARY]
        if self._contents.contents and len(others) > 1:
            self._drop_recorded_again([root for root in others if self._links.parents[root] == NONE])
        others = [root for root in others if root not in self._aside]
        for group in self._root_groups(thread, others) if len(others) > 1 else [others] if others else ():
            if len(group) == 1:
                self._extend(Segment(own), group[0])
            else:
                self._fork_of_roots(own, group)
        for boundary in boundaries:
            self._extend(Segment(self._continued_by(boundary, own, members)), boundary)

    def _drop_recorded_again(self, roots: list[int]) -> None:
        """Set aside the parentless roots whose history another root with later talk holds too."""
        if len(roots) < 2:
            return
        recordings, latest = self._recorded(), self._below().latest_talk
        roots = sorted(roots, key=latest.__getitem__, reverse=True)
        responses = {root: recordings.responses(root) for root in roots}
        contents = {root: recordings.contents(root) for root in roots}
        by_response, by_content = _inverted(responses), _inverted(contents)
        for root in roots:
            if not responses[root] or not contents[root]:
                continue
            candidates = min((by_response[response] for response in responses[root]), key=len)
            if sum(len(by_content[content]) for content in contents[root]) < len(candidates):
                alike = set(chain.from_iterable(by_content[content] for content in contents[root]))
                candidates = sorted(alike, key=latest.__getitem__, reverse=True)
            for other in candidates:
                if latest[other] <= latest[root]:
                    break
                if recordings.is_recorded_again(root, other):
                    self._kept_root[root] = self._kept_root.get(other, other)
                    self._drop([root], other)
                    break

    def _root_groups(self, thread: int, roots: list[int]) -> list[list[int]]:
        """Group the roots under one entry outside the thread; an agent's earliest root stands alone."""
        links = self._links
        is_agent = links.threads[thread].agent_id is not None
        groups: list[list[int]] = []
        together: dict[int, list[int]] = {}
        for root in roots:
            parent = links.parents[root]
            stands_alone = (is_agent and links.first_roots[thread] == root) or root in links.spawns
            if parent == NONE or stands_alone:
                groups.append([root])
            elif parent in together:
                together[parent].append(root)
            else:
                together[parent] = [root]
                groups.append(together[parent])
        return groups

    def _fork_of_roots(self, own: int, roots: list[int]) -> None:
        """Rule on roots as children of the entry outside the thread that is their parent."""
        segment = Segment(own)
        then = self._rule(segment, self._links.parents[roots[0]], roots)
        segment.is_side_of_roots, segment.ends_in_rewind = segment.ends_in_rewind, False
        self._extend(segment, then)

    def _extend(self, segment: Segment, start: int) -> None:
        """Follow a segment to its end, then those that start at its forks."""
        first, following, track_of = self._first_child, self._next_sibling, self._track_of
        while True:
            nodes, line, at = segment.nodes, segment.line, start
            while at != NONE:
                nodes.append(at)
                track_of[at] = line
                child = first[at]
                is_fork = child != NONE and following[child] != NONE
                at = self._rule(segment, at, list(self._children_of(at))) if is_fork else child
            if nodes:
                self._tracks[line].segments.append(segment)
            if not self._todo:
                return
            line, start = self._todo.pop()
            segment = Segment(line)

    def _rule(self, segment: Segment, parent: int, children: list[int]) -> int:
        """Place all children; return the one that continues the segment, or NONE."""
        subtrees = self._below()
        fork = Fork(
            self._nodes[parent],
            tuple([self._child(index, subtrees) for index in children]),
            self._contents.uses.get(parent, frozenset()),
            self._response_above(parent),
            self._is_recorded_again,
        )
        ruling = rule(fork)
        thread = self._links.thread_of[children[0]]
        self._ruled.append(Ruled(parent, thread, len(children), ruling))
        self._inline(segment, parent, ruling)
        self._drop(ruling.dropped, parent)
        self._todo.extend((segment.line, start) for start in ruling.segments)
        for start in ruling.branches:
            self._todo.append((len(self._tracks), start))
            self._tracks.append(Track(thread, segment.line, parent, start, ruling.verdict))
        segment.ends_in_rewind = bool(ruling.branches)
        return ruling.then

    def _child(self, index: int, subtrees: Subtrees) -> Child:
        nodes, contents = self._nodes, self._contents
        talk, spoken = subtrees.first_talk[index], subtrees.first_spoken[index]
        latest = subtrees.latest_talk[index]
        return Child(
            index,
            nodes[index],
            subtrees.height[index],
            bool(subtrees.talks_below[index]),
            bool(subtrees.has_typed[index]),
            talk,
            None if talk == NONE else nodes[talk].kind,
            spoken,
            None if spoken == NONE else nodes[spoken].kind,
            latest,
            0 if latest == NONE else nodes[latest].at,
            contents.answers.get(index, ()),
            contents.texts.get(index, ""),
            contents.contents.get(index, frozenset()),
        )

    def _response_above(self, parent: int) -> str | None:
        """Return the response of the nearest entry above a result that is no result."""
        nodes, parents, above = self._nodes, self._links.parents, self._above_results
        trail = []
        at = parent
        while at != NONE and nodes[at].kind == Kind.RESULT:
            if at in above:
                at = above[at]
                break
            trail.append(at)
            at = parents[at]
        above.update((passed, at) for passed in trail)
        return None if at in (NONE, parent) else nodes[at].response

    def _is_recorded_again(self, one: int, other: int) -> bool:
        return bool(self._contents.contents) and self._recorded().is_recorded_again(one, other)

    def _below(self) -> Subtrees:
        if self._subtrees is None:
            self._subtrees = Subtrees(self._nodes, self._links.inner)
        return self._subtrees

    def _recorded(self) -> Recordings:
        if self._recordings is None:
            self._recordings = Recordings(self._nodes, self._links.inner, self._contents.contents)
        return self._recordings

    def _inline(self, segment: Segment, fork: int, ruling: Ruling) -> None:
        """Put inlined children and anchors below them on the line, by time; set aside the rest below them."""
        if not ruling.inline and not ruling.inline_whole:
            return
        aside = Aside(Reason.STRUCTURAL, fork)
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

    def _drop(self, children: Iterable[int], fork: int) -> None:
        """Set aside children and everything below them as replays."""
        aside = Aside(Reason.REPLAY, fork)
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

    def _continued_by(self, boundary: int, own: int, members: list[int]) -> int:
        """Find the line that a compaction continues; cut the segment that it belongs into."""
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
        # an earlier boundary is on a line already, so no stretch is searched twice
        for place in range(bisect_left(members, boundary) - 1, -1, -1):
            if track_of[members[place]] != NONE:
                return track_of[members[place]]
        return own


_Key = TypeVar("_Key", str, bytes)


def _inverted(held: Mapping[int, Iterable[_Key]]) -> dict[_Key, list[int]]:
    """Return the roots that hold a key, in the order given."""
    found: defaultdict[_Key, list[int]] = defaultdict(list)
    for root, keys in held.items():
        for key in keys:
            found[key].append(root)
    return found
