"""`ccindex sessions`, `tools`, `agents`, `files`: rows of their views, the latest first."""

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Annotated, Any

import typer

from ccindex.cli.options import Asked, Csv, Db, Json, Limit, Raw, filters_of, limit_of, takes_filters
from ccindex.cli.output import complain, opened, remark, show_csv, show_json_list
from ccindex.cli.tables import Column, moment, show_table
from ccindex.query.lists import AGENTS, FILES, SESSIONS, TOOLS, Listing, Row, columns_of, listed
from ccindex.query.titles import titled
from ccindex.render.phrases import asked as asked_for
from ccindex.render.text import dollars, duration, preview, project_name, short, short_agent

_PREVIEW = 160  # characters of a title, a prompt or a command


@dataclass(frozen=True, slots=True)
class _List:
    """A listing with its name in JSON, and how a person sees its rows."""

    name: str
    listing: Listing
    columns: Sequence[Column]
    cells: Callable[[sqlite3.Connection, Row], Sequence[Any]]


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
    asked: Asked,
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
    _show(_SESSIONS, asked, limit, raw=raw, db=db, json=json, csv=csv)


@takes_filters
def tools(
    *,
    asked: Asked,
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
    _show(_TOOLS, asked, limit, raw=raw, db=db, json=json, csv=csv)


@takes_filters
def agents(
    *,
    asked: Asked,
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
    _show(_AGENTS, asked, limit, raw=raw, db=db, json=json, csv=csv)


@takes_filters
def files(
    path: Annotated[
        str | None,
        typer.Argument(help="Files whose path holds this; * stands for anything.", show_default=False),
    ] = None,
    *,
    operation: Annotated[Operation | None, typer.Option(help="What was done.", show_default=False)] = None,
    asked: Asked,
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
    _show(_FILES, asked, limit, more, raw=raw, db=db, json=json, csv=csv)


def _show(
    form: _List,
    asked: Asked,
    limit: int | None,
    more: Mapping[str, str | None] | None = None,
    *,
    raw: bool,
    db: str | None,
    json: bool,
    csv: bool,
) -> None:
    with opened(db, exact=json or csv or raw) as connection:
        most = limit_of(limit, is_table=not (json or csv))
        filters = filters_of(connection, asked, limit=most)
        if json:
            show_json_list({}, form.name, listed(connection, form.listing, filters, more))
            return
        if csv:
            columns = columns_of(connection, form.listing)
            show_csv(columns, (list(row.values()) for row in listed(connection, form.listing, filters, more)))
            return
        further = replace(filters, limit=None if most is None else most + 1)
        rows = list(listed(connection, form.listing, further, more))
        if rows:
            show_table(form.columns, [form.cells(connection, row) for row in rows[:most]], raw=raw)
        else:
            remark("nothing found")
        if limit is None and most is not None and len(rows) > most:
            complain(f"only the latest {most} are shown; --limit 0 shows all")


def _session(connection: sqlite3.Connection, row: Row) -> Sequence[Any]:
    title = titled(connection, row["session_id"], row["title"], row["first_prompt"])
    mark = "" if row["relation"] == "root" else f"↳ {short(row['parent_session_id'])} "
    return [
        moment(row["last_timestamp_ms"]),
        short(row["session_id"]),
        project_name(row["project"]),
        mark + preview(title, _PREVIEW),
        row["entry_count"],
        row["branch_count"] or None,
        row["agent_count"] or None,
        row["compaction_count"] or None,
        dollars(row["est_cost_usd"]),
    ]


def _tool(_connection: sqlite3.Connection, row: Row) -> Sequence[Any]:
    return [
        moment(row["timestamp_ms"]),
        short(row["session_id"]),
        row["name"] or "?",
        asked_for(row["input"]),
        _outcome(row),
        duration(row["duration_ms"]),
        short_agent(row["agent_id"]),
        short(row["use_uuid"] or row["result_uuid"]),
    ]


def _outcome(row: Row) -> str:
    if row["status"] != "paired":
        return "pending" if row["status"] == "pending" else "no call"
    if row["result_form"]:
        return "refused" if row["result_form"] == "rejection" else "interrupted"
    return "error" if row["is_error"] else "ok"


def _agent(_connection: sqlite3.Connection, row: Row) -> Sequence[Any]:
    return [
        moment(row["last_timestamp_ms"]),
        short(row["session_id"]),
        short_agent(row["agent_id"]),
        row["name"],
        preview(row["description"] or row["prompt"] or "", _PREVIEW),
        row["status"],
        row["entry_count"],
        duration(row["duration_ms"]),
        dollars(row["est_cost_usd"]),
    ]


def _file(_connection: sqlite3.Connection, row: Row) -> Sequence[Any]:
    marks = ("error" if row["is_error"] else "", "" if row["on_active_path"] else "abandoned")
    changed = [f"{sign}{row[name]}" for sign, name in (("+", "lines_added"), ("-", "lines_removed")) if row[name]]
    return [
        moment(row["timestamp_ms"]),
        short(row["session_id"]),
        ", ".join(filter(None, (row["operation"], *marks))),
        _within(row["path"], row["cwd"]),
        " ".join(changed),
        row["tool_name"],
        short(row["uuid"]),
    ]


def _within(path: str, folder: str | None) -> str:
    """A path as seen from the folder that was worked in."""
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
