"""Find all agents, with or without a thread, and where they were spawned (rule: agent_without_thread)."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from .entries import Entry, Use
from .entry_graph import Thread
from .objects import as_object, as_text
from .spawn_links import Search, fold, progress_agent


@dataclass
class Agent:
    """An agent that has a thread, or is only mentioned in entries."""

    id: str
    session: str
    spawn: str | None
    tool_id: str | None
    thread: Thread | None = None
    # the call may be in any session
    anywhere: bool = False


def known_agents(search: Search) -> list[Agent]:
    """Return one agent per agent thread, and one for every other agent id that the entries of a session mention."""
    threads = [thread for thread in search.graph.threads.values() if thread.is_agent]
    found = {(thread.session, thread.agent): _with_thread(search, thread) for thread in threads}
    # an agent that has a thread can have further ids, which are not separate agents
    names = {(thread.session, name) for thread in threads for name in search.names(thread)}
    # the first mention of an agent counts, so more reliable sources come first, and earlier entries before later ones
    for source in (_by_result, _by_mention, _by_progress):
        for entry in search.entries:
            for agent in source(search, entry):
                calls = entry.result_ids if source is _by_result else {agent.tool_id}
                is_known = (agent.session, agent.id) in names
                if not is_known and not _is_teammate_found(search, agent.session, calls):
                    found.setdefault((agent.session, agent.id), agent)
    return list(found.values())


def _is_teammate_found(search: Search, session: str, calls: Collection[str | None]) -> bool:
    """Return whether one of the calls started a teammate and was matched with a thread by `link_prompt`."""
    teammates = {
        use.id
        for other in search.entries
        for use in other.spawns
        if other.session == session and (as_text(use.input.get("name")) or as_text(use.input.get("team_name")))
    }
    return any((session, call) in search.graph.by_prompt for call in teammates.intersection(calls) - {None})


def call_of(search: Search, tool_id: str | None, session: str, *, anywhere: bool = False) -> Use | None:
    """Return the earliest call with this id in the session or, if there is none and `anywhere` is set, elsewhere."""
    if tool_id is None:
        return None
    entries = sorted(search.entries, key=lambda entry: entry.session != session)
    entries = [entry for entry in entries if anywhere or entry.session == session]
    return next((use for entry in entries for use in entry.uses if use.id == tool_id), None)


def is_spawn(use: Use | None) -> bool:
    """Return whether a call starts an agent."""
    return use is not None and use.name in ("Task", "Agent")


def _with_thread(search: Search, thread: Thread) -> Agent:
    graph = search.graph
    root = graph.roots(thread)[0]
    agent = Agent(thread.agent or "", thread.session, graph.parents.get(root), None, thread, root in graph.anywhere)
    if agent.spawn is None:
        return agent
    entry = graph.entries[agent.spawn]
    if root in graph.calls:
        agent.tool_id = graph.calls[root]
    elif root in graph.links:
        agent.tool_id = _call_at(search, entry, thread.session)
    else:
        # the entry that the agent is attached to can also contain calls that did not spawn the agent
        tool_id = _call_with_prompt(search, entry, thread) or _call_at(search, entry, thread.session)
        agent.tool_id = tool_id if is_spawn(call_of(search, tool_id, thread.session)) else None
    return agent


def _call_with_prompt(search: Search, parent: Entry, thread: Thread) -> str | None:
    """If `parent` starts several agents, return the first call whose prompt equals the thread's first text."""
    texts = search.first_texts(thread)
    matches = [use.id for use in parent.spawns if use.id and fold(use.input.get("prompt")) in texts]
    return matches[0] if matches and len(parent.spawns) > 1 else None


def _call_at(search: Search, entry: Entry, session: str) -> str | None:
    """Return a call that an entry answers or, failing that, makes. Calls that start an agent are preferred."""
    answered = [result.id for result in entry.results if result.id]
    ids = answered or [use.id for use in entry.uses if use.id]
    spawns = [tool_id for tool_id in ids if is_spawn(call_of(search, tool_id, session))]
    return next(iter([*spawns, *ids]), None)


def _by_result(search: Search, entry: Entry) -> list[Agent]:
    """Return the agents whose ids are in the agent id fields of a tool result."""
    in_trunk = not search.graph.threads[search.graph.thread_of[entry.uuid]].is_agent
    return [
        Agent(name, entry.session, entry.uuid, _call_at(search, entry, entry.session))
        for name in entry.agents_named(in_trunk=in_trunk)
    ]


def _by_mention(search: Search, entry: Entry) -> list[Agent]:
    """Return the agents whose ids are mentioned in the result text of a call that starts an agent."""
    spawns = _spawn_ids(search, entry.session) if entry.results else set()
    return [
        Agent(name, entry.session, entry.uuid, result.id)
        for result in entry.results
        if result.id in spawns
        for name in result.agents
    ]


def _spawn_ids(search: Search, session: str) -> set[Any]:
    inside = [entry for entry in search.entries if entry.session == session]
    return {use.id for entry in inside for use in entry.spawns} - {None}


def _by_progress(search: Search, entry: Entry) -> list[Agent]:
    """Return the agent that a progress entry is about, with the call that started the agent."""
    data = as_object(entry.value.get("data"))
    name, tool_id = progress_agent(entry), as_text(entry.value.get("parentToolUseID"))
    if data.get("type") != "agent_progress" or name is None or tool_id is None:
        return []
    target = next(search.of_call(tool_id, entry.session, "progress"), None)
    return [Agent(name, entry.session, target.uuid if target else None, tool_id, anywhere=True)]
