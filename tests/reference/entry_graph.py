"""The entries of a project, with their threads, links, parents and roots."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from .entries import Entry
from .objects import Occurrence, Sidecar

Key = TypeVar("Key", str, int)


@dataclass
class Thread:
    """The entries of a session's trunk or of one agent. `agent_id` is None for a trunk and for a version 1 agent."""

    id: str
    session: str
    is_agent: bool
    agent_id: str | None
    members: list[str] = field(default_factory=list)

    @property
    def agent(self) -> str | None:
        """The agent's id or, in version 1, the last part of the thread's id; None for a trunk."""
        return self.id.removeprefix(f"{self.session}#agent-") if self.is_agent else None


@dataclass
class EntryGraph:
    """The graph of entries. `set_parents` fills in the effective parents."""

    entries: dict[str, Entry]
    claims: dict[str, set[str]]
    sidecars: list[Sidecar]
    # all occurrences of each uuid
    copies: dict[str, list[Occurrence]] = field(default_factory=dict)
    # objects without a uuid
    records: list[Occurrence] = field(default_factory=list)
    threads: dict[str, Thread] = field(default_factory=dict)
    thread_of: dict[str, str] = field(default_factory=dict)
    links: dict[str, str] = field(default_factory=dict)
    # maps the root of an agent to the rule that attached the agent
    link_rules: dict[str, str] = field(default_factory=dict)
    # maps the root of an agent to the call that spawned the agent, if the rule identifies a call and not only an entry
    calls: dict[str, str | None] = field(default_factory=dict)
    # the roots of agents that may have been spawned by a call in another session
    anywhere: set[str] = field(default_factory=set)
    # the session and call of every thread that `link_prompt` matched with a call
    by_prompt: set[tuple[str, str | None]] = field(default_factory=set)
    parents: dict[str, str] = field(default_factory=dict)
    cuts: set[str] = field(default_factory=set)
    unlinked: list[str] = field(default_factory=list)
    families: dict[str, list[str]] = field(default_factory=dict)
    known_roots: dict[str, list[str]] = field(default_factory=dict)

    def by_time(self, uuids: Iterable[str]) -> list[str]:
        return sorted(uuids, key=lambda uuid: self.entries[uuid].time)

    def has_ghost_parent(self, uuid: str) -> bool:
        """Return whether an entry has a recorded parent that no transcript contains (rule: ghost_parent)."""
        parent = self.entries[uuid].recorded_parent
        return parent is not None and parent not in self.entries

    def has_parent_in_thread(self, uuid: str) -> bool:
        parent = self.parents.get(uuid)
        return parent is not None and self.thread_of[parent] == self.thread_of[uuid]

    def roots(self, thread: Thread) -> list[str]:
        """Return the entries of a thread that have no parent in the thread, in time order."""
        if thread.id not in self.known_roots:
            roots = (uuid for uuid in thread.members if not self.has_parent_in_thread(uuid))
            self.known_roots[thread.id] = self.by_time(roots)
        return self.known_roots[thread.id]

    def children(self, uuid: str) -> list[str]:
        """Return the children of an entry that are in the same thread as the entry, in time order."""
        return [child for child in self.all_children(uuid) if self.thread_of[child] == self.thread_of[uuid]]

    def all_children(self, uuid: str) -> list[str]:
        """Return the children of an entry in all threads, in time order."""
        return self.families.get(uuid, [])

    def set_parents(self, parents: dict[str, str]) -> None:
        """Store parents, cut every cycle at its earliest member and collect the children (rule: cycle_cut)."""
        self.cuts = least_of_cycles(parents, lambda uuid: self.entries[uuid].time)
        self.parents = {uuid: parent for uuid, parent in parents.items() if uuid not in self.cuts}
        self.known_roots = {}
        self.families = {}
        for uuid in self.by_time(self.parents):
            self.families.setdefault(self.parents[uuid], []).append(uuid)

    def below(self, uuid: str) -> list[str]:
        """Return the descendants of an entry within its thread, without the entry itself (rule: subtree_talk)."""
        found: list[str] = []
        todo = self.children(uuid)
        while todo:
            here = todo.pop()
            found.append(here)
            todo += self.children(here)
        return found


def least_of_cycles(up: Mapping[Key, Key], order: Callable[[Key], Any]) -> set[Key]:
    """Return the first member, by `order`, of every cycle in a graph whose nodes have at most one parent each."""
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
    """Cut every uuid to 12 characters, or to the shortest length at which colliding uuids differ (rule: branch_id)."""
    heads = {}
    for uuid in uuids:
        alike = {other for other in uuids if other[:12] == uuid[:12]}
        length = 12
        while len({other[:length] for other in alike}) < len(alike):
            length += 1
        heads[uuid] = uuid[:length]
    return heads
