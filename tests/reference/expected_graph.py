"""Derive the graph of a folder of transcripts from the rules in docs/semantics.md, independently of the package."""

from hashlib import sha256
from pathlib import Path
from typing import Any

from .entry_graph import EntryGraph
from .ladder import Ruling
from .lines import Lines
from .paths import conversation_paths, recorded_paths
from .project import read_project
from .threads import edges, root_kinds
from .tree import Tree


def expected(folder: Path) -> dict[str, Any]:
    """Return the graph with the keys of a conformance case, and further details."""
    tree = read_project(folder)
    graph, lines = tree.graph, tree.lines
    junctions = tree.junctions()
    return {
        "dag_lines": {line.id: line.uuids for line in lines.lines},
        "tree": _tree(tree),
        "roots": [line.id for line in tree.roots()],
        "junctions": {uuid: list(targets) for uuid, targets in junctions.items()},
        "set_aside": {uuid: reason for uuid, (reason, _) in lines.set_aside.items()},
        "forks": {key: ruling.rung for key, ruling in _rulings(graph, lines).items()},
        "verdicts": {key: ruling.verdict for key, ruling in _rulings(graph, lines).items()},
        **_paths(graph, tree),
        "kinds": {uuid: [entry.kind, int(entry.is_typed)] for uuid, entry in graph.entries.items()},
        "root_kinds": root_kinds(graph),
        "parents": graph.parents,
        "edges": edges(graph),
        "line_kinds": {line.id: [line.kind, tree.is_active(line)] for line in lines.lines},
        "junction_kinds": [
            [uuid, target, kind, ordinal]
            for uuid, targets in sorted(junctions.items())
            for ordinal, (target, kind) in enumerate(targets.items())
        ],
        "set_aside_forks": {uuid: [fork, lines.line_at(fork).id] for uuid, (_, fork) in lines.set_aside.items()},
        "sessions": tree.sessions(),
        "recorded": {session: recorded_paths(graph, session) for session in graph.claims},
        "diagnostics": _diagnostics(graph, lines, tree),
        "reading_order": tree.reading_order(),
    }


def skeleton(folder: Path) -> dict[str, Any]:
    """Return the graph in the short format of a skeleton's `expected.json`."""
    tree = read_project(folder)
    lines = tree.lines
    attached = _tree(tree)
    rulings = _rulings(tree.graph, lines)
    return {
        "lines": {line.id: [len(line.uuids), digest(line.uuids)] for line in lines.lines},
        "tree": {line_id: [at["parent"], at["attachment_uuid"]] for line_id, at in attached.items()},
        "forks": {key: [ruling.rung, ruling.verdict] for key, ruling in rulings.items()},
        "set_aside": {uuid: reason for uuid, (reason, _) in lines.set_aside.items()},
        "inactive": sorted(line.id for line in lines.lines if not tree.is_active(line)),
    }


def digest(uuids: list[str]) -> str:
    """Return the first 16 hex digits of the SHA-256 of uuids joined by newlines."""
    return sha256("\n".join(uuids).encode()).hexdigest()[:16]


def _tree(tree: Tree) -> dict[str, dict[str, str | None]]:
    found: dict[str, dict[str, str | None]] = {}
    for line in tree.lines.lines:
        parent = tree.parent(line)
        found[line.id] = {"parent": parent.id if parent else None, "attachment_uuid": tree.attachments.get(line.id)}
    return found


def _rulings(graph: EntryGraph, lines: Lines) -> dict[str, Ruling]:
    """Map each fork to its ruling. The key of a ruling on roots of another thread also contains the thread's id."""
    return {
        uuid if graph.thread_of[uuid] == thread else f"{uuid} in {thread}": ruling
        for (uuid, thread), ruling in lines.forks.items()
    }


def _paths(graph: EntryGraph, tree: Tree) -> dict[str, Any]:
    paths = conversation_paths(tree)
    ended: dict[str, list[dict[str, Any]]] = {}
    for path in sorted(paths, key=lambda path: path.uuids[-1]):
        row = {
            "status": path.status,
            "root": path.uuids[0],
            "leaf": path.uuids[-1],
            "entry_count": len(path.uuids),
        }
        ended.setdefault(path.session, []).append(row)
    through = {
        session: sorted(path.uuids[-1] for path in paths if not claimed.isdisjoint(path.uuids))
        for session, claimed in graph.claims.items()
    }
    return {"paths": ended, "paths_through": {session: leaves for session, leaves in through.items() if leaves}}


def _diagnostics(graph: EntryGraph, lines: Lines, tree: Tree) -> list[list[str]]:
    """Return the kinds and uuids of the diagnostics about the graph (rule: diagnostics)."""
    found = [["orphan-parent", uuid] for uuid in graph.entries if graph.has_ghost_parent(uuid)]
    found += [["cycle-cut", uuid] for uuid in graph.cuts]
    found += [["loop-cut", tree.by_id[line_id].uuids[0]] for line_id in tree.loop_cuts]
    found += [["unexpected-root", uuid] for uuid, (_, is_expected, _) in root_kinds(graph).items() if not is_expected]
    found += [["unlinked-agent", uuid] for uuid in graph.unlinked]
    found += [["prompt-inlined", uuid] for uuid in lines.inlined_prompts]
    for uuid, (reason, _) in lines.set_aside.items():
        if reason == "replay" and graph.entries[uuid].is_typed_prompt:
            found.append(["prompt-set-aside", uuid])
    for uuid, parent in graph.parents.items():
        child, above = graph.entries[uuid], graph.entries[parent]
        is_stamped = child.owner.own_instant is not None and above.owner.own_instant is not None
        if child.instant < above.instant and is_stamped and uuid not in graph.links:
            found.append(["clock-skew", uuid])
    return sorted(found)
