"""Build insert and select statements from row types, and write rows."""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import chain
from typing import Any

from ccindex.model.columns import Table

Row = tuple[Any, ...]

_BATCH_ROWS = 32  # larger batches are not faster

# Without an adapter for None, sqlite3 searches for one whenever it binds None, which takes three times as long.
_KEEP_NONE: Any = {}.get  # in C, unlike a function
sqlite3.register_adapter(type(None), _KEEP_NONE)


@cache
def columns_of(table: str) -> tuple[str, ...]:
    """Return the columns of a table in insert order."""
    return _table(table).columns


@cache
def insert_into(table: str, columns: tuple[str, ...] = (), *, verb: str = "insert") -> str:
    """Return the statement that inserts a row with the given columns, or with all columns if none are given."""
    columns = columns or columns_of(table)
    placeholders = ", ".join("?" * len(columns))
    return f"{verb} into {table} ({', '.join(columns)}) values ({placeholders})"


@cache
def insert_blank(table: str, columns: tuple[str, ...], *, verb: str = "insert") -> str:
    """Return the statement that inserts a row with the given columns; others are NULL, or 0 if they are required."""
    required = _table(table).required
    zeros = tuple(name for name in columns_of(table) if name in required and name not in columns)
    placeholders = ", ".join(["?"] * len(columns) + ["0"] * len(zeros))
    return f"{verb} into {table} ({', '.join((*columns, *zeros))}) values ({placeholders})"


def insert_rows(connection: sqlite3.Connection, single: str, rows: Sequence[Row]) -> int:
    """Insert rows, many per statement, because some work, such as opening cursors, is done once per statement.

    `single`: the statement that inserts one row. Return the number of rows that were inserted.
    """
    whole = len(rows) - len(rows) % _BATCH_ROWS
    count = connection.executemany(_insert_many(single), _flatten(rows[:whole])).rowcount if whole else 0
    return count + connection.executemany(single, rows[whole:]).rowcount if whole < len(rows) else count


@cache
def _insert_many(single: str) -> str:
    """Return the statement that inserts _BATCH_ROWS rows."""
    head, values, tail = single.partition(" values ")
    placeholders, end, rest = tail.partition(")")
    row = placeholders + end
    return f"{head}{values}{', '.join([row] * _BATCH_ROWS)}{rest}"


@cache
def select_columns(table: str, columns: tuple[str, ...] = ()) -> str:
    """Return a column list, qualified with the alias `x` because json_each has columns with the same names."""
    return ", ".join(f"x.{column}" for column in columns or columns_of(table))


def sync_rows(connection: sqlite3.Connection, table: str, keys: int, *, old: Iterable[Row], new: Iterable[Row]) -> None:
    """Delete and insert rows so that the table has `new` instead of `old`; the first `keys` columns are the key."""
    before, after = set(old), set(new)
    if before == after:
        return
    where = " and ".join(f"{column} = ?" for column in columns_of(table)[:keys])
    connection.executemany(f"delete from {table} where {where}", (row[:keys] for row in before - after))  # noqa: S608
    connection.executemany(insert_into(table, verb="insert or replace"), after - before)


def _flatten(rows: Sequence[Row]) -> Iterator[Row]:
    return (tuple(chain.from_iterable(rows[start : start + _BATCH_ROWS])) for start in range(0, len(rows), _BATCH_ROWS))


def _table(name: str) -> Table:
    # imported here, because it takes 8 ms and commands that only read do not need it
    from ccindex.model.tables import TABLES  # noqa: PLC0415

    return TABLES[name]
