"""A session, line, entry or path as its entries in reading order, each with its content."""

import sqlite3
from collections.abc import Iterator
from typing import Any

from .forest import Read
from .ids import Named
from .reading import Manner, reading_of

Shown = dict[str, Any]

TALK = frozenset({"prompt", "assistant", "result"})


def entries_of(
    connection: sqlite3.Connection, named: Named, manner: Manner | None = None, *, everything: bool = True
) -> Iterator[Shown]:
    """Give the entries of what is named, with the columns of v1_entries, `set_aside` and their blocks.

    Of what was set aside only talk, unless it shall be everything.
    """
    for read in reading_of(connection, named, manner or Manner()).entries:
        entry = _shown(connection, read)
        if everything or read.set_aside is None or entry["kind"] in TALK or named.kind == "entry":
            yield entry


def _shown(connection: sqlite3.Connection, read: Read) -> Shown:
    [entry] = _rows(connection, "select * from v1_entries where uuid = ?", read.uuid)
    blocks = _rows(connection, "select * from v1_blocks where uuid = ? order by idx", read.uuid)
    return entry | {"set_aside": read.set_aside, "blocks": blocks}


def _rows(connection: sqlite3.Connection, query: str, uuid: str) -> list[Shown]:
    """Rows of a view with all its columns, by name: whatever is added to it is shown."""
    cursor = connection.execute(query, (uuid,))
    columns = [column[0] for column in cursor.description]
    return [dict(zip(columns, row, strict=True)) for row in cursor]
