"""Assigns entries to threads and, once agents are linked, effective parents to entries (SEMANTICS.md, 4 and 6)."""

from typing import Any

from .facts import Entry
from .spawn import link_agents
from .world import Thread, World, distinct_heads, least_of_cycles


def build(world: World) -> None:
    """Find threads, link agents, settle parents."""
    _find_threads(world)
    _settle_parents(world)
    link_agents(world)
    _settle_parents(world)


def root_kinds(world: World) -> dict[str, list[Any]]:
    """Kind, expected and missing parent of every root."""
    found: dict[str, list[Any]] = {}
    for thread in world.threads.values():
        starts = 0
        for index, uuid in enumerate(world.roots(thread)):
            kind = _root_kind(world, uuid, is_agents_first=thread.is_agent and index == 0)
            starts += kind == "start"
            odd = kind == "cycle_cut" or (kind == "orphan" and world.entries[uuid].is_talk)
            is_expected = not odd and not (kind == "start" and starts > 1)
            missing = world.entries[uuid].recorded_parent if world.is_ghost(uuid) else None
            found[uuid] = [kind, int(is_expected), missing]
    return found


def edges(world: World) -> list[list[str]]:
    """Every link between entries, with its kind and state."""
    found = []
    for uuid, entry in world.entries.items():
        if entry.recorded_parent:
            is_cut = uuid in world.cuts and uuid not in world.links
            state = "ghost" if world.is_ghost(uuid) else "cut" if is_cut else "resolved"
            found.append([uuid, entry.recorded_parent, "parent", state])
        if uuid in world.links:
            found.append([uuid, world.links[uuid], "spawn", "cut" if uuid in world.cuts else "resolved"])
        for kind, other in (("logical", entry.logical_parent), ("forked_from", _original(entry))):
            if other:
                found.append([uuid, other, kind, "resolved" if other in world.entries else "ghost"])
    return sorted(found)


def _original(entry: Entry) -> str | None:
    named = entry.value.get("forkedFrom")
    original = named.get("messageUuid") if isinstance(named, dict) else None
    return original if isinstance(original, str) and original else None


def _root_kind(world: World, uuid: str, *, is_agents_first: bool) -> str:
    entry = world.entries[uuid]
    # FORMAT.md: the legacy type is a compact summary
    is_summary = entry.flag("isCompactSummary") or entry.type == "compact_recap"
    is_lone_summary = entry.kind == "prompt" and is_summary and entry.recorded_parent is None
    fits = {
        "cycle_cut": uuid in world.cuts,
        "agent": is_agents_first,
        "compact_boundary": entry.kind == "boundary" or is_lone_summary,
        "resume": uuid in world.parents,
        "orphan": world.is_ghost(uuid),
        "local_command": entry.type == "system" and entry.subtype == "local_command",
        "hook": entry.kind == "side",
        "start": True,
    }
    return next(kind for kind, does_fit in fits.items() if does_fit)


def _find_threads(world: World) -> None:
    inline = []
    for uuid, entry in world.entries.items():
        file_agent = entry.owner.file_agent
        agent = entry.agent_id or file_agent
        if file_agent is None and not entry.flag("isSidechain"):
            _put(world, uuid, Thread(entry.session, entry.session, is_agent=False, agent_id=None))
        elif agent:
            _put(world, uuid, Thread(f"{entry.session}#agent-{agent}", entry.session, is_agent=True, agent_id=agent))
        else:
            inline.append(uuid)
    _find_inline_threads(world, inline)


def _find_inline_threads(world: World, uuids: list[str]) -> None:
    """Give each tree of version 1 sidechain entries of a session a thread named after its root."""
    up = {}
    inline = set(uuids)
    for uuid in uuids:
        parent = world.entries[uuid].recorded_parent
        if parent in inline and world.entries[parent].session == world.entries[uuid].session:
            up[uuid] = parent
    for uuid in least_of_cycles(up, lambda uuid: world.entries[uuid].time):
        del up[uuid]
    tops = {}
    for uuid in uuids:
        top = uuid
        while top in up:
            top = up[top]
        tops[uuid] = top
    heads: dict[str, dict[str, str]] = {}
    for session in {world.entries[uuid].session for uuid in uuids}:
        heads[session] = distinct_heads([top for top in set(tops.values()) if world.entries[top].session == session])
    for uuid, top in tops.items():
        session = world.entries[uuid].session
        name = f"{session}#agent-{heads[session][top]}"
        _put(world, uuid, Thread(name, session, is_agent=True, agent_id=None))


def _put(world: World, uuid: str, thread: Thread) -> None:
    world.threads.setdefault(thread.id, thread).members.append(uuid)
    world.thread_of[uuid] = thread.id


def _settle_parents(world: World) -> None:
    """Take the spawn link, else the recorded parent if it exists."""
    wanted = {uuid: world.links.get(uuid) or entry.recorded_parent for uuid, entry in world.entries.items()}
    world.settle({uuid: parent for uuid, parent in wanted.items() if parent in world.entries})
