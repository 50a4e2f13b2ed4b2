"""Ids of any kind to entries in the form of Claude Code: prompts, answers, calls, results, boundaries, progress."""

from datetime import UTC, datetime, timedelta
from typing import Any

Object = dict[str, Any]

_START = datetime(2026, 3, 1, 9, tzinfo=UTC)


def at(second: int) -> str:
    """An instant as Claude Code writes it."""
    return (_START + timedelta(seconds=second)).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def entry(uuid: Any, parent: Any = None, second: int = 0, **keys: Any) -> Object:
    """An entry of a person; a keyword replaces or adds a key."""
    return {
        "type": "user",
        "uuid": uuid,
        "parentUuid": parent,
        "sessionId": "s0",
        "timestamp": at(second),
        "isSidechain": False,
        "message": {"role": "user", "content": "go on"},
    } | keys


def answer(uuid: Any, parent: Any, second: int, *blocks: Object, message: Any = None, **keys: Any) -> Object:
    """An entry of the assistant."""
    told = list(blocks) or [{"type": "text", "text": "done"}]
    usage = {"input_tokens": second % 7, "output_tokens": second % 11}
    body = {"role": "assistant", "id": message or f"m{uuid}", "model": "claude-x", "content": told, "usage": usage}
    return entry(uuid, parent, second, type="assistant", message=body) | keys


def use(call: Any, prompt: str = "look", **asked: Any) -> Object:
    """A call of an agent."""
    return {"type": "tool_use", "id": call, "name": "Task", "input": {"prompt": prompt} | asked}


def result(uuid: Any, parent: Any, second: int, call: Any, text: str = "ok", **keys: Any) -> Object:
    """An entry with the result of a call."""
    block = {"type": "tool_result", "tool_use_id": call, "content": text}
    return entry(uuid, parent, second, message={"role": "user", "content": [block]}) | keys


def boundary(uuid: Any, logical: Any, second: int, **keys: Any) -> Object:
    """A compact boundary."""
    return entry(uuid, None, second, type="system", subtype="compact_boundary", logicalParentUuid=logical) | keys


def progress(uuid: Any, parent: Any, second: int, call: Any, agent: Any, **keys: Any) -> Object:
    """An entry that reports what an agent does."""
    data = {"type": "agent_progress", "agentId": agent}
    return entry(uuid, parent, second, type="progress", parentToolUseID=call, data=data) | keys
