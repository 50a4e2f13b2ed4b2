"""Make transcript lines as Claude Code writes them, with ids derived from a seed and short names."""

import hashlib
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from tests.making.transcripts import entry, text_block, to_line, tool_use, user_message

_START = datetime(2026, 2, 1, tzinfo=UTC)
_FOLDER = "-home-you-projects-made-up"


@dataclass(frozen=True, slots=True)
class EntryMaker:
    """Makes lines. The same seed and name always give the same id."""

    seed: int

    def uuid(self, name: str) -> str:
        """Return the id of an entry or a session."""
        digits = self._digits(name)
        return "-".join((digits[:8], digits[8:12], f"4{digits[13:16]}", f"a{digits[17:20]}", digits[20:32]))

    def call(self, name: str) -> str:
        """Return the id of a tool call."""
        return f"toolu_01{self._digits(name)[:22]}"

    def response(self, name: str) -> str:
        """Return the id of a response."""
        return f"msg_01{self._digits(name)[:22]}"

    def request(self, name: str) -> str:
        """Return the id of an API request."""
        return f"req_01{self._digits(name)[:22]}"

    def agent(self, name: str) -> str:
        """Return the id of a subagent."""
        return f"a{self._digits(name)[:16]}"

    def session_file(self, session: str) -> str:
        """Return the relative path of a session's transcript."""
        return f"{_FOLDER}/{self.uuid(session)}.jsonl"

    def agent_file(self, session: str, agent: str, suffix: str = "jsonl") -> str:
        """Return the relative path of a subagent's transcript, or of its sidecar."""
        return f"{_FOLDER}/{self.uuid(session)}/subagents/agent-{self.agent(agent)}.{suffix}"

    def prompt(self, name: str, parent: str | None, seconds: float, **keys: Any) -> str:
        """Return a prompt."""
        return self.entry(name, parent, seconds, message=user_message(f"say {name}"), **keys)

    def answer(self, name: str, parent: str | None, seconds: float, *, calls: str | None = None, **keys: Any) -> str:
        """Return an answer or, with `calls`, a response with a call that starts a subagent."""
        block = text_block(f"{name} said")
        if calls is not None:
            block = tool_use(self.call(calls), "Task", prompt=f"do {name}")
        message = {"id": self.response(name), "role": "assistant", "content": [block]}
        return self.entry(name, parent, seconds, type="assistant", message=message, **keys)

    def progress(self, name: str, parent: str | None, seconds: float) -> str:
        """Return a progress entry of a running command."""
        return self.entry(name, parent, seconds, type="progress", data={"type": "bash_progress", "output": "."})

    def entry(self, name: str, parent: str | None, seconds: float, *, session: str = "s1", **keys: Any) -> str:
        """Return an entry with the keys that all entries have, and with `keys`."""
        common = {
            "sessionId": self.uuid(session),
            "timestamp": format_timestamp(seconds),
            "userType": "external",
            "cwd": "/home/you/projects/made-up",
            "gitBranch": "main",
            "message": None,
        }
        value = entry(self.uuid(name), parent if parent is None else self.uuid(parent), **common | keys)
        return to_line(value, separators=(",", ":"))

    def _digits(self, name: str) -> str:
        return hashlib.blake2b(f"{self.seed}/{name}".encode(), digest_size=16).hexdigest()


def format_timestamp(seconds: float) -> str:
    """Return the time that is `seconds` after the start, in the format used in transcripts."""
    return (_START + timedelta(seconds=seconds)).isoformat(timespec="milliseconds").replace("+00:00", "Z")
