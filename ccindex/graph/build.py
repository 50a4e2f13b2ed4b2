"""Build the graph of a family from its entries and their parents, with session relations and diagnostics."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from ccindex.graph.lines import Forest, build_lines
from ccindex.graph.parents import Links
from ccindex.graph.paths import Path, find_paths
from ccindex.graph.placement import Placement, place_entries
from ccindex.model.diagnostics import Code
from ccindex.model.graph import NONE, ForkContents, Reason


class EntryDiagnostic(NamedTuple):
    """A diagnostic about an entry."""

    code: Code
    node: int
    detail: str | None = None


def _find_diagnostics(links: Links, placement: Placement, forest: Forest) -> list[EntryDiagnostic]:
    """Return the diagnostics of a family (rule: diagnostics)."""
    nodes = links.nodes
    diagnostics = [EntryDiagnostic(Code.ORPHAN_PARENT, index) for index in sorted(links.ghosts)]
    diagnostics += [EntryDiagnostic(Code.CYCLE_CUT, index) for index in sorted(links.cuts)]
    cut_lines = [forest.lines[line] for line in forest.loop_cuts]
    diagnostics += [EntryDiagnostic(Code.LOOP_CUT, line.nodes[0], line.id) for line in cut_lines]
    diagnostics += [
        EntryDiagnostic(Code.UNEXPECTED_ROOT, root.index, root.kind) for root in links.roots if not root.is_expected
    ]
    diagnostics += [
        EntryDiagnostic(Code.UNLINKED_AGENT, index, links.threads[links.thread_of[index]].id)
        for index in links.unlinked
    ]
    # report typed prompts, other than commands, that were inlined: the conversation continues without them
    for ruled in placement.ruled:
        for index in ruled.ruling.inline:
            if nodes[index].is_typed_prompt and not nodes[index].is_command:
                diagnostics.append(EntryDiagnostic(Code.PROMPT_INLINED, index, ruled.ruling.rung))
    for index, aside in placement.aside.items():
        if aside.reason is Reason.REPLAY and nodes[index].is_typed_prompt:
            diagnostics.append(EntryDiagnostic(Code.PROMPT_SET_ASIDE, index))
    # report entries that are earlier than their parent, if both have their own timestamp
    for index, parent in enumerate(links.parents):
        # Indexes are in time order. An agent may attach to the result of the call that spawned it, although the result
        # is later than the agent's first entry.
        if parent < index or index in links.spawns:
            continue
        child, above = nodes[index], nodes[parent]
        if child.timestamp_ms < above.timestamp_ms and child.has_own_timestamp and above.has_own_timestamp:
            diagnostics.append(
                EntryDiagnostic(
                    Code.CLOCK_SKEW, index, f"{above.timestamp_ms - child.timestamp_ms} ms before its parent"
                )
            )
    return diagnostics


class Relation(NamedTuple):
    """How a session continues or forks another session. A root session has neither a parent nor an attachment."""

    session: int
    kind: str = "root"
    parent: int | None = None
    attachment: int = NONE


def relate_sessions(links: Links, forest: Forest) -> dict[int, Relation]:
    """Relate every session to the session that its trunk attaches to.

    A session whose trunk is not attached is related to the session that its last forked entry was copied from.

    (rule: session_relation)
    """
    by_session: dict[int, Relation] = {}
    # A session has at most one trunk line. If it was rewound to the entry where it was resumed, it has none.
    for line in sorted(forest.lines, key=lambda line: line.is_branch):
        session = links.threads[line.thread].session
        if line.is_agent or session in by_session:
            continue
        is_inside = line.attachment != NONE and links.thread_of[line.attachment] == line.thread
        if not line.is_branch or not is_inside:
            is_root = line.attachment == NONE
            by_session[session] = Relation(session) if is_root else _relation(links, forest, session, line.attachment)
    forked = {
        links.nodes[fork.node].session: fork for fork in links.family.forked
    }  # in time order, so the last one wins
    for session, fork in forked.items():
        if by_session.get(session, Relation(session)).kind == "root":
            by_session[session] = _relation(links, forest, session, fork.original, fork.session)
    return by_session


def _relation(links: Links, forest: Forest, session: int, attachment: int, named: int | None = None) -> Relation:
    """Relate a session to the session `named`, or to the session of the entry `attachment` if `named` is None."""
    parent = named if attachment == NONE or named is not None else links.nodes[attachment].session
    if parent is None or parent == session:
        return Relation(session)
    line = NONE if attachment == NONE else forest.line_of[attachment]
    is_last = line != NONE and forest.position_of[attachment] == len(forest.lines[line].nodes) - 1
    return Relation(session, "continues" if is_last else "forks", parent, attachment)


@dataclass(frozen=True, slots=True)
class FamilyGraph:
    """The graph of a family: its links, placements, lines, paths, session relations and diagnostics."""

    links: Links
    placement: Placement
    forest: Forest
    paths: list[Path]
    relations: Mapping[int, Relation]
    diagnostics: list[EntryDiagnostic]


def build_graph(links: Links, contents: ForkContents) -> FamilyGraph:
    """Place the entries on lines and build the tree of lines, then find paths, session relations and diagnostics."""
    placement = place_entries(links, contents)
    forest = build_lines(links, placement)
    sessions = [links.threads[line.thread].session for line in forest.lines]
    return FamilyGraph(
        links,
        placement,
        forest,
        find_paths(forest.lines, links.nodes, sessions),
        relate_sessions(links, forest),
        _find_diagnostics(links, placement, forest),
    )
