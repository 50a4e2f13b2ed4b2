"""Usage totals by day, model, tool and other keys, for what the filters accept."""

import json
import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo
from enum import StrEnum
from functools import cache
from itertools import chain
from typing import NamedTuple

from ccindex.facts.usage_totals import EntryGroup, Figures, ResponseUsage, ToolCall, UsageTotals, tool_rows, usage_rows
from ccindex.model.usage_rows import MAX_INTEGER, QUARTER_HOUR_MS, ToolUsageRow, UsageRow
from ccindex.query.lists import Filters
from ccindex.store.sql_files import load

__all__ = [
    "FIGURES",
    "KEYS",
    "SPANS",
    "TOTALS",
    "By",
    "Figures",
    "PartialQuarter",
    "Row",
    "Stats",
    "TimeRange",
    "count_by",
    "time_range",
]


class PartialQuarter(NamedTuple):
    """A part of one quarter hour, from an instant on and before another."""

    quarter_hour: int
    since: int
    until: int


class TimeRange(NamedTuple):
    """Whole quarter hours (`first` included, `end` not), parts of others, and whether rows without an instant count."""

    first: int
    end: int
    rest: tuple[PartialQuarter, ...]
    undated: bool


def time_range(since: int | None, until: int | None) -> TimeRange:
    """Split the time between two instants into whole and partial quarter hours."""
    start, stop = -MAX_INTEGER if since is None else since, MAX_INTEGER if until is None else until
    # rounded up, and down; without a limit, more quarter hours than there are
    first, end = -(-start // QUARTER_HOUR_MS), stop // QUARTER_HOUR_MS
    pieces = [(start, stop)] if first > end else [(start, first * QUARTER_HOUR_MS), (end * QUARTER_HOUR_MS, stop)]
    given = [(low, high) for low, high in pieces if low < high and low != -MAX_INTEGER and high != MAX_INTEGER]
    rest = tuple(PartialQuarter(low // QUARTER_HOUR_MS, low, high) for low, high in given)
    # an instant of 0 stands for none; a part of that quarter hour includes those rows
    undated = start <= 0 < stop and not any(low <= 0 < high for low, high in given)
    return TimeRange(first, end, rest, undated)


class By(StrEnum):
    """What to group by; days, weeks and months are those of a time zone."""

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
    """A group: its key columns, in the order of `KEYS`, and its figures."""

    keys: tuple[str | int | None, ...]
    figures: Figures


@dataclass(frozen=True, slots=True)
class Stats:
    """Rows in order, limited by the filters; totals of everything that the filters accept."""

    rows: tuple[Row, ...]
    row_count: int  # without the limit
    totals: Figures


_OF_TOOLS = ("rejections", "pending")
TOTALS = tuple(name for name in Figures._fields if name not in _OF_TOOLS)
KEYS: Mapping[By, tuple[str, ...]] = {by: (by.value,) for by in By} | {
    By.SESSION: ("session_id", "title", "project"),
    By.AGENT: ("agent", "agents"),
}
FIGURES: Mapping[By, tuple[str, ...]] = dict.fromkeys(By, TOTALS) | {
    # models take turns in one session, so active time cannot be split between them
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


def count_by(connection: sqlite3.Connection, by: By, filters: Filters, zone: tzinfo = UTC) -> Stats:
    """Return the totals of everything that the filters accept, grouped."""
    key = _key(connection, by, zone)
    groups: dict[Key, UsageTotals] = defaultdict(UsageTotals)
    totals = UsageTotals()
    for row in _rows(connection, by, filters):
        group = groups[key(row)] if by is not By.TOOL or isinstance(row, ToolUsageRow) else totals
        group.add(row)
    for group in groups.values():
        totals.merge(group)
    rows = _ordered(by, [(name, group, group.figures()) for name, group in groups.items()])
    kept = rows[-filters.limit :] if filters.limit and by in SPANS else rows[: filters.limit]
    titles = _titles(connection, [name for name, *_ in kept]) if by is By.SESSION else {}
    found = (Row(_key_columns(by, name, group, titles), figures) for name, group, figures in kept)
    return Stats(tuple(found), len(rows), totals.figures())


_SPANS, _DURATIONS = UsageRow._fields.index("spans"), ToolUsageRow._fields.index("durations")
_Group = tuple[Key, UsageTotals, Figures]
_Titles = Mapping[Key, tuple[str | None, str | None]]  # title and project by session id
_AnyRow = UsageRow | ToolUsageRow


def _rows(connection: sqlite3.Connection, by: By, filters: Filters) -> Iterator[_AnyRow]:
    """Give the stored totals, and totals of entries, responses and calls where the filters cut through those."""
    values = {"by": by.value} | filters.values()
    if filters.tool is not None:  # stored totals do not split entries and responses by tool
        since = -MAX_INTEGER if filters.since is None else filters.since
        until = MAX_INTEGER if filters.until is None else filters.until
        yield from _counted(connection, values | {"quarter_hour": None, "since": since, "until": until})
        return
    wanted = time_range(filters.since, filters.until)
    values |= {"first": wanted.first, "end": wanted.end, "undated": wanted.undated}
    for row in connection.execute(load("query/stats_usage"), values):
        yield UsageRow._make((*row[:_SPANS], json.loads(row[_SPANS]), *row[_SPANS + 1 :]))
    for row in connection.execute(load("query/stats_tools"), values):
        durations = list(chain.from_iterable(json.loads(row[_DURATIONS])))
        yield ToolUsageRow._make((*row[:_DURATIONS], durations, *row[_DURATIONS + 1 :]))
    for part in wanted.rest:
        yield from _counted(connection, values | part._asdict())


def _counted(connection: sqlite3.Connection, values: Mapping[str, object]) -> Iterator[_AnyRow]:
    """Give totals that are not stored."""
    entries = map(EntryGroup._make, connection.execute(load("query/stats_entries"), values))
    responses = map(ResponseUsage._make, connection.execute(load("query/stats_responses"), values))
    yield from usage_rows(entries, responses)
    yield from tool_rows(map(ToolCall._make, connection.execute(load("query/stats_calls"), values)))


def _titles(connection: sqlite3.Connection, session_ids: Sequence[Key]) -> _Titles:
    find = load("query/stats_titles")  # id by id: a JSON list of them would end an id at a NUL
    return {name: connection.execute(find, {"session_id": name}).fetchone() for name in session_ids}


def _key(connection: sqlite3.Connection, by: By, zone: tzinfo) -> Callable[[_AnyRow], Key]:
    if by in (By.PROJECT, By.SESSION):
        rows = connection.execute(load("query/stats_sessions"))
        names = {session: session_id if by is By.SESSION else project for session, session_id, project in rows}
        return lambda row: names[row.session]
    if by is By.AGENT:
        rows = connection.execute(load("query/stats_agents"))
        agents = {(session, agent_id): name for session, agent_id, name in rows}
        return lambda row: row.agent_id and agents.get((row.session, row.agent_id), "unknown")
    if by in SPANS:
        spans = {By.DAY: date.isoformat, By.WEEK: _week, By.MONTH: _month}
        return _span_key(spans[by], zone)
    keys: dict[By, Callable[[_AnyRow], Key]] = {
        By.MODEL: lambda row: row.model,
        By.TOOL: lambda row: row.name if isinstance(row, ToolUsageRow) else None,
    }
    return keys[by]


def _span_key(span_of: Callable[[date], str], zone: tzinfo) -> Callable[[_AnyRow], Key]:
    """Return a function that gives the local day, week or month of a row; None: it has no date in a calendar."""
    epoch = datetime(1970, 1, 1, tzinfo=UTC)

    @cache
    def key(quarter_hour: int | None) -> Key:
        if quarter_hour is None:
            return None
        try:
            start = epoch + timedelta(milliseconds=quarter_hour * QUARTER_HOUR_MS)
            return span_of(start.astimezone(zone).date())
        except (OverflowError, ValueError):
            return None

    return lambda row: key(row.quarter_hour)


def _week(day: date) -> str:
    """Return the week of a day by ISO 8601."""
    year, week, _ = day.isocalendar()
    return f"{year:04}-W{week:02}"


def _month(day: date) -> str:
    return day.isoformat()[:7]


def _ordered(by: By, groups: Sequence[_Group]) -> list[_Group]:
    """Sort time spans by time, tools by calls, everything else by cost, the greatest first."""
    if by in SPANS:
        return sorted(groups, key=lambda group: group[0] or "")

    def rank(group: _Group) -> tuple[float, int, bool, str]:
        key, _, figures = group
        most = figures.tool_calls if by is By.TOOL else figures.est_cost_usd or 0
        return -most, -figures.responses, key is None, key or ""

    return sorted(groups, key=rank)


def _key_columns(by: By, key: Key, group: UsageTotals, titles: _Titles) -> tuple[str | int | None, ...]:
    if by is By.SESSION:
        return key, *titles[key]
    if by is By.AGENT:
        return key, len(group.agents)
    return (key,)
