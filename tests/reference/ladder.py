"""Decide where the children of a fork belong, by trying the rungs in docs/semantics.md in order."""

from dataclasses import dataclass, field

from .entries import Entry
from .subtrees import Subtrees

MAX_INLINED_HEIGHT = 20


@dataclass
class Ruling:
    """The placement of every child: inlined, continuing the line, starting a segment or branch, or set aside."""

    rung: int
    form: str
    inlined: list[str]
    onward: str | None = None
    # children that are inlined with everything below them
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
    """Return the ruling of the first rung that applies; the children are in time order (rule: every_child_placed)."""
    fork = _Fork(subtrees, subtrees.entry(parent), children)
    for rung in (
        fork.side_branches,
        fork.structural_results,
        fork.parallel_calls,
        fork.live_passthrough,
        fork.continuation_turn,
        fork.continuation_tail,
        fork.continuation_open_call,
        fork.continuation_commands,
        fork.continuation_parts,
        fork.replay_same_instant,
        fork.replay_recorded_again,
    ):
        ruling = rung()
        if ruling is not None:
            ruling.late_blocks = fork.late
            return ruling
    return Ruling(7, "otherwise", fork.side, branches=fork.main, late_blocks=fork.late, verdict=fork.verdict())


class _Fork:
    def __init__(self, subtrees: Subtrees, parent: Entry, children: list[str]) -> None:
        self.subtrees = subtrees
        self.parent = parent
        self.children = children
        quiet = {uuid for uuid in children if self.is_quiet_child(uuid)}
        self.late = self.late_blocks([uuid for uuid in children if uuid not in quiet])
        self.side = [uuid for uuid in children if uuid in quiet | self.late]
        self.main = [uuid for uuid in children if uuid not in quiet | self.late]
        self.users = [uuid for uuid in self.main if self.entry(uuid).is_user]
        self.assistants = [uuid for uuid in self.main if self.entry(uuid).kind == "assistant"]
        self.own_results = [uuid for uuid in self.main if self.is_own_result(uuid)]

    def entry(self, uuid: str) -> Entry:
        return self.subtrees.entry(uuid)

    def is_quiet_child(self, uuid: str) -> bool:
        """Return whether a child is quiet and has no talk below it (rule: side_child)."""
        return self.entry(uuid).is_quiet and not self.subtrees.has_talk_below(uuid)

    def late_blocks(self, children: list[str]) -> set[str]:
        """Return the children that are late blocks of the response whose call the parent answers (rule: late_block)."""
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
        """If the parent is a result, return the response of its nearest ancestor that is not a result."""
        if self.parent.kind != "result":
            return None
        here: str | None = self.parent.uuid
        while here is not None and self.entry(here).kind == "result":
            here = self.subtrees.graph.parents.get(here)
        return None if here is None else self.entry(here).response

    def is_own_result(self, uuid: str) -> bool:
        """Return whether a child is a result that answers only calls of the parent."""
        entry = self.entry(uuid)
        return entry.kind == "result" and entry.answered <= self.parent.use_ids

    def others(self, uuid: str) -> list[str]:
        return [other for other in self.main if other != uuid]

    def side_branches(self) -> Ruling | None:
        """Try rung 1: at most one main child (rule: side_branches, late_command)."""
        if len(self.main) > 1:
            return None
        if not self.main:
            return Ruling(1, "side only", self.side)
        latest = self.subtrees.latest_talk(self.main[0])
        late = [
            uuid
            for uuid in self.side
            if self.entry(uuid).is_command and (latest is None or self.entry(uuid).time > latest)
        ]
        inlined = [uuid for uuid in self.side if uuid not in late]
        return Ruling(1, "late commands" if late else "side", inlined, self.main[0], segments=late)

    def structural_results(self) -> Ruling | None:
        """Try rung 2: one assistant entry next to user entries without talk below them (rule: structural_results)."""
        is_shape = self.users and len(self.assistants) == 1 and len(self.users) + 1 == len(self.main)
        if not is_shape or any(self.subtrees.has_talk_below(uuid) for uuid in self.users):
            return None
        return Ruling(2, "results", [*self.side, *self.users], self.assistants[0])

    def parallel_calls(self) -> Ruling | None:
        """Try rung 3: parallel calls and results; only the last may lead to a typed prompt (rule: parallel_calls)."""
        is_shape = self.users and self.assistants and len(self.users) + len(self.assistants) == len(self.main)
        last = self.subtrees.with_latest_talk(self.main)
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
        """Try rung 4: one side entry below which the conversation continues (rule: live_passthrough)."""
        sides = [uuid for uuid in self.main if self.entry(uuid).kind == "side"]
        if len(sides) != 1 or any(self.subtrees.has_talk_below(uuid) for uuid in self.others(sides[0])):
            return None
        return Ruling(4, "passthrough", [*self.side, *self.others(sides[0])], sides[0])

    def continuation_turn(self) -> Ruling | None:
        """Try rung 5, first form: a turn continued next to a result (rule: continuation, continuation_turn)."""
        if self.parent.kind != "assistant" or not self.parent.uses:
            return None
        onward = [uuid for uuid in self.main if self.is_onward(uuid)]
        different = {self.entry(uuid).answered for uuid in self.own_results}
        is_complete = len(self.own_results) + len(onward) == len(self.main)
        if not is_complete or not self.own_results or not (onward or len(different) > 1):
            return None
        return self.segments_without_bare_results("calls")

    def is_onward(self, uuid: str) -> bool:
        """Return whether a child is an assistant entry, or a side entry whose first talk entry is one."""
        if self.entry(uuid).kind != "side":
            return self.entry(uuid).kind == "assistant"
        first = self.subtrees.first_talk(uuid)
        return first is not None and first.kind == "assistant"

    def continuation_tail(self) -> Ruling | None:
        """Try rung 5, second form: the next prompt is below a quiet entry (rule: continuation_tail)."""
        tails = [uuid for uuid in self.main if self.prompt_behind(uuid) is not None]
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
        return self.segments_without_bare_results("tail")

    def prompt_behind(self, uuid: str) -> Entry | None:
        """Return a quiet child's first talk entry if it is a prompt, else None; synthetic entries are skipped."""
        if not self.entry(uuid).is_quiet:
            return None
        first = self.subtrees.first_talk(uuid, skip_synthetic=True)
        return first if first is not None and first.kind == "prompt" else None

    def segments_without_bare_results(self, form: str) -> Ruling:
        """Inline the parent's own results without talk below them; start segments with the rest (rule: bare_result)."""
        bare = [uuid for uuid in self.own_results if not self.subtrees.has_talk_below(uuid)]
        if len(bare) == len(self.main):
            bare = bare[:-1]
        kept = [uuid for uuid in self.main if uuid not in bare]
        inlined = [*self.side, *bare]
        if len(kept) == 1:
            return Ruling(5, form, inlined, kept[0])
        return Ruling(5, form, inlined, segments=kept)

    def continuation_open_call(self) -> Ruling | None:
        """Try rung 5, third form: a prompt was written while a call was open (rule: continuation_open_call)."""
        others = [uuid for uuid in self.main if uuid not in self.own_results]
        if not self.own_results or len(others) != 1:
            return None
        prompt = self.subtrees.first_talk(others[0])
        if prompt is None or prompt.kind != "prompt":
            return None
        if any(self.entry(uuid).time < prompt.time for uuid in self.own_results):
            return None
        return Ruling(5, "open call", self.side, segments=self.main)

    def continuation_commands(self) -> Ruling | None:
        """Try rung 5, fourth form: successive commands under one caveat (rule: continuation_commands)."""
        if not self.parent.is_caveat or not self.parent.flag("isMeta"):
            return None
        for index, uuid in enumerate(self.main):
            before = [time for other in self.main[:index] if (time := self.subtrees.latest_talk(other)) is not None]
            if not self.entry(uuid).is_command or any(self.entry(uuid).time < time for time in before):
                return None
        return Ruling(5, "commands", self.side, segments=self.main)

    def continuation_parts(self) -> Ruling | None:
        """Try rung 5, fifth form: parts of one response were recorded as siblings (rule: continuation_parts)."""
        by_response: dict[str, list[Entry]] = {}
        for uuid in self.assistants:
            entry = self.entry(uuid)
            if entry.response and (entry.texts or entry.uses):
                by_response.setdefault(entry.response, []).append(entry)
        if not any(len(parts) > 1 for parts in by_response.values()):
            return None
        for parts in by_response.values():
            texts = [text for part in parts for text in part.texts]
            calls = [call for part in parts for call in part.use_ids]
            if len(set(texts)) < len(texts) or len(set(calls)) < len(calls):
                return None
        return Ruling(5, "parts", self.side, segments=self.main)

    def replay_same_instant(self) -> Ruling | None:
        """Try rung 6, first form: copies with the same timestamp (rule: replay, replay_same_instant)."""
        entries = [self.entry(uuid) for uuid in self.main]
        stamps = {entry.owner.own_instant for entry in entries}
        if None in stamps or len(stamps) > 1 or len({entry.kind for entry in entries}) > 1:
            return None
        if entries[0].kind == "prompt" and len({entry.text for entry in entries}) > 1:
            return None
        if entries[0].kind == "result" and len({entry.answered for entry in entries}) > 1:
            return None
        live = [uuid for uuid in self.main if self.subtrees.has_talk_below(uuid)]
        kept = max(live, key=lambda uuid: (self.subtrees.latest_talk(uuid) or (0,))[0], default=self.main[0])
        return Ruling(6, "copies", self.side, kept, replays=self.others(kept))

    def replay_recorded_again(self) -> Ruling | None:
        """Try rung 6, second form: a history was recorded again (rule: replay_recorded_again)."""
        last = self.subtrees.with_latest_talk(self.main)
        if last is None or not all(self.subtrees.is_recorded_again(uuid, by=last) for uuid in self.others(last)):
            return None
        return Ruling(6, "history", self.side, last, replays=self.others(last))

    def verdict(self) -> str:
        """Return "rewind" if a person went back, otherwise "retry" (rule: rewind, rewind_verdict)."""
        firsts = {uuid: first for uuid in self.main if (first := self.subtrees.first_talk(uuid)) is not None}
        if sum(first.kind == "prompt" for first in firsts.values()) < 2:
            return "retry"
        for one, first in firsts.items():
            latest = self.subtrees.latest_talk(one) or first.time
            if any(first.time < other.time < latest for other in firsts.values()):
                return "retry"
        return "rewind"
