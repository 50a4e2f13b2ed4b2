"""Finds the agents there are, with or without a thread, where they hang and by which call."""

from dataclasses import dataclass
from typing import Any

from .facts import Entry, Use
from .objects import table, word
from .spawn import Search, fold, progress_agent
from .world import Thread


@dataclass
class Agent:
    """An agent with a thread of its own, or one that is only heard of."""

    id: str
    session: str
    spawn: str | None
    tool_id: str | None
    thread: Thread | None = None
    # the call may be in any session
    anywhere: bool = False


def agents_known(search: Search) -> list[Agent]:
    """One per agent thread, and one per agent that a session names but has no thread of."""
    threads = [thread for thread in search.world.threads.values() if thread.is_agent]
    found = {(thread.session, thread.agent): _with_thread(search, thread) for thread in threads}
    # the other names of an agent that has a thread are no agents of their own
    names = {(thread.session, name) for thread in threads for name in search.names(thread)}
    # The better source first, each by time: the first to name an agent stands
    for source in (_by_outcome, _by_text, _by_progress):
        for entry in search.entries:
            for agent in source(search, entry):
                is_known = (agent.session, agent.id) in names
                if not is_known and not _is_teammate_found(search, entry, agent.session):
                    found.setdefault((agent.session, agent.id), agent)
    return list(found.values())


def _is_teammate_found(search: Search, entry: Entry, session: str) -> bool:
    """The entry speaks of a teammate whose thread was found by its prompt, whatever it is called there."""
    spoken = {*entry.result_ids, word(entry.value.get("parentToolUseID"))}
    teammates = {
        use.id
        for other in search.entries
        for use in other.spawns
        if word(use.input.get("name")) or word(use.input.get("team_name"))
    }
    return any((session, call) in search.world.by_prompt for call in spoken & teammates - {None})


def call_of(search: Search, tool_id: str | None, session: str, *, anywhere: bool = False) -> Use | None:
    """The earliest call with an id: in the session, else perhaps anywhere."""
    if tool_id is None:
        return None
    entries = sorted(search.entries, key=lambda entry: entry.session != session)
    entries = [entry for entry in entries if anywhere or entry.session == session]
    return next((use for entry in entries for use in entry.uses if use.id == tool_id), None)


def is_spawn(use: Use | None) -> bool:
    """The call is one that starts an agent."""
    return use is not None and use.name in ("Task", "Agent")


def _with_thread(search: Search, thread: Thread) -> Agent:
    world = search.world
    root = world.roots(thread)[0]
    agent = Agent(thread.agent or "", thread.session, world.parents.get(root), None, thread, root in world.anywhere)
    if agent.spawn is None:
        return agent
    entry = world.entries[agent.spawn]
    if root in world.calls:
        agent.tool_id = world.calls[root]
    elif root in world.links:
        agent.tool_id = _call_at(search, entry, thread.session)
    else:
        # whatever else was done where it hangs did not spawn it
        at_hand = _call_with_words(search, entry, thread) or _call_at(search, entry, thread.session)
        agent.tool_id = at_hand if is_spawn(call_of(search, at_hand, thread.session)) else None
    return agent


def _call_with_words(search: Search, parent: Entry, thread: Thread) -> str | None:
    """Of several spawns in a recorded parent, the first with the words that the thread begins with."""
    words = search.first_words(thread)
    alike = [use.id for use in parent.spawns if use.id and fold(use.input.get("prompt")) in words]
    return alike[0] if alike and len(parent.spawns) > 1 else None


def _call_at(search: Search, entry: Entry, session: str) -> str | None:
    """Of the calls that an entry answers, else of those it holds: the first spawn, else the first."""
    answered = [result.id for result in entry.results if result.id]
    ids = answered or [use.id for use in entry.uses if use.id]
    spawns = [tool_id for tool_id in ids if is_spawn(call_of(search, tool_id, session))]
    return next(iter([*spawns, *ids]), None)


def _by_outcome(search: Search, entry: Entry) -> list[Agent]:
    """The agents that a tool result names by its keys (5.2)."""
    in_trunk = not search.world.threads[search.world.thread_of[entry.uuid]].is_agent
    return [
        Agent(name, entry.session, entry.uuid, _call_at(search, entry, entry.session))
        for name in entry.agents_named(in_trunk=in_trunk)
    ]


def _by_text(search: Search, entry: Entry) -> list[Agent]:
    """The agents that the result of a spawn names in its text (5.3)."""
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
    """The agent whose progress an entry tells, at its call as in 5.1."""
    data = table(entry.value.get("data"))
    name, tool_id = progress_agent(entry), word(entry.value.get("parentToolUseID"))
    if data.get("type") != "agent_progress" or name is None or tool_id is None:
        return []
    target = next(search.of_call(tool_id, entry.session, "progress"), None)
    return [Agent(name, entry.session, target.uuid if target else None, tool_id, anywhere=True)]
