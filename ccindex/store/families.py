"""Which sessions hang together, and which of them have to be derived again."""

import sqlite3
from collections.abc import Iterable

from .recorded import Changes
from .sqlfiles import load
from .temporary import fill

_NEW = (
    "insert or ignore into sessions (session, family, relation, entry_count, line_count, branch_count, agent_count, "
    "compaction_count) values (?, ?, 'root', 0, 0, 0, 0, 0)"
)


def stale_families(connection: sqlite3.Connection, changes: Changes) -> list[int]:
    """Unite what new links connect; return the families that what changed belongs to.

    Families only ever grow: one that holds more sessions than need be comes to the same answer.
    """
    fill(connection, "changed", changes.entries)
    fill(connection, "documents", changes.sidecars)
    stale = set(changes.sessions)
    stale.update(_numbers(connection, load("derive/stale_sessions")))
    stale.update(_numbers(connection, load("derive/described_sessions")))
    for leaf in changes.leaves:
        stale.update(_numbers(connection, _SESSION_OF, leaf))
    fill(connection, "stale", stale)
    connection.executemany(_NEW, ((session, session) for session in stale))
    for statement in ("derive/linked_sessions", "derive/called_sessions"):
        _unite(connection, connection.execute(load(statement)).fetchall())
    found = connection.execute("select distinct family from sessions join temp.stale using (session) order by family")
    return [family for (family,) in found]


def everything(connection: sqlite3.Connection) -> Changes:
    """All there is to look at, for when the rules changed."""
    return Changes(
        entries=set(_numbers(connection, "select id from entries where occurrence is not null")),
        sessions=set(_numbers(connection, "select distinct session from occurrences where entry is not null")),
    )


_SESSION_OF = "select o.session from entries e join occurrences o on o.id = e.occurrence where e.uuid = ?"


def _unite(connection: sqlite3.Connection, pairs: Iterable[tuple[int, int]]) -> None:
    for pair in pairs:
        connection.executemany(_NEW, ((session, session) for session in pair))
        find = "select distinct family from sessions where session in (?, ?) order by family"
        families = connection.execute(find, pair).fetchall()
        if len(families) == 2:
            [(kept,), (given_up,)] = families
            connection.execute("update sessions set family = ? where family = ?", (kept, given_up))


def _numbers(connection: sqlite3.Connection, query: str, *values: object) -> list[int]:
    return [number for (number,) in connection.execute(query, values)]
