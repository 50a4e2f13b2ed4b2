"""Whether an index is what ccindex wrote, asked when something went wrong that a sound one cannot bring about."""

import sqlite3

from .sqlfiles import load, names

# what a value that nobody wrote leads to, far from where it stands
SYMPTOMS = (
    sqlite3.Error,
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    MemoryError,
    TypeError,
    ValueError,
)


def is_damaged(connection: sqlite3.Connection, head: str) -> bool:
    """Look at the pages, the tables, the references between them and all invariants; the first fault is enough."""
    try:
        if connection.execute("pragma integrity_check(1)").fetchall() != [("ok",)]:
            return True
        if connection.execute("select version_num from alembic_version").fetchall() != [(head,)]:
            return False  # what an index of another schema has to hold is not for us to say
        return (
            not _has_all_tables(connection)
            or connection.execute("pragma foreign_key_check").fetchone() is not None
            or any(connection.execute(load(f"check/{name}")).fetchone() is not None for name in names("check"))
            or not _is_text(connection)
        )
    except (sqlite3.Error, ValueError, MemoryError):
        return True


def _has_all_tables(connection: sqlite3.Connection) -> bool:
    # SQLAlchemy costs a quarter of a second: only the damaged need it
    from .schema import metadata  # noqa: PLC0415

    for table in metadata.tables.values():
        found = {row[1] for row in connection.execute("select * from pragma_table_info(?)", (table.name,))}
        if found != {column.name for column in table.columns}:
            return False
    for view in names("views"):
        connection.execute(f"select 1 from {view} limit 0")  # noqa: S608 - our own name
    return True


def _is_text(connection: sqlite3.Connection) -> bool:
    """Whether every text is one: SQLite takes any bytes for UTF-8."""
    from .schema import metadata  # noqa: PLC0415 - as above

    for table in metadata.tables.values():
        texts = [column.name for column in table.columns if column.type.python_type is str]
        if texts:
            for _ in connection.execute(f"select {', '.join(texts)} from {table.name}"):  # noqa: S608 - our own names
                pass
    return True
