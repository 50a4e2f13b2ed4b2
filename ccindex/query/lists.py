"""Filters to the rows of a view that match, newest first, with all columns of the view."""

import re
import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """Conditions on rows; None: any. Instants are UTC milliseconds, from `since` on and before `until`.

    `project` is a part of the session's project, `model` a part of a model's name, `tool` a tool's name in which
    * stands for anything; the case of ASCII letters does not matter.
    """

    project: str | None = None
    session_id: str | None = None
    model: str | None = None
    tool: str | None = None
    since: int | None = None
    until: int | None = None
    limit: int | None = None

    def values(self) -> dict[str, Any]:
        """Return the values that queries bind, `tool` as a pattern for SQLite's glob."""
        typed = {"project": self.project, "model": self.model, "tool": self.tool and glob_pattern(self.tool)}
        return asdict(self) | {name: text and storable(text) for name, text in typed.items()}


def storable(typed: str) -> str:
    """Return what was typed as SQLite can store it: bytes that are not UTF-8 as escapes, as ids have them."""
    return typed.encode("utf-8", "backslashreplace").decode()


def glob_pattern(text: str) -> str:
    """Return a pattern for SQLite's glob in which * is the only wildcard."""
    return re.sub(r"[\[?]", r"[\g<0>]", text)


Row = dict[str, Any]

_OF_PROJECT = "session_id in (select session_id from v1_sessions where instr(lower(project), lower(:project)) > 0)"
_OF_SESSION = "session_id = :session_id"
_SINCE = "timestamp_ms >= :since"
_UNTIL = "timestamp_ms < :until"
_LASTED_SINCE = "last_timestamp_ms >= :since"
_BEGAN_BEFORE = "first_timestamp_ms < :until"
_OF_MODEL = (
    "(select e.uuid from messages m join entries e on e.id = m.entry where instr(lower(m.model), lower(:model)) > 0)"
)


@dataclass(frozen=True, slots=True)
class Listing:
    """A view, the condition per filter, and the order of its rows."""

    view: str
    conditions: Mapping[str, str]
    order: str


SESSIONS = Listing(
    "v1_sessions",
    {
        "project": "instr(lower(project), lower(:project)) > 0",
        "session_id": _OF_SESSION,
        "model": "session_id in (select session_id from v1_responses where instr(lower(model), lower(:model)) > 0)",
        "tool": "session_id in (select session_id from v1_tool_pairs where lower(name) glob lower(:tool))",
        "since": _LASTED_SINCE,
        "until": _BEGAN_BEFORE,
    },
    "last_timestamp_ms desc, session_id",
)
TOOLS = Listing(
    "v1_tool_pairs",
    {
        "project": _OF_PROJECT,
        "session_id": _OF_SESSION,
        "model": f"use_uuid in {_OF_MODEL}",
        "tool": "lower(name) glob lower(:tool)",
        "since": _SINCE,
        "until": _UNTIL,
    },
    "timestamp_ms desc, tool_use_id, session_id",
)
AGENTS = Listing(
    "v1_agents",
    {
        "project": _OF_PROJECT,
        "session_id": _OF_SESSION,
        "model": "(session_id, agent_id) in "
        "(select session_id, agent_id from v1_responses where instr(lower(model), lower(:model)) > 0)",
        "tool": "(session_id, agent_id) in "
        "(select session_id, agent_id from v1_tool_pairs where lower(name) glob lower(:tool))",
        "since": _LASTED_SINCE,
        "until": _BEGAN_BEFORE,
    },
    "last_timestamp_ms desc, session_id, agent_id",
)
FILES = Listing(
    "v1_file_touches",
    {
        "project": _OF_PROJECT,
        "session_id": _OF_SESSION,
        "model": f"uuid in {_OF_MODEL}",
        "tool": "lower(tool_name) glob lower(:tool)",
        "since": _SINCE,
        "until": _UNTIL,
        "path": "lower(path) glob lower(:path)",
        "operation": "operation = :operation",
    },
    "timestamp_ms desc, tool_use_id, path, uuid",
)


def columns_of(connection: sqlite3.Connection, listing: Listing) -> list[str]:
    """Return the columns of the listing's view, in order."""
    cursor = connection.execute(f"select * from {listing.view} limit 0")  # noqa: S608 - a constant of ours
    return [column[0] for column in cursor.description]


def list_rows(
    connection: sqlite3.Connection, listing: Listing, filters: Filters, more: Mapping[str, str | None] | None = None
) -> Iterator[Row]:
    """Yield the rows in order; `more` has values for conditions that only this listing has."""
    values = filters.values() | dict(more or {})
    if values.get("path") is not None:
        values["path"] = glob_pattern(storable(values["path"]))
    wanted = [text for name, text in listing.conditions.items() if values.get(name) is not None]
    query = [f"select * from {listing.view}"]  # noqa: S608 - a constant of ours; values are bound
    query += ["where " + " and ".join(wanted)] if wanted else []
    query += [f"order by {listing.order}", "limit coalesce(:limit, -1)"]
    cursor = connection.execute("\n".join(query), values)
    columns = [column[0] for column in cursor.description]
    for row in cursor:
        yield dict(zip(columns, row, strict=True))
