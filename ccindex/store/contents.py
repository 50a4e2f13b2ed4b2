"""What the index holds of an entry's words, read back as the values they were written from."""

import sqlite3
from typing import NamedTuple

from ccindex.model.facts import Block, Content, ToolUse


class Said(NamedTuple):
    """An entry's words as they are stored."""

    kind: str
    is_typed: int
    text: str | None
    content: Content


def load_said(connection: sqlite3.Connection, entry: int) -> Said:
    """Read the blocks, the calls and the own text of an entry that was seen."""
    find = "select kind, is_typed, text from entries where id = ?"
    kind, is_typed, text = connection.execute(find, (entry,)).fetchone()
    blocks = connection.execute(
        "select idx, type, text, byte_size, media_type, details from blocks where entry = ? order by idx", (entry,)
    )
    uses = connection.execute(
        "select idx, tool_use_id, name, input from tool_uses where entry = ? order by idx", (entry,)
    )
    content = Content(blocks=tuple(map(Block._make, blocks)), uses=tuple(map(ToolUse._make, uses)))
    return Said(kind, is_typed, text, content)
