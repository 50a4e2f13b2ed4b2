"""`ccindex stats`: what was used and how it went, by day, model, project, session, tool or subagent."""

import sqlite3
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC
from typing import Annotated, Any

import typer

from ccindex.cli.options import (
    Csv,
    Db,
    FilterOptions,
    Json,
    Limit,
    Raw,
    Tz,
    Utc,
    filters_of,
    limit_of,
    local_zone,
    named_zone,
    takes_filters,
    zone_name,
)
from ccindex.cli.output import complain, mask_for, open_index, remark, show_csv, show_json, show_table, terminal_width
from ccindex.query.stats import FIGURES, KEYS, SPANS, TOTALS, By, Figures, Row, Stats, count_by
from ccindex.query.titles import session_titles
from ccindex.render.tables import Column
from ccindex.render.text import amount, dollars, duration, preview, project_name, short
from ccindex.secrets.masking import Mask


@takes_filters
def stats(
    *,
    by: Annotated[By, typer.Option("--by", help="What to group by.")] = By.DAY,
    options: FilterOptions,
    tz: Tz = None,
    utc: Utc = False,
    raw: Raw = False,
    limit: Limit = None,
    csv: Csv = False,
    db: Db = None,
    json: Json = False,
) -> None:
    """Count tokens, estimated cost, tool calls and errors.

    Days, weeks and months are those of the local time zone unless --tz or --utc chooses another.
    Errors are a share of the calls that were answered, without those that somebody refused or interrupted. Active time
    adds up the gaps of at most ten minutes between one entry and the next; what ran side by side counts once.

    Examples:
      ccindex stats --by month
      ccindex stats --by model --since 30d
      ccindex stats --by tool --project recipe-box
    """
    most = limit_of(limit, is_table=not (json or csv))
    zone = UTC if utc else local_zone() if tz is None else named_zone(tz)
    with open_index(db) as connection:
        found = count_by(connection, by, filters_of(connection, options, limit=most, zone=zone), zone)
        if json:
            show_json(_document(by, found) | {"timezone": zone_name(zone)})
        elif csv:
            show_csv((*KEYS[by], *FIGURES[by]), (_values(by, row) for row in found.rows))
        elif found.rows:
            _show(connection, by, _telling(by, found), mask_for(raw=raw))
    if json or csv:
        return
    if not found.rows:
        remark("nothing found")
    if limit is None and most is not None and found.row_count > most:
        which = "latest" if by in SPANS else "first"
        complain(f"only the {which} {most} of {found.row_count:,} are shown; --limit 0 shows all")


def _telling(by: By, found: Stats) -> Stats:
    """The rows that a person wants: by model, entries that belong to no response say nothing."""
    is_told = [row for row in found.rows if by is not By.MODEL or row.figures.responses or row.figures.tool_calls]
    return replace(found, rows=tuple(is_told) or found.rows)


def _document(by: By, found: Stats) -> dict[str, Any]:
    columns = (*KEYS[by], *FIGURES[by])
    rows = [dict(zip(columns, _values(by, row), strict=True)) for row in found.rows]
    # a column that rows have, the totals have too
    names = dict.fromkeys((*TOTALS, *FIGURES[by]))
    return {"by": by.value, "rows": rows, "totals": {name: getattr(found.totals, name) for name in names}}


def _values(by: By, row: Row) -> list[Any]:
    return [*row.keys, *(getattr(row.figures, name) for name in FIGURES[by])]


@dataclass(frozen=True, slots=True)
class _Shown:
    """A column of figures: its heading, how one is written, and its rank: a narrow terminal has the first ones only."""

    title: str
    cell: Callable[[Figures], str]
    rank: int


def _percent(rate: float | None) -> str:
    return "" if rate is None else f"{rate:.1%}"


def _span(hours: float) -> str:
    """Hours, of which there may be hundreds; what is less in its own unit."""
    return f"{hours:,.1f} h" if hours >= 1 else duration(hours * 3_600_000 or None)


_USED = (
    _Shown("responses", lambda one: f"{one.responses:,}", 5),
    _Shown("input", lambda one: amount(one.input_tokens), 8),
    _Shown("output", lambda one: amount(one.output_tokens), 2),
    _Shown("cache written", lambda one: amount(one.cache_creation_tokens), 11),
    _Shown("cache read", lambda one: amount(one.cache_read_tokens), 7),
    _Shown("cost", lambda one: dollars(one.est_cost_usd), 1),
    _Shown("calls", lambda one: f"{one.tool_calls:,}", 3),
    _Shown("errors", lambda one: _percent(one.error_rate), 4),
    _Shown("median", lambda one: duration(one.median_tool_ms), 10),
    _Shown("p95", lambda one: duration(one.p95_tool_ms), 9),
    _Shown("active", lambda one: _span(one.active_hours), 6),
)
_OF_TOOLS = (
    _Shown("calls", lambda one: f"{one.tool_calls:,}", 1),
    _Shown("sessions", lambda one: f"{one.sessions:,}", 6),
    _Shown("errors", lambda one: _percent(one.error_rate), 2),
    _Shown("refused", lambda one: f"{one.tool_refused:,}", 5),
    _Shown("pending", lambda one: f"{one.pending:,}", 7),
    _Shown("median", lambda one: duration(one.median_tool_ms), 3),
    _Shown("p95", lambda one: duration(one.p95_tool_ms), 4),
)


def _show(connection: sqlite3.Connection, by: By, found: Stats, mask: Mask) -> None:
    """Print the table, with bars beside it and the totals below."""
    shown = _OF_TOOLS if by is By.TOOL else tuple(one for one in _USED if by is not By.MODEL or one.title != "active")
    lines = [[column.cell(one) for column in shown] for one in (*(row.figures for row in found.rows), found.totals)]
    if by is By.TOOL:
        lines[-1][1] = ""  # sessions without calls count in the totals
    *figures, totals = lines
    widths = [max(map(len, column)) for column in zip([column.title for column in shown], *lines, strict=True)]
    named = _HEADS.get(by, (Column(by.value, is_flexible=by not in SPANS),))
    session_ids = [str(row.keys[0]) for row in found.rows if by is By.SESSION]
    titles = session_titles(connection, session_ids) if session_ids else {}
    names = [_names(by, row, titles, mask) for row in found.rows]
    cells = min(_LONGEST, (terminal_width() or sys.maxsize) // 10)
    bars = _bars(by, [row.figures for row in found.rows], cells)
    rooms = [_needed(column, texts) for column, *texts in zip(named, *names, strict=True)]
    show_table(
        [*named, *_ranked(shown, widths, 1 + sum(rooms) + cells), Column("", style="cyan")],
        [[*name, *line, bar] for name, line, bar in zip(names, figures, bars, strict=True)],
        totals=["total", *[None] * (len(named) - 1), *totals, ""],
        mask=mask,
    )


_HEADS: Mapping[By, tuple[Column, ...]] = {
    By.SESSION: (
        Column("session", style="cyan"),
        Column("title", is_flexible=True),
        Column("project", since=200, widest=30),
    ),
    By.AGENT: (Column("agent", is_flexible=True), Column("agents")),
}
_PREVIEW = 80  # characters of a title
_LEGIBLE = 30  # of a long name, before figures take room from it
_BETWEEN = 3  # blanks between two columns
_NOBODY = {By.AGENT: "(the session itself)", By.MODEL: "(no response)"}


def _names(by: By, row: Row, titles: Mapping[str, str], mask: Mask) -> list[Any]:
    """What a row is known by, as a person reads it."""
    if by is By.SESSION:
        session_id, _, project = map(str, row.keys)
        title = preview(mask(titles.get(session_id, "")), _PREVIEW)
        return [short(session_id), title, project_name(mask(project))]
    key, *rest = row.keys
    if key is None:
        return [_NOBODY.get(by, "(unknown)"), *(number or None for number in rest)]
    name = mask(str(key))
    return [project_name(name) if by is By.PROJECT else name, *rest]


def _needed(column: Column, texts: Iterable[Any]) -> int:
    """The room that a name needs beside the figures."""
    if column.since:
        return 0
    return min(_LEGIBLE, max(len(str(text)) for text in (column.title, *texts))) + _BETWEEN


def _ranked(shown: Sequence[_Shown], widths: Sequence[int], beside: int) -> list[Column]:
    """Columns of figures, each from the width on in which it fits behind those of a better rank; the first always."""
    columns = []
    for column in shown:
        before = (widths[at] + _BETWEEN for at, one in enumerate(shown) if one.rank <= column.rank)
        since = beside + sum(before) if column.rank > 1 else 0
        columns.append(Column(column.title, since=since, is_number=True))
    return columns


_LONGEST = 20  # cells of a bar
_EIGHTHS = " ▏▎▍▌▋▊▉"


def _bars(by: By, figures: Sequence[Figures], cells: int) -> list[str]:
    """Bars as long as the cost; of tools as the calls; as the responses where nothing has a cost."""
    values: list[float] = [one.tool_calls if by is By.TOOL else one.est_cost_usd or 0 for one in figures]
    if not any(values):
        values = [one.responses for one in figures]
    most = max(values, default=0)
    return [_bar(value / most, cells) if value > 0 else "" for value in values]


def _bar(share: float, cells: int) -> str:
    eighths = max(1, round(share * cells * 8))
    return ("█" * (eighths // 8) + _EIGHTHS[eighths % 8]).rstrip()
