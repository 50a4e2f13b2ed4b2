"""Write random conversations entry by entry, and collect the entries by file."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from . import contents
from .contents import TOOL_IDS
from .random_choices import RandomChoices

AGENT_IDS = ["g1", "g2", "g3"]
RUN_IDS = ["wf1", "wf1", "wf2"]
# the first 12 characters of the last two are equal, so that shortened ids collide
_HEADS = ["e", "e", "e", "e", "same-12-head", "same-12-headlong"]


@dataclass
class ThreadFile:
    """The file of a thread, and the fields that all entries of the thread have."""

    file: str
    keys: dict[str, Any]
    session: str = "s1"
    is_trunk: bool = False
    uuids: list[str] = field(default_factory=list)


@dataclass
class TranscriptBuilder(RandomChoices):
    """Writes random entries and collects them by file."""

    files: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    written: dict[str, dict[str, Any]] = field(default_factory=dict)
    second: int = 0
    # the agents that entries can mention
    agents: list[str] = field(default_factory=lambda: ["lost"])
    # maps each session to the ids of its agents
    agents_of: dict[str, list[str]] = field(default_factory=dict)
    # the number of times each shape was written
    shapes: Counter[str] = field(default_factory=Counter)

    def write(self, place: ThreadFile, kind: str, parent: str | None, **keys: Any) -> str:
        """Append an entry of the given kind (`prompt`, `call`, `result`, ...) to the thread's file; return its uuid."""
        uuid = f"{self.pick(_HEADS)}{len(self.written) + 1}"
        value: dict[str, Any] = {"parentUuid": parent, "uuid": uuid, "timestamp": self.stamp(), "isSidechain": False}
        value |= {"cwd": "/w", "version": "2.1.200", **place.keys, **self.body(kind, uuid, parent), **keys}
        if kind == "result" and place.is_trunk and self.chance(6):
            value["agentId"] = self.pick([*self.agents, None])
        value = {key: item for key, item in value.items() if item is not None or key in ("parentUuid", "agentId")}
        self.files.setdefault(place.file, []).append(value)
        self.written[uuid] = value
        place.uuids.append(uuid)
        return uuid

    def stamp(self) -> str | None:
        """Return a timestamp: many are equal, some go back in time, and some are missing or invalid."""
        roll = self.number(0, 99)
        if roll >= 95:
            return self.pick([None, None, "2026-03-01 10:00:02+01:00", "no time"])
        second = roll % 10 if roll >= 88 else self.second
        self.second += roll < 55
        return f"2026-03-01T09:{second // 60:02}:{second % 60:02}.000Z"

    def body(self, kind: str, uuid: str, parent: str | None) -> dict[str, Any]:
        """Return the fields that are specific to a kind of entry."""
        if kind in ("answer", "call", "spawns"):
            answer = [{"type": "text", "text": f"done {uuid}"}]
            blocks = answer if kind == "answer" else contents.spawns(self) if kind == "spawns" else self.calls()
            said = contents.assistant(self, blocks)
            # in real files, `message` is sometimes a string
            return {**said, "message": f"done {uuid}"} if kind == "answer" and self.chance(2) else said
        if kind in ("result", "mixed"):
            return self.results(parent, has_words=kind == "mixed")
        if kind == "picture":
            found = self.results(parent, has_words=False)
            found["message"]["content"].append(contents.picture())
            return found
        if kind == "side":
            return self.side()
        return contents.plain(self, kind, f"say {uuid}")

    def calls(self) -> list[dict[str, Any]]:
        ids = self.some(TOOL_IDS, 1, 2)
        ids += ids[:1] if self.chance(3) else []
        return [contents.call(self, tool_id) for tool_id in ids]

    def ids_called(self, uuid: str | None) -> list[str]:
        message = self.written[uuid].get("message") if uuid in self.written else None
        blocks = message.get("content") if isinstance(message, dict) else None
        uses = [block for block in blocks if isinstance(block, dict)] if isinstance(blocks, list) else []
        return [block["id"] for block in uses if block.get("id")]

    def results(self, parent: str | None, *, has_words: bool) -> dict[str, Any]:
        ids = self.ids_called(parent)
        found: dict[str, Any] = {"type": "user", "message": {"role": "user"}}
        blocks = [self.result(ids) for _ in range(2 if self.chance(12) else 1)]
        blocks += [{"type": "text", "text": "and more"}] if has_words else []
        found["message"]["content"] = blocks
        outcome = contents.outcome(self)
        if self.chance(30):
            outcome[self.pick(["agentId", "agent_id"])] = self.pick(self.agents)
        elif self.chance(25):
            outcome["runId"] = self.pick(RUN_IDS)
        return {**found, "toolUseResult": outcome} if outcome else found

    def result(self, ids: list[str]) -> dict[str, Any]:
        """Return a result for one of the given calls, or sometimes for any call or for no call."""
        tool_id = self.pick(ids if ids and self.chance(90) else [*TOOL_IDS * 5, ""])
        text = "ok"
        if self.chance(30):
            text = f"done\nagentId: {self.pick([*self.agents, 'g'])}" + self.pick(["", " (for resuming)", "\nbye"])
        content = text if self.chance(70) else [{"type": "text", "text": text}]
        return {"type": "tool_result", "tool_use_id": tool_id, "content": content, **contents.answer_flags(self)}

    def side(self) -> dict[str, Any]:
        if self.chance(25):
            return contents.progress(self, self.agents)
        if self.chance(15):
            return contents.queued(self)
        return self.pick(
            [
                {"type": "progress", "data": {"type": "hook_progress"}},
                {"type": "attachment", "attachment": {"type": "hook_success"}},
                {"type": "system", "subtype": "informational", "content": "x"},
                *[{"type": "system", "subtype": "local_command", "content": "/memory"}] * 2,
                {"type": "never-heard-of"},
            ]
        )
