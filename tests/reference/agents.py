"""Build the agents' rows: name, kind, depth and prompt (rule: agent_name, agent_kind, agent_depth)."""

from typing import Any

from .entry_graph import EntryGraph, Thread
from .known_agents import Agent, call_of, known_agents
from .lines import Lines
from .objects import as_text, is_set
from .spawn_links import Search


def agents(graph: EntryGraph, lines: Lines) -> list[list[Any]]:
    """Return the rows of `v1_agents`, without status and timestamps."""
    search = Search(graph)
    return [_row(search, agent, lines) for agent in known_agents(search)]


def _row(search: Search, agent: Agent, lines: Lines) -> list[Any]:
    graph = search.graph
    call = call_of(search, agent.tool_id, agent.session, anywhere=agent.anywhere)
    asked = call.input if call else {}
    above = _holder(graph, agent.spawn)
    has_line = agent.thread is not None and any(line.id == agent.thread.id for line in lines.lines)
    types = [
        as_text(asked.get("subagent_type")),
        *(as_text(value.get("agentType")) for value in _sidecars(search, agent)),
    ]
    return [
        agent.id,
        agent.session,
        agent.thread.id if agent.thread and has_line else None,
        next((name for name in types if name), "unknown"),
        _kind(search, agent, asked),
        _depth(graph, agent.spawn),
        above.agent if above else None,
        agent.spawn,
        agent.tool_id,
        as_text(asked.get("prompt")) or _first_text(graph, agent.thread),
        len(agent.thread.members) if agent.thread else 0,
    ]


def _sidecars(search: Search, agent: Agent) -> list[dict[str, Any]]:
    """Return the sidecars next to the agent's transcripts, then the session's sidecars that have the agent's id."""
    graph = search.graph
    members = graph.by_time(agent.thread.members) if agent.thread else []
    paths = dict.fromkeys(graph.entries[uuid].owner.path for uuid in members)
    by_path = {item.path: item.value for item in graph.sidecars}
    beside = [by_path[name] for path in paths if (name := path.removesuffix(".jsonl") + ".meta.json") in by_path]
    named = [item for item in graph.sidecars if (item.session, item.agent) == (agent.session, agent.id)]
    return [*beside, *(item.value for item in named)]


def _kind(search: Search, agent: Agent, asked: dict[str, Any]) -> str:
    graph = search.graph
    named = [asked.get("name"), asked.get("team_name"), *(value.get("name") for value in _sidecars(search, agent))]
    fits = {
        "workflow": agent.thread is not None and graph.entries[graph.roots(agent.thread)[0]].owner.run is not None,
        "teammate": any(as_text(name) for name in named),
        "unknown": agent.spawn is None,
        "async": is_set(asked.get("run_in_background")) or _is_async(search, agent),
        "task": True,
    }
    return next(kind for kind, does_fit in fits.items() if does_fit)


def _is_async(search: Search, agent: Agent) -> bool:
    """Return whether the result of the agent's call is flagged `isAsync`: the agent runs in the background."""
    entries = sorted(search.entries, key=lambda entry: entry.session != agent.session)
    entries = [entry for entry in entries if agent.anywhere or entry.session == agent.session]
    answers = [entry for entry in entries if agent.tool_id is not None and agent.tool_id in entry.result_ids]
    return bool(answers) and is_set(answers[0].outcome.get("isAsync"))


def _holder(graph: EntryGraph, spawn: str | None) -> Thread | None:
    """Return the thread of the entry that an agent is attached to, or None if the agent is not attached."""
    return None if spawn is None else graph.threads[graph.thread_of[spawn]]


def _depth(graph: EntryGraph, spawn: str | None) -> int | None:
    """Return the number of spawns from a trunk to an agent; None if no trunk is reached or the spawns form a cycle."""
    depth = 1
    seen = set()
    while (holder := _holder(graph, spawn)) is not None and holder.id not in seen:
        if not holder.is_agent:
            return depth
        seen.add(holder.id)
        depth += 1
        spawn = graph.parents.get(graph.roots(holder)[0])
    return None


def _first_text(graph: EntryGraph, thread: Thread | None) -> str | None:
    entries = [graph.entries[uuid] for uuid in graph.by_time(thread.members)] if thread else []
    return next((entry.text for entry in entries if entry.kind == "prompt" and entry.text), None)
