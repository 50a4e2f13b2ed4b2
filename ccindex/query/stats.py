"""Usage totals by day, model, tool and other keys, for what the filters accept."""

import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

from ccindex.facts.usage_totals import Call, Entry, Figures, Response, Tally
from ccindex.model.derived import DAY_MS, MOST, Called, Used
from ccindex.query.lists import Filters
from ccindex.store.facts import numbers
from ccindex.store.sql_files import load


class Rest(NamedTuple):
    """A part of one day, from an instant on and before another."""

    day: int
    since: int
    until: int


class Days(NamedTuple):
    """Whole days from the first on and before the end, parts of others, and whether entries without an instant pass."""

    first: int
    end: int
    rest: tuple[Rest, ...]
    undated: bool


def days_between(since: int | None, until: int | None) -> Days:
    """Cut the time between two instants at midnight."""
    start, stop = -MOST if since is None else since, MOST if until is None else until
    # rounded up, and down; without a limit, more days than there are
    first, end = -(-start // DAY_MS), stop // DAY_MS
    pieces = [(start, stop)] if first > end else [(start, first * DAY_MS), (end * DAY_MS, stop)]
    given = [(low, high) for low, high in pieces if low < high and low != -MOST and high != MOST]
    rest = tuple(Rest(low // DAY_MS, low, high) for low, high in given)
    # an instant of 0 is that of a file without any; whoever reads a part of that day finds those entries there
    undated = start <= 0 < stop and not any(low <= 0 < high for low, high in given)
    return Days(first, end, rest, undated)


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
    key = _key(connection, by)
    groups: dict[Key, Tally] = defaultdict(Tally)
    totals = Tally()
    for counted in _counted(connection, by, filters):
        group = groups[key(counted)] if by is not By.TOOL or isinstance(counted, Called) else totals
        group.add(counted)
    for group in groups.values():
        totals.merge(group)
    rows = _ordered(by, [(name, group, group.figures()) for name, group in groups.items()])
    kept = rows[-filters.limit :] if filters.limit and by in SPANS else rows[: filters.limit]
    titles = _titles(connection, [name for name, *_ in kept]) if by is By.SESSION else {}
    told = (Row(_told(by, name, group, titles), figures) for name, group, figures in kept)
    return Stats(tuple(told), len(rows), totals.figures())


_SPANS, _DURATIONS = Used._fields.index("spans"), Called._fields.index("durations")
_Group = tuple[Key, Tally, Figures]
_Titles = Mapping[Key, tuple[str | None, str | None]]  # and projects, by session id


def _counted(connection: sqlite3.Connection, by: By, filters: Filters) -> Iterator[Used | Called]:
    """Give what the index has counted, and what of it nobody could know that it would be asked for."""
    values = {"by": by.value} | filters.values()
    if filters.tool is not None:  # whose entries and responses were not counted apart
        since = -MOST if filters.since is None else filters.since
        until = MOST if filters.until is None else filters.until
        yield from _facts(connection, values | {"day": None, "since": since, "until": until})
        return
    days = days_between(filters.since, filters.until)
    values |= {"first_day": days.first, "end_day": days.end, "undated": days.undated}
    for row in connection.execute(load("query/stats_used"), values):
        yield Used._make((*row[:_SPANS], numbers(row[_SPANS]), *row[_SPANS + 1 :]))
    for row in connection.execute(load("query/stats_called"), values):
        yield Called._make((*row[:_DURATIONS], numbers(row[_DURATIONS]), *row[_DURATIONS + 1 :]))
    for part in days.rest:
        yield from _facts(connection, values | part._asdict())


def _facts(connection: sqlite3.Connection, values: Mapping[str, object]) -> Iterator[Used | Called]:
    """Count one by one."""
    for entry in map(Entry._make, connection.execute(load("query/stats_entries"), values)):
        yield entry.used
    for response in map(Response._make, connection.execute(load("query/stats_responses"), values)):
        yield response.used
    for call in map(Call._make, connection.execute(load("query/stats_calls"), values)):
        yield call.called


def _titles(connection: sqlite3.Connection, session_ids: Sequence[Key]) -> _Titles:
    find = load("query/stats_titles")  # id by id: a JSON list of them would end an id at a NUL
    return {name: connection.execute(find, {"session_id": name}).fetchone() for name in session_ids}


def _key(connection: sqlite3.Connection, by: By) -> Callable[[Used | Called], Key]:
    if by in (By.PROJECT, By.SESSION):
        rows = connection.execute(load("query/stats_sessions"))
        names = {session: session_id if by is By.SESSION else project for session, session_id, project in rows}
        return lambda counted: names[counted.session]
    if by is By.AGENT:
        rows = connection.execute(load("query/stats_agents"))
        agents = {(session, agent_id): name for session, agent_id, name in rows}
        return lambda counted: counted.agent_id and agents.get((counted.session, counted.agent_id), "unknown")
    keys: dict[By, Callable[[Used | Called], Key]] = {
        By.DAY: lambda counted: _day(counted.day),
        By.WEEK: lambda counted: _week(counted.day),
        By.MONTH: lambda counted: _month(counted.day),
        By.MODEL: lambda counted: counted.model,
        By.TOOL: lambda counted: counted.name if isinstance(counted, Called) else None,
    }
    return keys[by]


@lru_cache(maxsize=4096)
def _day(number: int | None) -> Key:
    """The day that is so many days after 1970-01-01; None: no calendar has it, or nobody knows it."""
    if number is None:
        return None
    try:
        return date.fromordinal(_EPOCH + number).isoformat()
    except ValueError:
        return None


@lru_cache(maxsize=4096)
def _week(number: int | None) -> Key:
    """The week that the day is in, as ISO 8601 counts them: from Monday, the first one with four days of its year."""
    day = _day(number)
    if day is None:
        return None
    year, week, _ = date.fromisoformat(day).isocalendar()
    return f"{year:04}-W{week:02}"


@lru_cache(maxsize=4096)
def _month(number: int | None) -> Key:
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


def _told(by: By, key: Key, group: Tally, titles: _Titles) -> tuple[str | int | None, ...]:
    if by is By.SESSION:
        return key, *titles[key]
    if by is By.AGENT:
        return key, len(group.agents)
    return (key,)
