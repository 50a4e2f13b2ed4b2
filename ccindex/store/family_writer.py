"""A family's derived rows: only differences are written."""

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Sequence
from operator import itemgetter

from ccindex.model.derived import SessionGraph
from ccindex.store.rows import Row, insert_into, insert_rows, select_columns, sync_rows

# tables whose rows belong to a thread: how many columns are the key
_OF_THREAD = {"parent_repairs": 2, "roots": 1, "forks": 2, "junctions": 2, "graph_diagnostics": 2}
_SESSION = ("session", *SessionGraph._fields)


class Derived:
    """What the index holds of a family's sessions, and the rows that are to stand there instead."""

    def __init__(self, connection: sqlite3.Connection, sessions: Sequence[int]) -> None:
        self._connection = connection
        self._sessions = json.dumps(list(sessions))
        find = (
            "select t.id, t.session, t.thread_id, t.agent_id from json_each(?) j join threads t on t.session = j.value"
        )
        self._old_threads: list[Row] = connection.execute(find, (self._sessions,)).fetchall()
        self._threads = json.dumps([row[0] for row in self._old_threads])
        self._old_lines: dict[int, Row] = {}

    def threads(self, wanted: Sequence[Row]) -> list[int]:
        """Give each thread (session, thread_id, agent_id) its number: the one it had, or a new one."""
        known = {row[0] for row in self._old_threads}
        numbers, unused = _numbered(wanted, ((row[1:], row[0]) for row in self._old_threads), self._last("threads"))
        self._delete("threads", "id", unused)
        new = [(number, *row) for number, row in zip(numbers, wanted, strict=True) if number not in known]
        self._connection.executemany(insert_into("threads"), new)
        return numbers

    def lines(self, threads: Sequence[int], ids: Iterable[tuple[int, str]]) -> list[int]:
        """Give each line its number: the one it had, or a new one.

        `threads`: of each line; `ids`: a line's place among them and its id, in any order. The ids of nested branches
        grow with their depth, and all of them together may exceed memory: they are taken one by one, those that
        the index holds too, and lines are known by the hashes of their ids.
        """
        hashes = [0] * len(threads)
        for place, line_id in ids:
            hashes[place] = hash(line_id)
        find = f"select {select_columns('lines')} from json_each(?) j cross join lines x on x.thread = j.value"  # noqa: S608
        for row in self._connection.execute(find, (self._threads,)):
            self._old_lines[row[0]] = _hashed(row)
        known = ((row[1:3], number) for number, row in self._old_lines.items())
        numbers, unused = _numbered(zip(threads, hashes, strict=True), known, self._last("lines"))
        self._delete("lines", "id", unused)
        self._delete("paths", "line", unused)
        return numbers

    def replace_lines(self, rows: Iterable[Row]) -> None:
        """Let these be the family's lines, numbered by `lines` before; each is written before the next is taken."""
        changed = (row for row in rows if self._old_lines.get(row[0]) != _hashed(row))
        self._connection.executemany(insert_into("lines", verb="insert or replace"), changed)

    def replace_paths(self, rows: Sequence[Row]) -> None:
        """Let these be the paths that end on the family's lines."""
        find = (
            f"select {select_columns('paths')} from json_each(?) j cross join lines l on l.thread = j.value "  # noqa: S608
            "join paths x on x.line = l.id"
        )
        self._sync("paths", 1, find, self._threads, rows)

    def replace_owned(self, table: str, rows: Iterable[Row]) -> None:
        """Let these be the family's rows of a table."""
        find = f"select {select_columns(table)} from json_each(?) j cross join {table} x on x.thread = j.value"  # noqa: S608
        self._sync(table, _OF_THREAD[table], find, self._threads, rows)

    def replace_agents(self, rows: Iterable[Row]) -> None:
        """Let these be the subagents of the family's sessions."""
        find = f"select {select_columns('agents')} from json_each(?) j cross join agents x on x.session = j.value"  # noqa: S608
        self._sync("agents", 2, find, self._sessions, rows)

    def put_places(self, fresh: Iterable[Row], changed: Iterable[Row]) -> None:
        """Write where entries are that had no place so far, and those whose place is another."""
        insert_rows(self._connection, "placements", sorted(fresh, key=itemgetter(0)))  # as the table is ordered
        self._connection.executemany(insert_into("placements", verb="replace"), changed)

    def replace_sessions(self, rows: Iterable[Row]) -> None:
        """Let these be the family's sessions; whoever is not among them is claimed by nothing any longer."""
        columns = select_columns("sessions", _SESSION)
        find = f"select {columns} from json_each(?) j cross join sessions x on x.session = j.value"  # noqa: S608
        old = set(self._connection.execute(find, (self._sessions,)))
        new = set(rows)
        claimed = {row[0] for row in new}
        self._delete("sessions", "session", (row[0] for row in old if row[0] not in claimed))
        values = ", ".join(f"{column} = ?{place}" for place, column in enumerate(_SESSION, start=1))
        self._connection.executemany(f"update sessions set {values} where session = ?1", new - old)  # noqa: S608

    def _sync(self, table: str, keys: int, find: str, ids: str, rows: Iterable[Row]) -> None:
        """Make these the rows of a table, instead of those that the query finds by the ids."""
        sync_rows(self._connection, table, keys, old=self._connection.execute(find, (ids,)), new=rows)

    def _delete(self, table: str, column: str, numbers: Iterable[int]) -> None:
        self._connection.executemany(f"delete from {table} where {column} = ?", ((number,) for number in numbers))  # noqa: S608

    def _last(self, table: str) -> int:
        return int(self._connection.execute(f"select coalesce(max(id), 0) from {table}").fetchone()[0])  # noqa: S608


def _numbered(wanted: Iterable[Row], known: Iterable[tuple[Row, int]], last: int) -> tuple[list[int], list[int]]:
    """Number what is wanted as what is known by the same name, else anew; return the numbers that are left, too."""
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
    """A row of lines with the hash of its id in the id's place; all else is compared as it is."""
    number, thread, line_id, *rest = line
    return number, thread, hash(line_id), *rest
