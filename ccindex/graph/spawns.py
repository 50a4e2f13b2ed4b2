"""Where agent threads hang: the entry that spawned each, by the first rule that finds one."""

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from heapq import merge
from typing import NamedTuple

from ccindex.model.graph import NONE, AgentHints, Call, Naming, Node, Sidecar

from .outline import Outline
from .wording import fold, ways_to_say

_ANY = ""  # in the place of a name, which is never empty: whatever the name is


class Spawn(NamedTuple):
    """The entry that an agent's first root hangs on, the rule that found it, and the calls that speaks of."""

    child: int
    parent: int
    rule: str
    calls: tuple[str | Call, ...]


class _Target(NamedTuple):
    """A place to hang at, and the calls that hanging there uses up, by their ids if they have any."""

    node: int
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
    workflow_runs: frozenset[str]


def hang(outline: Outline, first_roots: Mapping[int, int], hints: AgentHints) -> list[Spawn]:
    """Find a spawn for the earliest root of every agent thread that has no parent; threads by time."""
    return _Hanging(outline, first_roots, hints).run()


class _Hanging:
    """Threads attached so far. None may attach in itself or in a thread that is attached, at any depth, in it."""

    def __init__(self, outline: Outline, first_roots: Mapping[int, int], hints: AgentHints) -> None:
        self._outline = outline
        self._family = outline.family
        self._taken: set[str | Call] = set()
        self._found: list[Spawn] = []
        self._top = list(range(len(outline.threads)))
        self._named = {
            kind: _by_agent(outline, namings)
            for kind, namings in (
                ("outcomes", self._family.outcomes),
                ("mentions", self._family.mentions),
                ("progress", self._family.progress),
            )
        }
        self._runs = _by_agent(outline, self._family.runs)
        self._holders_of: dict[str, list[int]] = {}
        self._calls = _calls_by_prompt(outline, self._family.calls)
        self._agents = self._looking(first_roots, hints)
        for thread, root in first_roots.items():
            parent = outline.parents[root]
            if parent != NONE:  # it keeps that parent
                self._put_under(thread, outline.thread_of[parent])

    def run(self) -> list[Spawn]:
        """Try the rules that name the agent for all threads, then compare prompts."""
        rest = [agent for agent in self._agents if not self._try(agent, _RULES)]
        named = [agent for agent in rest if _name_of(agent) is not None]
        rest = _without(rest, [agent for agent in named if self._try(agent, (("prompt", _Hanging._same_name),))])
        for agent in rest:
            self._try(agent, (("prompt", _Hanging._same_prompt),))
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
                    frozenset(runs.get(thread, ())),
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

    def _attach(self, agent: _Agent, target: _Target, rule: str) -> bool:
        thread = self._outline.thread_of[target.node]
        if self._highest(thread) == agent.thread:
            return False
        self._found.append(Spawn(agent.root, target.node, rule, target.calls))
        self._taken.update(target.calls)
        self._put_under(agent.thread, thread)
        return True

    def _by_context(self, agent: _Agent, name: str) -> Iterator[_Target]:
        for node in self._family.contexts.get((agent.session, name), ()):
            yield _Target(node, ())

    def _by_sidecar(self, agent: _Agent, name: str) -> Iterator[_Target]:
        for sidecar in agent.sidecars[name]:
            if sidecar.tool_use_id is not None:
                yield from self._of_call(sidecar.tool_use_id, agent.session)

    def _by_run(self, agent: _Agent, name: str) -> Iterator[_Target]:
        if not agent.workflow_runs or name != agent.names[0]:
            return
        found = merge(*(self._runs.get((agent.session, run), ()) for run in agent.workflow_runs))
        results = [naming for naming in found if self._outline.thread_of[naming.node] != agent.thread]
        for naming in results:
            yield _Target(naming.node, naming.tool_use_ids)
        for naming in results:
            for tool_use_id in naming.tool_use_ids:
                yield from self._of_call_inside(tool_use_id, agent.session)

    def _by_outcome(self, agent: _Agent, name: str) -> Iterator[_Target]:
        yield from self._results("outcomes", agent, name)

    def _by_mention(self, agent: _Agent, name: str) -> Iterator[_Target]:
        yield from self._results("mentions", agent, name)

    def _by_progress(self, agent: _Agent, name: str) -> Iterator[_Target]:
        seen: set[str] = set()
        for naming in self._named["progress"].get((agent.session, name), ()):
            for tool_use_id in naming.tool_use_ids:
                if tool_use_id not in seen:  # a call has thousands of progress entries
                    seen.add(tool_use_id)
                    yield from self._of_call(tool_use_id, agent.session)

    def _same_name(self, agent: _Agent, name: str) -> Iterator[_Target]:
        """Untaken calls for what the thread was told first, by the name that its sidecar has."""
        yield from self._matching(agent, name, [_name_of(agent)])

    def _same_prompt(self, agent: _Agent, name: str) -> Iterator[_Target]:
        """Untaken calls for what the thread was told first, unless both sides have names and they differ."""
        own = _name_of(agent)
        yield from self._matching(agent, name, [_ANY] if own is None else [own, None])

    def _matching(self, agent: _Agent, name: str, called: Iterable[str | None]) -> Iterator[_Target]:
        if name != agent.names[0]:
            return
        keys = [(agent.session, words, who) for words in agent.words for who in called]
        queues = [self._calls[key] for key in keys if key in self._calls]
        for queue in queues:
            while queue and self._is_taken(queue[0]):
                queue.popleft()
        for call in merge(*queues, key=lambda call: call.node):
            if self._outline.thread_of[call.node] == agent.thread or self._is_taken(call):
                continue
            if call.tool_use_id is None:
                yield _Target(call.node, (call,))
            else:
                yield from self._of_call(call.tool_use_id, agent.session)

    def _is_taken(self, call: Call) -> bool:
        return (call.tool_use_id or call) in self._taken

    def _results(self, how: str, agent: _Agent, name: str) -> Iterator[_Target]:
        for naming in self._named[how].get((agent.session, name), ()):
            yield _Target(naming.node, naming.tool_use_ids)

    def _of_call(self, tool_use_id: str, session: int) -> Iterator[_Target]:
        """Entries with the results of a call, then with the call; those of the session, then of others."""
        yield from self._of_call_inside(tool_use_id, session)
        for node in self._holders(tool_use_id):
            if self._family.nodes[node].session != session:
                yield _Target(node, (tool_use_id,))

    def _of_call_inside(self, tool_use_id: str, session: int) -> Iterator[_Target]:
        """Entries with the results of a call, then with the call, in the session."""
        for node in self._holders(tool_use_id):
            if self._family.nodes[node].session == session:
                yield _Target(node, (tool_use_id,))

    def _holders(self, tool_use_id: str) -> list[int]:
        """Entries that answer a call, by time, then those that hold it; the first per thread, which stands for all."""
        found = self._holders_of.get(tool_use_id)
        if found is None:
            thread_of, family = self._outline.thread_of, self._family
            first: dict[tuple[bool, int], int] = {}
            for is_use, held in enumerate((family.answers_of, family.calls_of)):
                for node in held.get(tool_use_id, ()):
                    first.setdefault((bool(is_use), thread_of[node]), node)
            found = self._holders_of[tool_use_id] = list(first.values())
        return found

    def _put_under(self, thread: int, above: int) -> None:
        top = self._highest(above)
        if top != thread:
            self._top[thread] = top

    def _highest(self, thread: int) -> int:
        """The thread at the top of those that one hangs in; itself if it hangs nowhere yet."""
        top = thread
        while self._top[top] != top:
            top = self._top[top]
        while self._top[thread] != top:
            self._top[thread], thread = top, self._top[thread]
        return top


_Rule = Callable[[_Hanging, _Agent, str], Iterator[_Target]]

_RULES: tuple[tuple[str, _Rule], ...] = (
    ("context", _Hanging._by_context),  # noqa: SLF001 - the rules, in the order they are tried
    ("sidecar", _Hanging._by_sidecar),  # noqa: SLF001
    ("workflow", _Hanging._by_run),  # noqa: SLF001
    ("result", _Hanging._by_outcome),  # noqa: SLF001
    ("mention", _Hanging._by_mention),  # noqa: SLF001
    ("progress", _Hanging._by_progress),  # noqa: SLF001
)


def _name_of(agent: _Agent) -> str | None:
    own = agent.sidecars[agent.names[0]]
    return next((sidecar.name for sidecar in own if sidecar.name is not None), None)


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


def _calls_by_prompt(outline: Outline, calls: Iterable[Call]) -> dict[tuple[int, str, str | None], deque[Call]]:
    """Calls by session, what they asked for, and the name that they gave; by time."""
    found: defaultdict[tuple[int, str, str | None], deque[Call]] = defaultdict(deque)
    for call in calls:
        if call.prompt is not None:
            session, prompt = outline.family.nodes[call.node].session, fold(call.prompt)
            found[session, prompt, call.name].append(call)
            found[session, prompt, _ANY].append(call)
    return found


def sources_by_thread(thread_of: Sequence[int], nodes: Sequence[Node]) -> dict[int, dict[int, None]]:
    """Return the files that hold the entries of every thread, by time."""
    found: defaultdict[int, dict[int, None]] = defaultdict(dict)
    for index, thread in enumerate(thread_of):
        found[thread][nodes[index].source] = None
    return found
