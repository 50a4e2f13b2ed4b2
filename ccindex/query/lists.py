"""List the rows of a view that match filters, newest first, with all columns of the view."""

import re
import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """Conditions on rows; None matches any row.

    `since` (inclusive) and `until` (exclusive) are in milliseconds since the Unix epoch. `project` and `model` match
    part of a name. `tool` is a tool name and can contain the wildcard *. The case of ASCII letters is ignored.
    """

    project: str | None = None
    session_id: str | None = None
    model: str | None = None
    tool: str | None = None
    since: int | None = None
    until: int | None = None
    limit: int | None = None

    def values(self) -> dict[str, Any]:
        """Return the values to bind in queries, with `tool` as a pattern for SQLite's glob."""
        texts = {"project": self.project, "model": self.model, "tool": self.tool and glob_pattern(self.tool)}
        return asdict(self) | {name: text and escape_surrogates(text) for name, text in texts.items()}


def escape_surrogates(text: str) -> str:
    """Escape the bytes of a command-line argument that are not UTF-8, in the same way as in stored ids."""
    return text.encode("utf-8", "backslashreplace").decode()


def glob_pattern(text: str) -> str:
    """Return a pattern for SQLite's glob in which * is the only wildcard."""
    return re.sub(r"[\[?]", r"[\g<0>]", text)


ViewRow = dict[str, Any]  # by column name, so that columns added to a view are included

_IN_PROJECT = "session_id in (select session_id from v1_sessions where instr(lower(project), lower(:project)) > 0)"
_IN_SESSION = "session_id = :session_id"
_SINCE = "timestamp_ms >= :since"
_UNTIL = "timestamp_ms < :until"
_ENDS_SINCE = "last_timestamp_ms >= :since"
_STARTS_BEFORE = "first_timestamp_ms < :until"
_BY_MODEL = (
    "(select e.uuid from messages m join entries e on e.id = m.entry where instr(lower(m.model), lower(:model)) > 0)"
)


@dataclass(frozen=True, slots=True)
class Listing:
    """A view, the condition for every filter, and the order of the rows."""

    view: str
    conditions: Mapping[str, str]
    order: str


SESSIONS = Listing(
    "v1_sessions",
    {
        "project": "instr(lower(project), lower(:project)) > 0",
        "session_id": _IN_SESSION,
        "model": "session_id in (select session_id from v1_responses where instr(lower(model), lower(:model)) > 0)",
        "tool": "session_id in (select session_id from v1_tool_pairs where lower(name) glob lower(:tool))",
        "since": _ENDS_SINCE,
        "until": _STARTS_BEFORE,
    },
    "last_timestamp_ms desc, session_id",
)
TOOLS = Listing(
    "v1_tool_pairs",
    {
        "project": _IN_PROJECT,
        "session_id": _IN_SESSION,
        "model": f"use_uuid in {_BY_MODEL}",
        "tool": "lower(name) glob lower(:tool)",
        "since": _SINCE,
        "until": _UNTIL,
    },
    "timestamp_ms desc, tool_use_id, session_id",
)
AGENTS = Listing(
    "v1_agents",
    {
        "project": _IN_PROJECT,
        "session_id": _IN_SESSION,
        "model": "(session_id, agent_id) in "
        "(select session_id, agent_id from v1_responses where instr(lower(model), lower(:model)) > 0)",
        "tool": "(session_id, agent_id) in "
        "(select session_id, agent_id from v1_tool_pairs where lower(name) glob lower(:tool))",
        "since": _ENDS_SINCE,
        "until": _STARTS_BEFORE,
    },
    "last_timestamp_ms desc, session_id, agent_id",
)
FILES = Listing(
    "v1_file_touches",
    {
        "project": _IN_PROJECT,
        "session_id": _IN_SESSION,
        "model": f"uuid in {_BY_MODEL}",
        "tool": "lower(tool_name) glob lower(:tool)",
        "since": _SINCE,
        "until": _UNTIL,
        "path": "lower(path) glob lower(:path)",
        "operation": "operation = :operation",
    },
    "timestamp_ms desc, tool_use_id, path, uuid",
)


def view_columns(connection: sqlite3.Connection, listing: Listing) -> list[str]:
    """Return the columns of the listing's view, in order."""
    cursor = connection.execute(f"select * from {listing.view} limit 0")  # noqa: S608 - name of a view, not user input
    return [column[0] for column in cursor.description]


def list_rows(
    connection: sqlite3.Connection, listing: Listing, filters: Filters, more: Mapping[str, str | None] | None = None
) -> Iterator[ViewRow]:
    """Yield the rows in order; `more` contains values for conditions that are specific to this listing."""
    values = filters.values() | dict(more or {})
    if values.get("path") is not None:
        values["path"] = glob_pattern(escape_surrogates(values["path"]))
    conditions = [text for name, text in listing.conditions.items() if values.get(name) is not None]
    query = [f"select * from {listing.view}"]  # noqa: S608 - name of a view, not user input
    query += ["where " + " and ".join(conditions)] if conditions else []
    query += [f"order by {listing.order}", "limit coalesce(:limit, -1)"]
    cursor = connection.execute("\n".join(query), values)
    columns = [column[0] for column in cursor.description]
    for row in cursor:
        yield dict(zip(columns, row, strict=True))
