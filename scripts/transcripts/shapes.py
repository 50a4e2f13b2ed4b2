"""Generate transcripts of a given shape and size."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from . import agent_shapes, file_shapes, graph_shapes
from .entries import EntryMaker
from .graph_shapes import File
from .workday import workday


class Shape(NamedTuple):
    """A kind of generated transcript: its generator, the meaning of SIZE, and the sizes to measure."""

    build: Callable[[EntryMaker, int], Iterator[File]]
    description: str
    sizes: tuple[int, ...]


def write(shape: Shape, size: int, out: Path, *, seed: int) -> int:
    """Write transcripts of the given shape and size under `out`, and return the number of files."""
    count = 0
    for name, lines in shape.build(EntryMaker(seed), size):
        path = out / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        count += 1
    return count


def _shape(build: Callable[[EntryMaker, int], Iterator[File]], description: str, size: int) -> Shape:
    """Return a shape that is measured at `size` and at four times `size`."""
    return Shape(build, description, (size, 4 * size))


SHAPES = {
    "chain": _shape(graph_shapes.chain, "a chain of SIZE entries in one file", 10_000),
    "wide": _shape(graph_shapes.wide, "one entry with SIZE prompts as children", 6_000),
    "prefixes": _shape(graph_shapes.prefixes, "as wide, but all uuids have a common prefix", 6_000),
    "long_ids": _shape(
        graph_shapes.long_ids, "as wide, but with uuids of 10,000 characters, half of them with NUL", 1_000
    ),
    "retries": _shape(graph_shapes.retries, "one prompt with SIZE answers as children", 6_000),
    "side": _shape(graph_shapes.side, "one entry with SIZE progress entries as children", 10_000),
    "calls": _shape(graph_shapes.calls, "a response with SIZE parallel calls, each with a result", 4_000),
    "results": _shape(graph_shapes.results, "a call with SIZE results", 8_000),
    "rewinds": _shape(graph_shapes.rewinds, "SIZE rewinds, each in the branch of the previous one", 100),
    "progress": _shape(graph_shapes.progress, "a chain of SIZE progress entries, each with a leaf as sibling", 5_000),
    "commands": _shape(graph_shapes.commands, "a caveat with SIZE commands as children", 4_000),
    "compactions": _shape(graph_shapes.compactions, "a conversation that is compacted SIZE times", 2_000),
    "recordings": _shape(graph_shapes.recordings, "a history of three entries, recorded SIZE times", 3_000),
    "ghost": _shape(graph_shapes.ghost, "SIZE entries with the same missing parent", 6_000),
    "ghosts": _shape(graph_shapes.ghosts, "SIZE entries with different missing parents", 6_000),
    "cycle": _shape(graph_shapes.cycle, "one cycle of SIZE entries", 8_000),
    "cycles": _shape(graph_shapes.cycles, "SIZE cycles of two entries", 4_000),
    "agents": _shape(agent_shapes.agents, "SIZE subagents, each spawned by the previous one", 500),
    "siblings": _shape(agent_shapes.siblings, "SIZE subagents, spawned by calls in one entry", 800),
    "teammates": _shape(agent_shapes.teammates, "SIZE files of one teammate, each with its whole history", 60),
    "sidecars": _shape(agent_shapes.sidecars, "SIZE sidecars of subagents without a transcript", 1_500),
    "reports": _shape(agent_shapes.reports, "SIZE progress reports of one subagent", 5_000),
    "families": _shape(file_shapes.families, "SIZE unrelated sessions of ten entries each", 500),
    "files": _shape(file_shapes.files, "SIZE unrelated sessions of one entry each", 1_000),
    "copies": _shape(file_shapes.copies, "SIZE copies of one session file of 20 entries", 400),
    "one_uuid": _shape(file_shapes.one_uuid, "SIZE files that all contain one entry with the same uuid", 1_500),
    "resumes": _shape(file_shapes.resumes, "SIZE sessions, each resumes the previous one", 1_000),
    "resumes_copied": _shape(file_shapes.resumes_copied, "as resumes, but each file copies the whole history", 80),
    "records": _shape(file_shapes.records, "SIZE records without uuid in one session", 20_000),
    "summaries": _shape(file_shapes.summaries, "SIZE summaries of one leaf", 20_000),
    "malformed": _shape(file_shapes.malformed, "SIZE malformed lines in one file", 20_000),
    "day": _shape(workday, "SIZE varied sessions like those of a working day", 50),
}
