"""Rows of queue operations, and of queued words that no entry contains."""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

from ccindex.store.rows import Row, insert_into, select_columns
from ccindex.store.sql_files import load

QueuedText = tuple[int, str]  # the occurrence of the operation that queued a text, and the text


class RecordedOperation(NamedTuple):
    """A queue operation; `content` is a JSON value, (path, generation, offset) its position."""

    occurrence: int
    operation: str
    at: int
    content: Any
    is_current: int  # 0: only an earlier generation of the file holds it
    path: str
    generation: int
    offset: int


def recorded_operations(
    connection: sqlite3.Connection, sessions: Sequence[int]
) -> Iterator[tuple[int, list[RecordedOperation]]]:
    """Give those of some sessions in which a text was removed from the queue, with their operations."""
    rows = connection.execute(load("derive/queue_operations"), {"sessions": json.dumps(sessions)}).fetchall()
    removing = {session for session, _, operation, *_ in rows if operation in ("remove", "popAll")}
    for session, same in groupby((row for row in rows if row[0] in removing), key=itemgetter(0)):
        yield session, [_operation(row) for row in same]


def _operation(row: Row) -> RecordedOperation:
    _, occurrence, operation, at, payload, *place = row
    try:
        content = json.loads(payload).get("content")  # json_extract ends a text at a NUL
    except (ValueError, RecursionError):  # nested too deep to be text
        content = None
    return RecordedOperation(occurrence, operation, at, content, *place)


def person_texts(connection: sqlite3.Connection, session: int) -> list[Row]:
    """Return the prompts and queued commands of a session: text, instant, whether it is a prompt."""
    rows = connection.execute(load("derive/person_texts"), {"session": session}).fetchall()
    return [row for row in rows if row[0]]


def source_paths(connection: sqlite3.Connection, sources: Iterable[int]) -> dict[int, str]:
    """Return the paths of some sources."""
    find = "select s.id, s.path from json_each(?) j cross join sources s on s.id = j.value"
    return dict(connection.execute(find, (json.dumps(sorted(sources)),)).fetchall())


def replace_queued_words(
    connection: sqlite3.Connection, sessions: Sequence[int], rows: Iterable[Row]
) -> tuple[list[QueuedText], list[QueuedText]]:
    """Make these the rows of some sessions; return the texts that were removed and those added."""
    find = (
        f"select {select_columns('queued_words')} "  # noqa: S608
        "from json_each(?) j cross join queued_words x on x.session = j.value"
    )
    before, after = set(connection.execute(find, (json.dumps(sessions),))), set(rows)
    connection.executemany("delete from queued_words where occurrence = ?", [row[:1] for row in before - after])
    connection.executemany(insert_into("queued_words"), sorted(after - before))
    old, new = ({(row[0], row[3]) for row in same} for same in (before, after))
    return sorted(old - new), sorted(new - old)
