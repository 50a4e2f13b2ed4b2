"""A family's derived rows: only differences are written."""

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Sequence
from operator import itemgetter

from ccindex.store.rows import Row, insert

# table: its columns, of which the first so many are the key; the thread they belong to is among them
_OWNED: dict[str, tuple[tuple[str, ...], int]] = {
    "parent_repairs": (("child", "kind", "thread", "parent", "rule"), 2),
    "roots": (("entry", "thread", "kind", "is_expected"), 1),
    "forks": (("entry", "thread", "line", "position", "rung", "verdict", "child_count", "reason"), 2),
    "junctions": (("entry", "target", "thread", "kind", "ordinal"), 2),
    "graph_diagnostics": (("entry", "kind", "thread", "severity", "detail"), 2),
}
_AGENTS = (
    *("session", "agent_id", "thread", "name", "kind", "depth", "parent_agent_id", "spawn", "rule", "tool_use_id"),
    *("call", "result", "told", "status", "entry_count", "first_entry", "last_entry", "workflow_run"),
)
_LINE = ("id", "thread", "line_id", "kind", "parent", "parent_position", "attachment", "first_entry", "last_entry")
_LINES = (*_LINE, "entry_count", "is_active")
_PATHS = ("line", "number", "root", "leaf", "fork", "entry_count", "compaction_count")
_SESSIONS = (
    *("session", "relation", "parent", "attachment", "first_entry", "last_entry", "first_prompt", "title"),
    *("entry_count", "line_count", "branch_count", "agent_count", "compaction_count", "model_names", "first_words"),
)


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
        self._connection.executemany("insert into threads values (?, ?, ?, ?)", new)
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
        find = f"select {_named(_LINES)} from json_each(?) j cross join lines x on x.thread = j.value"  # noqa: S608
        for row in self._connection.execute(find, (self._threads,)):
            self._old_lines[row[0]] = _hashed(row)
        known = ((row[1:3], number) for number, row in self._old_lines.items())
        numbers, unused = _numbered(zip(threads, hashes, strict=True), known, self._last("lines"))
        self._delete("lines", "id", unused)
        self._delete("paths", "line", unused)
        return numbers

    def replace_lines(self, rows: Iterable[Row]) -> None:
        """Let these be the family's lines, numbered by `lines` before; each is written before the next is taken."""
        marks = ", ".join("?" * len(_LINES))
        insert = f"insert or replace into lines ({', '.join(_LINES)}) values ({marks})"  # noqa: S608
        changed = (row for row in rows if self._old_lines.get(row[0]) != _hashed(row))
        self._connection.executemany(insert, changed)

    def replace_paths(self, rows: Sequence[Row]) -> None:
        """Let these be the paths that end on the family's lines."""
        find = (
            f"select {_named(_PATHS)} from json_each(?) j cross join lines l on l.thread = j.value "  # noqa: S608
            "join paths x on x.line = l.id"
        )
        self._put("paths", _PATHS, 1, old=self._connection.execute(find, (self._threads,)), new=rows)

    def replace_owned(self, table: str, rows: Iterable[Row]) -> None:
        """Let these be the family's rows of a table."""
        columns, keys = _OWNED[table]
        find = f"select {_named(columns)} from json_each(?) j cross join {table} x on x.thread = j.value"  # noqa: S608
        self._put(table, columns, keys, old=self._connection.execute(find, (self._threads,)), new=rows)

    def replace_agents(self, rows: Iterable[Row]) -> None:
        """Let these be the subagents of the family's sessions."""
        find = f"select {_named(_AGENTS)} from json_each(?) j cross join agents x on x.session = j.value"  # noqa: S608
        self._put("agents", _AGENTS, 2, old=self._connection.execute(find, (self._sessions,)), new=rows)

    def put_places(self, fresh: Iterable[Row], changed: Iterable[Row]) -> None:
        """Write where entries are that had no place so far, and those whose place is another."""
        insert(self._connection, "placements", sorted(fresh, key=itemgetter(0)))  # as the table is ordered
        self._connection.executemany("replace into placements values (?, ?, ?, ?, ?, ?, ?, ?)", changed)

    def replace_sessions(self, rows: Iterable[Row]) -> None:
        """Let these be the family's sessions; whoever is not among them is claimed by nothing any longer."""
        find = f"select {_named(_SESSIONS)} from json_each(?) j cross join sessions x on x.session = j.value"  # noqa: S608
        old = set(self._connection.execute(find, (self._sessions,)))
        new = set(rows)
        claimed = {row[0] for row in new}
        self._delete("sessions", "session", (row[0] for row in old if row[0] not in claimed))
        values = ", ".join(f"{column} = ?{place}" for place, column in enumerate(_SESSIONS, start=1))
        self._connection.executemany(f"update sessions set {values} where session = ?1", new - old)  # noqa: S608

    def _put(self, table: str, columns: Sequence[str], keys: int, *, old: Iterable[Row], new: Iterable[Row]) -> None:
        before, after = set(old), set(new)
        gone, come = before - after, after - before
        where = " and ".join(f"{column} = ?" for column in columns[:keys])
        self._connection.executemany(f"delete from {table} where {where}", (row[:keys] for row in gone))  # noqa: S608
        marks = ", ".join("?" * len(columns))
        insert = f"insert or replace into {table} ({', '.join(columns)}) values ({marks})"  # noqa: S608
        self._connection.executemany(insert, come)

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


def _named(columns: Sequence[str]) -> str:
    """Columns of a table called x; json_each has some of the same names."""
    return ", ".join(f"x.{column}" for column in columns)
