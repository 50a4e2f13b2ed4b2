"""Find the entries that agent threads are attached to (rule: spawn_link, unlinked_agent)."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from .entries import Entry, Use
from .entry_graph import EntryGraph, Thread
from .objects import as_object, as_text

_TEAMMATE = re.compile(r'<teammate-message(?:\s+[^\s="]+="[^"]*")*\s*>(.*?)</teammate-message>', re.DOTALL)

# identifies a call by its tool_use id or, if it has none, by its entry and index
Spawn = str | tuple[str, int] | None


class Target(NamedTuple):
    """An entry that an agent can be attached to, and the calls that then cannot be matched with another agent."""

    uuid: str
    rule: str
    spawns: set[Spawn]
    call: str | None = None
    is_by_call: bool = False
    is_anywhere: bool = False


class Search:
    """Finds the entries that agent threads can be attached to, and records the links that were made."""

    def __init__(self, graph: EntryGraph) -> None:
        self.graph = graph
        self.entries = [graph.entries[uuid] for uuid in graph.by_time(graph.entries)]
        self.used: set[Spawn] = set()

    def near(self, thread: Thread) -> set[str]:
        """Return the ids of a thread and of all threads under it."""
        ids = {thread.id}
        kept = {
            first: at for other in self.graph.threads.values() if (at := self.kept(first := self.graph.roots(other)[0]))
        }
        is_changed = True
        while is_changed:
            above = {**kept, **self.graph.links}
            attached = {self.graph.thread_of[root] for root, at in above.items() if self.graph.thread_of[at] in ids}
            is_changed = not attached <= ids
            ids |= attached
        return ids

    def kept(self, root: str) -> str | None:
        """Return the recorded parent of a root, or None if it is missing or its edge was cut (rule: link_recorded)."""
        parent = self.graph.entries[root].recorded_parent
        return parent if parent in self.graph.entries and root not in self.graph.cuts else None

    def link(self, thread: Thread, targets: Iterator[Target]) -> None:
        """Attach a thread to the first target that is neither in the thread nor in a thread under it."""
        near = self.near(thread)
        target = next((item for item in targets if self.graph.thread_of[item.uuid] not in near), None)
        if target is not None:
            root = self.graph.roots(thread)[0]
            self.graph.links[root] = target.uuid
            self.graph.link_rules[root] = target.rule
            self.used |= target.spawns
            if target.is_by_call:
                self.graph.calls[root] = target.call
            if target.is_anywhere:
                self.graph.anywhere.add(root)

    def names(self, thread: Thread) -> list[str]:
        """Return the agent's own id, then the ids of other agent files with a copy of its root (rule: agent_alias)."""
        root = self.graph.roots(thread)[0]
        files = {item.file_agent for item in self.graph.copies[root] if item.session == thread.session}
        others = sorted(name for name in files - {thread.agent_id} if name)
        return [thread.agent_id, *others] if thread.agent_id else others

    def targets_by_name(self, thread: Thread) -> Iterator[Target]:
        """Try each rule before `link_prompt` in turn, with every id of the agent, and yield the targets."""
        names = self.names(thread)
        rules: list[Callable[[Thread, str], Iterator[Target]]]
        rules = [self.by_context, self.by_sidecar, self.by_workflow, self.by_result, self.by_mention, self.by_progress]
        for rule in rules:
            for name in names:
                for target in rule(thread, name):
                    is_own = name == thread.agent_id
                    yield target if is_own else target._replace(rule=f"{target.rule} of another name")

    def by_context(self, thread: Thread, name: str) -> Iterator[Target]:
        """Yield the entries that `fork-context-ref` records refer to (rule: link_context)."""
        for record in self.graph.records:
            if record.value.get("type") != "fork-context-ref" or record.session != thread.session:
                continue
            uuid = as_text(record.value.get("parentLastUuid"))
            if record.file_agent == name and uuid in self.graph.entries:
                yield Target(uuid, "context", set())

    def by_sidecar(self, thread: Thread, name: str) -> Iterator[Target]:
        """Yield the targets of the call that the sidecar refers to (rule: link_sidecar)."""
        for sidecar in self.sidecars(thread, name):
            yield from self.of_call(as_text(sidecar.get("toolUseId")), thread.session, "sidecar")

    def by_workflow(self, thread: Thread, _: str) -> Iterator[Target]:
        """Yield the results with the agent's workflow run id, then the targets of their calls (rule: link_workflow)."""
        runs = {self.graph.entries[uuid].owner.run for uuid in thread.members} - {None}
        naming = [entry for entry in self.others(thread) if entry.results and entry.outcome.get("runId") in runs]
        for entry in naming:
            yield Target(entry.uuid, "workflow", set(entry.answered))
        for entry in naming:
            for result in entry.results:
                yield from self.of_call(result.id, entry.session, "workflow", anywhere=False)

    def by_result(self, thread: Thread, name: str) -> Iterator[Target]:
        """Yield the results that contain the agent's id in an agent id field (rule: link_result)."""
        for entry in self.others(thread):
            in_trunk = not self.graph.threads[self.graph.thread_of[entry.uuid]].is_agent
            if name in entry.agents_named(in_trunk=in_trunk):
                yield Target(entry.uuid, "result", set(entry.answered))

    def by_mention(self, thread: Thread, name: str) -> Iterator[Target]:
        """Yield the results that contain the agent's id in a line of their text (rule: link_mention)."""
        for entry in self.others(thread):
            naming = [result for result in entry.results if name in result.agents] if entry.is_user else []
            if naming:
                yield Target(entry.uuid, "mention", {result.id for result in naming}, naming[0].id, is_by_call=True)

    def by_progress(self, thread: Thread, name: str) -> Iterator[Target]:
        """Yield the targets of the calls that the agent's progress entries refer to (rule: link_progress)."""
        for entry in self.entries:
            data = as_object(entry.value.get("data"))
            is_progress = entry.type == "progress" and data.get("type") == "agent_progress"
            if is_progress and entry.session == thread.session and progress_agent(entry) == name:
                yield from self.of_call(as_text(entry.value.get("parentToolUseID")), thread.session, "progress")

    def targets_by_prompt(self, thread: Thread, *, by_name: bool) -> Iterator[Target]:
        """Yield the targets of unused calls whose prompt equals the first text of the thread (rule: link_prompt)."""
        texts = self.first_texts(thread)
        sidecars = self.sidecars(thread, thread.agent_id) if thread.agent_id else []
        name = next((name for value in sidecars if (name := as_text(value.get("name")))), None)
        found: list[tuple[Entry, Use]] = []
        for entry in self.others(thread):
            for use in entry.spawns:
                other = as_text(use.input.get("name"))
                is_free = _spawn(entry, use) not in self.used
                if is_free and fold(use.input.get("prompt")) in texts and (None in (name, other) or name == other):
                    is_named = name is not None and name == other
                    if is_named or not by_name:
                        found.append((entry, use))
        for entry, use in found:
            if use.id is None:
                yield Target(entry.uuid, "prompt", {_spawn(entry, use)}, is_by_call=True)
            yield from self.of_call(use.id, thread.session, "prompt")

    def of_call(self, tool_id: str | None, session: str, rule: str, *, anywhere: bool = True) -> Iterator[Target]:
        """Yield the entries that answer a call, then those that make it: in the session and, if `anywhere`, in all."""
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
        """Return the entries in the other threads of the same session, in time order."""
        inside = [entry for entry in self.entries if entry.session == thread.session]
        return [entry for entry in inside if self.graph.thread_of[entry.uuid] != thread.id]

    def sidecars(self, thread: Thread, name: str) -> list[dict[str, Any]]:
        """Return the agent's sidecars that are in the session's folder or next to a transcript with its entries."""
        named = [item for item in self.graph.sidecars if item.agent == name]
        found = []
        for item in named:
            transcript = str(Path(item.path).with_name(f"agent-{name}.jsonl"))
            claimed = {
                copy.session for copies in self.graph.copies.values() for copy in copies if copy.path == transcript
            }
            if thread.session in claimed | {item.session}:
                found.append(item.value)
        return found

    def first_texts(self, thread: Thread) -> set[str]:
        """Return the first user text of a thread and the teammate messages in that text, normalised by `fold`."""
        users = [self.graph.entries[uuid] for uuid in self.graph.by_time(thread.members)]
        text = next((entry.text for entry in users if entry.is_user and entry.text), "")
        return {fold(text), *(fold(body) for body in _TEAMMATE.findall(text))} - {""}


def link_agents(graph: EntryGraph) -> None:
    """Attach every agent thread whose earliest root has no existing parent, if a link rule finds an entry for it."""
    search = Search(graph)
    waiting = []
    for thread in graph.threads.values():
        first = graph.roots(thread)[0]
        has_none = graph.entries[first].recorded_parent is None or graph.has_ghost_parent(first)
        if thread.is_agent and has_none:
            waiting.append((graph.entries[first].time, thread))
    ordered = [thread for _, thread in sorted(waiting, key=lambda item: item[0])]
    for thread in ordered:
        search.link(thread, search.targets_by_name(thread))
    for by_name in (True, False):
        for thread in ordered:
            root = graph.roots(thread)[0]
            if root not in graph.links:
                search.link(thread, search.targets_by_prompt(thread, by_name=by_name))
                if root in graph.calls:
                    graph.by_prompt.add((thread.session, graph.calls[root]))
    firsts = [graph.roots(thread)[0] for thread in ordered]
    graph.unlinked = [uuid for uuid in firsts if uuid not in graph.links]


def progress_agent(entry: Entry) -> str | None:
    """Return the id of the agent that a progress entry is about."""
    return as_text(as_object(entry.value.get("data")).get("agentId")) or entry.agent_id


def fold(text: Any) -> str:
    """Return the text in lower case, with single spaces between words."""
    return " ".join(text.split()).casefold() if isinstance(text, str) else ""


def _spawn(entry: Entry, use: Use) -> Spawn:
    return use.id or (entry.uuid, entry.uses.index(use))
