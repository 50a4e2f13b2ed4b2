"""Agent threads to the entries that spawned them, by the first rule that finds one."""

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from heapq import merge
from itertools import chain
from typing import NamedTuple

from ccindex.graph.spawn_matching import Choices, Nesting, Target, fold, ways_to_say
from ccindex.graph.threads import Outline
from ccindex.model.graph import NONE, AgentHints, Call, Naming, Node, Sidecar

_ANY = ""  # in the place of a name, which is never empty: whatever the name is


class Spawn(NamedTuple):
    """The entry that an agent's first root attaches to, the rule that found it, and the calls that rule uses."""

    child: int
    parent: int
    rule: str
    calls: tuple[str | Call, ...]


class _Agent(NamedTuple):
    """A thread without a parent. `names`: its own id, then those of other files that hold its root.

    `sidecars`: by name, those beside the thread's transcripts first.
    """

    thread: int
    root: int
    names: tuple[str, ...]
    session: int
    words: frozenset[str]
    sidecars: Mapping[str, tuple[Sidecar, ...]]
    workflow_runs: tuple[str, ...]


def attach_agents(outline: Outline, first_roots: Mapping[int, int], hints: AgentHints) -> list[Spawn]:
    """Find a spawn for the earliest root of every agent thread that has no parent; threads by time."""
    return _Attachment(outline, first_roots, hints).run()


class _Attachment:
    """Threads attached so far. None may attach in itself or in a thread that is attached, at any depth, in it."""

    def __init__(self, outline: Outline, first_roots: Mapping[int, int], hints: AgentHints) -> None:
        self._outline = outline
        self._family = outline.family
        self._taken: set[str | Call] = set()
        self._found: list[Spawn] = []
        self._nesting = Nesting(outline.thread_of, len(outline.threads))
        self._outcomes = _choices(_by_agent(outline, self._family.outcomes))
        self._mentions = _choices(_by_agent(outline, self._family.mentions))
        self._progress = _calls_by_agent(_by_agent(outline, self._family.progress))
        self._runs = _by_agent(outline, self._family.runs)
        self._holders: dict[tuple[str, int | None], Choices] = {}  # by call, and session if only its entries count
        self._calls = _calls_by_prompt(outline, self._family.calls)
        self._agents = self._looking(first_roots, hints)
        for thread, root in first_roots.items():
            parent = outline.parents[root]
            if parent != NONE:  # it keeps that parent
                self._nesting.attach(thread, parent)

    def run(self) -> list[Spawn]:
        """Try the rules that name the agent for all threads, then compare prompts."""
        rest = [agent for agent in self._agents if not self._try(agent, _RULES)]
        named = [agent for agent in rest if _name_of(agent) is not None]
        rest = _without(rest, [agent for agent in named if self._try(agent, (("prompt", _Attachment._same_name),))])
        for agent in rest:
            self._try(agent, (("prompt", _Attachment._same_prompt),))
        return self._found

    def _looking(self, first_roots: Mapping[int, int], hints: AgentHints) -> list[_Agent]:
        outline, nodes = self._outline, self._family.nodes
        beside, hinted = sidecars_by_place(self._family.sidecars)
        sources = sources_by_thread(outline.thread_of, nodes) if beside else {}
        runs: defaultdict[int, set[str]] = defaultdict(set)
        for thread, node in zip(outline.thread_of, nodes, strict=True):
            if node.workflow_run is not None:
                runs[thread].add(node.workflow_run)
        agents = []
        for thread, root in sorted(first_roots.items(), key=lambda item: item[1]):
            what = outline.threads[thread]
            if what.agent_id is None or outline.parents[root] != NONE or root in outline.cuts:
                continue
            files = hints.files.get(root, ())
            others = sorted({file.agent_id for file in files} - {what.agent_id})
            own_sources = dict.fromkeys((*sources.get(thread, ()), *(file.source for file in files)))
            near: defaultdict[str, list[Sidecar]] = defaultdict(list)
            for sidecar in (sidecar for source in own_sources for sidecar in beside.get(source, ())):
                near[sidecar.agent_id].append(sidecar)
            session_id = self._family.session_ids[what.session]
            names = (what.agent_id, *others)
            agents.append(
                _Agent(
                    thread,
                    root,
                    names,
                    what.session,
                    ways_to_say(hints.told[thread][1]) if thread in hints.told else frozenset(),
                    {
                        name: tuple(dict.fromkeys((*near.get(name, ()), *hinted.get((session_id, name), ()))))
                        for name in names
                    },
                    tuple(runs.get(thread, ())),
                )
            )
        return agents

    def _try(self, agent: _Agent, rules: Iterable[tuple[str, "_Rule"]]) -> bool:
        for rule_name, rule in rules:
            for name in agent.names:
                for target in rule(self, agent, name):
                    if self._attach(agent, target, rule_name):
                        return True
        return False

    def _attach(self, agent: _Agent, target: Target, rule: str) -> bool:
        if not self._nesting.attach(agent.thread, target.node):
            return False
        self._found.append(Spawn(agent.root, target.node, rule, target.calls))
        self._taken.update(target.calls)
        return True

    def _by_context(self, agent: _Agent, name: str) -> Iterator[Target]:
        for node in self._family.contexts.get((agent.session, name), ()):
            yield Target(node, ())

    def _by_sidecar(self, agent: _Agent, name: str) -> Iterator[Target]:
        for sidecar in agent.sidecars[name]:
            if sidecar.tool_use_id is not None:
                yield from self._of_call(sidecar.tool_use_id, agent)

    def _by_run(self, agent: _Agent, name: str) -> Iterator[Target]:
        if not agent.workflow_runs or name != agent.names[0]:
            return
        thread_of = self._outline.thread_of
        found = merge(*(self._runs.get((agent.session, run), ()) for run in agent.workflow_runs))
        results = [naming for naming in found if thread_of[naming.node] != agent.thread]
        for naming in results:
            yield Target(naming.node, naming.tool_use_ids)
        for naming in results:
            for tool_use_id in naming.tool_use_ids:
                yield from self._outside(self._holding(tool_use_id, agent.session), agent)

    def _by_outcome(self, agent: _Agent, name: str) -> Iterator[Target]:
        yield from self._outside(self._outcomes.get((agent.session, name)), agent)

    def _by_mention(self, agent: _Agent, name: str) -> Iterator[Target]:
        yield from self._outside(self._mentions.get((agent.session, name)), agent)

    def _by_progress(self, agent: _Agent, name: str) -> Iterator[Target]:
        for tool_use_id in self._progress.get((agent.session, name), ()):
            yield from self._of_call(tool_use_id, agent)

    def _same_name(self, agent: _Agent, name: str) -> Iterator[Target]:
        """Untaken calls for what the thread was told first, by the name that its sidecar has."""
        yield from self._matching(agent, name, [_name_of(agent)])

    def _same_prompt(self, agent: _Agent, name: str) -> Iterator[Target]:
        """Untaken calls for what the thread was told first, unless both sides have names and they differ."""
        own = _name_of(agent)
        yield from self._matching(agent, name, [_ANY] if own is None else [own, None])

    def _matching(self, agent: _Agent, name: str, called: Iterable[str | None]) -> Iterator[Target]:
        if name != agent.names[0]:
            return
        keys = [(agent.session, words, who) for words in agent.words for who in called]
        found = [self._first_call(agent, self._calls[key]) for key in keys if key in self._calls]
        first = min((item for item in found if item is not None), default=None, key=lambda item: item[0])
        if first is not None:
            yield first[1]

    def _first_call(self, agent: _Agent, queue: "_Queue") -> tuple[int, Target] | None:
        """Find the earliest call that is neither taken nor in the thread or under it; return its place too."""
        front, rest = queue
        self._drop_taken(front)
        if not front:
            self._drop_taken(rest)
            if not rest:
                return None
            front.append(rest.popleft())
        top = self._nesting.common_top(self._of(front[0][1], None))
        if top == agent.thread:  # so are all in front
            self._drop_taken(rest)
            while rest and self._nesting.common_top(self._of(rest[0][1], None)) == top:
                front.append(rest.popleft())
                self._drop_taken(rest)
        for place, call in rest if top == agent.thread else chain(front, rest):
            if self._outline.thread_of[call.node] == agent.thread or self._is_taken(call):
                continue
            for session in (agent.session, None):
                target = self._nesting.first_outside(self._of(call, session), agent.thread)
                if target is not None:
                    return place, target
        return None

    def _drop_taken(self, calls: deque[tuple[int, Call]]) -> None:
        while calls and self._is_taken(calls[0][1]):
            calls.popleft()

    def _is_taken(self, call: Call) -> bool:
        return (call.tool_use_id or call) in self._taken

    def _of(self, call: Call, session: int | None) -> Choices:
        """Where an agent of a call may attach: in a session, or anywhere."""
        if call.tool_use_id is None:
            return Choices([Target(call.node, (call,))])
        return self._holding(call.tool_use_id, session)

    def _of_call(self, tool_use_id: str, agent: _Agent) -> Iterator[Target]:
        """Entries with the results of a call, then with the call; those of the session, then of others."""
        yield from self._outside(self._holding(tool_use_id, agent.session), agent)
        yield from self._outside(self._holding(tool_use_id, None), agent)

    def _outside(self, choices: Choices | None, agent: _Agent) -> Iterator[Target]:
        """Give the first target outside the thread and the threads under it, if there is one."""
        target = None if choices is None else self._nesting.first_outside(choices, agent.thread)
        if target is not None:
            yield target

    def _holding(self, tool_use_id: str, session: int | None) -> Choices:
        """Entries that answer a call, by time, then those that hold it; the first per thread, which stands for all."""
        if (tool_use_id, None) not in self._holders:
            thread_of, family = self._outline.thread_of, self._family
            first: dict[tuple[bool, int], Target] = {}
            for is_use, held in enumerate((family.answers_of, family.calls_of)):
                for node in held.get(tool_use_id, ()):
                    first.setdefault((bool(is_use), thread_of[node]), Target(node, (tool_use_id,)))
            inside: defaultdict[int, list[Target]] = defaultdict(list)
            for target in first.values():
                inside[family.nodes[target.node].session].append(target)
            self._holders[tool_use_id, None] = Choices(list(first.values()))
            self._holders.update(((tool_use_id, own), Choices(targets)) for own, targets in inside.items())
        return self._holders.get((tool_use_id, session), _NO_CHOICES)


_NO_CHOICES = Choices(())

_Rule = Callable[[_Attachment, _Agent, str], Iterator[Target]]

_RULES: tuple[tuple[str, _Rule], ...] = (
    ("context", _Attachment._by_context),  # noqa: SLF001 - the rules, in the order they are tried
    ("sidecar", _Attachment._by_sidecar),  # noqa: SLF001
    ("workflow", _Attachment._by_run),  # noqa: SLF001
    ("result", _Attachment._by_outcome),  # noqa: SLF001
    ("mention", _Attachment._by_mention),  # noqa: SLF001
    ("progress", _Attachment._by_progress),  # noqa: SLF001
)


def _name_of(agent: _Agent) -> str | None:
    return next((sidecar.name for sidecar in agent.sidecars[agent.names[0]] if sidecar.name is not None), None)


def _without(agents: list[_Agent], done: list[_Agent]) -> list[_Agent]:
    threads = {agent.thread for agent in done}
    return [agent for agent in agents if agent.thread not in threads]


def sidecars_by_place(
    sidecars: Iterable[Sidecar],
) -> tuple[dict[int, list[Sidecar]], dict[tuple[str | None, str], list[Sidecar]]]:
    """Sidecars by the transcript they lie beside, and by the session and agent that their path names."""
    beside: defaultdict[int, list[Sidecar]] = defaultdict(list)
    hinted: defaultdict[tuple[str | None, str], list[Sidecar]] = defaultdict(list)
    for sidecar in sidecars:
        if sidecar.beside is not None:
            beside[sidecar.beside].append(sidecar)
        if sidecar.session_id is not None:
            hinted[sidecar.session_id, sidecar.agent_id].append(sidecar)
    return beside, hinted


def _by_agent(outline: Outline, namings: Iterable[Naming]) -> dict[tuple[int, str], list[Naming]]:
    """Namings by session and agent, by time."""
    found: defaultdict[tuple[int, str], list[Naming]] = defaultdict(list)
    for naming in namings:
        found[outline.family.nodes[naming.node].session, naming.agent_id].append(naming)
    return found


def _choices(namings: Mapping[tuple[int, str], Iterable[Naming]]) -> dict[tuple[int, str], Choices]:
    return {
        key: Choices([Target(naming.node, naming.tool_use_ids) for naming in those]) for key, those in namings.items()
    }


def _calls_by_agent(namings: Mapping[tuple[int, str], Iterable[Naming]]) -> dict[tuple[int, str], list[str]]:
    """Return the calls that progress entries name, every one once."""
    return {
        key: list(dict.fromkeys(tool_use_id for naming in those for tool_use_id in naming.tool_use_ids))
        for key, those in namings.items()
    }


class _Queue(NamedTuple):
    """Calls for one prompt with their places, by time; those in `front` are the first and under one thread."""

    front: deque[tuple[int, Call]]
    rest: deque[tuple[int, Call]]


def _calls_by_prompt(outline: Outline, calls: Iterable[Call]) -> dict[tuple[int, str, str | None], _Queue]:
    """Calls by session, what they asked for, and the name that they gave; by time."""
    found: defaultdict[tuple[int, str, str | None], _Queue] = defaultdict(lambda: _Queue(deque(), deque()))
    for place, call in enumerate(calls):
        if call.prompt is not None:
            session, prompt = outline.family.nodes[call.node].session, fold(call.prompt)
            found[session, prompt, call.name].rest.append((place, call))
            found[session, prompt, _ANY].rest.append((place, call))
    return found


def sources_by_thread(thread_of: Sequence[int], nodes: Sequence[Node]) -> dict[int, dict[int, None]]:
    """Return the files that hold the entries of every thread, by time."""
    found: defaultdict[int, dict[int, None]] = defaultdict(dict)
    for index, thread in enumerate(thread_of):
        found[thread][nodes[index].source] = None
    return found
