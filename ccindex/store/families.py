"""Which sessions hang together, and which of them have to be derived again."""

import json
import sqlite3
from collections.abc import Iterator, Sequence

from ccindex.store.source_writer import Changes
from ccindex.store.sql_files import load
from ccindex.store.temporary import fill

_AT_ONCE = 20_000  # objects: enough to make up for the statements of one derivation, few enough to hold
_CACHE_BYTES = 512  # per object
_MAX_CACHE_BYTES = 512 << 20

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
    for leaf in changes.leaves:
        stale.update(_numbers(connection, _SESSION_OF, leaf))
    _find_whose(connection)
    named = connection.execute(load("derive/changed_leaves")).fetchall()
    return _united(connection, stale, changes.leaves.union(leaf for (leaf,) in named))


def all_families(connection: sqlite3.Connection) -> list[int]:
    """Unite whatever is linked; return all families there are."""
    fill(connection, "changed", ())
    connection.execute("insert into temp.changed select id from entries where occurrence is not null")
    fill(connection, "documents", ())
    _find_whose(connection)
    claimed = set(_numbers(connection, "select distinct session from occurrences where entry is not null"))
    named = connection.execute("select distinct leaf from records where leaf is not null")
    return _united(connection, claimed, {leaf for (leaf,) in named})


def in_batches(connection: sqlite3.Connection, families: list[int]) -> Iterator[list[int]]:
    """Group small families, which are derived together; the page cache fits the group that is being derived."""
    batch: list[int] = []
    held = 0
    for family, count in connection.execute(load("derive/sizes"), {"families": json.dumps(families)}).fetchall():
        if batch and held + count > _AT_ONCE:
            yield from _with_cache(connection, batch, held)
            batch, held = [], 0
        batch.append(family)
        held += count
    if batch:
        yield from _with_cache(connection, batch, held)


def _with_cache(connection: sqlite3.Connection, batch: list[int], objects: int) -> Iterator[list[int]]:
    """Give a group while the page cache is large enough for its rows, which are read in no particular order.

    Without it the cost per entry of a family grows with its size. No real family was seen that needs it.
    """
    (before,) = connection.execute("pragma cache_size").fetchone()
    wanted = min(objects * _CACHE_BYTES, _MAX_CACHE_BYTES) // 1024
    connection.execute(f"pragma cache_size = {min(before, -wanted)}")  # below 0: in KiB
    try:
        yield batch
    finally:
        connection.execute(f"pragma cache_size = {before}")


def _find_whose(connection: sqlite3.Connection) -> None:
    """Put the entries in temp.changed into temp.whose, with their sessions."""
    fill(connection, "whose", ())
    connection.execute("insert into temp.whose " + load("derive/whose"))


def _united(connection: sqlite3.Connection, stale: set[int], leaves: set[str]) -> list[int]:
    """Unite families along links of temp.whose, temp.documents and records that name `leaves`.

    Return the families of the stale sessions and of those found.
    """
    stale.update(_numbers(connection, load("derive/stale_sessions")))
    stale.update(_numbers(connection, load("derive/described_sessions")))
    fill(connection, "stale", stale)
    connection.executemany(_NEW, ((session, session) for session in stale))
    fill(connection, "wanted", leaves)
    for statement in ("derive/linked_sessions", "derive/called_sessions", "derive/named_sessions"):
        _unite(connection, connection.execute(load(statement)).fetchall())
    return _numbers(connection, "select distinct family from sessions join temp.stale using (session) order by family")


_SESSION_OF = "select session from owned_entries where uuid = ?"


def _unite(connection: sqlite3.Connection, pairs: Sequence[tuple[int, int]]) -> None:
    """Let the sessions of each pair be of one family, the least of theirs; every session changes at most once."""
    sessions = {session for pair in pairs for session in pair}
    connection.executemany(_NEW, ((session, session) for session in sessions))
    find = "select family from sessions where session = ?"
    family_of = {session: connection.execute(find, (session,)).fetchone()[0] for session in sessions}
    united = {family: family for family in family_of.values()}
    for session, other in pairs:
        one, two = _least(united, family_of[session]), _least(united, family_of[other])
        united[max(one, two)] = min(one, two)
    changed = [(_least(united, family), family) for family, above in united.items() if family != above]
    connection.executemany("update sessions set family = ? where family = ?", changed)


def _least(united: dict[int, int], family: int) -> int:
    """The family that one was united with in the end; what lies between is shortened on the way."""
    while united[family] != family:
        united[family] = united[united[family]]
        family = united[family]
    return family


def _numbers(connection: sqlite3.Connection, query: str, *values: object) -> list[int]:
    return [number for (number,) in connection.execute(query, values)]
