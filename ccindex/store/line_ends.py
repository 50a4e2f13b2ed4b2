"""Read the ends of lines and the entries appended to them, and extend lines by these entries."""

import json
import sqlite3
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ccindex.store.rows import insert_into, insert_rows
from ccindex.store.sql_files import load

_MAX_OTHERS = 1_000  # entries of other threads that are later than the end of a line


class DerivedSession(NamedTuple):
    """A session as it was last derived."""

    session: int
    family: int
    has_entries: int
    has_first_prompt: int
    first_prompt_text: str | None


class AppendedEntry(NamedTuple):
    """A changed entry with the columns that decide whether it only extends a line.

    `has_effects`: other derived rows can change too.
    """

    entry: int
    session: int
    timestamp_ms: int
    source: int
    generation: int
    agent_id: str | None  # of the thread; None: the trunk thread; empty: an agent without an id
    parent: int | None
    child_count: int  # of recorded children, at most 2
    is_prompt: int
    is_typed: int  # and no command
    is_person_text: int
    model: str | None  # None: no model, or a synthetic entry
    has_response: int  # it is part of a response that histories are compared by
    has_effects: int


class LineEnd(NamedTuple):
    """The last entry of a line, which has no children other than new entries."""

    entry: int
    thread: int
    session: int
    agent_id: str | None
    line: int
    position: int
    is_branch: int
    source: int
    generation: int
    has_first_prompt: int  # 0: the thread of an agent without a first prompt


def load_sessions(connection: sqlite3.Connection, sessions: Iterable[int]) -> list[DerivedSession]:
    """Return the given sessions as they were last derived."""
    rows = connection.execute(load("derive/changed_sessions"), {"sessions": json.dumps(list(sessions))})
    return list(map(DerivedSession._make, rows))


def sessions_with_record_effects(
    connection: sqlite3.Connection, first_occurrence: int, entries: Iterable[int]
) -> set[int]:
    """Return the sessions whose derived rows can change because of new records or of records about the entries."""
    params = {"first": first_occurrence, "entries": json.dumps(list(entries))}
    rows = connection.execute(load("derive/appended_records"), params)
    return {session for row in rows for session in row if session is not None}


def load_appended(connection: sqlite3.Connection, entries: Iterable[int]) -> list[AppendedEntry]:
    """Return those of the given entries whose session owned entries before, in time order."""
    rows = connection.execute(load("derive/appended_entries"), {"entries": json.dumps(list(entries))})
    return list(map(AppendedEntry._make, rows))


def load_line_end(connection: sqlite3.Connection, entry: int, *, child: int) -> LineEnd | None:
    """Return the end of a line if the given entry is one and no entry except `child` refers to it."""
    row = connection.execute(load("derive/line_end"), {"entry": entry, "child": child}).fetchone()
    return None if row is None else LineEnd._make(row)


def load_tail(connection: sqlite3.Connection, entry: int) -> list[int]:
    """Return the entries from the nearest entry that is not quiet down to the given end of a line.

    The list is empty if the ruling on a fork can depend on these entries.
    """
    rows = connection.execute(load("derive/line_tail"), {"entry": entry}).fetchall()
    return [above for (above,) in reversed(rows)]


def entries_since(connection: sqlite3.Connection, entry: int, *, appended: int) -> list[tuple[int, int | None]]:
    """Return the entries of the entry's session since its timestamp, in time order, each with its stored thread.

    The list is empty if there are too many. `appended`: the number of new entries.
    """
    limit = appended + _MAX_OTHERS
    rows = connection.execute(load("derive/entries_since"), {"entry": entry, "limit": limit}).fetchall()
    return rows if len(rows) < limit else []


def count_roots(connection: sqlite3.Connection, thread: int, *, entry: int) -> int:
    """Return the number of a thread's roots whose history can be recorded again; `entry` is below one of its roots."""
    [(count,)] = connection.execute(load("derive/counted_roots"), {"thread": thread, "entry": entry})
    return int(count)


def affects_queued_words(
    connection: sqlite3.Connection, session: int, *, timestamp_ms: int, has_new_text: bool
) -> bool:
    """Return whether new entries since a timestamp can change the text that was removed from a session's queue.

    `has_new_text`: whether one of them has a text that a person may have written.
    """
    params = {"session": session, "timestamp_ms": timestamp_ms, "has_new_text": has_new_text}
    [(is_affected,)] = connection.execute(load("derive/affected_words"), params)
    return bool(is_affected)


def has_model(connection: sqlite3.Connection, session: int, model: str) -> bool:
    """Return whether a response of the session is known to have the model."""
    find = (
        "select 1 from responses r join messages m on m.entry = r.entry "
        "where r.session = ? and m.model = ? and m.is_wrapped = 0 limit 1"
    )
    return connection.execute(find, (session, model)).fetchone() is not None


def extend_line(
    connection: sqlite3.Connection, end: LineEnd, appended: Sequence[AppendedEntry], *, last_entry: int
) -> None:
    """Place the new entries at the end of a line; `last_entry`: the last entry of the session in time order."""
    parents = [end.entry, *(item.entry for item in appended)]
    rows = [
        (item.entry, end.thread, end.line, position, None, None, parent, None)
        for position, (item, parent) in enumerate(zip(appended, parents, strict=False), end.position + 1)
    ]
    insert_rows(connection, insert_into("placements"), rows)
    tip, count = appended[-1].entry, len(appended)
    grow = "set {} = ?, entry_count = entry_count + ? where {} = ?"
    for table, column, key, value in (
        ("lines", "last_entry", "id", end.line),
        ("paths", "leaf", "line", end.line),
        ("agents", "last_entry", "thread", end.thread),
    ):
        connection.execute(f"update {table} " + grow.format(column, key), (tip, count, value))
    connection.execute("update sessions " + grow.format("last_entry", "session"), (last_entry, count, end.session))
