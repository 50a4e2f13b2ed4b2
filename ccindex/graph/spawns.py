"""Attach agent threads to the entries that spawned them, using the first rule that finds an entry."""

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from heapq import merge
from itertools import chain
from typing import NamedTuple

from ccindex.graph.spawn_matching import Choices, Nesting, SpawnTarget, fold, prompt_variants
from ccindex.graph.threads import Outline
from ccindex.model.graph import NONE, AgentHints, AgentMention, Call, Node, Sidecar

_ANY = ""  # stands for any name; a real name is never empty


class Spawn(NamedTuple):
    """An agent's earliest root, the entry it attaches to, the rule that found that entry, and the matched calls."""

    child: int
    parent: int
    rule: str
    calls: tuple[str | Call, ...]


class _UnattachedAgent(NamedTuple):
    """An agent thread without a parent.

    `names`: the agent's own id, then the agent ids of other files that contain a copy of its root; `first_texts`: the
    variants of its first prompt; `sidecars`: for each name, the agent's sidecars, starting with those next to the
    thread's transcripts.
    """

    thread: int
    root: int
    names: tuple[str, ...]
    session: int
    first_texts: frozenset[str]
    sidecars: Mapping[str, tuple[Sidecar, ...]]
    workflow_runs: tuple[str, ...]


def attach_agents(outline: Outline, first_roots: Mapping[int, int], hints: AgentHints) -> list[Spawn]:
    """Attach agent threads whose earliest root has no parent, in time order, and return the attachments found.

    (rule: spawn_link)
    """
    return _SpawnFinder(outline, first_roots, hints).run()


class _SpawnFinder:
    """Attaches agent threads one by one. A thread cannot attach to itself or to a thread below it."""

    def __init__(self, outline: Outline, first_roots: Mapping[int, int], hints: AgentHints) -> None:
        self._outline = outline
        self._family = outline.family
        self._used: set[str | Call] = set()
        self._spawns: list[Spawn] = []
        self._nesting = Nesting(outline.thread_of, len(outline.threads))
        self._outcomes = _choices(_by_agent(outline, self._family.outcomes))
        self._mentions = _choices(_by_agent(outline, self._family.mentions))
        self._progress = _calls_by_agent(_by_agent(outline, self._family.progress))
        self._runs = _by_agent(outline, self._family.runs)
        self._choices_by_call: dict[tuple[str, int | None], Choices] = {}  # by call and session; None: any session
        self._calls = _calls_by_prompt(outline, self._family.calls)
        self._agents = self._find_unattached(first_roots, hints)
        for thread, root in first_roots.items():
            parent = outline.parents[root]
            if parent != NONE:  # a recorded parent is kept
                self._nesting.attach(thread, parent)

    def run(self) -> list[Spawn]:
        """Try the rules in `_RULES` on every thread, then match the remaining threads by prompt, named agents first."""
        unattached = [agent for agent in self._agents if not self._try(agent, _RULES)]
        named = [agent for agent in unattached if _sidecar_name(agent) is not None]
        attached = [agent for agent in named if self._try(agent, (("prompt", _SpawnFinder._same_name),))]
        for agent in _without(unattached, attached):
            self._try(agent, (("prompt", _SpawnFinder._same_prompt),))
        return self._spawns

    def _find_unattached(self, first_roots: Mapping[int, int], hints: AgentHints) -> list[_UnattachedAgent]:
        """Find the agent threads to attach, with the ids that the rules look up (rule: link_recorded, agent_alias)."""
        outline, nodes = self._outline, self._family.nodes
        by_transcript, hinted = group_sidecars(self._family.sidecars)
        sources = sources_by_thread(outline.thread_of, nodes) if by_transcript else {}
        runs: defaultdict[int, set[str]] = defaultdict(set)
        for number, node in zip(outline.thread_of, nodes, strict=True):
            if node.workflow_run is not None:
                runs[number].add(node.workflow_run)
        agents = []
        for number, root in sorted(first_roots.items(), key=lambda item: item[1]):
            thread = outline.threads[number]
            if thread.agent_id is None or outline.parents[root] != NONE or root in outline.cuts:
                continue
            files = hints.files.get(root, ())
            others = sorted({file.agent_id for file in files} - {thread.agent_id})
            own_sources = dict.fromkeys((*sources.get(number, ()), *(file.source for file in files)))
            adjacent: defaultdict[str, list[Sidecar]] = defaultdict(list)
            for sidecar in (sidecar for source in own_sources for sidecar in by_transcript.get(source, ())):
                adjacent[sidecar.agent_id].append(sidecar)
            session_id = self._family.session_ids[thread.session]
            names = (thread.agent_id, *others)
            known = {name: (*adjacent.get(name, ()), *hinted.get((session_id, name), ())) for name in names}
            agents.append(
                _UnattachedAgent(
                    number,
                    root,
                    names,
                    thread.session,
                    prompt_variants(hints.first_prompts[number][1]) if number in hints.first_prompts else frozenset(),
                    {name: tuple(dict.fromkeys(sidecars)) for name, sidecars in known.items()},
                    tuple(runs.get(number, ())),
                )
            )
        return agents

    def _try(self, agent: _UnattachedAgent, rules: Iterable[tuple[str, "_Rule"]]) -> bool:
        for rule_name, rule in rules:
            for name in agent.names:
                for target in rule(self, agent, name):
                    if self._attach(agent, target, rule_name):
                        return True
        return False

    def _attach(self, agent: _UnattachedAgent, target: SpawnTarget, rule: str) -> bool:
        if not self._nesting.attach(agent.thread, target.node):
            return False
        self._spawns.append(Spawn(agent.root, target.node, rule, target.calls))
        self._used.update(target.calls)
        return True

    def _by_context(self, agent: _UnattachedAgent, name: str) -> Iterator[SpawnTarget]:
        """Yield the entries that the agent's `fork-context-ref` records refer to (rule: link_context)."""
        for node in self._family.fork_contexts.get((agent.session, name), ()):
            yield SpawnTarget(node, ())

    def _by_sidecar(self, agent: _UnattachedAgent, name: str) -> Iterator[SpawnTarget]:
        """Yield the targets for the calls whose ids are in the agent's sidecars (rule: link_sidecar)."""
        for sidecar in agent.sidecars[name]:
            if sidecar.tool_use_id is not None:
                yield from self._call_targets(sidecar.tool_use_id, agent)

    def _by_run(self, agent: _UnattachedAgent, name: str) -> Iterator[SpawnTarget]:
        """Yield the results that contain the id of the agent's workflow run, then targets for the calls they answer.

        (rule: link_workflow)
        """
        if not agent.workflow_runs or name != agent.names[0]:
            return
        thread_of = self._outline.thread_of
        mentions = merge(*(self._runs.get((agent.session, run), ()) for run in agent.workflow_runs))
        results = [mention for mention in mentions if thread_of[mention.node] != agent.thread]
        for result in results:
            yield SpawnTarget(result.node, result.tool_use_ids)
        for result in results:
            for tool_use_id in result.tool_use_ids:
                yield from self._first_outside(self._call_choices(tool_use_id, agent.session), agent)

    def _by_outcome(self, agent: _UnattachedAgent, name: str) -> Iterator[SpawnTarget]:
        """Yield the earliest result that has the agent's id as the value of a key (rule: link_result)."""
        yield from self._first_outside(self._outcomes.get((agent.session, name)), agent)

    def _by_mention(self, agent: _UnattachedAgent, name: str) -> Iterator[SpawnTarget]:
        """Yield the earliest result that has the agent's id in its text (rule: link_mention)."""
        yield from self._first_outside(self._mentions.get((agent.session, name)), agent)

    def _by_progress(self, agent: _UnattachedAgent, name: str) -> Iterator[SpawnTarget]:
        """Yield the targets for the calls whose ids are in the agent's progress entries (rule: link_progress)."""
        for tool_use_id in self._progress.get((agent.session, name), ()):
            yield from self._call_targets(tool_use_id, agent)

    def _same_name(self, agent: _UnattachedAgent, name: str) -> Iterator[SpawnTarget]:
        """Yield the target for the earliest unused call with the agent's first prompt and name.

        The agent's name is the one in its sidecar.

        (rule: link_prompt)
        """
        yield from self._matching(agent, name, [_sidecar_name(agent)])

    def _same_prompt(self, agent: _UnattachedAgent, name: str) -> Iterator[SpawnTarget]:
        """Yield the target for the earliest unused call with the agent's first prompt.

        A call is skipped if both the call and the agent's sidecar have a name and the names differ.

        (rule: link_prompt)
        """
        own = _sidecar_name(agent)
        yield from self._matching(agent, name, [_ANY] if own is None else [own, None])

    def _matching(self, agent: _UnattachedAgent, name: str, call_names: Iterable[str | None]) -> Iterator[SpawnTarget]:
        if name != agent.names[0]:
            return
        keys = [(agent.session, text, call_name) for text in agent.first_texts for call_name in call_names]
        matches = [self._first_call(agent, self._calls[key]) for key in keys if key in self._calls]
        first = min((match for match in matches if match is not None), default=None, key=lambda match: match[0])
        if first is not None:
            yield first[1]

    def _first_call(self, agent: _UnattachedAgent, queue: "_CallQueue") -> tuple[int, SpawnTarget] | None:
        """Return the index and target of the earliest unused call that is not in the agent's thread or below it."""
        front, remaining = queue
        self._drop_used(front)
        if not front:
            self._drop_used(remaining)
            if not remaining:
                return None
            front.append(remaining.popleft())
        top = self._nesting.common_top(self._choices_for(front[0][1], None))
        if top == agent.thread:  # all calls in `front` are in the agent's thread or below it
            self._drop_used(remaining)
            while remaining and self._nesting.common_top(self._choices_for(remaining[0][1], None)) == top:
                front.append(remaining.popleft())
                self._drop_used(remaining)
        for index, call in remaining if top == agent.thread else chain(front, remaining):
            if self._outline.thread_of[call.node] == agent.thread or self._is_used(call):
                continue
            for session in (agent.session, None):
                target = self._nesting.first_outside(self._choices_for(call, session), agent.thread)
                if target is not None:
                    return index, target
        return None

    def _drop_used(self, calls: deque[tuple[int, Call]]) -> None:
        while calls and self._is_used(calls[0][1]):
            calls.popleft()

    def _is_used(self, call: Call) -> bool:
        return (call.tool_use_id or call) in self._used

    def _choices_for(self, call: Call, session: int | None) -> Choices:
        """Return the entries that an agent spawned by a call can attach to, in the session (None: in all sessions)."""
        if call.tool_use_id is None:
            return Choices([SpawnTarget(call.node, (call,))])
        return self._call_choices(call.tool_use_id, session)

    def _call_targets(self, tool_use_id: str, agent: _UnattachedAgent) -> Iterator[SpawnTarget]:
        """Yield the preferred target for a call in the agent's session, then the preferred target in any session."""
        yield from self._first_outside(self._call_choices(tool_use_id, agent.session), agent)
        yield from self._first_outside(self._call_choices(tool_use_id, None), agent)

    def _first_outside(self, choices: Choices | None, agent: _UnattachedAgent) -> Iterator[SpawnTarget]:
        """Yield the first target that is neither in the agent's thread nor below it, if there is one."""
        target = None if choices is None else self._nesting.first_outside(choices, agent.thread)
        if target is not None:
            yield target

    def _call_choices(self, tool_use_id: str, session: int | None) -> Choices:
        """Return the targets for a call: the entries that answer it, then the entries that contain it.

        Both groups are in time order and include only the first entry per thread.
        """
        if (tool_use_id, None) not in self._choices_by_call:
            thread_of, family = self._outline.thread_of, self._family
            first: dict[tuple[bool, int], SpawnTarget] = {}
            for is_use, entries in enumerate((family.answers_of, family.calls_of)):
                for node in entries.get(tool_use_id, ()):
                    first.setdefault((bool(is_use), thread_of[node]), SpawnTarget(node, (tool_use_id,)))
            by_session: defaultdict[int, list[SpawnTarget]] = defaultdict(list)
            for target in first.values():
                by_session[family.nodes[target.node].session].append(target)
            self._choices_by_call[tool_use_id, None] = Choices(list(first.values()))
            self._choices_by_call.update(((tool_use_id, own), Choices(targets)) for own, targets in by_session.items())
        return self._choices_by_call.get((tool_use_id, session), _NO_CHOICES)


_NO_CHOICES = Choices(())

_Rule = Callable[[_SpawnFinder, _UnattachedAgent, str], Iterator[SpawnTarget]]

_RULES: tuple[tuple[str, _Rule], ...] = (
    ("context", _SpawnFinder._by_context),  # noqa: SLF001 - the rules, in the order they are tried
    ("sidecar", _SpawnFinder._by_sidecar),  # noqa: SLF001
    ("workflow", _SpawnFinder._by_run),  # noqa: SLF001
    ("result", _SpawnFinder._by_outcome),  # noqa: SLF001
    ("mention", _SpawnFinder._by_mention),  # noqa: SLF001
    ("progress", _SpawnFinder._by_progress),  # noqa: SLF001
)


def _sidecar_name(agent: _UnattachedAgent) -> str | None:
    return next((sidecar.name for sidecar in agent.sidecars[agent.names[0]] if sidecar.name is not None), None)


def _without(agents: list[_UnattachedAgent], attached: list[_UnattachedAgent]) -> list[_UnattachedAgent]:
    threads = {agent.thread for agent in attached}
    return [agent for agent in agents if agent.thread not in threads]


def group_sidecars(
    sidecars: Iterable[Sidecar],
) -> tuple[dict[int, list[Sidecar]], dict[tuple[str | None, str], list[Sidecar]]]:
    """Group sidecars in two ways: by the transcript next to them, and by the session and agent in their path."""
    by_transcript: defaultdict[int, list[Sidecar]] = defaultdict(list)
    hinted: defaultdict[tuple[str | None, str], list[Sidecar]] = defaultdict(list)
    for sidecar in sidecars:
        if sidecar.transcript is not None:
            by_transcript[sidecar.transcript].append(sidecar)
        if sidecar.session_id is not None:
            hinted[sidecar.session_id, sidecar.agent_id].append(sidecar)
    return by_transcript, hinted


def _by_agent(outline: Outline, mentions: Iterable[AgentMention]) -> dict[tuple[int, str], list[AgentMention]]:
    """Group mentions by session and agent, in time order."""
    by_agent: defaultdict[tuple[int, str], list[AgentMention]] = defaultdict(list)
    for mention in mentions:
        by_agent[outline.family.nodes[mention.node].session, mention.agent_id].append(mention)
    return by_agent


def _choices(mentions: Mapping[tuple[int, str], Iterable[AgentMention]]) -> dict[tuple[int, str], Choices]:
    return {
        key: Choices([SpawnTarget(mention.node, mention.tool_use_ids) for mention in group])
        for key, group in mentions.items()
    }


def _calls_by_agent(mentions: Mapping[tuple[int, str], Iterable[AgentMention]]) -> dict[tuple[int, str], list[str]]:
    """Map each session and agent to the distinct call ids in the agent's progress entries."""
    return {
        key: list(dict.fromkeys(tool_use_id for mention in group for tool_use_id in mention.tool_use_ids))
        for key, group in mentions.items()
    }


class _CallQueue(NamedTuple):
    """(index, call) pairs with the same prompt, in time order. All calls in `front` have the same topmost thread."""

    front: deque[tuple[int, Call]]
    remaining: deque[tuple[int, Call]]


def _calls_by_prompt(outline: Outline, calls: Iterable[Call]) -> dict[tuple[int, str, str | None], _CallQueue]:
    """Group calls by session, prompt and agent name, in time order. Every call is also listed under `_ANY`."""
    queues: defaultdict[tuple[int, str, str | None], _CallQueue] = defaultdict(lambda: _CallQueue(deque(), deque()))
    for index, call in enumerate(calls):
        if call.prompt is not None:
            session, prompt = outline.family.nodes[call.node].session, fold(call.prompt)
            queues[session, prompt, call.name].remaining.append((index, call))
            queues[session, prompt, _ANY].remaining.append((index, call))
    return queues


def sources_by_thread(thread_of: Sequence[int], nodes: Sequence[Node]) -> dict[int, dict[int, None]]:
    """Return, for every thread, the files that contain its entries, in order of first appearance."""
    sources: defaultdict[int, dict[int, None]] = defaultdict(dict)
    for index, thread in enumerate(thread_of):
        sources[thread][nodes[index].source] = None
    return sources
