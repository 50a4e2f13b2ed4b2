"""The walk: every thread's entries onto lines, in segments, or aside with a reason."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from ccindex.model.graph import NONE, Below, Child, Fork, Kind, Reason, Ruling, Words

from .below import Depths
from .ladder import rule
from .links import Links


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
class Segment:
    """A stretch of a line, put together while it is walked."""

    line: int
    nodes: list[int] = field(default_factory=list)
    ends_in_rewind: bool = False
    is_side_of_roots: bool = False  # what a rewind of a thread's roots left in line


@dataclass(slots=True)
class Track:
    """A line while it is walked; a thread's own stays empty where its roots are branches."""

    thread: int
    branch_of: int = NONE
    fork: int = NONE
    start: int = NONE
    segments: list[Segment] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Walked:
    """Where everything went; `inlined`: by which fork an entry was put on a line beside what goes on there."""

    tracks: list[Track]
    track_of: list[int]
    aside: Mapping[int, Aside]
    inlined: Mapping[int, int]
    ruled: list[Ruled]


def walk(links: Links, words: Words) -> Walked:
    """Walk all threads: from roots that are no boundaries first, then from boundaries, each by time."""
    walker = _Walker(links, words)
    members: defaultdict[int, list[int]] = defaultdict(list)
    for index, thread in enumerate(links.thread_of):
        members[thread].append(index)
    roots: defaultdict[int, list[int]] = defaultdict(list)
    for root in links.roots:
        roots[links.thread_of[root.index]].append(root.index)
    for thread in range(len(links.threads)):
        walker.thread(thread, roots[thread], members[thread])
    for track in walker.tracks:
        track.segments.sort(key=lambda segment: segment.nodes[0])
    return Walked(walker.tracks, walker.track_of, walker.aside, walker.inlined, walker.ruled)


class _Walker:
    """Holds what was placed so far; nothing in it recurses, every entry is placed once."""

    def __init__(self, links: Links, words: Words) -> None:
        self._links = links
        self._nodes = links.nodes
        self._words = words
        self._depths: Depths | None = None  # for forks alone
        self._first_child, self._next_sibling = _children(links.inner)
        self._anchors = _anchors(links)
        self._todo: list[tuple[int, int]] = []
        self.tracks: list[Track] = []
        self.track_of = [NONE] * len(links.nodes)
        self.aside: dict[int, Aside] = {}
        self.inlined: dict[int, int] = {}
        self.ruled: list[Ruled] = []

    def thread(self, thread: int, roots: list[int], members: list[int]) -> None:
        """Walk one thread; its own line is made first."""
        own = self._new_track(thread)
        for group in self._root_groups(thread, [root for root in roots if not self._is_boundary(root)]):
            if len(group) == 1:
                self._todo.append((own, group[0]))
            else:
                self._fork_of_roots(own, group)
            self._drain()
        for root in roots:
            if self._is_boundary(root):
                self._todo.append((self._continued_by(root, own, members), root))
                self._drain()

    def _is_boundary(self, index: int) -> bool:
        return self._nodes[index].kind == Kind.BOUNDARY

    def _root_groups(self, thread: int, roots: list[int]) -> list[list[int]]:
        """Roots that hang on one entry outside the thread stand together; an agent's first root stands alone."""
        links = self._links
        is_agent = links.threads[thread].is_agent
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
        """Rule on roots as on children of the entry outside that they hang on."""
        segment = Segment(own)
        then = self._rule(segment, self._links.parents[roots[0]], roots)
        segment.is_side_of_roots, segment.ends_in_rewind = segment.ends_in_rewind, False
        self._extend(segment, then)

    def _drain(self) -> None:
        while self._todo:
            track, start = self._todo.pop()
            self._extend(Segment(track), start)

    def _extend(self, segment: Segment, start: int) -> None:
        """Follow a segment to its end."""
        nodes, line = segment.nodes, segment.line
        first, following, track_of = self._first_child, self._next_sibling, self.track_of
        at = start
        while at != NONE:
            nodes.append(at)
            track_of[at] = line
            child = first[at]
            is_fork = child != NONE and following[child] != NONE
            at = self._rule(segment, at, list(self._children_of(at))) if is_fork else child
        if segment.nodes:
            self.tracks[segment.line].segments.append(segment)

    def _put(self, segment: Segment, index: int) -> None:
        segment.nodes.append(index)
        self.track_of[index] = segment.line

    def _rule(self, segment: Segment, parent: int, children: list[int]) -> int:
        """Place all children; return the one that the segment goes on with, or NONE."""
        if self._depths is None:
            self._depths = Depths(self._nodes, self._links.inner)
        below = self._depths.of
        fork = Fork(
            tuple([self._child(index, below(index)) for index in children]),
            parent_kind=self._nodes[parent].kind,
            parent_uses=self._words.uses.get(parent, frozenset()),
        )
        ruling = rule(fork)
        thread = self._links.thread_of[children[0]]
        self.ruled.append(Ruled(parent, thread, len(children), ruling))
        self._inline(segment, parent, ruling)
        self._drop(parent, ruling)
        self._todo.extend((segment.line, start) for start in ruling.segments)
        for start in ruling.branches:
            branch = self._new_track(thread, branch_of=segment.line, fork=parent, start=start)
            self._todo.append((branch, start))
        segment.ends_in_rewind = bool(ruling.branches)
        return ruling.then

    def _child(self, index: int, below: Below) -> Child:
        words = self._words
        return Child(
            index,
            self._nodes[index],
            below,
            words.answers.get(index, ()),
            words.texts.get(index, ""),
        )

    def _inline(self, segment: Segment, fork: int, ruling: Ruling) -> None:
        """Put the inlined and the anchors below them on the line, by time; the rest below them is set aside."""
        if not ruling.inline:
            return
        aside = Aside(ruling.below, fork)
        placed = list(ruling.inline)
        for child in ruling.inline:
            for index in self._below(child):
                if index in self._anchors or self._nodes[index].is_command:
                    placed.append(index)
                else:
                    self.aside[index] = aside
        for index in sorted(placed):
            self._put(segment, index)
            self.inlined[index] = fork

    def _drop(self, fork: int, ruling: Ruling) -> None:
        aside = Aside(Reason.REPLAY, fork)
        for child in ruling.dropped:
            self.aside[child] = aside
            self.aside.update((index, aside) for index in self._below(child))

    def _below(self, index: int) -> Iterator[int]:
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

    def _new_track(self, thread: int, *, branch_of: int = NONE, fork: int = NONE, start: int = NONE) -> int:
        self.tracks.append(Track(thread, branch_of, fork, start))
        return len(self.tracks) - 1

    def _continued_by(self, boundary: int, own: int, members: list[int]) -> int:
        """The line that a compaction goes on with: that of an entry it names, else of the latest before it."""
        thread_of = self._links.thread_of
        for named in self._links.family.logical.get(boundary, ()):
            if thread_of[named] != thread_of[boundary]:
                continue
            if self.track_of[named] != NONE:
                return self.track_of[named]
            if named in self.aside:
                fork = self.aside[named].fork
                return self.track_of[fork] if thread_of[fork] == thread_of[boundary] else own
        # an earlier boundary is on a line already, so that no stretch is searched twice
        for place in range(bisect_left(members, boundary) - 1, -1, -1):
            if self.track_of[members[place]] != NONE:
                return self.track_of[members[place]]
        return own


def _children(inner: Sequence[int]) -> tuple[list[int], list[int]]:
    """Children by time, as first child and next sibling."""
    first, following = [NONE] * len(inner), [NONE] * len(inner)
    for index in range(len(inner) - 1, -1, -1):
        parent = inner[index]
        if parent != NONE:
            following[index], first[parent] = first[parent], index
    return first, following


def _anchors(links: Links) -> frozenset[int]:
    """Entries that must not vanish with a dead end: where an agent hangs, is named, or is called."""
    family = links.family
    hung = (links.parents[root] for thread, root in links.first_roots.items() if links.threads[thread].is_agent)
    named = (
        naming.node
        for naming in (*family.outcomes, *family.mentions)
        if naming.agent_id != links.threads[links.thread_of[naming.node]].agent_id
    )
    called = (call.node for call in family.calls if family.nodes[call.node].kind == Kind.ASSISTANT)
    return frozenset((*hung, *named, *called)) - {NONE}
