"""Generate sessions as Claude Code writes them: mostly one chain, with some forks, agents, late lines and records."""

from dataclasses import dataclass, field
from typing import Any

from tests.making.transcripts import (
    Object,
    at,
    boundary_entry,
    entry,
    record,
    result_entry,
    text_block,
    thinking_block,
    to_line,
    tool_result,
    tool_use,
    user_message,
)
from tests.making.transcripts import assistant_entry as answer

from .random_choices import Numbers, RandomChoices

_WORDS = ["ok", "go on", "done"]
_QUIET_PROMPTS = ["<command-name>/x</command-name>", "[Request interrupted by user]", "Caveat: The messages below"]
_SIDE = ["turn_duration", "local_command", "stop_hook_summary"]
_TITLES = ["ai-title", "ai-title", "custom-title", "summary"]


@dataclass
class _Thread:
    """A thread: its file, the keys of its entries, its entries, and the end of its current branch."""

    file: str
    keys: Object
    uuids: list[str] = field(default_factory=list)
    tip: str | None = None
    message_id: str = "m0"


class _Writer(RandomChoices):
    """Writes lines in time order; `odd` is the percentage of unusual choices."""

    def __init__(self, number: Numbers) -> None:
        super().__init__(number)
        self.lines: list[tuple[str, str]] = []
        self.odd = self.pick([2, 5, 10, 25])
        self._second = 0
        self.threads = [_Thread("s1.jsonl", {"sessionId": "s1"})]

    def second(self) -> int:
        """Return the time of the next line, which is rarely earlier than that of the previous line."""
        self._second += self.pick([0, 0, 1, 1, 5, 60, 400, 1_200])
        return self._second - (self.pick([1, 5, 20]) if self.number(0, 299) < self.odd else 0)

    def is_odd(self) -> bool:
        return self.chance(self.odd)

    def add(self, thread: _Thread, value: Object) -> str:
        """Write an entry at the end of a thread, or rarely elsewhere, and return its uuid."""
        uuid = f"{self.pick('abcdef')}{len(self.lines):05}"
        parent = thread.tip
        if thread.uuids and self.is_odd():
            parent = self.pick([None, *thread.uuids, *thread.uuids[-4:]])
        own = {"uuid": uuid, "parentUuid": parent, "timestamp": at(self.second())}
        if self.number(0, 999) < self.odd:
            del own["timestamp"]
            value.pop("timestamp")
        self.lines.append((thread.file, to_line(value | thread.keys | own)))
        thread.uuids.append(uuid)
        thread.tip = uuid
        return uuid

    def add_record(self, thread: _Thread, **keys: Any) -> None:
        own = {"sessionId": thread.keys["sessionId"], "timestamp": at(self.second())}
        self.lines.append((thread.file, record(**own | keys)))

    def words(self) -> str:
        return self.pick([*_WORDS, f"say {len(self.lines)}"])

    def prompt(self, thread: _Thread) -> None:
        if self.chance(30):
            self.add_record(thread, type="queue-operation", operation="enqueue", content=self.pick(_WORDS))
            removal = self.pick(["remove", "popAll"]) if self.is_odd() else "dequeue"
            self.add_record(thread, type="queue-operation", operation=removal)
        if self.is_odd():
            content: Any = self.pick([*_QUIET_PROMPTS, {"type": "image", "source": {}}])
            self.add(thread, entry(message=user_message(content), isMeta=self.chance(30)))
        else:
            self.add(thread, entry(message=user_message(self.words())))

    def answer(self, thread: _Thread, *blocks: Object) -> str:
        """Write the blocks of a response, each in its own entry, and return the last entry."""
        number = self.number(0, len(self.lines)) if self.is_odd() else len(self.lines)
        model = self.pick(["claude-x", "<synthetic>", None]) if self.number(0, 199) < self.odd else "claude-opus-4-6"
        usage = {"input_tokens": 1, "output_tokens": self.number(0, 9)}
        message = {"id": f"m{number}", "model": model, "usage": usage}
        uuids = [self.add(thread, answer(None, None, 0, block, message=message)) for block in blocks]
        return uuids[-1]

    def calls(self, thread: _Thread) -> None:
        """Write parallel calls and their results, below the last call or each below its own call."""
        own_parents = self.chance(50)
        callers = {
            f"t{len(self.lines)}-{number}": self.answer(thread, tool_use(f"t{len(self.lines)}-{number}", "Read"))
            for number in range(self.pick([1, 1, 1, 2, 3]))
        }
        for tool_id, caller in callers.items():
            if own_parents:
                thread.tip = caller
            if not self.is_odd():
                self.add(thread, result_entry(None, None, 0, tool_id))

    def agent(self, thread: _Thread) -> None:
        """Write a call that spawns an agent, the start of the agent's transcript, and perhaps the result."""
        tool_id, agent_id = f"t{len(self.lines)}", f"g{len(self.lines)}"
        self.answer(thread, tool_use(tool_id, "Task", prompt=f"work {agent_id}"))
        session = thread.keys["sessionId"]
        keys = {"sessionId": session, "isSidechain": True, "agentId": agent_id}
        agent = _Thread(f"{session}/subagents/agent-{agent_id}.jsonl", keys)
        self.add(agent, entry(message=user_message(f"work {agent_id}")))
        self.threads.append(agent)
        for _ in range(self.number(0, 3)):
            self.answer(agent, text_block(self.words()))
        if self.chance(60):
            outcome = {"agentId": agent_id, "status": "completed"}
            self.add(thread, entry(message=user_message(tool_result(tool_id)), toolUseResult=outcome))

    def compaction(self, thread: _Thread) -> None:
        named = self.pick(thread.uuids) if thread.uuids and self.is_odd() else thread.tip
        thread.tip = None
        self.add(thread, boundary_entry(None, named, 0))
        self.add(thread, entry(message=user_message("summary"), isCompactSummary=True))

    def side(self, thread: _Thread) -> None:
        if self.chance(60):
            self.add(thread, entry(type="system", subtype=self.pick(_SIDE), content="x", message=None))
            return
        attachment = {"type": self.pick(["queued_command", "hook_success"]), "prompt": self.pick(_WORDS)}
        self.add(thread, entry(type="attachment", attachment=attachment, message=None))

    def record(self, thread: _Thread) -> None:
        leaf = self.pick(thread.uuids) if thread.uuids and self.is_odd() else thread.tip
        if self.chance(50):
            self.add_record(thread, type="last-prompt", lastPrompt="x", leafUuid=leaf)
            return
        titles = {"aiTitle": self.pick(["x", "y"]), "customTitle": "z", "summary": "s"}
        named = {"leafUuid": leaf} if self.is_odd() else {}
        self.add_record(thread, type=self.pick(_TITLES), **titles, **named)

    def step(self) -> None:
        """Write the next lines of a random thread."""
        thread = self.pick([self.threads[0], self.pick(self.threads)])
        step = self.number(0, 99)
        if step < 20:
            self.prompt(thread)
        elif step < 45:
            blocks = [thinking_block("hm"), text_block(self.words())]
            self.answer(thread, *blocks[self.number(0, 1) :])
        elif step < 65:
            self.calls(thread)
        elif step < 71:
            self.agent(thread)
        elif step < 82:
            self.side(thread)
        elif step < 85:
            self.compaction(thread)
        elif step < 95:
            self.record(thread)
        elif self.is_odd() and len(self.threads) < 6:
            name = f"s{len(self.threads) + 1}"
            self.threads.append(_Thread(f"{name}.jsonl", {"sessionId": name}, tip=thread.tip))
        elif self.is_odd() and thread.uuids:
            thread.tip = self.pick(thread.uuids)  # rewind
        else:
            self.add_record(thread, type="file-history-snapshot", snapshot={})


def everyday_lines(number: Numbers, steps: int) -> list[tuple[str, str]]:
    """Return lines in the order in which they are written, each with the path of its file."""
    writer = _Writer(number)
    for _ in range(steps):
        writer.step()
    return writer.lines
