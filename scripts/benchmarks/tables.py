"""Results to tables, as plain text and as Markdown."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .bars import bars
from .process import Cost
from .results import Index, Peer, Results

_LARGEST = 8  # tables that are named; the rest is summed up
_INGESTS = {
    "cold": "everything, into a new index",
    "unchanged": "nothing new",
    "appended": "one line more in the largest session",
    "new session": "a new session of 1 MB",
}
_WORDS = {"promise", "measured", "how"}  # columns that are to be read from the left, as the first of each table
_COST = ("seconds", "processor", "memory")


@dataclass(frozen=True, slots=True)
class Table:
    """A title, the heads of columns, and rows."""

    title: str
    heads: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]


def tables(results: Results) -> Iterator[Table]:
    """Give every table in the order of reading."""
    yield Table("What is promised", ("promise", "measured", "met"), [_bar(*row) for row in _promises(results)])
    yield Table("Indexing", ("ccindex ingest", *_COST, "to the floor"), list(_ingests(results)))
    if phases := results.ingests["cold"].phases:
        whole = sum(phases.values()) or 1.0
        rows = [(name, f"{seconds:.2f}", f"{seconds / whole:.0%}") for name, seconds in phases.items()]
        yield Table("Phases of indexing everything, all processes together", ("phase", "seconds", "share"), rows)
    yield Table("Asking", ("command", "cold", "warm", "processor", "memory"), list(_commands(results)))
    yield Table("The index on disk", ("part", "MB", "share"), list(_index(results)))
    if results.growth:
        yield Table(
            "Growth",
            ("corpus", "entries", "seconds", "µs/entry", "processor", "memory", "index"),
            list(_growth(results)),
        )
    if results.peers:
        heads = ("program", "first", "again", "processor", "memory", "how")
        yield Table("Others on the same files", heads, [_peer(peer) for peer in results.peers])


def about(results: Results) -> str:
    """Tell in a sentence what was measured, and where."""
    machine, corpus = results.machine, results.corpus
    return (
        f"ccindex {machine.ccindex} on {corpus.files:,} files with {corpus.entries:,} entries ({_mb(corpus.bytes)}), "
        f"{machine.day}: {machine.processor}, {machine.cores} cores, {machine.memory / 1e9:.0f} GB, {machine.system}, "
        f"Python {machine.python}, SQLite {machine.sqlite}. Best of {results.repeat}."
    )


def plain(table: Table) -> str:
    """Return a table for a terminal."""
    lines = [table.heads, *table.rows]
    widths = [max(len(line[at]) for line in lines) for at in range(len(table.heads))]
    marks = _marks(table)
    return "\n".join([f"{table.title}", *(f"  {_aligned(line, widths, marks)}" for line in lines)]) + "\n"


def markdown(table: Table) -> str:
    """Return a table for a page."""
    marks = _marks(table)
    return (
        "\n".join([f"**{table.title}**\n", *(f"| {' | '.join(line)} |" for line in (table.heads, marks, *table.rows))])
        + "\n"
    )


def _marks(table: Table) -> list[str]:
    """How Markdown says on which side a column stands."""
    return ["---" if at == 0 or head in _WORDS else "---:" for at, head in enumerate(table.heads)]


def _aligned(cells: Sequence[str], widths: Sequence[int], marks: Sequence[str]) -> str:
    whole = (
        cell.rjust(width) if mark.endswith(":") else cell.ljust(width)
        for cell, width, mark in zip(cells, widths, marks, strict=True)
    )
    return "  ".join(whole).rstrip()


def _promises(results: Results) -> list[tuple[str, str, bool | None]]:
    return [(bar.promise, bar.measured, bar.is_met) for bar in bars(results)]


def _bar(promise: str, measured: str, is_met: bool | None) -> tuple[str, ...]:  # noqa: FBT001 - a row's cells
    return promise, measured, {True: "yes", False: "no", None: "-"}[is_met]


def _ingests(results: Results) -> Iterator[tuple[str, ...]]:
    yield "the floor: read, decode, two bare tables", *_cells(results.floor), "1.00"
    for name, sentence in _INGESTS.items():
        cost = results.ingests[name].cost
        yield sentence, *_cells(cost), f"{cost.seconds / results.floor.seconds:.2f}"


def _commands(results: Results) -> Iterator[tuple[str, ...]]:
    for name, command in results.commands.items():
        yield name, f"{command.cold.seconds:.2f}", *_cells(command.warm)


def _index(results: Results) -> Iterator[tuple[str, ...]]:
    index, source = results.index, results.corpus.bytes
    yield "the files it was made from", f"{source / 1e6:.1f}", "100%"
    yield "the index", f"{index.bytes / 1e6:.1f}", f"{index.bytes / source:.0%}"
    if index.archived:
        yield "the archive alone", f"{index.packed / 1e6:.1f}", f"{index.packed / index.archived:.0%}"
    for name, size in _named(index):
        yield name, f"{size / 1e6:.1f}", f"{size / source:.0%}"


def _named(index: Index) -> Iterator[tuple[str, int]]:
    sizes = list(index.tables.items())
    yield from ((f"table {name}", size) for name, size in sizes[:_LARGEST])
    if rest := sizes[_LARGEST:]:
        yield f"{len(rest)} other tables", sum(size for _, size in rest)


def _growth(results: Results) -> Iterator[tuple[str, ...]]:
    for step in results.growth:
        each = step.cost.seconds / max(step.corpus.entries, 1)
        yield (
            f"{step.times} x",
            f"{step.corpus.entries:,}",
            f"{step.cost.seconds:.2f}",
            f"{each * 1e6:.0f}",
            f"{step.cost.cpu:.2f}",
            _mb(step.cost.memory),
            _mb(step.index),
        )


def _peer(peer: Peer) -> tuple[str, ...]:
    name = f"{peer.name} {peer.version}".strip()
    if peer.first is None or peer.again is None:
        return name, "", "", "", "", peer.problem
    _, cpu, memory = _cells(peer.first)
    how = f"`{peer.words}`".replace("|", "\\|")
    return name, f"{peer.first.seconds:.2f}", f"{peer.again.seconds:.2f}", cpu, memory, how


def _cells(cost: Cost) -> tuple[str, str, str]:
    return f"{cost.seconds:.2f}", f"{cost.cpu:.2f}", _mb(cost.memory)


def _mb(count: int) -> str:
    return f"{count / 1e6:.0f} MB"
