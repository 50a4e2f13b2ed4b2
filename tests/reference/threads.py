"""Assign entries to threads, and effective parents to entries (rule: trunk_thread, agent_thread, effective_parent)."""

from typing import Any

from .entries import Entry
from .entry_graph import EntryGraph, Thread, distinct_heads, least_of_cycles
from .spawn_links import link_agents


def build(graph: EntryGraph) -> None:
    """Assign entries to threads, attach agents to their calls and set effective parents."""
    _find_threads(graph)
    _set_effective_parents(graph)
    link_agents(graph)
    _set_effective_parents(graph)


def root_kinds(graph: EntryGraph) -> dict[str, list[Any]]:
    """Return each root's kind, whether it is expected, and its ghost parent (rule: root_kind, expected_root)."""
    found: dict[str, list[Any]] = {}
    for thread in graph.threads.values():
        starts = 0
        for index, uuid in enumerate(graph.roots(thread)):
            kind = _root_kind(graph, uuid, is_agents_first=thread.is_agent and index == 0)
            starts += kind == "start"
            is_unexpected = kind == "cycle_cut" or (kind == "orphan" and graph.entries[uuid].is_talk)
            is_expected = not is_unexpected and not (kind == "start" and starts > 1)
            missing = graph.entries[uuid].recorded_parent if graph.has_ghost_parent(uuid) else None
            found[uuid] = [kind, int(is_expected), missing]
    return found


def edges(graph: EntryGraph) -> list[list[str]]:
    """Return every link between entries, with its kind and state."""
    found = []
    for uuid, entry in graph.entries.items():
        if entry.recorded_parent:
            is_cut = uuid in graph.cuts and uuid not in graph.links
            state = "ghost" if graph.has_ghost_parent(uuid) else "cut" if is_cut else "resolved"
            found.append([uuid, entry.recorded_parent, "parent", state])
        if uuid in graph.links:
            found.append([uuid, graph.links[uuid], "spawn", "cut" if uuid in graph.cuts else "resolved"])
        for kind, other in (("logical", entry.logical_parent), ("forked_from", _original(entry))):
            if other:
                found.append([uuid, other, kind, "resolved" if other in graph.entries else "ghost"])
    return sorted(found)


def _original(entry: Entry) -> str | None:
    named = entry.value.get("forkedFrom")
    original = named.get("messageUuid") if isinstance(named, dict) else None
    return original if isinstance(original, str) and original else None


def _root_kind(graph: EntryGraph, uuid: str, *, is_agents_first: bool) -> str:
    entry = graph.entries[uuid]
    # compact_recap is the legacy type of a compaction's summary
    is_summary = entry.flag("isCompactSummary") or entry.type == "compact_recap"
    is_lone_summary = entry.kind == "prompt" and is_summary and entry.recorded_parent is None
    fits = {
        "cycle_cut": uuid in graph.cuts,
        "agent": is_agents_first,
        "compact_boundary": entry.kind == "boundary" or is_lone_summary,
        "resume": uuid in graph.parents,
        "orphan": graph.has_ghost_parent(uuid),
        "local_command": entry.type == "system" and entry.subtype == "local_command",
        "hook": entry.kind == "side",
        "start": True,
    }
    return next(kind for kind, does_fit in fits.items() if does_fit)


def _find_threads(graph: EntryGraph) -> None:
    inline = []
    for uuid, entry in graph.entries.items():
        file_agent = entry.owner.file_agent
        agent = entry.agent_id or file_agent
        if file_agent is None and not entry.flag("isSidechain"):
            _put(graph, uuid, Thread(entry.session, entry.session, is_agent=False, agent_id=None))
        elif agent:
            _put(graph, uuid, Thread(f"{entry.session}#agent-{agent}", entry.session, is_agent=True, agent_id=agent))
        else:
            inline.append(uuid)
    _find_inline_threads(graph, inline)


def _find_inline_threads(graph: EntryGraph, uuids: list[str]) -> None:
    """Give each tree of version 1 sidechain entries a thread named after its root (rule: sidechain_thread)."""
    up = {}
    inline = set(uuids)
    for uuid in uuids:
        parent = graph.entries[uuid].recorded_parent
        if parent in inline and graph.entries[parent].session == graph.entries[uuid].session:
            up[uuid] = parent
    for uuid in least_of_cycles(up, lambda uuid: graph.entries[uuid].time):
        del up[uuid]
    tops = {}
    for uuid in uuids:
        top = uuid
        while top in up:
            top = up[top]
        tops[uuid] = top
    heads: dict[str, dict[str, str]] = {}
    for session in {graph.entries[uuid].session for uuid in uuids}:
        heads[session] = distinct_heads([top for top in set(tops.values()) if graph.entries[top].session == session])
    for uuid, top in tops.items():
        session = graph.entries[uuid].session
        name = f"{session}#agent-{heads[session][top]}"
        _put(graph, uuid, Thread(name, session, is_agent=True, agent_id=None))


def _put(graph: EntryGraph, uuid: str, thread: Thread) -> None:
    graph.threads.setdefault(thread.id, thread).members.append(uuid)
    graph.thread_of[uuid] = thread.id


def _set_effective_parents(graph: EntryGraph) -> None:
    """Set the parent of every entry to the target of its spawn link or, without one, to its recorded parent."""
    wanted = {uuid: graph.links.get(uuid) or entry.recorded_parent for uuid, entry in graph.entries.items()}
    graph.set_parents({uuid: parent for uuid, parent in wanted.items() if parent in graph.entries})
