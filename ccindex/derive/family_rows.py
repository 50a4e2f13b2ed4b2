"""A family's graph and agents as rows of the derived tables."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

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
from ccindex.graph.build import FamilyGraph, Relation
from ccindex.graph.ladder import NUMBER
from ccindex.graph.line_ids import line_ids
from ccindex.model.graph import NONE, AgentHints, Call, Kind
from ccindex.model.spawned import Earliest, Held, Spawned
from ccindex.read.entry_parser import NO_MODEL
from ccindex.read.text_tags import part_context
from ccindex.store.family_loader import EntryReader, LoadedFamily, load_spawned
from ccindex.store.rows import Row

_Numbers = list[int | None]  # by index; the last element, at index NONE, is None


class Numbers(NamedTuple):
    """The numbers that entries, threads and lines have in the index, by their index in the graph."""

    entries: _Numbers
    threads: Sequence[int]
    lines: _Numbers
    thread_of: Sequence[int]  # threads by entry


def placement_rows(graph: FamilyGraph, numbers: Numbers) -> Iterator[Row]:
    """Return one row per entry, in time order, with the columns of `places`."""
    forest, placement = graph.forest, graph.placement
    entries, lines = numbers.entries, numbers.lines
    count = len(entries) - 1
    positions: _Numbers = list(forest.position_of)
    reasons: list[str | None] = [None] * count
    forks: _Numbers = [None] * count
    fork_lines: _Numbers = [None] * count
    for index, fork in placement.inlined.items():
        forks[index] = entries[fork]
    if placement.aside:
        line_of_fork = {
            fork: lines[forest.homes.of(fork).line] for fork in {aside.fork for aside in placement.aside.values()}
        }
        for index, (reason, fork) in placement.aside.items():
            positions[index], reasons[index] = None, reason.value
            forks[index], fork_lines[index] = entries[fork], line_of_fork[fork]
    return zip(
        entries[:count],
        numbers.thread_of,
        map(lines.__getitem__, forest.line_of),
        positions,
        reasons,
        forks,
        map(entries.__getitem__, graph.links.parents),
        fork_lines,
        strict=True,
    )


def line_rows(graph: FamilyGraph, numbers: Numbers) -> Iterator[Row]:
    """Give one row per line; every id, which may be long, is built when its row is asked for."""
    lines, entries = graph.forest.lines, numbers.entries
    for index, line_id in line_ids([line.name for line in lines]):
        line = lines[index]
        yield (
            numbers.lines[index],
            numbers.threads[line.thread],
            line_id,
            line.kind,
            numbers.lines[line.parent],
            None if line.parent == NONE else line.parent_position,
            entries[line.attachment],
            entries[min(line.nodes)],
            entries[max(line.nodes)],
            len(line.nodes),
            int(line.is_active),
        )


def graph_rows(graph: FamilyGraph, numbers: Numbers) -> dict[str, list[Row]]:
    """Return the rows of paths, repairs, roots, forks, junctions and findings by table."""
    links, homes = graph.links, graph.forest.homes
    entries, threads, lines, thread_of = numbers
    spawned = [
        (entries[child], "spawn", thread_of[child], entries[spawn.parent], spawn.rule)
        for child, spawn in links.spawns.items()
    ]
    forks = []
    for parent, thread, child_count, ruling in graph.placement.ruled:
        line, position = homes.of(parent)
        rung, verdict = NUMBER[ruling.rung], str(ruling.verdict)
        forks.append(
            (entries[parent], threads[thread], lines[line], position, rung, verdict, child_count, ruling.reason)
        )
    return {
        "paths": [
            (
                *(lines[path.line], path.number, entries[path.root], entries[path.leaf], entries[path.fork]),
                *(path.entry_count, path.compaction_count),
            )
            for path in graph.paths
        ],
        "parent_repairs": [*spawned, *((entries[child], "cut", thread_of[child], None, None) for child in links.cuts)],
        "roots": [
            (entries[root.index], thread_of[root.index], root.kind, int(root.is_expected)) for root in links.roots
        ],
        "forks": forks,
        "junctions": [
            (entries[node], lines[target], thread_of[node], kind, ordinal)
            for node, target, kind, ordinal in graph.forest.junctions
        ],
        "graph_diagnostics": [
            (entries[node], code.slug, thread_of[node], code.severity, detail) for code, node, detail in graph.findings
        ],
    }


class SessionFacts(NamedTuple):
    """What session rows show besides the graph: the sessions that occurrences claim, and facts by session."""

    claimed: Sequence[int]
    models: Mapping[int, frozenset[str]]
    titles: Mapping[int, str]
    agent_counts: Mapping[int, int]


def session_rows(graph: FamilyGraph, reader: EntryReader, facts: SessionFacts) -> Iterator[Row]:
    """Give one row per claimed session, whether it owns entries or not."""
    links, nodes = graph.links, graph.links.nodes
    lines: Counter[tuple[int, str]] = Counter()
    for line in graph.forest.lines:
        session = links.threads[line.thread].session
        lines[session, line.kind] += 1
        lines[session, ""] += 1
    boundary, prompt = Kind.BOUNDARY, Kind.PROMPT
    entries: defaultdict[int, list[int]] = defaultdict(list)
    typed: defaultdict[int, list[int]] = defaultdict(list)  # in the trunk, without commands
    for index, node in enumerate(nodes):
        entries[node.session].append(index)
        if node.is_typed and not node.is_command and links.threads[links.thread_of[index]].agent_id is None:
            typed[node.session].append(index)
    prompts = {
        session: next((index for index in own if nodes[index].kind == prompt), NONE) for session, own in typed.items()
    }
    words = _first_words(reader, typed, prompts)
    numbers: _Numbers = [*(node.entry for node in nodes), None]
    for session in facts.claimed:
        own = entries.get(session, [])
        first, last = (own[0], own[-1]) if own else (NONE, NONE)
        relation = graph.relations.get(session, Relation(session))
        names = sorted(facts.models.get(session, frozenset()) - {NO_MODEL})
        yield (
            session,
            relation.kind,
            relation.parent,
            numbers[relation.attachment],
            numbers[first],
            numbers[last],
            numbers[prompts.get(session, NONE)],
            facts.titles.get(session),
            len(own),
            lines[session, ""],
            lines[session, "branch"],
            facts.agent_counts.get(session, 0),
            sum([nodes[index].kind == boundary for index in own]),
            ",".join(names) or None,
            words.get(session),
        )


def _first_words(reader: EntryReader, typed: Mapping[int, Sequence[int]], prompts: Mapping[int, int]) -> dict[int, str]:
    """Return the first words of sessions whose first prompt starts with an editor's context or has no words."""
    texts = {index: rest for index, *rest in reader.rows("derive/typed_texts", set(prompts.values()) - {NONE})}
    found: dict[int, str] = {}
    for session, prompt in prompts.items():
        if prompt == NONE:
            continue
        text, has_image = texts[prompt]
        if text and not text.lstrip().startswith("<"):
            continue
        words = part_context(text).words
        if not words and has_image:
            words = f"(image) {_next_words(reader, [index for index in typed[session] if index > prompt])}".rstrip()
        if words and words != text:
            found[session] = words
    return found


def _next_words(reader: EntryReader, typed: Sequence[int]) -> str:
    """Return the first words among typed entries, read in growing batches."""
    start, size = 0, 1
    while start < len(typed):
        for _, text, _ in reader.rows("derive/typed_texts", typed[start : start + size]):
            if words := part_context(text).words:
                return words
        start, size = start + size, size * 2
    return ""


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
