"""When two texts ask for the same: white space, case and the tags of a teammate's message do not matter."""

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator

_OPEN, _CLOSE = "<teammate-message", "</teammate-message>"
_MARKS = re.compile('[">]')


def fold(text: str) -> str:
    """Text with white space and case made alike."""
    return " ".join(text.split()).casefold()


def ways_to_say(text: str) -> frozenset[str]:
    """The texts by which a first prompt may equal a call's: itself, and the bodies of teammates' messages in it."""
    return frozenset(folded for words in (text, *_bodies(text)) if (folded := fold(words)))


def _bodies(text: str) -> Iterator[str]:
    """Find the bodies of teammates' messages; an attribute in double quotes may hold a `>`."""
    start, last_close = text.find(_OPEN), text.rfind(_CLOSE)
    if start < 0 or last_close < 0:
        return
    tag_ends = _TagEnds(text)
    while start >= 0:
        end = tag_ends.after(start)
        if 0 <= end <= last_close:
            close = text.index(_CLOSE, end)
            yield text[end:close]
            start = text.find(_OPEN, close)
        else:
            start = text.find(_OPEN, start + 1)


class _TagEnds:
    """Where tags of a text end: at the first `>` with an even number of quotes before it."""

    def __init__(self, text: str) -> None:
        self._quotes: list[int] = []
        self._ends: defaultdict[int, list[int]] = defaultdict(list)  # by whether the number of quotes before is odd
        for mark in _MARKS.finditer(text):
            if mark[0] == '"':
                self._quotes.append(mark.start())
            else:
                self._ends[len(self._quotes) % 2].append(mark.end())

    def after(self, start: int) -> int:
        """Return the end of the tag that opens at a position, or -1."""
        ends = self._ends[bisect_left(self._quotes, start) % 2]
        place = bisect_left(ends, start)
        return ends[place] if place < len(ends) else -1
