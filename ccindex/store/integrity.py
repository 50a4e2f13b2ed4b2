"""Checks whether a file is a sound index, used when an error occurs that a sound index cannot cause."""

import sqlite3

from ccindex.model.tables import TABLES
from ccindex.store.create import VIEWS, views_are_current
from ccindex.store.sql_files import load, names

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

# what SQLite says of its surroundings: nothing about the file
_SURROUNDINGS = frozenset(
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


def is_damaged(connection: sqlite3.Connection, head: str) -> bool:
    """Look at the pages, the tables, the references between them and all invariants; the first fault is enough.

    What cannot be looked at now is not said to be damaged: nobody shall throw a sound index away.
    """
    try:
        if connection.execute("pragma integrity_check(1)").fetchall() != [("ok",)]:
            return True
        if connection.execute("select version_num from alembic_version").fetchall() != [(head,)]:
            return False  # what an index of another schema has to hold is not for us to say
        return (
            not _has_all_tables(connection)
            or not _has_our_views(connection)
            or connection.execute("pragma foreign_key_check").fetchone() is not None
            or not _holds_its_invariants(connection)
            or not _is_text(connection)
        )
    except sqlite3.Error as error:
        return getattr(error, "sqlite_errorcode", 0) & 0xFF not in _SURROUNDINGS
    except ValueError:
        return True
    except MemoryError:
        return False


def _holds_its_invariants(connection: sqlite3.Connection) -> bool:
    if connection.execute("select 1 from meta where key = 'upgraded_from'").fetchone():
        return True  # they are not for the rows of an older schema, which wait to be made anew
    return all(connection.execute(load(f"check/{name}")).fetchone() is None for name in names("check"))


def _has_all_tables(connection: sqlite3.Connection) -> bool:
    for table in TABLES.values():
        found = {row[1] for row in connection.execute("select * from pragma_table_info(?)", (table.name,))}
        if found - {"id"} != set(table.columns) - {"id"}:
            return False
    return True


def _has_our_views(connection: sqlite3.Connection) -> bool:
    """Whether the views are those that the index says it has, word by word."""
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
