"""Inserting many rows: all are stored, in order, with few statements."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing

import pytest

from ccindex.store.rows import insert_into, insert_rows
from ccindex.store.sql_files import load


@pytest.fixture
def connection() -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(":memory:")) as empty:
        empty.executescript(load("schema"))
        yield empty


@pytest.mark.parametrize("count", [0, 1, 31, 32, 33, 64, 100])
def test_every_row_is_inserted(connection: sqlite3.Connection, count: int) -> None:
    rows = [(number, f"row {number}", "info") for number in range(count)]
    insert_rows(connection, insert_into("copy_conflicts"), rows)
    assert connection.execute("select entry, keys, severity from copy_conflicts order by entry").fetchall() == rows


def test_many_rows_need_few_statements(connection: sqlite3.Connection) -> None:
    statements: list[str] = []
    connection.set_trace_callback(statements.append)
    insert_rows(connection, insert_into("copy_conflicts"), [(number, "", "info") for number in range(3_200)])
    assert sum("insert" in statement for statement in statements) <= 100
