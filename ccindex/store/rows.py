"""Insert and select statements of tables, from their row types, and of the full-text table."""

import sqlite3
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

from ccindex.model.recorded import Words
from ccindex.model.tables import TABLES

Row = tuple[Any, ...]

_BATCH_ROWS = 32  # of some hundreds the gain is the same


def insert_into(table: str, columns: Collection[str] = (), *, verb: str = "insert") -> str:
    """Return the statement that inserts a row: all of its columns, or some."""
    columns = columns or TABLES[table].columns
    marks = ", ".join("?" * len(columns))
    return f"{verb} into {table} ({', '.join(columns)}) values ({marks})"


def insert_rows(connection: sqlite3.Connection, table: str, rows: Sequence[Row]) -> None:
    """Add rows, many per statement: what a statement sets up, such as the list of a CHECK, it sets up once."""
    single = insert_into(table)
    many = single + ", ".join(["", *[single[single.rindex("(") :]] * (_BATCH_ROWS - 1)])
    whole = len(rows) - len(rows) % _BATCH_ROWS
    connection.executemany(many, _flat(rows[:whole]))
    connection.executemany(single, rows[whole:])


def select_columns(table: str, columns: Collection[str] = ()) -> str:
    """Return the columns of a table that the statement calls x; json_each has some of the same names."""
    return ", ".join(f"x.{column}" for column in columns or TABLES[table].columns)


def sync_rows(connection: sqlite3.Connection, table: str, keys: int, *, old: Iterable[Row], new: Iterable[Row]) -> None:
    """Write the difference between stored and wanted rows; the first columns are the key."""
    before, after = set(old), set(new)
    if before == after:
        return
    where = " and ".join(f"{column} = ?" for column in TABLES[table].columns[:keys])
    connection.executemany(f"delete from {table} where {where}", (row[:keys] for row in before - after))  # noqa: S608
    connection.executemany(insert_into(table, verb="insert or replace"), after - before)


def _flat(rows: Sequence[Row]) -> Iterator[Row]:
    return (tuple(chain.from_iterable(rows[at : at + _BATCH_ROWS])) for at in range(0, len(rows), _BATCH_ROWS))


_TOKENIZE = """tokenize = "unicode61 remove_diacritics 2\""""

_COLUMNS = ", ".join(Words._fields)
ADD_SEARCH_TEXT = f"insert into entries_fts (rowid, {_COLUMNS}) values (?, ?, ?, ?, ?, ?, ?)"  # noqa: S608
_REMOVE = f"insert into entries_fts (entries_fts, rowid, {_COLUMNS}) values ('delete', ?, ?, ?, ?, ?, ?, ?)"  # noqa: S608


def remove_search_text(connection: sqlite3.Connection, entry: int, text: Words) -> None:
    """Remove the text of an entry, which must be the one that was added."""
    connection.execute(_REMOVE, (entry, *text))


def forget_all_words(connection: sqlite3.Connection) -> None:
    """Empty the full-text index."""
    connection.execute("insert into entries_fts (entries_fts) values ('delete-all')")


def like_search(scratch: sqlite3.Connection) -> None:
    """Make a full-text index like the one that migrations make, but with the texts, so that it can show them."""
    scratch.execute(
        f"create virtual table entries_fts using fts5(prompt, answer, thinking, input, result, other, {_TOKENIZE})"
    )
