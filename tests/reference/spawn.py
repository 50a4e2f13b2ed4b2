"""Where the threads of agents hang: the spawn links (SEMANTICS.md, 5)."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from .facts import Entry, Use
from .objects import table, word
from .world import Thread, World

_TEAMMATE = re.compile(r'<teammate-message(?:\s+[^\s="]+="[^"]*")*\s*>(.*?)</teammate-message>', re.DOTALL)

# A spawn is known by the session it stands in and its tool id
Spawn = tuple[str, Any]


class Target(NamedTuple):
    """An entry where an agent may hang, the spawns that are taken if it does, and the call that led there."""

    uuid: str
    spawns: set[Spawn]
    call: str | None = None
    is_by_call: bool = False
    is_anywhere: bool = False


class Search:
    """One run over all agent threads; links made so far tell which threads are under which."""

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
            self.taken |= target.spawns
            if target.is_by_call:
                self.world.calls[root] = target.call
            if target.is_anywhere:
                self.world.anywhere.add(root)

    def by_rules_1_to_4(self, thread: Thread) -> Iterator[Target]:
        for sidecar in self.sidecars(thread):
            yield from self.of_call(word(sidecar.get("toolUseId")), thread.session)
        yield from self.of_run(thread)
        if thread.agent_id is None:
            return
        others = [entry for entry in self.entries if self.is_other(entry, thread)]
        for entry in others:
            in_trunk = not self.world.threads[self.world.thread_of[entry.uuid]].is_agent
            if thread.agent_id in entry.agents_named(in_trunk=in_trunk):
                yield Target(entry.uuid, {(entry.session, result.id) for result in entry.results})
        for entry in others:
            naming = [result for result in entry.results if thread.agent_id in result.agents]
            if naming:
                yield Target(
                    entry.uuid, {(entry.session, result.id) for result in naming}, naming[0].id, is_by_call=True
                )
        for entry in self.entries:
            data = table(entry.value.get("data"))
            is_progress = entry.type == "progress" and data.get("type") == "agent_progress"
            if is_progress and entry.session == thread.session and data.get("agentId") == thread.agent_id:
                yield from self.of_call(word(entry.value.get("parentToolUseID")), thread.session)

    def by_rule_5(self, thread: Thread, *, by_name: bool) -> Iterator[Target]:
        words = self.first_words(thread)
        name = next((name for value in self.sidecars(thread) if (name := word(value.get("name")))), None)
        found: list[tuple[Entry, Use]] = []
        for entry in self.entries:
            if not self.is_other(entry, thread):
                continue
            for use in entry.spawns:
                other = word(use.input.get("name"))
                is_free = _spawn(entry, use) not in self.taken
                if is_free and fold(use.input.get("prompt")) in words and (None in (name, other) or name == other):
                    is_named = name is not None and name == other
                    if is_named or not by_name:
                        found.append((entry, use))
        for entry, use in found:
            if use.id is None:
                yield Target(entry.uuid, {_spawn(entry, use)}, is_by_call=True)
            yield from self.of_call(use.id, thread.session, anywhere=False)

    def of_call(self, tool_id: str | None, session: str, *, anywhere: bool = True) -> Iterator[Target]:
        """The entries of a call: its result, else its use; in the session, else anywhere."""
        if tool_id is None:
            return
        inside = [entry for entry in self.entries if entry.session == session]
        for entries in (inside, self.entries) if anywhere else (inside,):
            for entry in entries:
                if tool_id in entry.result_ids:
                    yield Target(entry.uuid, {(entry.session, tool_id)}, tool_id, is_by_call=True, is_anywhere=anywhere)
            for entry in entries:
                if tool_id in entry.use_ids:
                    yield Target(entry.uuid, {(entry.session, tool_id)}, tool_id, is_by_call=True, is_anywhere=anywhere)

    def of_run(self, thread: Thread) -> Iterator[Target]:
        """The result that names a workflow agent's run, else the call it answers."""
        runs = {self.world.entries[uuid].owner.run for uuid in thread.members} - {None}
        inside = [entry for entry in self.entries if entry.session == thread.session]
        naming = [entry for entry in inside if entry.results and entry.outcome.get("runId") in runs]
        for entry in naming:
            yield Target(entry.uuid, {(entry.session, result.id) for result in entry.results})
        for entry in naming:
            for tool_id in [result.id for result in entry.results]:
                yield from self.of_call(tool_id, entry.session, anywhere=False)

    def is_other(self, entry: Entry, thread: Thread) -> bool:
        """The entry is of another thread of the session."""
        return entry.session == thread.session and self.world.thread_of[entry.uuid] != thread.id

    def sidecars(self, thread: Thread) -> list[dict[str, Any]]:
        """What the sidecars beside a thread's files, or named like it in its session, say."""
        files = {Path(self.world.entries[uuid].owner.path) for uuid in thread.members}
        beside = {str(path.with_suffix(".meta.json")) for path in files if path.name.startswith("agent-")}
        return [
            item.value
            for item in self.world.sidecars
            if item.path in beside or (item.session, item.agent) == (thread.session, thread.agent_id)
        ]

    def first_words(self, thread: Thread) -> set[str]:
        """The first user text of a thread and the body of the teammate message in it, folded."""
        users = [self.world.entries[uuid] for uuid in self.world.by_time(thread.members)]
        text = next((entry.text for entry in users if entry.is_user and entry.text), "")
        message = _TEAMMATE.search(text)
        return {fold(text), fold(message.group(1) if message else "")} - {""}


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
        search.link(thread, search.by_rules_1_to_4(thread))
    for by_name in (True, False):
        for thread in ordered:
            root = world.roots(thread)[0]
            if root not in world.links:
                search.link(thread, search.by_rule_5(thread, by_name=by_name))
                if root in world.calls:
                    world.by_prompt.add((thread.session, world.calls[root]))
    firsts = [world.roots(thread)[0] for thread in ordered]
    world.unlinked = [uuid for uuid in firsts if uuid not in world.links]


def _spawn(entry: Entry, use: Use) -> Spawn:
    return entry.session, use.id or (entry.uuid, entry.uses.index(use))


def fold(text: Any) -> str:
    """White space and case do not count."""
    return " ".join(text.split()).casefold() if isinstance(text, str) else ""
