"""What random entries say: assistant messages with their usage, calls, results' flags, wrapped messages, titles."""

from typing import Any

from .dice import FLAGS, Dice

TOOL_IDS = ["t1", "t2", "t3", "t4"]
ERRANDS = ["Look around", "Check the relay"]
NAMES = ["amy", "bob"]
_MESSAGE_IDS = ["m1", "m2", "m3", "m4", None, ""]
_REQUEST_IDS = ["r1", "r2", None, None]
_MODELS = ["claude-x", "claude-x", "claude-y", "claude-sonnet-4-5", None, "<synthetic>"]
_STOPS = [None, None, "", "end_turn", "tool_use"]
_FILE_TOOLS = ["Read", "Read", "Write", "Edit", "MultiEdit", "NotebookEdit", "NotebookRead", "Grep", "Glob", "LS"]
_PATHS = {"file_path": "/w/a.py", "notebook_path": "/w/b.ipynb", "path": "/w"}
# Numbers of tokens that are none, and one that is
_ODD_NUMBERS = [None, "8", 7.5, 1e300, 2**63, 2**70, -4, 7.0]
# of the five-minute and the one-hour cache
_SHARES = [(0, 0), (40, 0), (40, 60), (0, 100), (0, 60)]
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
    if dice.chance(30):
        found["iterations"] = [_iteration(dice) for _ in range(dice.pick([1, 2, 3]))] if dice.chance(95) else "many"
    return dice.pick([None, "much"]) if dice.chance(3) else _odd(dice, found)


def _iteration(dice: Dice) -> Any:
    if dice.chance(3):
        return dice.pick([None, 7, "message"])
    brief, hour = dice.pick(_SHARES)
    found: dict[str, Any] = {"type": dice.pick(["message", "message", "advisor_message", "fallback_message"])}
    found |= {"input_tokens": dice.pick([3, 70]), "output_tokens": dice.pick([0, 4, 8])}
    found |= {"model": dice.pick(["claude-z", "claude-z", "<synthetic>", ""])} if dice.chance(70) else {}
    if dice.chance(60):
        split = {"ephemeral_5m_input_tokens": brief, "ephemeral_1h_input_tokens": hour}
        found |= {"cache_creation": _odd(dice, split), "cache_creation_input_tokens": dice.pick([0, 40])}
    return found


def _odd(dice: Dice, numbers: dict[str, Any]) -> dict[str, Any]:
    """Now and then one of the numbers is odd."""
    return numbers | ({dice.pick([*numbers]): dice.pick(_ODD_NUMBERS)} if dice.chance(10) else {})
