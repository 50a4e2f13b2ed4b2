"""A family's entries to its graph: the steps in order, session relations and diagnostics."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from ccindex.graph.lines import Forest, Path, paths, plant
from ccindex.graph.parents import Links
from ccindex.graph.placement import Walked, walk
from ccindex.model.diagnostics import Code
from ccindex.model.graph import NONE, ForkContents, Reason


class Finding(NamedTuple):
    """One thing worth telling about an entry."""

    code: Code
    node: int
    detail: str | None = None


def findings(links: Links, walked: Walked, forest: Forest) -> Iterator[Finding]:
    """Tell all of them."""
    yield from _repaired(links, forest)
    yield from _hidden(links, walked)
    yield from _skewed(links)


def _repaired(links: Links, forest: Forest) -> Iterator[Finding]:
    """Parents that are missing or led in a circle, and beginnings that nothing explains."""
    for index in sorted(links.ghosts):
        yield Finding(Code.ORPHAN_PARENT, index)
    for index in sorted(links.cuts):
        yield Finding(Code.CYCLE_CUT, index)
    for line in forest.loop_cuts:
        yield Finding(Code.LOOP_CUT, forest.lines[line].nodes[0], forest.lines[line].id)
    for root in links.roots:
        if not root.is_expected:
            yield Finding(Code.UNEXPECTED_ROOT, root.index, root.kind)
    for index in links.unlinked:
        yield Finding(Code.UNLINKED_AGENT, index, links.threads[links.thread_of[index]].id)


def _hidden(links: Links, walked: Walked) -> Iterator[Finding]:
    """Typed prompts that the ladder took for something else than the conversation."""
    nodes = links.nodes
    for ruled in walked.ruled:
        for index in ruled.ruling.inline:
            if nodes[index].is_typed_prompt and not nodes[index].is_command:
                yield Finding(Code.PROMPT_INLINED, index, ruled.ruling.rung)
    for index, aside in walked.aside.items():
        if aside.reason is Reason.REPLAY and nodes[index].is_typed_prompt:
            yield Finding(Code.PROMPT_SET_ASIDE, index)


def _skewed(links: Links) -> Iterator[Finding]:
    """Entries stamped before the parents they name; an instant that a neighbour lent proves nothing."""
    for index, parent in enumerate(links.parents):
        if parent < index or index in links.spawns:  # by time; an agent works before its result is there
            continue
        child, above = links.nodes[index], links.nodes[parent]
        if child.at < above.at and child.is_stamped and above.is_stamped:
            yield Finding(Code.CLOCK_SKEW, index, f"{above.at - child.at} ms before its parent")


class Relation(NamedTuple):
    """A session's place among the others; a root has neither parent nor attachment."""

    session: int
    kind: str = "root"
    parent: int | None = None
    attachment: int = NONE


def relations(links: Links, forest: Forest) -> dict[int, Relation]:
    """Relate each session by where its trunk hangs, else by the last of the originals that it was forked from."""
    found: dict[int, Relation] = {}
    # a session has at most one trunk line; after a rewind right where it was resumed only branches, by time
    for line in sorted(forest.lines, key=lambda line: line.is_branch):
        session = links.threads[line.thread].session
        if line.is_agent or session in found:
            continue
        is_inside = line.attachment != NONE and links.thread_of[line.attachment] == line.thread
        if not line.is_branch or not is_inside:
            found[session] = _relation(links, forest, session, line.attachment)
    forked = {links.nodes[fork.node].session: fork for fork in links.family.forked}  # by time: the last one counts
    for session, fork in forked.items():
        if found.get(session, Relation(session)).kind == "root":
            found[session] = _relation(links, forest, session, fork.original, fork.session)
    return found


def _relation(links: Links, forest: Forest, session: int, attachment: int, named: int | None = None) -> Relation:
    """Relate a session to that of an entry, or to the one that it names itself."""
    parent = named if attachment == NONE or named is not None else links.nodes[attachment].session
    if parent is None or parent == session:
        return Relation(session)
    line = NONE if attachment == NONE else forest.line_of[attachment]
    is_last = line != NONE and forest.position_of[attachment] == len(forest.lines[line].nodes) - 1
    return Relation(session, "continues" if is_last else "forks", parent, attachment)


@dataclass(frozen=True, slots=True)
class Untangled:
    """All that was decided about a family."""

    links: Links
    walked: Walked
    forest: Forest
    paths: list[Path]
    relations: Mapping[int, Relation]
    findings: list[Finding]


def untangle(links: Links, contents: ForkContents) -> Untangled:
    """Walk the threads, build the tree of lines, then find what follows from both."""
    walked = walk(links, contents)
    forest = plant(links, walked)
    sessions = [links.threads[line.thread].session for line in forest.lines]
    return Untangled(
        links,
        walked,
        forest,
        paths(forest.lines, links.nodes, sessions),
        relations(links, forest),
        list(findings(links, walked, forest)),
    )
