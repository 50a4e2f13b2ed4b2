"""A session, line, entry or path as its entries in reading order, each with its content."""

import sqlite3
from collections.abc import Iterator
from typing import Any

from ccindex.store.sqlfiles import load

from .forest import Read
from .ids import Named
from .reading import Manner, reading_of

Shown = dict[str, Any]

TALK = frozenset({"prompt", "assistant", "result"})


def entries_of(
    connection: sqlite3.Connection, named: Named, manner: Manner | None = None, *, everything: bool = True
) -> Iterator[Shown]:
    """Give the entries of what is named, with the columns of v1_entries, `set_aside` and their blocks.

    Queued words that no entry holds are given where they stand, with the uuid None. Of what was set aside only talk and
    typed words are given, unless it shall be everything.
    """
    for read in reading_of(connection, named, manner or Manner()).entries:
        entry = _shown(connection, read) if read.queued is None else _queued(connection, read.queued)
        if everything or read.set_aside is None or entry["kind"] in TALK or entry["is_typed"] or named.kind == "entry":
            yield entry


def _shown(connection: sqlite3.Connection, read: Read) -> Shown:
    [entry] = _rows(connection, "select * from v1_entries where uuid = :uuid", uuid=read.uuid)
    blocks = _rows(connection, "select * from v1_blocks where uuid = :uuid order by idx", uuid=read.uuid)
    return entry | {"set_aside": read.set_aside, "blocks": blocks}


def _queued(connection: sqlite3.Connection, occurrence: int) -> Shown:
    """Queued words in the form of an entry; their source and line identify them."""
    find = "select * from v1_entries limit 0"
    nothing = dict.fromkeys(column[0] for column in connection.execute(find).description)
    [words] = _rows(connection, load("query/queued_words"), occurrence=occurrence)
    block = {"uuid": None, "idx": 0, "type": "text", "text": words["text"]}
    return nothing | words | {"set_aside": None, "blocks": [block]}


def _rows(connection: sqlite3.Connection, query: str, **values: str | int | None) -> list[Shown]:
    """Rows of a view with all its columns, by name: whatever is added to it is shown."""
    cursor = connection.execute(query, values)
    columns = [column[0] for column in cursor.description]
    return [dict(zip(columns, row, strict=True)) for row in cursor]
