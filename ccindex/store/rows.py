"""Inserts many rows with one statement."""

import sqlite3
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

Row = tuple[Any, ...]

_AT_ONCE = 32  # of some hundreds the gain is the same


def insert(connection: sqlite3.Connection, table: str, rows: Sequence[Row]) -> None:
    """Add rows that have a value for every column.

    One statement sets up what it compares with, such as the list that a CHECK names, once for all of its rows.
    """
    if not rows:
        return
    marks = f"({', '.join('?' * len(rows[0]))})"
    whole = len(rows) - len(rows) % _AT_ONCE
    many = ", ".join([marks] * _AT_ONCE)
    connection.executemany(f"insert into {table} values {many}", _flat(rows[:whole]))  # noqa: S608
    connection.executemany(f"insert into {table} values {marks}", rows[whole:])  # noqa: S608


def _flat(rows: Sequence[Row]) -> Iterator[Row]:
    return (tuple(chain.from_iterable(rows[at : at + _AT_ONCE])) for at in range(0, len(rows), _AT_ONCE))
