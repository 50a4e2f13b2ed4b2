"""Find secrets in text, and mask them."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import NamedTuple

from ccindex.secrets.patterns import KINDS

MASK = "…"
_HINTS = tuple((hint, index) for index, kind in enumerate(KINDS) for hint in kind.hints)
_MIN_CHARS = 8  # shorter text cannot contain a secret
_CACHED_CHARS = 100  # maximum length of a cached string; many rows repeat short strings such as names
_GROUPS = ("secret", "quoted", "bare", "cut")
_COLOUR_CODE = re.compile(r"(?:\x1b|\\++(?:u001b|x1b|033|e))\[[0-9;]{0,20}[mK]")  # raw or escaped
_COLOUR_HINTS = ("\x1b[", "1b[", "033[", "\\e[")

Mask = Callable[[str], str]


class Secret(NamedTuple):
    """The kind and position of a secret; its first `public` characters are not secret and may be shown."""

    kind: str
    start: int
    end: int
    public: int


def find_secrets(text: str) -> Iterator[Secret]:
    """Yield the secrets in the text from left to right.

    If secrets overlap, only the first is yielded, or the longest if several start at the same position.
    """
    end = 0
    for secret in sorted((*_candidates(text), *_coloured(text)), key=lambda secret: (secret.start, -secret.end)):
        if secret.start >= end:
            yield secret
            end = secret.end


def mask(text: str) -> str:
    """Replace every secret in the text with "…", except for its public prefix."""
    return _mask_cached(text) if len(text) <= _CACHED_CHARS else _mask(text)


def no_mask(text: str) -> str:
    """Return the text unchanged, for --raw."""
    return text


@lru_cache(maxsize=4096)
def _mask_cached(text: str) -> str:
    return _mask(text)


def _mask(text: str) -> str:
    pieces, position = [], 0
    for secret in find_secrets(text):
        pieces += [text[position : secret.start + secret.public], MASK]
        position = secret.end
    return "".join((*pieces, text[position:])) if pieces else text


def _coloured(text: str) -> Iterator[Secret]:
    """Yield secrets that contain colour codes, as in the output of grep; the text is searched without the codes."""
    if not any(hint in text for hint in _COLOUR_HINTS):
        return
    plain, positions, lengths, end = [], [], [0], 0
    for colour in _COLOUR_CODE.finditer(text):
        plain.append(text[end : colour.start()])
        end = colour.end()
        positions.append(colour.start() - lengths[-1])
        lengths.append(lengths[-1] + len(colour[0]))
    if not positions:
        return
    for kind, start, last, public in _candidates("".join((*plain, text[end:]))):
        first, hidden = (index + lengths[bisect_right(positions, index)] for index in (start, start + public))
        yield Secret(kind, first, last + lengths[bisect_left(positions, last)], hidden - first)


def _candidates(text: str) -> Iterator[Secret]:
    if len(text) < _MIN_CHARS:
        return
    # most strings contain no hint
    for index in sorted({index for hint, index in _HINTS if hint in text}):
        kind = KINDS[index]
        for match in kind.find_matches(text):
            groups = match.groupdict()
            name = next(name for name in _GROUPS if groups.get(name) is not None)
            public = len(groups.get("public") or "")
            end = match.start(name) + len(match[name].rstrip())
            yield Secret(kind.name, match.start(name) - public, end, public)
