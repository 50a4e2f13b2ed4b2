"""Compute talk, height and responses at and below the entries of a thread (rule: talk, subtree_talk)."""

from typing import NamedTuple

from .entries import Entry, Time
from .entry_graph import EntryGraph


class SubtreeContent(NamedTuple):
    """The responses at or below an entry, and the texts and calls of the entries that belong to a response."""

    responses: set[str]
    texts: set[str]
    calls: set[str]


class Subtrees:
    """Computes properties of the subtrees below entries, and caches them."""

    def __init__(self, graph: EntryGraph) -> None:
        self.graph = graph
        self._latest: dict[str, Time | None] = {}
        self._talk_below: dict[str, bool] = {}
        self._contents: dict[str, SubtreeContent] = {}

    def entry(self, uuid: str) -> Entry:
        return self.graph.entries[uuid]

    def whole(self, uuid: str) -> list[str]:
        """Return the entry and everything below it."""
        return [uuid, *self.graph.below(uuid)]

    def has_talk_below(self, uuid: str) -> bool:
        if uuid not in self._talk_below:
            self._talk_below[uuid] = any(self.entry(other).is_talk for other in self.graph.below(uuid))
        return self._talk_below[uuid]

    def latest_talk(self, uuid: str) -> Time | None:
        """Return the time of the latest talk entry at or below an entry, or None if there is no talk."""
        if uuid not in self._latest:
            times = [self.entry(other).time for other in self.whole(uuid) if self.entry(other).is_talk]
            self._latest[uuid] = max(times, default=None)
        return self._latest[uuid]

    def first_talk(self, uuid: str, *, skip_synthetic: bool = False) -> Entry | None:
        """Return the nearest talk entry at or below an entry; if several are equally near, return the earliest."""
        level = [uuid]
        while level:
            entries = [self.entry(other) for other in self.graph.by_time(level)]
            for entry in entries:
                if entry.is_talk and not (skip_synthetic and entry.is_synthetic):
                    return entry
            level = [child for other in level for child in self.graph.children(other)]
        return None

    def height(self, uuid: str) -> int:
        """Return 0 for a leaf, otherwise 1 plus the greatest height of a child."""
        height = 0
        level = self.graph.children(uuid)
        while level:
            height += 1
            level = [child for other in level for child in self.graph.children(other)]
        return height

    def content(self, uuid: str) -> SubtreeContent:
        if uuid not in self._contents:
            entries = [entry for other in self.whole(uuid) if (entry := self.entry(other)).response]
            self._contents[uuid] = SubtreeContent(
                {entry.response for entry in entries if entry.response},
                {text for entry in entries for text in entry.texts},
                {call for entry in entries for call in entry.use_ids},
            )
        return self._contents[uuid]

    def is_recorded_again(self, uuid: str, *, by: str) -> bool:
        """Return whether the subtree of `by` repeats all responses, and some text or call, of the subtree of `uuid`."""
        one, other = self.content(uuid), self.content(by)
        if not one.responses or not one.responses <= other.responses:
            return False
        return bool(one.texts & other.texts or one.calls & other.calls)

    def with_latest_talk(self, uuids: list[str]) -> str | None:
        """Return the entry whose subtree contains the latest talk, or None if there is no talk."""
        times = {uuid: time for uuid in uuids if (time := self.latest_talk(uuid)) is not None}
        return max(times, key=lambda uuid: times[uuid], default=None)
