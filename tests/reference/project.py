"""Reads a folder of transcripts up to the tree of its lines: sections 1 to 9."""

from pathlib import Path

from .lines import walk_all
from .objects import read_occurrences, read_sidecars
from .owners import claims_of, copies_of, entries_of
from .threads import build
from .tree import Tree
from .world import World


def read_project(folder: Path) -> Tree:
    """Read a folder, link its agents, walk its threads and attach the lines."""
    world = read_world(folder)
    return Tree(world, walk_all(world))


def read_world(folder: Path) -> World:
    """Read a folder as far as threads and parents."""
    occurrences = read_occurrences(folder)
    copies = copies_of(occurrences)
    world = World(entries_of(copies), claims_of(copies), read_sidecars(folder))
    world.copies = copies
    world.records = [item for item in occurrences if item.uuid is None]
    build(world)
    return world
