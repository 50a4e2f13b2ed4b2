"""Format the outcome of a graph as text."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from ccindex.graph.build import FamilyGraph
from ccindex.graph.ladder import RUNG_NUMBERS
from ccindex.model.graph import NONE

KINDS = ("rung", "junction", "path", "root", "diagnostic", "session", "active", "reads")


class Line(NamedTuple):
    """A line, its attachment and its parent line."""

    names: tuple[str, ...]
    attachment: str | None
    parent: str | None
    is_active: bool


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a graph. Lines are in time order, and entries are identified by name.

    `set_aside`: name, reason, fork, in time order; `rungs`: fork, thread if it is not the fork's thread, rung, verdict;
    `junctions`: entry, target, kind, in order; `paths`: status, root, leaf, count; `roots`: name, kind;
    `diagnostics`: diagnostic, name; `sessions`: session, relation, the other session, attachment.
    """

    lines: Mapping[str, Line]
    set_aside: Iterable[tuple[str, str, str]]
    rungs: Iterable[tuple[str, str | None, int, str]]
    junctions: Iterable[tuple[str, str, str]]
    paths: Iterable[tuple[str, str, str, int]]
    roots: Iterable[tuple[str, str]]
    diagnostics: Iterable[tuple[str, str]]
    sessions: Iterable[tuple[str, str, str, str]]


def format_outcome(outcome: Outcome, kinds: Iterable[str] = KINDS) -> str:
    """Format lines, set-aside entries and the given other kinds of facts, one fact per line, sorted."""
    texts = [*_lines(outcome), *_set_aside(outcome)]
    for kind in kinds:
        texts.extend(list(_FORMATTERS[kind](outcome)) or [f"no {kind}"])
    return "\n".join(sorted(texts))


def collect_outcome(built_graph: FamilyGraph) -> Outcome:
    """Collect the outcome from a graph that `build_graph` returned."""
    links, forest = built_graph.links, built_graph.forest
    names = [node.uuid for node in links.nodes]
    session_ids = links.family.session_ids
    lines = {
        line.id: Line(
            tuple(names[index] for index in line.nodes),
            None if line.attachment == NONE else names[line.attachment],
            None if line.parent == NONE else forest.lines[line.parent].id,
            line.is_active,
        )
        for line in forest.lines
    }
    assert len(lines) == len(forest.lines), "two lines have one id"
    return Outcome(
        lines,
        [
            (names[index], str(aside.reason), names[aside.fork])
            for index, aside in sorted(built_graph.placement.aside.items())
        ],
        [
            (
                names[ruled.parent],
                None if links.thread_of[ruled.parent] == ruled.thread else links.threads[ruled.thread].id,
                RUNG_NUMBERS[ruled.ruling.rung],
                str(ruled.ruling.verdict),
            )
            for ruled in built_graph.placement.ruled
        ],
        [
            (names[junction.node], forest.lines[junction.target].id, junction.kind)
            for junction in sorted(forest.junctions, key=lambda junction: (junction.node, junction.ordinal))
        ],
        [
            (
                "active" if forest.lines[path.line].is_active else "abandoned",
                names[path.root],
                names[path.leaf],
                path.entry_count,
            )
            for path in built_graph.paths
            if not forest.lines[path.line].is_agent
        ],
        [(names[root.index], root.kind) for root in links.roots],
        [(diagnostic.code.slug, names[diagnostic.node]) for diagnostic in built_graph.diagnostics],
        [
            (session_ids[one], relation.kind, session_ids[relation.parent], names[relation.attachment])
            for one, relation in built_graph.relations.items()
            if relation.parent is not None
        ],
    )


def _lines(outcome: Outcome) -> Iterator[str]:
    for name, line in outcome.lines.items():
        attachment = "" if line.attachment is None else f" < {line.attachment}"
        yield f"{name}{attachment}: {' '.join(_abbreviate(line.names))}"


def _set_aside(outcome: Outcome) -> Iterator[str]:
    groups: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for name, reason, fork in outcome.set_aside:
        groups[reason, fork].append(name)
    for (reason, fork), names in groups.items():
        yield f"aside {' '.join(_abbreviate(names))}: {reason} at {fork}"


def _rungs(outcome: Outcome) -> Iterator[str]:
    for fork, thread, number, verdict in outcome.rungs:
        location = fork if thread is None else f"{fork} in {thread}"
        yield f"rung {number} at {location}" + (f": {verdict}" if number == len(RUNG_NUMBERS) else "")


def _junctions(outcome: Outcome) -> Iterator[str]:
    targets: defaultdict[str, list[str]] = defaultdict(list)
    for name, target, kind in outcome.junctions:
        targets[name].append(f"{target} {kind}")
    for name, labels in targets.items():
        yield f"junction {name}: {', '.join(labels)}"


def _active(outcome: Outcome) -> list[str]:
    return ["active: " + " ".join(sorted(name for name, line in outcome.lines.items() if line.is_active))]


def _reads(outcome: Outcome) -> list[str]:
    return ["reads: " + " ".join(_abbreviate(_reading(outcome)))]


def _reading(outcome: Outcome) -> Iterator[str]:
    """Yield the entries of every line, followed by the entries of its child lines in time order, depth first."""
    children: defaultdict[str | None, list[str]] = defaultdict(list)
    for name, line in outcome.lines.items():
        children[line.parent].append(name)
    stack = children[None][::-1]
    while stack:
        name = stack.pop()
        yield from outcome.lines[name].names
        stack.extend(reversed(children[name]))


def _abbreviate(names: Iterable[str]) -> list[str]:
    """Replace consecutive members of a run with their abbreviation."""
    runs: list[list[str]] = []
    for name in names:
        if runs and name == _successor(runs[-1][-1]):
            runs[-1].append(name)
        else:
            runs.append([name])
    return [_abbreviate_run(run) for run in runs]


def _successor(name: str) -> str:
    run, _, number = name.partition(".")
    return f"{run}.{int(number or 1) + 1}"


def _abbreviate_run(names: list[str]) -> str:
    if len(names) == 1:
        return names[0]
    return f"{names[0]}..{names[-1]}" if "." in names[0] else f"{names[0]}*{len(names)}"


_FORMATTERS: dict[str, Callable[[Outcome], Iterable[str]]] = {
    "rung": _rungs,
    "junction": _junctions,
    "path": lambda outcome: (f"path {status}: {root}..{leaf} ({count})" for status, root, leaf, count in outcome.paths),
    "root": lambda outcome: (f"root {name}: {kind}" for name, kind in outcome.roots),
    "diagnostic": lambda outcome: (f"diagnostic {slug} {name}" for slug, name in outcome.diagnostics),
    "session": lambda outcome: (
        f"session {session}: {relation} {parent} at {attachment}"
        for session, relation, parent, attachment in outcome.sessions
    ),
    "active": _active,
    "reads": _reads,
}
