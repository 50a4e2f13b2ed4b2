"""Place the entries of every thread on lines, or set them aside (rule: line_walk)."""

from dataclasses import dataclass, field

from .entries import Time
from .entry_graph import EntryGraph, Thread, distinct_heads
from .ladder import Ruling, rule
from .objects import as_object, as_text
from .subtrees import Subtrees


@dataclass
class Segment:
    """A part of a line whose entries are consecutive: segments are never interleaved."""

    uuids: list[str] = field(default_factory=list)
    ends_in_rewind: bool = False
    is_side_of_root_rewind: bool = False


@dataclass(eq=False)
class Line:
    """A thread's own line, or a branch of another line."""

    thread: Thread
    base: "Line | None" = None
    start: str | None = None
    fork: str | None = None
    id: str = ""
    segments: list[Segment] = field(default_factory=list)
    uuids: list[str] = field(default_factory=list)

    @property
    def kind(self) -> str:
        if self.base is None:
            return "agent" if self.thread.is_agent else "trunk"
        return "agent_branch" if self.thread.is_agent else "branch"


@dataclass
class Lines:
    """The lines of all threads, the entries that were set aside, and the rulings on forks."""

    lines: list[Line] = field(default_factory=list)
    line_of: dict[str, Line] = field(default_factory=dict)
    # per set-aside entry: the reason, and the fork that set it aside (for a root recorded again: the other root)
    set_aside: dict[str, tuple[str, str]] = field(default_factory=dict)
    # maps a fork and the thread of its children to the ruling
    forks: dict[tuple[str, str], Ruling] = field(default_factory=dict)
    inlined_prompts: list[str] = field(default_factory=list)
    # boundaries that caused a segment to be split
    cutting: list[str] = field(default_factory=list)
    # roots whose history is recorded again under another root
    replayed_roots: list[str] = field(default_factory=list)

    def line_at(self, uuid: str) -> Line:
        """Return the line of an entry or, if it was set aside, the line of the fork whose ruling set it aside."""
        return self.line_of[self.placed_entry(uuid)]

    def placed_entry(self, uuid: str) -> str:
        """Return the entry itself or, if it was set aside, the nearest fork above it that is on a line."""
        while uuid in self.set_aside:
            uuid = self.set_aside[uuid][1]
        return uuid


def walk_all(graph: EntryGraph) -> Lines:
    """Walk every thread, then name the lines and concatenate their segments."""
    found = Lines()
    subtrees = Subtrees(graph)
    for thread in graph.threads.values():
        _Walk(subtrees, found, thread).run()
    for line in found.lines:
        line.segments = [segment for segment in line.segments if segment.uuids]
        line.segments.sort(key=lambda segment: _segment_time(graph, segment))
        line.uuids = [uuid for segment in line.segments for uuid in segment.uuids]
    # the list contains every line before its branches, whose ids start with the id of that line
    for line in found.lines:
        line.id = line.id or line.thread.id
        branches = [other for other in found.lines if other.base is line]
        heads = distinct_heads([other.start or "" for other in branches])
        for other in branches:
            other.id = f"{line.id}@{heads[other.start or '']}"
    found.lines = [line for line in found.lines if line.uuids]
    return found


def _segment_time(graph: EntryGraph, segment: Segment) -> Time:
    """Return the time of a segment's earliest talk entry or, without talk, of its first entry (rule: segment_order)."""
    entries = [graph.entries[uuid] for uuid in segment.uuids]
    return min((entry.time for entry in entries if entry.is_talk), default=entries[0].time)


class _Walk:
    def __init__(self, subtrees: Subtrees, found: Lines, thread: Thread) -> None:
        self.subtrees = subtrees
        self.graph = subtrees.graph
        self.outcome = found
        self.thread = thread
        self.own = Line(thread)
        self.todo: list[tuple[Line, str]] = []
        found.lines.append(self.own)

    def run(self) -> None:
        roots = self.graph.roots(self.thread)
        boundaries = [uuid for uuid in roots if self.graph.entries[uuid].kind == "boundary"]
        self.set_recordings_aside([uuid for uuid in roots if uuid not in boundaries])
        left = [uuid for uuid in roots if uuid not in boundaries and uuid not in self.outcome.set_aside]
        for parent, group in self.groups(left):
            if parent is not None and len(group) > 1:
                self.rule_on_roots(parent, group)
            else:
                self.walk_from(self.own, group[0])
        for uuid in boundaries:
            self.walk_from(self.line_to_continue(uuid), uuid)

    def set_recordings_aside(self, roots: list[str]) -> None:
        """Set aside parentless roots whose history is recorded again with later talk (rule: recorded_again_roots)."""
        latest = {
            uuid: time
            for uuid in roots
            if uuid not in self.graph.parents and (time := self.subtrees.latest_talk(uuid)) is not None
        }
        for uuid, time in latest.items():
            later = [other for other in latest if latest[other] > time]
            kept = [other for other in later if self.subtrees.is_recorded_again(uuid, by=other)]
            if kept:
                self.outcome.replayed_roots.append(uuid)
                self.set_aside(uuid, max(kept, key=lambda other: latest[other]))

    def set_aside(self, uuid: str, fork: str) -> None:
        for other in self.subtrees.whole(uuid):
            self.outcome.set_aside[other] = ("replay", fork)

    def groups(self, roots: list[str]) -> list[tuple[str | None, list[str]]]:
        """Group roots by their parent outside the thread. Other roots form groups of one (rule: outside_roots)."""
        together: dict[str, list[str]] = {}
        alone = []
        for uuid in roots:
            is_agents_first = self.thread.is_agent and uuid == self.graph.roots(self.thread)[0]
            parent = self.graph.parents.get(uuid)
            if parent is None or is_agents_first or uuid in self.graph.links:
                alone.append(uuid)
            else:
                together.setdefault(parent, []).append(uuid)
        return [*((None, [uuid]) for uuid in alone), *together.items()]

    def rule_on_roots(self, parent: str, roots: list[str]) -> None:
        segment = Segment()
        self.own.segments.append(segment)
        ruling = rule(self.subtrees, parent, roots)
        onward = self.apply(ruling, parent, self.own, segment)
        segment.is_side_of_root_rewind = bool(ruling.branches)
        segment.ends_in_rewind = False
        if onward is not None:
            self.follow(self.own, segment, onward)
        self.walk_pending()

    def walk_from(self, line: Line, uuid: str) -> None:
        self.todo.append((line, uuid))
        self.walk_pending()

    def walk_pending(self) -> None:
        while self.todo:
            line, uuid = self.todo.pop()
            segment = Segment()
            line.segments.append(segment)
            self.follow(line, segment, uuid)

    def follow(self, line: Line, segment: Segment, start: str) -> None:
        """Put `start` and its successors on the line until no entry continues the line."""
        here: str | None = start
        while here is not None:
            self.put(here, line, segment)
            children = self.graph.children(here)
            if len(children) > 1:
                here = self.apply(rule(self.subtrees, here, children), here, line, segment)
            else:
                here = children[0] if children else None

    def put(self, uuid: str, line: Line, segment: Segment) -> None:
        segment.uuids.append(uuid)
        self.outcome.line_of[uuid] = line

    def apply(self, ruling: Ruling, fork: str, line: Line, segment: Segment) -> str | None:
        """Place the children of a fork by its ruling; return the child that continues the line (rule: inline_order)."""
        self.outcome.forks[fork, self.thread.id] = ruling
        self.inline(ruling, fork, line, segment)
        for uuid in ruling.replays:
            self.set_aside(uuid, fork)
        self.todo += [(line, uuid) for uuid in ruling.segments]
        for uuid in ruling.branches:
            branch = Line(self.thread, base=line, start=uuid, fork=fork)
            self.outcome.lines.append(branch)
            self.todo.append((branch, uuid))
        segment.ends_in_rewind = bool(ruling.branches)
        return ruling.onward

    def inline(self, ruling: Ruling, fork: str, line: Line, segment: Segment) -> None:
        on_line = [other for uuid in ruling.inlined_whole for other in self.subtrees.whole(uuid)]
        for uuid in ruling.inlined:
            on_line.append(uuid)
            for other in self.graph.below(uuid):
                if self.is_anchor(other):
                    on_line.append(other)
                else:
                    self.outcome.set_aside[other] = ("structural", fork)
        for uuid in self.graph.by_time(on_line):
            self.put(uuid, line, segment)
            entry = self.graph.entries[uuid]
            if entry.is_typed_prompt and not entry.is_command:
                self.outcome.inlined_prompts.append(uuid)

    def is_anchor(self, uuid: str) -> bool:
        """Return whether an entry is a command, or the entry that an agent's thread is attached to (rule: anchor)."""
        if self.graph.entries[uuid].is_command:
            return True
        threads = [self.graph.threads[self.graph.thread_of[child]] for child in self.graph.all_children(uuid)]
        firsts = [self.graph.roots(thread)[0] for thread in threads if thread.is_agent]
        return any(self.graph.parents.get(first) == uuid for first in firsts)

    def line_to_continue(self, boundary: str) -> Line:
        """Return the line that a boundary continues, and split a segment if needed (rule: compaction_root)."""
        for uuid in self.candidates(boundary):
            if self.graph.thread_of.get(uuid) != self.thread.id:
                continue
            if uuid in self.outcome.line_of:
                self.cut_segment(self.outcome.line_of[uuid], uuid, boundary)
                return self.outcome.line_of[uuid]
            if uuid in self.outcome.set_aside:
                return self.line_of_fork(uuid)
        time = self.graph.entries[boundary].time
        before = [
            uuid
            for uuid in self.thread.members
            if uuid in self.outcome.line_of and self.graph.entries[uuid].time < time
        ]
        return self.outcome.line_of[self.graph.by_time(before)[-1]] if before else self.own

    def line_of_fork(self, uuid: str) -> Line:
        """Return the line of the fork that set an entry aside, or the thread's own line if the fork is elsewhere."""
        while uuid in self.outcome.set_aside:
            uuid = self.outcome.set_aside[uuid][1]
            if self.graph.thread_of[uuid] != self.thread.id:
                return self.own
        return self.outcome.line_of[uuid]

    def candidates(self, boundary: str) -> list[str]:
        entry = self.graph.entries[boundary]
        about = as_object(entry.value.get("compactMetadata"))
        kept = as_object(about.get("preservedSegment"))
        messages = as_object(about.get("preservedMessages")).get("uuids")
        uuids = messages if isinstance(messages, list) else []
        named = [entry.logical_parent, kept.get("tailUuid"), kept.get("headUuid"), *reversed(uuids)]
        return [uuid for uuid in named if as_text(uuid)]

    def cut_segment(self, line: Line, uuid: str, boundary: str) -> None:
        """Split a segment after an entry if all talk that follows is later than the boundary (rule: compaction_cut)."""
        segment = next(segment for segment in line.segments if uuid in segment.uuids)
        at = segment.uuids.index(uuid) + 1
        following = [self.graph.entries[other] for other in segment.uuids[at:]]
        times = [entry.time for entry in following if entry.is_talk]
        if times and min(times) > self.graph.entries[boundary].time:
            self.outcome.cutting.append(boundary)
            line.segments.append(Segment(segment.uuids[at:], segment.ends_in_rewind))
            segment.uuids = segment.uuids[:at]
            segment.ends_in_rewind = False
