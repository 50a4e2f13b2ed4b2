"""Full-text search: what the user typed as a query that FTS5 takes, the entries it finds, and where in them."""

import re
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from itertools import islice
from typing import NamedTuple

from ccindex.model.recorded import Content
from ccindex.query.lists import Filters, storable
from ccindex.read.search_text import BREAK, findable, words_of
from ccindex.secrets.masking import MASK
from ccindex.store.entry_writer import StoredContent, load_content
from ccindex.store.fts import ADD_SEARCH_TEXT, like_search
from ccindex.store.sql_files import load

MARKS = ("«", "»")
_ELLIPSIS = "…"
_NEARBY = 200  # characters around a mask among which the words next to it are looked for
_SNIPPET_WORDS = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """What a hit must be besides what filters ask; None: anything. `type` may be a kind or a form too."""

    type: str | None = None
    status: str | None = None


class Hit(NamedTuple):
    """An entry that was found, or queued words; the lower the rank the better."""

    uuid: str | None  # None: words that no entry holds; their source and line identify them
    session_id: str
    line_id: str | None
    timestamp: str | None
    type: str | None
    snippet: str
    rank: float
    kind: str
    project: str
    agent_id: str | None
    status: str
    fork_uuid: str | None
    timestamp_ms: int | None
    form: str | None
    source_path: str
    line_no: int


def search(connection: sqlite3.Connection, typed: str, filters: Filters, place: Place | None = None) -> list[Hit]:
    """Find entries by words, phrases in quotes, prefixes with a star, AND, OR and NOT; anything else is plain words."""
    place = place or Place()
    values = filters.values() | asdict(place) | {"type": place.type and storable(place.type)}
    with closing(sqlite3.connect(":memory:")) as scratch:
        like_search(scratch)
        query = _query(scratch, typed)
        if query is None:
            return []
        rows = connection.execute(load("query/search"), {"query": query, **values}).fetchall()
        snippets = dict(_snippets(connection, scratch, query, [row[6] for row in rows]))
    return [Hit._make((*row[:5], snippets.get(row[6], ""), row[5], *row[7:])) for row in rows]


def _query(scratch: sqlite3.Connection, typed: str) -> str | None:
    """What was typed as FTS5 can parse it: as it is, with odd words quoted, or as plain words; None: no words."""
    text = findable(typed.encode("utf-8", "replace").decode().replace("\0", " "))
    words = dict.fromkeys(word for word in text.split() if _has_letters(word))
    if not words:
        return None
    plain = " ".join(map(_quoted, islice(words, _MOST)))
    mended = " ".join(word if _KEPT.fullmatch(word) else _quoted(word) for word in _WORD.findall(text))
    tried = [mended, plain] if _SPECIAL.search(_PHRASE.sub("", text)) else [text, mended, plain]
    return next((query for query in tried if len(words) <= _MOST and _is_parsed(scratch, query)), plain)


def _is_parsed(scratch: sqlite3.Connection, query: str) -> bool:
    try:
        scratch.execute("select 1 from entries_fts where entries_fts match ?", (query,)).fetchall()
    except sqlite3.OperationalError:
        return False
    return True


_MOST = 500  # words; a page pasted into the shell takes seconds to look for
_PHRASE = re.compile(r'"[^"]*"')
_WORD = re.compile(r'"[^"]*"\*?|\S+')  # a phrase in quotes, else what stands between blanks
_KEPT = re.compile(r'"[^"]*"\*?|AND|OR|NOT')
# what FTS5 reads as a column's name, the beginning of a column or a command, where people write prose and code
_SPECIAL = re.compile(r"[:^{}+-]|^\s*\*")


def _has_letters(word: str) -> bool:
    return any(map(str.isalnum, word))


def _quoted(word: str) -> str:
    """A word as FTS5 takes it whatever is in it; a star at its end still asks for all that begins so."""
    bare = word.rstrip("*")
    return '"{}"{}'.format(bare.replace('"', '""'), "*" if _has_letters(bare) and bare != word else "")


def _snippets(
    connection: sqlite3.Connection, scratch: sqlite3.Connection, query: str, entries: Sequence[int]
) -> Iterator[tuple[int, str]]:
    """Where the words stand; the index holds no texts, so that those of the hits are indexed once more, aside.

    Of an entry that was found by a secret which is masked now, the words around one.
    """
    for entry in entries:
        said = _queued(connection, -entry) if entry < 0 else load_content(connection, entry)
        yield entry, _around_mask(said)
        words = words_of(said.kind, said.content, said.text, is_typed=bool(said.is_typed))
        if words is not None:
            scratch.execute(ADD_SEARCH_TEXT, (entry, *words))
    found = scratch.execute(
        "select rowid, snippet(entries_fts, -1, ?, ?, ?, ?) from entries_fts where entries_fts match ?",
        (*MARKS, _ELLIPSIS, _SNIPPET_WORDS, query),
    )
    for entry, snippet in found:
        yield entry, snippet.replace(BREAK, "")


def _queued(connection: sqlite3.Connection, occurrence: int) -> StoredContent:
    (text,) = connection.execute("select text from queued_words where occurrence = ?", (occurrence,)).fetchone()
    return StoredContent("prompt", 1, text, Content())


def _around_mask(said: StoredContent) -> str:
    """A few words on both sides of the first mask in an entry's texts; nothing if there is none."""
    texts = (said.text, *(block.text for block in said.content.blocks), *(use.input for use in said.content.uses))
    for text in filter(None, texts):
        before, sign, after = text.partition(MASK)
        if sign:
            start, end = before[-_NEARBY:].split(" "), after[:_NEARBY].split(" ")
            few = _SNIPPET_WORDS // 2
            return " ".join(start[-few:]) + MASK + " ".join(end[:few])
    return ""
