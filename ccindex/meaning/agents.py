"""Who the subagents of a family are: where each hangs, the calls that may have spawned it, and how deep it is."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from ccindex.graph.links import Links
from ccindex.graph.spawns import sidecars_by_place, sources_by_thread
from ccindex.model.graph import NONE, Call, Family, Sidecar


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
        while at not in depths and at not in trail and links.threads[at].is_agent:
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
