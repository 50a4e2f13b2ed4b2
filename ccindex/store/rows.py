"""Insert and select statements of tables, from their row types."""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import chain
from typing import Any

from ccindex.model.columns import Table

Row = tuple[Any, ...]

_BATCH_ROWS = 32  # of some hundreds the gain is the same


@cache
def columns_of(table: str) -> tuple[str, ...]:
    """Return the columns of a table in insert order."""
    return _table(table).columns


@cache
def insert_into(table: str, columns: tuple[str, ...] = (), *, verb: str = "insert") -> str:
    """Return the statement that inserts a row: all of its columns, or some."""
    columns = columns or columns_of(table)
    marks = ", ".join("?" * len(columns))
    return f"{verb} into {table} ({', '.join(columns)}) values ({marks})"


@cache
def insert_blank(table: str, columns: tuple[str, ...], *, verb: str = "insert") -> str:
    """Return the statement that inserts a row with some columns; the others are NULL, or 0 if they cannot be."""
    required = _table(table).required
    zeros = tuple(name for name in columns_of(table) if name in required and name not in columns)
    marks = ", ".join(["?"] * len(columns) + ["0"] * len(zeros))
    return f"{verb} into {table} ({', '.join((*columns, *zeros))}) values ({marks})"


def insert_rows(connection: sqlite3.Connection, table: str, rows: Sequence[Row]) -> None:
    """Add rows, many per statement: what a statement sets up, such as the list of a CHECK, it sets up once."""
    single = insert_into(table)
    many = single + ", ".join(["", *[single[single.rindex("(") :]] * (_BATCH_ROWS - 1)])
    whole = len(rows) - len(rows) % _BATCH_ROWS
    if whole:
        connection.executemany(many, _flat(rows[:whole]))
    connection.executemany(single, rows[whole:])


@cache
def select_columns(table: str, columns: tuple[str, ...] = ()) -> str:
    """Return the columns of a table that the statement calls x; json_each has some of the same names."""
    return ", ".join(f"x.{column}" for column in columns or columns_of(table))


def sync_rows(connection: sqlite3.Connection, table: str, keys: int, *, old: Iterable[Row], new: Iterable[Row]) -> None:
    """Write the difference between stored and wanted rows; the first columns are the key."""
    before, after = set(old), set(new)
    if before == after:
        return
    where = " and ".join(f"{column} = ?" for column in columns_of(table)[:keys])
    connection.executemany(f"delete from {table} where {where}", (row[:keys] for row in before - after))  # noqa: S608
    connection.executemany(insert_into(table, verb="insert or replace"), after - before)


def _flat(rows: Sequence[Row]) -> Iterator[Row]:
    return (tuple(chain.from_iterable(rows[at : at + _BATCH_ROWS])) for at in range(0, len(rows), _BATCH_ROWS))


def _table(name: str) -> Table:
    # 8 ms, which readers and runs with nothing new do not need
    from ccindex.model.tables import TABLES  # noqa: PLC0415

    return TABLES[name]
