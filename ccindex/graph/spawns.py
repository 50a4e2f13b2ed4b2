"""Where agent threads hang: the entry that spawned each, by the first rule that finds one."""

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from heapq import merge
from typing import NamedTuple

from ccindex.model.graph import NONE, Call, Naming, Sidecar

from .outline import Outline
from .wording import fold, ways_to_say


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
    """A thread that looks for its spawn."""

    thread: int
    root: int
    agent_id: str
    session: int
    words: frozenset[str]
    sidecars: tuple[Sidecar, ...]
    workflow_run: str | None


def hang(outline: Outline, first_roots: Mapping[int, int], words: Mapping[int, str]) -> list[Spawn]:
    """Find a spawn for the first root of every agent thread that has no parent; threads by time.

    `words`: what each thread was told first.
    """
    return _Hanging(outline, first_roots, words).run()


class _Hanging:
    """Threads hung so far: none may hang in itself or in a thread that hangs, however far up, in it."""

    def __init__(self, outline: Outline, first_roots: Mapping[int, int], words: Mapping[int, str]) -> None:
        self._outline = outline
        self._family = outline.family
        self._taken: set[tuple[int, str | Call]] = set()  # calls, by session
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
        self._by_prompt = _by_prompt(outline, self._family.calls)
        self._agents = self._looking(first_roots, words)
        for thread, root in first_roots.items():
            parent = outline.parents[root]
            if parent != NONE:  # it keeps that one, and hangs there
                self._put_under(thread, outline.thread_of[parent])

    def run(self) -> list[Spawn]:
        """Try the rules that name the agent for all threads, then compare prompts."""
        rest = [agent for agent in self._agents if not self._try(agent, _RULES)]
        named = [agent for agent in rest if _name_of(agent) is not None]
        rest = _without(rest, [agent for agent in named if self._try(agent, (("prompt", _Hanging._same_name),))])
        for agent in rest:
            self._try(agent, (("prompt", _Hanging._same_prompt),))
        return self._found

    def _looking(self, first_roots: Mapping[int, int], words: Mapping[int, str]) -> list[_Agent]:
        outline, nodes = self._outline, self._family.nodes
        beside, hinted = sidecars_by_place(self._family.sidecars)
        sources: defaultdict[int, dict[int, None]] = defaultdict(dict)
        if beside:
            for index, thread in enumerate(outline.thread_of):
                sources[thread][nodes[index].source] = None
        agents = []
        for thread, root in sorted(first_roots.items(), key=lambda item: item[1]):
            what = outline.threads[thread]
            if what.agent_id is None or outline.parents[root] != NONE or root in outline.cuts:
                continue
            near = [sidecar for source in sources[thread] for sidecar in beside.get(source, ())]
            far = hinted.get((self._family.session_ids[what.session], what.agent_id), ())
            agents.append(
                _Agent(
                    thread,
                    root,
                    what.agent_id,
                    what.session,
                    ways_to_say(words.get(thread, "")),
                    tuple(dict.fromkeys((*near, *far))),
                    nodes[root].workflow_run,
                )
            )
        return agents

    def _try(self, agent: _Agent, rules: Iterable[tuple[str, "_Rule"]]) -> bool:
        for name, rule in rules:
            for target in rule(self, agent):
                thread = self._outline.thread_of[target.node]
                if self._highest(thread) != agent.thread:
                    self._found.append(Spawn(agent.root, target.node, name, target.calls))
                    session = self._family.nodes[target.node].session
                    self._taken.update((session, call) for call in target.calls)
                    self._put_under(agent.thread, thread)
                    return True
        return False

    def _by_sidecar(self, agent: _Agent) -> Iterator[_Target]:
        for sidecar in agent.sidecars:
            if sidecar.tool_use_id is not None:
                yield from self._of_call(sidecar.tool_use_id, agent.session)

    def _by_run(self, agent: _Agent) -> Iterator[_Target]:
        if agent.workflow_run is None:
            return
        results = self._runs.get((agent.session, agent.workflow_run), ())
        for naming in results:
            yield _Target(naming.node, naming.tool_use_ids)
        for naming in results:
            for tool_use_id in naming.tool_use_ids:
                yield from self._of_call_inside(tool_use_id, agent.session)

    def _by_outcome(self, agent: _Agent) -> Iterator[_Target]:
        yield from self._results("outcomes", agent)

    def _by_mention(self, agent: _Agent) -> Iterator[_Target]:
        yield from self._results("mentions", agent)

    def _by_progress(self, agent: _Agent) -> Iterator[_Target]:
        seen: set[str] = set()
        for naming in self._named["progress"].get((agent.session, agent.agent_id), ()):
            for tool_use_id in naming.tool_use_ids:
                if tool_use_id not in seen:  # a call has thousands of progress entries
                    seen.add(tool_use_id)
                    yield from self._of_call(tool_use_id, agent.session)

    def _same_name(self, agent: _Agent) -> Iterator[_Target]:
        name = _name_of(agent)
        yield from self._matching(agent, lambda call: call.name == name)

    def _same_prompt(self, agent: _Agent) -> Iterator[_Target]:
        name = _name_of(agent)
        yield from self._matching(agent, lambda call: name is None or call.name is None or call.name == name)

    def _matching(self, agent: _Agent, fits: Callable[[Call], bool]) -> Iterator[_Target]:
        """Calls of other threads of the session that asked for what the thread was told first."""
        for call in self._asked(agent):
            is_outside = self._outline.thread_of[call.node] != agent.thread
            if not is_outside or self._is_taken(agent, call) or not fits(call):
                continue
            if call.tool_use_id is None:
                yield _Target(call.node, (call,))
            else:
                yield from self._of_call_inside(call.tool_use_id, agent.session)

    def _asked(self, agent: _Agent) -> Iterator[Call]:
        """Calls that asked for it, by time; taken ones are dropped at the front: many agents may be told the same."""
        queues = [self._by_prompt[key] for words in agent.words if (key := (agent.session, words)) in self._by_prompt]
        for queue in queues:
            while queue and self._is_taken(agent, queue[0]):
                queue.popleft()
        return merge(*queues, key=lambda call: call.node)

    def _is_taken(self, agent: _Agent, call: Call) -> bool:
        return (agent.session, call.tool_use_id or call) in self._taken

    def _results(self, how: str, agent: _Agent) -> Iterator[_Target]:
        for naming in self._named[how].get((agent.session, agent.agent_id), ()):
            yield _Target(naming.node, naming.tool_use_ids)

    def _of_call(self, tool_use_id: str, session: int) -> Iterator[_Target]:
        """The results of a call, else the call; those of the session, else anyone's."""
        yield from self._of_call_inside(tool_use_id, session)
        for node in self._holders(tool_use_id):
            if self._family.nodes[node].session != session:
                yield _Target(node, (tool_use_id,))

    def _of_call_inside(self, tool_use_id: str, session: int) -> Iterator[_Target]:
        """The results of a call, else the call; those of the session alone, where the call is."""
        for node in self._holders(tool_use_id):
            if self._family.nodes[node].session == session:
                yield _Target(node, (tool_use_id,))

    def _holders(self, tool_use_id: str) -> tuple[int, ...]:
        """Who answers a call, by time, then who holds it."""
        return self._family.answers_of.get(tool_use_id, ()) + self._family.calls_of.get(tool_use_id, ())

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


_Rule = Callable[[_Hanging, _Agent], Iterator[_Target]]

_RULES: tuple[tuple[str, _Rule], ...] = (
    ("sidecar", _Hanging._by_sidecar),  # noqa: SLF001 - the rules, in the order they are tried
    ("workflow", _Hanging._by_run),  # noqa: SLF001
    ("result", _Hanging._by_outcome),  # noqa: SLF001
    ("mention", _Hanging._by_mention),  # noqa: SLF001
    ("progress", _Hanging._by_progress),  # noqa: SLF001
)


def _name_of(agent: _Agent) -> str | None:
    return next((sidecar.name for sidecar in agent.sidecars if sidecar.name is not None), None)


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


def _by_prompt(outline: Outline, calls: Iterable[Call]) -> dict[tuple[int, str], deque[Call]]:
    """Calls by session and what they asked for."""
    found: defaultdict[tuple[int, str], deque[Call]] = defaultdict(deque)
    for call in calls:
        if call.prompt is not None:
            found[outline.family.nodes[call.node].session, fold(call.prompt)].append(call)
    return found
