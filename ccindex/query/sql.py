"""A user's query on a connection that cannot write, as column names and rows."""

import sqlite3
from collections.abc import Iterator
from typing import Any

from ccindex.errors import BadQuery

_DENIED = frozenset({sqlite3.SQLITE_ATTACH, sqlite3.SQLITE_DETACH})


def select(connection: sqlite3.Connection, query: str) -> tuple[list[str], Iterator[tuple[Any, ...]]]:
    """Run one statement; whatever is wrong with it is the asker's to put right."""
    connection.set_authorizer(_authorize)
    # gives Python a turn now and then, without which Ctrl-C would wait for the query's end
    connection.set_progress_handler(lambda: 0, 100_000)
    try:
        cursor = connection.execute(query)
    except (sqlite3.Error, sqlite3.Warning, ValueError) as error:
        raise _ours(error) from error
    if cursor.description is None:
        raise BadQuery("it returns no rows; only queries can be run")
    return [column[0] for column in cursor.description], _rows(cursor)


def _rows(cursor: sqlite3.Cursor) -> Iterator[tuple[Any, ...]]:
    try:
        for row in cursor:  # noqa: UP028 - `yield from` would close the cursor of a closed connection
            yield row
    except sqlite3.Error as error:
        raise _ours(error) from error


def _ours(error: Exception) -> BaseException:
    """The handler's interrupt comes back as the driver's error."""
    is_interrupt = getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_INTERRUPT
    return KeyboardInterrupt() if is_interrupt else BadQuery(error)


def _authorize(action: int, *_: object) -> int:
    # the connection is read-only already, but another file could be attached, and made by that
    return sqlite3.SQLITE_DENY if action in _DENIED else sqlite3.SQLITE_OK
