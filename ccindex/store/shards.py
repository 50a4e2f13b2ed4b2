"""Create shards, which are indexes of some of the files of a first load, and add their rows to the index.

A shard has the tables of an index, except that its full-text table is an ordinary table with the same columns. It
contains the rows that the full-text table of the index will get.
"""

import json
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from ccindex.model.columns import Table
from ccindex.model.recorded import SearchText
from ccindex.model.tables import DERIVED_TABLES, RECORDED_TABLES, SOURCE_TABLES
from ccindex.store.create import ROWID_STEP, init_meta
from ccindex.store.entry_writer import Changes
from ccindex.store.families import merge_families
from ccindex.store.rows import Row
from ccindex.store.sql_files import load

_PRAGMAS = (
    "page_size = 8192",
    # the file is deleted if it is not completed
    "journal_mode = off",
    "synchronous = off",
    "locking_mode = exclusive",
    "temp_store = memory",
    "ignore_check_constraints = on",
    "cache_size = -8192",
)
_TEXTS = ", ".join(SearchText._fields)
# in this table, `rowid` is an ordinary column
_SEARCH_TEXTS = f"create table entries_fts (entries_fts text, rowid integer, {_TEXTS})"
# tables whose rows do not come from transcripts
_NOT_COPIED = {"meta", "ingest_runs", "tombstones", "redactions"}
_COPIED = [table for table in (*SOURCE_TABLES, *RECORDED_TABLES, *DERIVED_TABLES) if table.name not in _NOT_COPIED]
# tables whose ids are columns of other tables; in all other tables, SQLite assigns new ids
_NUMBERED = sorted({target for table in _COPIED for name, target in table.referenced.items() if name != "id"})
# tables that can have the same rows as another shard, and the columns that identify their rows
_SHARED = {
    "session_ids": "session_id",
    "chunks": "hash",
    "entry_contexts": "hash",
    "entry_traits": "hash",
    "extra_json": "hash",
}
_DERIVED = {table.name for table in DERIVED_TABLES}


@contextmanager
def create_shard(path: Path) -> Iterator[sqlite3.Connection]:
    """Create an empty shard and open it."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        set_load_pragmas(connection)
        connection.executescript(f"begin; {load('schema')} drop table entries_fts; {_SEARCH_TEXTS};")
        init_meta(connection)
        connection.execute(load("internal/owned_entries"))
        connection.execute("commit")
        yield connection


def set_load_pragmas(connection: sqlite3.Connection) -> None:
    """Prepare a connection for filling a file that nobody else uses yet; a crash can leave the file incomplete."""
    for pragma in _PRAGMAS:
        connection.execute(f"pragma {pragma}")


def prepare_load(connection: sqlite3.Connection) -> None:
    """Prepare a connection to a copy of an empty index that shards will be added to."""
    set_load_pragmas(connection)
    _configure_fts(connection, hashsize=8 << 20, automerge=0)


def finish_load(connection: sqlite3.Connection) -> None:
    """Restore the settings that later runs use, which are those of a new index."""
    _configure_fts(connection, hashsize=1 << 20, automerge=4)
    connection.execute("pragma locking_mode = normal")
    connection.execute("pragma journal_mode = wal")


def _configure_fts(connection: sqlite3.Connection, **settings: int) -> None:
    """Set the amount of text to collect before a segment is written, and when segments are merged."""
    set_option = "insert into entries_fts (entries_fts, rank) values (?, ?)"
    connection.executemany(set_option, settings.items())


def absorb_shard(connection: sqlite3.Connection, path: Path, changes: Changes) -> int:
    """Add the rows of a shard to the index in a transaction; return the number of entries that the index already had.

    Derived rows are copied too. `changes` gets what has to be derived again because it depends on rows of both.
    """
    connection.execute("attach ? as shard", (str(path),))
    connection.execute("begin immediate")
    copies = _Absorber(connection, changes).run()
    connection.execute("commit")
    connection.execute("detach shard")
    return copies


class _Absorber:
    """Copies the rows of the attached shard.

    Every id in the shard is increased by an offset, which depends on the table. The temporary table `moved` has the
    rows for which that is not the case, because the index already has a row with the same key.
    """

    def __init__(self, connection: sqlite3.Connection, changes: Changes) -> None:
        self._connection = connection
        self._changes = changes
        self._offsets: dict[str, int] = {}
        self._moved: dict[str, dict[int, int]] = {}  # by table: the ids in the shard and in the index
        for table in _NUMBERED:
            last = connection.execute(f"select coalesce(max(id), 0) from main.{table}")  # noqa: S608
            self._offsets[table] = last.fetchone()[0]

    def run(self) -> int:
        """Copy all rows; return the number of entries that the index already had."""
        self._connection.execute(
            "create temp table moved (space text, old integer, new integer, is_dropped integer, "
            "primary key (space, old)) without rowid"
        )
        for name, key in _SHARED.items():
            self._find_known(name, key)
        copies = self._find_known_entries()
        self._note_links()
        for table in _COPIED:
            self._connection.execute(self._copy_statement(table), self._offsets)
        self._copy_search_texts()
        self._merge_families()
        params = {"occurrences": self._offsets["occurrences"], "copies": json.dumps(copies)}
        self._connection.execute(load("shard/mark_copies"), params)
        self._connection.execute("drop table temp.moved")
        return len(copies)

    def _find_known(self, table: str, key: str) -> None:
        """Find the rows that the index already has."""
        find = f"select s.id, m.id, 1 from shard.{table} s cross join main.{table} m on m.{key} = s.{key}"  # noqa: S608
        self._move(table, self._connection.execute(find).fetchall())

    def _find_known_entries(self) -> list[int]:
        """Find the entries that the index already has, and delete its ghosts that are entries of the shard.

        Return the entries of the index of which the shard has copies.
        """
        copies: list[int] = []
        ghosts: list[int] = []
        rows = []
        for old, new, has_owner, is_ghost in self._connection.execute(load("shard/known_entries")).fetchall():
            is_replaced = bool(has_owner and is_ghost)
            rows.append((old, new, int(not is_replaced)))
            if has_owner:
                (ghosts if is_ghost else copies).append(new)
        self._move("entries", rows)
        self._connection.executemany("delete from main.entries where id = ?", ((ghost,) for ghost in ghosts))
        self._changes.contested.update(copies)
        return copies

    def _move(self, table: str, rows: list[tuple[int, int, int]]) -> None:
        insert = "insert into temp.moved values (?, ?, ?, ?)"
        self._connection.executemany(insert, ((table, *row) for row in rows))
        self._moved[table] = {old: new for old, new, _ in rows}

    def _note_links(self) -> None:
        """Record which rows have to be derived again because the shard and the index are connected through them."""
        changes, query = self._changes, self._query
        params = {"known": json.dumps(list(self._moved["entries"]))}
        changes.sessions.update(self._moved["session_ids"].values())
        changes.entries.update(self._new_ids("entries", (entry for (entry,) in query("linked_entries", params))))
        changes.entries.update(entry for (entry,) in query("linked_reports"))
        changes.calls.update(call for (call,) in query("linked_calls", params))
        changes.responses.update(response for (response,) in query("linked_responses", params))
        for leaf, session, is_in_shard in query("linked_records"):
            changes.leaves.add(leaf)
            changes.sessions.update(self._new_ids("session_ids", [session]) if is_in_shard else [session])
        for source, is_in_shard in query("linked_sidecars"):
            changes.sidecars.update(self._new_ids("sources", [source]) if is_in_shard else [source])
        sessions = query("sessions_of_copies", params)
        changes.sessions.update(self._new_ids("session_ids", (session for (session,) in sessions)))

    def _merge_families(self) -> None:
        """Merge families of the shard with those of the index that have sessions in common."""
        known = {"sessions": json.dumps(list(self._moved["session_ids"]))}
        pairs = [self._new_ids("session_ids", pair) for pair in self._query("families_of_known", known)]
        merge_families(self._connection, [(session, family) for session, family in pairs])

    def _query(self, name: str, params: dict[str, str] | None = None) -> list[Row]:
        return self._connection.execute(load(f"shard/{name}"), params or {}).fetchall()

    def _new_ids(self, table: str, ids: Iterable[int]) -> list[int]:
        moved, offset = self._moved.get(table, {}), self._offsets[table]
        return [moved.get(old, old + offset) for old in ids]

    def _copy_statement(self, table: Table) -> str:
        """Return the statement that copies the rows of a table."""
        columns = [*(["id"] if table.has_id and table.name in _NUMBERED else []), *table.columns]
        values = [self._new_value(f"x.{name}", table.referenced.get(name, "")) for name in columns]
        can_exist = table.name in _DERIVED or table.name == "model_prices"
        return (
            f"insert {'or ignore ' if can_exist else ''}into main.{table.name} ({', '.join(columns)}) "  # noqa: S608
            f"select {', '.join(values)} from shard.{table.name} x{self._condition(table)}"
        )

    def _new_value(self, column: str, table: str) -> str:
        """Return an expression for a column in the index; `table`: the table whose ids it contains, if any."""
        if table not in self._offsets:
            return column
        if not self._moved.get(table):
            return f"{column} + :{table}"
        find = f"select m.new from temp.moved m where m.space = '{table}' and m.old = {column}"  # noqa: S608
        return f"coalesce(({find}), {column} + :{table})"

    def _condition(self, table: Table) -> str:
        """Return the condition that leaves out rows that the index already has, and the content of such entries."""
        if self._moved.get(table.name):
            return _without_dropped(table.name, "x.id")
        if not self._moved["entries"] or table.name in _DERIVED or table.name == "occurrences":
            return ""
        owner = next((name for name in ("entry", "child") if table.referenced.get(name) == "entries"), "")
        return _without_dropped("entries", f"x.{owner}") if owner else ""

    def _copy_search_texts(self) -> None:
        """Add the stored texts to the full-text table; the id of queued text is negative."""
        own, piece = f"(x.rowid % {ROWID_STEP})", f"x.rowid - x.rowid % {ROWID_STEP}"
        entry = self._new_value(own, "entries")
        condition = _without_dropped("entries", own) if self._moved["entries"] else ""
        self._connection.execute(
            f"insert into main.entries_fts (entries_fts, rowid, {_TEXTS}) "  # noqa: S608
            f"select x.entries_fts, iif(x.rowid < 0, x.rowid - :occurrences, {piece} + {entry}), {_TEXTS} "
            f"from shard.entries_fts x{condition}",
            self._offsets,
        )


def _without_dropped(table: str, column: str) -> str:
    find = f"select 1 from temp.moved m where m.space = '{table}' and m.old = {column} and m.is_dropped"  # noqa: S608
    return f" where not exists ({find})"
