"""One object of every type that Claude Code writes, and wrong values to insert into it."""

import json
from typing import Any

ENTRY: dict[str, Any] = {
    "parentUuid": "u0",
    "isSidechain": False,
    "userType": "external",
    "cwd": "/w",
    "sessionId": "s1",
    "version": "2.1.200",
    "gitBranch": "main",
    "slug": "merry-finch",
    "entrypoint": "cli",
    "timestamp": "2026-03-01T09:00:00.000Z",
    "uuid": "u1",
}
_USAGE: dict[str, Any] = {
    "input_tokens": 3,
    "output_tokens": 5,
    "cache_creation_input_tokens": 7,
    "cache_read_input_tokens": 9,
    "cache_creation": {"ephemeral_5m_input_tokens": 1, "ephemeral_1h_input_tokens": 6},
    "server_tool_use": {"web_search_requests": 1, "web_fetch_requests": 0},
    "service_tier": "standard",
}
_MESSAGE: dict[str, Any] = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "claude-x",
    "content": [
        {"type": "text", "text": "words"},
        {"type": "thinking", "thinking": "hm", "signature": "c2ln"},
        {"type": "tool_use", "id": "toolu_1", "name": "Task", "input": {"prompt": "go", "subagent_type": "x"}},
        {"type": "server_tool_use", "id": "srv_1", "name": "web_search", "input": {}},
    ],
    "stop_reason": "tool_use",
    "stop_sequence": None,
    "usage": _USAGE,
}
_RESULTS: list[dict[str, Any]] = [
    {
        "type": "tool_result",
        "tool_use_id": "toolu_1",
        "is_error": False,
        "content": [
            {"type": "text", "text": "agentId: a1"},
            {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBO"}},
            {"type": "tool_reference", "tool_name": "Read"},
        ],
    },
    {"type": "tool_result", "tool_use_id": "toolu_2", "content": "done"},
    {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBO"}},
    {"type": "text", "text": "words"},
]
_OUTCOME: dict[str, Any] = {
    "status": "completed",
    "stdout": "x",
    "stderr": "",
    "interrupted": False,
    "exitCode": 0,
    "agentId": "a1",
    "agent_id": "a1",
    "runId": "wf_1",
    "isAsync": False,
    "filePath": "/w/x",
    "file": {"filePath": "/w/x", "numLines": 3},
    "structuredPatch": [{"oldStart": 1, "lines": ["+a", "-b"]}],
    "numFiles": 1,
    "numLines": 2,
    "totalDurationMs": 4,
    "durationMs": 4,
    "durationSeconds": 0.5,
    "totalTokens": 6,
    "totalToolUseCount": 2,
    "usage": _USAGE,
    "task": {"exitCode": 1},
    "backgroundTaskId": "b1",
    "persistedOutputPath": "/w/y",
    "persistedOutputSize": 8,
}
_WRAPPED: dict[str, Any] = {
    "type": "assistant",
    "timestamp": "2026-03-01T09:00:00.000Z",
    "requestId": "req_1",
    "message": _MESSAGE,
}

# one realistic object of every type
SHAPES: tuple[dict[str, Any], ...] = (
    ENTRY | {"type": "assistant", "requestId": "req_1", "message": _MESSAGE, "isApiErrorMessage": False},
    ENTRY
    | {
        "type": "user",
        "message": {"role": "user", "content": _RESULTS},
        "toolUseResult": _OUTCOME,
        "sourceToolAssistantUUID": "u0",
        "sourceToolUseID": "toolu_1",
    },
    ENTRY
    | {
        "type": "user",
        "message": {"role": "user", "content": "words"},
        "toolUseResult": "Error: Exit code 1",
        "isMeta": False,
        "isCompactSummary": False,
        "isVisibleInTranscriptOnly": False,
        "promptId": "p1",
        "permissionMode": "plan",
        "thinkingMetadata": {"level": "high", "disabled": False, "triggers": []},
        "todos": [{"content": "x", "status": "pending"}],
        "planContent": "plan",
        "forkedFrom": {"sessionId": "s0", "messageUuid": "u0"},
        "session_id": "s2",
        "effort": "high",
        "teamName": "team",
        "agentId": "a1",
        "is_active": True,
    },
    ENTRY
    | {
        "type": "progress",
        "toolUseID": "toolu_1",
        "parentToolUseID": "toolu_0",
        "data": {"type": "agent_progress", "agentId": "a1", "prompt": "go", "message": _WRAPPED},
    },
    ENTRY
    | {
        "type": "progress",
        "data": {"type": "hook_progress", "hookEvent": "Stop", "hookName": "x", "command": "y", "totalLines": 1},
    },
    ENTRY
    | {
        "type": "system",
        "subtype": "compact_boundary",
        "content": "Conversation compacted",
        "level": "info",
        "logicalParentUuid": "u0",
        "compactMetadata": {"trigger": "auto", "preTokens": 5, "preservedSegment": {"tailUuid": "u0"}},
    },
    ENTRY
    | {
        "type": "system",
        "subtype": "stop_hook_summary",
        "hookCount": 1,
        "hookInfos": [{"command": "x"}],
        "hookErrors": [],
        "preventedContinuation": False,
        "stopReason": "",
        "durationMs": 5,
        "error": {"status": 529},
        "retryAttempt": 1,
        "maxRetries": 10,
    },
    ENTRY
    | {
        "type": "attachment",
        "attachment": {
            "type": "hook_success",
            "hookEvent": "Stop",
            "hookName": "x",
            "toolUseID": "toolu_1",
            "content": "x",
            "prompt": [{"type": "text", "text": "queued"}],
            "exitCode": 0,
            "durationMs": 5,
        },
    },
    {
        "type": "file-history-snapshot",
        "messageId": "u1",
        "isSnapshotUpdate": False,
        "snapshot": {
            "messageId": "u1",
            "timestamp": "2026-03-01T09:00:00.000Z",
            "trackedFileBackups": {"/w/x": {"backupFileName": "x@v1", "version": 1, "backupTime": "now"}},
        },
    },
    {
        "type": "queue-operation",
        "operation": "enqueue",
        "timestamp": "2026-03-01T09:00:00.000Z",
        "content": "words",
        "sessionId": "s1",
    },
    {"type": "summary", "summary": "words", "leafUuid": "u1"},
    {"type": "last-prompt", "lastPrompt": "words", "sessionId": "s1"},
    {"type": "ai-title", "aiTitle": "words", "sessionId": "s1"},
    {"type": "custom-title", "customTitle": "words", "sessionId": "s1"},
    {"type": "agent-name", "agentName": "words", "sessionId": "s1"},
    {"type": "permission-mode", "permissionMode": "plan", "sessionId": "s1"},
    {"type": "mode", "mode": "normal", "sessionId": "s1"},
    {"type": "pr-link", "prNumber": 1, "prUrl": "https://x", "prRepository": "o/r", "sessionId": "s1"},
    {"type": "bridge-session", "bridgeSessionId": "b1", "lastSequenceNum": 1, "sessionId": "s1"},
    {"type": "atis-latch", "sessionId": "s1"},
    {"type": "file-history-delta", "trackingPath": "/w/x", "backup": {"version": 1}, "sessionId": "s1"},
)

WRONG: tuple[bytes, ...] = (
    *(b"null", b"true", b"false", b"0", b"1", b"-1", b"0.5", b"1e308", b"-1e400", b"NaN", b"Infinity"),
    *(b"9223372036854775808", b"-9223372036854775809", b"18446744073709551616", b"9" * 40, b"9" * 5_000),
    *(b'""', b'" "', b'"x"', b'"\\ud83d"', b'"\\u0000"', b'"\xff"', b'"\x00"', b'"' + b"long " * 20_000 + b'"'),
    *(b'"' + b"iVBO" * 5_000 + b'"', b'"2026-03-01T09:00:00Z"', b'"true"', b'"tool_result"'),
    *(b"[]", b"{}", b"[[]]", b"[{}]", b"[null]", b'["x"]', b"[1]", b'{"":null}', b'{"type":[]}', b'{"type":{}}'),
    *(b'{"type":"text","text":{}}', b'[{"type":"text","text":[]}]', b'[{"type":[]}]', b'[{"type":"tool_result"}]'),
    *(b'{"content":[{"type":{}}]}', b'{"message":"x"}', b'{"x":{"y":{"z":[1,2,3]}}}', b"[" * 250 + b"]" * 250),
    *(b"[" * 1_100 + b"]" * 1_100, b'{"a":' * 1_100 + b"1" + b"}" * 1_100),
)


def paths_of(root: Any) -> list[tuple[str | int, ...]]:
    """Return the paths of all values nested in a value."""
    paths: list[tuple[str | int, ...]] = []
    stack: list[tuple[Any, tuple[str | int, ...]]] = [(root, ())]
    while stack:
        value, path = stack.pop()
        pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        for key, item in pairs:
            paths.append((*path, key))
            stack.append((item, (*path, key)))
    return paths


def with_value(root: Any, path: tuple[str | int, ...], new: Any) -> Any:
    """Return a copy of `root` in which the value at the given path is replaced."""
    copy = json.loads(json.dumps(root))
    container = copy
    for key in path[:-1]:
        container = container[key]
    container[path[-1]] = new
    return copy
