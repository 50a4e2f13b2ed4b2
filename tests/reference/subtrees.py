"""Answers questions about an entry and what lies below it in its thread: talk, height, responses held."""

from typing import NamedTuple

from .facts import Entry, Time
from .world import World


class Held(NamedTuple):
    """The responses at or below an entry, and the texts and calls of the entries with a response."""

    responses: set[str]
    texts: set[str]
    calls: set[str]


class Subtrees:
    """Remembers the answers, because several rules ask for the same ones."""

    def __init__(self, world: World) -> None:
        self.world = world
        self._latest: dict[str, Time | None] = {}
        self._talk_below: dict[str, bool] = {}
        self._held: dict[str, Held] = {}

    def entry(self, uuid: str) -> Entry:
        return self.world.entries[uuid]

    def whole(self, uuid: str) -> list[str]:
        """The entry and everything below it."""
        return [uuid, *self.world.below(uuid)]

    def has_talk_below(self, uuid: str) -> bool:
        if uuid not in self._talk_below:
            self._talk_below[uuid] = any(self.entry(other).is_talk for other in self.world.below(uuid))
        return self._talk_below[uuid]

    def latest_talk(self, uuid: str) -> Time | None:
        """The time of the latest talk at or below an entry."""
        if uuid not in self._latest:
            times = [self.entry(other).time for other in self.whole(uuid) if self.entry(other).is_talk]
            self._latest[uuid] = max(times, default=None)
        return self._latest[uuid]

    def first_talk(self, uuid: str, *, skip_synthetic: bool = False) -> Entry | None:
        """The entry itself if it is talk, else the nearest talk below, then the earliest."""
        level = [uuid]
        while level:
            entries = [self.entry(other) for other in self.world.by_time(level)]
            for entry in entries:
                if entry.is_talk and not (skip_synthetic and entry.is_synthetic):
                    return entry
            level = [child for other in level for child in self.world.children(other)]
        return None

    def height(self, uuid: str) -> int:
        """0 for a leaf, else 1 + the height of the highest child."""
        height = 0
        level = self.world.children(uuid)
        while level:
            height += 1
            level = [child for other in level for child in self.world.children(other)]
        return height

    def held(self, uuid: str) -> Held:
        if uuid not in self._held:
            entries = [entry for other in self.whole(uuid) if (entry := self.entry(other)).response]
            self._held[uuid] = Held(
                {entry.response for entry in entries if entry.response},
                {text for entry in entries for text in entry.texts},
                {call for entry in entries for call in entry.use_ids},
            )
        return self._held[uuid]

    def is_recorded_again(self, uuid: str, *, by: str) -> bool:
        """Another subtree holds every response of this one, and a text or a call of it (rung 6, second form)."""
        one, other = self.held(uuid), self.held(by)
        if not one.responses or not one.responses <= other.responses:
            return False
        return bool(one.texts & other.texts or one.calls & other.calls)

    def with_latest_talk(self, uuids: list[str]) -> str | None:
        """The one of some entries with the latest talk at or below it."""
        times = {uuid: time for uuid in uuids if (time := self.latest_talk(uuid)) is not None}
        return max(times, key=lambda uuid: times[uuid], default=None)
