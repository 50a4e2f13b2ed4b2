"""A folder of transcripts to the tree of its lines, which knows all the rest: the first nine sections."""

from pathlib import Path

from .lines import walk_all
from .objects import read_occurrences, read_sidecars
from .owners import claims_of, entries_of
from .threads import build
from .tree import Tree
from .world import World


def read_project(folder: Path) -> Tree:
    """Read a folder, link its agents, walk its threads and hang up the lines."""
    world = read_world(folder)
    return Tree(world, walk_all(world))


def read_world(folder: Path) -> World:
    """Read a folder as far as threads and parents."""
    occurrences = read_occurrences(folder)
    records = [item for item in occurrences if item.uuid is None]
    world = World(entries_of(occurrences), claims_of(occurrences), read_sidecars(folder), records)
    build(world)
    return world
