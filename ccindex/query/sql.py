"""Run a user's read-only query, and read the views' documentation from their SQL files."""

import re
import sqlite3
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from ccindex.errors import BadQuery, QueryTooSlow, ResultTooLarge
from ccindex.store.sql_files import load, names

# even on a read-only connection, attaching a file can create it
_DENIED = frozenset({sqlite3.SQLITE_ATTACH, sqlite3.SQLITE_DETACH})
# pragmas whose argument is a table or an index; the argument of any other pragma changes a setting
_REPORTING_PRAGMAS = frozenset(
    "foreign_key_check foreign_key_list index_info index_list index_xinfo integrity_check quick_check "
    "table_info table_list table_xinfo".split()
)
_MAX_VALUE_BYTES = 1 << 27  # larger than any value in a transcript
_MAX_HEAP_BYTES = 1 << 29  # maximum that SQLite may allocate in this process
_MAX_ANSWER_BYTES = 1 << 28  # maximum size of a result that is kept in memory
_INSTRUCTIONS_PER_CHECK = 100_000  # SQLite instructions between two checks of the clock: a few milliseconds


def run_query(
    connection: sqlite3.Connection,
    query: str,
    values: Mapping[str, str | float] | None = None,
    *,
    seconds: float | None = None,
) -> tuple[list[str], Iterator[tuple[Any, ...]]]:
    """Run one statement for at most `seconds` and return its columns and rows; raise BadQuery if it has errors."""
    connection.set_authorizer(None)  # removes the previous query's authorizer
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MAX_VALUE_BYTES)
    connection.execute(f"pragma hard_heap_limit = {_MAX_HEAP_BYTES}")
    connection.set_authorizer(_authorize)
    deadline = _Deadline(seconds)
    connection.set_progress_handler(deadline.is_over, _INSTRUCTIONS_PER_CHECK)
    try:
        cursor = connection.execute(query, values or {})
    except (sqlite3.Error, sqlite3.Warning, ValueError, MemoryError) as error:
        raise deadline.translate(error) from error
    if cursor.description is None:
        raise BadQuery("it has no result", "specify a statement that returns rows")
    return [column[0] for column in cursor.description], _rows(cursor, deadline.translate)


def bounded_rows(rows: Iterator[tuple[Any, ...]]) -> Iterator[tuple[Any, ...]]:
    """Yield rows for a caller that keeps all of them in memory. Raise ResultTooLarge if they become too large."""
    total = 0
    for row in rows:
        total += sys.getsizeof(row) + sum(map(sys.getsizeof, row))
        if total > _MAX_ANSWER_BYTES:
            raise ResultTooLarge(_MAX_ANSWER_BYTES)
        yield row


class _Deadline:
    """A progress handler that ends a query at a deadline, and lets Python handle Ctrl-C while the query is running."""

    def __init__(self, seconds: float | None) -> None:
        self._seconds = seconds
        self._end = None if seconds is None else time.monotonic() + seconds

    def is_over(self) -> bool:
        """Whether the deadline has passed, in which case SQLite interrupts the query."""
        return self._end is not None and time.monotonic() > self._end

    def translate(self, error: Exception) -> BaseException:
        """Translate an error from SQLite; an interrupt comes from the time limit or from Ctrl-C."""
        if getattr(error, "sqlite_errorcode", 0) != sqlite3.SQLITE_INTERRUPT:
            return _bad_query(error)
        return QueryTooSlow(self._seconds) if self._seconds is not None and self.is_over() else KeyboardInterrupt()


def _bad_query(error: Exception) -> BadQuery:
    if isinstance(error, MemoryError):
        return BadQuery("it needs too much memory", _SELECT_LESS)
    return BadQuery(error, _NEXT_STEPS.get(getattr(error, "sqlite_errorcode", 0) & 0xFF, _CHECK_QUERY))


_SELECT_LESS = "select fewer rows or shorter values"
_READ_ONLY = "only queries that read the index are allowed"
_CHECK_QUERY = "check the query and the values of --param"
_NEXT_STEPS = {
    sqlite3.SQLITE_ERROR: "ccindex sql --schema lists the views and their columns",
    sqlite3.SQLITE_AUTH: _READ_ONLY,
    sqlite3.SQLITE_READONLY: _READ_ONLY,
    sqlite3.SQLITE_TOOBIG: _SELECT_LESS,
    sqlite3.SQLITE_NOMEM: _SELECT_LESS,
}


def _rows(cursor: sqlite3.Cursor, translate: Callable[[Exception], BaseException]) -> Iterator[tuple[Any, ...]]:
    try:
        for row in cursor:  # noqa: UP028 - `yield from` would close the cursor of a closed connection
            yield row
    except (sqlite3.Error, MemoryError) as error:
        raise translate(error) from error


def _authorize(action: int, name: str | None, argument: str | None, *_: object) -> int:
    is_setting = (
        action == sqlite3.SQLITE_PRAGMA and argument is not None and (name or "").lower() not in _REPORTING_PRAGMAS
    )
    return sqlite3.SQLITE_DENY if action in _DENIED or is_setting else sqlite3.SQLITE_OK


# a column name and its comment, as in `end as kind, -- session or agent`
_REMARK = re.compile(r"(\w+),? -- (.+)$")


class View(NamedTuple):
    """A view with its description, and its columns with their comments."""

    name: str
    sentence: str
    columns: dict[str, str]


def views(connection: sqlite3.Connection) -> list[View]:
    """Return all views, sorted by name, with the documentation in their SQL files."""
    return [_view(connection, name) for name in names("views")]


def _view(connection: sqlite3.Connection, name: str) -> View:
    lines = load(f"views/{name}").splitlines()
    start = next(number for number, line in enumerate(lines) if not line.startswith(("create view", "--")))
    end = next(number for number, line in enumerate(lines) if line.startswith("from "))
    sentence = " ".join(line.removeprefix("--").strip() for line in lines[:start] if line.startswith("--"))
    columns = dict.fromkeys((str(row[1]) for row in connection.execute(f"pragma table_info({name})")), "")
    for line in lines[start:end]:
        match = _REMARK.search(line) if " -- " in line else None
        if " -- " in line:
            assert match is not None, f"{name}: the comment in {line.strip()!r} does not follow a column"
            assert match[1] in columns, f"{name}: the comment in {line.strip()!r} does not follow a column"
            columns[match[1]] = match[2]
    return View(name, sentence, columns)
