"""How sessions relate: which one another continues or forks from."""

from typing import NamedTuple

from ccindex.model.graph import NONE

from .links import Links
from .tree import Forest


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
