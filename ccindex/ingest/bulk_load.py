"""The first load of an empty index: lookup indexes are created after all rows were written."""

import sqlite3

MIN_BYTES = 8 << 20  # less is loaded like any later run
MAX_BYTES = 1 << 30  # in one transaction

# tables that recorded rows are written to
_TABLES = frozenset(
    "occurrences entries edges messages blocks tool_uses tool_results file_touches records task_notices".split()
)
# finds the occurrences of a backfill while a file is read
_NEEDED = frozenset({"ix_occurrences_place"})


def is_first_load(connection: sqlite3.Connection, size: int) -> bool:
    """Whether so many bytes are worth a bulk load: many, and nothing was recorded before."""
    return size >= MIN_BYTES and connection.execute("select 1 from sources").fetchone() is None


def drop_indexes(connection: sqlite3.Connection) -> list[str]:
    """Drop the indexes that no insert needs, in the caller's transaction; return the statements that create them."""
    found = connection.execute("select name, tbl_name, sql from sqlite_schema where type = 'index' and sql is not null")
    dropped = [(name, sql) for name, table, sql in found if table in _TABLES and name not in _NEEDED]
    for name, _ in dropped:
        connection.execute(f"drop index {name}")
    return [sql for _, sql in dropped]


def create_indexes(connection: sqlite3.Connection, statements: list[str]) -> None:
    """Create the indexes that were dropped."""
    for statement in statements:
        connection.execute(statement)
