"""Find the agents of a family, with their attachment, spawning call, depth, name, kind and status."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import chain
from typing import NamedTuple

from ccindex.graph.lines import Forest
from ccindex.graph.parents import Links
from ccindex.graph.spawn_matching import fold, prompt_variants
from ccindex.graph.spawns import group_sidecars, sources_by_thread
from ccindex.model.agent_records import CallResult, Journal
from ccindex.model.graph import NONE, Call, EntryKind, Family, Node, Sidecar


class Agent(NamedTuple):
    """An agent that has a thread, or that is only mentioned.

    `calls`: the calls that may have spawned it, most likely first; a call with an id is given by its id.
    `first` and `last`: its first and last entries or, if it has none, the first and last progress entries about it.
    """

    session: int
    agent_id: str
    thread: int
    spawn: int
    rule: str | None
    calls: tuple[str | Call, ...]
    first: int
    last: int
    entry_count: int
    workflow_run: str | None


def find_agents(links: Links) -> list[Agent]:
    """Return the agents that have a thread, then the agents that are only mentioned."""
    threads = list(_with_threads(links))
    known = {(agent.session, agent.agent_id) for agent in threads}
    # a teammate may write a new file per turn, each with its whole history, so that one thread has several agent ids
    known.update((links.threads[thread].session, name) for thread, names in links.aliases.items() for name in names)
    # A teammate's result and its transcript may use different ids. If the prompt matched the transcript to a call, an
    # id in the result of that call does not refer to another agent.
    nodes = links.nodes
    teammates = {(nodes[call.node].session, call.tool_use_id) for call in links.family.calls if call.name or call.team}
    matched = {(agent.session, call) for agent in threads if agent.rule == "prompt" for call in agent.calls}
    return [*threads, *_only_mentioned(links, known, {key for key in matched if key in teammates})]


def thread_depths(links: Links) -> dict[int, int | None]:
    """Return the number of spawns above each thread: 0 for a trunk, None if it is unknown (rule: agent_depth)."""
    depths: dict[int, int | None] = {}
    for thread in range(len(links.threads)):
        trail: dict[int, None] = {}
        current = thread
        while current not in depths and current not in trail and links.threads[current].agent_id is not None:
            trail[current] = None
            spawn = _attachment(links, current)
            if spawn == NONE:
                break
            current = links.thread_of[spawn]
        # if the walk ended in the trail, either its last thread is not attached or threads are attached in a cycle
        depth = None if current in trail else depths.setdefault(current, 0)
        for above in reversed(trail):
            depth = None if depth is None else depth + 1
            depths[above] = depth
    return depths


def sidecars_by_agent(links: Links, agents: list[Agent]) -> dict[tuple[int, str], list[Sidecar]]:
    """Return each agent's sidecars: first the ones next to its transcripts, then the ones with its id in their path."""
    family = links.family
    by_transcript, hinted = group_sidecars(family.sidecars)
    sources = sources_by_thread(links.thread_of, family.nodes) if by_transcript else {}
    return {
        (agent.session, agent.agent_id): [
            *(sidecar for source in sources.get(agent.thread, ()) for sidecar in by_transcript.get(source, ())),
            *hinted.get((family.session_ids[agent.session], agent.agent_id), ()),
        ]
        for agent in agents
    }


def _with_threads(links: Links) -> Iterator[Agent]:
    """Yield the agents that have a thread. If an attached agent has no spawn, its parent was recorded.

    (rule: link_recorded)
    """
    indexes = range(len(links.thread_of))
    last = dict(zip(links.thread_of, indexes, strict=True))
    first = dict(zip(reversed(links.thread_of), reversed(indexes), strict=True))
    count = Counter(links.thread_of)
    for number, (_, session, agent_id) in enumerate(links.threads):
        if agent_id is None:
            continue
        root = links.first_roots[number]
        spawn = links.spawns.get(root)
        attachment = _attachment(links, number)
        rule = None if attachment == NONE else spawn.rule if spawn is not None else "recorded"
        yield Agent(
            session,
            agent_id,
            number,
            attachment,
            rule,
            spawn.calls if spawn is not None and attachment != NONE else (),
            first[number],
            last[number],
            count[number],
            links.nodes[root].workflow_run,
        )


def _attachment(links: Links, thread: int) -> int:
    """Return the entry that the earliest root of a thread is attached to, or NONE."""
    root = links.first_roots.get(thread, NONE)
    return NONE if root == NONE else links.parents[root]


def _only_mentioned(
    links: Links, known: set[tuple[int, str]], used_calls: set[tuple[int, str | Call]]
) -> Iterator[Agent]:
    """Yield the agents that have no thread, but whose id is in a result or progress entry; results take precedence.

    (rule: agent_without_thread)
    """
    family = links.family
    spawning = {(family.nodes[call.node].session, call.tool_use_id) for call in family.calls}
    in_results = [
        mention
        for mention in family.mentions
        if any((family.nodes[mention.node].session, call) in spawning for call in mention.tool_use_ids)
    ]
    progress: dict[tuple[int, str], list[int]] = {}
    for mention in family.progress:
        progress.setdefault((family.nodes[mention.node].session, mention.agent_id), []).append(mention.node)
    seen = set(known)
    call_entries = _CallEntries(family)
    for rule, mentions in (("result", family.outcomes), ("mention", in_results), ("progress", family.progress)):
        for mention in mentions:
            session = family.nodes[mention.node].session
            key = (session, mention.agent_id)
            if key in seen or any((session, call) in used_calls for call in mention.tool_use_ids):
                continue
            seen.add(key)
            spawn = call_entries.first(mention.tool_use_ids, session) if rule == "progress" else mention.node
            first, last = (min(progress[key]), max(progress[key])) if key in progress else (NONE, NONE)
            yield Agent(*key, NONE, spawn, rule, mention.tool_use_ids, first, last, 0, None)


class _CallEntries:
    """Finds an entry that answers or contains a call. It prefers entries in the given session, then answers."""

    def __init__(self, family: Family) -> None:
        self._family = family
        self._cache: dict[str, tuple[dict[int, int], dict[int, int]]] = {}

    def first(self, calls: Sequence[str], session: int) -> int:
        """Return the preferred entry for the given calls, or NONE if there is none."""
        firsts = [self._firsts_of(call) for call in calls]
        answers_first = [by_session for kind in (0, 1) for by_session in (both[kind] for both in firsts)]
        inside = (by_session[session] for by_session in answers_first if session in by_session)
        anywhere = (next(iter(by_session.values())) for by_session in answers_first if by_session)
        return next(chain(inside, anywhere), NONE)

    def _firsts_of(self, call: str) -> tuple[dict[int, int], dict[int, int]]:
        """Return the first answer per session and the first use per session, both in time order."""
        if call not in self._cache:
            family = self._family
            self._cache[call] = (
                self._firsts(family.answers_of.get(call, ())),
                self._firsts(family.calls_of.get(call, ())),
            )
        return self._cache[call]

    def _firsts(self, indexes: Sequence[int]) -> dict[int, int]:
        firsts: dict[int, int] = {}
        for index in indexes:
            firsts.setdefault(self._family.nodes[index].session, index)
        return firsts


_UNKNOWN = "unknown"
# status of an agent, by the status in results, notifications and journals
_STATUS = {
    "completed": "completed",
    "success": "completed",
    "failed": "failed",
    "error": "failed",
    "killed": "interrupted",
    "stopped": "interrupted",
    "cancelled": "interrupted",
    "canceled": "interrupted",
    "interrupted": "interrupted",
    "aborted": "interrupted",
}
_RUNNING = frozenset({"async_launched", "remote_launched", "teammate_spawned", "running", "pending", "launched"})


class SpawnCandidates:
    """The calls that may have spawned the agents attached to one entry, most likely first; None: an unrecorded call."""

    def __init__(self, calls: Sequence[Call | None]) -> None:
        self.first = calls[0] if calls else None
        self._spawning = [call for call in calls if call is not None and call.is_spawn]

    @cached_property
    def _by_prompt(self) -> dict[str, int]:
        """The index of the first spawning call with each prompt."""
        by_prompt: dict[str, int] = {}
        for index, call in enumerate(self._spawning):
            if call.prompt is not None:
                by_prompt.setdefault(fold(call.prompt), index)
        return by_prompt

    def choose(self, rule: str | None, first_prompt: str) -> Call | None:
        """Return the first spawning call; for an agent with a recorded parent, prefer one with the same prompt."""
        if not self._spawning:
            return None
        index = 0
        if rule == "recorded" and len(self._spawning) > 1:
            variants = prompt_variants(first_prompt)
            index = min((self._by_prompt[text] for text in variants if text in self._by_prompt), default=0)
        return self._spawning[index]


def agent_name(call: Call | None, sidecars: Sequence[Sidecar]) -> str:
    """Return the agent type from the call, or from a sidecar if the call has none (rule: agent_name)."""
    agent_type = call.agent_type if call is not None else None
    return agent_type or next((sidecar.agent_type for sidecar in sidecars if sidecar.agent_type), _UNKNOWN)


def agent_kind(agent: Agent, call: Call | None, result: CallResult | None, sidecars: Sequence[Sidecar]) -> str:
    """Return how an agent was started: task, async, teammate, workflow or unknown (rule: agent_kind)."""
    if agent.workflow_run is not None:
        return "workflow"
    if (call is not None and (call.name or call.team)) or any(sidecar.name for sidecar in sidecars):
        return "teammate"
    if agent.spawn == NONE:
        return _UNKNOWN
    is_async = (call is not None and call.is_background) or (result is not None and result.is_async)
    return "async" if is_async else "task"


def agent_status(
    result: CallResult | None, notices: Sequence[str], journal: Journal | None, *, call_stopped: bool | None
) -> str:
    """Return an agent's status, using the last final notice, the journal or the call's result, in that order.

    If none of these exists, the status depends on `call_stopped`: whether a person interrupted the turn that contains
    the call, or None if the call is unknown.
    """
    final = [_STATUS[notice] for notice in notices if notice in _STATUS]
    if final:
        return final[-1]
    if journal is not None:
        return _journal_status(journal)
    if result is not None:
        return _result_status(result)
    if call_stopped is None:
        return _UNKNOWN
    return "interrupted" if call_stopped else "running"


class Interrupts:
    """Determines whether the next prompt after a call, on the same line, is an interrupt."""

    def __init__(self, forest: Forest, nodes: Sequence[Node]) -> None:
        self._forest = forest
        self._nodes = nodes
        self._prompts: dict[int, list[int]] = {}

    def follow(self, call: int) -> bool:
        """Return whether an interrupt follows a call; False if the call was set aside."""
        line = self._forest.line_of[call]
        if line == NONE:
            return False
        on_line = self._forest.lines[line].nodes
        if line not in self._prompts:
            self._prompts[line] = [position for position, index in enumerate(on_line) if self._is_prompt(index)]
        prompts = self._prompts[line]
        following = bisect_right(prompts, self._forest.position_of[call])
        return following < len(prompts) and self._nodes[on_line[prompts[following]]].form == "interrupt"

    def _is_prompt(self, index: int) -> bool:
        node = self._nodes[index]
        return node.kind == EntryKind.PROMPT and node.form != "injected"


def _journal_status(journal: Journal) -> str:
    if journal.has_result:
        return "completed"
    run = _STATUS.get(journal.run_status or "", "running")
    return "interrupted" if run == "completed" else run  # the run completed without a result from this agent


def _result_status(result: CallResult) -> str:
    if result.is_interrupted or result.form in ("interrupt", "rejection"):
        return "interrupted"
    if result.is_error:
        return "failed"
    if result.status in _RUNNING:
        return "running"
    return _STATUS.get(result.status or "", "completed")
