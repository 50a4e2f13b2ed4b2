"""Temporary tables: a set of values that a statement of `sql/derive` works on."""

import sqlite3
from collections.abc import Iterable

from ccindex.store.rows import insert

# table: its key, and that one's type; `whose` has a session beside it
TABLES = {
    "changed": ("entry", "integer"),
    "whose": ("entry", "integer"),
    "stale": ("session", "integer"),
    "counted": ("session", "integer"),
    "documents": ("document", "integer"),
    "family": ("session", "integer"),
    "wanted": ("id", "text"),
    "gone": ("occurrence", "integer"),
}


def fill(connection: sqlite3.Connection, table: str, values: Iterable[int | str]) -> None:
    """Let a temporary table hold these values and no others."""
    more = ", session integer" if table == "whose" else ""
    connection.execute(f"create temp table if not exists {table} ({' '.join(TABLES[table])} primary key{more})")
    connection.execute(f"delete from temp.{table}")  # noqa: S608
    insert(connection, f"temp.{table}", [(value,) for value in values])
