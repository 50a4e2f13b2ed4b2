"""The first load of an index: what is looked up only later is put in order once, after all rows are there."""

import sqlite3

# the tables that lines are recorded in
_TABLES = frozenset(
    "occurrences entries edges messages blocks tool_uses tool_results file_touches records task_notices".split()
)
# by this one objects are found that instants are lent to while a file is read
_NEEDED = frozenset({"ix_occurrences_place"})


def is_empty(connection: sqlite3.Connection) -> bool:
    """Whether nothing was ever recorded."""
    return connection.execute("select 1 from sources").fetchone() is None


def begin_load(connection: sqlite3.Connection) -> list[str]:
    """Drop what only readers and derivations look things up by, in the caller's transaction; return how to make it."""
    found = connection.execute("select name, tbl_name, sql from sqlite_schema where type = 'index' and sql is not null")
    dropped = [(name, sql) for name, table, sql in found if table in _TABLES and name not in _NEEDED]
    for name, _ in dropped:
        connection.execute(f"drop index {name}")
    return [sql for _, sql in dropped]


def end_load(connection: sqlite3.Connection, statements: list[str]) -> None:
    """Make the indexes that were dropped."""
    for statement in statements:
        connection.execute(statement)
