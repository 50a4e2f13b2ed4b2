"""A family's parents as recorded, cycles cut, and the thread that each entry belongs to."""

from collections import Counter, defaultdict
from dataclasses import dataclass

from ccindex.model.graph import NONE, Family, Kind, Thread
from ccindex.model.lineids import AGENT

from .cycles import least_of_cycles
from .prefixes import short_names


@dataclass(frozen=True, slots=True)
class Outline:
    """Entries with their recorded parents and threads, before agents are hung where they were spawned."""

    family: Family
    parents: list[int]
    cuts: frozenset[int]
    ghosts: dict[int, int]
    threads: tuple[Thread, ...]
    thread_of: list[int]

    def siblings(self) -> dict[int, list[int]]:
        """Children by parent, where there are several: whatever may have to be ruled on."""
        counts = Counter(self.parents)
        groups: defaultdict[int, list[int]] = defaultdict(list)
        for index, parent in enumerate(self.parents):
            if parent != NONE and counts[parent] > 1:
                groups[parent].append(index)
        return groups

    def agent_prompts(self) -> dict[int, list[int]]:
        """The prompts of each agent thread, by time."""
        found: defaultdict[int, list[int]] = defaultdict(list)
        agents = {number for number, thread in enumerate(self.threads) if thread.is_agent}
        prompt, nodes = Kind.PROMPT, self.family.nodes
        for index, thread in enumerate(self.thread_of):
            if thread in agents and nodes[index].kind == prompt:
                found[thread].append(index)
        return found


def outline(family: Family) -> Outline:
    """Resolve recorded parents within the family, cut cycles at their least member, tell threads apart."""
    parents, ghosts = _recorded(family)
    cuts = frozenset(least_of_cycles(parents))
    for index in cuts:
        parents[index] = NONE
    threads, thread_of = _threads(family, parents)
    return Outline(family, parents, cuts, ghosts, threads, thread_of)


def _recorded(family: Family) -> tuple[list[int], dict[int, int]]:
    """Give each entry's parent, or NONE; and by entry the ghosts that are named as parents."""
    index_of = {node.entry: index for index, node in enumerate(family.nodes)}
    parents = [NONE] * len(family.nodes)
    ghosts: dict[int, int] = {}
    for index, node in enumerate(family.nodes):
        if node.parent is None:
            continue
        parent = index_of.get(node.parent, NONE)
        parents[index] = parent
        if parent == NONE:
            ghosts[index] = node.parent
    return parents, ghosts


def _threads(family: Family, parents: list[int]) -> tuple[tuple[Thread, ...], list[int]]:
    """Name every entry's thread: the session's trunk, an agent's, or that of a tree of inline sidechain entries."""
    inline = _inline_agents(family, parents)
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


def _inline_agents(family: Family, parents: list[int]) -> dict[int, str]:
    """Name sidechain entries that no agent id names after the root of their tree."""
    inline = [index for index, node in enumerate(family.nodes) if node.is_agent and node.agent_id is None]
    root_of: dict[int, int] = {}
    members = set(inline)
    for index in inline:
        trail = []
        at = index
        while at not in root_of:
            trail.append(at)
            parent = parents[at]
            if parent not in members or family.nodes[parent].session != family.nodes[at].session:
                root_of[at] = at
                break
            at = parent
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
