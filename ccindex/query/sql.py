"""A user's read-only query, and the documentation of the views."""

import re
import sqlite3
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from ccindex.errors import AnswerTooLarge, BadQuery, QueryTooSlow
from ccindex.store.sql_files import load, names

_DENIED = frozenset({sqlite3.SQLITE_ATTACH, sqlite3.SQLITE_DETACH})
# pragmas whose argument only says what is asked about; with any other, it is a setting
_ASKING = frozenset(
    "foreign_key_check foreign_key_list index_info index_list index_xinfo integrity_check quick_check "
    "table_info table_list table_xinfo".split()
)
_LONGEST = 1 << 27  # bytes of one value: more than any transcript's, less than hurts
_HEAP = 1 << 29  # bytes that SQLite may take for one query, in this process
_HELD = 1 << 28  # bytes of an answer that has to be in memory as a whole
_STEPS = 100_000  # of SQLite's machine between two looks at the clock: a few milliseconds


def select(
    connection: sqlite3.Connection,
    query: str,
    values: Mapping[str, str | float] | None = None,
    *,
    seconds: float | None = None,
) -> tuple[list[str], Iterator[tuple[Any, ...]]]:
    """Run one statement, for so many seconds at most; whatever is wrong with it is the asker's to put right."""
    connection.set_authorizer(None)  # of a query before this one
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST)
    connection.execute(f"pragma hard_heap_limit = {_HEAP}")
    connection.set_authorizer(_authorize)
    watch = _Watch(seconds)
    connection.set_progress_handler(watch.is_over, _STEPS)
    try:
        cursor = connection.execute(query, values or {})
    except (sqlite3.Error, sqlite3.Warning, ValueError, MemoryError) as error:
        raise watch.ours(error) from error
    if cursor.description is None:
        raise BadQuery("it returns no rows; only queries can be run")
    return [column[0] for column in cursor.description], _rows(cursor, watch.ours)


def held(rows: Iterator[tuple[Any, ...]]) -> Iterator[tuple[Any, ...]]:
    """Give rows to somebody who keeps them all, as long as there is room for that."""
    taken = 0
    for row in rows:
        taken += sys.getsizeof(row) + sum(map(sys.getsizeof, row))
        if taken > _HELD:
            raise AnswerTooLarge(_HELD)
        yield row


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
            return BadQuery("it needs too much memory" if isinstance(error, MemoryError) else error)
        return QueryTooSlow(self._seconds) if self._seconds is not None and self.is_over() else KeyboardInterrupt()


def _rows(cursor: sqlite3.Cursor, ours: Callable[[Exception], BaseException]) -> Iterator[tuple[Any, ...]]:
    try:
        for row in cursor:  # noqa: UP028 - `yield from` would close the cursor of a closed connection
            yield row
    except (sqlite3.Error, MemoryError) as error:
        raise ours(error) from error


def _authorize(action: int, name: str | None, argument: str | None, *_: object) -> int:
    # the connection is read-only already, but another file could be attached, and made by that
    is_setting = action == sqlite3.SQLITE_PRAGMA and argument is not None and (name or "").lower() not in _ASKING
    return sqlite3.SQLITE_DENY if action in _DENIED or is_setting else sqlite3.SQLITE_OK


# the name a column has in the view, and what is said of it: `end as kind, -- session, agent`
_REMARK = re.compile(r"(\w+),? -- (.+)$")


class View(NamedTuple):
    """A view, its sentence, and its columns with a remark on each that needs one."""

    name: str
    sentence: str
    columns: dict[str, str]


def views(connection: sqlite3.Connection) -> list[View]:
    """Return every view in order of its name; a remark must be on a column that there is."""
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
