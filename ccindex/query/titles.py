"""What a session is called in lists and headings."""

import sqlite3

from ccindex.read.tags import part_context, plain_words, teammate_in
from ccindex.store.sqlfiles import load

__all__ = ["part_context", "plain_words", "teammate_in", "title_of", "titled"]


def title_of(connection: sqlite3.Connection, session_id: str) -> str:
    """Name a session: title, first prompt, first command, or what its first subagent was told; else nothing."""
    find = "select title, first_prompt from v1_sessions where session_id = ?"
    title, first_prompt = connection.execute(find, (session_id,)).fetchone() or (None, None)
    return titled(connection, session_id, title, first_prompt)


def titled(connection: sqlite3.Connection, session_id: str, title: str | None, first_prompt: str | None) -> str:
    """Name a session of which the title and the first prompt are known."""
    if title:
        return title
    if first_prompt:
        return plain_words(first_prompt)
    row = connection.execute(load("query/first_words"), {"session_id": session_id}).fetchone()
    return plain_words(row[0]) if row and row[0] else ""
