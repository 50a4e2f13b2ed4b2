"""A family's graph to rows of the derived tables."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ccindex.graph.build import FamilyGraph, Relation
from ccindex.graph.ladder import NUMBER
from ccindex.graph.line_ids import line_ids
from ccindex.model.graph import NONE, Kind
from ccindex.read.entry_parser import NO_MODEL
from ccindex.read.search_text import part_context
from ccindex.store.family_loader import EntryReader
from ccindex.store.rows import Row

_Numbers = list[int | None]  # by index; the last element, at index NONE, is None


class Numbers(NamedTuple):
    """The numbers that entries, threads and lines have in the index, by their index in the graph."""

    entries: _Numbers
    threads: Sequence[int]
    lines: _Numbers
    thread_of: Sequence[int]  # by entry


def numbers_of(graph: FamilyGraph, threads: Sequence[int], lines: Sequence[int]) -> Numbers:
    """Collect the numbers of a graph's parts."""
    entries: _Numbers = [*(node.entry for node in graph.links.nodes), None]
    return Numbers(entries, threads, [*lines, None], [threads[thread] for thread in graph.links.thread_of])


def placement_rows(graph: FamilyGraph, numbers: Numbers) -> Iterator[Row]:
    """Return one row per entry, in time order, with the columns of `places`."""
    forest, placement = graph.forest, graph.placement
    entries, lines = numbers.entries, numbers.lines
    count = len(entries) - 1
    positions: _Numbers = list(forest.position_of)
    reasons: list[str | None] = [None] * count
    forks: _Numbers = [None] * count
    fork_lines: _Numbers = [None] * count
    for index, fork in placement.inlined.items():
        forks[index] = entries[fork]
    if placement.aside:
        line_of_fork = {
            fork: lines[forest.homes.of(fork).line] for fork in {aside.fork for aside in placement.aside.values()}
        }
        for index, (reason, fork) in placement.aside.items():
            positions[index], reasons[index] = None, reason.value
            forks[index], fork_lines[index] = entries[fork], line_of_fork[fork]
    return zip(
        entries[:count],
        numbers.thread_of,
        map(lines.__getitem__, forest.line_of),
        positions,
        reasons,
        forks,
        map(entries.__getitem__, graph.links.parents),
        fork_lines,
        strict=True,
    )


def line_rows(graph: FamilyGraph, numbers: Numbers) -> Iterator[Row]:
    """Give one row per line; every id, which may be long, is built when its row is asked for."""
    lines, entries = graph.forest.lines, numbers.entries
    for index, line_id in line_ids([line.name for line in lines]):
        line = lines[index]
        yield (
            numbers.lines[index],
            numbers.threads[line.thread],
            line_id,
            line.kind,
            numbers.lines[line.parent],
            None if line.parent == NONE else line.parent_position,
            entries[line.attachment],
            entries[min(line.nodes)],
            entries[max(line.nodes)],
            len(line.nodes),
            int(line.is_active),
        )


def graph_rows(graph: FamilyGraph, numbers: Numbers) -> dict[str, list[Row]]:
    """Return the rows of paths, repairs, roots, forks, junctions and findings by table."""
    links, homes = graph.links, graph.forest.homes
    entries, threads, lines, thread_of = numbers
    spawned = [
        (entries[child], "spawn", thread_of[child], entries[spawn.parent], spawn.rule)
        for child, spawn in links.spawns.items()
    ]
    forks = []
    for parent, thread, child_count, ruling in graph.placement.ruled:
        line, position = homes.of(parent)
        rung, verdict = NUMBER[ruling.rung], str(ruling.verdict)
        forks.append(
            (entries[parent], threads[thread], lines[line], position, rung, verdict, child_count, ruling.reason)
        )
    return {
        "paths": [
            (
                *(lines[path.line], path.number, entries[path.root], entries[path.leaf], entries[path.fork]),
                *(path.entry_count, path.compaction_count),
            )
            for path in graph.paths
        ],
        "parent_repairs": [*spawned, *((entries[child], "cut", thread_of[child], None, None) for child in links.cuts)],
        "roots": [
            (entries[root.index], thread_of[root.index], root.kind, int(root.is_expected)) for root in links.roots
        ],
        "forks": forks,
        "junctions": [
            (entries[node], lines[target], thread_of[node], kind, ordinal)
            for node, target, kind, ordinal in graph.forest.junctions
        ],
        "graph_diagnostics": [
            (entries[node], code.slug, thread_of[node], code.severity, detail) for code, node, detail in graph.findings
        ],
    }


class SessionFacts(NamedTuple):
    """What session rows show besides the graph: the sessions that occurrences claim, and facts by session."""

    claimed: Sequence[int]
    models: Mapping[int, frozenset[str]]
    titles: Mapping[int, str]
    agent_counts: Mapping[int, int]


def session_rows(graph: FamilyGraph, reader: EntryReader, facts: SessionFacts) -> Iterator[Row]:
    """Give one row per claimed session, whether it owns entries or not."""
    links, nodes = graph.links, graph.links.nodes
    lines: Counter[tuple[int, str]] = Counter()
    for line in graph.forest.lines:
        session = links.threads[line.thread].session
        lines[session, line.kind] += 1
        lines[session, ""] += 1
    boundary = Kind.BOUNDARY
    entries: defaultdict[int, list[int]] = defaultdict(list)
    typed: defaultdict[int, list[int]] = defaultdict(list)  # in the trunk, without commands
    for index, node in enumerate(nodes):
        entries[node.session].append(index)
        if node.is_typed and not node.is_command and not links.is_agent(index):
            typed[node.session].append(index)
    prompts = {
        session: next((index for index in own if nodes[index].is_typed_prompt), NONE) for session, own in typed.items()
    }
    words = _first_words(reader, typed, prompts)
    numbers: _Numbers = [*(node.entry for node in nodes), None]
    for session in facts.claimed:
        own = entries.get(session, [])
        first, last = (own[0], own[-1]) if own else (NONE, NONE)
        relation = graph.relations.get(session, Relation(session))
        names = sorted(facts.models.get(session, frozenset()) - {NO_MODEL})
        yield (
            session,
            relation.kind,
            relation.parent,
            numbers[relation.attachment],
            numbers[first],
            numbers[last],
            numbers[prompts.get(session, NONE)],
            facts.titles.get(session),
            len(own),
            lines[session, ""],
            lines[session, "branch"],
            facts.agent_counts.get(session, 0),
            sum([nodes[index].kind == boundary for index in own]),
            ",".join(names) or None,
            words.get(session),
        )


def _first_words(reader: EntryReader, typed: Mapping[int, Sequence[int]], prompts: Mapping[int, int]) -> dict[int, str]:
    """Return the first words of sessions whose first prompt starts with an editor's context or has no words."""
    texts = {index: rest for index, *rest in reader.rows("derive/typed_texts", set(prompts.values()) - {NONE})}
    found: dict[int, str] = {}
    for session, prompt in prompts.items():
        if prompt == NONE:
            continue
        text, has_image = texts[prompt]
        words = part_context(text).words
        if not words and has_image:
            words = f"(image) {_next_words(reader, [index for index in typed[session] if index > prompt])}".rstrip()
        if words and words != text:
            found[session] = words
    return found


def _next_words(reader: EntryReader, typed: Sequence[int]) -> str:
    """Return the first words among typed entries, read in growing batches."""
    start, size = 0, 1
    while start < len(typed):
        for _, text, _ in reader.rows("derive/typed_texts", typed[start : start + size]):
            if words := part_context(text).words:
                return words
        start, size = start + size, size * 2
    return ""
