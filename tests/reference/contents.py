"""Makes the contents of random entries: assistant messages with usage, calls, prompts, attachments, records."""

from typing import Any

from .dice import FLAGS, Dice

TOOL_IDS = ["t1", "t2", "t3", "t4"]
ERRANDS = ["Look around", "Check the relay"]
NAMES = ["amy", "bob"]
COMMON_RESPONSES = ["m1", "m2", "m3", "m4"]
_MESSAGE_IDS = [*COMMON_RESPONSES, None, ""]
_REQUEST_IDS = ["r1", "r2", None, None]
_MODELS = ["claude-x", "claude-x", "claude-y", "claude-sonnet-4-5", None, "<synthetic>"]
_STOPS = [None, None, "", "end_turn", "tool_use"]
_FILE_TOOLS = ["Read", "Read", "Write", "Edit", "MultiEdit", "NotebookEdit", "NotebookRead", "Grep", "Glob", "LS"]
_PATHS = {"file_path": "/w/a.py", "notebook_path": "/w/b.ipynb", "path": "/w"}
# Numbers of tokens that are none, and one that is
_ODD_NUMBERS = [None, "8", 7.5, 1e300, 2**63, 2**70, -4, 7.0]
# of the five-minute and the one-hour cache
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


def assistant(dice: Dice, blocks: list[dict[str, Any]]) -> dict[str, Any]:
    """The keys of an entry with an assistant's message, which may be one of several snapshots of a response."""
    message: dict[str, Any] = {"role": "assistant", "model": "claude-x", "content": [*_musings(dice), *blocks]}
    found: dict[str, Any] = {"type": "assistant", "message": message}
    if dice.chance(50):
        message |= {"id": dice.pick(_MESSAGE_IDS), "model": dice.pick(_MODELS), "stop_reason": dice.pick(_STOPS)}
        message |= {"usage": _usage(dice)} if dice.chance(90) else {}
        found["requestId"] = dice.pick(_REQUEST_IDS)
    if dice.chance(5):
        found["isApiErrorMessage"] = dice.pick(FLAGS)
    return found


def _synthetic(dice: Dice) -> dict[str, Any]:
    """The keys of an assistant entry that no model wrote."""
    blocks = [{"type": "text", "text": "No response requested."}]
    message: dict[str, Any] = {"role": "assistant", "model": "<synthetic>", "content": blocks}
    message |= {"id": dice.pick(_MESSAGE_IDS)} if dice.chance(40) else {}
    return {"type": "assistant", "message": message}


def plain(dice: Dice, kind: str, words: str) -> dict[str, Any]:
    """The keys of an entry that does not depend on its parent."""
    if kind == "boundary":
        return {"type": "system", "subtype": "compact_boundary", "content": "Conversation compacted"}
    return _synthetic(dice) if kind == "synthetic" else _prompt(dice, kind, words)


def _prompt(dice: Dice, kind: str, words: str) -> dict[str, Any]:
    """The keys of a user entry: a prompt, a command, a caveat, or a text that nobody typed."""
    flags: dict[str, Any] = {}
    if kind == "command":
        words = dice.pick(_COMMANDS)
    elif kind == "odd":
        words = dice.pick(_UNTYPED)
    elif kind == "caveat":
        words = dice.pick(["Caveat: The messages below", "<local-command-caveat>Caveat</local-command-caveat>"])
        flags = {"isMeta": dice.pick([True, True, True, 1, False])}
    elif dice.chance(10):
        flags = dice.pick([{"isMeta": True}, {"type": "human"}, {"type": "compact_recap"}, {"isCompactSummary": True}])
    texts: list[Any] = [{"type": "text", "text": text} for text in (words, "and so on")]
    content: Any = words if dice.chance(85) else texts
    if kind in ("prompt", "odd") and dice.chance(6):
        content = dice.pick([[_IMAGE], [*texts, _IMAGE], [texts[0], _IMAGE], ["no block", texts[0]]])
    if kind == "prompt" and dice.chance(5):
        content = f"<ide_selection>a > b</ide_selection> {words}"
    return {"type": "user", "message": {"role": "user", "content": content}, **flags}


def picture() -> dict[str, Any]:
    """A block with a picture and no words."""
    return dict(_IMAGE)


def queued(dice: Dice) -> dict[str, Any]:
    """The keys of an attachment with what a person, or a notification, queued."""
    return {"type": "attachment", "attachment": {"type": "queued_command", **dice.pick(_QUEUED)}}


def call(dice: Dice, tool_id: str) -> dict[str, Any]:
    """A call of a tool: of a shell, for an agent, or on a file."""
    name = dice.pick(["Bash", "Task", "Agent", "Task", "File", "File"])
    block: dict[str, Any] = {"type": "tool_use", "id": tool_id, "name": name, "input": {"command": "ls"}}
    if name in ("Task", "Agent"):
        return block | {"input": _errand(dice)}
    if name == "File":
        block |= {"name": dice.pick(_FILE_TOOLS), "input": dict(_PATHS)}
        if dice.chance(30):
            block["input"][dice.pick([*_PATHS])] = dice.pick(["/w/c.py", "", None, 7])
    if dice.chance(3):
        block["id"] = dice.pick([None, ""])
    return block


def spawns(dice: Dice) -> list[dict[str, Any]]:
    """Two calls for agents."""
    first = dice.number(0, 2)
    blocks = [{"type": "tool_use", "id": tool_id, "name": "Task"} for tool_id in TOOL_IDS[first : first + 2]]
    return [{**block, "input": _errand(dice)} for block in blocks]


def answer_flags(dice: Dice) -> dict[str, Any]:
    """What a tool_result block may have besides its text."""
    return {"is_error": dice.pick(FLAGS)} if dice.chance(20) else {}


def outcome(dice: Dice) -> dict[str, Any]:
    """The keys of a `toolUseResult` that say whether its agent goes on by itself."""
    return {"isAsync": dice.pick(FLAGS)} if dice.chance(12) else {}


def progress(dice: Dice, agents: list[str]) -> dict[str, Any]:
    """The keys of a progress entry of an agent, which may wrap a message of its."""
    data: dict[str, Any] = {"type": "agent_progress", "agentId": dice.pick(agents)}
    found: dict[str, Any] = {"type": "progress", "data": data, "parentToolUseID": dice.pick(TOOL_IDS)}
    if dice.chance(60):
        text = {"type": "text", "text": "wrapped"}
        blocks = [call(dice, dice.pick(TOOL_IDS)) if dice.chance(40) else text]
        inner = {"type": "user", "message": {"role": "user", "content": blocks}}
        data["message"] = assistant(dice, blocks) if dice.chance(75) else inner
    if dice.chance(8):
        data["agentId"] = dice.pick([None, ""])
    if dice.chance(8):
        found["parentToolUseID"] = dice.pick([None, "", "t9"])
    if data.get("message", {}).pop("isApiErrorMessage", None):
        # only that of the entry itself counts, and real ones stand nowhere else
        found["isApiErrorMessage"] = True
    return found


def title(dice: Dice, sessions: list[str], uuids: list[str]) -> dict[str, Any]:
    """A line without a uuid that may name a session."""
    kind, key = dice.pick(
        [
            *[("summary", "summary")] * 3,
            ("ai-title", "aiTitle"),
            ("ai-title", "aiTitle"),
            ("custom-title", "customTitle"),
        ]
    )
    found: dict[str, Any] = {"type": kind, key: dice.pick(["One", "Two", "Three", "", None])}
    if dice.chance(60 if kind == "summary" else 8):
        found["leafUuid"] = dice.pick([*uuids, "gone", ""])
    if dice.chance(60):
        found["sessionId"] = dice.pick(sessions)
    if dice.chance(40):
        found["timestamp"] = dice.pick(_STAMPS)
    return found


def last_prompt(dice: Dice, session: str, uuids: list[str]) -> dict[str, Any]:
    """A record that names the leaf at which a session stood."""
    found: dict[str, Any] = {"type": "last-prompt", "lastPrompt": "go on"}
    found |= {"leafUuid": dice.pick([*uuids, "gone"])} if dice.chance(92) else {}
    found |= {"sessionId": session} if dice.chance(80) else {}
    found |= {"timestamp": dice.pick(_STAMPS)} if dice.chance(15) else {}
    return found


def fork_context(dice: Dice, agent: str, uuids: list[str]) -> dict[str, Any]:
    """The record that names the entry from which an agent was forked."""
    place = dice.pick([*uuids, "gone"])
    return {"type": "fork-context-ref", "agentId": agent, "parentSessionId": "s1", "parentLastUuid": place}


def sizes(dice: Dice) -> dict[str, Any]:
    """What a compaction says of its cause and of the tokens before and after it."""
    found: dict[str, Any] = {"trigger": dice.pick(["auto", "manual"])} if dice.chance(90) else {}
    if dice.chance(60):
        found["preTokens"] = dice.pick([168_110, 1_000, 999, 0, 2_000.0, "many", None])
    if dice.chance(30):
        found["postTokens"] = dice.pick([12_345, 0, 7.5])
    return found


def _musings(dice: Dice) -> list[dict[str, Any]]:
    """Words or thoughts beside what an assistant does, or none."""
    thought = {"type": "thinking", "thinking": "hm"}
    said = [[thought], [{"type": "text", "text": "let me see"}], [{"type": "text", "text": ""}]]
    return dice.pick(said) if dice.chance(20) else []


def _errand(dice: Dice) -> dict[str, Any]:
    values: dict[str, Any] = {"prompt": dice.pick(ERRANDS)}
    values |= {"name": dice.pick(NAMES)} if dice.chance(20) else {}
    if dice.chance(40):
        values["subagent_type"] = dice.pick(["explorer", "planner", "planner", ""])
    if dice.chance(20):
        values["run_in_background"] = dice.pick(FLAGS)
    if dice.chance(10):
        values |= dice.pick([{"team_name": "relay"}, {"prompt": ""}])
    return values


def _usage(dice: Dice) -> Any:
    found: dict[str, Any] = {"input_tokens": dice.pick([3, 10]), "output_tokens": dice.pick([0, 1, 5, 9])}
    found["cache_read_input_tokens"] = dice.pick([0, 200])
    if dice.chance(60):
        found["cache_creation_input_tokens"] = dice.pick([0, 40, 100])
    if dice.chance(40):
        brief, hour = dice.pick(_SHARES)
        split = {"ephemeral_5m_input_tokens": brief, "ephemeral_1h_input_tokens": hour}
        found["cache_creation"] = _odd(dice, split)
    if dice.chance(25):
        found |= _iterated(dice)
    return dice.pick([None, "much"]) if dice.chance(3) else _odd(dice, found)


def _iterated(dice: Dice) -> dict[str, Any]:
    """The iterations of a response, with the totals of its own model; their split covers the first iteration only."""
    items: list[dict[str, Any]] = []
    written: list[dict[str, int]] = []
    for _ in range(dice.number(1, 3)):
        brief, hour = dice.pick(_SHARES)
        split = {"ephemeral_5m_input_tokens": brief, "ephemeral_1h_input_tokens": hour}
        item: dict[str, Any] = {"type": "message", "input_tokens": 2, "output_tokens": dice.pick([1, 4])}
        item |= {"cache_creation_input_tokens": brief + hour, "cache_creation": split}
        if dice.chance(40):
            item["type"] = "advisor_message"
            item |= {"model": "claude-y"} if dice.chance(80) else {}
        else:
            written.append(split)
        items.append(item)
    found: dict[str, Any] = {"iterations": "none" if dice.chance(3) else items}
    found["cache_creation_input_tokens"] = sum(sum(split.values()) for split in written)
    return found | ({"cache_creation": written[0]} if written and dice.chance(70) else {})


def _odd(dice: Dice, numbers: dict[str, Any]) -> dict[str, Any]:
    """Now and then one of the numbers is odd."""
    return numbers | ({dice.pick([*numbers]): dice.pick(_ODD_NUMBERS)} if dice.chance(10) else {})
