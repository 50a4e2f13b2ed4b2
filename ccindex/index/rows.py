"""What was decided about a family, as rows of the derived tables."""

from collections.abc import Iterator, Sequence

from ccindex.graph.ladder import NUMBER
from ccindex.graph.names import line_ids
from ccindex.graph.untangle import Untangled
from ccindex.model.graph import NONE
from ccindex.store.inserts import Row


class Rows:
    """Turns places in time into the numbers of entries, threads and lines."""

    def __init__(self, made: Untangled, threads: Sequence[int], lines: Sequence[int]) -> None:
        self._made = made
        self._nodes = made.links.nodes
        self._entries: list[int | None] = [*(node.entry for node in self._nodes), None]  # NONE is the last of a list
        self._threads = threads
        self._lines = lines

    def places(self) -> Iterator[Row]:
        """Return one row per entry, by time, with the columns of `places`."""
        links, forest, walked = self._made.links, self._made.forest, self._made.walked
        count = len(self._nodes)
        positions: list[int | None] = list(forest.position_of)
        reasons: list[str | None] = [None] * count
        forks: list[int | None] = [None] * count
        for index, fork in walked.inlined.items():
            forks[index] = self._entries[fork]
        fork_lines: list[int | None] = [None] * count
        line_of_fork = {
            fork: self._lines[forest.homes.of(fork).line] for fork in {a.fork for a in walked.aside.values()}
        }
        for index, (reason, fork) in walked.aside.items():
            positions[index], reasons[index] = None, reason.value
            forks[index], fork_lines[index] = self._entries[fork], line_of_fork[fork]
        lines: list[int | None] = [*self._lines, None]
        return zip(
            self._entries[:count],
            map(self._threads.__getitem__, links.thread_of),
            map(lines.__getitem__, forest.line_of),
            positions,
            reasons,
            forks,
            map(self._entries.__getitem__, links.parents),
            fork_lines,
            strict=True,
        )

    def lines(self) -> Iterator[Row]:
        """One row a line; ids may be long, so that each is made when it is asked for."""
        lines = self._made.forest.lines
        for place, line_id in line_ids([line.name for line in lines]):
            line = lines[place]
            yield (
                self._lines[place],
                self._threads[line.thread],
                line_id,
                line.kind,
                self._line(line.parent),
                None if line.parent == NONE else line.parent_position,
                self._entry(line.attachment),
                self._entry(min(line.nodes)),
                self._entry(max(line.nodes)),
                len(line.nodes),
                int(line.is_active),
            )

    def paths(self) -> Iterator[Row]:
        """One row a path."""
        for path in self._made.paths:
            yield (
                self._lines[path.line],
                path.number,
                self._entry(path.root),
                self._entry(path.leaf),
                self._entry(path.fork),
                path.entry_count,
                path.compaction_count,
            )

    def repairs(self) -> Iterator[Row]:
        """Where effective parents differ from recorded ones."""
        links = self._made.links
        for child, spawn in links.spawns.items():
            yield self._entry(child), "spawn", self._thread_of(child), self._entry(spawn.parent), spawn.rule
        for child in links.cuts:
            yield self._entry(child), "cut", self._thread_of(child), None, None

    def roots(self) -> Iterator[Row]:
        """One row a root of a thread."""
        for root in self._made.links.roots:
            yield self._entry(root.index), self._thread_of(root.index), root.kind, int(root.is_expected)

    def forks(self) -> Iterator[Row]:
        """One row a ruling."""
        homes = self._made.forest.homes
        for ruled in self._made.walked.ruled:
            place = homes.of(ruled.parent)
            yield (
                self._entry(ruled.parent),
                self._threads[ruled.thread],
                self._lines[place.line],
                place.position,
                NUMBER[ruled.ruling.rung],
                str(ruled.ruling.verdict),
                ruled.child_count,
                ruled.ruling.reason,
            )

    def junctions(self) -> Iterator[Row]:
        """One row an entry and a line that leaves there."""
        for junction in self._made.forest.junctions:
            yield (
                self._entry(junction.node),
                self._lines[junction.target],
                self._thread_of(junction.node),
                junction.kind,
                junction.ordinal,
            )

    def findings(self) -> Iterator[Row]:
        """One row a thing worth telling."""
        for finding in self._made.findings:
            yield (
                self._entry(finding.node),
                finding.code.slug,
                self._thread_of(finding.node),
                finding.code.severity,
                finding.detail,
            )

    def _entry(self, index: int) -> int | None:
        return self._entries[index]

    def _line(self, number: int) -> int | None:
        return None if number == NONE else self._lines[number]

    def _thread_of(self, index: int) -> int:
        return self._threads[self._made.links.thread_of[index]]
