"""Generate random entries and records with the keys and types that Claude Code 2.1 writes."""

import json
from dataclasses import dataclass
from typing import Any

from tests.reference.random_choices import FLAGS, RandomChoices
from tests.reference.transcript_builder import RUN_IDS, ThreadFile, TranscriptBuilder

Value = dict[str, Any]

_LEGACY = {"result": "tool_result", "boundary": "compact_prelude"}  # legacy types by kind
_STATUSES = ["completed", "async_launched", "error", "teammate_spawned", "interrupted", "success"]
_ENDS = ["completed", "failed", "killed", "running"]
_SYSTEM: list[Value] = [
    {"subtype": "turn_duration", "durationMs": 5_400, "messageCount": 4},
    {"subtype": "away_summary", "content": "While you were away"},
    {"subtype": "api_error", "level": "error", "error": {"status": 529}, "retryAttempt": 1, "maxRetries": 10},
    {
        "subtype": "microcompact_boundary",
        "content": "Context microcompacted",
        "microcompactMetadata": {"trigger": "auto"},
    },
    {"subtype": "stop_hook_summary", "hookCount": 1, "hookInfos": [{"command": "x"}], "hasOutput": False},
    {"subtype": "bridge_status", "url": "https://example.org"},
    {"subtype": "scheduled_task_fire", "content": "hourly"},
    {"subtype": "brand_new", "content": "?"},
]
_ATTACHMENTS: list[Value] = [
    {"type": "hook_success", "hookName": "Stop", "content": "ok"},
    {"type": "queued_command", "prompt": "and then?", "commandMode": "prompt"},
    {"type": "task_reminder", "content": [], "itemCount": 0},
    {"type": "deferred_tools_delta", "addedNames": ["Grep"]},
    {"type": "skill_listing", "content": "- one"},
    {"type": "edited_text_file", "filename": "/w/a.py", "snippet": "1"},
    {"type": "plan_mode", "reminderType": "full"},
    {"type": "never_attached"},
    {"type": "teammate_mailbox", "messages": [{"from": "amy", "text": "hello"}]},
]
_PROGRESS: list[Value] = [
    {"type": "bash_progress", "output": "...", "elapsedTimeSeconds": 2},
    {"type": "mcp_progress", "status": "started", "serverName": "s"},
    {"type": "waiting_for_task"},
    {"type": "unheard_progress"},
]
_BLOCKS: list[Value] = [
    {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBO" * 9}},
    {"type": "redacted_thinking", "data": "x"},
    {"type": "server_tool_use", "id": "srv1", "name": "web_search", "input": {"query": "q"}},
    {"type": "document", "source": {"type": "text", "data": "d"}},
    {"type": "new_block", "x": "y"},
]
# additional fields of entries; `sessionId` is used even if `session_id` differs
_KEYS: list[Value] = [
    {"session_id": "s9"},
    {"effort": "high", "advisorModel": "claude-x"},
    {"gitBranch": "main", "slug": "brave-fox", "userType": "external"},
    {"promptId": "q1", "permissionMode": "plan", "entrypoint": "cli"},
    {"thinkingMetadata": {"level": "high"}, "todos": [{"content": "do it", "status": "pending"}]},
    {"planContent": "# Plan", "isVisibleInTranscriptOnly": True},
    {"attributionSkill": "x", "teamName": "relay"},
    {"sourceToolAssistantUUID": "e1", "sourceToolUseID": "t1", "toolUseID": "t1"},
    {"version": "2.1.237"},
    {"version": "1.0.60", "cwd": "/w/sub"},
    {"keyOfTomorrow": {"a": 1}},
]


@dataclass
class NewerTranscriptBuilder(TranscriptBuilder):
    """Generates the same entries as its base class, and entries that only newer versions write."""

    def write(self, place: ThreadFile, kind: str, parent: str | None, **keys: Any) -> str:
        extra: Value = self.pick(_KEYS) if self.chance(25) else {}
        uuid = super().write(place, kind, parent, **{**extra, **keys})
        if kind in ("result", "mixed") and self.chance(30):
            value = self.written[uuid]
            outcome = value.setdefault("toolUseResult", {})
            if isinstance(outcome, dict):
                outcome |= self._outcome()
        return uuid

    def body(self, kind: str, uuid: str, parent: str | None) -> Value:
        body = super().body(kind, uuid, parent)
        if kind == "odd" and self.chance(50):
            body["message"] = {"role": "user", "content": notification(self, self.agents)}
        if kind in _LEGACY and self.chance(4):
            body["type"] = _LEGACY[kind]
        message = body.get("message")
        if kind in ("answer", "prompt") and isinstance(message, dict) and self.chance(6):
            message["content"] = [{"type": "text", "text": f"see {uuid}"}, self.pick(_BLOCKS)]
        return body

    def result(self, ids: list[str]) -> Value:
        block = super().result(ids)
        if self.chance(6):
            reference = {"type": "tool_reference", "tool_name": "Grep"}
            block["content"] = [{"type": "text", "text": "[Request interrupted by user for tool use]"}, reference]
        return block

    def side(self) -> Value:
        if self.chance(40):
            return super().side()
        form = self.pick(["system", "attachment", "progress"])
        if form == "system":
            return {"type": "system", "content": "", **self.pick(_SYSTEM)}
        if form == "attachment":
            return {"type": "attachment", "attachment": self.pick(_ATTACHMENTS)}
        return {"type": "progress", "data": self.pick(_PROGRESS), "parentToolUseID": "t1", "toolUseID": "t2"}

    def _outcome(self) -> Value:
        return self.pick(
            [
                {"status": self.pick(_STATUSES), "totalDurationMs": 1_200, "totalTokens": 300, "totalToolUseCount": 2},
                {"interrupted": self.pick(FLAGS), "stdout": "x", "stderr": "", "isImage": False},
                {"persistedOutputPath": "/w/s1/tool-results/t1.txt", "persistedOutputSize": 9},
                {"task": {"task_id": self.pick(self.agents), "status": self.pick(_ENDS)}},
                {"runId": self.pick(RUN_IDS)},
                {"filePath": "/w/a.py", "structuredPatch": [{"lines": ["+a", "-b", " c"]}]},
            ]
        )


def notification(rng: RandomChoices, agents: list[str]) -> str:
    """Return a notification about a background task."""
    task, status = rng.pick(agents), rng.pick(_ENDS)
    return f"<task-notification>\n<task-id>{task}</task-id>\n<status>{status}</status>\n</task-notification>"


def record(rng: RandomChoices, sessions: list[str], uuids: list[str], agents: list[str]) -> Value:
    """Return a record: an object without a uuid."""
    session, uuid = rng.pick(sessions), rng.pick([*uuids, "gone"])
    forms: list[Value] = [
        {"type": "queue-operation", "operation": rng.pick(["enqueue", "dequeue", "remove", "popAll"])},
        {"type": "queue-operation", "operation": "enqueue", "content": notification(rng, agents)},
        {"type": "ai-title", "aiTitle": "Wires"},
        {"type": "custom-title", "customTitle": "My wires"},
        {"type": "last-prompt", "lastPrompt": "go on", "leafUuid": uuid},
        {"type": "agent-name", "agentName": "fox"},
        {"type": "summary", "summary": "All about wires", "leafUuid": uuid},
        {"type": "mode", "mode": "normal"},
        {"type": "permission-mode", "permissionMode": rng.pick(["plan", "default"])},
        {"type": "pr-link", "prNumber": 7, "prUrl": "https://example.org/7", "prRepository": "o/r"},
        {"type": "bridge-session", "bridgeSessionId": "b", "lastSequenceNum": 3},
        {"type": "atis-latch", "key": "k"},
        {"type": "tag", "tag": "t"},
        {"type": "agent-setting", "agentSetting": "x"},
        {"type": "file-history-snapshot", "messageId": uuid, "snapshot": {"trackedFileBackups": {"/w/a.py": {}}}},
        {"type": "file-history-delta", "messageId": uuid, "trackingPath": "/w/a.py", "backup": {}},
        {"type": "record-of-tomorrow", "x": [1, 2]},
        {"x": "no type"},
    ]
    chosen = dict(rng.pick(forms))
    chosen |= {"sessionId": session} if rng.chance(70) else {}
    chosen |= {"timestamp": f"2026-03-01T09:00:0{rng.number(0, 9)}.000Z"} if rng.chance(50) else {}
    chosen |= {"uuid": rng.pick(["", None, 5])} if rng.chance(5) else {}
    return chosen


def workflow(rng: RandomChoices, names: list[str]) -> dict[str, bytes]:
    """Return the journals and run files of workflow runs; some of their agents have no transcript."""
    runs = sorted({name.rpartition("/")[0] for name in names if "/workflows/" in name and name.endswith(".jsonl")})
    if not runs and rng.chance(8):
        runs = [f"s1/subagents/workflows/{rng.pick(RUN_IDS)}"]
    files: dict[str, bytes] = {}
    for folder in runs:
        ids = [name.rpartition("agent-")[2].removesuffix(".jsonl") for name in names if name.startswith(folder + "/")]
        lines: list[Value] = [
            {"type": "started", "key": f"v2:{agent}", "agentId": agent} for agent in [*ids, "g8"] if rng.chance(80)
        ]
        lines += [{"type": "result", "agentId": agent, "result": {"ok": True}} for agent in ids if rng.chance(45)]
        if rng.chance(80):
            files[f"{folder}/journal.jsonl"] = "".join(json.dumps(line) + "\n" for line in lines).encode()
        session, _, run = folder.partition("/subagents/workflows/")
        if rng.chance(70):
            summary = {
                "runId": run,
                "workflowName": "relay",
                "status": rng.pick(["completed", "failed", "killed", None]),
            }
            steps = [{"agentId": agent, "label": f"step {agent}", "phaseTitle": "One"} for agent in ids]
            text = json.dumps(summary | {"workflowProgress": steps, "phases": ["One"]}, indent=rng.pick([None, 2]))
            files[f"{session}/workflows/{run}.json"] = text.encode()
    return files
