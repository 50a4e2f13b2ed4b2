"""Finds the secrets in a text, and masks them."""

import re
import sqlite3
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

from ccindex.secrets.patterns import KINDS

MASK = "…"
_HINTS = tuple((hint, place) for place, kind in enumerate(KINDS) for hint in kind.hints)
_SHORTEST = 8  # signs of a text with a secret in it
_GROUPS = ("secret", "quoted", "bare", "cut")
_COLOUR = re.compile(r"(?:\x1b|\\++(?:u001b|x1b|033|e))\[[0-9;]{0,20}[mK]")  # of a terminal, or its escape
_COLOURED = ("\x1b[", "1b[", "033[", "\\e[")


class Secret(NamedTuple):
    """What nobody may see of a text, and its kind; the first `public` characters of it are known to everybody."""

    kind: str
    start: int
    end: int
    public: int


def find(text: str) -> Iterator[Secret]:
    """Give the secrets in a text from the left; of those that overlap the first, and of those the longest."""
    end = 0
    for secret in sorted((*_candidates(text), *_coloured(text)), key=lambda one: (one.start, -one.end)):
        if secret.start >= end:
            yield secret
            end = secret.end


def masked(text: str) -> str:
    """A text with a sign in the place of every secret: what it begins with stays where that is public."""
    pieces, place = [], 0
    for secret in find(text):
        pieces += [text[place : secret.start + secret.public], MASK]
        place = secret.end
    return "".join((*pieces, text[place:])) if pieces else text


def masked_row(cursor: sqlite3.Cursor, row: tuple[Any, ...]) -> tuple[Any, ...]:
    """A row for people, as a connection's row factory: every text masked before anything is made of it.

    Save ids, by which other rows are looked up.
    """
    if not any(type(value) is str for value in row):
        return row
    return tuple(
        _masked_value(value) if type(value) is str and not _is_id(column[0]) else value
        for value, column in zip(row, cursor.description, strict=True)
    )


_SHORT = 100  # signs of a name or a kind, which many rows have


def _masked_value(text: str) -> str:
    return _masked_name(text) if len(text) <= _SHORT else masked(text)


@lru_cache(maxsize=4096)
def _masked_name(text: str) -> str:
    return masked(text)


@lru_cache(maxsize=512)
def _is_id(column: str) -> bool:
    return column == "id" or column.endswith(("uuid", "_id"))


def _coloured(text: str) -> Iterator[Secret]:
    """Give those that a colour parts, as `grep` does with what it finds: by what the text is without."""
    if not any(hint in text for hint in _COLOURED):
        return
    plain, places, lengths, end = [], [], [0], 0
    for colour in _COLOUR.finditer(text):
        plain.append(text[end : colour.start()])
        end = colour.end()
        places.append(colour.start() - lengths[-1])
        lengths.append(lengths[-1] + len(colour[0]))
    if not places:
        return
    for kind, start, last, public in _candidates("".join((*plain, text[end:]))):
        first, hidden = (place + lengths[bisect_right(places, place)] for place in (start, start + public))
        yield Secret(kind, first, last + lengths[bisect_left(places, last)], hidden - first)


def _candidates(text: str) -> Iterator[Secret]:
    if len(text) < _SHORTEST:
        return
    # one plain loop first: most texts have no hint of anything
    for place in sorted({place for hint, place in _HINTS if hint in text}):
        kind = KINDS[place]
        for found in kind.found_in(text):
            groups = found.groupdict()
            name = next(name for name in _GROUPS if groups.get(name) is not None)
            public = len(groups.get("public") or "")
            end = found.start(name) + len(found[name].rstrip())
            yield Secret(kind.name, found.start(name) - public, end, public)
