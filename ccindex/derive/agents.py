"""A family's subagents to rows: identity, spawning call and status."""

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
from ccindex.graph.build import FamilyGraph
from ccindex.model.graph import NONE, AgentHints, Call
from ccindex.model.spawned import Earliest, Held, Spawned
from ccindex.store.family_loader import EntryReader, LoadedFamily, load_spawned
from ccindex.store.rows import Row


def agent_rows(loaded: LoadedFamily, graph: FamilyGraph, hints: AgentHints, threads: Sequence[int]) -> Iterator[Row]:
    """Give one row per subagent of a family; `threads`: the numbers of the graph's threads."""
    links = graph.links
    agents = agents_of(links)
    if not agents:
        return
    candidates = _candidates(loaded.reader, agents)
    distinct = {id(calls): calls for calls in candidates}.values()
    spawned = load_spawned(
        loaded.reader,
        {call for calls in distinct for call in calls if isinstance(call, str)},
        {agent.agent_id for agent in agents},
        workflows=any(agent.workflow_run is not None for agent in agents),
    )
    sidecars = sidecars_by_agent(links, agents)
    interrupts = Interrupts(graph.forest, links.nodes)
    depths = depths_of(links)
    chooser = _CallChooser(spawned)
    entries: list[int | None] = [*(node.entry for node in links.nodes), None]  # the last is at index NONE
    for agent, calls in zip(agents, candidates, strict=True):
        own = sidecars[agent.session, agent.agent_id]
        told_by, told = hints.told.get(agent.thread, (NONE, ""))
        tool_use_id, call = chooser.choose(agent, calls, told)
        reply = None if tool_use_id is None else _earliest(spawned.replies, tool_use_id, agent)
        notices = spawned.notices.get((agent.session, agent.agent_id), ())
        journal = spawned.journals.get((agent.session, agent.workflow_run or "", agent.agent_id))
        stopped = None if call is None else interrupts.follow(call.node)
        depth, above = _depth(graph, agent, depths)
        yield (
            agent.session,
            agent.agent_id,
            None if agent.thread == NONE else threads[agent.thread],
            name_of(call, own),
            kind_of(agent, call, reply, own),
            depth,
            above,
            entries[agent.spawn],
            agent.rule,
            tool_use_id,
            None if call is None else entries[call.node],
            None if reply is None else entries[reply.node],
            entries[told_by],
            status_of(reply, notices, journal, call_stopped=stopped),
            agent.entry_count,
            entries[agent.first],
            entries[agent.last],
            agent.workflow_run,
        )


def _candidates(reader: EntryReader, agents: Sequence[Agent]) -> list[tuple[str | Call, ...]]:
    """Return the calls that may have spawned each agent: those of its rule, else those of the entry it attaches to.

    Of that entry the calls that it answers count, else those that it holds. Agents of one entry share one tuple.
    """
    places = {agent.spawn for agent in agents if not agent.calls and agent.spawn != NONE}
    answers = reader.grouped("derive/answers", places)
    uses = reader.grouped("derive/uses", places)
    beside = {
        place: tuple(call for call in answers.get(place, ()) if call is not None) or uses.get(place, ())
        for place in places
    }
    return [agent.calls or beside.get(agent.spawn, ()) for agent in agents]


class _CallChooser:
    """Chooses the call that spawned an agent; the candidates of one entry are looked up once."""

    def __init__(self, spawned: Spawned) -> None:
        self._spawned = spawned
        self._seen: dict[tuple[int, int, bool], tuple[Sequence[str | Call], Candidates]] = {}

    def choose(self, agent: Agent, calls: Sequence[str | Call], told: str) -> tuple[str | None, Call | None]:
        """Return the id of the call that spawned an agent, and the call if it was recorded."""
        candidates = self._candidates(agent, calls)
        call = candidates.choose(agent.rule, told)
        if call is not None:
            return call.tool_use_id, call
        if agent.rule == "recorded" or not calls:  # other calls of the entry it attaches to did not spawn it
            return None, None
        return calls[0] if isinstance(calls[0], str) else None, candidates.first

    def _candidates(self, agent: Agent, calls: Sequence[str | Call]) -> Candidates:
        # the tuple is kept, so that no other one can get its id()
        key = (id(calls), agent.session, _may_be_elsewhere(agent))
        if key not in self._seen:
            found = [call if isinstance(call, Call) else _earliest(self._spawned.calls, call, agent) for call in calls]
            self._seen[key] = calls, Candidates(found)
        return self._seen[key][1]


def _earliest(held: Earliest[Held], tool_use_id: str, agent: Agent) -> Held | None:
    return held.of(tool_use_id, agent.session, elsewhere=_may_be_elsewhere(agent))


def _may_be_elsewhere(agent: Agent) -> bool:
    """Whether the call may be in another session than the agent."""
    return agent.rule in ("sidecar", "progress")


def _depth(graph: FamilyGraph, agent: Agent, depths: Mapping[int, int | None]) -> tuple[int | None, str | None]:
    """Return the depth of an agent, and the id of the agent above it."""
    if agent.spawn == NONE:
        return None, None
    thread = graph.links.thread_of[agent.spawn]
    above = depths[thread]
    return None if above is None else above + 1, graph.links.threads[thread].agent_id
