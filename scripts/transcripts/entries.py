"""A seed and plain names to lines as Claude Code would write them, with ids of the usual forms."""

import hashlib
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from tests.making.transcripts import entry, text_block, to_line, tool_use, user_message

_START = datetime(2026, 2, 1, tzinfo=UTC)
_FOLDER = "-home-you-projects-made-up"


@dataclass(frozen=True, slots=True)
class Maker:
    """Makes lines; the same name is the same id wherever it stands."""

    seed: int

    def uuid(self, name: str) -> str:
        """The id of an entry or a session."""
        digits = self._digits(name)
        return "-".join((digits[:8], digits[8:12], f"4{digits[13:16]}", f"a{digits[17:20]}", digits[20:32]))

    def call(self, name: str) -> str:
        """The id of a call of a tool."""
        return f"toolu_01{self._digits(name)[:22]}"

    def response(self, name: str) -> str:
        """The id of what the model gave back."""
        return f"msg_01{self._digits(name)[:22]}"

    def request(self, name: str) -> str:
        """The id of what the model was asked."""
        return f"req_01{self._digits(name)[:22]}"

    def agent(self, name: str) -> str:
        """The id of a subagent."""
        return f"a{self._digits(name)[:16]}"

    def session_file(self, session: str) -> str:
        """Where a session stands."""
        return f"{_FOLDER}/{self.uuid(session)}.jsonl"

    def agent_file(self, session: str, agent: str, ending: str = "jsonl") -> str:
        """Where a subagent of a session stands, or its sidecar."""
        return f"{_FOLDER}/{self.uuid(session)}/subagents/agent-{self.agent(agent)}.{ending}"

    def prompt(self, name: str, parent: str | None, at: float, **keys: Any) -> str:
        """Something typed."""
        return self.entry(name, parent, at, message=user_message(f"say {name}"), **keys)

    def answer(self, name: str, parent: str | None, at: float, *, calls: str | None = None, **keys: Any) -> str:
        """An answer, or the call of a subagent."""
        block = text_block(f"{name} said")
        if calls is not None:
            block = tool_use(self.call(calls), "Task", prompt=f"do {name}")
        message = {"id": self.response(name), "role": "assistant", "content": [block]}
        return self.entry(name, parent, at, type="assistant", message=message, **keys)

    def progress(self, name: str, parent: str | None, at: float) -> str:
        """A sign of life of a running command."""
        return self.entry(name, parent, at, type="progress", data={"type": "bash_progress", "output": "."})

    def entry(self, name: str, parent: str | None, at: float, *, session: str = "s1", **keys: Any) -> str:
        """Any entry: what all have, and what this one has besides."""
        common = {
            "sessionId": self.uuid(session),
            "timestamp": stamp(at),
            "userType": "external",
            "cwd": "/home/you/projects/made-up",
            "gitBranch": "main",
            "message": None,
        }
        value = entry(self.uuid(name), parent if parent is None else self.uuid(parent), **common | keys)
        return to_line(value, separators=(",", ":"))

    def _digits(self, name: str) -> str:
        return hashlib.blake2b(f"{self.seed}/{name}".encode(), digest_size=16).hexdigest()


def stamp(at: float) -> str:
    """So many seconds after the beginning, as transcripts write it."""
    return (_START + timedelta(seconds=at)).isoformat(timespec="milliseconds").replace("+00:00", "Z")
