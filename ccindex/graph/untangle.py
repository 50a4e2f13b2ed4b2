"""A family's entries in, its graph out: the steps in their order."""

from collections.abc import Mapping
from dataclasses import dataclass

from ccindex.model.graph import ForkContents

from .findings import Finding, findings
from .links import Links
from .paths import Path, paths
from .relations import Relation, relations
from .tree import Forest, plant
from .walk import Walked, walk


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
