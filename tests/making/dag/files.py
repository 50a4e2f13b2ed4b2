"""Writes a text as the files of a project, in the form that Claude Code gives them."""

import json
from collections import defaultdict
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from .grammar import AGENT_TOOLS, EPOCH, Copy, Entry, File, Record, Used, read


def jsonl(text: str) -> dict[str, bytes]:
    """Return the files of a text by path."""
    recorded = read(text)
    lines: defaultdict[str, list[str]] = defaultdict(list)
    for item in recorded.objects:
        if isinstance(item, Record):
            value = _record(item)
        else:
            entry = recorded.entries[item.entry] if isinstance(item, Copy) else item
            value = _line(entry, item.file)
        lines[item.file.path].append(json.dumps(value) + "\n")
    files = {path: "".join(group).encode() for path, group in lines.items()}
    for file, (call, called) in recorded.sidecars.items():
        sidecar = {"agentType": "general-purpose", "toolUseId": call, "name": called}
        kept = {key: value for key, value in sidecar.items() if value is not None}
        files[file.path.removesuffix(".jsonl") + ".meta.json"] = json.dumps(kept).encode()
    return files


def _record(record: Record) -> dict[str, Any]:
    session = record.file.session
    if record.type == "leaf":
        return {"type": "last-prompt", "lastPrompt": "go on", "leafUuid": record.entry, "sessionId": session}
    return {
        "type": "fork-context-ref",
        "agentId": record.file.agent,
        "parentSessionId": session,
        "parentLastUuid": record.entry,
        "contextLength": 1,
    }


def _line(entry: Entry, file: File) -> dict[str, Any]:
    value: dict[str, Any] = {
        "uuid": entry.name,
        "parentUuid": entry.parent,
        "sessionId": file.session,
        "isSidechain": file.is_sidechain,
        "version": "2.1.200",
    }
    if entry.at is not None:
        instant = datetime.fromtimestamp(EPOCH / 1000 + entry.at, UTC)
        value["timestamp"] = instant.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    if file.agent is not None:
        value["agentId"] = file.agent
    if entry.is_active:
        value["is_active"] = True
    return value | _SHAPES[entry.letter](entry)


def _assistant(entry: Entry) -> dict[str, Any]:
    texts = [{"type": "text", "text": entry.text}] if entry.text else []
    uses = [
        {"type": "tool_use", "id": call.id, "name": call.tool, "input": _input(entry, call)} for call in entry.calls
    ]
    message = {
        "role": "assistant",
        "id": entry.response or f"msg_{entry.name}",
        "model": "<synthetic>" if entry.is_synthetic else "claude-opus-4-5",
        "content": [*texts, *uses] or [{"type": "thinking", "thinking": f"think {entry.name}", "signature": ""}],
    }
    return {"type": "assistant", "message": message}


def _input(entry: Entry, call: Used) -> dict[str, str]:
    if call.tool not in AGENT_TOOLS:
        return {"command": "true"}
    return {"prompt": entry.text} | ({"name": call.called} if call.called else {})


def _user(entry: Entry) -> dict[str, Any]:
    texts: list[dict[str, Any]] = [{"type": "text", "text": entry.text}] if entry.is_prompt else []
    results = [{"type": "tool_result", "tool_use_id": call.id, "content": entry.text} for call in entry.calls]
    content = [*results, *texts] if results else entry.text
    value: dict[str, Any] = {"type": "user", "message": {"role": "user", "content": content}}
    if entry.agent is not None:
        value["toolUseResult"] = {"agentId": entry.agent}
    if entry.is_meta:
        value["isMeta"] = True
    if entry.is_summary:
        value |= {"isCompactSummary": True, "isVisibleInTranscriptOnly": True}
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


def _queued(entry: Entry) -> dict[str, Any]:
    attachment = {
        "type": "queued_command",
        "prompt": entry.text,
        "commandMode": "prompt",
        "origin": {"kind": "human"},
    }
    return {"type": "attachment", "attachment": attachment}


_SHAPES: dict[str, Callable[[Entry], dict[str, Any]]] = {
    "u": _user,
    "c": _user,
    "n": _user,
    "r": _user,
    "a": _assistant,
    "b": _boundary,
    "p": _progress,
    "q": _queued,
    "h": lambda entry: {"type": "attachment", "attachment": {"type": "hook_success", "content": entry.text}},
    "s": lambda entry: {"type": "system", "subtype": "local_command", "content": entry.text},
}
