"""A session's queue operations to the texts that were removed from the queue."""

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator
from typing import NamedTuple

# The attachment of a queued command is stamped a few milliseconds before its enqueue operation.
_TOLERANCE_MS = 1_000


class Operation(NamedTuple):
    """A queue operation; `text` is None where none was recorded."""

    occurrence: int
    operation: str
    at: int
    text: str | None


class Removed(NamedTuple):
    """A text that left the queue without being handed to the model as a prompt."""

    occurrence: int
    text: str
    at: int
    removed_by: str
    removed_at: int


class Standing:
    """Texts that entries hold, each with the latest instant at which one does."""

    def __init__(self, texts: Iterable[tuple[str, int]]) -> None:
        self._wholes: dict[str, int] = {}
        self._lines: dict[str, int] = {}
        for text, at in texts:
            _keep(self._wholes, _folded(text), at)
            for line in text.splitlines():
                _keep(self._lines, _folded(line), at)

    def holds(self, text: str, at: int) -> bool:
        """Whether an entry from that instant on is the text, or has all of its lines as lines."""
        earliest = at - _TOLERANCE_MS
        if self._wholes.get(_folded(text), earliest - 1) >= earliest:
            return True
        lines = [line for line in map(_folded, text.splitlines()) if line]
        return bool(lines) and all(self._lines.get(line, earliest - 1) >= earliest for line in lines)


def _folded(text: str) -> str:
    return " ".join(text.split())


def _keep(latest: dict[str, int], key: str, at: int) -> None:
    if key and at >= latest.get(key, at):
        latest[key] = at


class _Queue:
    """Texts that wait, in the order of their arrival."""

    def __init__(self) -> None:
        self._waiting: dict[int, Operation] = {}  # by occurrence, in order
        self._by_text: defaultdict[str, deque[int]] = defaultdict(deque)
        self._groups: tuple[deque[int], deque[int]] = deque(), deque()

    def put(self, item: Operation, *, is_delivered: bool) -> None:
        self._waiting[item.occurrence] = item
        self._groups[is_delivered].append(item.occurrence)
        if item.text is not None:
            self._by_text[item.text].append(item.occurrence)

    def take_named(self, text: str) -> Iterator[Operation]:
        """Take the earliest item of that text."""
        yield from self._take(self._by_text[text])

    def take_first(self, *, is_delivered: bool) -> Iterator[Operation]:
        """Take the earliest item that became a prompt, or that did not; failing that, the earliest of the others."""
        for group in (self._groups[is_delivered], self._groups[not is_delivered]):
            taken = list(self._take(group))
            if taken:
                yield from taken
                return

    def take_all(self) -> Iterator[Operation]:
        """Take every item."""
        yield from self._waiting.values()
        self._waiting = {}

    def _take(self, occurrences: deque[int]) -> Iterator[Operation]:
        while occurrences:
            item = self._waiting.pop(occurrences.popleft(), None)
            if item is not None:
                yield item
                return


def removed_from(operations: Iterable[Operation], prompts: Standing) -> Iterator[Removed]:
    """Replay operations, which are given by time.

    `remove` and `popAll` name the text they take in newer versions. Where they and `dequeue` do not, a dequeued text is
    one that a prompt holds, and a removed one is one that no prompt holds; among several the earliest.
    """
    queue = _Queue()
    for operation in operations:
        if operation.operation == "enqueue":
            text = operation.text
            queue.put(operation, is_delivered=text is not None and prompts.holds(text, operation.at))
        elif operation.operation == "dequeue":
            for _ in _taken(queue, operation, is_delivered=True):
                pass
        elif operation.operation in _REMOVALS:
            for item in _taken(queue, operation, is_delivered=False):
                if item.text:
                    yield Removed(item.occurrence, item.text, item.at, operation.operation, operation.at)


_REMOVALS = frozenset({"remove", "popAll"})


def _taken(queue: _Queue, operation: Operation, *, is_delivered: bool) -> Iterator[Operation]:
    if operation.text is not None:
        return queue.take_named(operation.text)
    if operation.operation == "popAll":
        return queue.take_all()
    return queue.take_first(is_delivered=is_delivered)
