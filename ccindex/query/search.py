"""Search entries and queued text with a full-text query, and cut snippets around the matches."""

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
from ccindex.query.lists import Filters, escape_surrogates
from ccindex.read.search_text import BREAK, build_search_text, normalize_for_search
from ccindex.secrets.masking import MASK, Mask, no_mask
from ccindex.store.create import ROWID_STEP, add_search_texts, create_search_table
from ccindex.store.sql_files import load

MARKS = ("«", "»")
_ELLIPSIS = "…"
_NEARBY_CHARS = 200  # on each side of a mask; the snippet is cut from this text
_BATCH_HITS = 200
_MAX_WORDS = 500  # per query; a longer query, such as a pasted page, would take seconds
_SNIPPET_WORDS = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class HitFilters:
    """Conditions on hits in addition to the common filters; None matches all. `type` can be a type, kind or form."""

    type: str | None = None
    status: str | None = None


class Hit(NamedTuple):
    """A matching entry or matching queued text; a lower rank is a better match."""

    uuid: str | None  # None for queued text, which source_path and line_no identify
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
    query_text: str,
    filters: Filters,
    conditions: HitFilters | None = None,
    *,
    mask: Mask = no_mask,
) -> list[Hit]:
    """Return the hits for a query of words, "phrases", prefix*, AND, OR, NOT, NEAR(...) and parentheses.

    Any other syntax is treated as plain words, and so is a query with invalid syntax. Text is masked before snippets
    are cut from it, because part of a secret would not be recognised.
    """
    conditions = conditions or HitFilters()
    values = filters.values() | asdict(conditions) | {"type": conditions.type and escape_surrogates(conditions.type)}
    with closing(sqlite3.connect(":memory:")) as scratch:
        create_search_table(scratch)
        query = _query(scratch, query_text)
        if query is None:
            return []
        rows = connection.execute(load("query/search"), {"query": query, **values}).fetchall()
        snippets = dict(_snippets(scratch, query, _load_texts(connection, [row[6] for row in rows], mask)))
    return [Hit._make((*row[:5], snippets.get(row[6], ""), row[5], *row[7:])) for row in rows]


def _query(scratch: sqlite3.Connection, query_text: str) -> str | None:
    """Return the query in a form that FTS5 can parse, or None if it contains no words.

    The query is used unchanged if possible. Otherwise all words except AND, OR and NOT are quoted. If that is not
    valid either, all words are quoted.
    """
    text = normalize_for_search(query_text.encode("utf-8", "replace").decode().replace("\0", " "))
    words = dict.fromkeys(word for word in text.split() if _has_letters(word))
    if not words:
        return None
    all_quoted = " ".join(map(_quoted, islice(words, _MAX_WORDS)))
    special_quoted = " ".join(word if _UNQUOTED.fullmatch(word) else _quoted(word) for word in _WORD.findall(text))
    candidates = [special_quoted, all_quoted]
    if not _SPECIAL.search(_PHRASE.sub("", text)):
        candidates.insert(0, text)
    is_short = len(words) <= _MAX_WORDS
    return next((query for query in candidates if is_short and _is_valid(scratch, query)), all_quoted)


def _is_valid(scratch: sqlite3.Connection, query: str) -> bool:
    try:
        scratch.execute("select 1 from entries_fts where entries_fts match ?", (query,)).fetchall()
    except sqlite3.OperationalError:
        return False
    return True


_PHRASE = re.compile(r'"[^"]*"')
_WORD = re.compile(r'"[^"]*"\*?|\S+')  # a phrase in quotes, or text between spaces
_UNQUOTED = re.compile(r'"[^"]*"\*?|AND|OR|NOT')
# characters that are common in prose and code, but that FTS5 parses as a column filter or an operator
_SPECIAL = re.compile(r"[:^{}+-]|^\s*\*")


def _has_letters(word: str) -> bool:
    return any(map(str.isalnum, word))


def _quoted(word: str) -> str:
    """Quote a word as an FTS5 string; a trailing * still marks a prefix."""
    bare = word.rstrip("*")
    return '"{}"{}'.format(bare.replace('"', '""'), "*" if _has_letters(bare) and bare != word else "")


class _HitText(NamedTuple):
    """The masked texts of an entry or of queued text."""

    kind: str
    is_typed: int
    text: str | None
    content: Content


def _load_texts(connection: sqlite3.Connection, entries: Sequence[int], mask: Mask) -> Iterator[tuple[int, _HitText]]:
    for start in range(0, len(entries), _BATCH_HITS):
        values = {"entries": json.dumps(entries[start : start + _BATCH_HITS])}
        blocks: defaultdict[int, list[Block]] = defaultdict(list)
        uses: defaultdict[int, list[ToolUse]] = defaultdict(list)
        for entry, idx, type_, text, input_ in connection.execute(load("query/search_hit_blocks"), values):
            blocks[entry].append(Block(idx, type_, text and mask(text), 0, None, None))
            if input_ is not None:
                uses[entry].append(ToolUse(idx, None, None, mask(input_)))
        for entry, kind, is_typed, text in connection.execute(load("query/search_hit_texts"), values):
            content = Content(blocks=tuple(blocks[entry]), uses=tuple(uses[entry]))
            yield entry, _HitText(kind, is_typed, text and mask(text), content)


def _snippets(
    scratch: sqlite3.Connection, query: str, texts: Iterable[tuple[int, _HitText]]
) -> Iterator[tuple[int, str]]:
    """Yield (entry, snippet) pairs; a later pair replaces an earlier pair for the same entry.

    The texts are indexed again here, because the full-text index does not store them. If the query matched only a
    masked secret, the snippet is the text around the mask.
    """
    for entry, hit in texts:
        yield entry, _snippet_around_mask(hit)
        words = build_search_text(hit.kind, hit.content, hit.text, is_typed=bool(hit.is_typed))
        if words is not None:
            add_search_texts(scratch, [(entry, *words)])
    rows = scratch.execute(
        "select rowid % ?, snippet(entries_fts, -1, ?, ?, ?, ?) from entries_fts where entries_fts match ? "
        "order by abs(rowid) desc",  # so that the first piece of a long text comes last and replaces the others
        (ROWID_STEP, *MARKS, _ELLIPSIS, _SNIPPET_WORDS, query),
    )
    for entry, snippet in rows:
        yield entry, snippet.replace(BREAK, "")


def _snippet_around_mask(hit: _HitText) -> str:
    """Return a few words on both sides of the first mask in the texts of a hit, or an empty string."""
    texts = (hit.text, *(block.text for block in hit.content.blocks), *(use.input for use in hit.content.uses))
    for text in filter(None, texts):
        before, sign, after = text.partition(MASK)
        if sign:
            start, end = before[-_NEARBY_CHARS:].split(" "), after[:_NEARBY_CHARS].split(" ")
            count = _SNIPPET_WORDS // 2
            return " ".join(start[-count:]) + MASK + " ".join(end[:count])
    return ""
