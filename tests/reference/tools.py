"""Pair tool calls with results, and find file paths in the input of calls (rule: tool_pair, delayed_result)."""

from typing import Any, NamedTuple

from .entries import Entry, Result, Use
from .entry_graph import EntryGraph
from .lines import Lines
from .objects import as_object, as_text
from .tree import Tree

_FILES = {
    "Read": ("read", "file_path"),
    "Write": ("write", "file_path"),
    "Edit": ("edit", "file_path"),
    "MultiEdit": ("edit", "file_path"),
    "NotebookEdit": ("notebook", "notebook_path"),
    "NotebookRead": ("notebook", "notebook_path"),
    "Grep": ("search", "path"),
    "Glob": ("search", "path"),
    "LS": ("search", "path"),
}

Key = tuple[str, str]
Called = tuple[Entry, Use]
Answered = tuple[Entry, Result]


class Pair(NamedTuple):
    """The call and result chosen for one tool_use id in a session, and the remaining results."""

    session: str
    id: str
    use: Called | None
    result: Answered | None
    extra: list[Answered]

    @property
    def status(self) -> str:
        if self.use is None:
            return "orphan_result"
        return "pending" if self.result is None else "paired"


def tool_pairs(graph: EntryGraph, lines: Lines) -> list[list[Any]]:
    """Return the rows of `v1_tool_pairs`."""
    return [_row(graph, pair, lines) for pair in pairs(graph)]


def extra_results(graph: EntryGraph) -> list[list[str]]:
    """Return the session and entry of every result block that is not part of a pair."""
    return [[pair.session, entry.uuid] for pair in pairs(graph) for entry, _ in pair.extra]


def file_touches(tree: Tree) -> list[list[Any]]:
    """Return the rows of `v1_file_touches`."""
    found: list[list[Any]] = []
    for entry in tree.graph.entries.values():
        line = tree.lines.line_of.get(entry.uuid)
        place = [entry.uuid, entry.session, line.id if line else None, entry.stamp]
        is_active = int(line is not None and tree.is_active(line))
        for use in entry.uses:
            operation, key = _FILES.get(use.name or "", ("", ""))
            path = as_text(use.input.get(key))
            if path:
                found.append([path, operation, use.id, *place, is_active])
    return found


def _row(graph: EntryGraph, pair: Pair, lines: Lines) -> list[Any]:
    user, use = pair.use or (None, None)
    answerer, result = pair.result or (None, None)
    shown = user or answerer
    line = lines.line_of.get(shown.uuid) if shown else None
    return [
        pair.id,
        pair.session,
        use.name if use else None,
        user.uuid if user else None,
        answerer.uuid if answerer else None,
        pair.status,
        int(result.is_error) if result else None,
        answerer.instant - user.instant if answerer and user else None,
        line.id if line else None,
        int(_is_delayed(graph, lines, user=user, answerer=answerer)) if user and answerer else 0,
    ]


def pairs(graph: EntryGraph) -> list[Pair]:
    """Return one pair for every session and tool_use id."""
    uses: dict[Key, list[Called]] = {}
    results: dict[Key, list[Answered]] = {}
    for uuid in graph.by_time(graph.entries):
        entry = graph.entries[uuid]
        for use in entry.uses:
            if use.id:
                uses.setdefault((entry.session, use.id), []).append((entry, use))
        for result in entry.results:
            if result.id:
                results.setdefault((entry.session, result.id), []).append((entry, result))
    return [_pair(graph, key, uses.get(key, []), results.get(key, [])) for key in sorted({*uses, *results})]


def _pair(graph: EntryGraph, key: Key, uses: list[Called], results: list[Answered]) -> Pair:
    """Pair the first use and result that are in the same thread or, failing that, the first of each.

    Both lists are in time order.
    """
    use, chosen = (uses[0] if uses else None), 0
    near = [
        (called, index)
        for called in uses
        for index, (entry, _) in enumerate(results)
        if graph.thread_of[entry.uuid] == graph.thread_of[called[0].uuid]
    ]
    if near:
        use, chosen = near[0]
    extra = [item for index, item in enumerate(results) if index != chosen]
    return Pair(*key, use, results[chosen] if results else None, extra)


def _is_delayed(graph: EntryGraph, lines: Lines, *, user: Entry, answerer: Entry) -> bool:
    """Return whether assistant text or thinking is between a call and its result, in either order, on one line."""
    line = lines.line_of.get(user.uuid)
    if line is None or lines.line_of.get(answerer.uuid) is not line:
        return False
    first, last = sorted((line.uuids.index(user.uuid), line.uuids.index(answerer.uuid)))
    between = [graph.entries[uuid] for uuid in line.uuids[first + 1 : last]]
    return any(entry.kind == "assistant" and _says_something(entry) for entry in between)


def _says_something(entry: Entry) -> bool:
    return bool(entry.text) or any(as_object(block).get("type") == "thinking" for block in entry.blocks)
