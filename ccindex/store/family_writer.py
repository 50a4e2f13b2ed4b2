"""A family's derived rows to the index: only the differences from the stored rows are written."""

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Sequence
from operator import itemgetter

from ccindex.model.derived import SessionGraph
from ccindex.store.rows import Row, insert_into, insert_rows, select_columns, sync_rows

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
        values = ", ".join(f"{column} = ?{number}" for number, column in enumerate(_SESSION_COLUMNS, start=1))
        self._connection.executemany(f"update sessions set {values} where session = ?1", after - before)  # noqa: S608


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
