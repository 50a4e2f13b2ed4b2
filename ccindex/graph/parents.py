"""Find the effective parents of entries, including the spawn links of agents, and the roots of every thread."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from ccindex.graph.preorder import Preorder, children_by_time
from ccindex.graph.spawns import Spawn, attach_agents
from ccindex.graph.threads import Outline, smallest_of_cycles
from ccindex.model.graph import NONE, AgentHints, EntryKind, Family, Node, Thread


@dataclass(frozen=True, slots=True)
class Root:
    """An entry without a parent in its thread."""

    index: int
    kind: str
    is_expected: bool


@dataclass(frozen=True)
class Links:
    """The parents of all entries, without cycles; `inner` contains only parents in the same thread."""

    family: Family
    nodes: Sequence[Node]  # of the family, in time order
    threads: tuple[Thread, ...]
    thread_of: list[int]
    parents: list[int]
    inner: list[int]
    ghosts: Mapping[int, int]
    cuts: frozenset[int]
    spawns: Mapping[int, Spawn]
    first_roots: Mapping[int, int]
    roots: tuple[Root, ...]
    unlinked: Sequence[int]  # earliest roots of agent threads for which no rule found a parent
    aliases: Mapping[int, tuple[str, ...]]  # by thread: agents whose files contain a copy of the earliest root

    @cached_property
    def children(self) -> tuple[list[int], list[int]]:
        """The first child and the next sibling of every entry within its thread, in time order."""
        return children_by_time(self.inner)

    @cached_property
    def preorder(self) -> Preorder:
        """The preorder positions of all entries in the trees of their threads."""
        return Preorder(self.inner, self.children)

    def is_agent(self, index: int) -> bool:
        """Return whether an entry belongs to an agent's thread."""
        return self.threads[self.thread_of[index]].agent_id is not None

    def siblings(self) -> dict[int, list[int]]:
        """Map every entry that has several children to its children. Only such entries can be forks."""
        counts = Counter(self.parents)
        groups: defaultdict[int, list[int]] = defaultdict(list)
        for index, parent in enumerate(self.parents):
            if parent != NONE and counts[parent] > 1:
                groups[parent].append(index)
        return groups


def link(outline: Outline, hints: AgentHints) -> Links:
    """Attach agents to the entries that spawned them, cut the cycles that result, and find the roots.

    (rule: effective_parent, unlinked_agent)
    """
    thread_of = outline.thread_of
    parents, cuts = list(outline.parents), outline.cuts
    inner, first_roots = _inner_parents(thread_of, parents)
    spawns: dict[int, Spawn] = {}
    unlinked: list[int] = []
    loose = [
        root
        for thread, root in first_roots.items()
        if outline.threads[thread].agent_id is not None and parents[root] == NONE and root not in cuts
    ]
    if loose:
        spawns = {spawn.child: spawn for spawn in attach_agents(outline, first_roots, hints)}
        unlinked = [root for root in loose if root not in spawns]
    if spawns:
        for spawn in spawns.values():
            parents[spawn.child] = spawn.parent
        new_cuts = smallest_of_cycles(parents)
        for index in new_cuts:
            parents[index] = NONE
        cuts |= frozenset(new_cuts)
        inner, first_roots = _inner_parents(thread_of, parents)
    roots = _roots(outline, parents, inner, cuts, first_roots)
    aliases = {thread_of[root]: tuple(sorted({file.agent_id for file in files})) for root, files in hints.files.items()}
    return Links(
        outline.family,
        outline.family.nodes,
        outline.threads,
        thread_of,
        parents,
        inner,
        outline.ghosts,
        cuts,
        spawns,
        first_roots,
        roots,
        sorted(unlinked),
        aliases,
    )


def _inner_parents(thread_of: Sequence[int], parents: Sequence[int]) -> tuple[list[int], dict[int, int]]:
    """Return every entry's parent within its thread (NONE for a root), and the earliest root of every thread."""
    inner = [
        parent if parent != NONE and thread_of[parent] == thread_of[index] else NONE
        for index, parent in enumerate(parents)
    ]
    first_roots: dict[int, int] = {}
    for index, parent in enumerate(inner):
        if parent == NONE:
            first_roots.setdefault(thread_of[index], index)
    return inner, first_roots


def _roots(
    outline: Outline,
    parents: Sequence[int],
    inner: Sequence[int],
    cuts: frozenset[int],
    first_roots: Mapping[int, int],
) -> tuple[Root, ...]:
    """Return the roots of all threads, each with its kind and whether it is expected.

    (rule: root_kind, expected_root)
    """
    roots = []
    starts: defaultdict[int, int] = defaultdict(int)
    for index, parent in enumerate(inner):
        if parent != NONE:
            continue
        thread = outline.thread_of[index]
        node = outline.family.nodes[index]
        if index in cuts:
            kind = "cycle_cut"
        elif outline.threads[thread].agent_id is not None and first_roots[thread] == index:
            kind = "agent"
        elif node.kind == EntryKind.BOUNDARY or _is_lone_summary(node):
            kind = "compact_boundary"
        elif parents[index] != NONE:
            kind = "resume"
        elif index in outline.ghosts:
            kind = "orphan"
        elif node.is_local_command:
            kind = "local_command"
        elif node.kind == EntryKind.SIDE:
            kind = "hook"
        else:
            kind = "start"
        starts[thread] += kind == "start"
        is_unexpected = (
            kind == "cycle_cut" or (kind == "orphan" and node.is_talk) or (kind == "start" and starts[thread] > 1)
        )
        roots.append(Root(index, kind, is_expected=not is_unexpected))
    return tuple(roots)


def _is_lone_summary(node: Node) -> bool:
    """Return whether an entry is the summary of a compaction without a recorded parent."""
    return node.kind == EntryKind.PROMPT and bool(node.is_compact_summary) and node.parent is None
