"""The entries of a session and its agents by time or by line, the beginning of what each says, and their links."""

import sqlite3
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ccindex.store.sqlfiles import load

_MOST = 4_000  # characters of a text: more than one line shows of it, and than a secret at its end takes


class Moment(NamedTuple):
    """An entry; `at` is None if no instant was recorded, `line_id` if it was set aside outside its thread's lines."""

    entry: int
    uuid: str
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
    """Give the entries by time, those without an instant last."""
    for moment in _moments(connection, session_id):
        yield moment, _parts(connection, moment)


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
