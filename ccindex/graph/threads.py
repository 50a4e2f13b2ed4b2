"""Resolve the recorded parents of a family's entries, cut cycles, and assign every entry to a thread."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import lt

from ccindex.model.graph import NONE, EntryKind, Family, Thread
from ccindex.model.line_ids import AGENT


def is_ascending(parents: Sequence[int]) -> bool:
    """Return whether every parent has a smaller index than its children, as is usual with a correct clock."""
    return all(map(lt, parents, range(len(parents))))


def smallest_of_cycles(parents: Sequence[int]) -> list[int]:
    """Return the smallest member of every cycle in `parents`, in which NONE marks a root (rule: cycle_cut)."""
    if is_ascending(parents):
        return []
    smallest: list[int] = []
    walk_of = [NONE] * len(parents)
    for start in range(len(parents)):
        current = start
        while current != NONE and walk_of[current] == NONE:
            walk_of[current] = start
            current = parents[current]
        if current != NONE and walk_of[current] == start:
            smallest.append(_smallest_in_cycle(parents, current))
    return smallest


def _smallest_in_cycle(parents: Sequence[int], member: int) -> int:
    smallest, current = member, parents[member]
    while current != member:
        smallest, current = min(smallest, current), parents[current]
    return smallest


SHORT_ID_CHARS = 12  # length of the uuid prefix that identifies a branch or an inline sidechain


def short_names(uuids: Iterable[str]) -> dict[str, str]:
    """Map each id to its first twelve characters, or to a longer prefix if several ids share them (rule: branch_id)."""
    groups: defaultdict[str, list[str]] = defaultdict(list)
    for uuid in uuids:
        groups[uuid[:SHORT_ID_CHARS]].append(uuid)
    names: dict[str, str] = {}
    for group in groups.values():
        length = _distinguishing_length(group) if len(group) > 1 else SHORT_ID_CHARS
        names.update((uuid, uuid[:length]) for uuid in group)
    return names


def _distinguishing_length(uuids: list[str]) -> int:
    """Return the shortest prefix length at which distinct ids differ. Only neighbours in sorted order are compared."""
    return max(_common_prefix_length(one, other) + 1 for one, other in pairwise(sorted(uuids)))


def _common_prefix_length(one: str, other: str) -> int:
    """Return the length of the common prefix of two ids, by binary search for the first difference."""
    low, high = 0, min(len(one), len(other))  # equal up to `low`; the first difference is at or before `high`
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


@dataclass(frozen=True, slots=True)
class Outline:
    """Entries with their recorded parents and threads, before agents are attached."""

    family: Family
    parents: list[int]
    cuts: frozenset[int]
    ghosts: dict[int, int]
    threads: tuple[Thread, ...]
    thread_of: list[int]

    def agent_roots(self) -> list[int]:
        """Return the earliest root of every agent thread."""
        parents, thread_of = self.parents, self.thread_of
        first_roots: dict[int, int] = {}
        for index, thread in enumerate(thread_of):
            parent = parents[index]
            if self.threads[thread].agent_id is not None and (parent == NONE or thread_of[parent] != thread):
                first_roots.setdefault(thread, index)
        return list(first_roots.values())

    def agent_prompts(self) -> dict[int, list[int]]:
        """Return the prompts of each agent thread, in time order."""
        prompts: defaultdict[int, list[int]] = defaultdict(list)
        agents = {number for number, thread in enumerate(self.threads) if thread.agent_id is not None}
        prompt, nodes = EntryKind.PROMPT, self.family.nodes
        for index, thread in enumerate(self.thread_of):
            if thread in agents and nodes[index].kind == prompt:
                prompts[thread].append(index)
        return prompts


def outline(family: Family) -> Outline:
    """Resolve recorded parents within the family, cut every cycle at its smallest member, and find all threads.

    (rule: ghost_parent)
    """
    index_of = {node.entry: index for index, node in enumerate(family.nodes)}
    recorded = [NONE] * len(family.nodes)
    ghosts: dict[int, int] = {}
    for index, node in enumerate(family.nodes):
        if node.parent is not None:
            parent = recorded[index] = index_of.get(node.parent, NONE)
            if parent == NONE:
                ghosts[index] = node.parent
    cuts = frozenset(smallest_of_cycles(recorded))
    parents = list(recorded) if cuts else recorded
    for index in cuts:
        parents[index] = NONE
    threads, thread_of = _threads(family, recorded, cuts)
    return Outline(family, parents, cuts, ghosts, threads, thread_of)


def _threads(family: Family, recorded: list[int], cuts: frozenset[int]) -> tuple[tuple[Thread, ...], list[int]]:
    """Assign every entry to a thread: the session's trunk, an agent, or a tree of inline sidechain entries.

    (rule: trunk_thread, agent_thread)
    """
    is_inline = any(node.is_agent and node.agent_id is None for node in family.nodes)
    inline = _inline_agents(family, recorded, cuts) if is_inline else {}
    numbers: dict[tuple[int, str | None], int] = {}
    threads: list[Thread] = []
    thread_of = [NONE] * len(family.nodes)
    for index, node in enumerate(family.nodes):
        agent_id = inline.get(index, node.agent_id) if node.is_agent else None
        key = (node.session, agent_id)
        number = numbers.get(key)
        if number is None:
            number = numbers[key] = len(threads)
            session_id = family.session_ids[node.session]
            name = session_id if agent_id is None else f"{session_id}{AGENT}{agent_id}"
            threads.append(Thread(name, node.session, agent_id))
        thread_of[index] = number
    return tuple(threads), thread_of


def _inline_agents(family: Family, recorded: list[int], cuts: frozenset[int]) -> dict[int, str]:
    """Return an agent id for every sidechain entry that has none: the shortened uuid of the root of its tree.

    (rule: sidechain_thread)
    """
    inline = [index for index, node in enumerate(family.nodes) if node.is_agent and node.agent_id is None]
    members = set(inline)
    above = [_inline_parent(family, recorded, members, index) for index in range(len(recorded))]
    for index in cuts:
        if _is_on_cycle(above, index):
            above[index] = NONE
    root_of: dict[int, int] = {}
    for index in inline:
        trail = []
        current = index
        while current not in root_of:
            trail.append(current)
            if above[current] == NONE:
                root_of[current] = current
                break
            current = above[current]
        for passed in trail:
            root_of[passed] = root_of[current]
    by_session: defaultdict[int, set[int]] = defaultdict(set)
    for root in root_of.values():
        by_session[family.nodes[root].session].add(root)
    names: dict[int, str] = {}
    for roots in by_session.values():
        short = short_names(family.nodes[root].uuid for root in roots)
        names.update((root, short[family.nodes[root].uuid]) for root in roots)
    return {index: names[root] for index, root in root_of.items()}


def _inline_parent(family: Family, recorded: list[int], members: set[int], index: int) -> int:
    parent = recorded[index]
    if index not in members or parent not in members:
        return NONE
    return parent if family.nodes[parent].session == family.nodes[index].session else NONE


def _is_on_cycle(above: list[int], member: int) -> bool:
    """Return whether a member of a cycle of recorded parents is also on a cycle in `above`."""
    current = above[member]
    while current not in (NONE, member):
        current = above[current]
    return current == member
