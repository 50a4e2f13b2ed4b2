"""An index to the problems in it: for doctor, and to tell whether an odd error comes from a damaged file."""

import sqlite3

from ccindex.store.create import VIEWS, views_are_current
from ccindex.store.sql_files import load, names

# exceptions a corrupt value can cause
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

# error codes that say nothing about the content of the file
_EXTERNAL_ERRORS = frozenset(
    {
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_PROTOCOL,
        sqlite3.SQLITE_INTERRUPT,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_PERM,
        sqlite3.SQLITE_READONLY,
    }
)


def page_problems(connection: sqlite3.Connection, most: int) -> list[str]:
    """Return what SQLite finds wrong with the pages of the file."""
    rows = connection.execute(f"pragma integrity_check({most:d})").fetchall()
    return [str(text) for (text,) in rows if text != "ok"]


def invariant_problems(connection: sqlite3.Connection, name: str, most: int) -> list[str]:
    """Return rows that break an invariant: sql/check has a query per invariant that must return none."""
    rows = connection.execute(load(f"check/{name}")).fetchmany(most)
    return [" ".join(map(str, row)) for row in rows]


def is_damaged(connection: sqlite3.Connection, head: str) -> bool:
    """Check pages, tables, views, references, invariants and texts, up to the first problem.

    An index that cannot be checked now counts as sound, so that nobody deletes it.
    """
    try:
        if page_problems(connection, 1):
            return True
        if connection.execute("select version_num from alembic_version").fetchall() != [(head,)]:
            return False  # the checks are for the current schema
        return (
            not _has_all_tables(connection)
            or not _has_our_views(connection)
            or connection.execute("pragma foreign_key_check").fetchone() is not None
            or not _holds_its_invariants(connection)
            or not _is_text(connection)
        )
    except sqlite3.Error as error:
        return getattr(error, "sqlite_errorcode", 0) & 0xFF not in _EXTERNAL_ERRORS
    except ValueError:
        return True
    except MemoryError:
        return False


def _holds_its_invariants(connection: sqlite3.Connection) -> bool:
    return not any(invariant_problems(connection, name, 1) for name in names("check"))


def _has_all_tables(connection: sqlite3.Connection) -> bool:
    # 8 ms, which commands that find no damage do not need
    from ccindex.model.tables import TABLES  # noqa: PLC0415

    for table in TABLES.values():
        found = {row[1] for row in connection.execute("select * from pragma_table_info(?)", (table.name,))}
        if found - {"id"} != set(table.columns) - {"id"}:
            return False
    return True


def _has_our_views(connection: sqlite3.Connection) -> bool:
    """Whether the views are those of the version that the index names, word by word."""
    if not views_are_current(connection):
        return True  # another version made them
    made = dict(connection.execute("select name, sql from sqlite_schema where type = 'view'"))
    return all(_body(made.get(name.rpartition("/")[2], "")) == _body(load(name)) for name in VIEWS)


def _body(view: str) -> str:
    return view.partition(" as\n")[2].rstrip()  # SQLite writes the words before it in its own way


def _is_text(connection: sqlite3.Connection) -> bool:
    """Whether every text is UTF-8, which SQLite does not check."""
    texts = connection.execute(
        "select t.name, group_concat(c.name, ', ') from pragma_table_list t join pragma_table_info(t.name) c "
        "where t.schema = 'main' and t.strict and c.type = 'TEXT' group by t.name"
    )
    for table, columns in texts.fetchall():
        for _ in connection.execute(f"select {columns} from {table}"):  # noqa: S608 - names of our tables
            pass
    return True
