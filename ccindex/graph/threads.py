"""A family's recorded parents, with cycles cut, and the thread of every entry."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import lt

from ccindex.model.graph import NONE, Family, Kind, Thread
from ccindex.model.line_ids import AGENT


def is_ascending(parents: Sequence[int]) -> bool:
    """Whether every parent comes before its children, as a clock that only goes forward has it."""
    return all(map(lt, parents, range(len(parents))))


def least_of_cycles(parents: Sequence[int]) -> list[int]:
    """Return the least member of every cycle; whoever has no parent has NONE."""
    if is_ascending(parents):
        return []
    found: list[int] = []
    walk_of = [NONE] * len(parents)
    for start in range(len(parents)):
        at = start
        while at != NONE and walk_of[at] == NONE:
            walk_of[at] = start
            at = parents[at]
        if at != NONE and walk_of[at] == start:
            found.append(_least(parents, at))
    return found


def _least(parents: Sequence[int], member: int) -> int:
    least, at = member, parents[member]
    while at != member:
        least, at = min(least, at), parents[at]
    return least


SHORT = 12  # characters of a uuid that name a branch


def short_names(uuids: Iterable[str]) -> dict[str, str]:
    """Cut ids to their first twelve characters; those that would collide to the least length at which they differ."""
    groups: defaultdict[str, list[str]] = defaultdict(list)
    for uuid in uuids:
        groups[uuid[:SHORT]].append(uuid)
    names: dict[str, str] = {}
    for group in groups.values():
        length = _apart(group) if len(group) > 1 else SHORT
        names.update((uuid, uuid[:length]) for uuid in group)
    return names


def _apart(uuids: list[str]) -> int:
    """The least length at which all of some distinct ids differ: neighbours in order are the closest."""
    ordered = sorted(uuids)
    return max(_common(one, other) + 1 for one, other in pairwise(ordered))


def _common(one: str, other: str) -> int:
    """How many characters two ids begin with alike, by halving the stretch in which the first difference lies."""
    low, high = 0, min(len(one), len(other))  # alike up to low, different or ended within high
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


@dataclass(frozen=True, slots=True)
class Outline:
    """Entries with their recorded parents and threads, before agents are attached to the entries that spawned them."""

    family: Family
    parents: list[int]
    cuts: frozenset[int]
    ghosts: dict[int, int]
    threads: tuple[Thread, ...]
    thread_of: list[int]

    def agent_roots(self) -> list[int]:
        """Return the earliest root of every agent thread."""
        parents, thread_of = self.parents, self.thread_of
        found: dict[int, int] = {}
        for index, thread in enumerate(thread_of):
            parent = parents[index]
            if self.threads[thread].agent_id is not None and (parent == NONE or thread_of[parent] != thread):
                found.setdefault(thread, index)
        return list(found.values())

    def agent_prompts(self) -> dict[int, list[int]]:
        """The prompts of each agent thread, by time."""
        found: defaultdict[int, list[int]] = defaultdict(list)
        agents = {number for number, thread in enumerate(self.threads) if thread.agent_id is not None}
        prompt, nodes = Kind.PROMPT, self.family.nodes
        for index, thread in enumerate(self.thread_of):
            if thread in agents and nodes[index].kind == prompt:
                found[thread].append(index)
        return found


def outline(family: Family) -> Outline:
    """Resolve recorded parents within the family, cut cycles at their least member, find every entry's thread."""
    index_of = {node.entry: index for index, node in enumerate(family.nodes)}
    recorded = [NONE] * len(family.nodes)
    ghosts: dict[int, int] = {}
    for index, node in enumerate(family.nodes):
        if node.parent is not None:
            parent = recorded[index] = index_of.get(node.parent, NONE)
            if parent == NONE:
                ghosts[index] = node.parent
    cuts = frozenset(least_of_cycles(recorded))
    parents = list(recorded) if cuts else recorded
    for index in cuts:
        parents[index] = NONE
    threads, thread_of = _threads(family, recorded, cuts)
    return Outline(family, parents, cuts, ghosts, threads, thread_of)


def _threads(family: Family, recorded: list[int], cuts: frozenset[int]) -> tuple[tuple[Thread, ...], list[int]]:
    """Name every entry's thread: the session's trunk, an agent's, or that of a tree of inline sidechain entries."""
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
    """Name sidechain entries without an agent id after the root of their tree, which recorded parents link."""
    inline = [index for index, node in enumerate(family.nodes) if node.is_agent and node.agent_id is None]
    members = set(inline)
    above = [_inline_parent(family, recorded, members, index) for index in range(len(recorded))]
    for index in cuts:
        if _is_on_cycle(above, index):
            above[index] = NONE
    root_of: dict[int, int] = {}
    for index in inline:
        trail = []
        at = index
        while at not in root_of:
            trail.append(at)
            if above[at] == NONE:
                root_of[at] = at
                break
            at = above[at]
        for passed in trail:
            root_of[passed] = root_of[at]
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
    """Whether a member of a cycle of recorded parents lies on a cycle of these parents too."""
    at = above[member]
    while at not in (NONE, member):
        at = above[at]
    return at == member
