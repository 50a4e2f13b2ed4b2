"""An entry with several children in one thread to the ruling on them: the seven rungs (SEMANTICS.md, 7)."""

from dataclasses import dataclass, field

from .facts import Entry
from .world import World

DEAD_END_HEIGHT = 20


@dataclass
class Ruling:
    """Where each child goes: inlined, on as the line, a segment or a branch of its own, or set aside."""

    rung: int
    inlined: list[str]
    onward: str | None = None
    segments: list[str] = field(default_factory=list)
    branches: list[str] = field(default_factory=list)
    replays: list[str] = field(default_factory=list)


def rule(world: World, parent: str, children: list[str]) -> Ruling:
    """Apply the first rung that rules; `children` are by time."""
    fork = _Fork(world, world.entries[parent], children)
    for rung in (
        fork.side_branches,
        fork.structural_results,
        fork.dead_end_calls,
        fork.live_passthrough,
        fork.continuation,
        fork.replay,
    ):
        ruling = rung()
        if ruling is not None:
            return ruling
    return Ruling(7, fork.side, branches=fork.rest)


class _Fork:
    def __init__(self, world: World, parent: Entry, children: list[str]) -> None:
        self.world = world
        self.parent = parent
        self.children = children
        self.side = [uuid for uuid in children if self.is_side_child(uuid)]
        self.rest = [uuid for uuid in children if uuid not in self.side]
        self.users = [uuid for uuid in self.rest if self.entry(uuid).is_user]
        self.assistants = [uuid for uuid in self.rest if self.entry(uuid).kind == "assistant"]

    def entry(self, uuid: str) -> Entry:
        return self.world.entries[uuid]

    def is_side_child(self, uuid: str) -> bool:
        entry = self.entry(uuid)
        return (entry.kind == "side" or entry.is_command) and not self.has_talk_below(uuid)

    def has_talk_below(self, uuid: str) -> bool:
        return any(self.entry(other).is_talk for other in self.world.below(uuid))

    def side_branches(self) -> Ruling | None:
        if len(self.rest) > 1:
            return None
        return Ruling(1, self.side, self.rest[0] if self.rest else None)

    def structural_results(self) -> Ruling | None:
        is_shape = self.users and len(self.assistants) == 1 and len(self.users) + 1 == len(self.rest)
        if not is_shape or any(self.has_talk_below(uuid) for uuid in self.users):
            return None
        return Ruling(2, self.all_but(self.assistants[0]), self.assistants[0])

    def dead_end_calls(self) -> Ruling | None:
        is_shape = self.users and self.assistants and len(self.users) + len(self.assistants) == len(self.rest)
        live = [uuid for uuid in self.users if self.world.children(uuid)]
        if not is_shape or len(live) != 1:
            return None
        for uuid in self.rest:
            if uuid != live[0] and not self.is_dead_end(uuid):
                return None
        return Ruling(3, self.all_but(live[0]), live[0])

    def live_passthrough(self) -> Ruling | None:
        sides = [uuid for uuid in self.rest if self.entry(uuid).kind == "side"]
        if len(sides) != 1 or any(self.has_talk_below(uuid) for uuid in self.rest if uuid != sides[0]):
            return None
        return Ruling(4, self.all_but(sides[0]), sides[0])

    def continuation(self) -> Ruling | None:
        if self.parent.kind != "assistant" or not self.parent.uses:
            return None
        own = self.parent.use_ids - {None}
        results = [uuid for uuid in self.rest if self.entry(uuid).kind == "result"]
        results = [uuid for uuid in results if self.entry(uuid).result_ids <= own]
        onward = [uuid for uuid in self.rest if self.is_onward(uuid)]
        different = {frozenset(self.entry(uuid).result_ids) for uuid in results}
        is_complete = len(results) + len(onward) == len(self.rest)
        if not is_complete or not results or not (onward or len(different) > 1):
            return None
        return Ruling(5, self.side, segments=self.rest)

    def replay(self) -> Ruling | None:
        entries = [self.entry(uuid) for uuid in self.rest]
        stamps = {entry.owner.own_instant for entry in entries}
        if None in stamps or len(stamps) > 1 or len({entry.kind for entry in entries}) > 1:
            return None
        kind = entries[0].kind
        if kind == "prompt" and len({entry.text for entry in entries}) > 1:
            return None
        if kind == "result" and len({frozenset(entry.result_ids) for entry in entries}) > 1:
            return None
        live = [uuid for uuid in self.rest if self.has_talk_below(uuid)]
        first = (live or self.rest)[0]
        return Ruling(6, self.side, first, replays=[uuid for uuid in self.rest if uuid != first])

    def all_but(self, onward: str) -> list[str]:
        return [uuid for uuid in self.children if uuid != onward]

    def is_dead_end(self, uuid: str) -> bool:
        """Low, and no typed prompt in it."""
        hidden = [uuid, *self.world.below(uuid)]
        return self.height(uuid) <= DEAD_END_HEIGHT and not any(self.entry(other).is_typed for other in hidden)

    def height(self, uuid: str) -> int:
        levels = self.levels(uuid)
        return len(levels) - 1

    def levels(self, uuid: str) -> list[list[str]]:
        """The entry, its children, their children and so on, each level by time."""
        levels = [[uuid]]
        while levels[-1]:
            level = [child for above in levels[-1] for child in self.world.children(above)]
            levels.append(self.world.by_time(level))
        return levels[:-1]

    def is_onward(self, uuid: str) -> bool:
        """An assistant, or a side entry whose nearest talk below, then earliest, is one."""
        if self.entry(uuid).kind != "side":
            return self.entry(uuid).kind == "assistant"
        talk = [other for level in self.levels(uuid)[1:] for other in level if self.entry(other).is_talk]
        return bool(talk) and self.entry(talk[0]).kind == "assistant"
