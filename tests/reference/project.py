"""Read a folder of transcripts and derive its threads, lines and tree."""

from pathlib import Path

from .entry_graph import EntryGraph
from .lines import walk_all
from .objects import read_occurrences, read_sidecars
from .owners import claims_of, copies_of, entries_of
from .threads import build
from .tree import Tree


def read_project(folder: Path) -> Tree:
    """Read a folder of transcripts and arrange its lines in a tree."""
    graph = read_graph(folder)
    return Tree(graph, walk_all(graph))


def read_graph(folder: Path) -> EntryGraph:
    """Read a folder of transcripts, assign the entries to threads and set their parents."""
    occurrences = read_occurrences(folder)
    copies = copies_of(occurrences)
    graph = EntryGraph(entries_of(copies), claims_of(copies), read_sidecars(folder))
    graph.copies = copies
    graph.records = [item for item in occurrences if item.uuid is None]
    build(graph)
    return graph
