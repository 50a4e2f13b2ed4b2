"""What is worth telling about a graph: oddities of the record that were repaired, or stand as they are."""

from collections.abc import Iterator
from typing import NamedTuple

from ccindex.model.diagnostics import Code
from ccindex.model.graph import Reason

from .links import Links
from .tree import Forest
from .walk import Walked


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
