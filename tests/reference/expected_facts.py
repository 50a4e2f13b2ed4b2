"""Derive facts from a folder of transcripts: tool pairs, responses, agents, compactions, titles and totals."""

from pathlib import Path
from typing import Any

from .agents import agents
from .landmarks import compactions, prompts, titles
from .project import read_project
from .responses import responses
from .tools import extra_results, file_touches, tool_pairs
from .usage import tool_totals, usage_totals


def expected_facts(folder: Path) -> dict[str, Any]:
    """Return the expected rows of each view or table, in no particular order."""
    tree = read_project(folder)
    graph = tree.graph
    return {
        "tool_pairs": tool_pairs(graph, tree.lines),
        "extra_results": extra_results(graph),
        "responses": responses(graph),
        "agents": agents(graph, tree.lines),
        "compactions": compactions(graph, tree.lines),
        "file_touches": file_touches(tree),
        "prompts": prompts(graph),
        "titles": titles(graph),
        "usage_totals": usage_totals(graph),
        "tool_totals": tool_totals(graph),
    }
