"""Gives agents their rows: name, kind, depth, prompt (SEMANTICS.md, 12)."""

from typing import Any

from .callers import Agent, agents_known, call_of
from .lines import Lines
from .objects import is_set, word
from .spawn import Search
from .world import Thread, World


def agents(world: World, lines: Lines) -> list[list[Any]]:
    """The rows of `v1_agents`, without status and timestamps."""
    search = Search(world)
    return [_row(search, agent, lines) for agent in agents_known(search)]


def _row(search: Search, agent: Agent, lines: Lines) -> list[Any]:
    world = search.world
    call = call_of(search, agent.tool_id, agent.session, anywhere=agent.anywhere)
    asked = call.input if call else {}
    above = _holder(world, agent.spawn)
    has_line = agent.thread is not None and any(line.id == agent.thread.id for line in lines.lines)
    types = [word(asked.get("subagent_type")), *(word(value.get("agentType")) for value in _sidecars(search, agent))]
    return [
        agent.id,
        agent.session,
        agent.thread.id if agent.thread and has_line else None,
        next((name for name in types if name), "unknown"),
        _kind(search, agent, asked),
        _depth(world, agent.spawn),
        above.agent if above else None,
        agent.spawn,
        agent.tool_id,
        word(asked.get("prompt")) or _first_text(world, agent.thread),
        len(agent.thread.members) if agent.thread else 0,
    ]


def _sidecars(search: Search, agent: Agent) -> list[dict[str, Any]]:
    if agent.thread is not None:
        return search.sidecars(agent.thread, agent.thread.agent_id) if agent.thread.agent_id else []
    named = [item for item in search.world.sidecars if (item.session, item.agent) == (agent.session, agent.id)]
    return [item.value for item in named]


def _kind(search: Search, agent: Agent, asked: dict[str, Any]) -> str:
    world = search.world
    named = [asked.get("name"), asked.get("team_name"), *(value.get("name") for value in _sidecars(search, agent))]
    fits = {
        "workflow": agent.thread is not None and world.entries[world.roots(agent.thread)[0]].owner.run is not None,
        "teammate": any(word(name) for name in named),
        "unknown": agent.spawn is None,
        "async": is_set(asked.get("run_in_background")) or _is_async(search, agent),
        "task": True,
    }
    return next(kind for kind, does_fit in fits.items() if does_fit)


def _is_async(search: Search, agent: Agent) -> bool:
    """The result of the call says that the agent goes on by itself."""
    entries = sorted(search.entries, key=lambda entry: entry.session != agent.session)
    entries = [entry for entry in entries if agent.anywhere or entry.session == agent.session]
    answers = [entry for entry in entries if agent.tool_id is not None and agent.tool_id in entry.result_ids]
    return bool(answers) and is_set(answers[0].outcome.get("isAsync"))


def _holder(world: World, spawn: str | None) -> Thread | None:
    """The thread of the entry where an agent hangs."""
    return None if spawn is None else world.threads[world.thread_of[spawn]]


def _depth(world: World, spawn: str | None) -> int | None:
    """How many spawns lead down from a trunk; None if they begin nowhere or run in a circle."""
    depth = 1
    seen = set()
    while (holder := _holder(world, spawn)) is not None and holder.id not in seen:
        if not holder.is_agent:
            return depth
        seen.add(holder.id)
        depth += 1
        spawn = world.parents.get(world.roots(holder)[0])
    return None


def _first_text(world: World, thread: Thread | None) -> str | None:
    entries = [world.entries[uuid] for uuid in world.by_time(thread.members)] if thread else []
    return next((entry.text for entry in entries if entry.kind == "prompt" and entry.text), None)
