"""`ccindex sessions`, `tools`, `agents` and `files`: list rows of a view, latest first."""

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Annotated, Any

import typer

from ccindex.cli.options import (
    Csv,
    Db,
    FilterOptions,
    Json,
    Limit,
    Raw,
    add_filter_options,
    choose_limit,
    list_choices,
    resolve_filters,
)
from ccindex.cli.output import (
    choose_mask,
    format_time,
    open_index,
    print_csv,
    print_json_list,
    print_message,
    print_note,
    print_table,
)
from ccindex.query.lists import AGENTS, FILES, SESSIONS, TOOLS, Listing, ViewRow, list_rows, view_columns
from ccindex.query.titles import load_session_titles
from ccindex.read.text_tags import strip_tags
from ccindex.render.phrases import call_summary
from ccindex.render.tables import Column
from ccindex.render.text import format_dollars, format_duration, preview, project_name, short_agent, short_id
from ccindex.secrets.masking import Mask

_PREVIEW_CHARS = 160  # maximum length of titles and prompts


@dataclass(frozen=True, slots=True)
class _ListCommand:
    """A listing, its key in JSON, and the columns and cells of its table.

    The cell function masks text before shortening it. The table masks all other values.
    """

    name: str
    listing: Listing
    columns: Sequence[Column]
    cells: Callable[[ViewRow, Mask], Sequence[Any]]


class FileOperation(StrEnum):
    """The operation on a file."""

    READ = "read"
    WRITE = "write"
    EDIT = "edit"
    NOTEBOOK = "notebook"
    SEARCH = "search"


@add_filter_options
def sessions(
    *,
    options: FilterOptions,
    raw: Raw = False,
    limit: Limit = None,
    csv: Csv = False,
    db: Db = None,
    json: Json = False,
) -> None:
    """List sessions, latest first.

    In the table, ↳ marks a session that continues or forks another session.

    Examples:
      ccindex sessions
      ccindex sessions --project recipe-box --since 7d
      ccindex sessions --tool WebFetch --json
    """
    _show(_SESSIONS, options, limit, raw=raw, db=db, json=json, csv=csv)


@add_filter_options
def tools(
    *,
    options: FilterOptions,
    raw: Raw = False,
    limit: Limit = None,
    csv: Csv = False,
    db: Db = None,
    json: Json = False,
) -> None:
    """List tool calls with their outcomes, latest first.

    Examples:
      ccindex tools --session 51ea
      ccindex tools --tool Bash --since yesterday
      ccindex tools --tool 'mcp__*' --csv
    """
    _show(_TOOLS, options, limit, raw=raw, db=db, json=json, csv=csv)


@add_filter_options
def agents(
    *,
    options: FilterOptions,
    raw: Raw = False,
    limit: Limit = None,
    csv: Csv = False,
    db: Db = None,
    json: Json = False,
) -> None:
    """List subagents with their task, status and cost, latest first.

    Examples:
      ccindex agents --project recipe-box
      ccindex agents --session 51ea --json
    """
    _show(_AGENTS, options, limit, raw=raw, db=db, json=json, csv=csv)


@add_filter_options
def files(
    path: Annotated[
        str | None,
        typer.Argument(
            metavar="PATH", help="Only files whose path contains PATH. * matches any text.", show_default=False
        ),
    ] = None,
    *,
    operation: Annotated[
        FileOperation | None,
        typer.Option(
            metavar="OPERATION", help=f"Only this operation: {list_choices(FileOperation)}.", show_default=False
        ),
    ] = None,
    options: FilterOptions,
    raw: Raw = False,
    limit: Limit = None,
    csv: Csv = False,
    db: Db = None,
    json: Json = False,
) -> None:
    """List files named in tool calls, latest first.

    Examples:
      ccindex files build.py
      ccindex files --operation edit --since 7d
      ccindex files 'src/*.py' --session 51ea
    """
    more = {"path": f"*{path}*" if path else None, "operation": operation.value if operation else None}
    _show(_FILES, options, limit, more, raw=raw, db=db, json=json, csv=csv)


def _show(
    command: _ListCommand,
    options: FilterOptions,
    limit: int | None,
    more: Mapping[str, str | None] | None = None,
    *,
    raw: bool,
    db: str | None,
    json: bool,
    csv: bool,
) -> None:
    with open_index(db) as connection:
        max_rows = choose_limit(limit, is_table=not (json or csv))
        filters = resolve_filters(connection, options, limit=max_rows)
        if json:
            print_json_list({}, command.name, list_rows(connection, command.listing, filters, more))
            return
        if csv:
            columns = view_columns(connection, command.listing)
            print_csv(columns, (list(row.values()) for row in list_rows(connection, command.listing, filters, more)))
            return
        one_more = replace(filters, limit=None if max_rows is None else max_rows + 1)
        rows = list(list_rows(connection, command.listing, one_more, more))
        if rows:
            shown = _with_titles(connection, rows[:max_rows]) if command.listing is SESSIONS else rows[:max_rows]
            mask = choose_mask(raw=raw)
            print_table(command.columns, [command.cells(row, mask) for row in shown], mask=mask)
        else:
            print_note("nothing found")
        if limit is None and max_rows is not None and len(rows) > max_rows:
            print_message(f"showing only the latest {max_rows} rows; --limit 0 shows all")


def _with_titles(connection: sqlite3.Connection, rows: Sequence[ViewRow]) -> Sequence[ViewRow]:
    """Return session rows with a title in every row, unless the session has no text to use as a title."""
    untitled = [row["session_id"] for row in rows if not row["title"] and not row["first_prompt"]]
    titles = load_session_titles(connection, untitled) if untitled else {}
    return [
        row | {"title": row["title"] or strip_tags(row["first_prompt"] or "") or titles.get(row["session_id"], "")}
        for row in rows
    ]


def _session(row: ViewRow, mask: Mask) -> Sequence[Any]:
    mark = "" if row["relation"] == "root" else f"↳ {short_id(row['parent_session_id'])} "
    return [
        format_time(row["last_timestamp_ms"]),
        short_id(row["session_id"]),
        project_name(mask(row["project"] or "")),
        mark + preview(mask(row["title"]), _PREVIEW_CHARS),
        row["entry_count"],
        row["branch_count"] or None,
        row["agent_count"] or None,
        row["compaction_count"] or None,
        format_dollars(row["est_cost_usd"]),
    ]


def _tool(row: ViewRow, mask: Mask) -> Sequence[Any]:
    return [
        format_time(row["timestamp_ms"]),
        short_id(row["session_id"]),
        row["name"] or "?",
        call_summary(mask(row["input"] or "")),
        _outcome(row),
        format_duration(row["duration_ms"]),
        short_agent(row["agent_id"]),
        short_id(row["use_uuid"] or row["result_uuid"]),
    ]


def _outcome(row: ViewRow) -> str:
    if row["status"] != "paired":
        return "pending" if row["status"] == "pending" else "no call"
    return str(row["outcome"])


def _agent(row: ViewRow, mask: Mask) -> Sequence[Any]:
    return [
        format_time(row["last_timestamp_ms"]),
        short_id(row["session_id"]),
        short_agent(row["agent_id"]),
        row["name"],
        preview(mask(row["description"] or row["prompt"] or ""), _PREVIEW_CHARS),
        row["status"],
        row["entry_count"],
        format_duration(row["duration_ms"]),
        format_dollars(row["est_cost_usd"]),
    ]


def _file(row: ViewRow, mask: Mask) -> Sequence[Any]:
    marks = ("error" if row["is_error"] else "", "" if row["on_active_path"] else "abandoned")
    changed = [f"{sign}{row[name]}" for sign, name in (("+", "lines_added"), ("-", "lines_removed")) if row[name]]
    return [
        format_time(row["timestamp_ms"]),
        short_id(row["session_id"]),
        ", ".join(filter(None, (row["operation"], *marks))),
        _relative_to(mask(row["path"]), mask(row["cwd"] or "")),
        " ".join(changed),
        row["tool_name"],
        short_id(row["uuid"]),
    ]


def _relative_to(path: str, folder: str) -> str:
    """Return the path relative to the folder if the path is inside it."""
    prefix = folder.rstrip("/") + "/" if folder else None
    return path.removeprefix(prefix) if prefix and path != prefix else path


_WHEN, _SESSION_ID = Column("when", style="dim"), Column("session", style="cyan")
_SESSIONS = _ListCommand(
    "sessions",
    SESSIONS,
    (
        _WHEN,
        _SESSION_ID,
        Column("project", min_terminal=110, max_width=32),
        Column("title", is_flexible=True),
        Column("entries"),
        Column("branches", min_terminal=120),
        Column("agents", min_terminal=120),
        Column("compactions", min_terminal=140),
        Column("cost", is_number=True),
    ),
    _session,
)
_TOOLS = _ListCommand(
    "tools",
    TOOLS,
    (
        _WHEN,
        _SESSION_ID,
        Column("tool", max_width=24, is_flexible=True),
        Column("input", is_flexible=True),
        Column("outcome"),
        Column("time", is_number=True),
        Column("agent", min_terminal=110),
        Column("entry", min_terminal=100),
    ),
    _tool,
)
_AGENTS = _ListCommand(
    "agents",
    AGENTS,
    (
        _WHEN,
        _SESSION_ID,
        Column("agent"),
        Column("name", max_width=24, min_terminal=120, is_flexible=True),
        Column("task", is_flexible=True),
        Column("status"),
        Column("entries", min_terminal=90),
        Column("time", min_terminal=100, is_number=True),
        Column("cost", is_number=True),
    ),
    _agent,
)
_FILES = _ListCommand(
    "files",
    FILES,
    (
        _WHEN,
        _SESSION_ID,
        Column("operation"),
        Column("path", is_flexible=True, is_path=True),
        Column("lines", min_terminal=90),
        Column("tool", min_terminal=110),
        Column("entry", min_terminal=100),
    ),
    _file,
)
