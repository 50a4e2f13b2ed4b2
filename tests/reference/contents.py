"""Make random transcript contents: assistant messages with usage, calls, prompts, attachments and records."""

from typing import Any

from .random_choices import FLAGS, RandomChoices

TOOL_IDS = ["t1", "t2", "t3", "t4"]
AGENT_PROMPTS = ["Look around", "Check the relay"]
NAMES = ["amy", "bob"]
COMMON_RESPONSES = ["m1", "m2", "m3", "m4"]
_MESSAGE_IDS = [*COMMON_RESPONSES, None, ""]
_REQUEST_IDS = ["r1", "r2", None, None]
_MODELS = ["claude-x", "claude-x", "claude-y", "claude-sonnet-4-5", None, "<synthetic>"]
_STOPS = [None, None, "", "end_turn", "tool_use"]
_FILE_TOOLS = ["Read", "Read", "Write", "Edit", "MultiEdit", "NotebookEdit", "NotebookRead", "Grep", "Glob", "LS"]
_PATHS = {"file_path": "/w/a.py", "notebook_path": "/w/b.ipynb", "path": "/w"}
# unusual token counts: all are invalid, except 7.0 and -4, which counts as 0
_UNUSUAL_NUMBERS = [None, "8", 7.5, 1e300, 2**63, 2**70, -4, 7.0]
# pairs: tokens written to the five-minute cache and to the one-hour cache
_SHARES = [(0, 0), (40, 0), (40, 60), (0, 100), (0, 60)]
_IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBO"}}
_COMMANDS = [
    "<command-name>/exit</command-name>",
    "<local-command-stdout>Bye</local-command-stdout>",
    "<bash-input>ls</bash-input>",
    "  <bash-stdout>a.py</bash-stdout>",
    "<user-memory-input>tabs, not spaces</user-memory-input>",
    "Caveat: The messages below were made by the user",
]
_UNTYPED = [
    "[Request interrupted by user]",
    "<task-notification>done</task-notification>",
    "<bash-notification>done</bash-notification>",
    "<agent-notification>done</agent-notification>",
    '<teammate-message teammate_id="lead">go</teammate-message>',
    "\n<system-reminder>mind the gap</system-reminder>",
    "<fork-boilerplate>You are a fork.</fork-boilerplate>\ncheck",
    "Unknown skill: relay",
    "Unknown slash command: relay",
    "<ide_opened_file>a.py</ide_opened_file>",
    "<ide_selection>a</ide_selection>\n<ide_opened_file>a.py</ide_opened_file> ",
]
_QUEUED: list[dict[str, Any]] = [
    {"prompt": "and then?", "commandMode": "prompt", "origin": {"kind": "human"}},
    {"prompt": [{"type": "text", "text": "and then?"}, _IMAGE], "commandMode": "prompt"},
    {"prompt": "and then?"},
    {"prompt": "<task-notification>done</task-notification>", "commandMode": "task-notification"},
    {"prompt": " <bash-notification>done</bash-notification>", "commandMode": "prompt"},
    {"prompt": "done", "commandMode": "prompt", "origin": {"kind": "task-notification"}},
]
_STAMPS = [f"2026-03-01T09:00:0{second}.000Z" for second in (0, 3, 6)]


def assistant(choices: RandomChoices, blocks: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the type and message of an assistant entry, possibly one of several snapshots of a response."""
    message: dict[str, Any] = {"role": "assistant", "model": "claude-x", "content": [*_other_blocks(choices), *blocks]}
    found: dict[str, Any] = {"type": "assistant", "message": message}
    if choices.chance(50):
        message |= {
            "id": choices.pick(_MESSAGE_IDS),
            "model": choices.pick(_MODELS),
            "stop_reason": choices.pick(_STOPS),
        }
        message |= {"usage": _usage(choices)} if choices.chance(90) else {}
        found["requestId"] = choices.pick(_REQUEST_IDS)
    if choices.chance(5):
        found["isApiErrorMessage"] = choices.pick(FLAGS)
    return found


def _synthetic(choices: RandomChoices) -> dict[str, Any]:
    """Return the type and message of an assistant entry that no model wrote."""
    blocks = [{"type": "text", "text": "No response requested."}]
    message: dict[str, Any] = {"role": "assistant", "model": "<synthetic>", "content": blocks}
    message |= {"id": choices.pick(_MESSAGE_IDS)} if choices.chance(40) else {}
    return {"type": "assistant", "message": message}


def plain(choices: RandomChoices, kind: str, words: str) -> dict[str, Any]:
    """Return the type and content of an entry whose content does not depend on its parent."""
    if kind == "boundary":
        return {"type": "system", "subtype": "compact_boundary", "content": "Conversation compacted"}
    return _synthetic(choices) if kind == "synthetic" else _prompt(choices, kind, words)


def _prompt(choices: RandomChoices, kind: str, words: str) -> dict[str, Any]:
    """Return the type, content and flags of a user entry: a prompt, a command, a caveat, or text that nobody typed."""
    flags: dict[str, Any] = {}
    if kind == "command":
        words = choices.pick(_COMMANDS)
    elif kind == "odd":
        words = choices.pick(_UNTYPED)
    elif kind == "caveat":
        words = choices.pick(["Caveat: The messages below", "<local-command-caveat>Caveat</local-command-caveat>"])
        flags = {"isMeta": choices.pick([True, True, True, 1, False])}
    elif choices.chance(10):
        flags = choices.pick(
            [{"isMeta": True}, {"type": "human"}, {"type": "compact_recap"}, {"isCompactSummary": True}]
        )
    texts: list[Any] = [{"type": "text", "text": text} for text in (words, "and so on")]
    content: Any = words if choices.chance(85) else texts
    if kind in ("prompt", "odd") and choices.chance(6):
        content = choices.pick([[_IMAGE], [*texts, _IMAGE], [texts[0], _IMAGE], ["no block", texts[0]]])
    if kind == "prompt" and choices.chance(5):
        content = f"<ide_selection>a > b</ide_selection> {words}"
    return {"type": "user", "message": {"role": "user", "content": content}, **flags}


def picture() -> dict[str, Any]:
    """Return an image block."""
    return dict(_IMAGE)


def queued(choices: RandomChoices) -> dict[str, Any]:
    """Return the type and attachment of an entry for a queued prompt or notification."""
    return {"type": "attachment", "attachment": {"type": "queued_command", **choices.pick(_QUEUED)}}


def call(choices: RandomChoices, tool_id: str) -> dict[str, Any]:
    """Return a tool call that runs a shell command, starts an agent, or uses a file."""
    name = choices.pick(["Bash", "Task", "Agent", "Task", "File", "File"])
    block: dict[str, Any] = {"type": "tool_use", "id": tool_id, "name": name, "input": {"command": "ls"}}
    if name in ("Task", "Agent"):
        return block | {"input": _spawn_input(choices)}
    if name == "File":
        block |= {"name": choices.pick(_FILE_TOOLS), "input": dict(_PATHS)}
        if choices.chance(30):
            block["input"][choices.pick([*_PATHS])] = choices.pick(["/w/c.py", "", None, 7])
    if choices.chance(3):
        block["id"] = choices.pick([None, ""])
    return block


def spawns(choices: RandomChoices) -> list[dict[str, Any]]:
    """Return two calls that start agents."""
    first = choices.number(0, 2)
    blocks = [{"type": "tool_use", "id": tool_id, "name": "Task"} for tool_id in TOOL_IDS[first : first + 2]]
    return [{**block, "input": _spawn_input(choices)} for block in blocks]


def answer_flags(choices: RandomChoices) -> dict[str, Any]:
    """Return an empty dict or, sometimes, the `is_error` flag of a tool_result block."""
    return {"is_error": choices.pick(FLAGS)} if choices.chance(20) else {}


def outcome(choices: RandomChoices) -> dict[str, Any]:
    """Return an empty dict or, sometimes, the `isAsync` flag of a `toolUseResult`."""
    return {"isAsync": choices.pick(FLAGS)} if choices.chance(12) else {}


def progress(choices: RandomChoices, agents: list[str]) -> dict[str, Any]:
    """Return the type and data of a progress entry about an agent, often with one of the agent's messages."""
    data: dict[str, Any] = {"type": "agent_progress", "agentId": choices.pick(agents)}
    found: dict[str, Any] = {"type": "progress", "data": data, "parentToolUseID": choices.pick(TOOL_IDS)}
    if choices.chance(60):
        text = {"type": "text", "text": "wrapped"}
        blocks = [call(choices, choices.pick(TOOL_IDS)) if choices.chance(40) else text]
        inner = {"type": "user", "message": {"role": "user", "content": blocks}}
        data["message"] = assistant(choices, blocks) if choices.chance(75) else inner
    if choices.chance(8):
        data["agentId"] = choices.pick([None, ""])
    if choices.chance(8):
        found["parentToolUseID"] = choices.pick([None, "", "t9"])
    if data.get("message", {}).pop("isApiErrorMessage", None):
        # only the entry's own flag counts, and real transcripts do not have the flag anywhere else
        found["isApiErrorMessage"] = True
    return found


def title(choices: RandomChoices, sessions: list[str], uuids: list[str]) -> dict[str, Any]:
    """Return a title or summary record, with or without a session id."""
    kind, key = choices.pick(
        [
            *[("summary", "summary")] * 3,
            ("ai-title", "aiTitle"),
            ("ai-title", "aiTitle"),
            ("custom-title", "customTitle"),
        ]
    )
    found: dict[str, Any] = {"type": kind, key: choices.pick(["One", "Two", "Three", "", None])}
    if choices.chance(60 if kind == "summary" else 8):
        found["leafUuid"] = choices.pick([*uuids, "gone", ""])
    if choices.chance(60):
        found["sessionId"] = choices.pick(sessions)
    if choices.chance(40):
        found["timestamp"] = choices.pick(_STAMPS)
    return found


def last_prompt(choices: RandomChoices, session: str, uuids: list[str]) -> dict[str, Any]:
    """Return a `last-prompt` record, usually with a leaf and a session id."""
    found: dict[str, Any] = {"type": "last-prompt", "lastPrompt": "go on"}
    found |= {"leafUuid": choices.pick([*uuids, "gone"])} if choices.chance(92) else {}
    found |= {"sessionId": session} if choices.chance(80) else {}
    found |= {"timestamp": choices.pick(_STAMPS)} if choices.chance(15) else {}
    return found


def fork_context(choices: RandomChoices, agent: str, uuids: list[str]) -> dict[str, Any]:
    """Return a `fork-context-ref` record with the entry from which an agent was forked."""
    place = choices.pick([*uuids, "gone"])
    return {"type": "fork-context-ref", "agentId": agent, "parentSessionId": "s1", "parentLastUuid": place}


def sizes(choices: RandomChoices) -> dict[str, Any]:
    """Return the metadata of a compaction: trigger, and tokens before and after it."""
    found: dict[str, Any] = {"trigger": choices.pick(["auto", "manual"])} if choices.chance(90) else {}
    if choices.chance(60):
        found["preTokens"] = choices.pick([168_110, 1_000, 999, 0, 2_000.0, "many", None])
    if choices.chance(30):
        found["postTokens"] = choices.pick([12_345, 0, 7.5])
    return found


def _other_blocks(choices: RandomChoices) -> list[dict[str, Any]]:
    """Return no blocks or, sometimes, a text block or thinking block for an assistant message."""
    thought = {"type": "thinking", "thinking": "hm"}
    said = [[thought], [{"type": "text", "text": "let me see"}], [{"type": "text", "text": ""}]]
    return choices.pick(said) if choices.chance(20) else []


def _spawn_input(choices: RandomChoices) -> dict[str, Any]:
    values: dict[str, Any] = {"prompt": choices.pick(AGENT_PROMPTS)}
    values |= {"name": choices.pick(NAMES)} if choices.chance(20) else {}
    if choices.chance(40):
        values["subagent_type"] = choices.pick(["explorer", "planner", "planner", ""])
    if choices.chance(20):
        values["run_in_background"] = choices.pick(FLAGS)
    if choices.chance(10):
        values |= choices.pick([{"team_name": "relay"}, {"prompt": ""}])
    return values


def _usage(choices: RandomChoices) -> Any:
    found: dict[str, Any] = {"input_tokens": choices.pick([3, 10]), "output_tokens": choices.pick([0, 1, 5, 9])}
    found["cache_read_input_tokens"] = choices.pick([0, 200])
    if choices.chance(60):
        found["cache_creation_input_tokens"] = choices.pick([0, 40, 100])
    if choices.chance(40):
        brief, hour = choices.pick(_SHARES)
        split = {"ephemeral_5m_input_tokens": brief, "ephemeral_1h_input_tokens": hour}
        found["cache_creation"] = _with_unusual_value(choices, split)
    if choices.chance(30):
        found["iterations"] = (
            [_iteration(choices) for _ in range(choices.pick([1, 2, 3]))] if choices.chance(95) else "many"
        )
    return choices.pick([None, "much"]) if choices.chance(3) else _with_unusual_value(choices, found)


def _iteration(choices: RandomChoices) -> Any:
    if choices.chance(3):
        return choices.pick([None, 7, "message"])
    brief, hour = choices.pick(_SHARES)
    found: dict[str, Any] = {"type": choices.pick(["message", "message", "advisor_message", "fallback_message"])}
    found |= {"input_tokens": choices.pick([3, 70]), "output_tokens": choices.pick([0, 4, 8])}
    found |= {"model": choices.pick(["claude-z", "claude-z", "<synthetic>", ""])} if choices.chance(70) else {}
    if choices.chance(60):
        split = {"ephemeral_5m_input_tokens": brief, "ephemeral_1h_input_tokens": hour}
        found |= {
            "cache_creation": _with_unusual_value(choices, split),
            "cache_creation_input_tokens": choices.pick([0, 40]),
        }
    return found


def _with_unusual_value(choices: RandomChoices, numbers: dict[str, Any]) -> dict[str, Any]:
    """Return the numbers, occasionally with an unusual value in place of one of them."""
    return numbers | ({choices.pick([*numbers]): choices.pick(_UNUSUAL_NUMBERS)} if choices.chance(10) else {})
