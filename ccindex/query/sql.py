"""A user's query on a connection that cannot write, as column names and rows."""

import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ccindex.errors import BadQuery, QueryTooSlow

_DENIED = frozenset({sqlite3.SQLITE_ATTACH, sqlite3.SQLITE_DETACH})
_STEPS = 100_000  # of SQLite's machine between two looks at the clock: a few milliseconds


def select(
    connection: sqlite3.Connection,
    query: str,
    values: Mapping[str, str | float] | None = None,
    *,
    seconds: float | None = None,
) -> tuple[list[str], Iterator[tuple[Any, ...]]]:
    """Run one statement, for so many seconds at most; whatever is wrong with it is the asker's to put right."""
    connection.set_authorizer(_authorize)
    watch = _Watch(seconds)
    connection.set_progress_handler(watch.is_over, _STEPS)
    try:
        cursor = connection.execute(query, values or {})
    except (sqlite3.Error, sqlite3.Warning, ValueError) as error:
        raise watch.ours(error) from error
    if cursor.description is None:
        raise BadQuery("it returns no rows; only queries can be run")
    return [column[0] for column in cursor.description], _rows(cursor, watch.ours)


class _Watch:
    """Gives Python a turn now and then, without which Ctrl-C would wait for the query's end, and ends it in time."""

    def __init__(self, seconds: float | None) -> None:
        self._seconds = seconds
        self._end = None if seconds is None else time.monotonic() + seconds

    def is_over(self) -> bool:
        """Whether the time is up; SQLite then interrupts the query."""
        return self._end is not None and time.monotonic() > self._end

    def ours(self, error: Exception) -> BaseException:
        """The driver's error as ours: an interrupt is the clock's, or the user's."""
        if getattr(error, "sqlite_errorcode", 0) != sqlite3.SQLITE_INTERRUPT:
            return BadQuery(error)
        return QueryTooSlow(self._seconds) if self._seconds is not None and self.is_over() else KeyboardInterrupt()


def _rows(cursor: sqlite3.Cursor, ours: Callable[[Exception], BaseException]) -> Iterator[tuple[Any, ...]]:
    try:
        for row in cursor:  # noqa: UP028 - `yield from` would close the cursor of a closed connection
            yield row
    except sqlite3.Error as error:
        raise ours(error) from error


def _authorize(action: int, *_: object) -> int:
    # the connection is read-only already, but another file could be attached, and made by that
    return sqlite3.SQLITE_DENY if action in _DENIED else sqlite3.SQLITE_OK
