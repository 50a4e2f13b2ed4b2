"""Find conversation paths, which follow lines, and recorded paths, which follow the recorded parents."""

from typing import Any, NamedTuple

from .entry_graph import EntryGraph, least_of_cycles
from .lines import Line
from .tree import Tree


class Path(NamedTuple):
    """A path with all its entries, from the root to the leaf."""

    session: str
    uuids: list[str]
    is_active: bool

    @property
    def status(self) -> str:
        return "active" if self.is_active else "abandoned"


def conversation_paths(tree: Tree) -> list[Path]:
    """Return the paths that end on trunks and branches, except those inside other paths (rule: conversation_path)."""
    ending = [line for line in tree.lines.lines if not line.thread.is_agent and _has_end(line)]
    found = [Path(line.thread.session, _along(tree, line), tree.is_active(line)) for line in ending]
    return [path for path in found if not any(path.uuids[-1] in other.uuids for other in found if other is not path)]


def recorded_paths(graph: EntryGraph, session: str) -> list[list[Any]]:
    """Return the root, leaf, status and length of each recorded path through a session (rule: recorded_path)."""
    up = _graph_without_agents(graph)
    nodes = [uuid for uuid in graph.entries if not graph.threads[graph.thread_of[uuid]].is_agent]
    chosen = _chosen_children(graph, up)
    found = []
    inner = set(up.values())
    for leaf in nodes:
        if leaf in inner:
            continue
        chain = [leaf]
        while chain[-1] in up:
            chain.append(up[chain[-1]])
        if graph.claims[session].isdisjoint(chain):
            continue
        is_active = all(chosen[up[uuid]] == uuid for uuid in chain if uuid in up)
        found.append([chain[-1], leaf, "active" if is_active else "abandoned", len(chain)])
    return sorted(found)


def _has_end(line: Line) -> bool:
    """Return whether the last segment of a line ends without starting branches.

    A segment of side roots, whose sibling roots became branches, does not count. If there is no other segment, return
    False.
    """
    segments = [segment for segment in line.segments if not segment.is_side_of_root_rewind]
    return bool(segments) and not segments[-1].ends_in_rewind


def _along(tree: Tree, line: Line) -> list[str]:
    """Return the entries from the root of the tree to the end of a line."""
    uuids = list(line.uuids)
    for below, above in zip(tree.up_from(line), tree.up_from(line)[1:], strict=False):
        last = tree.lines.placed_entry(tree.attachments[below.id])
        uuids = [*above.uuids[: above.uuids.index(last) + 1], *uuids]
    return uuids


def _graph_without_agents(graph: EntryGraph) -> dict[str, str]:
    """Map each trunk entry to its parent or, for a boundary without a parent, to its logical parent."""
    up = {}
    agents = {uuid for thread in graph.threads.values() if thread.is_agent for uuid in thread.members}
    for uuid, entry in graph.entries.items():
        parent = graph.parents.get(uuid)
        if parent is None and entry.kind == "boundary":
            parent = entry.logical_parent
        if parent in graph.entries and not {uuid, parent} & agents:
            up[uuid] = parent
    for uuid in least_of_cycles(up, lambda uuid: graph.entries[uuid].time):
        del up[uuid]
    return up


def _chosen_children(graph: EntryGraph, up: dict[str, str]) -> dict[str, str]:
    """Map each parent to its active child: the last flagged child in file order or, if none is flagged, the last."""
    chosen: dict[str, str] = {}
    for uuid in sorted(up, key=lambda uuid: (graph.entries[uuid].flag("is_active"), graph.entries[uuid].seq)):
        chosen[up[uuid]] = uuid
    return chosen
