"""Convert a family's graph and agents to rows of the derived tables."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ccindex.facts.agents import (
    Agent,
    Interrupts,
    SpawnCandidates,
    agent_kind,
    agent_name,
    agent_status,
    find_agents,
    sidecars_by_agent,
    thread_depths,
)
from ccindex.graph.build import FamilyGraph, Relation
from ccindex.graph.ladder import RUNG_NUMBERS
from ccindex.graph.line_ids import line_ids
from ccindex.model.agent_records import AgentRecords, CallOrResult, EarliestByCall
from ccindex.model.graph import NONE, AgentHints, Call, EntryKind
from ccindex.read.content import SYNTHETIC_MODEL
from ccindex.read.text_tags import split_editor_context
from ccindex.store.entry_reader import EntryReader
from ccindex.store.family_loader import LoadedFamily, load_agent_records
from ccindex.store.rows import Row

_Ids = list[int | None]  # row ids by index; the last element, at index NONE, is None


class RowIds(NamedTuple):
    """The row ids of entries, threads and lines, by their index in the graph."""

    entries: _Ids
    threads: Sequence[int]
    lines: _Ids
    thread_of: Sequence[int]  # the thread of every entry


def placement_rows(graph: FamilyGraph, ids: RowIds) -> Iterator[Row]:
    """Return one row of `placements` per entry, in time order."""
    forest, placement = graph.forest, graph.placement
    entries, lines = ids.entries, ids.lines
    count = len(entries) - 1
    positions: _Ids = list(forest.position_of)
    reasons: list[str | None] = [None] * count
    forks: _Ids = [None] * count
    fork_lines: _Ids = [None] * count
    for index, fork in placement.inlined.items():
        forks[index] = entries[fork]
    if placement.aside:
        line_of_fork = {
            fork: lines[forest.line_positions.of(fork).line]
            for fork in {aside.fork for aside in placement.aside.values()}
        }
        for index, (reason, fork) in placement.aside.items():
            positions[index], reasons[index] = None, reason.value
            forks[index], fork_lines[index] = entries[fork], line_of_fork[fork]
    return zip(
        entries[:count],
        ids.thread_of,
        map(lines.__getitem__, forest.line_of),
        positions,
        reasons,
        forks,
        map(entries.__getitem__, graph.links.parents),
        fork_lines,
        strict=True,
    )


def line_rows(graph: FamilyGraph, ids: RowIds) -> Iterator[Row]:
    """Yield one row per line; line ids can be long, so each is built only when its row is requested."""
    lines, entries = graph.forest.lines, ids.entries
    for index, line_id in line_ids([line.name for line in lines]):
        line = lines[index]
        yield (
            ids.lines[index],
            ids.threads[line.thread],
            line_id,
            line.kind,
            ids.lines[line.parent],
            None if line.parent == NONE else line.parent_position,
            entries[line.attachment],
            entries[min(line.nodes)],
            entries[max(line.nodes)],
            len(line.nodes),
            int(line.is_active),
        )


def graph_rows(graph: FamilyGraph, ids: RowIds) -> dict[str, list[Row]]:
    """Return the rows of paths, parent repairs, roots, forks, junctions and graph diagnostics, by table."""
    links, line_positions = graph.links, graph.forest.line_positions
    entries, threads, lines, thread_of = ids
    spawned = [
        (entries[child], "spawn", thread_of[child], entries[spawn.parent], spawn.rule)
        for child, spawn in links.spawns.items()
    ]
    forks = []
    for parent, thread, child_count, ruling in graph.placement.ruled:
        line, position = line_positions.of(parent)
        rung, verdict = RUNG_NUMBERS[ruling.rung], str(ruling.verdict)
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
            (entries[node], code.slug, thread_of[node], code.severity, detail)
            for code, node, detail in graph.diagnostics
        ],
    }


class SessionFacts(NamedTuple):
    """Inputs for session rows that are not part of the graph: sessions with entries or copies, and facts by session."""

    claimed: Sequence[int]
    models: Mapping[int, frozenset[str]]
    titles: Mapping[int, str]
    agent_counts: Mapping[int, int]


def session_rows(graph: FamilyGraph, reader: EntryReader, facts: SessionFacts) -> Iterator[Row]:
    """Yield one row per session that has entries or copies of entries."""
    links, nodes = graph.links, graph.links.nodes
    lines: Counter[tuple[int, str]] = Counter()
    for line in graph.forest.lines:
        session = links.threads[line.thread].session
        lines[session, line.kind] += 1
        lines[session, ""] += 1
    boundary, prompt = EntryKind.BOUNDARY, EntryKind.PROMPT
    entries: defaultdict[int, list[int]] = defaultdict(list)
    typed: defaultdict[int, list[int]] = defaultdict(list)  # typed entries outside agent threads, excluding commands
    for index, node in enumerate(nodes):
        entries[node.session].append(index)
        if node.is_typed and not node.is_command and links.threads[links.thread_of[index]].agent_id is None:
            typed[node.session].append(index)
    prompts = {
        session: next((index for index in own if nodes[index].kind == prompt), NONE) for session, own in typed.items()
    }
    texts = _first_prompt_texts(reader, typed, prompts)
    ids: _Ids = [*(node.entry for node in nodes), None]
    for session in facts.claimed:
        own = entries.get(session, [])
        first, last = (own[0], own[-1]) if own else (NONE, NONE)
        relation = graph.relations.get(session, Relation(session))
        names = sorted(facts.models.get(session, frozenset()) - {SYNTHETIC_MODEL})
        yield (
            session,
            relation.kind,
            relation.parent,
            ids[relation.attachment],
            ids[first],
            ids[last],
            ids[prompts.get(session, NONE)],
            facts.titles.get(session),
            len(own),
            lines[session, ""],
            lines[session, "branch"],
            facts.agent_counts.get(session, 0),
            sum([nodes[index].kind == boundary for index in own]),
            ",".join(names) or None,
            texts.get(session),
        )


def _first_prompt_texts(
    reader: EntryReader, typed: Mapping[int, Sequence[int]], prompts: Mapping[int, int]
) -> dict[int, str]:
    """Return, by session, the cleaned text of first prompts that start with editor context or have only an image."""
    starts = reader.rows("derive/typed_text_starts", set(prompts.values()) - {NONE})
    # a text can be huge, so it is only read if it can differ from its cleaned form
    unclean = {index for index, start in starts if not start.strip() or start.lstrip().startswith("<")}
    texts = {index: columns for index, *columns in reader.rows("derive/typed_texts", unclean)}
    cleaned: dict[int, str] = {}
    for session, prompt in prompts.items():
        if prompt not in texts:
            continue
        text, has_image = texts[prompt]
        own_text = split_editor_context(text).text
        if not own_text and has_image:
            own_text = f"(image) {_next_text(reader, [index for index in typed[session] if index > prompt])}".rstrip()
        if own_text and own_text != text:
            cleaned[session] = own_text
    return cleaned


def _next_text(reader: EntryReader, typed: Sequence[int]) -> str:
    """Return the first non-empty text of the given typed entries, which are read in growing batches."""
    start, size = 0, 1
    while start < len(typed):
        for _, text, _ in reader.rows("derive/typed_texts", typed[start : start + size]):
            if own_text := split_editor_context(text).text:
                return own_text
        start, size = start + size, size * 2
    return ""


def agent_rows(loaded: LoadedFamily, graph: FamilyGraph, hints: AgentHints, threads: Sequence[int]) -> Iterator[Row]:
    """Yield one row per subagent of a family; `threads`: the row ids of the graph's threads."""
    links = graph.links
    agents = find_agents(links)
    if not agents:
        return
    candidates = _candidates(loaded.reader, agents)
    distinct = {id(calls): calls for calls in candidates}.values()
    records = load_agent_records(
        loaded.reader,
        {call for calls in distinct for call in calls if isinstance(call, str)},
        {agent.agent_id for agent in agents},
        workflows=any(agent.workflow_run is not None for agent in agents),
    )
    sidecars = sidecars_by_agent(links, agents)
    interrupts = Interrupts(graph.forest, links.nodes)
    depths = thread_depths(links)
    chooser = _CallChooser(records)
    entries: list[int | None] = [*(node.entry for node in links.nodes), None]  # the last is at index NONE
    for agent, calls in zip(agents, candidates, strict=True):
        own = sidecars[agent.session, agent.agent_id]
        first_prompt, prompt_text = hints.first_prompts.get(agent.thread, (NONE, ""))
        tool_use_id, call = chooser.choose(agent, calls, prompt_text)
        result = None if tool_use_id is None else _earliest(records.results, tool_use_id, agent)
        notices = records.notices.get((agent.session, agent.agent_id), ())
        journal = records.journals.get((agent.session, agent.workflow_run or "", agent.agent_id))
        stopped = None if call is None else interrupts.follow(call.node)
        depth, parent_agent_id = _depth(graph, agent, depths)
        yield (
            agent.session,
            agent.agent_id,
            None if agent.thread == NONE else threads[agent.thread],
            agent_name(call, own),
            agent_kind(agent, call, result, own),
            depth,
            parent_agent_id,
            entries[agent.spawn],
            agent.rule,
            tool_use_id,
            None if call is None else entries[call.node],
            None if result is None else entries[result.node],
            entries[first_prompt],
            agent_status(result, notices, journal, call_stopped=stopped),
            agent.entry_count,
            entries[agent.first],
            entries[agent.last],
            agent.workflow_run,
        )


def _candidates(reader: EntryReader, agents: Sequence[Agent]) -> list[tuple[str | Call, ...]]:
    """Return, for each agent, the calls that may have spawned it.

    These are the calls that its rule found. If it found none, they are the calls whose results are in the entry that
    the agent is attached to or, if that entry has no results, the calls in that entry. In this case, agents attached to
    the same entry share one tuple.
    """
    spawns = {agent.spawn for agent in agents if not agent.calls and agent.spawn != NONE}
    answers = reader.grouped("derive/answered_call_ids", spawns)
    uses = reader.grouped("derive/call_ids", spawns)
    calls_of_spawn = {
        spawn: tuple(call for call in answers.get(spawn, ()) if call is not None) or uses.get(spawn, ())
        for spawn in spawns
    }
    return [agent.calls or calls_of_spawn.get(agent.spawn, ()) for agent in agents]


class _CallChooser:
    """Chooses the call that spawned an agent; the candidates of an entry are looked up only once."""

    def __init__(self, records: AgentRecords) -> None:
        self._records = records
        self._cache: dict[tuple[int, int, bool], tuple[Sequence[str | Call], SpawnCandidates]] = {}

    def choose(self, agent: Agent, calls: Sequence[str | Call], prompt_text: str) -> tuple[str | None, Call | None]:
        """Return the id of the call that spawned an agent, and the call if it was recorded."""
        candidates = self._candidates(agent, calls)
        call = candidates.choose(agent.rule, prompt_text)
        if call is not None:
            return call.tool_use_id, call
        # none of the candidates spawns agents; if the agent has a recorded parent, its call is therefore unknown
        if agent.rule == "recorded" or not calls:
            return None, None
        return calls[0] if isinstance(calls[0], str) else None, candidates.first

    def _candidates(self, agent: Agent, calls: Sequence[str | Call]) -> SpawnCandidates:
        # the cache keeps a reference to `calls`, so that no other tuple can get the same id()
        key = (id(calls), agent.session, _may_be_elsewhere(agent))
        if key not in self._cache:
            recorded = [
                call if isinstance(call, Call) else _earliest(self._records.calls, call, agent) for call in calls
            ]
            self._cache[key] = calls, SpawnCandidates(recorded)
        return self._cache[key][1]


def _earliest(by_call: EarliestByCall[CallOrResult], tool_use_id: str, agent: Agent) -> CallOrResult | None:
    return by_call.of(tool_use_id, agent.session, elsewhere=_may_be_elsewhere(agent))


def _may_be_elsewhere(agent: Agent) -> bool:
    """Return whether the agent's call may be in another session."""
    return agent.rule in ("sidecar", "progress")


def _depth(graph: FamilyGraph, agent: Agent, depths: Mapping[int, int | None]) -> tuple[int | None, str | None]:
    """Return the depth of an agent and the id of its parent agent."""
    if agent.spawn == NONE:
        return None, None
    thread = graph.links.thread_of[agent.spawn]
    depth = depths[thread]
    return None if depth is None else depth + 1, graph.links.threads[thread].agent_id
