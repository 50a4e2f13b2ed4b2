"""Helpers of spawn links: texts that ask for the same, and targets outside a thread."""

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ccindex.model.graph import NONE, Call

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


class Target(NamedTuple):
    """An entry to attach at, and the calls that this takes, by their ids if they have any."""

    node: int
    calls: tuple[str | Call, ...]


class Choices:
    """Targets in order of preference.

    Threads are never detached, so targets that were once under one thread stay so. `together` counts those at the
    start. Without it every agent of a chain would pass over the same targets again.
    """

    __slots__ = ("targets", "together")

    def __init__(self, targets: Sequence[Target]) -> None:
        self.targets = targets
        self.together = min(1, len(targets))


class Nesting:
    """Threads attached so far, as a forest with compressed paths."""

    def __init__(self, thread_of: Sequence[int], thread_count: int) -> None:
        self._thread_of = thread_of
        self._top = list(range(thread_count))

    def attach(self, thread: int, node: int) -> bool:
        """Put a thread under that of an entry, unless the entry lies in it or under it."""
        top = self.top(node)
        if top == thread:
            return False
        self._top[thread] = top
        return True

    def top(self, node: int) -> int:
        """Return the topmost thread above an entry's thread; the thread itself if it is attached nowhere."""
        top = thread = self._thread_of[node]
        while self._top[top] != top:
            top = self._top[top]
        while self._top[thread] != top:
            self._top[thread], thread = top, self._top[thread]
        return top

    def common_top(self, choices: Choices) -> int:
        """Return the top of all targets, NONE if they have several or there are none."""
        self._gather(choices)
        is_common = choices.targets and choices.together == len(choices.targets)
        return self.top(choices.targets[0].node) if is_common else NONE

    def first_outside(self, choices: Choices, thread: int) -> Target | None:
        """Return the first target outside a thread, which is under none, and the threads under it."""
        if not choices.targets:
            return None
        if self.top(choices.targets[0].node) != thread:
            return choices.targets[0]
        self._gather(choices)
        return choices.targets[choices.together] if choices.together < len(choices.targets) else None

    def _gather(self, choices: Choices) -> None:
        """Count the targets at the start that are under one thread."""
        targets = choices.targets
        if not targets:
            return
        top = self.top(targets[0].node)
        while choices.together < len(targets) and self.top(targets[choices.together].node) == top:
            choices.together += 1
