"""Compute totals of entries, responses and tool calls per session, quarter hour, agent, model and tool."""

import json
from collections import defaultdict
from itertools import chain, pairwise
from typing import Any, NamedTuple

from .entries import Entry
from .entry_graph import EntryGraph
from .responses import Response, all_responses
from .tools import Pair, pairs

_QUARTER_HOUR_MS = 900_000
_MAX_GAP_MS = 600_000
_MAX_INTEGER = 2**63 - 1


class Cell(NamedTuple):
    """The key by which totals are grouped; the quarter hour is None if the timestamp is unknown."""

    session: str
    quarter_hour: int | None
    agent: str | None
    model: str | None


def usage_totals(graph: EntryGraph) -> list[list[Any]]:
    """Return the rows of `usage_totals`, without prices."""
    models = _models(graph)
    instants: dict[Cell, list[int]] = defaultdict(list)
    for entry in graph.entries.values():
        instants[_cell(graph, entry, models)].append(entry.instant)
    answers: dict[Cell, list[Response]] = defaultdict(list)
    for response in all_responses(graph):
        entry = response.owner.entry
        cell = Cell(entry.session, _quarter_hour(entry), response.owner.agent, response.row[4])
        answers[cell].append(response)
    rows = []
    for cell in {*instants, *answers}:
        token_rows = [response.row[7:12] for response in answers[cell]]
        read, written, short, long, cached = (sum(row[column] for row in token_rows) for column in range(5))
        tokens = [min(number, _MAX_INTEGER) for number in (read, written, short + long, cached)]
        rows.append([*cell, len(instants[cell]), _text(_periods(sorted(instants[cell]))), len(token_rows), *tokens])
    return rows


def tool_totals(graph: EntryGraph) -> list[list[Any]]:
    """Return the rows of `tool_totals`, without the outcomes of answered calls."""
    models = _models(graph)
    called: dict[tuple[Cell, str], list[Pair]] = defaultdict(list)
    for pair in pairs(graph):
        if pair.use is not None and pair.use[1].name:
            called[_cell(graph, pair.use[0], models), pair.use[1].name].append(pair)
    rows = []
    for (cell, name), calls in called.items():
        instants = [pair.use[0].instant for pair in calls if pair.use]
        results = [(use[0], *result) for _, _, use, result, _ in calls if use and result]
        flagged = sum(result.is_error for _, _, result in results)
        durations = sorted(entry.instant - user.instant for user, entry, _ in results)
        rows.append([*cell, name, len(calls), len(results), flagged, _text(durations), min(instants), max(instants)])
    return rows


def _models(graph: EntryGraph) -> dict[str, str | None]:
    """Map each entry of a response to the model that gave the response."""
    return {member.entry.uuid: row[4] for _, members, row in all_responses(graph) for member in members}


def _cell(graph: EntryGraph, entry: Entry, models: dict[str, str | None]) -> Cell:
    agent = graph.threads[graph.thread_of[entry.uuid]].agent
    return Cell(entry.session, _quarter_hour(entry), agent, models.get(entry.uuid))


def _quarter_hour(entry: Entry) -> int | None:
    return entry.instant // _QUARTER_HOUR_MS if entry.instant else None


def _periods(instants: list[int]) -> list[int]:
    """Return the start and end of each period without a gap of more than ten minutes, given sorted timestamps."""
    gaps = [pair for pair in pairwise(instants) if pair[1] - pair[0] > _MAX_GAP_MS]
    return [*instants[:1], *chain.from_iterable(gaps), *instants[-1:]]


def _text(numbers: list[int]) -> str:
    return json.dumps(numbers, separators=(",", ":"))
