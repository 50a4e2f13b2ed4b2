"""Create content blocks, entries, records and files as Claude Code writes them.

`entry` and functions that end in `_entry` return an object. `line`, `user`, `assistant`, `progress`, `queued_command`,
`record` and `queue_operation` return a line of JSON. Keyword arguments replace or add keys. `second` is the number of
seconds after 2026-03-01 09:00:00 UTC.
"""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from tests.making.files import write

Object = dict[str, Any]

START_MS = 1_772_355_600_000  # second 0, in milliseconds since the Unix epoch
# costs 3, 15 and 0.30 dollars per million tokens of input, output and cache reads, and 6 for one-hour cache writes
MODEL = "claude-sonnet-4-5-20250929"

_START = datetime.fromtimestamp(START_MS / 1000, UTC)


def at(second: float) -> str:
    """Return the timestamp at the given second."""
    return (_START + timedelta(seconds=second)).isoformat(timespec="milliseconds").replace("+00:00", "Z")


# Content blocks


def text_block(text: str) -> Object:
    return {"type": "text", "text": text}


def thinking_block(text: str, **keys: Any) -> Object:
    return {"type": "thinking", "thinking": text, **keys}


def tool_use(tool_id: Any, name: str, /, **values: Any) -> Object:
    """Return a call; keyword arguments are its input."""
    return {"type": "tool_use", "id": tool_id, "name": name, "input": values}


def tool_result(tool_id: Any, content: Any = "ok", **keys: Any) -> Object:
    return {"type": "tool_result", "tool_use_id": tool_id, "content": content, **keys}


def token_usage(*, read: int = 0, output: int = 0, short: int = 0, long: int = 0, cached: int = 0) -> Object:
    """Return the usage of a message; cache writes have a lifetime of 5 minutes (`short`) or 1 hour (`long`)."""
    return {
        "input_tokens": read,
        "output_tokens": output,
        "cache_creation_input_tokens": short + long,
        "cache_creation": {"ephemeral_5m_input_tokens": short, "ephemeral_1h_input_tokens": long},
        "cache_read_input_tokens": cached,
    }


def task_notification(task_id: str, status: str, result: str = "done") -> str:
    """Return the text of a notification about a background task."""
    return (
        f"<task-notification>\n<task-id>{task_id}</task-id>\n<status>{status}</status>\n"
        f"<summary>Agent came to its end</summary>\n<result>{result}</result>\n</task-notification>"
    )


# Entries


def entry(uuid: Any = None, parent: Any = None, second: float = 0, **keys: Any) -> Object:
    """Return a prompt in session s1."""
    return {
        "type": "user",
        "uuid": uuid,
        "parentUuid": parent,
        "sessionId": "s1",
        "timestamp": at(second),
        "isSidechain": False,
        "cwd": "/w",
        "version": "2.1.200",
        "message": user_message(f"say {uuid}"),
    } | keys


def assistant_entry(uuid: Any, parent: Any, second: float, *blocks: Object, message: Any = None, **keys: Any) -> Object:
    """Return a response or a part of one; `message` replaces or adds keys of the API message, None removes a key."""
    values = {"role": "assistant", "id": f"m-{uuid}", "model": MODEL, "content": list(blocks)} | (message or {})
    api_message = {key: value for key, value in values.items() if value is not None}
    return entry(uuid, parent, second, **{"type": "assistant", "message": api_message} | keys)


def result_entry(uuid: Any, parent: Any, second: float, tool_id: Any, content: Any = "ok", **keys: Any) -> Object:
    """Return the result of a call."""
    return entry(uuid, parent, second, **{"message": user_message(tool_result(tool_id, content))} | keys)


def boundary_entry(uuid: Any, logical_parent: Any, second: float, **keys: Any) -> Object:
    """Return a compact boundary."""
    boundary = {"type": "system", "subtype": "compact_boundary", "logicalParentUuid": logical_parent, "message": None}
    return _without(entry(uuid, None, second, **boundary | keys), "message")


def progress_entry(uuid: Any, parent: Any, second: float, tool_id: Any, agent_id: Any, **keys: Any) -> Object:
    """Return a progress report about an agent; `data` replaces or adds keys in its `data` object."""
    data = {"type": "agent_progress", "agentId": agent_id} | keys.pop("data", {})
    report = {"type": "progress", "data": data, "parentToolUseID": tool_id, "message": None}
    return _without(entry(uuid, parent, second, **report | keys), "message")


def user_message(*content: str | Object) -> Object:
    """Return the message of a user entry; its content is a string or a list of blocks."""
    is_text = len(content) == 1 and isinstance(content[0], str)
    return {"role": "user", "content": content[0] if is_text else list(content)}


def _without(value: Object, key: str) -> Object:
    """Remove a key if its value is None."""
    return {name: item for name, item in value.items() if name != key or item is not None}


# Lines


def to_line(value: Object, *, separators: tuple[str, str] | None = None) -> str:
    """Encode an entry as a line. Keys whose value is None are omitted, except `parentUuid`."""
    present = {key: item for key, item in value.items() if item is not None or key == "parentUuid"}
    return json.dumps(present, separators=separators)


# `parent` and `second` are Any so that callers can unpack a dict of mixed values into keyword arguments


def line(uuid: str | None = None, *, parent: Any = None, second: Any = 0, **keys: Any) -> str:
    """Return an entry; a value of None removes its key."""
    return to_line(entry(uuid, parent, second, **keys))


def user(uuid: str, second: float, *content: str | Object, **keys: Any) -> str:
    """Return a user entry; its content is a string or a list of blocks."""
    return line(uuid, second=second, **{"message": user_message(*content)} | keys)


def assistant(uuid: str, second: float, *blocks: Object, parent: Any = None, message: Any = None, **keys: Any) -> str:
    """Return a response or a part of one; see `assistant_entry`."""
    return to_line(assistant_entry(uuid, parent, second, *blocks, message=message, **keys))


def progress(
    uuid: str,
    second: float,
    agent_id: str,
    tool_id: str,
    *,
    parent: Any = None,
    wrapped: Any = None,
    **keys: Any,
) -> str:
    """Return an agent_progress entry; `wrapped` is the agent's message that it contains."""
    data = {} if wrapped is None else {"message": wrapped}
    own = {"data": data, "toolUseID": f"agent_{uuid}"}
    return to_line(progress_entry(uuid, parent, second, tool_id, agent_id, **own | keys))


def queued_command(uuid: str, second: float, prompt: Any, *, attached: Any = None, **keys: Any) -> str:
    """Return the entry that newer versions write for a queued prompt; `attached` adds keys to the attachment."""
    attachment = {"type": "queued_command", "prompt": prompt, "commandMode": "prompt"} | (attached or {})
    own = {"type": "attachment", "parentUuid": "a1", "message": None, "attachment": attachment}
    return line(uuid, second=second, **own | keys)


def record(**keys: Any) -> str:
    """Return a record, which has no uuid."""
    return json.dumps({"sessionId": "s1", "timestamp": at(0)} | keys)


def queue_operation(operation: str, second: float, content: Any = None, **keys: Any) -> str:
    """Return a queue-operation record."""
    optional = {} if content is None else {"content": content}
    return record(**{"type": "queue-operation", "operation": operation, "timestamp": at(second)} | optional | keys)


# Several lines, and files


def queue_session(*between: str) -> list[str]:
    """Return a prompt and two responses, with the given lines between the responses."""
    return [
        user("u1", 0, "go"),
        assistant("a1", 5, text_block("on it"), parent="u1"),
        *between,
        assistant("a2", 20, text_block("done"), parent="a1"),
    ]


def agent_file(project: Path, agent_id: str, *lines: str, session: str = "s1", sidecar: Object | None = None) -> Path:
    """Write an agent's transcript and, if given, its sidecar."""
    folder = project / session / "subagents"
    if sidecar is not None:
        write(folder / f"agent-{agent_id}.meta.json", json.dumps(sidecar))
    return write(folder / f"agent-{agent_id}.jsonl", *lines)
