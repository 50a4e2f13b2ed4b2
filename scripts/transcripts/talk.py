"""One session as it is written, entry by entry, with words and sizes that dice decide."""

import functools
import json
import random
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

from .entries import Maker, stamp

_MODELS = ("claude-sonnet-4-6", "claude-opus-4-7", "claude-haiku-4-5")
_LONGEST = 6_000  # words
_TOOLS = ("Read", "Bash", "Edit", "Grep")


@dataclass(frozen=True, slots=True)
class Agent:
    """A subagent: what its file and its sidecar hold."""

    name: str
    lines: list[str]
    sidecar: dict[str, str]


@dataclass(slots=True)
class Talk:
    """Grows by what is said; `last` is the entry that the next one hangs on."""

    make: Maker
    dice: random.Random
    session: str
    at: float
    belongs: dict[str, Any] = field(default_factory=dict)
    scope: str = ""  # sets the names of a subagent's entries apart from its session's
    last: str | None = None
    lines: list[str] = field(default_factory=list)
    agents: list[Agent] = field(default_factory=list)
    _count: int = 0

    @property
    def size(self) -> int:
        """How many characters there are so far."""
        return sum(map(len, self.lines)) + sum(len(line) for agent in self.agents for line in agent.lines)

    def snapshot(self) -> None:
        """What stands at the top of many files: no entry, and without a time."""
        of = self.make.uuid(f"{self.session}/{self.scope}1")
        held = {"messageId": of, "trackedFileBackups": {}, "timestamp": stamp(self.at)}
        line = {"type": "file-history-snapshot", "messageId": of, "snapshot": held, "isSnapshotUpdate": False}
        self.lines.append(json.dumps(line, separators=(",", ":")))

    def prompt(self, text: str | None = None) -> None:
        """Something typed."""
        self.at += self.dice.uniform(5, 120)
        self._add(message={"role": "user", "content": text or self.words(3.0)})

    def answer(self, text: str | None = None) -> None:
        """A response that ends a turn: thinking at times, then text."""
        thinking = [{"type": "thinking", "thinking": self.words(3.5), "signature": ""}]
        blocks = thinking if self.dice.random() < 0.3 else []
        self._respond([*blocks, {"type": "text", "text": text or self.words(3.5)}], "end_turn")

    def round(self) -> None:
        """A response with one call or two, and their results."""
        names = self.dice.choices(_TOOLS, k=2 if self.dice.random() < 0.15 else 1)
        calls = [(self._name("t", number), name, self._asked(name)) for number, name in enumerate(names)]
        uses = [{"type": "tool_use", "id": self.make.call(t), "name": name, "input": asked} for t, name, asked in calls]
        text = [{"type": "text", "text": self.words(2.5)}] if self.dice.random() < 0.5 else []
        self._respond([*text, *uses], "tool_use")
        for call, name, _ in calls:
            if name == "Bash" and self.dice.random() < 0.3:
                self._signs(call)
            given = self.words(4.0)
            is_error = self.dice.random() < 0.05
            self._result(call, given, "Error: " + given if is_error else _outcome(name, given), is_error=is_error)

    def delegate(self) -> None:
        """A call of a subagent, its file, and the result that names it."""
        call, agent, task = self._name("t"), self._name("g"), self.words(3.0)
        asked = {"description": self.words(1.2), "prompt": task, "subagent_type": "general-purpose"}
        self._respond([{"type": "tool_use", "id": self.make.call(call), "name": "Task", "input": asked}], "tool_use")
        number = self.make.agent(agent)
        theirs = Talk(
            self.make, self.dice, self.session, self.at, {"isSidechain": True, "agentId": number}, scope=f"{agent}/"
        )
        theirs.prompt(task)
        for _ in range(int(self.dice.lognormvariate(1.0, 0.6))):
            theirs.round()
        said = self.words(3.5)
        theirs.answer(said)
        sidecar = {
            "agentType": "general-purpose",
            "description": asked["description"],
            "toolUseId": self.make.call(call),
        }
        self.agents.append(Agent(agent, theirs.lines, sidecar))
        taken = int((theirs.at - self.at) * 1000)
        self.at = theirs.at
        content = [{"type": "text", "text": said}, {"type": "text", "text": f"agentId: {number}"}]
        outcome = {"status": "completed", "agentId": number, "content": content[:1], "totalDurationMs": taken}
        self._result(call, content, outcome)

    def duration(self) -> None:
        """What a turn took."""
        self._add(type="system", subtype="turn_duration", durationMs=self.dice.randrange(2_000, 200_000), isMeta=False)

    def compact(self) -> None:
        """A boundary without a parent, and the summary that stands for all before it."""
        before, self.last = self.last, None
        told = {"trigger": "auto", "preTokens": self.dice.randrange(120_000, 170_000)}
        logical = None if before is None else self.make.uuid(before)
        keys = {"content": "Conversation compacted", "logicalParentUuid": logical, "compactMetadata": told}
        self._add(type="system", subtype="compact_boundary", isMeta=False, **keys)
        said = "This session is being continued from a previous conversation. " + self.words(5.0)
        self._add(message={"role": "user", "content": said}, isCompactSummary=True, isVisibleInTranscriptOnly=True)

    def words(self, size: float) -> str:
        """Words as often as language has them: few often, many seldom; how many, is spread around e to the `size`."""
        count = min(_LONGEST, 1 + int(self.dice.lognormvariate(size, 1.1)))
        words, weights = _vocabulary(self.make.seed)
        return " ".join(self.dice.choices(words, cum_weights=weights, k=count))

    def _respond(self, blocks: list[dict[str, Any]], reason: str) -> None:
        """Write a response: a line for each block, all with the ids and the usage of the whole."""
        name, model = self._name("m"), _MODELS[int(self.dice.random() ** 3 * len(_MODELS))]
        usage = {
            "input_tokens": self.dice.randrange(1, 12),
            "cache_creation_input_tokens": self.dice.randrange(100, 4_000),
            "cache_read_input_tokens": self.dice.randrange(10_000, 120_000),
            "output_tokens": 1 + sum(len(str(block)) for block in blocks) // 4,
            "service_tier": "standard",
        }
        for block in blocks:
            self.at += self.dice.uniform(0.5, 8)
            message = {
                "id": self.make.response(name),
                "type": "message",
                "role": "assistant",
                "model": model,
                "content": [block],
                "stop_reason": reason,
                "stop_sequence": None,
                "usage": usage,
            }
            self._add(type="assistant", message=message, requestId=self.make.request(name))

    def _result(self, call: str, content: Any, outcome: Any, *, is_error: bool = False) -> None:
        self.at += self.dice.uniform(0.1, 20)
        block = {"tool_use_id": self.make.call(call), "type": "tool_result", "content": content, "is_error": is_error}
        self._add(message={"role": "user", "content": [block]}, toolUseResult=outcome)

    def _signs(self, call: str) -> None:
        """Write signs of life below the call; the result hangs on the call all the same."""
        above = self.last
        for number in range(1, self.dice.randrange(2, 8)):
            data = {"type": "bash_progress", "output": self.words(1.5), "elapsedTimeSeconds": number}
            ids = {"toolUseID": f"bash-progress-{number}", "parentToolUseID": self.make.call(call)}
            self.at += 1
            self._add(type="progress", data=data, **ids)
        self.last = above

    def _asked(self, tool: str) -> dict[str, str]:
        file = f"/home/you/projects/made-up/{self.words(0.1).replace(' ', '/')}.py"
        if tool == "Bash":
            return {"command": self.words(1.5), "description": self.words(1.2)}
        if tool == "Edit":
            return {"file_path": file, "old_string": self.words(2.5), "new_string": self.words(2.8)}
        return {"pattern": self.words(0.1)} if tool == "Grep" else {"file_path": file}

    def _name(self, kind: str, number: int = 0) -> str:
        """A name for what belongs to the next entry."""
        return f"{self.session}/{self.scope}{kind}{self._count + 1}.{number}"

    def _add(self, **keys: Any) -> None:
        self._count += 1
        name = f"{self.session}/{self.scope}{self._count}"
        at = round(self.at, 3)
        self.lines.append(self.make.entry(name, self.last, at, session=self.session, **self.belongs, **keys))
        self.last = name


def _outcome(tool: str, given: str) -> dict[str, Any]:
    """What stands beside a result for programs to read."""
    if tool == "Bash":
        return {"stdout": given, "stderr": "", "interrupted": False, "isImage": False}
    if tool == "Read":
        return {"type": "text", "file": {"content": given, "numLines": 1, "startLine": 1, "totalLines": 1}}
    return {"content": given}


@functools.cache
def _vocabulary(seed: int) -> tuple[list[str], list[float]]:
    """Made-up words, and how often each stands, summed up."""
    dice = random.Random(seed)  # noqa: S311 - to be repeatable
    syllables = [first + second for first in "bdfgklmnprstvz" for second in "aeiou"]
    words = sorted({"".join(dice.choices(syllables, k=dice.randrange(1, 5))) for _ in range(6_000)})
    dice.shuffle(words)
    return words, list(accumulate(1 / rank for rank in range(1, len(words) + 1)))
