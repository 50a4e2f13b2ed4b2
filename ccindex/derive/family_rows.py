"""A family's graph as rows of the derived tables."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ccindex.graph.build import Relation, Untangled
from ccindex.graph.ladder import NUMBER
from ccindex.graph.line_ids import line_ids
from ccindex.graph.parents import Links
from ccindex.model.graph import NONE, Kind, Node
from ccindex.read.entry_parser import NO_MODEL
from ccindex.read.text_tags import part_context
from ccindex.store.family_loader import Reader
from ccindex.store.rows import Row


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


class Known(NamedTuple):
    """What is known of sessions besides the graph: those that an occurrence claims, and facts by session."""

    claimed: Sequence[int]
    models: Mapping[int, frozenset[str]]
    titles: Mapping[int, str]
    agent_counts: Mapping[int, int]


def session_rows(made: Untangled, reader: Reader, known: Known) -> Iterator[Row]:
    """Return one row per claimed session, whether it owns entries or not."""
    links, nodes = made.links, made.links.nodes
    lines: Counter[tuple[int, str]] = Counter()
    for line in made.forest.lines:
        session = links.threads[line.thread].session
        lines[session, line.kind] += 1
        lines[session, ""] += 1
    boundary = Kind.BOUNDARY
    entries: defaultdict[int, list[int]] = defaultdict(list)
    for index, node in enumerate(nodes):
        entries[node.session].append(index)
    typed = _typed_by_session(links)
    words = _first_words(nodes, typed, reader)
    for session in known.claimed:
        own = entries.get(session, [])
        relation = made.relations.get(session, Relation(session))
        names = sorted(known.models.get(session, frozenset()) - {NO_MODEL})
        yield (
            session,
            relation.kind,
            relation.parent,
            _entry(nodes, relation.attachment),
            _entry(nodes, own[0] if own else NONE),
            _entry(nodes, own[-1] if own else NONE),
            _entry(nodes, _first_prompt(nodes, typed.get(session, ()))),
            known.titles.get(session),
            len(own),
            lines[session, ""],
            lines[session, "branch"],
            known.agent_counts.get(session, 0),
            sum([nodes[index].kind == boundary for index in own]),
            ",".join(names) or None,
            words.get(session),
        )


def _entry(nodes: Sequence[Node], index: int) -> int | None:
    return None if index == NONE else nodes[index].entry


def _typed_by_session(links: Links) -> dict[int, list[int]]:
    """Return by session what a person typed in its trunk, commands left out, by time."""
    found: defaultdict[int, list[int]] = defaultdict(list)
    for index, node in enumerate(links.nodes):
        if node.is_typed and not node.is_command and not links.is_agent(index):
            found[node.session].append(index)
    return found


def _first_prompt(nodes: Sequence[Node], typed: Sequence[int]) -> int:
    return next((index for index in typed if nodes[index].is_typed_prompt), NONE)


def _first_words(nodes: Sequence[Node], typed: Mapping[int, Sequence[int]], reader: Reader) -> dict[int, str]:
    """Find the first words of sessions whose first prompt begins with an editor's context or holds no words."""
    first = {session: _first_prompt(nodes, own) for session, own in typed.items()}
    prompts = [index for index in first.values() if index != NONE]
    said = {index: rest for index, *rest in reader.rows("derive/typed_texts", prompts)}
    found: dict[int, str] = {}
    for session, prompt in first.items():
        if prompt == NONE:
            continue
        text, has_image = said[prompt]
        words = part_context(text).words
        if not words and has_image:
            words = f"(image) {_next_words(reader, [index for index in typed[session] if index > prompt])}".rstrip()
        if words and words != text:
            found[session] = words
    return found


def _next_words(reader: Reader, typed: Sequence[int]) -> str:
    """Return the first words among typed entries, read in growing batches."""
    start, size = 0, 1
    while start < len(typed):
        for _, text, _ in reader.rows("derive/typed_texts", typed[start : start + size]):
            if words := part_context(text).words:
                return words
        start, size = start + size, size * 2
    return ""
