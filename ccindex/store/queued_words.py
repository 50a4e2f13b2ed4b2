"""Recorded queue operations, and rows of queued words that no entry contains."""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

from ccindex.store.rows import Row
from ccindex.store.sql_files import load

_COLUMNS = "occurrence, session, entry, text, timestamp_ms, removed_by, removed_at, is_before"
_ADD = f"insert into queued_words ({_COLUMNS}) values (?, ?, ?, ?, ?, ?, ?, ?)"  # noqa: S608


class Recorded(NamedTuple):
    """A queue operation; `content` is a JSON value, (path, generation, offset) its place."""

    occurrence: int
    operation: str
    at: int
    content: Any
    is_current: int  # 0: only an earlier generation of the file holds it
    path: str
    generation: int
    offset: int


QueuedText = tuple[int, str]  # occurrence and text


class Replaced(NamedTuple):
    """The words that are no longer in the table, and those that are new: occurrence and text."""

    gone: list[QueuedText]
    come: list[QueuedText]


def recorded_operations(connection: sqlite3.Connection) -> Iterator[tuple[int, list[Recorded]]]:
    """Give by session, if anything was removed there, the operations of the sessions in temp.family, by time."""
    rows = connection.execute(load("derive/queue_operations")).fetchall()
    removing = {session for session, _, operation, *_ in rows if operation in ("remove", "popAll")}
    for session, same in groupby((row for row in rows if row[0] in removing), key=itemgetter(0)):
        yield session, [_operation(row) for row in same]


def _operation(row: Row) -> Recorded:
    _, occurrence, operation, at, payload, *place = row
    try:
        content = json.loads(payload).get("content")  # SQLite's functions cut a text at a NUL
    except (ValueError, RecursionError):  # nested too deep to be words
        content = None
    return Recorded(occurrence, operation, at, content, *place)


def person_texts(connection: sqlite3.Connection, session: int) -> list[Row]:
    """Return text, instant and whether it is a prompt, of all that may hold queued words."""
    rows = connection.execute(load("derive/person_texts"), {"session": session}).fetchall()
    return [row for row in rows if row[0]]


def source_paths(connection: sqlite3.Connection, sources: Iterable[int]) -> dict[int, str]:
    """Return the paths of some sources."""
    find = "select s.id, s.path from json_each(?) j cross join sources s on s.id = j.value"
    return dict(connection.execute(find, (json.dumps(sorted(sources)),)).fetchall())


def replace_queued_words(connection: sqlite3.Connection, sessions: Sequence[int], rows: Iterable[Row]) -> Replaced:
    """Make these the rows of some sessions."""
    find = (
        f"select {', '.join(f'x.{name}' for name in _COLUMNS.split(', '))} "  # noqa: S608
        "from json_each(?) j cross join queued_words x on x.session = j.value"
    )
    before, after = set(connection.execute(find, (json.dumps(list(sessions)),))), set(rows)
    connection.executemany("delete from queued_words where occurrence = ?", [row[:1] for row in before - after])
    connection.executemany(_ADD, sorted(after - before))
    old, new = ({(row[0], row[3]) for row in same} for same in (before, after))
    return Replaced(sorted(old - new), sorted(new - old))
