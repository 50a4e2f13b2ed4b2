"""Rules on the children that an entry has in one thread: the seven rungs (SEMANTICS.md, 7)."""

from dataclasses import dataclass, field

from .facts import Entry
from .subtrees import Subtrees

MAX_INLINED_HEIGHT = 20


@dataclass
class Ruling:
    """Where each child goes: inlined, onward as the line, a segment, a branch, or set aside."""

    rung: int
    form: str
    inlined: list[str]
    onward: str | None = None
    # inlined with everything below them
    inlined_whole: list[str] = field(default_factory=list)
    segments: list[str] = field(default_factory=list)
    branches: list[str] = field(default_factory=list)
    replays: list[str] = field(default_factory=list)
    late_blocks: set[str] = field(default_factory=set)
    verdict: str = ""

    def __post_init__(self) -> None:
        if not self.verdict:
            self.verdict = {5: "continued", 6: "replay"}.get(self.rung, "stitched")


def rule(subtrees: Subtrees, parent: str, children: list[str]) -> Ruling:
    """Apply the first rung that rules; `children` are by time."""
    fork = _Fork(subtrees, subtrees.entry(parent), children)
    for rung in (
        fork.side_branches,
        fork.structural_results,
        fork.parallel_calls,
        fork.live_passthrough,
        fork.continuation_of_calls,
        fork.continuation_behind_tail,
        fork.continuation_of_open_call,
        fork.continuation_by_commands,
        fork.continuation_by_parts,
        fork.replay_of_copies,
        fork.replay_of_history,
    ):
        ruling = rung()
        if ruling is not None:
            ruling.late_blocks = fork.late
            return ruling
    return Ruling(7, "otherwise", fork.side, branches=fork.rest, late_blocks=fork.late, verdict=fork.verdict())


class _Fork:
    def __init__(self, subtrees: Subtrees, parent: Entry, children: list[str]) -> None:
        self.subtrees = subtrees
        self.parent = parent
        self.children = children
        quiet = {uuid for uuid in children if self.is_quiet_child(uuid)}
        self.late = self.late_blocks([uuid for uuid in children if uuid not in quiet])
        self.side = [uuid for uuid in children if uuid in quiet | self.late]
        self.rest = [uuid for uuid in children if uuid not in quiet | self.late]
        self.users = [uuid for uuid in self.rest if self.entry(uuid).is_user]
        self.assistants = [uuid for uuid in self.rest if self.entry(uuid).kind == "assistant"]
        self.own_results = [uuid for uuid in self.rest if self.is_own_result(uuid)]

    def entry(self, uuid: str) -> Entry:
        return self.subtrees.entry(uuid)

    def is_quiet_child(self, uuid: str) -> bool:
        return self.entry(uuid).is_quiet and not self.subtrees.has_talk_below(uuid)

    def late_blocks(self, children: list[str]) -> set[str]:
        """Blocks of the response above a result, recorded below it, beside an assistant that is none."""
        response = self.response_above()
        if response is None:
            return set()
        assistants = {uuid for uuid in children if self.entry(uuid).kind == "assistant"}
        late = {
            uuid
            for uuid in assistants
            if self.entry(uuid).response == response and not self.subtrees.has_talk_below(uuid)
        }
        return late if assistants - late else set()

    def response_above(self) -> str | None:
        """The response of the nearest entry above a result that is no result."""
        if self.parent.kind != "result":
            return None
        here: str | None = self.parent.uuid
        while here is not None and self.entry(here).kind == "result":
            here = self.subtrees.world.parents.get(here)
        return None if here is None else self.entry(here).response

    def is_own_result(self, uuid: str) -> bool:
        """A result for calls of the parent only."""
        entry = self.entry(uuid)
        return entry.kind == "result" and entry.answered <= self.parent.use_ids

    def others(self, uuid: str) -> list[str]:
        return [other for other in self.rest if other != uuid]

    def side_branches(self) -> Ruling | None:
        if len(self.rest) > 1:
            return None
        if not self.rest:
            return Ruling(1, "side only", self.side)
        latest = self.subtrees.latest_talk(self.rest[0])
        late = [
            uuid
            for uuid in self.side
            if self.entry(uuid).is_command and (latest is None or self.entry(uuid).time > latest)
        ]
        inlined = [uuid for uuid in self.side if uuid not in late]
        return Ruling(1, "late commands" if late else "side", inlined, self.rest[0], segments=late)

    def structural_results(self) -> Ruling | None:
        is_shape = self.users and len(self.assistants) == 1 and len(self.users) + 1 == len(self.rest)
        if not is_shape or any(self.subtrees.has_talk_below(uuid) for uuid in self.users):
            return None
        return Ruling(2, "results", [*self.side, *self.users], self.assistants[0])

    def parallel_calls(self) -> Ruling | None:
        is_shape = self.users and self.assistants and len(self.users) + len(self.assistants) == len(self.rest)
        last = self.subtrees.with_latest_talk(self.rest)
        if not is_shape or last is None:
            return None
        others = self.others(last)
        if not all(self.can_inline_whole(uuid) for uuid in others):
            return None
        return Ruling(3, "calls", self.side, last, inlined_whole=others)

    def can_inline_whole(self, uuid: str) -> bool:
        is_low = self.subtrees.height(uuid) <= MAX_INLINED_HEIGHT
        return is_low and not any(self.entry(other).is_typed_prompt for other in self.subtrees.whole(uuid))

    def live_passthrough(self) -> Ruling | None:
        sides = [uuid for uuid in self.rest if self.entry(uuid).kind == "side"]
        if len(sides) != 1 or any(self.subtrees.has_talk_below(uuid) for uuid in self.others(sides[0])):
            return None
        return Ruling(4, "passthrough", [*self.side, *self.others(sides[0])], sides[0])

    def continuation_of_calls(self) -> Ruling | None:
        if self.parent.kind != "assistant" or not self.parent.uses:
            return None
        onward = [uuid for uuid in self.rest if self.is_onward(uuid)]
        different = {self.entry(uuid).answered for uuid in self.own_results}
        is_complete = len(self.own_results) + len(onward) == len(self.rest)
        if not is_complete or not self.own_results or not (onward or len(different) > 1):
            return None
        return self.segments_but_bare_results("calls")

    def is_onward(self, uuid: str) -> bool:
        """An assistant, or a side entry whose first talk is one."""
        if self.entry(uuid).kind != "side":
            return self.entry(uuid).kind == "assistant"
        first = self.subtrees.first_talk(uuid)
        return first is not None and first.kind == "assistant"

    def continuation_behind_tail(self) -> Ruling | None:
        tails = [uuid for uuid in self.rest if self.prompt_behind(uuid) is not None]
        if len(tails) != 1:
            return None
        prompt = self.prompt_behind(tails[0])
        others = self.others(tails[0])
        latest = [time for uuid in others if (time := self.subtrees.latest_talk(uuid)) is not None]
        if prompt is None or any(prompt.time < time for time in latest):
            return None
        is_old = self.entry(tails[0]).instant < self.parent.instant
        if any(self.entry(uuid).kind == "prompt" for uuid in others) and not is_old:
            return None
        return self.segments_but_bare_results("tail")

    def prompt_behind(self, uuid: str) -> Entry | None:
        """The prompt that is the first talk of a quiet child, synthetic entries passed over."""
        if not self.entry(uuid).is_quiet:
            return None
        first = self.subtrees.first_talk(uuid, skip_synthetic=True)
        return first if first is not None and first.kind == "prompt" else None

    def segments_but_bare_results(self, form: str) -> Ruling:
        bare = [uuid for uuid in self.own_results if not self.subtrees.has_talk_below(uuid)]
        if len(bare) == len(self.rest):
            bare = bare[:-1]
        kept = [uuid for uuid in self.rest if uuid not in bare]
        inlined = [*self.side, *bare]
        if len(kept) == 1:
            return Ruling(5, form, inlined, kept[0])
        return Ruling(5, form, inlined, segments=kept)

    def continuation_of_open_call(self) -> Ruling | None:
        others = [uuid for uuid in self.rest if uuid not in self.own_results]
        if not self.own_results or len(others) != 1:
            return None
        prompt = self.subtrees.first_talk(others[0])
        if prompt is None or prompt.kind != "prompt":
            return None
        if any(self.entry(uuid).time < prompt.time for uuid in self.own_results):
            return None
        return Ruling(5, "open call", self.side, segments=self.rest)

    def continuation_by_commands(self) -> Ruling | None:
        if not self.parent.is_caveat or not self.parent.flag("isMeta"):
            return None
        for index, uuid in enumerate(self.rest):
            before = [time for other in self.rest[:index] if (time := self.subtrees.latest_talk(other)) is not None]
            if not self.entry(uuid).is_command or any(self.entry(uuid).time < time for time in before):
                return None
        return Ruling(5, "commands", self.side, segments=self.rest)

    def continuation_by_parts(self) -> Ruling | None:
        by_response: dict[str, list[Entry]] = {}
        for uuid in self.assistants:
            entry = self.entry(uuid)
            if entry.response and (entry.texts or entry.uses):
                by_response.setdefault(entry.response, []).append(entry)
        if not any(len(parts) > 1 for parts in by_response.values()):
            return None
        for parts in by_response.values():
            said = [*(text for part in parts for text in part.texts)]
            called = [*(call for part in parts for call in part.use_ids)]
            if len(set(said)) < len(said) or len(set(called)) < len(called):
                return None
        return Ruling(5, "parts", self.side, segments=self.rest)

    def replay_of_copies(self) -> Ruling | None:
        entries = [self.entry(uuid) for uuid in self.rest]
        stamps = {entry.owner.own_instant for entry in entries}
        if None in stamps or len(stamps) > 1 or len({entry.kind for entry in entries}) > 1:
            return None
        if entries[0].kind == "prompt" and len({entry.text for entry in entries}) > 1:
            return None
        if entries[0].kind == "result" and len({entry.answered for entry in entries}) > 1:
            return None
        live = [uuid for uuid in self.rest if self.subtrees.has_talk_below(uuid)]
        kept = max(live, key=lambda uuid: (self.subtrees.latest_talk(uuid) or (0,))[0], default=self.rest[0])
        return Ruling(6, "copies", self.side, kept, replays=self.others(kept))

    def replay_of_history(self) -> Ruling | None:
        last = self.subtrees.with_latest_talk(self.rest)
        if last is None or not all(self.subtrees.is_recorded_again(uuid, by=last) for uuid in self.others(last)):
            return None
        return Ruling(6, "history", self.side, last, replays=self.others(last))

    def verdict(self) -> str:
        """Whether a person went back, or the branches were answered again or grew side by side."""
        firsts = {uuid: first for uuid in self.rest if (first := self.subtrees.first_talk(uuid)) is not None}
        if sum(first.kind == "prompt" for first in firsts.values()) < 2:
            return "retry"
        for one, first in firsts.items():
            latest = self.subtrees.latest_talk(one) or first.time
            if any(first.time < other.time < latest for other in firsts.values()):
                return "retry"
        return "rewind"
