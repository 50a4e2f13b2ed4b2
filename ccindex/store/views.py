"""The public face: the `v1_*` views of `sql/views`, made anew whenever their text changes."""

import sqlite3

import xxhash

from .sqlfiles import load, names


def views_are_current(connection: sqlite3.Connection) -> bool:
    """Whether the index has the views of this ccindex."""
    row = connection.execute("select value from meta where key = 'views_digest'").fetchone()
    return row is not None and row[0] == _digest()


def refresh_views(connection: sqlite3.Connection) -> None:
    """Replace all views, inside the caller's transaction."""
    drop_views(connection)
    for name in names("views"):
        connection.execute(load(f"views/{name}"))
    connection.execute("insert or replace into meta values ('views_digest', ?)", (_digest(),))


def drop_views(connection: sqlite3.Connection) -> None:
    """Take the views away, so that tables below them can be altered."""
    found = connection.execute("select name from sqlite_schema where type = 'view' and name glob 'v1_*'")
    for (name,) in found.fetchall():
        connection.execute('drop view "{}"'.format(name.replace('"', '""')))


def _digest() -> str:
    return xxhash.xxh3_128_hexdigest("\0".join(load(f"views/{name}") for name in names("views")).encode())
