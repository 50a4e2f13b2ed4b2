"""A folder of transcripts to what tools, responses, agents and landmarks are in it (SEMANTICS.md, 10 to 12)."""

from pathlib import Path
from typing import Any

from .agents import agents
from .landmarks import compactions, prompts, titles
from .project import read_project
from .responses import responses
from .tools import extra_results, file_touches, tool_pairs
from .usage import tool_totals, usage_totals


def meaning(folder: Path) -> dict[str, Any]:
    """Return the rows of views and totals that say what the transcripts mean, in no order."""
    tree = read_project(folder)
    world = tree.world
    return {
        "tool_pairs": tool_pairs(world, tree.lines),
        "extra_results": extra_results(world),
        "responses": responses(world),
        "agents": agents(world, tree.lines),
        "compactions": compactions(world, tree.lines),
        "file_touches": file_touches(tree),
        "prompts": prompts(world),
        "titles": titles(world),
        "usage_totals": usage_totals(world),
        "tool_totals": tool_totals(world),
    }
