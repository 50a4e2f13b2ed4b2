"""Subagents of a family: attachment, spawning call, depth, name, kind and status."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import chain
from typing import NamedTuple

from ccindex.graph.lines import Forest
from ccindex.graph.parents import Links
from ccindex.graph.spawn_matching import fold, ways_to_say
from ccindex.graph.spawns import sidecars_by_place, sources_by_thread
from ccindex.model.graph import NONE, Call, Family, Kind, Node, Sidecar
from ccindex.model.spawned import Journal, Reply


class Agent(NamedTuple):
    """A subagent, by its thread or by what names it alone.

    `calls`: what may have spawned it, by id or, if it has none, itself; the best guess first.
    `first` and `last`: its own entries, else the progress that was reported of it.
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


def agents_of(links: Links) -> list[Agent]:
    """Everyone who has a thread, then those who are only spoken of."""
    threads = list(_with_threads(links))
    known = {(agent.session, agent.agent_id) for agent in threads}
    # a teammate may write a new file per turn, each with all of its history
    known.update((links.threads[thread].session, name) for thread, names in links.aliases.items() for name in names)
    # a teammate's result may name it otherwise than its transcript, which its prompt led to the same call
    nodes = links.nodes
    teammates = {(nodes[call.node].session, call.tool_use_id) for call in links.family.calls if call.name or call.team}
    found = {(agent.session, call) for agent in threads if agent.rule == "prompt" for call in agent.calls}
    return [*threads, *_only_named(links, known, {key for key in found if key in teammates})]


def depths_of(links: Links) -> dict[int, int | None]:
    """How many spawns lie above each thread: 0 for a trunk, None where that is not known."""
    depths: dict[int, int | None] = {}
    for thread in range(len(links.threads)):
        trail: dict[int, None] = {}
        at = thread
        while at not in depths and at not in trail and links.threads[at].agent_id is not None:
            trail[at] = None
            spawn = _outside(links, at)
            if spawn == NONE:
                break
            at = links.thread_of[spawn]
        # in the trail: it hangs nowhere, or threads hang on one another in a circle
        depth = None if at in trail else depths.setdefault(at, 0)
        for above in reversed(trail):
            depth = None if depth is None else depth + 1
            depths[above] = depth
    return depths


def sidecars_by_agent(links: Links, agents: list[Agent]) -> dict[tuple[int, str], list[Sidecar]]:
    """The sidecars of each agent: those beside its transcripts, then those in its session's folder."""
    family = links.family
    beside, hinted = sidecars_by_place(family.sidecars)
    sources = sources_by_thread(links.thread_of, family.nodes) if beside else {}
    return {
        (agent.session, agent.agent_id): [
            *(sidecar for source in sources.get(agent.thread, ()) for sidecar in beside.get(source, ())),
            *hinted.get((family.session_ids[agent.session], agent.agent_id), ()),
        ]
        for agent in agents
    }


def _with_threads(links: Links) -> Iterator[Agent]:
    places = range(len(links.thread_of))
    last = dict(zip(links.thread_of, places, strict=True))
    first = dict(zip(reversed(links.thread_of), reversed(places), strict=True))
    count = Counter(links.thread_of)
    for number, (_, session, agent_id) in enumerate(links.threads):
        if agent_id is None:
            continue
        root = links.first_roots[number]
        spawn = links.spawns.get(root)
        hangs = _outside(links, number)
        rule = None if hangs == NONE else spawn.rule if spawn is not None else "recorded"
        yield Agent(
            session,
            agent_id,
            number,
            hangs,
            rule,
            spawn.calls if spawn is not None and hangs != NONE else (),
            first[number],
            last[number],
            count[number],
            links.nodes[root].workflow_run,
        )


def _outside(links: Links, thread: int) -> int:
    """The entry of another thread that a thread's first root hangs on."""
    root = links.first_roots.get(thread, NONE)
    return NONE if root == NONE else links.parents[root]


def _only_named(links: Links, known: set[tuple[int, str]], taken: set[tuple[int, str | Call]]) -> Iterator[Agent]:
    """Agents that a result or a progress entry names and that have no transcript; a result knows best."""
    family = links.family
    spawning = {(family.nodes[call.node].session, call.tool_use_id) for call in family.calls}
    mentions = [
        naming
        for naming in family.mentions
        if any((family.nodes[naming.node].session, call) in spawning for call in naming.tool_use_ids)
    ]
    heard: dict[tuple[int, str], list[int]] = {}
    for naming in family.progress:
        heard.setdefault((family.nodes[naming.node].session, naming.agent_id), []).append(naming.node)
    seen = set(known)
    holders = _Holders(family)
    for rule, namings in (("result", family.outcomes), ("mention", mentions), ("progress", family.progress)):
        for naming in sorted(namings):
            session = family.nodes[naming.node].session
            key = (session, naming.agent_id)
            if key in seen or any((session, call) in taken for call in naming.tool_use_ids):
                continue
            seen.add(key)
            spawn = holders.first(naming.tool_use_ids, session) if rule == "progress" else naming.node
            first, last = (min(heard[key]), max(heard[key])) if key in heard else (NONE, NONE)
            yield Agent(*key, NONE, spawn, rule, naming.tool_use_ids, first, last, 0, None)


class _Holders:
    """Finds the entry that answers a call, else the one that holds it; those of a session before others."""

    def __init__(self, family: Family) -> None:
        self._family = family
        self._known: dict[str, tuple[dict[int, int], dict[int, int]]] = {}

    def first(self, calls: Sequence[str], session: int) -> int:
        """The first of some calls' entries; NONE: none was seen."""
        found = [self._of(call) for call in calls]
        answers_first = [by_session for kind in (0, 1) for by_session in (both[kind] for both in found)]
        inside = (by_session[session] for by_session in answers_first if session in by_session)
        anywhere = (next(iter(by_session.values())) for by_session in answers_first if by_session)
        return next(chain(inside, anywhere), NONE)

    def _of(self, call: str) -> tuple[dict[int, int], dict[int, int]]:
        """The first answer and the first use in each session; sessions in the order of these."""
        if call not in self._known:
            family = self._family
            self._known[call] = (
                self._firsts(family.answers_of.get(call, ())),
                self._firsts(family.calls_of.get(call, ())),
            )
        return self._known[call]

    def _firsts(self, held: Sequence[int]) -> dict[int, int]:
        firsts: dict[int, int] = {}
        for index in held:
            firsts.setdefault(self._family.nodes[index].session, index)
        return firsts


_UNKNOWN = "unknown"
# how results, notifications and journals put it
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
_UNDER_WAY = frozenset({"async_launched", "remote_launched", "teammate_spawned", "running", "pending", "launched"})


class Candidates:
    """The calls that may have spawned the agents of one place, the best guess first; None: not seen."""

    def __init__(self, calls: Sequence[Call | None]) -> None:
        self.first = calls[0] if calls else None
        self._spawning = [call for call in calls if call is not None and call.is_spawn]

    @cached_property
    def _prompts(self) -> dict[str, int]:
        """Where each prompt was asked first."""
        found: dict[str, int] = {}
        for place, call in enumerate(self._spawning):
            if call.prompt is not None:
                found.setdefault(fold(call.prompt), place)
        return found

    def choose(self, rule: str | None, told: str) -> Call | None:
        """The first call that spawns; by its prompt where an agent hangs by the record."""
        if not self._spawning:
            return None
        place = 0
        if rule == "recorded" and len(self._spawning) > 1:
            place = min((self._prompts[way] for way in ways_to_say(told) if way in self._prompts), default=0)
        return self._spawning[place]


def name_of(call: Call | None, sidecars: Sequence[Sidecar]) -> str:
    """What kind of agent the call asked for, else what the sidecar says."""
    asked = call.agent_type if call is not None else None
    return asked or next((sidecar.agent_type for sidecar in sidecars if sidecar.agent_type), _UNKNOWN)


def kind_of(agent: Agent, call: Call | None, reply: Reply | None, sidecars: Sequence[Sidecar]) -> str:
    """How it was set to work."""
    if agent.workflow_run is not None:
        return "workflow"
    if (call is not None and (call.name or call.team)) or any(sidecar.name for sidecar in sidecars):
        return "teammate"
    if agent.spawn == NONE:
        return _UNKNOWN
    is_async = (call is not None and call.is_background) or (reply is not None and reply.is_async)
    return "async" if is_async else "task"


def status_of(
    reply: Reply | None, notices: Sequence[str], journal: Journal | None, *, call_stopped: bool | None
) -> str:
    """What became of it: the last notice that says so, else what its workflow wrote, else the call's result.

    `call_stopped`: the person interrupted what the call was part of; None: no call is known.
    """
    ended = [_STATUS[notice] for notice in notices if notice in _STATUS]
    if ended:
        return ended[-1]
    if journal is not None:
        return _journalled(journal)
    if reply is not None:
        return _replied(reply)
    if call_stopped is None:
        return _UNKNOWN
    return "interrupted" if call_stopped else "running"


class Interrupts:
    """Tells whether the next that a person said after a call, on its line, was to interrupt it."""

    def __init__(self, forest: Forest, nodes: Sequence[Node]) -> None:
        self._forest = forest
        self._nodes = nodes
        self._prompts: dict[int, list[int]] = {}

    def follow(self, call: int) -> bool:
        """Whether a call was interrupted; one that was set aside is not known to be."""
        line = self._forest.line_of[call]
        if line == NONE:
            return False
        on_line = self._forest.lines[line].nodes
        if line not in self._prompts:
            self._prompts[line] = [place for place, index in enumerate(on_line) if self._is_said(index)]
        said = self._prompts[line]
        place = bisect_right(said, self._forest.position_of[call])
        return place < len(said) and self._nodes[on_line[said[place]]].form == "interrupt"

    def _is_said(self, index: int) -> bool:
        node = self._nodes[index]
        return node.kind == Kind.PROMPT and node.form != "injected"


def _journalled(journal: Journal) -> str:
    if journal.has_result:
        return "completed"
    run = _STATUS.get(journal.run_status or "", "running")
    return "interrupted" if run == "completed" else run  # the run ended without it


def _replied(reply: Reply) -> str:
    if reply.is_interrupted or reply.form in ("interrupt", "rejection"):
        return "interrupted"
    if reply.is_error:
        return "failed"
    if reply.status in _UNDER_WAY:
        return "running"
    return _STATUS.get(reply.status or "", "completed")
