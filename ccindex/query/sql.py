"""A user's read-only query to its rows, and the views to their documentation."""

import re
import sqlite3
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from ccindex.errors import AnswerTooLarge, BadQuery, QueryTooSlow
from ccindex.store.sql_files import load, names

_DENIED = frozenset({sqlite3.SQLITE_ATTACH, sqlite3.SQLITE_DETACH})
# pragmas whose argument names what to report on; of others the argument is a setting
_REPORTS = frozenset(
    "foreign_key_check foreign_key_list index_info index_list index_xinfo integrity_check quick_check "
    "table_info table_list table_xinfo".split()
)
_MAX_VALUE_BYTES = 1 << 27  # more than any value of a transcript has
_MAX_HEAP_BYTES = 1 << 29  # that SQLite may allocate in this process
_MAX_ANSWER_BYTES = 1 << 28  # of an answer that is held in memory as a whole
_STEPS_PER_CHECK = 100_000  # instructions of SQLite's machine between two checks of the clock: a few milliseconds


def run_query(
    connection: sqlite3.Connection,
    query: str,
    values: Mapping[str, str | float] | None = None,
    *,
    seconds: float | None = None,
) -> tuple[list[str], Iterator[tuple[Any, ...]]]:
    """Run one statement for at most so many seconds; its errors are reported as errors of the user."""
    connection.set_authorizer(None)  # of a query before this one
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MAX_VALUE_BYTES)
    connection.execute(f"pragma hard_heap_limit = {_MAX_HEAP_BYTES}")
    connection.set_authorizer(_authorize)
    watch = _Watch(seconds)
    connection.set_progress_handler(watch.is_over, _STEPS_PER_CHECK)
    try:
        cursor = connection.execute(query, values or {})
    except (sqlite3.Error, sqlite3.Warning, ValueError, MemoryError) as error:
        raise watch.ours(error) from error
    if cursor.description is None:
        raise BadQuery("it returns no rows; only queries can be run")
    return [column[0] for column in cursor.description], _rows(cursor, watch.ours)


def bounded_rows(rows: Iterator[tuple[Any, ...]]) -> Iterator[tuple[Any, ...]]:
    """Yield rows for a caller that keeps them all, up to a total size."""
    taken = 0
    for row in rows:
        taken += sys.getsizeof(row) + sum(map(sys.getsizeof, row))
        if taken > _MAX_ANSWER_BYTES:
            raise AnswerTooLarge(_MAX_ANSWER_BYTES)
        yield row


class _Watch:
    """A progress handler: it ends a query in time, and lets Python handle Ctrl-C meanwhile."""

    def __init__(self, seconds: float | None) -> None:
        self._seconds = seconds
        self._end = None if seconds is None else time.monotonic() + seconds

    def is_over(self) -> bool:
        """Whether the time is up, in which case SQLite interrupts the query."""
        return self._end is not None and time.monotonic() > self._end

    def ours(self, error: Exception) -> BaseException:
        """Return an error of SQLite as ours: an interrupt comes from the time limit or from Ctrl-C."""
        if getattr(error, "sqlite_errorcode", 0) != sqlite3.SQLITE_INTERRUPT:
            return BadQuery("it needs too much memory" if isinstance(error, MemoryError) else error)
        return QueryTooSlow(self._seconds) if self._seconds is not None and self.is_over() else KeyboardInterrupt()


def _rows(cursor: sqlite3.Cursor, ours: Callable[[Exception], BaseException]) -> Iterator[tuple[Any, ...]]:
    try:
        for row in cursor:  # noqa: UP028 - `yield from` would close the cursor of a closed connection
            yield row
    except (sqlite3.Error, MemoryError) as error:
        raise ours(error) from error


def _authorize(action: int, name: str | None, argument: str | None, *_: object) -> int:
    # the connection is read-only, but attaching another file could create it
    is_setting = action == sqlite3.SQLITE_PRAGMA and argument is not None and (name or "").lower() not in _REPORTS
    return sqlite3.SQLITE_DENY if action in _DENIED or is_setting else sqlite3.SQLITE_OK


# the name of a column and the remark on it: `end as kind, -- session, agent`
_REMARK = re.compile(r"(\w+),? -- (.+)$")


class View(NamedTuple):
    """A view, its sentence, and its columns with their remarks, which may be empty."""

    name: str
    sentence: str
    columns: dict[str, str]


def views(connection: sqlite3.Connection) -> list[View]:
    """Return every view by name; every remark must be on an existing column."""
    return [_view(connection, name) for name in names("views")]


def _view(connection: sqlite3.Connection, name: str) -> View:
    lines = load(f"views/{name}").splitlines()
    start = next(number for number, line in enumerate(lines) if not line.startswith(("create view", "--")))
    end = next(number for number, line in enumerate(lines) if line.startswith("from "))
    sentence = " ".join(line.removeprefix("--").strip() for line in lines[:start] if line.startswith("--"))
    columns = dict.fromkeys((str(row[1]) for row in connection.execute(f"pragma table_info({name})")), "")
    for line in lines[start:end]:
        found = _REMARK.search(line) if " -- " in line else None
        if " -- " in line:
            assert found is not None, f"{name}: {line.strip()!r} is on no column"
            assert found[1] in columns, f"{name}: {line.strip()!r} is on no column"
            columns[found[1]] = found[2]
    return View(name, sentence, columns)
