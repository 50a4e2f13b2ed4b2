"""Threads to DAG-lines: the walk, with what it inlines, lifts, branches off and sets aside (SEMANTICS.md, 7)."""

from dataclasses import dataclass, field

from .ladder import Ruling, rule
from .objects import table, word
from .world import Thread, World, distinct_heads


@dataclass
class Segment:
    """A run of entries that is concatenated whole."""

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
    """Everything the walks of all threads decided."""

    lines: list[Line] = field(default_factory=list)
    line_of: dict[str, Line] = field(default_factory=dict)
    # of a uuid the reason, and the fork where it was decided
    set_aside: dict[str, tuple[str, str]] = field(default_factory=dict)
    # the rung that ruled, by fork and thread of the children
    forks: dict[tuple[str, str], int] = field(default_factory=dict)
    inlined_prompts: list[str] = field(default_factory=list)

    def line_at(self, uuid: str) -> Line:
        """The line of an entry; if it was set aside, that of the fork that did it, and so on."""
        return self.line_of[self.place_of(uuid)]

    def place_of(self, uuid: str) -> str:
        """The entry itself or, if it was set aside, the fork that did it, and so on."""
        while uuid in self.set_aside:
            uuid = self.set_aside[uuid][1]
        return uuid


def walk_all(world: World) -> Lines:
    """Walk every thread, then name the lines and string their segments together."""
    found = Lines()
    for thread in world.threads.values():
        _Walk(world, found, thread).run()
    for line in found.lines:
        line.segments = [segment for segment in line.segments if segment.uuids]
        line.segments.sort(key=lambda segment: world.entries[segment.uuids[0]].time)
        line.uuids = [uuid for segment in line.segments for uuid in segment.uuids]
    # A base stands before its branches
    for line in found.lines:
        line.id = line.id or line.thread.id
        branches = [other for other in found.lines if other.base is line]
        heads = distinct_heads([other.start or "" for other in branches])
        for other in branches:
            other.id = f"{line.id}@{heads[other.start or '']}"
    found.lines = [line for line in found.lines if line.uuids]
    return found


class _Walk:
    def __init__(self, world: World, found: Lines, thread: Thread) -> None:
        self.world = world
        self.found = found
        self.thread = thread
        self.own = Line(thread)
        self.todo: list[tuple[Line, str]] = []
        found.lines.append(self.own)

    def run(self) -> None:
        roots = self.world.roots(self.thread)
        boundaries = [uuid for uuid in roots if self.world.entries[uuid].kind == "boundary"]
        groups = self.groups([uuid for uuid in roots if uuid not in boundaries])
        for parent, group in groups:
            if parent is not None and len(group) > 1:
                self.rule_on_roots(parent, group)
            else:
                self.walk_from(self.own, group[0])
        for uuid in boundaries:
            self.walk_from(self.line_to_continue(uuid), uuid)

    def groups(self, roots: list[str]) -> list[tuple[str | None, list[str]]]:
        """Put together the roots that hang on one entry outside the thread; others stand alone."""
        together: dict[str, list[str]] = {}
        alone = []
        for uuid in roots:
            is_agents_first = self.thread.is_agent and uuid == self.world.roots(self.thread)[0]
            parent = self.world.parents.get(uuid)
            if parent is None or is_agents_first or uuid in self.world.links:
                alone.append(uuid)
            else:
                together.setdefault(parent, []).append(uuid)
        return [*((None, [uuid]) for uuid in alone), *together.items()]

    def rule_on_roots(self, parent: str, roots: list[str]) -> None:
        segment = Segment()
        self.own.segments.append(segment)
        ruling = rule(self.world, parent, roots)
        onward = self.apply(ruling, parent, self.own, segment)
        segment.is_side_of_root_rewind = bool(ruling.branches)
        segment.ends_in_rewind = False
        if onward is not None:
            self.follow(self.own, segment, onward)
        self.work_off()

    def walk_from(self, line: Line, uuid: str) -> None:
        self.todo.append((line, uuid))
        self.work_off()

    def work_off(self) -> None:
        while self.todo:
            line, uuid = self.todo.pop()
            segment = Segment()
            line.segments.append(segment)
            self.follow(line, segment, uuid)

    def follow(self, line: Line, segment: Segment, start: str) -> None:
        """Put entries on the line until it ends or splits."""
        here: str | None = start
        while here is not None:
            self.put(here, line, segment)
            children = self.world.children(here)
            if len(children) > 1:
                here = self.apply(rule(self.world, here, children), here, line, segment)
            else:
                here = children[0] if children else None

    def put(self, uuid: str, line: Line, segment: Segment) -> None:
        segment.uuids.append(uuid)
        self.found.line_of[uuid] = line

    def apply(self, ruling: Ruling, fork: str, line: Line, segment: Segment) -> str | None:
        """Place every child and what lies below those that the line does not follow; return the one it follows."""
        self.found.forks[fork, self.thread.id] = ruling.rung
        self.inline(ruling, fork, line, segment)
        for uuid in ruling.replays:
            for other in [uuid, *self.world.below(uuid)]:
                self.found.set_aside[other] = ("replay", fork)
        self.todo += [(line, uuid) for uuid in ruling.segments]
        for uuid in ruling.branches:
            branch = Line(self.thread, base=line, start=uuid, fork=fork)
            self.found.lines.append(branch)
            self.todo.append((branch, uuid))
        segment.ends_in_rewind = bool(ruling.branches)
        return ruling.onward

    def inline(self, ruling: Ruling, fork: str, line: Line, segment: Segment) -> None:
        on_line = list(ruling.inlined)
        for uuid in ruling.inlined:
            entry = self.world.entries[uuid]
            if entry.is_typed and not entry.is_command:
                self.found.inlined_prompts.append(uuid)
            for other in self.world.below(uuid):
                if self.is_anchor(other):
                    on_line.append(other)
                else:
                    self.found.set_aside[other] = ("dead_end" if ruling.rung == 3 else "structural", fork)
        for uuid in self.world.by_time(on_line):
            self.put(uuid, line, segment)

    def is_anchor(self, uuid: str) -> bool:
        """An agent hangs there, a result names one, an assistant calls for one, or it is a command."""
        entry = self.world.entries[uuid]
        threads = [self.world.threads[self.world.thread_of[child]] for child in self.world.all_children(uuid)]
        firsts = [self.world.roots(thread)[0] for thread in threads if thread.is_agent]
        agent_hangs = any(self.world.parents.get(first) == uuid for first in firsts)
        named = set(entry.agents_named(in_trunk=not self.thread.is_agent))
        named.update(agent for result in entry.results for agent in result.agents)
        names_agent = named - {self.thread.agent_id}
        calls_agent = entry.kind == "assistant" and entry.spawns
        return bool(agent_hangs or names_agent or calls_agent or entry.is_command)

    def line_to_continue(self, boundary: str) -> Line:
        """The line that a boundary root goes on."""
        for uuid in self.candidates(boundary):
            if self.world.thread_of.get(uuid) != self.thread.id:
                continue
            if uuid in self.found.line_of:
                return self.found.line_of[uuid]
            if uuid in self.found.set_aside:
                fork = self.found.set_aside[uuid][1]
                return self.found.line_of[fork] if self.world.thread_of[fork] == self.thread.id else self.own
        time = self.world.entries[boundary].time
        before = [
            uuid for uuid in self.thread.members if uuid in self.found.line_of and self.world.entries[uuid].time < time
        ]
        return self.found.line_of[self.world.by_time(before)[-1]] if before else self.own

    def candidates(self, boundary: str) -> list[str]:
        entry = self.world.entries[boundary]
        about = table(entry.value.get("compactMetadata"))
        kept = table(about.get("preservedSegment"))
        messages = table(about.get("preservedMessages")).get("uuids")
        uuids = messages if isinstance(messages, list) else []
        named = [entry.logical_parent, kept.get("tailUuid"), kept.get("headUuid"), *reversed(uuids)]
        return [uuid for uuid in named if word(uuid)]
