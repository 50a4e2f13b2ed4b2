"""Works out what the rules of SEMANTICS.md and CONTRACT.md make of a folder of transcripts, step by step."""

from hashlib import sha256
from pathlib import Path
from typing import Any

from .ladder import Ruling
from .lines import Lines
from .paths import conversation_paths, recorded_paths
from .project import read_project
from .threads import edges, root_kinds
from .tree import Tree
from .world import World


def expected(folder: Path) -> dict[str, Any]:
    """Return the outcome under the keys of a conformance case, and more."""
    tree = read_project(folder)
    world, lines = tree.world, tree.lines
    junctions = tree.junctions()
    return {
        "dag_lines": {line.id: line.uuids for line in lines.lines},
        "tree": _tree(tree),
        "roots": [line.id for line in tree.roots()],
        "junctions": {uuid: list(targets) for uuid, targets in junctions.items()},
        "set_aside": {uuid: reason for uuid, (reason, _) in lines.set_aside.items()},
        "forks": {key: ruling.rung for key, ruling in _rulings(world, lines).items()},
        "verdicts": {key: ruling.verdict for key, ruling in _rulings(world, lines).items()},
        **_paths(world, tree),
        "kinds": {uuid: [entry.kind, int(entry.is_typed)] for uuid, entry in world.entries.items()},
        "root_kinds": root_kinds(world),
        "parents": world.parents,
        "edges": edges(world),
        "line_kinds": {line.id: [line.kind, tree.is_active(line)] for line in lines.lines},
        "junction_kinds": [
            [uuid, target, kind, ordinal]
            for uuid, targets in sorted(junctions.items())
            for ordinal, (target, kind) in enumerate(targets.items())
        ],
        "set_aside_forks": {uuid: [fork, lines.line_at(fork).id] for uuid, (_, fork) in lines.set_aside.items()},
        "sessions": tree.sessions(),
        "recorded": {session: recorded_paths(world, session) for session in world.claims},
        "diagnostics": _diagnostics(world, lines, tree),
        "reading_order": tree.reading_order(),
    }


def skeleton(folder: Path) -> dict[str, Any]:
    """Return the outcome in the brief form that the skeletons' `expected.json` has."""
    tree = read_project(folder)
    lines = tree.lines
    attached = _tree(tree)
    rulings = _rulings(tree.world, lines)
    return {
        "lines": {line.id: [len(line.uuids), digest(line.uuids)] for line in lines.lines},
        "tree": {line_id: [at["parent"], at["attachment_uuid"]] for line_id, at in attached.items()},
        "forks": {key: [ruling.rung, ruling.verdict] for key, ruling in rulings.items()},
        "set_aside": {uuid: reason for uuid, (reason, _) in lines.set_aside.items()},
        "inactive": sorted(line.id for line in lines.lines if not tree.is_active(line)),
    }


def digest(uuids: list[str]) -> str:
    """The first 16 hex digits of the SHA-256 of uuids joined by newlines."""
    return sha256("\n".join(uuids).encode()).hexdigest()[:16]


def _tree(tree: Tree) -> dict[str, dict[str, str | None]]:
    found: dict[str, dict[str, str | None]] = {}
    for line in tree.lines.lines:
        parent = tree.parent(line)
        found[line.id] = {"parent": parent.id if parent else None, "attachment_uuid": tree.attachments.get(line.id)}
    return found


def _rulings(world: World, lines: Lines) -> dict[str, Ruling]:
    """Rulings by entry; the key of a ruling on another thread's roots names that thread."""
    return {
        uuid if world.thread_of[uuid] == thread else f"{uuid} in {thread}": ruling
        for (uuid, thread), ruling in lines.forks.items()
    }


def _paths(world: World, tree: Tree) -> dict[str, Any]:
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
        for session, claimed in world.claims.items()
    }
    return {"paths": ended, "paths_through": {session: leaves for session, leaves in through.items() if leaves}}


def _diagnostics(world: World, lines: Lines, tree: Tree) -> list[list[str]]:
    """Kind and uuid of what is worth telling about the graph."""
    told = [["orphan-parent", uuid] for uuid in world.entries if world.is_ghost(uuid)]
    told += [["cycle-cut", uuid] for uuid in world.cuts]
    told += [["loop-cut", tree.by_id[line_id].uuids[0]] for line_id in tree.loop_cuts]
    told += [["unexpected-root", uuid] for uuid, (_, is_expected, _) in root_kinds(world).items() if not is_expected]
    told += [["unlinked-agent", uuid] for uuid in world.unlinked]
    told += [["prompt-inlined", uuid] for uuid in lines.inlined_prompts]
    for uuid, (reason, _) in lines.set_aside.items():
        if reason == "replay" and world.entries[uuid].is_typed_prompt:
            told.append(["prompt-set-aside", uuid])
    for uuid, parent in world.parents.items():
        child, above = world.entries[uuid], world.entries[parent]
        is_stamped = child.owner.own_instant is not None and above.owner.own_instant is not None
        if child.instant < above.instant and is_stamped and uuid not in world.links:
            told.append(["clock-skew", uuid])
    return sorted(told)
