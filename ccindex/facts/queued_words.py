"""Replay a session's queue operations to find the texts that were removed from the queue."""

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator
from typing import NamedTuple

# The timestamp of a queued command's attachment is a few milliseconds before that of its enqueue operation.
_TOLERANCE_MS = 1_000


class QueueOperation(NamedTuple):
    """A queue operation; `text` is None if none was recorded."""

    occurrence: int
    operation: str
    timestamp_ms: int
    text: str | None


class RemovedText(NamedTuple):
    """Text that a `remove` or `popAll` operation removed from the queue."""

    occurrence: int
    text: str
    timestamp_ms: int
    removed_by: str
    removed_ms: int


class EntryTexts:
    """Entry texts, and the lines of these texts, each with the timestamp of the latest entry that contains it."""

    def __init__(self, texts: Iterable[tuple[str, int]]) -> None:
        self._texts: dict[str, int] = {}
        self._lines: dict[str, int] = {}
        for text, instant in texts:
            _keep_latest(self._texts, _normalize(text), instant)
            for line in text.splitlines():
                _keep_latest(self._lines, _normalize(line), instant)

    def contains(self, text: str, instant: int) -> bool:
        """Return whether an entry since `instant` has the same text, or entries since then contain all its lines."""
        earliest = instant - _TOLERANCE_MS
        if self._texts.get(_normalize(text), earliest - 1) >= earliest:
            return True
        lines = [line for line in map(_normalize, text.splitlines()) if line]
        return bool(lines) and all(self._lines.get(line, earliest - 1) >= earliest for line in lines)


def _normalize(text: str) -> str:
    return " ".join(text.split())


def _keep_latest(latest: dict[str, int], key: str, instant: int) -> None:
    if key and instant >= latest.get(key, instant):
        latest[key] = instant


class _Queue:
    """The queue, in order of arrival."""

    def __init__(self) -> None:
        self._items: dict[int, QueueOperation] = {}  # by occurrence, in order of arrival
        self._by_text: defaultdict[str, deque[int]] = defaultdict(deque)
        self._groups: tuple[deque[int], deque[int]] = deque(), deque()

    def put(self, item: QueueOperation, *, is_delivered: bool) -> None:
        self._items[item.occurrence] = item
        self._groups[is_delivered].append(item.occurrence)
        if item.text is not None:
            self._by_text[item.text].append(item.occurrence)

    def pop_text(self, text: str) -> Iterator[QueueOperation]:
        """Remove and yield the earliest item with the given text."""
        yield from self._pop(self._by_text[text])

    def pop_first(self, *, is_delivered: bool) -> Iterator[QueueOperation]:
        """Remove and yield the earliest item with the given delivery status, or the earliest item if there is none."""
        for group in (self._groups[is_delivered], self._groups[not is_delivered]):
            items = list(self._pop(group))
            if items:
                yield from items
                return

    def pop_all(self) -> Iterator[QueueOperation]:
        """Remove and yield all items."""
        yield from self._items.values()
        self._items = {}

    def _pop(self, occurrences: deque[int]) -> Iterator[QueueOperation]:
        while occurrences:
            item = self._items.pop(occurrences.popleft(), None)
            if item is not None:
                yield item
                return


def find_removed(operations: Iterable[QueueOperation], prompts: EntryTexts) -> Iterator[RemovedText]:
    """Replay operations in time order and yield the texts that were removed.

    In newer transcripts, `remove` and `popAll` contain the text. If an operation contains no text, `popAll` removes all
    texts, `dequeue` is assumed to take the earliest text that is in a prompt, and `remove` the earliest other text.
    """
    queue = _Queue()
    for operation in operations:
        if operation.operation == "enqueue":
            text = operation.text
            queue.put(operation, is_delivered=text is not None and prompts.contains(text, operation.timestamp_ms))
        elif operation.operation == "dequeue":
            for _ in _pop_items(queue, operation, is_delivered=True):
                pass
        elif operation.operation in _REMOVALS:
            for item in _pop_items(queue, operation, is_delivered=False):
                if item.text:
                    yield RemovedText(
                        item.occurrence, item.text, item.timestamp_ms, operation.operation, operation.timestamp_ms
                    )


_REMOVALS = frozenset({"remove", "popAll"})


def _pop_items(queue: _Queue, operation: QueueOperation, *, is_delivered: bool) -> Iterator[QueueOperation]:
    if operation.text is not None:
        return queue.pop_text(operation.text)
    if operation.operation == "popAll":
        return queue.pop_all()
    return queue.pop_first(is_delivered=is_delivered)
