"""The full-text table: one row per entry with text; FTS5 does not store the text itself."""

import sqlite3

from ccindex.model.recorded import Words

_TOKENIZE = """tokenize = "unicode61 remove_diacritics 2\""""

_COLUMNS = ", ".join(Words._fields)
ADD_SEARCH_TEXT = f"insert into entries_fts (rowid, {_COLUMNS}) values (?, ?, ?, ?, ?, ?, ?)"  # noqa: S608
_REMOVE = f"insert into entries_fts (entries_fts, rowid, {_COLUMNS}) values ('delete', ?, ?, ?, ?, ?, ?, ?)"  # noqa: S608


def remove_search_text(connection: sqlite3.Connection, entry: int, text: Words) -> None:
    """Remove the text of an entry, which must be the one that was added."""
    connection.execute(_REMOVE, (entry, *text))


def forget_all_words(connection: sqlite3.Connection) -> None:
    """Empty the full-text index."""
    connection.execute("insert into entries_fts (entries_fts) values ('delete-all')")


def like_search(scratch: sqlite3.Connection) -> None:
    """Make a full-text index like the one that migrations make, but with the texts, so that it can show them."""
    scratch.execute(
        f"create virtual table entries_fts using fts5(prompt, answer, thinking, input, result, other, {_TOKENIZE})"
    )
