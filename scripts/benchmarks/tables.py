"""Format benchmark results as tables, in plain text and in Markdown."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .process import Cost
from .results import Index, Peer, Results
from .targets import Target, check_targets

_MAX_TABLES = 8  # shown individually; smaller tables are combined into one row
_INGESTS = {
    "cold": "all files into a new index",
    "unchanged": "no changes",
    "appended": "one line added to the largest session",
    "new session": "a new session of 1 MB",
}
_LEFT_ALIGNED = {"target", "measured", "command line"}  # in addition to the first column of every table
_COST_HEADINGS = ("seconds", "CPU", "memory")


@dataclass(frozen=True, slots=True)
class Table:
    """A title, column headings and rows."""

    title: str
    headings: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]


def build_tables(results: Results) -> Iterator[Table]:
    """Yield all tables, the most important first."""
    targets = [_target_row(target) for target in check_targets(results)]
    yield Table("Targets", ("target", "measured", "met"), targets)
    yield Table("Indexing", ("ccindex ingest", *_COST_HEADINGS, "times the floor"), list(_ingest_rows(results)))
    if phases := results.ingests["cold"].phases:
        total = sum(phases.values()) or 1.0
        rows = [(name, f"{seconds:.2f}", f"{seconds / total:.0%}") for name, seconds in phases.items()]
        yield Table("Phases of indexing all files, summed over all processes", ("phase", "CPU", "share"), rows)
    yield Table("Commands", ("command", "cold", "warm", "CPU", "memory"), list(_command_rows(results)))
    yield Table("Index size", ("part", "MB", "of the sources"), list(_size_rows(results)))
    if results.growth:
        yield Table(
            "Growth",
            ("corpus", "entries", "seconds", "µs/entry", "CPU", "memory", "index"),
            list(_growth_rows(results)),
        )
    if results.peers:
        headings = ("program", "first run", "second run", "CPU", "memory", "command line")
        yield Table("Other programs on the same files", headings, [_peer_row(peer) for peer in results.peers])


def describe_run(results: Results) -> str:
    """Return a sentence that describes the corpus and the machine."""
    machine, corpus = results.machine, results.corpus
    return (
        f"ccindex {machine.ccindex} on {corpus.files:,} files with {corpus.entries:,} entries ({_mb(corpus.bytes)}), "
        f"{machine.day}: {machine.processor}, {machine.cores} cores, {machine.memory / 1e9:.0f} GB, {machine.system}, "
        f"Python {machine.python}, SQLite {machine.sqlite}. Best of {results.repeat}."
    )


def to_text(table: Table) -> str:
    """Format a table as plain text."""
    lines = [table.headings, *table.rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(table.headings))]
    delimiters = _delimiter_row(table)
    return "\n".join([f"{table.title}", *(f"  {_align(line, widths, delimiters)}" for line in lines)]) + "\n"


def to_markdown(table: Table) -> str:
    """Format a table as Markdown."""
    lines = (table.headings, _delimiter_row(table), *table.rows)
    return "\n".join([f"**{table.title}**\n", *(f"| {' | '.join(line)} |" for line in lines)]) + "\n"


def _delimiter_row(table: Table) -> list[str]:
    """Return the cells of Markdown's delimiter row, which give the alignment of each column."""
    return ["---" if index == 0 or name in _LEFT_ALIGNED else "---:" for index, name in enumerate(table.headings)]


def _align(cells: Sequence[str], widths: Sequence[int], delimiters: Sequence[str]) -> str:
    padded = (
        cell.rjust(width) if delimiter.endswith(":") else cell.ljust(width)
        for cell, width, delimiter in zip(cells, widths, delimiters, strict=True)
    )
    return "  ".join(padded).rstrip()


def _target_row(target: Target) -> tuple[str, ...]:
    return target.description, target.measured, {True: "yes", False: "no", None: "-"}[target.is_met]


def _ingest_rows(results: Results) -> Iterator[tuple[str, ...]]:
    yield "the floor: read, decode, write two simple tables", *_cost_cells(results.floor), "1.00"
    for name, description in _INGESTS.items():
        cost = results.ingests[name].cost
        yield description, *_cost_cells(cost), f"{cost.seconds / results.floor.seconds:.2f}"


def _command_rows(results: Results) -> Iterator[tuple[str, ...]]:
    for name, command in results.commands.items():
        yield name, f"{command.cold.seconds:.2f}", *_cost_cells(command.warm)


def _size_rows(results: Results) -> Iterator[tuple[str, ...]]:
    index, source_bytes = results.index, results.corpus.bytes
    yield "source files", f"{source_bytes / 1e6:.1f}", "100%"
    yield "index", f"{index.bytes / 1e6:.1f}", f"{index.bytes / source_bytes:.0%}"
    if index.archived:
        yield "of which compressed archive", f"{index.packed / 1e6:.1f}", f"{index.packed / source_bytes:.0%}"
    for name, size in _largest_tables(index):
        yield name, f"{size / 1e6:.1f}", f"{size / source_bytes:.0%}"


def _largest_tables(index: Index) -> Iterator[tuple[str, int]]:
    sizes = list(index.tables.items())
    yield from ((f"table {name}", size) for name, size in sizes[:_MAX_TABLES])
    if others := sizes[_MAX_TABLES:]:
        yield f"{len(others)} other tables", sum(size for _, size in others)


def _growth_rows(results: Results) -> Iterator[tuple[str, ...]]:
    for step in results.growth:
        per_entry = step.cost.seconds / max(step.corpus.entries, 1)
        yield (
            f"{step.times} x",
            f"{step.corpus.entries:,}",
            f"{step.cost.seconds:.2f}",
            f"{per_entry * 1e6:.0f}",
            f"{step.cost.cpu:.2f}",
            _mb(step.cost.memory),
            _mb(step.index),
        )


def _peer_row(peer: Peer) -> tuple[str, ...]:
    name = f"{peer.name} {peer.version}".strip()
    if peer.first is None or peer.again is None:
        return name, peer.problem, "", "", "", ""
    _, cpu, memory = _cost_cells(peer.first)
    command_line = f"`{peer.command}`".replace("|", "\\|")
    return name, f"{peer.first.seconds:.2f}", f"{peer.again.seconds:.2f}", cpu, memory, command_line


def _cost_cells(cost: Cost) -> tuple[str, str, str]:
    return f"{cost.seconds:.2f}", f"{cost.cpu:.2f}", _mb(cost.memory)


def _mb(count: int) -> str:
    return f"{count / 1e6:.0f} MB"
