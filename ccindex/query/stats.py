"""What was used: entries, responses and calls that filters let through, counted by day, model, tool and the like."""

import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

from ccindex.store.sqlfiles import load

from .filters import Filters
from .tally import Call, Entry, Fact, Figures, Response, Tally

_DAY_MS = 86_400_000
_EPOCH = date(1970, 1, 1).toordinal()


class By(StrEnum):
    """What to count by; days, weeks and months are those of UTC."""

    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    MODEL = "model"
    PROJECT = "project"
    SESSION = "session"
    TOOL = "tool"
    AGENT = "agent"


SPANS = (By.DAY, By.WEEK, By.MONTH)


Key = str | None


class Row(NamedTuple):
    """A group: what it is known by, in the order of `KEYS`, and its figures."""

    keys: tuple[str | int | None, ...]
    figures: Figures


@dataclass(frozen=True, slots=True)
class Stats:
    """Rows in order, at most as many as asked for; totals of all that the filters let through."""

    rows: tuple[Row, ...]
    row_count: int  # with those beyond the limit
    totals: Figures


_OF_TOOLS = ("rejections", "pending")
TOTALS = tuple(name for name in Figures._fields if name not in _OF_TOOLS)
KEYS: Mapping[By, tuple[str, ...]] = {by: (by.value,) for by in By} | {
    By.SESSION: ("session_id", "title", "project"),
    By.AGENT: ("agent", "agents"),
}
FIGURES: Mapping[By, tuple[str, ...]] = dict.fromkeys(By, TOTALS) | {
    # whose time it was while several models took turns, nothing tells
    By.MODEL: tuple(name for name in TOTALS if name != "active_hours"),
    By.TOOL: (
        "tool_calls",
        "tool_errors",
        "tool_refused",
        "error_rate",
        "median_tool_ms",
        "p95_tool_ms",
        "sessions",
        *_OF_TOOLS,
    ),
}


def count_by(connection: sqlite3.Connection, by: By, filters: Filters) -> Stats:
    """Count all that the filters let through, by what is asked for."""
    sessions = _sessions(connection)
    key = _key(by, sessions, _agents(connection))
    groups: dict[Key, Tally] = defaultdict(Tally)
    totals = Tally()
    for fact in _facts(connection, by, filters):
        totals.add(fact)
        if by is not By.TOOL or isinstance(fact, Call):
            groups[key(fact)].add(fact)
    rows = _ordered(by, [(name, group, group.figures()) for name, group in groups.items()])
    kept = rows[-filters.limit :] if filters.limit and by in SPANS else rows[: filters.limit]
    named = {session.session_id: session for session in sessions.values()} if by is By.SESSION else {}
    told = (Row(_told(by, name, group, named), figures) for name, group, figures in kept)
    return Stats(tuple(told), len(rows), totals.figures())


class _Session(NamedTuple):
    session: int
    session_id: str
    title: str | None
    project: str | None


_Group = tuple[Key, Tally, Figures]


def _facts(connection: sqlite3.Connection, by: By, filters: Filters) -> Iterator[Fact]:
    """Give what is to be counted as it comes; entries in order of time."""
    values = {"by": by.value} | filters.values()
    yield from map(Entry._make, connection.execute(load("query/stats_entries"), values))
    yield from map(Response._make, connection.execute(load("query/stats_responses"), values))
    yield from map(Call._make, connection.execute(load("query/stats_calls"), values))


def _sessions(connection: sqlite3.Connection) -> dict[int, _Session]:
    rows = map(_Session._make, connection.execute(load("query/stats_sessions")))
    return {row.session: row for row in rows}


def _agents(connection: sqlite3.Connection) -> dict[tuple[int, str | None], str]:
    rows = connection.execute(load("query/stats_agents"))
    return {(session, agent_id): name for session, agent_id, name in rows}


def _key(
    by: By, sessions: Mapping[int, _Session], agents: Mapping[tuple[int, str | None], str]
) -> Callable[[Fact], Key]:
    keys: dict[By, Callable[[Fact], Key]] = {
        By.DAY: lambda fact: _day(fact.at // _DAY_MS) if fact.at else None,
        By.WEEK: lambda fact: _week(fact.at // _DAY_MS) if fact.at else None,
        By.MONTH: lambda fact: _month(fact.at // _DAY_MS) if fact.at else None,
        By.MODEL: lambda fact: fact.model,
        By.PROJECT: lambda fact: sessions[fact.session].project,
        By.SESSION: lambda fact: sessions[fact.session].session_id,
        By.TOOL: lambda fact: fact.name if isinstance(fact, Call) else None,
        By.AGENT: lambda fact: fact.agent_id and agents.get((fact.session, fact.agent_id), "unknown"),
    }
    return keys[by]


# an instant of 0 is that of a file without any: its day is not known
@lru_cache(maxsize=4096)
def _day(number: int) -> Key:
    """The day that is so many days after 1970-01-01; None: no calendar has it."""
    try:
        return date.fromordinal(_EPOCH + number).isoformat()
    except ValueError:
        return None


@lru_cache(maxsize=4096)
def _week(number: int) -> Key:
    """The week that the day is in, as ISO 8601 counts them: from Monday, the first one with four days of its year."""
    day = _day(number)
    if day is None:
        return None
    year, week, _ = date.fromisoformat(day).isocalendar()
    return f"{year:04}-W{week:02}"


@lru_cache(maxsize=4096)
def _month(number: int) -> Key:
    day = _day(number)
    return day and day[:7]


def _ordered(by: By, groups: Sequence[_Group]) -> list[_Group]:
    """Time runs downwards; of all else what cost most comes first, of tools what was called most."""
    if by in SPANS:
        return sorted(groups, key=lambda group: group[0] or "")

    def rank(group: _Group) -> tuple[float, int, bool, str]:
        key, _, figures = group
        most = figures.tool_calls if by is By.TOOL else figures.est_cost_usd or 0
        return -most, -figures.responses, key is None, key or ""

    return sorted(groups, key=rank)


def _told(by: By, key: Key, group: Tally, named: Mapping[str, _Session]) -> tuple[str | int | None, ...]:
    if by is By.SESSION and key is not None:
        return key, named[key].title, named[key].project
    if by is By.AGENT:
        return key, len(group.agents)
    return (key,)
