"""The full-text table: one row per entry with text; FTS5 does not store the text itself."""

import os
import sqlite3
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from ccindex.model.events import Row
from ccindex.model.recorded import Words

_TOKENIZE = """tokenize = "unicode61 remove_diacritics 2\""""

_COLUMNS = ", ".join(Words._fields)
ADD_WORDS = f"insert into entries_fts (rowid, {_COLUMNS}) values (?, ?, ?, ?, ?, ?, ?)"  # noqa: S608
# FTS5 takes out what it is told was in: the same words that went in
_REMOVE_WORDS = (
    "insert into entries_fts (entries_fts, rowid, prompt, answer, thinking, input, result, other) "
    "values ('delete', ?, ?, ?, ?, ?, ?, ?)"
)


def words_prefix(index: Path) -> str:
    """How the names of files begin in which the full-text index of a first load is made, beside the index."""
    return f"{index.name}.words-"


def remove_words(index: Path) -> None:
    """Take away such files that killed runs left: they hold what transcripts say."""
    prefix = words_prefix(index)
    with suppress(OSError):
        for name in os.listdir(index.parent):
            if name.startswith(prefix):
                index.with_name(name).unlink(missing_ok=True)


class WordIndex(Protocol):
    """Who lets entries be found by their words."""

    def add(self, rows: list[Row]) -> None:
        """Take in words: an entry, then the texts of each column."""

    def remove(self, entry: int, words: Words) -> None:
        """Take back words of an entry."""


class Searched:
    """The full-text index itself."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def add(self, rows: list[Row]) -> None:
        """Take in words."""
        self._connection.executemany(ADD_WORDS, rows)

    def remove(self, entry: int, words: Words) -> None:
        """Take back words of an entry: those that went in."""
        self._connection.execute(_REMOVE_WORDS, (entry, *words))


def forget_all_words(connection: sqlite3.Connection) -> None:
    """Empty the full-text index."""
    connection.execute("insert into entries_fts (entries_fts) values ('delete-all')")


def like_search(scratch: sqlite3.Connection) -> None:
    """Make a full-text index like the one that migrations make, but with the texts, so that it can show them."""
    scratch.execute(
        f"create virtual table entries_fts using fts5(prompt, answer, thinking, input, result, other, {_TOKENIZE})"
    )
