"""Normalise prompts for comparison, and find entries that an agent's thread can attach to without forming a cycle."""

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ccindex.model.graph import NONE, Call

_OPEN, _CLOSE = "<teammate-message", "</teammate-message>"
_MARKS = re.compile('[">]')


def fold(text: str) -> str:
    """Normalise the white space and case of a string."""
    return " ".join(text.split()).casefold()


def prompt_variants(text: str) -> frozenset[str]:
    """Return the normalised texts that a call's prompt may equal: the whole text and each teammate message in it."""
    return frozenset(folded for part in (text, *_bodies(text)) if (folded := fold(part)))


def _bodies(text: str) -> Iterator[str]:
    """Yield the bodies of teammate messages. An attribute in double quotes may contain a `>`."""
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
    """Finds the end of a tag: the first `>` after an even number of double quotes, counted from the tag's start."""

    def __init__(self, text: str) -> None:
        self._quotes: list[int] = []
        # the key is 1 if an odd number of quotes precedes the `>`, else 0
        self._ends: defaultdict[int, list[int]] = defaultdict(list)
        for mark in _MARKS.finditer(text):
            if mark[0] == '"':
                self._quotes.append(mark.start())
            else:
                self._ends[len(self._quotes) % 2].append(mark.end())

    def after(self, start: int) -> int:
        """Return the end of the tag that opens at `start`, or -1 if the tag does not end."""
        ends = self._ends[bisect_left(self._quotes, start) % 2]
        index = bisect_left(ends, start)
        return ends[index] if index < len(ends) else -1


class SpawnTarget(NamedTuple):
    """An entry that an agent can attach to, and the calls that are then no longer available to other agents.

    `calls` contains the id of each call, or the call itself if it has no id.
    """

    node: int
    calls: tuple[str | Call, ...]


class Choices:
    """Targets in order of preference.

    `same_top_count` counts the leading targets that are known to have the same topmost thread. Threads are never
    detached, so the count only grows. Without the count, every agent in a chain of nested agents would check the same
    targets again.
    """

    __slots__ = ("same_top_count", "targets")

    def __init__(self, targets: Sequence[SpawnTarget]) -> None:
        self.targets = targets
        self.same_top_count = min(1, len(targets))


class Nesting:
    """The threads attached so far, as a forest with path compression."""

    def __init__(self, thread_of: Sequence[int], thread_count: int) -> None:
        self._thread_of = thread_of
        self._top = list(range(thread_count))

    def attach(self, thread: int, node: int) -> bool:
        """Attach a thread to the thread of an entry. Return False if that entry is in the thread itself or below it."""
        top = self.top(node)
        if top == thread:
            return False
        self._top[thread] = top
        return True

    def top(self, node: int) -> int:
        """Return the topmost thread above an entry's thread, or the thread itself if it is not attached."""
        top = thread = self._thread_of[node]
        while self._top[top] != top:
            top = self._top[top]
        while self._top[thread] != top:
            self._top[thread], thread = top, self._top[thread]
        return top

    def common_top(self, choices: Choices) -> int:
        """Return the topmost thread above the targets if all of them share it, else NONE."""
        self._gather(choices)
        is_common = choices.targets and choices.same_top_count == len(choices.targets)
        return self.top(choices.targets[0].node) if is_common else NONE

    def first_outside(self, choices: Choices, thread: int) -> SpawnTarget | None:
        """Return the first target that is neither in `thread` nor below it. `thread` must not be attached yet."""
        if not choices.targets:
            return None
        if self.top(choices.targets[0].node) != thread:
            return choices.targets[0]
        self._gather(choices)
        return choices.targets[choices.same_top_count] if choices.same_top_count < len(choices.targets) else None

    def _gather(self, choices: Choices) -> None:
        """Extend `same_top_count` to all leading targets that have the same topmost thread."""
        targets = choices.targets
        if not targets:
            return
        top = self.top(targets[0].node)
        while choices.same_top_count < len(targets) and self.top(targets[choices.same_top_count].node) == top:
            choices.same_top_count += 1
