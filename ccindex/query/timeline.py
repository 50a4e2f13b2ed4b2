"""The entries of a session and its agents by time or by line, the beginning of what each says, and their links."""

import sqlite3
from collections import deque
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ccindex.store.sql_files import load

_MOST = 4_000  # characters of a text: more than one line shows of it, and than a secret at its end takes


class Moment(NamedTuple):
    """An entry; `at` is None if no instant was recorded, `line_id` if it was set aside outside its thread's lines."""

    entry: int
    uuid: str | None  # None: queued words that no entry holds
    at: int | None
    agent_id: str | None
    kind: str
    type: str | None
    subtype: str | None
    set_aside: str | None
    line_id: str | None
    line_kind: str | None
    is_active: int | None
    line: int | None = None


class Part(NamedTuple):
    """The beginning of a content block: of a call all that was asked, of a result the tool that gave it."""

    type: str | None
    text: str | None
    tool: str | None
    input: str | None
    is_error: int | None


class Link(NamedTuple):
    """What an entry of the session hangs on; the parent's kind and session are None if it was never seen."""

    child_uuid: str
    parent_uuid: str
    kind: str
    state: str
    is_aside: int
    is_own: int
    parent_kind: str | None
    parent_session_id: str | None


Noted = tuple[Moment, Sequence[Part]]


def noted_by_time(connection: sqlite3.Connection, session_id: str) -> Iterator[Noted]:
    """Give the entries and the queued words that no entry holds by time, those without an instant last."""
    queued = deque(_queued(connection, session_id))
    for moment in _moments(connection, session_id):
        while queued and (moment.at is None or (queued[0][0].at or 0) < moment.at):
            yield queued.popleft()
        yield moment, _parts(connection, moment)
    yield from queued


def _queued(connection: sqlite3.Connection, session_id: str) -> Iterator[Noted]:
    values = {"session_id": session_id, "most": _MOST}
    for text, *row in connection.execute(load("query/queued_moments"), values):
        yield Moment(*row), [Part("text", text, None, None, None)]


def noted_by_line(connection: sqlite3.Connection, session_id: str) -> Iterator[Noted]:
    """Give the entries line by line, the lines by time of their first entries; those outside any line last."""
    lines: dict[int | None, list[Moment]] = {}  # no texts yet: they come one by one
    for moment in _moments(connection, session_id):
        lines.setdefault(moment.line, []).append(moment)
    outside = lines.pop(None, [])
    for moments in (*lines.values(), outside):
        for moment in moments:
            yield moment, _parts(connection, moment)


def links(connection: sqlite3.Connection, session_id: str) -> Iterator[Link]:
    """Give all that the entries hang on, whether it was ever seen or not."""
    return (Link(*row) for row in connection.execute(load("query/links"), {"session_id": session_id}))


def _moments(connection: sqlite3.Connection, session_id: str) -> Iterator[Moment]:
    return (Moment(*row) for row in connection.execute(load("query/moments"), {"session_id": session_id}))


def _parts(connection: sqlite3.Connection, moment: Moment) -> list[Part]:
    values = {"entry": moment.entry, "most": _MOST}
    return [Part(*row) for row in connection.execute(load("query/parts"), values)]
