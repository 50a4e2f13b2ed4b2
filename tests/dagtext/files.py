"""The entries of a text as the files of a project, the way Claude Code would write them."""

import json
from collections import defaultdict
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from .grammar import AGENT_TOOLS, EPOCH, Entry, Used, read


def jsonl(text: str) -> dict[str, bytes]:
    """Write a text as the files of a project."""
    recorded = read(text)
    lines: defaultdict[str, list[str]] = defaultdict(list)
    for entry in recorded.entries.values():
        lines[entry.file.path].append(json.dumps(_line(entry)) + "\n")
    files = {path: "".join(group).encode() for path, group in lines.items()}
    for file, (call, called) in recorded.sidecars.items():
        sidecar = {"agentType": "general-purpose", "toolUseId": call, "name": called}
        kept = {key: value for key, value in sidecar.items() if value is not None}
        files[file.path.removesuffix(".jsonl") + ".meta.json"] = json.dumps(kept).encode()
    return files


def _line(entry: Entry) -> dict[str, Any]:
    value: dict[str, Any] = {
        "uuid": entry.name,
        "parentUuid": entry.parent,
        "sessionId": entry.file.session,
        "isSidechain": entry.file.is_sidechain,
        "version": "2.1.200",
    }
    if entry.at is not None:
        instant = datetime.fromtimestamp(EPOCH / 1000 + entry.at, UTC)
        value["timestamp"] = instant.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    if entry.file.agent is not None:
        value["agentId"] = entry.file.agent
    if entry.is_active:
        value["is_active"] = True
    return value | _SHAPES[entry.letter](entry)


def _assistant(entry: Entry) -> dict[str, Any]:
    uses = [
        {"type": "tool_use", "id": call.id, "name": call.tool, "input": _input(entry, call)} for call in entry.calls
    ]
    content = [{"type": "text", "text": entry.text}, *uses]
    return {"type": "assistant", "message": {"role": "assistant", "id": f"msg_{entry.name}", "content": content}}


def _input(entry: Entry, call: Used) -> dict[str, str]:
    if call.tool not in AGENT_TOOLS:
        return {"command": "true"}
    return {"prompt": entry.text} | ({"name": call.called} if call.called else {})


def _user(entry: Entry) -> dict[str, Any]:
    texts: list[dict[str, Any]] = [{"type": "text", "text": entry.text}] if entry.letter == "u" else []
    results = [{"type": "tool_result", "tool_use_id": call.id, "content": entry.text} for call in entry.calls]
    content = [*results, *texts] if results else entry.text
    value: dict[str, Any] = {"type": "user", "message": {"role": "user", "content": content}}
    if entry.agent is not None:
        value["toolUseResult"] = {"agentId": entry.agent}
    if entry.is_injected and entry.letter == "u":
        value["isMeta"] = True
    return value


def _boundary(entry: Entry) -> dict[str, Any]:
    value: dict[str, Any] = {"type": "system", "subtype": "compact_boundary", "content": "Conversation compacted"}
    kept = dict(zip(("tailUuid", "headUuid"), entry.logical[1:3], strict=False))
    metadata: dict[str, Any] = {"trigger": "manual", "preTokens": 1000}
    if kept:
        metadata["preservedSegment"] = kept
    if entry.logical[3:]:
        metadata["preservedMessages"] = {"uuids": list(reversed(entry.logical[3:]))}
    logical = {"logicalParentUuid": entry.logical[0]} if entry.logical else {}
    return value | logical | {"compactMetadata": metadata}


def _progress(entry: Entry) -> dict[str, Any]:
    data = {"type": "hook_progress"} if entry.agent is None else {"type": "agent_progress", "agentId": entry.agent}
    value = {"type": "progress", "data": data}
    return value | ({"parentToolUseID": entry.calls[0].id} if entry.calls else {})


_SHAPES: dict[str, Callable[[Entry], dict[str, Any]]] = {
    "u": _user,
    "c": _user,
    "r": _user,
    "a": _assistant,
    "b": _boundary,
    "p": _progress,
    "h": lambda entry: {"type": "attachment", "attachment": {"type": "hook_success", "content": entry.text}},
    "s": lambda entry: {"type": "system", "subtype": "local_command", "content": entry.text},
}
