"""What was decided about a family to rows of its sessions, with the first words that a person typed."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ccindex.graph.links import Links
from ccindex.graph.relations import Relation
from ccindex.graph.untangle import Untangled
from ccindex.model.graph import NONE, Kind, Node
from ccindex.read.parse import NO_MODEL
from ccindex.read.tags import part_context
from ccindex.store.inserts import Row
from ccindex.store.nodes import Reader


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
