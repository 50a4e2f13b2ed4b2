"""Finds conversation paths along lines and recorded paths in the graph as written (CONTRACT.md, 3)."""

from typing import Any, NamedTuple

from .lines import Line
from .tree import Tree
from .world import World, least_of_cycles


class Path(NamedTuple):
    """A path with all its entries, from the root to the leaf."""

    session: str
    uuids: list[str]
    is_active: bool

    @property
    def status(self) -> str:
        return "active" if self.is_active else "abandoned"


def conversation_paths(tree: Tree) -> list[Path]:
    """The paths along trunk and branch lines that no other one contains."""
    ending = [line for line in tree.lines.lines if not line.thread.is_agent and _has_end(line)]
    found = [Path(line.thread.session, _along(tree, line), tree.is_active(line)) for line in ending]
    return [path for path in found if not any(path.uuids[-1] in other.uuids for other in found if other is not path)]


def recorded_paths(world: World, session: str) -> list[list[Any]]:
    """Root, leaf, status and length of the chains of the graph as written that run through a session."""
    up = _graph_without_agents(world)
    nodes = [uuid for uuid in world.entries if not world.threads[world.thread_of[uuid]].is_agent]
    chosen = _chosen_children(world, up)
    found = []
    inner = set(up.values())
    for leaf in nodes:
        if leaf in inner:
            continue
        chain = [leaf]
        while chain[-1] in up:
            chain.append(up[chain[-1]])
        if world.claims[session].isdisjoint(chain):
            continue
        is_active = all(chosen[up[uuid]] == uuid for uuid in chain if uuid in up)
        found.append([chain[-1], leaf, "active" if is_active else "abandoned", len(chain)])
    return sorted(found)


def _has_end(line: Line) -> bool:
    """The line's last segment ends otherwise than in a rewind; side entries of a rewind of roots do not count."""
    segments = [segment for segment in line.segments if not segment.is_side_of_root_rewind]
    return bool(segments) and not segments[-1].ends_in_rewind


def _along(tree: Tree, line: Line) -> list[str]:
    """The entries from the root of the tree to the end of a line."""
    uuids = list(line.uuids)
    for below, above in zip(tree.up_from(line), tree.up_from(line)[1:], strict=False):
        place = tree.lines.place_of(tree.attachments[below.id])
        uuids = [*above.uuids[: above.uuids.index(place) + 1], *uuids]
    return uuids


def _graph_without_agents(world: World) -> dict[str, str]:
    """Child to parent among the entries of trunks; a parentless boundary is a child of its logical parent."""
    up = {}
    agents = {uuid for thread in world.threads.values() if thread.is_agent for uuid in thread.members}
    for uuid, entry in world.entries.items():
        parent = world.parents.get(uuid)
        if parent is None and entry.kind == "boundary":
            parent = entry.logical_parent
        if parent in world.entries and not {uuid, parent} & agents:
            up[uuid] = parent
    for uuid in least_of_cycles(up, lambda uuid: world.entries[uuid].time):
        del up[uuid]
    return up


def _chosen_children(world: World, up: dict[str, str]) -> dict[str, str]:
    """Parent to its active child: the flagged one, else the last in file order."""
    chosen: dict[str, str] = {}
    for uuid in sorted(up, key=lambda uuid: (world.entries[uuid].flag("is_active"), world.entries[uuid].seq)):
        chosen[up[uuid]] = uuid
    return chosen
