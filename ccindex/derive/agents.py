"""A family's subagents as rows: who each is, the call that spawned it, and what became of it."""

import sqlite3
from collections.abc import Iterator, Mapping, Sequence

from ccindex.facts.agents import (
    Agent,
    Candidates,
    Interrupts,
    agents_of,
    depths_of,
    kind_of,
    name_of,
    sidecars_by_agent,
    status_of,
)
from ccindex.graph.build import Untangled
from ccindex.model.graph import NONE, AgentHints, Call
from ccindex.model.spawned import Earliest, Held, Spawned
from ccindex.store.facts import load_spawned
from ccindex.store.family_loader import Loaded, Reader
from ccindex.store.rows import Row


def agent_rows(
    connection: sqlite3.Connection, loaded: Loaded, made: Untangled, hints: AgentHints, threads: Sequence[int]
) -> Iterator[Row]:
    """One row a subagent of a family."""
    agents = agents_of(made.links)
    if not agents:
        return
    candidates = _candidates(Reader(connection, loaded.family.nodes, loaded.index_of), agents)
    known = load_spawned(
        connection,
        loaded,
        {
            call
            for calls in {id(calls): calls for calls in candidates}.values()
            for call in calls
            if isinstance(call, str)
        },
        {agent.agent_id for agent in agents},
        workflows=any(agent.workflow_run is not None for agent in agents),
    )
    sidecars = sidecars_by_agent(made.links, agents)
    interrupts = Interrupts(made.forest, made.links.nodes)
    depths = depths_of(made.links)
    spawning = _Spawning(known)
    for agent, calls in zip(agents, candidates, strict=True):
        own = sidecars[agent.session, agent.agent_id]
        told_by, told = hints.told.get(agent.thread, (NONE, ""))
        tool_use_id, call = spawning.choose(agent, calls, told)
        reply = None if tool_use_id is None else _earliest(known.replies, tool_use_id, agent)
        notices = known.notices.get((agent.session, agent.agent_id), ())
        journal = known.journals.get((agent.session, agent.workflow_run or "", agent.agent_id))
        stopped = None if call is None else interrupts.follow(call.node)
        depth, above = _depth(made, agent, depths)
        yield (
            agent.session,
            agent.agent_id,
            None if agent.thread == NONE else threads[agent.thread],
            name_of(call, own),
            kind_of(agent, call, reply, own),
            depth,
            above,
            _entry(loaded, agent.spawn),
            agent.rule,
            tool_use_id,
            None if call is None else _entry(loaded, call.node),
            None if reply is None else _entry(loaded, reply.node),
            _entry(loaded, told_by),
            status_of(reply, notices, journal, call_stopped=stopped),
            agent.entry_count,
            _entry(loaded, agent.first),
            _entry(loaded, agent.last),
            agent.workflow_run,
        )


def _candidates(reader: Reader, agents: Sequence[Agent]) -> list[tuple[str | Call, ...]]:
    """The calls that may have spawned each: those the rule speaks of, else those its place answers, else holds.

    Agents of one place share one tuple.
    """
    places = {agent.spawn for agent in agents if not agent.calls and agent.spawn != NONE}
    answers = reader.grouped("derive/answers", places)
    uses = reader.grouped("derive/uses", places)
    beside = {
        place: tuple(call for call in answers.get(place, ()) if call is not None) or uses.get(place, ())
        for place in places
    }
    return [agent.calls or beside.get(agent.spawn, ()) for agent in agents]


class _Spawning:
    """Chooses the call that spawned an agent; what agents of one place have in common is looked up once."""

    def __init__(self, known: Spawned) -> None:
        self._known = known
        self._seen: dict[tuple[int, int, bool], tuple[Sequence[str | Call], Candidates]] = {}

    def choose(self, agent: Agent, calls: Sequence[str | Call], told: str) -> tuple[str | None, Call | None]:
        """The id of the call that spawned an agent, and the call if it was seen."""
        candidates = self._candidates(agent, calls)
        call = candidates.choose(agent.rule, told)
        if call is not None:
            return call.tool_use_id, call
        if agent.rule == "recorded" or not calls:  # whatever else was done where it hangs did not spawn it
            return None, None
        return calls[0] if isinstance(calls[0], str) else None, candidates.first

    def _candidates(self, agent: Agent, calls: Sequence[str | Call]) -> Candidates:
        # the tuple stands beside what was made of it, so that no other can have its identity meanwhile
        key = (id(calls), agent.session, _may_be_elsewhere(agent))
        if key not in self._seen:
            found = [call if isinstance(call, Call) else _earliest(self._known.calls, call, agent) for call in calls]
            self._seen[key] = calls, Candidates(found)
        return self._seen[key][1]


def _earliest(held: Earliest[Held], tool_use_id: str, agent: Agent) -> Held | None:
    return held.of(tool_use_id, agent.session, elsewhere=_may_be_elsewhere(agent))


def _may_be_elsewhere(agent: Agent) -> bool:
    """Whether what names the agent's call may do so from another session."""
    return agent.rule in ("sidecar", "progress")


def _depth(made: Untangled, agent: Agent, depths: Mapping[int, int | None]) -> tuple[int | None, str | None]:
    """How deep an agent is, and the agent above it."""
    if agent.spawn == NONE:
        return None, None
    thread = made.links.thread_of[agent.spawn]
    above = depths[thread]
    return None if above is None else above + 1, made.links.threads[thread].agent_id


def _entry(loaded: Loaded, index: int) -> int | None:
    return None if index == NONE else loaded.family.nodes[index].entry
