"""What sessions come to: the facts it is counted from, and the rows that hold it."""

import sqlite3
from collections.abc import Iterable

from ccindex.model.usage import Called, Used

from .sqlfiles import load
from .temporary import fill

_INSERT_USED = "insert into usage values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_INSERT_CALLED = "insert into tool_usage values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"


def stale_sessions(connection: sqlite3.Connection) -> set[int]:
    """The sessions that `stale_families` found changed."""
    return {session for (session,) in connection.execute("select session from temp.stale")}


def sessions_of_changed(connection: sqlite3.Connection) -> set[int]:
    """The sessions of the entries in temp.changed."""
    return {session for (session,) in connection.execute(load("derive/stale_sessions"))}


def all_sessions(connection: sqlite3.Connection) -> list[int]:
    """Every session that objects claim, and those that were counted."""
    rows = connection.execute(
        "select id from session_ids union select session from usage union select session from tool_usage"
    )
    return [session for (session,) in rows]


def choose(connection: sqlite3.Connection, sessions: Iterable[int]) -> None:
    """Let temp.counted hold these sessions, which all else here is about."""
    fill(connection, "counted", sessions)


def entries(connection: sqlite3.Connection) -> sqlite3.Cursor:
    """Give session, instant, agent and model of their entries, by time."""
    return connection.execute(load("derive/counted_entries"))


def responses(connection: sqlite3.Connection) -> sqlite3.Cursor:
    """Give their responses with what they took."""
    return connection.execute(load("derive/counted_responses"))


def calls(connection: sqlite3.Connection) -> sqlite3.Cursor:
    """Give their calls of tools and how they went."""
    return connection.execute(load("derive/counted_calls"))


def replace_usage(connection: sqlite3.Connection, used: Iterable[Used], called: Iterable[Called]) -> None:
    """Let these be the rows of the sessions."""
    connection.execute("delete from usage where session in (select session from temp.counted)")
    connection.executemany(_INSERT_USED, (_listed(row) for row in used))
    connection.execute("delete from tool_usage where session in (select session from temp.counted)")
    connection.executemany(_INSERT_CALLED, (_listed(row) for row in called))


def update_sessions(connection: sqlite3.Connection) -> None:
    """Write where and when they were."""
    connection.execute(load("derive/session_spans"))
    connection.execute(load("derive/session_moves"))


def numbers(listed: bytes | None) -> list[int]:
    """Read what `_listed` wrote; NULL: there are none."""
    return list(map(int, listed.split(b","))) if listed else []


def _listed(row: Used | Called) -> tuple[object, ...]:
    """A row with its numbers, of which there may be many, in one text."""
    return tuple(",".join(map(str, value)) if isinstance(value, (list, tuple)) else value for value in row)
