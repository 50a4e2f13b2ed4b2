"""What a person would call a session, and would say of words that Claude Code wrapped in tags."""

import re
import sqlite3

from ccindex.store.sqlfiles import load

# what the editor put before the words
_WRAPPED = re.compile(r"\s*<(ide_[a-z_]+|system-reminder)>.*?</\1>\s*", re.DOTALL)
_TEAMMATE = re.compile(r'\s*<teammate-message\b[^>]*?\bteammate_id="([^"]*)"[^>]*>')
_HEAD = 1_000  # characters that a tag may take
_OUTPUT = re.compile(r"</?(?:local-command-(?:stdout|stderr|caveat)|bash-(?:stdout|stderr))>")


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


def plain_words(text: str) -> str:
    """Words as a person would say them: a command as it was typed, output and prompts without their tags."""
    if text.lstrip().startswith(("<command-", "<bash-input>", "<task-notification")):
        if shell := _within(text, "bash-input"):
            return f"! {shell}"
        told = " ".join(filter(None, (_within(text, "command-name"), _within(text, "command-args"))))
        return told or _within(text, "summary") or text
    if found := _TEAMMATE.match(text[:_HEAD]):
        return text[found.end() :].removesuffix("</teammate-message>").strip()
    if _OUTPUT.match(text):
        return _OUTPUT.sub("", text).strip()
    return _without_wrapping(text)


def _within(text: str, tag: str) -> str | None:
    """What stands in the first of such tags."""
    start = text.find(f"<{tag}>")
    end = text.find(f"</{tag}>", start)
    return text[start + len(tag) + 2 : end].strip() if 0 <= start < end else None


def teammate_in(text: str) -> str | None:
    """Who sent a teammate's message."""
    found = _TEAMMATE.match(text[:_HEAD])
    return found[1] if found else None


def _without_wrapping(prompt: str) -> str:
    """A prompt without what the editor put before it; all of it if that is all."""
    place = 0
    while found := _WRAPPED.match(prompt, place):
        place = found.end()
    return prompt[place:] or prompt
