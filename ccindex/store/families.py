"""Group sessions into families, and write the derived rows of a family where they differ from the stored ones."""

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from operator import itemgetter
from typing import NamedTuple

from ccindex.model.derived import SessionGraph
from ccindex.store.entry_writer import Changes
from ccindex.store.rows import Row, insert_blank, insert_into, insert_rows, select_columns, sync_rows
from ccindex.store.sql_files import load

_BATCH_OBJECTS = 20_000  # large enough to amortise statements that run once per batch, small enough to fit in memory
_CACHE_BYTES = 512  # per object
_MAX_CACHE_BYTES = 512 << 20

_ADD_SESSION = insert_blank("sessions", ("session", "family", "relation"), verb="insert or ignore")


class StaleFamilies(NamedTuple):
    """Families to derive again, the changed sessions in them, and the families that others were merged into."""

    families: list[int]
    sessions: set[int]
    merged: set[int]


def stale_families(connection: sqlite3.Connection, changes: Changes) -> StaleFamilies:
    """Merge families that are connected by changed entries or sidecars; return the families that the changes affect.

    Families are never split, because unrelated sessions in a family do not affect each other's derived rows.
    """
    find = "select id from entries where uuid = ? and occurrence is not null"
    named = [row[0] for leaf in changes.leaves for row in connection.execute(find, (leaf,))]
    entries, documents = json.dumps([*changes.entries, *named]), json.dumps(list(changes.sidecars))
    params = {"entries": entries, "documents": documents}
    sessions = changes.sessions.union(row[0] for row in connection.execute(load("derive/stale_sessions"), params))
    params["sessions"] = json.dumps(list(sessions))
    _add_sessions(connection, sessions)
    pairs = connection.execute(load("derive/session_pairs_by_edge"), params).fetchall()
    pairs += connection.execute(load("derive/session_pairs_by_call"), params)
    pairs += connection.execute(load("derive/session_pairs_by_record"), params)
    merged = merge_families(connection, pairs) if pairs else set()
    families = connection.execute(
        "select distinct s.family from json_each(:sessions) j cross join sessions s on s.session = j.value order by 1",
        params,
    )
    return StaleFamilies([family for (family,) in families], sessions, merged)


def all_families(connection: sqlite3.Connection) -> list[int]:
    """Merge all families that are connected by links; return all families."""
    sessions = connection.execute(
        "select session from occurrences where entry is not null union select session from threads"
    )
    _add_sessions(connection, [session for (session,) in sessions])
    pairs = connection.execute(load("derive/all_session_pairs_by_edge")).fetchall()
    pairs += connection.execute(load("derive/all_session_pairs_by_call"))
    pairs += connection.execute(load("derive/all_session_pairs_by_record"))
    merge_families(connection, pairs)
    return [family for (family,) in connection.execute("select distinct family from sessions order by family")]


def family_batches(connection: sqlite3.Connection, families: Sequence[int]) -> Iterator[list[int]]:
    """Yield groups of families to derive together, and adapt the size of SQLite's page cache to each group.

    The rows of a group are read in random order, so a cache that is too small makes large groups slow.
    """
    sizes = connection.execute(load("derive/family_sizes"), {"families": json.dumps(families)}).fetchall()
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


def _add_sessions(connection: sqlite3.Connection, sessions: Iterable[int]) -> None:
    """Add new sessions, each as a family of its own."""
    connection.executemany(_ADD_SESSION, ((session, session, "root") for session in sessions))


def merge_families(connection: sqlite3.Connection, pairs: Sequence[tuple[int, int]]) -> set[int]:
    """For every pair of sessions, merge their families into the one with the lower id; return the merged families."""
    sessions = {session for pair in pairs for session in pair}
    _add_sessions(connection, sessions)
    find = "select family from sessions where session = ?"
    family_of = {session: connection.execute(find, (session,)).fetchone()[0] for session in sessions}
    merged = {family: family for family in family_of.values()}  # a union-find forest
    for session, other in pairs:
        first, second = _find_root(merged, family_of[session]), _find_root(merged, family_of[other])
        merged[max(first, second)] = min(first, second)
    changed = [(_find_root(merged, family), family) for family, parent in merged.items() if family != parent]
    connection.executemany("update sessions set family = ? where family = ?", changed)
    return {family for family, _ in changed}


def _find_root(merged: dict[int, int], family: int) -> int:
    """Return the family that the given family was merged into, and compress the path to it."""
    while merged[family] != family:
        merged[family] = merged[merged[family]]
        family = merged[family]
    return family


# by table, the number of leading columns that form the key
_KEY_SIZES = {
    "parent_repairs": 2,
    "roots": 1,
    "forks": 2,
    "junctions": 2,
    "graph_diagnostics": 2,
    "paths": 1,
    "agents": 2,
}
# joins from json_each `j` to the rows `x`, for tables whose rows do not all have a thread
_JOINS = {
    "paths": "lines l on l.thread = j.value join paths x on x.line = l.id",
    "agents": "agents x on x.session = j.value",
}
_SESSION_COLUMNS = ("session", *SessionGraph._fields)


class FamilyWriter:
    """Replaces the stored derived rows of a family's sessions."""

    def __init__(self, connection: sqlite3.Connection, sessions: Sequence[int]) -> None:
        self._connection = connection
        self._sessions = json.dumps(list(sessions))
        find = (
            "select t.id, t.session, t.thread_id, t.agent_id from json_each(?) j join threads t on t.session = j.value"
        )
        self._old_threads: list[Row] = connection.execute(find, (self._sessions,)).fetchall()
        self._threads = json.dumps([row[0] for row in self._old_threads])
        self._old_lines: dict[int, Row] = {}

    def replace_threads(self, threads: Sequence[Row]) -> list[int]:
        """Write (session, thread_id, agent_id) rows and return their row ids; unchanged threads keep their ids."""
        old_ids = {row[0] for row in self._old_threads}
        (last,) = self._connection.execute("select coalesce(max(id), 0) from threads").fetchone()
        ids, unused = _assign_ids(threads, ((row[1:], row[0]) for row in self._old_threads), last)
        self._connection.executemany("delete from threads where id = ?", ((row_id,) for row_id in unused))
        new = [(row_id, *row) for row_id, row in zip(ids, threads, strict=True) if row_id not in old_ids]
        self._connection.executemany(insert_into("threads"), new)
        return ids

    def assign_line_ids(self, threads: Sequence[int], line_ids: Iterable[tuple[int, str]]) -> list[int]:
        """Return the row id of every line, and delete lines that no longer exist. Unchanged lines keep their row ids.

        `threads`: the thread of each line; `line_ids`: (index, line_id) pairs in any order. The line_ids of nested
        branches may not all fit into memory, so they are read one at a time and compared by hash.
        """
        hashes = [0] * len(threads)
        for index, line_id in line_ids:
            hashes[index] = hash(line_id)
        find = f"select {select_columns('lines')} from json_each(?) j cross join lines x on x.thread = j.value"  # noqa: S608
        for row in self._connection.execute(find, (self._threads,)):
            self._old_lines[row[0]] = _hashed(row)
        stored = ((row[1:3], row_id) for row_id, row in self._old_lines.items())
        (last,) = self._connection.execute("select coalesce(max(id), 0) from lines").fetchone()
        ids, unused = _assign_ids(zip(threads, hashes, strict=True), stored, last)
        self._connection.executemany("delete from lines where id = ?", ((row_id,) for row_id in unused))
        self._connection.executemany("delete from paths where line = ?", ((row_id,) for row_id in unused))
        return ids

    def write_lines(self, rows: Iterable[Row]) -> None:
        """Write new and changed lines, one at a time. Their row ids come from `assign_line_ids`."""
        changed = (row for row in rows if self._old_lines.get(row[0]) != _hashed(row))
        self._connection.executemany(insert_into("lines", verb="insert or replace"), changed)

    def replace(self, table: str, rows: Iterable[Row]) -> None:
        """Replace the family's rows in a table."""
        join = _JOINS.get(table, f"{table} x on x.thread = j.value")
        find = f"select {select_columns(table)} from json_each(?) j cross join {join}"  # noqa: S608
        owners = self._sessions if table == "agents" else self._threads
        sync_rows(self._connection, table, _KEY_SIZES[table], old=self._connection.execute(find, (owners,)), new=rows)

    def write_placements(self, new: Iterable[Row], changed: Iterable[Row]) -> None:
        """Write new and changed placements."""
        insert_rows(self._connection, insert_into("placements"), sorted(new, key=itemgetter(0)))  # in key order
        self._connection.executemany(insert_into("placements", verb="replace"), changed)

    def replace_sessions(self, rows: Iterable[Row]) -> None:
        """Replace the family's sessions; sessions without a row are deleted, because they have no entries or copies."""
        columns = select_columns("sessions", _SESSION_COLUMNS)
        find = f"select {columns} from json_each(?) j cross join sessions x on x.session = j.value"  # noqa: S608
        before, after = set(self._connection.execute(find, (self._sessions,))), set(rows)
        claimed = {row[0] for row in after}
        unclaimed = ((row[0],) for row in before if row[0] not in claimed)
        self._connection.executemany("delete from sessions where session = ?", unclaimed)
        values = ", ".join(f"{column} = ?" for column in _SESSION_COLUMNS)
        changed = ((*row, row[0]) for row in after - before)
        self._connection.executemany(f"update sessions set {values} where session = ?", changed)  # noqa: S608


def _assign_ids(rows: Iterable[Row], stored: Iterable[tuple[Row, int]], last: int) -> tuple[list[int], list[int]]:
    """Give every row the id of an equal stored row, or a new id above `last`; also return the unused stored ids."""
    available: defaultdict[Row, list[int]] = defaultdict(list)  # unusual recorded ids can lead to equal rows
    for row, row_id in stored:
        available[row].append(row_id)
    ids = []
    for row in rows:
        if available[row]:
            ids.append(available[row].pop())
        else:
            last += 1
            ids.append(last)
    return ids, [row_id for unused in available.values() for row_id in unused]


def _hashed(line: Row) -> Row:
    """Return a row of `lines` in which the line_id is replaced with its hash."""
    row_id, thread, line_id, *columns = line
    return row_id, thread, hash(line_id), *columns
