"""Rows into a table, many with one statement: all of them, in order, whatever their number."""

import sqlite3
from contextlib import closing

import pytest

from ccindex.store.rows import insert


@pytest.mark.parametrize("count", [0, 1, 31, 32, 33, 64, 100])
def test_every_row_arrives(count: int) -> None:
    rows = [(number, f"row {number}", None) for number in range(count)]
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("create table kept (id integer primary key, name text, more text)")
        insert(connection, "kept", rows)
        assert connection.execute("select id, name, more from kept order by id").fetchall() == rows


def test_many_rows_take_few_statements() -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("create table kept (id integer primary key)")
        statements: list[str] = []
        connection.set_trace_callback(statements.append)
        insert(connection, "kept", [(number,) for number in range(3_200)])
    assert sum("insert" in statement for statement in statements) <= 100
