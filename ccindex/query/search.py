"""Words that a user typed to the entries and queued words that contain them, with the text around the matches."""

import json
import re
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from itertools import islice
from typing import NamedTuple

from ccindex.model.recorded import Block, Content, ToolUse
from ccindex.query.lists import Filters, storable
from ccindex.read.search_text import BREAK, findable, words_of
from ccindex.secrets.masking import MASK, Mask, no_mask
from ccindex.store.create import add_search_texts, like_search
from ccindex.store.sql_files import load

MARKS = ("«", "»")
_ELLIPSIS = "…"
_NEARBY_CHARS = 200  # on both sides of a mask, in which the words next to it are
_BATCH_HITS = 200
_MAX_WORDS = 500  # of a query; a page pasted into the shell would take seconds
_SNIPPET_WORDS = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class HitFilters:
    """Conditions on hits besides the common filters; None: any. `type` can be a kind or a form as well."""

    type: str | None = None
    status: str | None = None


class Hit(NamedTuple):
    """An entry or queued words that match; the lower the rank the better."""

    uuid: str | None  # None: queued words; their source and line identify them
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


def search(
    connection: sqlite3.Connection,
    typed: str,
    filters: Filters,
    conditions: HitFilters | None = None,
    *,
    mask: Mask = no_mask,
) -> list[Hit]:
    """Return what matches words, "phrases", prefix* with AND, OR and NOT; anything else is plain words.

    Texts are masked before snippets are cut from them: a part of a secret cannot be recognised.
    """
    conditions = conditions or HitFilters()
    values = filters.values() | asdict(conditions) | {"type": conditions.type and storable(conditions.type)}
    with closing(sqlite3.connect(":memory:")) as scratch:
        like_search(scratch)
        query = _query(scratch, typed)
        if query is None:
            return []
        rows = connection.execute(load("query/search"), {"query": query, **values}).fetchall()
        snippets = dict(_snippets(scratch, query, _load_texts(connection, [row[6] for row in rows], mask)))
    return [Hit._make((*row[:5], snippets.get(row[6], ""), row[5], *row[7:])) for row in rows]


def _query(scratch: sqlite3.Connection, typed: str) -> str | None:
    """Return what was typed as FTS5 can parse it: as it is, odd words quoted, or as plain words; None: no words."""
    text = findable(typed.encode("utf-8", "replace").decode().replace("\0", " "))
    words = dict.fromkeys(word for word in text.split() if _has_letters(word))
    if not words:
        return None
    plain = " ".join(map(_quoted, islice(words, _MAX_WORDS)))
    mended = " ".join(word if _KEPT.fullmatch(word) else _quoted(word) for word in _WORD.findall(text))
    tried = [mended, plain] if _SPECIAL.search(_PHRASE.sub("", text)) else [text, mended, plain]
    return next((query for query in tried if len(words) <= _MAX_WORDS and _is_parsed(scratch, query)), plain)


def _is_parsed(scratch: sqlite3.Connection, query: str) -> bool:
    try:
        scratch.execute("select 1 from entries_fts where entries_fts match ?", (query,)).fetchall()
    except sqlite3.OperationalError:
        return False
    return True


_PHRASE = re.compile(r'"[^"]*"')
_WORD = re.compile(r'"[^"]*"\*?|\S+')  # a phrase in quotes, or what is between spaces
_KEPT = re.compile(r'"[^"]*"\*?|AND|OR|NOT')
# characters of prose and code that FTS5 takes for a column filter or an operator
_SPECIAL = re.compile(r"[:^{}+-]|^\s*\*")


def _has_letters(word: str) -> bool:
    return any(map(str.isalnum, word))


def _quoted(word: str) -> str:
    """Return a word as a quoted string of FTS5; a star at its end still asks for a prefix."""
    bare = word.rstrip("*")
    return '"{}"{}'.format(bare.replace('"', '""'), "*" if _has_letters(bare) and bare != word else "")


class _HitText(NamedTuple):
    """The texts of an entry or of queued words, masked."""

    kind: str
    is_typed: int
    text: str | None
    content: Content


def _load_texts(connection: sqlite3.Connection, entries: Sequence[int], mask: Mask) -> Iterator[tuple[int, _HitText]]:
    for start in range(0, len(entries), _BATCH_HITS):
        values = {"entries": json.dumps(entries[start : start + _BATCH_HITS])}
        blocks: defaultdict[int, list[Block]] = defaultdict(list)
        uses: defaultdict[int, list[ToolUse]] = defaultdict(list)
        for entry, idx, type_, text, given in connection.execute(load("query/hit_blocks"), values):
            blocks[entry].append(Block(idx, type_, text and mask(text), 0, None, None))
            if given is not None:
                uses[entry].append(ToolUse(idx, None, None, mask(given)))
        for entry, kind, is_typed, text in connection.execute(load("query/hit_texts"), values):
            content = Content(blocks=tuple(blocks[entry]), uses=tuple(uses[entry]))
            yield entry, _HitText(kind, is_typed, text and mask(text), content)


def _snippets(
    scratch: sqlite3.Connection, query: str, texts: Iterable[tuple[int, _HitText]]
) -> Iterator[tuple[int, str]]:
    """Yield the words around the matches; the index stores no texts, so those of the hits are indexed again here.

    For a hit that matched only a secret, which is masked, yield the words around a mask first.
    """
    for entry, hit in texts:
        yield entry, _around_mask(hit)
        words = words_of(hit.kind, hit.content, hit.text, is_typed=bool(hit.is_typed))
        if words is not None:
            add_search_texts(scratch, [(entry, *words)])
    found = scratch.execute(
        "select rowid, snippet(entries_fts, -1, ?, ?, ?, ?) from entries_fts where entries_fts match ?",
        (*MARKS, _ELLIPSIS, _SNIPPET_WORDS, query),
    )
    for entry, snippet in found:
        yield entry, snippet.replace(BREAK, "")


def _around_mask(hit: _HitText) -> str:
    """Return a few words on both sides of the first mask in a hit's texts, or an empty text."""
    texts = (hit.text, *(block.text for block in hit.content.blocks), *(use.input for use in hit.content.uses))
    for text in filter(None, texts):
        before, sign, after = text.partition(MASK)
        if sign:
            start, end = before[-_NEARBY_CHARS:].split(" "), after[:_NEARBY_CHARS].split(" ")
            few = _SNIPPET_WORDS // 2
            return " ".join(start[-few:]) + MASK + " ".join(end[:few])
    return ""
