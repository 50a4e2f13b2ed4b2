"""Small transcripts written by hand: who says what at which second, what is called and answered, what it took."""

import json
from pathlib import Path
from typing import Any

from tests.making.files import write

MODEL = "claude-sonnet-4-5-20250929"  # 3, 15 and 0.30 dollars for input, output and cache reads; twice 3 for an hour

Block = dict[str, Any]


def line(uuid: str | None = None, *, parent: str | None = None, **keys: Any) -> str:
    """One entry as Claude Code would write it; a keyword replaces or adds a key, None drops it."""
    value: dict[str, Any] = {
        "type": "user",
        "uuid": uuid,
        "parentUuid": parent,
        "sessionId": "s1",
        "timestamp": "2026-03-01T09:00:00.000Z",
        "isSidechain": False,
        "cwd": "/w",
        "version": "2.1.200",
        "message": {"role": "user", "content": f"say {uuid}"},
    } | keys
    return json.dumps({key: item for key, item in value.items() if item is not None or key == "parentUuid"})


def at(second: int) -> str:
    return f"2026-03-01T09:{second // 60:02}:{second % 60:02}.000Z"


def words(text: str) -> Block:
    return {"type": "text", "text": text}


def thought(text: str) -> Block:
    return {"type": "thinking", "thinking": text}


def use(tool_id: str, name: str, /, **values: Any) -> Block:
    return {"type": "tool_use", "id": tool_id, "name": name, "input": values}


def result(tool_id: str, content: Any = "ok", **keys: Any) -> Block:
    return {"type": "tool_result", "tool_use_id": tool_id, "content": content, **keys}


def user(uuid: str, second: int, *content: str | Block, **keys: Any) -> str:
    """A prompt of words, or an entry of blocks."""
    said = content[0] if len(content) == 1 and isinstance(content[0], str) else list(content)
    return line(uuid, **{"timestamp": at(second), "message": {"role": "user", "content": said}} | keys)


def assistant(uuid: str, second: int, *blocks: Block, message: Block | None = None, **keys: Any) -> str:
    """What the model says; `message` adds to the API message."""
    made = {"role": "assistant", "id": f"m-{uuid}", "model": MODEL, "content": list(blocks)} | (message or {})
    said = {key: value for key, value in made.items() if value is not None}
    return line(uuid, **{"type": "assistant", "timestamp": at(second), "message": said} | keys)


def took(*, read: int = 0, output: int = 0, short: int = 0, long: int = 0, cached: int = 0) -> Block:
    """The usage of a message, its cache writes split by how long they live."""
    return {
        "input_tokens": read,
        "output_tokens": output,
        "cache_creation_input_tokens": short + long,
        "cache_creation": {"ephemeral_5m_input_tokens": short, "ephemeral_1h_input_tokens": long},
        "cache_read_input_tokens": cached,
    }


def progress(uuid: str, second: int, agent_id: str, tool_id: str, *, wrapped: Block | None = None, **keys: Any) -> str:
    """An agent_progress entry: which agent, by which call, and the message of it that it wraps."""
    data: Block = {"type": "agent_progress", "agentId": agent_id}
    if wrapped is not None:
        data["message"] = wrapped
    return line(
        uuid,
        type="progress",
        timestamp=at(second),
        message=None,
        data=data,
        parentToolUseID=tool_id,
        toolUseID=f"agent_{uuid}",
        **keys,
    )


def record(**keys: Any) -> str:
    """A line without a uuid."""
    return json.dumps({"sessionId": "s1", "timestamp": at(0)} | keys)


def notified(task_id: str, status: str, said: str = "done") -> str:
    """What Claude Code says of a background task that came to its end."""
    return (
        f"<task-notification>\n<task-id>{task_id}</task-id>\n<status>{status}</status>\n"
        f"<summary>Agent came to its end</summary>\n<result>{said}</result>\n</task-notification>"
    )


def agent_file(project: Path, agent_id: str, *lines: str, session: str = "s1", sidecar: Block | None = None) -> Path:
    """Write an agent's transcript, and what lies beside it."""
    folder = project / session / "subagents"
    if sidecar is not None:
        write(folder / f"agent-{agent_id}.meta.json", json.dumps(sidecar))
    return write(folder / f"agent-{agent_id}.jsonl", *lines)


def queue(operation: str, second: int, content: Any = None, **keys: Any) -> str:
    value = {"type": "queue-operation", "operation": operation, "timestamp": at(second), "sessionId": "s1"} | keys
    return json.dumps(value if content is None else value | {"content": content})


def queued_command(uuid: str, second: int, prompt: Any, **keys: Any) -> str:
    """The attachment that newer versions write for a queued prompt."""
    attachment = {"type": "queued_command", "prompt": prompt, "commandMode": "prompt"} | keys.pop("attached", {})
    value = {"type": "attachment", "uuid": uuid, "sessionId": "s1", "timestamp": at(second), "attachment": attachment}
    return json.dumps({"parentUuid": "a1", "isSidechain": False, "cwd": "/w", "version": "2.1.200"} | value | keys)


def queue_talk(*between: str) -> list[str]:
    return [
        user("u1", 0, "go"),
        assistant("a1", 5, words("on it"), parent="u1"),
        *between,
        assistant("a2", 20, words("done"), parent="a1"),
    ]
