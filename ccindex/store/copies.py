"""Write which copies own entries and how copies differ, and read the content of entries whose owner changes."""

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from ccindex.model.events import Row
from ccindex.model.recorded import Block, Content, ToolUse
from ccindex.store.rows import insert_into


def mark_copied(connection: sqlite3.Connection, entries: Iterable[int]) -> None:
    """Mark all occurrences of the given entries as having copies."""
    connection.execute(
        "update occurrences set has_copies = 1 "
        "where has_copies = 0 and entry in (select value from json_each(:entries))",
        {"entries": json.dumps(list(entries))},
    )


def set_owners(connection: sqlite3.Connection, owners: Mapping[int, int]) -> None:
    """Make the given occurrences the only owners of their entries; `owners`: occurrences by entry."""
    revoke = "update occurrences set is_owner = 0 where entry = ? and is_owner = 1"
    connection.executemany(revoke, ((entry,) for entry in owners))
    connection.executemany("update occurrences set is_owner = 1 where id = ?", ((owner,) for owner in owners.values()))


def replace_conflicts(connection: sqlite3.Connection, entries: Sequence[int], rows: Sequence[Row]) -> None:
    """Replace the copy conflicts of the given entries."""
    delete = "delete from copy_conflicts where entry in (select value from json_each(:entries))"
    connection.execute(delete, {"entries": json.dumps(entries)})
    connection.executemany(insert_into("copy_conflicts"), rows)


class StoredContent(NamedTuple):
    """The stored text and content of an entry."""

    kind: str
    is_typed: int
    text: str | None
    content: Content


def load_content(connection: sqlite3.Connection, entry: int) -> StoredContent:
    """Read the text, the blocks and the calls of an entry."""
    # not owned_entries, because the owner may have been deleted
    find = "select t.kind, t.is_typed, e.text from entries e join entry_traits t on t.id = e.traits where e.id = ?"
    kind, is_typed, text = connection.execute(find, (entry,)).fetchone()
    blocks = connection.execute(
        f"select {', '.join(Block._fields)} from blocks where entry = ? order by idx",  # noqa: S608
        (entry,),
    )
    uses = connection.execute(
        f"select {', '.join(ToolUse._fields)} from tool_uses where entry = ? order by idx",  # noqa: S608
        (entry,),
    )
    content = Content(blocks=tuple(map(Block._make, blocks)), uses=tuple(map(ToolUse._make, uses)))
    return StoredContent(kind, is_typed, text, content)
