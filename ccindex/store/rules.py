"""By which rules the rows of an index were made, and by which version of ccindex."""

import sqlite3
from enum import Enum, auto

from ccindex import __version__
from ccindex.model.versions import DECODE_VERSION, DERIVE_VERSION


class Outdated(Enum):
    """Which rows are made by other rules than this ccindex has."""

    NONE = auto()
    DERIVED = auto()
    RECORDED = auto()


def outdated_rows(connection: sqlite3.Connection) -> Outdated:
    """Tell which rows have to be made anew."""
    made_by = dict(connection.execute("select key, value from meta where key in ('decode_version', 'derive_version')"))
    # without either there is nothing in it yet
    if made_by and made_by.get("decode_version") != str(DECODE_VERSION):
        return Outdated.RECORDED
    if made_by and made_by.get("derive_version") != str(DERIVE_VERSION):
        return Outdated.DERIVED
    return Outdated.NONE


def end_upgrade(connection: sqlite3.Connection) -> None:
    """Let an index that was upgraded have its new schema in name too."""
    if connection.execute("select 1 from meta where key = 'upgraded_from'").fetchone():
        connection.execute("delete from meta where key = 'upgraded_from'")


def write_revision(connection: sqlite3.Connection, revision: int) -> None:
    """Let the index say that it changed, and by which ccindex."""
    said = {
        "revision": str(revision),
        "ccindex_version": __version__,
        "decode_version": str(DECODE_VERSION),
        "derive_version": str(DERIVE_VERSION),
    }
    connection.executemany("insert or replace into meta values (?, ?)", said.items())


def next_revision(connection: sqlite3.Connection) -> int:
    """Return the revision that the next change makes."""
    return int(connection.execute("select value from meta where key = 'revision'").fetchone()[0]) + 1
