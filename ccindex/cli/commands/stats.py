"""`ccindex stats`: tokens, cost, tool calls and errors by time period, model, project, session, tool or subagent."""

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
    add_filter_options,
    choose_limit,
    list_choices,
    local_zone,
    named_zone,
    resolve_filters,
    zone_name,
)
from ccindex.cli.output import (
    choose_mask,
    open_index,
    print_csv,
    print_json,
    print_message,
    print_note,
    print_table,
    terminal_width,
)
from ccindex.query.stats import (
    CALENDAR_GROUPS,
    FIGURE_COLUMNS,
    KEY_COLUMNS,
    TOTAL_COLUMNS,
    By,
    Figures,
    Stats,
    StatsRow,
    count_by,
)
from ccindex.query.titles import load_session_titles
from ccindex.render.tables import Column
from ccindex.render.text import format_dollars, format_duration, format_tokens, preview, project_name, short_id
from ccindex.secrets.masking import Mask


@add_filter_options
def stats(
    *,
    by: Annotated[By, typer.Option("--by", metavar="KEY", help=f"Group by {list_choices(By)}.")] = By.DAY,
    options: FilterOptions,
    tz: Tz = None,
    utc: Utc = False,
    raw: Raw = False,
    limit: Limit = None,
    csv: Csv = False,
    db: Db = None,
    json: Json = False,
) -> None:
    """Show tokens, estimated cost, tool calls and errors.

    Days, weeks and months are in local time unless --tz or --utc is given. The error rate is the share of failed calls
    among all calls with a result. Calls that the user refused or interrupted do not count as failed. Active time is the
    sum of all gaps of at most ten minutes between consecutive entries. Parallel work is counted once.

    Examples:
      ccindex stats --by month
      ccindex stats --by model --since 30d
      ccindex stats --by tool --project recipe-box
    """
    max_rows = choose_limit(limit, is_table=not (json or csv))
    zone = UTC if utc else local_zone() if tz is None else named_zone(tz)
    with open_index(db) as connection:
        result = count_by(connection, by, resolve_filters(connection, options, limit=max_rows, zone=zone), zone)
        if json:
            print_json(_document(by, result) | {"timezone": zone_name(zone)})
        elif csv:
            print_csv((*KEY_COLUMNS[by], *FIGURE_COLUMNS[by]), (_values(by, row) for row in result.rows))
        elif result.rows:
            _show(connection, by, _without_empty_models(by, result), choose_mask(raw=raw))
    if json or csv:
        return
    if not result.rows:
        print_note("nothing found")
    if limit is None and max_rows is not None and result.row_count > max_rows:
        which = "latest" if by in CALENDAR_GROUPS else "first"
        print_message(f"showing only the {which} {max_rows} of {result.row_count:,} rows; --limit 0 shows all")


def _without_empty_models(by: By, result: Stats) -> Stats:
    """Return the rows to show. When grouping by model, omit rows without responses or tool calls if others exist."""
    rows = [row for row in result.rows if by is not By.MODEL or row.figures.responses or row.figures.tool_calls]
    return replace(result, rows=tuple(rows) or result.rows)


def _document(by: By, result: Stats) -> dict[str, Any]:
    columns = (*KEY_COLUMNS[by], *FIGURE_COLUMNS[by])
    rows = [dict(zip(columns, _values(by, row), strict=True)) for row in result.rows]
    # the totals include every figure column of the rows
    names = dict.fromkeys((*TOTAL_COLUMNS, *FIGURE_COLUMNS[by]))
    return {"by": by.value, "rows": rows, "totals": {name: getattr(result.totals, name) for name in names}}


def _values(by: By, row: StatsRow) -> list[Any]:
    return [*row.keys, *(getattr(row.figures, name) for name in FIGURE_COLUMNS[by])]


@dataclass(frozen=True, slots=True)
class _FigureColumn:
    """A column of figures: its heading, its format and its rank. A narrow terminal shows only the lowest ranks."""

    title: str
    cell: Callable[[Figures], str]
    rank: int


def _format_percent(rate: float | None) -> str:
    return "" if rate is None else f"{rate:.1%}"


def _format_hours(hours: float) -> str:
    """Format a time in hours, or in a smaller unit if it is less than one hour."""
    return f"{hours:,.1f} h" if hours >= 1 else format_duration(hours * 3_600_000 or None)


_USAGE_COLUMNS = (
    _FigureColumn("responses", lambda figures: f"{figures.responses:,}", 5),
    _FigureColumn("input", lambda figures: format_tokens(figures.input_tokens), 8),
    _FigureColumn("output", lambda figures: format_tokens(figures.output_tokens), 2),
    _FigureColumn("cache written", lambda figures: format_tokens(figures.cache_creation_tokens), 11),
    _FigureColumn("cache read", lambda figures: format_tokens(figures.cache_read_tokens), 7),
    _FigureColumn("cost", lambda figures: format_dollars(figures.est_cost_usd), 1),
    _FigureColumn("calls", lambda figures: f"{figures.tool_calls:,}", 3),
    _FigureColumn("errors", lambda figures: _format_percent(figures.error_rate), 4),
    _FigureColumn("median", lambda figures: format_duration(figures.median_tool_ms), 10),
    _FigureColumn("p95", lambda figures: format_duration(figures.p95_tool_ms), 9),
    _FigureColumn("active", lambda figures: _format_hours(figures.active_hours), 6),
)
_TOOL_COLUMNS = (
    _FigureColumn("calls", lambda figures: f"{figures.tool_calls:,}", 1),
    _FigureColumn("sessions", lambda figures: f"{figures.sessions:,}", 6),
    _FigureColumn("errors", lambda figures: _format_percent(figures.error_rate), 2),
    _FigureColumn("refused", lambda figures: f"{figures.tool_refused:,}", 5),
    _FigureColumn("pending", lambda figures: f"{figures.pending:,}", 7),
    _FigureColumn("median", lambda figures: format_duration(figures.median_tool_ms), 3),
    _FigureColumn("p95", lambda figures: format_duration(figures.p95_tool_ms), 4),
)


def _show(connection: sqlite3.Connection, by: By, result: Stats, mask: Mask) -> None:
    """Print the table with totals and a bar per row."""
    candidates = _TOOL_COLUMNS if by is By.TOOL else _USAGE_COLUMNS
    shown = tuple(column for column in candidates if by is not By.MODEL or column.title != "active")
    all_figures = [*(row.figures for row in result.rows), result.totals]
    lines = [[column.cell(figures) for column in shown] for figures in all_figures]
    if by is By.TOOL:
        lines[-1][1] = ""  # the total would include sessions without tool calls
    *rows, totals = lines
    widths = [max(map(len, column)) for column in zip([column.title for column in shown], *lines, strict=True)]
    key_columns = _KEY_TABLE_COLUMNS.get(by, (Column(by.value, is_flexible=by not in CALENDAR_GROUPS),))
    session_ids = [str(row.keys[0]) for row in result.rows if by is By.SESSION]
    titles = load_session_titles(connection, session_ids) if session_ids else {}
    names = [_names(by, row, titles, mask) for row in result.rows]
    cells = min(_MAX_BAR_CELLS, (terminal_width() or sys.maxsize) // 10)
    bars = _bars(by, [row.figures for row in result.rows], cells)
    key_widths = [_key_width(column, texts) for column, *texts in zip(key_columns, *names, strict=True)]
    print_table(
        [*key_columns, *_rank_columns(shown, widths, 1 + sum(key_widths) + cells), Column("", style="cyan")],
        [[*name, *line, bar] for name, line, bar in zip(names, rows, bars, strict=True)],
        totals=["total", *[None] * (len(key_columns) - 1), *totals, ""],
        mask=mask,
    )


_KEY_TABLE_COLUMNS: Mapping[By, tuple[Column, ...]] = {
    By.SESSION: (
        Column("session", style="cyan"),
        Column("title", is_flexible=True),
        Column("project", min_terminal=200, max_width=30),
    ),
    By.AGENT: (Column("agent", is_flexible=True), Column("agents")),
}
_TITLE_CHARS = 80
_MIN_KEY_CHARS = 30  # a longer name is cut before a column of figures is left out
_GAP_CHARS = 3  # spaces between two columns
_NULL_NAMES = {By.AGENT: "(main session)", By.MODEL: "(no response)"}


def _names(by: By, row: StatsRow, titles: Mapping[str, str], mask: Mask) -> list[Any]:
    """Return the cells that identify a row."""
    if by is By.SESSION:
        session_id, _, project = map(str, row.keys)
        title = preview(mask(titles.get(session_id, "")), _TITLE_CHARS)
        return [short_id(session_id), title, project_name(mask(project))]
    key, *counts = row.keys
    if key is None:
        return [_NULL_NAMES.get(by, "(unknown)"), *(number or None for number in counts)]
    name = mask(str(key))
    return [project_name(name) if by is By.PROJECT else name, *counts]


def _key_width(column: Column, texts: Iterable[Any]) -> int:
    """Return the width that is reserved for a key column."""
    if column.min_terminal:
        return 0
    return min(_MIN_KEY_CHARS, max(len(str(text)) for text in (column.title, *texts))) + _GAP_CHARS


def _rank_columns(shown: Sequence[_FigureColumn], widths: Sequence[int], reserved: int) -> list[Column]:
    """Return the columns, each with the minimum terminal width at which it fits beside all columns of lower rank."""
    columns = []
    for column in shown:
        needed = (width + _GAP_CHARS for other, width in zip(shown, widths, strict=True) if other.rank <= column.rank)
        min_terminal = reserved + sum(needed) if column.rank > 1 else 0
        columns.append(Column(column.title, min_terminal=min_terminal, is_number=True))
    return columns


_MAX_BAR_CELLS = 20
_EIGHTHS = " ▏▎▍▌▋▊▉"


def _bars(by: By, figures: Sequence[Figures], cells: int) -> list[str]:
    """Return one bar per row, scaled by calls for tools and otherwise by cost, or by responses if all values are 0."""
    values: list[float] = [row.tool_calls if by is By.TOOL else row.est_cost_usd or 0 for row in figures]
    if not any(values):
        values = [row.responses for row in figures]
    largest = max(values, default=0)
    return [_bar(value / largest, cells) if value > 0 else "" for value in values]


def _bar(share: float, cells: int) -> str:
    eighths = max(1, round(share * cells * 8))
    return ("█" * (eighths // 8) + _EIGHTHS[eighths % 8]).rstrip()
