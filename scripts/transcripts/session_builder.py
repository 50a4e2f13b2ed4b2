"""Build a session entry by entry, with random text and random sizes."""

import functools
import json
import random
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

from .entries import EntryMaker, format_timestamp

_MODELS = ("claude-sonnet-4-6", "claude-opus-4-7", "claude-haiku-4-5")
_MAX_WORDS = 6_000
_TOOLS = ("Read", "Bash", "Edit", "Grep")


@dataclass(frozen=True, slots=True)
class Agent:
    """A subagent: its name, the lines of its transcript, and its sidecar."""

    name: str
    lines: list[str]
    sidecar: dict[str, str]


@dataclass(slots=True)
class SessionBuilder:
    """A session, or a subagent of it, to which entries are added."""

    make: EntryMaker
    rng: random.Random
    session: str
    seconds: float  # time of the last entry
    common_keys: dict[str, Any] = field(default_factory=dict)  # keys that all entries have
    scope: str = ""  # prefix that keeps the names of a subagent's entries unique within the session
    last: str | None = None  # parent of the next entry
    lines: list[str] = field(default_factory=list)
    agents: list[Agent] = field(default_factory=list)
    _count: int = 0

    @property
    def size(self) -> int:
        """Number of characters so far."""
        return sum(map(len, self.lines)) + sum(len(line) for agent in self.agents for line in agent.lines)

    def add_snapshot(self) -> None:
        """Add a file history snapshot, a record at the start of many transcripts."""
        message_id = self.make.uuid(f"{self.session}/{self.scope}1")
        timestamp = format_timestamp(self.seconds)
        snapshot = {"messageId": message_id, "trackedFileBackups": {}, "timestamp": timestamp}
        line = {
            "type": "file-history-snapshot",
            "messageId": message_id,
            "snapshot": snapshot,
            "isSnapshotUpdate": False,
        }
        self.lines.append(json.dumps(line, separators=(",", ":")))

    def add_prompt(self, text: str | None = None) -> None:
        """Add a prompt."""
        self.seconds += self.rng.uniform(5, 120)
        self._add(message={"role": "user", "content": text or self._random_text(3.0)})

    def add_answer(self, text: str | None = None) -> None:
        """Add a response that ends a turn: sometimes thinking, then text."""
        thinking = [{"type": "thinking", "thinking": self._random_text(3.5), "signature": ""}]
        blocks = thinking if self.rng.random() < 0.3 else []
        self._add_response([*blocks, {"type": "text", "text": text or self._random_text(3.5)}], "end_turn")

    def add_tool_calls(self) -> None:
        """Add a response with one or two tool calls, and their results."""
        tools = self.rng.choices(_TOOLS, k=2 if self.rng.random() < 0.15 else 1)
        calls = [(self._name("t", number), tool, self._random_input(tool)) for number, tool in enumerate(tools)]
        uses = [
            {"type": "tool_use", "id": self.make.call(call), "name": tool, "input": tool_input}
            for call, tool, tool_input in calls
        ]
        text = [{"type": "text", "text": self._random_text(2.5)}] if self.rng.random() < 0.5 else []
        self._add_response([*text, *uses], "tool_use")
        for call, tool, _ in calls:
            if tool == "Bash" and self.rng.random() < 0.3:
                self._add_progress(call)
            output = self._random_text(4.0)
            is_error = self.rng.random() < 0.05
            outcome = "Error: " + output if is_error else _tool_outcome(tool, output)
            self._add_result(call, output, outcome, is_error=is_error)

    def add_subagent(self) -> None:
        """Add the call that starts a subagent, the subagent's transcript, and the result, with the subagent's id."""
        call, agent, task = self._name("t"), self._name("g"), self._random_text(3.0)
        description = self._random_text(1.2)
        task_input = {"description": description, "prompt": task, "subagent_type": "general-purpose"}
        use = {"type": "tool_use", "id": self.make.call(call), "name": "Task", "input": task_input}
        self._add_response([use], "tool_use")
        agent_id = self.make.agent(agent)
        agent_keys = {"isSidechain": True, "agentId": agent_id}
        subagent = SessionBuilder(self.make, self.rng, self.session, self.seconds, agent_keys, scope=f"{agent}/")
        subagent.add_prompt(task)
        for _ in range(int(self.rng.lognormvariate(1.0, 0.6))):
            subagent.add_tool_calls()
        answer = self._random_text(3.5)
        subagent.add_answer(answer)
        sidecar = {"agentType": "general-purpose", "description": description, "toolUseId": self.make.call(call)}
        self.agents.append(Agent(agent, subagent.lines, sidecar))
        duration_ms = int((subagent.seconds - self.seconds) * 1000)
        self.seconds = subagent.seconds
        content = [{"type": "text", "text": answer}, {"type": "text", "text": f"agentId: {agent_id}"}]
        outcome = {"status": "completed", "agentId": agent_id, "content": content[:1], "totalDurationMs": duration_ms}
        self._add_result(call, content, outcome)

    def add_turn_duration(self) -> None:
        """Add a system entry with the duration of the turn."""
        self._add(type="system", subtype="turn_duration", durationMs=self.rng.randrange(2_000, 200_000), isMeta=False)

    def add_compaction(self) -> None:
        """Add a compact boundary, which has no parent, and the summary of all previous entries."""
        previous, self.last = self.last, None
        metadata = {"trigger": "auto", "preTokens": self.rng.randrange(120_000, 170_000)}
        logical_parent = None if previous is None else self.make.uuid(previous)
        keys = {"content": "Conversation compacted", "logicalParentUuid": logical_parent, "compactMetadata": metadata}
        self._add(type="system", subtype="compact_boundary", isMeta=False, **keys)
        summary = "This session is being continued from a previous conversation. " + self._random_text(5.0)
        self._add(message={"role": "user", "content": summary}, isCompactSummary=True, isVisibleInTranscriptOnly=True)

    def _random_text(self, log_words: float) -> str:
        """Return random words with a natural frequency distribution. The median word count is about e ** log_words."""
        count = min(_MAX_WORDS, 1 + int(self.rng.lognormvariate(log_words, 1.1)))
        words, weights = _vocabulary(self.make.seed)
        return " ".join(self.rng.choices(words, cum_weights=weights, k=count))

    def _add_response(self, blocks: list[dict[str, Any]], reason: str) -> None:
        """Add a response: one line per block, all with the same ids and usage."""
        name, model = self._name("m"), _MODELS[int(self.rng.random() ** 3 * len(_MODELS))]
        usage = {
            "input_tokens": self.rng.randrange(1, 12),
            "cache_creation_input_tokens": self.rng.randrange(100, 4_000),
            "cache_read_input_tokens": self.rng.randrange(10_000, 120_000),
            "output_tokens": 1 + sum(len(str(block)) for block in blocks) // 4,
            "service_tier": "standard",
        }
        for block in blocks:
            self.seconds += self.rng.uniform(0.5, 8)
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

    def _add_result(self, call: str, content: Any, outcome: Any, *, is_error: bool = False) -> None:
        self.seconds += self.rng.uniform(0.1, 20)
        block = {"tool_use_id": self.make.call(call), "type": "tool_result", "content": content, "is_error": is_error}
        self._add(message={"role": "user", "content": [block]}, toolUseResult=outcome)

    def _add_progress(self, call: str) -> None:
        """Add progress entries below the call. The parent of the result is still the call."""
        parent = self.last
        for number in range(1, self.rng.randrange(2, 8)):
            data = {"type": "bash_progress", "output": self._random_text(1.5), "elapsedTimeSeconds": number}
            ids = {"toolUseID": f"bash-progress-{number}", "parentToolUseID": self.make.call(call)}
            self.seconds += 1
            self._add(type="progress", data=data, **ids)
        self.last = parent

    def _random_input(self, tool: str) -> dict[str, str]:
        file = f"/home/you/projects/made-up/{self._random_text(0.1).replace(' ', '/')}.py"
        if tool == "Bash":
            return {"command": self._random_text(1.5), "description": self._random_text(1.2)}
        if tool == "Edit":
            return {"file_path": file, "old_string": self._random_text(2.5), "new_string": self._random_text(2.8)}
        return {"pattern": self._random_text(0.1)} if tool == "Grep" else {"file_path": file}

    def _name(self, kind: str, number: int = 0) -> str:
        """Return a unique name for a call, a response or a subagent of the next entry."""
        return f"{self.session}/{self.scope}{kind}{self._count + 1}.{number}"

    def _add(self, **keys: Any) -> None:
        self._count += 1
        name = f"{self.session}/{self.scope}{self._count}"
        seconds = round(self.seconds, 3)
        line = self.make.entry(name, self.last, seconds, session=self.session, **self.common_keys, **keys)
        self.lines.append(line)
        self.last = name


def _tool_outcome(tool: str, output: str) -> dict[str, Any]:
    """Return the value of `toolUseResult`, the structured form of a tool's result."""
    if tool == "Bash":
        return {"stdout": output, "stderr": "", "interrupted": False, "isImage": False}
    if tool == "Read":
        return {"type": "text", "file": {"content": output, "numLines": 1, "startLine": 1, "totalLines": 1}}
    return {"content": output}


@functools.cache
def _vocabulary(seed: int) -> tuple[list[str], list[float]]:
    """Return random words and their cumulative weights, which follow Zipf's law."""
    rng = random.Random(seed)  # noqa: S311 - must be reproducible
    syllables = [first + second for first in "bdfgklmnprstvz" for second in "aeiou"]
    words = sorted({"".join(rng.choices(syllables, k=rng.randrange(1, 5))) for _ in range(6_000)})
    rng.shuffle(words)
    return words, list(accumulate(1 / rank for rank in range(1, len(words) + 1)))
