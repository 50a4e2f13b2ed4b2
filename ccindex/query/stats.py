"""Compute usage totals by day, model, tool and other keys, for the data that matches the filters."""

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

from ccindex.facts.usage_totals import (
    EntryGroup,
    Figures,
    ResponseUsage,
    ToolCall,
    UsageTotals,
    sum_tool_calls,
    sum_usage,
)
from ccindex.model.usage_rows import MAX_INTEGER, QUARTER_HOUR_MS, ToolUsageRow, UsageRow
from ccindex.query.lists import Filters
from ccindex.store.sql_files import load

__all__ = [
    "CALENDAR_GROUPS",
    "FIGURE_COLUMNS",
    "KEY_COLUMNS",
    "TOTAL_COLUMNS",
    "By",
    "Figures",
    "PartialQuarter",
    "Stats",
    "StatsRow",
    "TimeRange",
    "count_by",
    "split_time_range",
]


class PartialQuarter(NamedTuple):
    """Part of a quarter hour, from `since` (inclusive) to `until` (exclusive)."""

    quarter_hour: int
    since: int
    until: int


class TimeRange(NamedTuple):
    """Whole quarter hours from `first` up to but excluding `end`, partial ones, and whether undated rows count."""

    first: int
    end: int
    partial: tuple[PartialQuarter, ...]
    undated: bool


def split_time_range(since: int | None, until: int | None) -> TimeRange:
    """Split the time between two timestamps (None: no limit) into whole and partial quarter hours."""
    start, stop = -MAX_INTEGER if since is None else since, MAX_INTEGER if until is None else until
    # rounded up and rounded down; without a limit, outside the range of quarter hours that can occur
    first, end = -(-start // QUARTER_HOUR_MS), stop // QUARTER_HOUR_MS
    pieces = [(start, stop)] if first > end else [(start, first * QUARTER_HOUR_MS), (end * QUARTER_HOUR_MS, stop)]
    bounded = [(low, high) for low, high in pieces if low < high and low != -MAX_INTEGER and high != MAX_INTEGER]
    partial = tuple(PartialQuarter(low // QUARTER_HOUR_MS, low, high) for low, high in bounded)
    # a timestamp of 0 means that none was recorded; a partial quarter hour around it already includes such rows
    undated = start <= 0 < stop and not any(low <= 0 < high for low, high in bounded)
    return TimeRange(first, end, partial, undated)


class By(StrEnum):
    """The key to group by; days, weeks and months depend on the time zone."""

    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    MODEL = "model"
    PROJECT = "project"
    SESSION = "session"
    TOOL = "tool"
    AGENT = "agent"


CALENDAR_GROUPS = (By.DAY, By.WEEK, By.MONTH)


GroupKey = str | None


class StatsRow(NamedTuple):
    """A group with its key columns, in the order of `KEY_COLUMNS`, and its figures."""

    keys: tuple[str | int | None, ...]
    figures: Figures


@dataclass(frozen=True, slots=True)
class Stats:
    """Sorted rows up to the limit in the filters, and totals of all data that matches the filters."""

    rows: tuple[StatsRow, ...]
    row_count: int  # before the limit is applied
    totals: Figures


_TOOL_FIGURES = ("rejections", "pending")
TOTAL_COLUMNS = tuple(name for name in Figures._fields if name not in _TOOL_FIGURES)
KEY_COLUMNS: Mapping[By, tuple[str, ...]] = {by: (by.value,) for by in By} | {
    By.SESSION: ("session_id", "title", "project"),
    By.AGENT: ("agent", "agents"),
}
FIGURE_COLUMNS: Mapping[By, tuple[str, ...]] = dict.fromkeys(By, TOTAL_COLUMNS) | {
    # a session can alternate between models, so active time cannot be split between them
    By.MODEL: tuple(name for name in TOTAL_COLUMNS if name != "active_hours"),
    By.TOOL: (
        "tool_calls",
        "tool_errors",
        "tool_refused",
        "error_rate",
        "median_tool_ms",
        "p95_tool_ms",
        "sessions",
        *_TOOL_FIGURES,
    ),
}


def count_by(connection: sqlite3.Connection, by: By, filters: Filters, zone: tzinfo = UTC) -> Stats:
    """Return totals per group, and overall, for the data that matches the filters."""
    key = _key(connection, by, zone)
    groups: dict[GroupKey, UsageTotals] = defaultdict(UsageTotals)
    totals = UsageTotals()
    for row in _rows(connection, by, filters):
        group = groups[key(row)] if by is not By.TOOL or isinstance(row, ToolUsageRow) else totals
        group.add(row)
    for group in groups.values():
        totals.merge(group)
    rows = _ordered(by, [(name, group, group.figures()) for name, group in groups.items()])
    shown = rows[-filters.limit :] if filters.limit and by in CALENDAR_GROUPS else rows[: filters.limit]
    titles = _titles(connection, [name for name, *_ in shown]) if by is By.SESSION else {}
    result = (StatsRow(_key_columns(by, name, group, titles), figures) for name, group, figures in shown)
    return Stats(tuple(result), len(rows), totals.figures())


_SPANS_INDEX, _DURATIONS_INDEX = UsageRow._fields.index("spans"), ToolUsageRow._fields.index("durations_ms")
_Group = tuple[GroupKey, UsageTotals, Figures]
_Titles = Mapping[GroupKey, tuple[str | None, str | None]]  # title and project by session id
_AnyRow = UsageRow | ToolUsageRow


def _rows(connection: sqlite3.Connection, by: By, filters: Filters) -> Iterator[_AnyRow]:
    """Yield stored totals; if a filter matches part of one, compute that part from entries, responses and calls."""
    values = {"by": by.value} | filters.values()
    if filters.tool is not None:  # stored totals do not split entries and responses by tool
        since = -MAX_INTEGER if filters.since is None else filters.since
        until = MAX_INTEGER if filters.until is None else filters.until
        yield from _computed_rows(connection, values | {"quarter_hour": None, "since": since, "until": until})
        return
    range_ = split_time_range(filters.since, filters.until)
    values |= {"first": range_.first, "end": range_.end, "undated": range_.undated}
    for row in connection.execute(load("query/stats_usage"), values):
        yield UsageRow._make((*row[:_SPANS_INDEX], json.loads(row[_SPANS_INDEX]), *row[_SPANS_INDEX + 1 :]))
    for row in connection.execute(load("query/stats_tools"), values):
        durations = list(chain.from_iterable(json.loads(row[_DURATIONS_INDEX])))
        yield ToolUsageRow._make((*row[:_DURATIONS_INDEX], durations, *row[_DURATIONS_INDEX + 1 :]))
    for part in range_.partial:
        yield from _computed_rows(connection, values | part._asdict())


def _computed_rows(connection: sqlite3.Connection, values: Mapping[str, object]) -> Iterator[_AnyRow]:
    """Compute totals from entries, responses and calls."""
    entries = map(EntryGroup._make, connection.execute(load("query/stats_entries"), values))
    responses = map(ResponseUsage._make, connection.execute(load("query/stats_responses"), values))
    yield from sum_usage(entries, responses)
    yield from sum_tool_calls(map(ToolCall._make, connection.execute(load("query/stats_calls"), values)))


def _titles(connection: sqlite3.Connection, session_ids: Sequence[GroupKey]) -> _Titles:
    # one statement per id, because a JSON array would truncate an id at a NUL character
    find = load("query/stats_session_title")
    return {name: connection.execute(find, {"session_id": name}).fetchone() for name in session_ids}


def _key(connection: sqlite3.Connection, by: By, zone: tzinfo) -> Callable[[_AnyRow], GroupKey]:
    if by in (By.PROJECT, By.SESSION):
        rows = connection.execute(load("query/stats_sessions"))
        names = {session: session_id if by is By.SESSION else project for session, session_id, project in rows}
        return lambda row: names[row.session]
    if by is By.AGENT:
        rows = connection.execute(load("query/stats_agents"))
        agents = {(session, agent_id): name for session, agent_id, name in rows}
        return lambda row: row.agent_id and agents.get((row.session, row.agent_id), "unknown")
    if by in CALENDAR_GROUPS:
        formats = {By.DAY: date.isoformat, By.WEEK: _week, By.MONTH: _month}
        return _calendar_key(formats[by], zone)
    keys: dict[By, Callable[[_AnyRow], GroupKey]] = {
        By.MODEL: lambda row: row.model,
        By.TOOL: lambda row: row.name if isinstance(row, ToolUsageRow) else None,
    }
    return keys[by]


def _calendar_key(format_date: Callable[[date], str], zone: tzinfo) -> Callable[[_AnyRow], GroupKey]:
    """Return a function that maps a row to its local day, week or month, or to None if it has no valid date."""
    epoch = datetime(1970, 1, 1, tzinfo=UTC)

    @cache
    def key(quarter_hour: int | None) -> GroupKey:
        if quarter_hour is None:
            return None
        try:
            start = epoch + timedelta(milliseconds=quarter_hour * QUARTER_HOUR_MS)
            return format_date(start.astimezone(zone).date())
        except (OverflowError, ValueError):
            return None

    return lambda row: key(row.quarter_hour)


def _week(day: date) -> str:
    """Return the ISO 8601 week of a day."""
    year, week, _ = day.isocalendar()
    return f"{year:04}-W{week:02}"


def _month(day: date) -> str:
    return day.isoformat()[:7]


def _ordered(by: By, groups: Sequence[_Group]) -> list[_Group]:
    """Sort days, weeks and months by time; sort tools by calls, and everything else by cost, in descending order."""
    if by in CALENDAR_GROUPS:
        return sorted(groups, key=lambda group: group[0] or "")

    def rank(group: _Group) -> tuple[float, int, bool, str]:
        key, _, figures = group
        weight = figures.tool_calls if by is By.TOOL else figures.est_cost_usd or 0
        return -weight, -figures.responses, key is None, key or ""

    return sorted(groups, key=rank)


def _key_columns(by: By, key: GroupKey, group: UsageTotals, titles: _Titles) -> tuple[str | int | None, ...]:
    if by is By.SESSION:
        return key, *titles[key]
    if by is By.AGENT:
        return key, len(group.agents)
    return (key,)
