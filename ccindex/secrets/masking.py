"""Text to the secrets in it, and to the same text with those secrets masked."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import NamedTuple

from ccindex.secrets.patterns import KINDS

MASK = "…"
_HINTS = tuple((hint, place) for place, kind in enumerate(KINDS) for hint in kind.hints)
_MIN_CHARS = 8  # no shorter text contains a secret
_CACHED_CHARS = 100  # names and kinds, which many rows repeat
_GROUPS = ("secret", "quoted", "bare", "cut")
_COLOUR = re.compile(r"(?:\x1b|\\++(?:u001b|x1b|033|e))\[[0-9;]{0,20}[mK]")  # of a terminal, or its escape
_COLOURED = ("\x1b[", "1b[", "033[", "\\e[")

Mask = Callable[[str], str]


class Secret(NamedTuple):
    """A secret's kind and place in a text; its first `public` characters are known to everybody and may be shown."""

    kind: str
    start: int
    end: int
    public: int


def find_secrets(text: str) -> Iterator[Secret]:
    """Yield the secrets in a text from left to right. Of overlapping ones only the first, or the longest, is given."""
    end = 0
    for secret in sorted((*_candidates(text), *_coloured(text)), key=lambda one: (one.start, -one.end)):
        if secret.start >= end:
            yield secret
            end = secret.end


def mask(text: str) -> str:
    """Return a text with "…" in place of every secret, after the secret's public beginning."""
    return _mask_cached(text) if len(text) <= _CACHED_CHARS else _mask(text)


def no_mask(text: str) -> str:
    """Return a text as it is, where the user asked for --raw."""
    return text


@lru_cache(maxsize=4096)
def _mask_cached(text: str) -> str:
    return _mask(text)


def _mask(text: str) -> str:
    pieces, place = [], 0
    for secret in find_secrets(text):
        pieces += [text[place : secret.start + secret.public], MASK]
        place = secret.end
    return "".join((*pieces, text[place:])) if pieces else text


def _coloured(text: str) -> Iterator[Secret]:
    """Yield secrets that are split by colour codes, as in the output of grep, by searching the text without them."""
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
    if len(text) < _MIN_CHARS:
        return
    # a plain loop first, because most texts contain no hint
    for place in sorted({place for hint, place in _HINTS if hint in text}):
        kind = KINDS[place]
        for found in kind.found_in(text):
            groups = found.groupdict()
            name = next(name for name in _GROUPS if groups.get(name) is not None)
            public = len(groups.get("public") or "")
            end = found.start(name) + len(found[name].rstrip())
            yield Secret(kind.name, found.start(name) - public, end, public)
