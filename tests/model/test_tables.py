"""The row types and the migrated database have the same tables, columns, types, keys, indexes and checks."""

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest
from sqlalchemy.dialects import sqlite
from sqlalchemy.schema import CreateIndex, CreateTable

from ccindex.model.tables import TABLES
from ccindex.store.migrate import metadata
from ccindex.store.sql_files import load

_CHECK = re.compile(r"\bcheck \(", re.IGNORECASE)


@pytest.fixture(scope="module")
def declared() -> Iterator[sqlite3.Connection]:
    """A database created from the row types."""
    with closing(sqlite3.connect(":memory:")) as connection:
        for table in metadata.sorted_tables:
            connection.execute(str(CreateTable(table).compile(dialect=sqlite.dialect())))
            for index in table.indexes:
                connection.execute(str(CreateIndex(index).compile(dialect=sqlite.dialect())))
        yield connection


@pytest.fixture(scope="module")
def migrated() -> Iterator[sqlite3.Connection]:
    """A database created from sql/schema.sql, the schema that the migrations produce."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(load("schema"))
        yield connection


def describe(connection: sqlite3.Connection, table: str) -> dict[str, Any]:
    """Return SQLite's description of a table, without constraint names."""
    indexes = {}
    for name, is_unique, origin in connection.execute(
        'select name, "unique", origin from pragma_index_list(?)', (table,)
    ).fetchall():
        columns = tuple(row[0] for row in connection.execute("select name from pragma_index_info(?)", (name,)))
        sql = connection.execute("select sql from sqlite_schema where name = ? and sql is not null", (name,)).fetchone()
        where = (sql[0] if sql else "").lower().partition(" where ")[2]
        indexes[name if origin == "c" else columns] = (is_unique, columns, where)
    [sql] = connection.execute("select sql from sqlite_schema where name = ?", (table,)).fetchone()
    return {
        "columns": connection.execute(
            'select name, type, "notnull", pk from pragma_table_info(?)', (table,)
        ).fetchall(),
        "options": connection.execute(
            "select wr, strict from pragma_table_list where schema = 'main' and name = ?", (table,)
        ).fetchall(),
        "references": sorted(
            connection.execute('select "from", "table", "to" from pragma_foreign_key_list(?)', (table,))
        ),
        "indexes": indexes,
        "checks": sorted(checks(sql)),
    }


def checks(sql: str) -> Iterator[str]:
    """Yield the conditions of a table's CHECK constraints."""
    for match in _CHECK.finditer(sql):
        depth, end = 1, match.end()
        while depth:
            depth += {"(": 1, ")": -1}.get(sql[end], 0)
            end += 1
        yield " ".join(sql[match.end() : end - 1].split())


@pytest.mark.parametrize("table", TABLES)
def test_migrated_table_matches_row_types(
    declared: sqlite3.Connection, migrated: sqlite3.Connection, table: str
) -> None:
    assert describe(migrated, table) == describe(declared, table)


@pytest.mark.parametrize("table", TABLES.values(), ids=lambda table: table.name)
def test_row_type_has_the_table_columns_in_order(migrated: sqlite3.Connection, table: Any) -> None:
    columns = [name for (name,) in migrated.execute("select name from pragma_table_info(?)", (table.name,))]
    assert columns == ["id"] * table.has_id + list(table.columns)


def test_every_table_except_alembic_and_fts5_tables_has_row_types(migrated: sqlite3.Connection) -> None:
    names = migrated.execute("select name from sqlite_schema where type = 'table' and name not glob 'sqlite_*'")
    assert {name for (name,) in names if not name.startswith("entries_fts")} == {*TABLES, "alembic_version"}


@pytest.mark.parametrize("table", TABLES.values(), ids=lambda table: table.name)
def test_table_has_exactly_one_description(table: Any) -> None:
    descriptions = [part.__doc__ for part in table.parts if (part.__doc__ or "").startswith("One row per ")]
    assert [table.sentence] == descriptions
