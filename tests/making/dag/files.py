"""Convert graph notation to transcripts as Claude Code writes them."""

import json
from collections import defaultdict
from collections.abc import Callable

from tests.making.transcripts import (
    Object,
    entry,
    text_block,
    thinking_block,
    to_line,
    tool_result,
    tool_use,
    user_message,
)

from .grammar import AGENT_TOOLS, Copy, Entry, File, Record, ToolCall, read


def jsonl(dag: str) -> dict[str, bytes]:
    """Return the contents of the described files, by path."""
    recorded = read(dag)
    lines: defaultdict[str, list[str]] = defaultdict(list)
    for item in recorded.objects:
        if isinstance(item, Record):
            text = json.dumps(_record(item))
        else:
            original = recorded.entries[item.entry] if isinstance(item, Copy) else item
            text = to_line(_entry(original, item.file))
        lines[item.file.path].append(text + "\n")
    files = {path: "".join(group).encode() for path, group in lines.items()}
    for file, (call, called) in recorded.sidecars.items():
        values = {"agentType": "general-purpose", "toolUseId": call, "name": called}
        sidecar = {key: value for key, value in values.items() if value is not None}
        files[file.path.removesuffix(".jsonl") + ".meta.json"] = json.dumps(sidecar).encode()
    return files


def _record(record: Record) -> Object:
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


def _entry(item: Entry, file: File) -> Object:
    keys: Object = {"sessionId": file.session, "isSidechain": file.is_sidechain, "agentId": file.agent}
    if item.second is None:
        keys["timestamp"] = None
    if item.is_active:
        keys["is_active"] = True
    return entry(item.name, item.parent, item.second or 0, **keys, **{"message": None} | _SHAPES[item.letter](item))


def _assistant(item: Entry) -> Object:
    texts = [text_block(item.text)] if item.text else []
    uses = [tool_use(call.id, call.tool, **_input(item, call)) for call in item.calls]
    message = {
        "role": "assistant",
        "id": item.response or f"msg_{item.name}",
        "model": "<synthetic>" if item.is_synthetic else "claude-opus-4-5",
        "content": [*texts, *uses] or [thinking_block(f"think {item.name}", signature="")],
    }
    return {"type": "assistant", "message": message}


def _input(item: Entry, call: ToolCall) -> dict[str, str]:
    if call.tool not in AGENT_TOOLS:
        return {"command": "true"}
    return {"prompt": item.text} | ({"name": call.called} if call.called else {})


def _user(item: Entry) -> Object:
    texts = [text_block(item.text)] if item.is_prompt else []
    results = [tool_result(call.id, item.text) for call in item.calls]
    value: Object = {"type": "user", "message": user_message(*results, *texts) if results else user_message(item.text)}
    if item.agent is not None:
        value["toolUseResult"] = {"agentId": item.agent}
    if item.is_meta:
        value["isMeta"] = True
    if item.is_summary:
        value |= {"isCompactSummary": True, "isVisibleInTranscriptOnly": True}
    return value


def _boundary(item: Entry) -> Object:
    value: Object = {"type": "system", "subtype": "compact_boundary", "content": "Conversation compacted"}
    preserved = dict(zip(("tailUuid", "headUuid"), item.logical[1:3], strict=False))
    metadata: Object = {"trigger": "manual", "preTokens": 1000}
    if preserved:
        metadata["preservedSegment"] = preserved
    if item.logical[3:]:
        metadata["preservedMessages"] = {"uuids": list(reversed(item.logical[3:]))}
    logical = {"logicalParentUuid": item.logical[0]} if item.logical else {}
    return value | logical | {"compactMetadata": metadata}


def _progress(item: Entry) -> Object:
    data = {"type": "hook_progress"} if item.agent is None else {"type": "agent_progress", "agentId": item.agent}
    value = {"type": "progress", "data": data}
    return value | ({"parentToolUseID": item.calls[0].id} if item.calls else {})


def _queued(item: Entry) -> Object:
    attachment = {
        "type": "queued_command",
        "prompt": item.text,
        "commandMode": "prompt",
        "origin": {"kind": "human"},
    }
    return {"type": "attachment", "attachment": attachment}


_SHAPES: dict[str, Callable[[Entry], Object]] = {
    "u": _user,
    "c": _user,
    "n": _user,
    "r": _user,
    "a": _assistant,
    "b": _boundary,
    "p": _progress,
    "q": _queued,
    "h": lambda item: {"type": "attachment", "attachment": {"type": "hook_success", "content": item.text}},
    "s": lambda item: {"type": "system", "subtype": "local_command", "content": item.text},
}
