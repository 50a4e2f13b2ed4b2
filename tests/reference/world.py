"""All entries of a folder with threads, links, parents and roots, built up rule by rule."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from .facts import Entry
from .objects import Occurrence, Sidecar

Key = TypeVar("Key", str, int)


@dataclass
class Thread:
    """A session's trunk or one agent; an agent of version 1 has no id of its own."""

    id: str
    session: str
    is_agent: bool
    agent_id: str | None
    members: list[str] = field(default_factory=list)

    @property
    def agent(self) -> str | None:
        """The agent's id or, in version 1, the part of the thread's id that stands for it; None for a trunk."""
        return self.id.removeprefix(f"{self.session}#agent-") if self.is_agent else None


@dataclass
class World:
    """The graph of entries; parents are the effective ones once `settle` has run."""

    entries: dict[str, Entry]
    claims: dict[str, set[str]]
    sidecars: list[Sidecar]
    # all occurrences of a uuid
    copies: dict[str, list[Occurrence]] = field(default_factory=dict)
    # lines without a uuid
    records: list[Occurrence] = field(default_factory=list)
    threads: dict[str, Thread] = field(default_factory=dict)
    thread_of: dict[str, str] = field(default_factory=dict)
    links: dict[str, str] = field(default_factory=dict)
    # the rule that linked a root
    link_rules: dict[str, str] = field(default_factory=dict)
    # the call that a root was linked by, if the rule is about a call and not about an entry
    calls: dict[str, str | None] = field(default_factory=dict)
    # roots linked by a call that may be in any session
    anywhere: set[str] = field(default_factory=set)
    # sessions and calls by which a thread was linked because of its first words
    by_prompt: set[tuple[str, str | None]] = field(default_factory=set)
    parents: dict[str, str] = field(default_factory=dict)
    cuts: set[str] = field(default_factory=set)
    unlinked: list[str] = field(default_factory=list)
    families: dict[str, list[str]] = field(default_factory=dict)
    known_roots: dict[str, list[str]] = field(default_factory=dict)

    def by_time(self, uuids: Iterable[str]) -> list[str]:
        return sorted(uuids, key=lambda uuid: self.entries[uuid].time)

    def is_ghost(self, uuid: str) -> bool:
        """The recorded parent of an entry was never seen."""
        parent = self.entries[uuid].recorded_parent
        return parent is not None and parent not in self.entries

    def has_parent_in_thread(self, uuid: str) -> bool:
        parent = self.parents.get(uuid)
        return parent is not None and self.thread_of[parent] == self.thread_of[uuid]

    def roots(self, thread: Thread) -> list[str]:
        """The entries of a thread with no parent in it, by time."""
        if thread.id not in self.known_roots:
            roots = (uuid for uuid in thread.members if not self.has_parent_in_thread(uuid))
            self.known_roots[thread.id] = self.by_time(roots)
        return self.known_roots[thread.id]

    def children(self, uuid: str) -> list[str]:
        """The children of an entry in its own thread, by time."""
        return [child for child in self.all_children(uuid) if self.thread_of[child] == self.thread_of[uuid]]

    def all_children(self, uuid: str) -> list[str]:
        """The children of an entry in any thread, by time."""
        return self.families.get(uuid, [])

    def settle(self, parents: dict[str, str]) -> None:
        """Take parents, cut every cycle at its least member and note the children."""
        self.cuts = least_of_cycles(parents, lambda uuid: self.entries[uuid].time)
        self.parents = {uuid: parent for uuid, parent in parents.items() if uuid not in self.cuts}
        self.known_roots = {}
        self.families = {}
        for uuid in self.by_time(self.parents):
            self.families.setdefault(self.parents[uuid], []).append(uuid)

    def below(self, uuid: str) -> list[str]:
        """The descendants of an entry within its thread, itself excluded."""
        found: list[str] = []
        todo = self.children(uuid)
        while todo:
            here = todo.pop()
            found.append(here)
            todo += self.children(here)
        return found


def least_of_cycles(up: Mapping[Key, Key], order: Callable[[Key], Any]) -> set[Key]:
    """The least member of every cycle of a graph in which each node has at most one parent."""
    least = set()
    done: set[Key] = set()
    for start in up:
        trail: list[Key] = []
        here: Key | None = start
        while here is not None and here not in done:
            done.add(here)
            trail.append(here)
            here = up.get(here)
        if here is not None and here in set(trail):
            least.add(min(trail[trail.index(here) :], key=order))
    return least


def distinct_heads(uuids: list[str]) -> dict[str, str]:
    """The first 12 characters of each uuid; those that collide at the shortest length at which they differ."""
    heads = {}
    for uuid in uuids:
        alike = {other for other in uuids if other[:12] == uuid[:12]}
        length = 12
        while len({other[:length] for other in alike}) < len(alike):
            length += 1
        heads[uuid] = uuid[:length]
    return heads
