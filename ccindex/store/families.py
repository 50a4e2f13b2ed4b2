"""Which sessions form a family, and the derived rows of a family: only differences are written."""

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

_BATCH_OBJECTS = 20_000  # enough to make up for the statements per batch, few enough for memory
_CACHE_BYTES = 512  # per object
_MAX_CACHE_BYTES = 512 << 20

_ADD_SESSION = insert_blank("sessions", ("session", "family", "relation"), verb="insert or ignore")


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
    _add_sessions(connection, sessions)
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
    _add_sessions(connection, [session for (session,) in sessions])
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


def _add_sessions(connection: sqlite3.Connection, sessions: Iterable[int]) -> None:
    """Add those sessions that are new, each as a family of its own."""
    connection.executemany(_ADD_SESSION, ((session, session, "root") for session in sessions))


def _unite(connection: sqlite3.Connection, pairs: Sequence[tuple[int, int]]) -> None:
    """Put both sessions of every pair into one family, the one with the least number; update every session once."""
    sessions = {session for pair in pairs for session in pair}
    _add_sessions(connection, sessions)
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


# how many of the first columns are the key
_KEYS = {"parent_repairs": 2, "roots": 1, "forks": 2, "junctions": 2, "graph_diagnostics": 2, "paths": 1, "agents": 2}
# joins from json_each `j` to the rows `x` of tables without a column `thread`
_JOINS = {
    "paths": "lines l on l.thread = j.value join paths x on x.line = l.id",
    "agents": "agents x on x.session = j.value",
}
_SESSION_COLUMNS = ("session", *SessionGraph._fields)


class FamilyWriter:
    """Replaces the stored rows of a family's sessions."""

    def __init__(self, connection: sqlite3.Connection, sessions: Sequence[int]) -> None:
        self._connection = connection
        self._sessions = json.dumps(list(sessions))
        find = (
            "select t.id, t.session, t.thread_id, t.agent_id from json_each(?) j join threads t on t.session = j.value"
        )
        self._old_threads: list[Row] = connection.execute(find, (self._sessions,)).fetchall()
        self._threads = json.dumps([row[0] for row in self._old_threads])
        self._old_lines: dict[int, Row] = {}

    def replace_threads(self, wanted: Sequence[Row]) -> list[int]:
        """Write threads (session, thread_id, agent_id); return their numbers: the stored one, or a new one."""
        known = {row[0] for row in self._old_threads}
        (last,) = self._connection.execute("select coalesce(max(id), 0) from threads").fetchone()
        numbers, unused = _number(wanted, ((row[1:], row[0]) for row in self._old_threads), last)
        self._connection.executemany("delete from threads where id = ?", ((number,) for number in unused))
        new = [(number, *row) for number, row in zip(numbers, wanted, strict=True) if number not in known]
        self._connection.executemany(insert_into("threads"), new)
        return numbers

    def number_lines(self, threads: Sequence[int], ids: Iterable[tuple[int, str]]) -> list[int]:
        """Return the number of every line: the stored one, or a new one; delete lines that no longer exist.

        `threads`: of each line; `ids`: index and id of each line, in any order. All ids of nested branches together
        may exceed memory. They are read one by one and compared by their hashes.
        """
        hashes = [0] * len(threads)
        for index, line_id in ids:
            hashes[index] = hash(line_id)
        find = f"select {select_columns('lines')} from json_each(?) j cross join lines x on x.thread = j.value"  # noqa: S608
        for row in self._connection.execute(find, (self._threads,)):
            self._old_lines[row[0]] = _hashed(row)
        known = ((row[1:3], number) for number, row in self._old_lines.items())
        (last,) = self._connection.execute("select coalesce(max(id), 0) from lines").fetchone()
        numbers, unused = _number(zip(threads, hashes, strict=True), known, last)
        self._connection.executemany("delete from lines where id = ?", ((number,) for number in unused))
        self._connection.executemany("delete from paths where line = ?", ((number,) for number in unused))
        return numbers

    def write_lines(self, rows: Iterable[Row]) -> None:
        """Write new and changed lines, which `number_lines` numbered, one at a time."""
        changed = (row for row in rows if self._old_lines.get(row[0]) != _hashed(row))
        self._connection.executemany(insert_into("lines", verb="insert or replace"), changed)

    def replace(self, table: str, rows: Iterable[Row]) -> None:
        """Make these the family's rows of a table."""
        join = _JOINS.get(table, f"{table} x on x.thread = j.value")
        find = f"select {select_columns(table)} from json_each(?) j cross join {join}"  # noqa: S608
        owners = self._sessions if table == "agents" else self._threads
        sync_rows(self._connection, table, _KEYS[table], old=self._connection.execute(find, (owners,)), new=rows)

    def write_placements(self, new: Iterable[Row], changed: Iterable[Row]) -> None:
        """Write the placements of entries that have none, and those that differ from the stored one."""
        insert_rows(self._connection, "placements", sorted(new, key=itemgetter(0)))  # in key order
        self._connection.executemany(insert_into("placements", verb="replace"), changed)

    def replace_sessions(self, rows: Iterable[Row]) -> None:
        """Make these the family's sessions; the others are deleted, because nothing claims them any more."""
        columns = select_columns("sessions", _SESSION_COLUMNS)
        find = f"select {columns} from json_each(?) j cross join sessions x on x.session = j.value"  # noqa: S608
        before, after = set(self._connection.execute(find, (self._sessions,))), set(rows)
        claimed = {row[0] for row in after}
        gone = ((row[0],) for row in before if row[0] not in claimed)
        self._connection.executemany("delete from sessions where session = ?", gone)
        values = ", ".join(f"{column} = ?" for column in _SESSION_COLUMNS)
        changed = ((*row, row[0]) for row in after - before)
        self._connection.executemany(f"update sessions set {values} where session = ?", changed)  # noqa: S608


def _number(wanted: Iterable[Row], known: Iterable[tuple[Row, int]], last: int) -> tuple[list[int], list[int]]:
    """Give what is wanted the number of a known equal, else one after the last; return the unused numbers, too."""
    left: defaultdict[Row, list[int]] = defaultdict(list)  # odd ids may give two lines one name
    for row, number in known:
        left[row].append(number)
    numbers = []
    for row in wanted:
        if left[row]:
            numbers.append(left[row].pop())
        else:
            last += 1
            numbers.append(last)
    return numbers, [number for unused in left.values() for number in unused]


def _hashed(line: Row) -> Row:
    """Return a row of lines with the hash of its id in place of the id."""
    number, thread, line_id, *rest = line
    return number, thread, hash(line_id), *rest
