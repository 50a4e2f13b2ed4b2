"""Finds the entries at which the threads of agents hang: the spawn links (SEMANTICS.md, 5)."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from .facts import Entry, Use
from .objects import table, word
from .world import Thread, World

_TEAMMATE = re.compile(r'<teammate-message(?:\s+[^\s="]+="[^"]*")*\s*>(.*?)</teammate-message>', re.DOTALL)

# A tool_use id; a call without one is known by its entry and place
Spawn = str | tuple[str, int] | None


class Target(NamedTuple):
    """An entry where an agent may hang, the spawns taken if it does, and the call that led there."""

    uuid: str
    rule: str
    spawns: set[Spawn]
    call: str | None = None
    is_by_call: bool = False
    is_anywhere: bool = False


class Search:
    """One run over all agent threads; links made so far decide which threads are under which."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.entries = [world.entries[uuid] for uuid in world.by_time(world.entries)]
        self.taken: set[Spawn] = set()

    def near(self, thread: Thread) -> set[str]:
        """The ids of a thread and of all threads under it."""
        ids = {thread.id}
        kept = {
            first: at for other in self.world.threads.values() if (at := self.kept(first := self.world.roots(other)[0]))
        }
        is_growing = True
        while is_growing:
            above = {**kept, **self.world.links}
            hung = {self.world.thread_of[root] for root, at in above.items() if self.world.thread_of[at] in ids}
            is_growing = not hung <= ids
            ids |= hung
        return ids

    def kept(self, root: str) -> str | None:
        """The parent outside its thread that a root keeps."""
        parent = self.world.entries[root].recorded_parent
        return parent if parent in self.world.entries and root not in self.world.cuts else None

    def link(self, thread: Thread, targets: Iterator[Target]) -> None:
        """Hang a thread on the first target outside of it and the threads under it."""
        near = self.near(thread)
        target = next((item for item in targets if self.world.thread_of[item.uuid] not in near), None)
        if target is not None:
            root = self.world.roots(thread)[0]
            self.world.links[root] = target.uuid
            self.world.link_rules[root] = target.rule
            self.taken |= target.spawns
            if target.is_by_call:
                self.world.calls[root] = target.call
            if target.is_anywhere:
                self.world.anywhere.add(root)

    def names(self, thread: Thread) -> list[str]:
        """The thread's agent id, then the ids of the session's agent files that hold a copy of its root."""
        root = self.world.roots(thread)[0]
        files = {item.file_agent for item in self.world.copies[root] if item.session == thread.session}
        others = sorted(name for name in files - {thread.agent_id} if name)
        return [thread.agent_id, *others] if thread.agent_id else others

    def by_rules_0_to_4(self, thread: Thread) -> Iterator[Target]:
        names = self.names(thread)
        rules: list[Callable[[Thread, str], Iterator[Target]]]
        rules = [self.by_context, self.by_sidecar, self.by_run, self.by_outcome, self.by_text, self.by_progress]
        for rule in rules:
            for name in names:
                for target in rule(thread, name):
                    is_own = name == thread.agent_id
                    yield target if is_own else target._replace(rule=f"{target.rule} of another name")

    def by_context(self, thread: Thread, name: str) -> Iterator[Target]:
        """Rule 0: the entry that a fork agent's context ends with."""
        for record in self.world.records:
            if record.value.get("type") != "fork-context-ref" or record.session != thread.session:
                continue
            uuid = word(record.value.get("parentLastUuid"))
            if record.file_agent == name and uuid in self.world.entries:
                yield Target(uuid, "context", set())

    def by_sidecar(self, thread: Thread, name: str) -> Iterator[Target]:
        """Rule 1: the call that the sidecar names."""
        for sidecar in self.sidecars(thread, name):
            yield from self.of_call(word(sidecar.get("toolUseId")), thread.session, "sidecar")

    def by_run(self, thread: Thread, _: str) -> Iterator[Target]:
        """The result that names a workflow agent's run, else the call it answers."""
        runs = {self.world.entries[uuid].owner.run for uuid in thread.members} - {None}
        naming = [entry for entry in self.others(thread) if entry.results and entry.outcome.get("runId") in runs]
        for entry in naming:
            yield Target(entry.uuid, "workflow", set(entry.answered))
        for entry in naming:
            for result in entry.results:
                yield from self.of_call(result.id, entry.session, "workflow", anywhere=False)

    def by_outcome(self, thread: Thread, name: str) -> Iterator[Target]:
        """Rule 2: a result that names the agent by its keys."""
        for entry in self.others(thread):
            in_trunk = not self.world.threads[self.world.thread_of[entry.uuid]].is_agent
            if name in entry.agents_named(in_trunk=in_trunk):
                yield Target(entry.uuid, "result", set(entry.answered))

    def by_text(self, thread: Thread, name: str) -> Iterator[Target]:
        """Rule 3: a result that names the agent in a line of its text."""
        for entry in self.others(thread):
            naming = [result for result in entry.results if name in result.agents] if entry.is_user else []
            if naming:
                yield Target(entry.uuid, "mention", {result.id for result in naming}, naming[0].id, is_by_call=True)

    def by_progress(self, thread: Thread, name: str) -> Iterator[Target]:
        """Rule 4: the call of a progress entry that names the agent."""
        for entry in self.entries:
            data = table(entry.value.get("data"))
            is_progress = entry.type == "progress" and data.get("type") == "agent_progress"
            if is_progress and entry.session == thread.session and progress_agent(entry) == name:
                yield from self.of_call(word(entry.value.get("parentToolUseID")), thread.session, "progress")

    def by_rule_5(self, thread: Thread, *, by_name: bool) -> Iterator[Target]:
        """Rule 5: a free call with the words that the thread begins with."""
        words = self.first_words(thread)
        sidecars = self.sidecars(thread, thread.agent_id) if thread.agent_id else []
        name = next((name for value in sidecars if (name := word(value.get("name")))), None)
        found: list[tuple[Entry, Use]] = []
        for entry in self.others(thread):
            for use in entry.spawns:
                other = word(use.input.get("name"))
                is_free = _spawn(entry, use) not in self.taken
                if is_free and fold(use.input.get("prompt")) in words and (None in (name, other) or name == other):
                    is_named = name is not None and name == other
                    if is_named or not by_name:
                        found.append((entry, use))
        for entry, use in found:
            if use.id is None:
                yield Target(entry.uuid, "prompt", {_spawn(entry, use)}, is_by_call=True)
            yield from self.of_call(use.id, thread.session, "prompt")

    def of_call(self, tool_id: str | None, session: str, rule: str, *, anywhere: bool = True) -> Iterator[Target]:
        """The entries of a call: its result, else its use; in the session, else anywhere."""
        if tool_id is None:
            return
        inside = [entry for entry in self.entries if entry.session == session]
        for entries in (inside, self.entries) if anywhere else (inside,):
            for entry in entries:
                if tool_id in entry.result_ids:
                    yield Target(entry.uuid, rule, {tool_id}, tool_id, is_by_call=True, is_anywhere=anywhere)
            for entry in entries:
                if tool_id in entry.use_ids:
                    yield Target(entry.uuid, rule, {tool_id}, tool_id, is_by_call=True, is_anywhere=anywhere)

    def others(self, thread: Thread) -> list[Entry]:
        """The entries of other threads of the session, by time."""
        inside = [entry for entry in self.entries if entry.session == thread.session]
        return [entry for entry in inside if self.world.thread_of[entry.uuid] != thread.id]

    def sidecars(self, thread: Thread, name: str) -> list[dict[str, Any]]:
        """The sidecars of a name in the session: in its folder, or beside a file that holds entries of it."""
        named = [item for item in self.world.sidecars if item.agent == name]
        found = []
        for item in named:
            transcript = str(Path(item.path).with_name(f"agent-{name}.jsonl"))
            claimed = {
                copy.session for copies in self.world.copies.values() for copy in copies if copy.path == transcript
            }
            if thread.session in claimed | {item.session}:
                found.append(item.value)
        return found

    def first_words(self, thread: Thread) -> set[str]:
        """The first user text of a thread and the bodies of the teammate messages in it, folded."""
        users = [self.world.entries[uuid] for uuid in self.world.by_time(thread.members)]
        text = next((entry.text for entry in users if entry.is_user and entry.text), "")
        return {fold(text), *(fold(body) for body in _TEAMMATE.findall(text))} - {""}


def link_agents(world: World) -> None:
    """Link every agent thread whose earliest root has no parent that exists."""
    search = Search(world)
    waiting = []
    for thread in world.threads.values():
        first = world.roots(thread)[0]
        has_none = world.entries[first].recorded_parent is None or world.is_ghost(first)
        if thread.is_agent and has_none:
            waiting.append((world.entries[first].time, thread))
    ordered = [thread for _, thread in sorted(waiting, key=lambda item: item[0])]
    for thread in ordered:
        search.link(thread, search.by_rules_0_to_4(thread))
    for by_name in (True, False):
        for thread in ordered:
            root = world.roots(thread)[0]
            if root not in world.links:
                search.link(thread, search.by_rule_5(thread, by_name=by_name))
                if root in world.calls:
                    world.by_prompt.add((thread.session, world.calls[root]))
    firsts = [world.roots(thread)[0] for thread in ordered]
    world.unlinked = [uuid for uuid in firsts if uuid not in world.links]


def progress_agent(entry: Entry) -> str | None:
    """The agent that a progress entry names."""
    return word(table(entry.value.get("data")).get("agentId")) or entry.agent_id


def fold(text: Any) -> str:
    """Text without differences of white space and case."""
    return " ".join(text.split()).casefold() if isinstance(text, str) else ""


def _spawn(entry: Entry, use: Use) -> Spawn:
    return use.id or (entry.uuid, entry.uses.index(use))
