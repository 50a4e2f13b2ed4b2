"""Changes to the families that must be derived again; links between sessions unite families."""

import json
import sqlite3
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ccindex.store.entry_writer import Changes
from ccindex.store.sql_files import load

_BATCH_OBJECTS = 20_000  # enough to make up for the statements per batch, few enough for memory
_CACHE_BYTES = 512  # per object
_MAX_CACHE_BYTES = 512 << 20

_ADD_SESSION = (
    "insert or ignore into sessions (session, family, relation, entry_count, line_count, branch_count, agent_count, "
    "compaction_count) values (?1, ?1, 'root', 0, 0, 0, 0, 0)"
)


class StaleFamilies(NamedTuple):
    """Families to derive again, and the sessions in them that changed."""

    families: list[int]
    sessions: set[int]


def stale_families(connection: sqlite3.Connection, changes: Changes) -> StaleFamilies:
    """Unite families along the links of what changed; return those that the changes belong to.

    Families only grow: one with more sessions than necessary has the same derived rows.
    """
    find = "select id from entries where uuid = ? and occurrence is not null"
    named = [row[0] for leaf in changes.leaves for row in connection.execute(find, (leaf,))]
    entries, documents = json.dumps([*changes.entries, *named]), json.dumps(list(changes.sidecars))
    given = {"entries": entries, "documents": documents}
    sessions = changes.sessions.union(row[0] for row in connection.execute(load("derive/stale_sessions"), given))
    given["sessions"] = json.dumps(list(sessions))
    connection.executemany(_ADD_SESSION, ((session,) for session in sessions))
    pairs = connection.execute(load("derive/linked_sessions"), given).fetchall()
    pairs += connection.execute(load("derive/called_sessions"), given)
    pairs += connection.execute(load("derive/named_sessions"), given)
    if pairs:
        _unite(connection, pairs)
    families = connection.execute(
        "select distinct s.family from json_each(:sessions) j cross join sessions s on s.session = j.value order by 1",
        given,
    )
    return StaleFamilies([family for (family,) in families], sessions)


def all_families(connection: sqlite3.Connection) -> list[int]:
    """Unite families along all links; return all families."""
    sessions = connection.execute(
        "select session from occurrences where entry is not null union select session from threads"
    )
    connection.executemany(_ADD_SESSION, sessions.fetchall())
    pairs = connection.execute(load("derive/all_linked_sessions")).fetchall()
    pairs += connection.execute(load("derive/all_called_sessions"))
    pairs += connection.execute(load("derive/all_named_sessions"))
    _unite(connection, pairs)
    return [family for (family,) in connection.execute("select distinct family from sessions order by family")]


def family_batches(connection: sqlite3.Connection, families: Sequence[int]) -> Iterator[list[int]]:
    """Group small families, to be derived together, and fit SQLite's page cache to the group.

    The rows of a group are read in no particular order: with a small cache the cost per entry grows with its size.
    """
    sizes = connection.execute(load("derive/sizes"), {"families": json.dumps(families)}).fetchall()
    (cache_size,) = connection.execute("pragma cache_size").fetchone()
    start = 0
    while start < len(sizes):
        end, objects = start + 1, sizes[start][1]
        while end < len(sizes) and objects + sizes[end][1] <= _BATCH_OBJECTS:
            objects += sizes[end][1]
            end += 1
        kibibytes = min(objects * _CACHE_BYTES, _MAX_CACHE_BYTES) // 1024
        connection.execute(f"pragma cache_size = {min(cache_size, -kibibytes)}")  # negative: in KiB
        try:
            yield [family for family, _ in sizes[start:end]]
        finally:
            connection.execute(f"pragma cache_size = {cache_size}")
        start = end


def _unite(connection: sqlite3.Connection, pairs: Sequence[tuple[int, int]]) -> None:
    """Put both sessions of every pair into one family, the one with the least number; update every session once."""
    sessions = {session for pair in pairs for session in pair}
    connection.executemany(_ADD_SESSION, ((session,) for session in sessions))
    find = "select family from sessions where session = ?"
    family_of = {session: connection.execute(find, (session,)).fetchone()[0] for session in sessions}
    united = {family: family for family in family_of.values()}
    for session, other in pairs:
        one, two = _least(united, family_of[session]), _least(united, family_of[other])
        united[max(one, two)] = min(one, two)
    changed = [(_least(united, family), family) for family, above in united.items() if family != above]
    connection.executemany("update sessions set family = ? where family = ?", changed)


def _least(united: dict[int, int], family: int) -> int:
    """Return the family that one was united with in the end, and shorten the way to it."""
    while united[family] != family:
        united[family] = united[united[family]]
        family = united[family]
    return family
