"""Check an index for damage: for `doctor`, and to decide whether a damaged file caused an unexpected error."""

import sqlite3

from ccindex.store.create import VIEWS, views_are_current
from ccindex.store.sql_files import load, names

# exceptions a corrupt value can cause
CORRUPTION_ERRORS = (
    sqlite3.Error,
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    MemoryError,
    TypeError,
    ValueError,
)

# error codes that do not depend on the content of the file
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


def page_problems(connection: sqlite3.Connection, limit: int) -> list[str]:
    """Return at most `limit` problems that SQLite finds in the pages of the file."""
    rows = connection.execute(f"pragma integrity_check({limit:d})").fetchall()
    return [str(text) for (text,) in rows if text != "ok"]


def invariant_problems(connection: sqlite3.Connection, name: str, limit: int) -> list[str]:
    """Return at most `limit` violations of an invariant: the rows that its query in sql/check returns."""
    rows = connection.execute(load(f"check/{name}")).fetchmany(limit)
    return [" ".join(map(str, row)) for row in rows]


def is_damaged(connection: sqlite3.Connection, head: str) -> bool:
    """Return whether pages, tables, views, references, invariants or strings have a problem.

    An index that currently cannot be checked counts as sound, so that the user is not advised to replace it.
    """
    try:
        if page_problems(connection, 1):
            return True
        if connection.execute("select version_num from alembic_version").fetchall() != [(head,)]:
            return False  # the checks are for the current schema
        return (
            not _has_all_tables(connection)
            or not _has_expected_views(connection)
            or connection.execute("pragma foreign_key_check").fetchone() is not None
            or not _satisfies_invariants(connection)
            or not _has_valid_texts(connection)
        )
    except sqlite3.Error as error:
        return getattr(error, "sqlite_errorcode", 0) & 0xFF not in _EXTERNAL_ERRORS
    except ValueError:
        return True
    except MemoryError:
        return False


def _satisfies_invariants(connection: sqlite3.Connection) -> bool:
    return not any(invariant_problems(connection, name, 1) for name in names("check"))


def _has_all_tables(connection: sqlite3.Connection) -> bool:
    # imported here, because it takes 8 ms and most commands do not need it
    from ccindex.model.tables import TABLES  # noqa: PLC0415

    for table in TABLES.values():
        columns = {row[1] for row in connection.execute("select * from pragma_table_info(?)", (table.name,))}
        if columns - {"id"} != set(table.columns) - {"id"}:
            return False
    return True


def _has_expected_views(connection: sqlite3.Connection) -> bool:
    """Return whether every view has its original text. Views of other versions of ccindex are not checked."""
    if not views_are_current(connection):
        return True  # another version created them
    stored = dict(connection.execute("select name, sql from sqlite_schema where type = 'view'"))
    return all(_body(stored.get(name.rpartition("/")[2], "")) == _body(load(name)) for name in VIEWS)


def _body(view: str) -> str:
    return view.partition(" as\n")[2].rstrip()  # SQLite changes the text before the body


def _has_valid_texts(connection: sqlite3.Connection) -> bool:
    """Read every string. SQLite does not check that strings are valid UTF-8; Python raises an error if one is not."""
    text_columns = connection.execute(
        "select t.name, group_concat(c.name, ', ') from pragma_table_list t join pragma_table_info(t.name) c "
        "where t.schema = 'main' and t.strict and c.type = 'TEXT' group by t.name"
    )
    for table, columns in text_columns.fetchall():
        for _ in connection.execute(f"select {columns} from {table}"):  # noqa: S608 - names of our tables
            pass
    return True
