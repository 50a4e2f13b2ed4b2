"""The full-text index: one row an entry that has words, which FTS5 keeps without the texts themselves."""

import sqlite3

_TOKENIZE = """tokenize = "unicode61 remove_diacritics 2\""""

ADD_WORDS = "insert into search (rowid, prompt, answer, thinking, input, result, other) values (?, ?, ?, ?, ?, ?, ?)"
# FTS5 takes out what it is told was in: the same words that went in
REMOVE_WORDS = (
    "insert into search (search, rowid, prompt, answer, thinking, input, result, other) "
    "values ('delete', ?, ?, ?, ?, ?, ?, ?)"
)


def forget_all_words(connection: sqlite3.Connection) -> None:
    """Empty the full-text index."""
    connection.execute("insert into search (search) values ('delete-all')")


def like_search(scratch: sqlite3.Connection) -> None:
    """Make a full-text index like the one that migrations make, but with the texts, so that it can show them."""
    scratch.execute(
        f"create virtual table search using fts5(prompt, answer, thinking, input, result, other, {_TOKENIZE})"
    )
