"""Entries, responses and tool calls to totals per session, quarter hour, agent, model and tool."""

import json
from collections import defaultdict
from itertools import chain, pairwise
from typing import Any, NamedTuple

from .facts import Entry
from .responses import Response, all_responses
from .tools import Pair, pairs
from .world import World

_QUARTER_HOUR_MS = 900_000
_LONGEST_GAP_MS = 600_000
_MOST = 2**63 - 1


class Cell(NamedTuple):
    """What totals are grouped by; no quarter hour: no instant is known."""

    session: str
    quarter_hour: int | None
    agent: str | None
    model: str | None


def usage_totals(world: World) -> list[list[Any]]:
    """The rows of `usage_totals`, without prices."""
    models = _models(world)
    instants: dict[Cell, list[int]] = defaultdict(list)
    for entry in world.entries.values():
        instants[_cell(world, entry, models)].append(entry.instant)
    answers: dict[Cell, list[Response]] = defaultdict(list)
    for response in all_responses(world):
        entry = response.owner.entry
        cell = Cell(entry.session, _quarter_hour(entry), response.owner.agent, response.row[4])
        answers[cell].append(response)
    rows = []
    for cell in {*instants, *answers}:
        taken = [response.row[7:12] for response in answers[cell]]
        read, written, short, long, cached = (sum(row[column] for row in taken) for column in range(5))
        tokens = [min(number, _MOST) for number in (read, written, short + long, cached)]
        rows.append([*cell, len(instants[cell]), _text(_stretches(sorted(instants[cell]))), len(taken), *tokens])
    return rows


def tool_totals(world: World) -> list[list[Any]]:
    """The rows of `tool_totals`; how a call that was answered ended is left out."""
    models = _models(world)
    called: dict[tuple[Cell, str], list[Pair]] = defaultdict(list)
    for pair in pairs(world):
        if pair.use is not None and pair.use[1].name:
            called[_cell(world, pair.use[0], models), pair.use[1].name].append(pair)
    rows = []
    for (cell, name), calls in called.items():
        instants = [pair.use[0].instant for pair in calls if pair.use]
        results = [(use[0], *result) for _, _, use, result, _ in calls if use and result]
        flagged = sum(result.is_error for _, _, result in results)
        durations = sorted(entry.instant - user.instant for user, entry, _ in results)
        rows.append([*cell, name, len(calls), len(results), flagged, _text(durations), min(instants), max(instants)])
    return rows


def _models(world: World) -> dict[str, str | None]:
    """Return the model of each entry that is part of a response: the response's."""
    return {member.entry.uuid: row[4] for _, members, row in all_responses(world) for member in members}


def _cell(world: World, entry: Entry, models: dict[str, str | None]) -> Cell:
    agent = world.threads[world.thread_of[entry.uuid]].agent
    return Cell(entry.session, _quarter_hour(entry), agent, models.get(entry.uuid))


def _quarter_hour(entry: Entry) -> int | None:
    return entry.instant // _QUARTER_HOUR_MS if entry.instant else None


def _stretches(instants: list[int]) -> list[int]:
    """Return start and end of each stretch of time without a long gap; the instants are in order."""
    gaps = [pair for pair in pairwise(instants) if pair[1] - pair[0] > _LONGEST_GAP_MS]
    return [*instants[:1], *chain.from_iterable(gaps), *instants[-1:]]


def _text(numbers: list[int]) -> str:
    return json.dumps(numbers, separators=(",", ":"))
