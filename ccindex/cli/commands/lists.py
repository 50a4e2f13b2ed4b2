"""`ccindex sessions`, `tools`, `agents`, `files`: rows of their views, the latest first."""

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Annotated, Any

import typer

from ccindex.cli.options import Csv, Db, FilterOptions, Json, Limit, Raw, filters_of, limit_of, takes_filters
from ccindex.cli.output import complain, mask_for, moment, open_index, remark, show_csv, show_json_list, show_table
from ccindex.query.lists import AGENTS, FILES, SESSIONS, TOOLS, Listing, Row, columns_of, list_rows
from ccindex.query.titles import session_titles
from ccindex.read.text_tags import plain_words
from ccindex.render.phrases import call_summary
from ccindex.render.tables import Column
from ccindex.render.text import dollars, duration, preview, project_name, short, short_agent
from ccindex.secrets.masking import Mask

_PREVIEW_CHARS = 160  # of a title, a prompt or a command


@dataclass(frozen=True, slots=True)
class _List:
    """A listing with its name in JSON, and the columns and cells of its table.

    A cell function masks what it shortens; all other values are masked by the table.
    """

    name: str
    listing: Listing
    columns: Sequence[Column]
    cells: Callable[[Row, Mask], Sequence[Any]]


class Operation(StrEnum):
    """What was done to a file."""

    READ = "read"
    WRITE = "write"
    EDIT = "edit"
    NOTEBOOK = "notebook"
    SEARCH = "search"


@takes_filters
def sessions(
    *,
    options: FilterOptions,
    raw: Raw = False,
    limit: Limit = None,
    csv: Csv = False,
    db: Db = None,
    json: Json = False,
) -> None:
    """List sessions, the latest first.

    In a table, ↳ marks a session that goes on from another.

    Examples:
      ccindex sessions
      ccindex sessions --project recipe-box --since 7d
      ccindex sessions --tool WebFetch --json
    """
    _show(_SESSIONS, options, limit, raw=raw, db=db, json=json, csv=csv)


@takes_filters
def tools(
    *,
    options: FilterOptions,
    raw: Raw = False,
    limit: Limit = None,
    csv: Csv = False,
    db: Db = None,
    json: Json = False,
) -> None:
    """List calls of tools and what became of them, the latest first.

    Examples:
      ccindex tools --session 51ea
      ccindex tools --tool Bash --since yesterday
      ccindex tools --tool 'mcp__*' --csv
    """
    _show(_TOOLS, options, limit, raw=raw, db=db, json=json, csv=csv)


@takes_filters
def agents(
    *,
    options: FilterOptions,
    raw: Raw = False,
    limit: Limit = None,
    csv: Csv = False,
    db: Db = None,
    json: Json = False,
) -> None:
    """List subagents, what they were asked and what they took.

    Examples:
      ccindex agents --project recipe-box
      ccindex agents --session 51ea --json
    """
    _show(_AGENTS, options, limit, raw=raw, db=db, json=json, csv=csv)


@takes_filters
def files(
    path: Annotated[
        str | None,
        typer.Argument(help="Files whose path holds this; * stands for anything.", show_default=False),
    ] = None,
    *,
    operation: Annotated[Operation | None, typer.Option(help="What was done.", show_default=False)] = None,
    options: FilterOptions,
    raw: Raw = False,
    limit: Limit = None,
    csv: Csv = False,
    db: Db = None,
    json: Json = False,
) -> None:
    """List files that tool calls named, the latest first.

    Examples:
      ccindex files build.py
      ccindex files --operation edit --since 7d
      ccindex files 'src/*.py' --session 51ea
    """
    more = {"path": f"*{path}*" if path else None, "operation": operation.value if operation else None}
    _show(_FILES, options, limit, more, raw=raw, db=db, json=json, csv=csv)


def _show(
    form: _List,
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
        most = limit_of(limit, is_table=not (json or csv))
        filters = filters_of(connection, options, limit=most)
        if json:
            show_json_list({}, form.name, list_rows(connection, form.listing, filters, more))
            return
        if csv:
            columns = columns_of(connection, form.listing)
            show_csv(columns, (list(row.values()) for row in list_rows(connection, form.listing, filters, more)))
            return
        further = replace(filters, limit=None if most is None else most + 1)
        rows = list(list_rows(connection, form.listing, further, more))
        if rows:
            shown = _with_titles(connection, rows[:most]) if form.listing is SESSIONS else rows[:most]
            mask = mask_for(raw=raw)
            show_table(form.columns, [form.cells(row, mask) for row in shown], mask=mask)
        else:
            remark("nothing found")
        if limit is None and most is not None and len(rows) > most:
            complain(f"only the latest {most} are shown; --limit 0 shows all")


def _with_titles(connection: sqlite3.Connection, rows: Sequence[Row]) -> Sequence[Row]:
    """Return rows of sessions with a title in each, if there are any words to title it by."""
    untitled = [row["session_id"] for row in rows if not row["title"] and not row["first_prompt"]]
    titles = session_titles(connection, untitled) if untitled else {}
    return [
        row | {"title": row["title"] or plain_words(row["first_prompt"] or "") or titles.get(row["session_id"], "")}
        for row in rows
    ]


def _session(row: Row, mask: Mask) -> Sequence[Any]:
    mark = "" if row["relation"] == "root" else f"↳ {short(row['parent_session_id'])} "
    return [
        moment(row["last_timestamp_ms"]),
        short(row["session_id"]),
        project_name(mask(row["project"] or "")),
        mark + preview(mask(row["title"]), _PREVIEW_CHARS),
        row["entry_count"],
        row["branch_count"] or None,
        row["agent_count"] or None,
        row["compaction_count"] or None,
        dollars(row["est_cost_usd"]),
    ]


def _tool(row: Row, mask: Mask) -> Sequence[Any]:
    return [
        moment(row["timestamp_ms"]),
        short(row["session_id"]),
        row["name"] or "?",
        call_summary(mask(row["input"] or "")),
        _outcome(row),
        duration(row["duration_ms"]),
        short_agent(row["agent_id"]),
        short(row["use_uuid"] or row["result_uuid"]),
    ]


def _outcome(row: Row) -> str:
    if row["status"] != "paired":
        return "pending" if row["status"] == "pending" else "no call"
    return str(row["outcome"])


def _agent(row: Row, mask: Mask) -> Sequence[Any]:
    return [
        moment(row["last_timestamp_ms"]),
        short(row["session_id"]),
        short_agent(row["agent_id"]),
        row["name"],
        preview(mask(row["description"] or row["prompt"] or ""), _PREVIEW_CHARS),
        row["status"],
        row["entry_count"],
        duration(row["duration_ms"]),
        dollars(row["est_cost_usd"]),
    ]


def _file(row: Row, mask: Mask) -> Sequence[Any]:
    marks = ("error" if row["is_error"] else "", "" if row["on_active_path"] else "abandoned")
    changed = [f"{sign}{row[name]}" for sign, name in (("+", "lines_added"), ("-", "lines_removed")) if row[name]]
    return [
        moment(row["timestamp_ms"]),
        short(row["session_id"]),
        ", ".join(filter(None, (row["operation"], *marks))),
        _within(mask(row["path"]), mask(row["cwd"] or "")),
        " ".join(changed),
        row["tool_name"],
        short(row["uuid"]),
    ]


def _within(path: str, folder: str) -> str:
    """Return a path relative to the working folder if it is below that."""
    inside = folder.rstrip("/") + "/" if folder else None
    return path.removeprefix(inside) if inside and path != inside else path


_WHEN, _SESSION_ID = Column("when", style="dim"), Column("session", style="cyan")
_SESSIONS = _List(
    "sessions",
    SESSIONS,
    (
        _WHEN,
        _SESSION_ID,
        Column("project", since=110, widest=32),
        Column("title", is_flexible=True),
        Column("entries"),
        Column("branches", since=120),
        Column("agents", since=120),
        Column("compactions", since=140),
        Column("cost", is_number=True),
    ),
    _session,
)
_TOOLS = _List(
    "tools",
    TOOLS,
    (
        _WHEN,
        _SESSION_ID,
        Column("tool", widest=24, is_flexible=True),
        Column("asked", is_flexible=True),
        Column("outcome"),
        Column("took", is_number=True),
        Column("agent", since=110),
        Column("entry", since=100),
    ),
    _tool,
)
_AGENTS = _List(
    "agents",
    AGENTS,
    (
        _WHEN,
        _SESSION_ID,
        Column("agent"),
        Column("name", widest=24, since=120, is_flexible=True),
        Column("asked", is_flexible=True),
        Column("status"),
        Column("entries", since=90),
        Column("took", since=100, is_number=True),
        Column("cost", is_number=True),
    ),
    _agent,
)
_FILES = _List(
    "files",
    FILES,
    (
        _WHEN,
        _SESSION_ID,
        Column("done"),
        Column("path", is_flexible=True, is_path=True),
        Column("lines", since=90),
        Column("tool", since=110),
        Column("entry", since=100),
    ),
    _file,
)
