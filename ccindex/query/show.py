"""A session, line, entry or path as its entries in reading order, each with its content."""

import sqlite3
from collections.abc import Iterator
from typing import Any

from ccindex.store.sqlfiles import load

from .forest import Read, Tree, forest, read_inline, read_line
from .ids import Named

Shown = dict[str, Any]


def entries_of(connection: sqlite3.Connection, named: Named, *, inline: bool = False) -> Iterator[Shown]:
    """Give the entries of what is named, with the columns of v1_entries, `set_aside` and their blocks."""
    for read in _reading(connection, named, inline=inline):
        yield _shown(connection, read)


def _reading(connection: sqlite3.Connection, named: Named, *, inline: bool) -> Iterator[Read]:
    if named.kind == "entry":
        find = "select p.position, p.reason from entries e join places p on p.entry = e.id where e.uuid = ?"
        position, reason = connection.execute(find, (named.id,)).fetchone()
        yield Read(named.id, position or 0, reason)
    elif named.kind == "path":
        yield from _path(connection, named.id.removeprefix("path-"))
    elif named.kind == "line":
        yield from _lines(connection, "line_id", named.id, inline=inline)
    else:
        yield from _lines(connection, "session_id", named.id, inline=inline)


def _path(connection: sqlite3.Connection, leaf_uuid: str) -> Iterator[Read]:
    """Follow a path down from its root, along each line to where the next one leaves."""
    for number, upto in connection.execute(load("query/path_lines"), {"leaf_uuid": leaf_uuid}).fetchall():
        yield from read_line(connection, number, upto=upto)


def _lines(connection: sqlite3.Connection, column: str, wanted: str, *, inline: bool) -> Iterator[Read]:
    """Read the lines of a session, or one line, in the order of the tree; inline with all that hangs on them."""
    find = (
        "select i.session_id from lines l join threads t on t.id = l.thread join session_ids i on i.id = t.session "
        "where l.line_id = ?"
    )
    session = wanted if column == "session_id" else connection.execute(find, (wanted,)).fetchone()[0]
    tree = forest(connection, session)
    inside = [line for line, _, _ in tree.downwards() if getattr(line, column) == wanted]
    if not inside:
        yield from _copied(connection, tree, session)
    if not inline:
        for line in inside:
            yield from read_line(connection, line.number)
        return
    numbers = {line.number for line in inside}
    entered: set[int] = set()
    for line in inside:
        if line.number not in entered:
            entered.update(below.number for below, _, _ in tree.downwards([line.number]) if below.number in numbers)
            yield from read_inline(connection, tree, line.number)


def _copied(connection: sqlite3.Connection, tree: Tree, session: str) -> Iterator[Read]:
    """Read what a session holds that owns none of it: its copies, where the owners' lines have them."""
    find = (
        "select 1 from entries e join occurrences o on o.entry = e.id join session_ids i on i.id = o.session "
        "where e.uuid = ? and i.session_id = ?"
    )
    for line, _, _ in tree.downwards():
        for read in read_line(connection, line.number):
            if connection.execute(find, (read.uuid, session)).fetchone():
                yield read


def _shown(connection: sqlite3.Connection, read: Read) -> Shown:
    [entry] = _rows(connection, "select * from v1_entries where uuid = ?", read.uuid)
    blocks = _rows(connection, "select * from v1_blocks where uuid = ? order by idx", read.uuid)
    return entry | {"set_aside": read.set_aside, "blocks": blocks}


def _rows(connection: sqlite3.Connection, query: str, uuid: str) -> list[Shown]:
    """Rows of a view with all its columns, by name: whatever is added to it is shown."""
    cursor = connection.execute(query, (uuid,))
    columns = [column[0] for column in cursor.description]
    return [dict(zip(columns, row, strict=True)) for row in cursor]
