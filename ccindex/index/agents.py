"""A family's subagents as rows: who each is, the call that spawned it, and what became of it."""

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeVar

from ccindex.graph.untangle import Untangled
from ccindex.meaning.agents import Agent, agents_of, depths_of, sidecars_by_agent
from ccindex.meaning.spawned import Interrupts, choose_call, kind_of, name_of, status_of
from ccindex.model.graph import NONE, AgentHints, Call, Node
from ccindex.model.spawned import Reply, Spawned
from ccindex.store.inserts import Row
from ccindex.store.nodes import Loaded, Reader
from ccindex.store.spawned import load_spawned


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
        {call for calls in candidates for call in calls if isinstance(call, str)},
        {agent.agent_id for agent in agents},
        workflows=any(agent.workflow_run is not None for agent in agents),
    )
    sidecars = sidecars_by_agent(made.links, agents)
    interrupts = Interrupts(made.forest, made.links.nodes)
    depths = depths_of(made.links)
    for agent, calls in zip(agents, candidates, strict=True):
        own = sidecars[agent.session, agent.agent_id]
        told_by, told = hints.told.get(agent.thread, (NONE, ""))
        tool_use_id, call = _spawning(agent, calls, known, loaded.family.nodes, told)
        reply = _earliest(known.replies.get(tool_use_id or "", ()), loaded.family.nodes, agent)
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
    """The calls that may have spawned each: those the rule speaks of, else those its place answers, else holds."""
    places = {agent.spawn for agent in agents if not agent.calls and agent.spawn != NONE}
    answers = reader.grouped("derive/answers", places)
    uses = reader.grouped("derive/uses", places)

    def beside(place: int) -> tuple[str, ...]:
        return tuple(call for call in answers.get(place, ()) if call is not None) or uses.get(place, ())

    return [agent.calls or beside(agent.spawn) for agent in agents]


def _spawning(
    agent: Agent, candidates: Sequence[str | Call], known: Spawned, nodes: Sequence[Node], told: str
) -> tuple[str | None, Call | None]:
    """The id of the call that spawned an agent, and the call if it was seen."""
    found = [
        call if isinstance(call, Call) else _earliest(known.calls.get(call, ()), nodes, agent) for call in candidates
    ]
    call = choose_call(agent, [call for call in found if call is not None], told)
    if call is not None:
        return call.tool_use_id, call
    if agent.rule == "recorded" or not candidates:  # whatever else was done where it hangs did not spawn it
        return None, None
    first, *_ = candidates
    return first if isinstance(first, str) else None, found[0]


_Held = TypeVar("_Held", Call, Reply)


def _earliest(held: Sequence[_Held], nodes: Sequence[Node], agent: Agent) -> _Held | None:
    """The first by time in the agent's session; else anywhere, if what names the call may do so from afar."""
    inside = [item for item in held if nodes[item.node].session == agent.session]
    outside = held if agent.rule in ("sidecar", "progress") else ()
    return min(inside or outside, key=lambda item: item.node, default=None)


def _depth(made: Untangled, agent: Agent, depths: Mapping[int, int | None]) -> tuple[int | None, str | None]:
    """How deep an agent is, and the agent above it."""
    if agent.spawn == NONE:
        return None, None
    thread = made.links.thread_of[agent.spawn]
    above = depths[thread]
    return None if above is None else above + 1, made.links.threads[thread].agent_id


def _entry(loaded: Loaded, index: int) -> int | None:
    return None if index == NONE else loaded.family.nodes[index].entry
