"""Transcript items to the phrases that the terminal and Markdown share: speakers, headings, calls, results."""

import json
import re

from ccindex.query.titles import AgentLabel
from ccindex.query.transcript import (
    THINKING_TYPES,
    ContentBlock,
    LineExit,
    LineStart,
    MoreExits,
    TaskNotice,
    ToolAnswer,
    TranscriptEntry,
)
from ccindex.read.text_tags import part_context, plain_words, teammate_in
from ccindex.render.blocks import any_block
from ccindex.render.text import count, duration, minute, preview, short, short_agent, size

_COLOUR = re.compile("\x1b\\[[0-9;?]*[ -/]*[@-~]")
_PREVIEW_CHARS = 100
_INPUT_CHARS = 160

CONTEXT_FORMS = frozenset({"typed", "queued"})  # prompts before which an editor may have put context
RETRIED = "answered again"  # a branch that a retry made: nobody went back

# headings of prompts that nobody typed
_SPEAKERS = {
    "command_output": "Output",
    "caveat": "Claude Code",
    "interrupt": "You",
    "notification": "Notice",
    "compact_summary": "Summary",
    "injected": "Claude Code",
}
# keys of a call's input that describe it best, in order of preference
_MAIN_KEYS = (
    "command",
    "file_path",
    "notebook_path",
    "query",
    "url",
    "skill",
    "subject",
    "description",
    "path",
    "prompt",
    "plan",
    "message",
)


def speaker(entry: TranscriptEntry) -> str:
    """Return who speaks: in a subagent's thread the prompts are its caller's words, the answers are its own."""
    if entry.kind == "assistant":
        return "Claude" if entry.agent is None else _agent_name(entry.agent.name)
    if entry.kind == "result":
        return "Tool result"
    if entry.form == "queued":
        return f"You, while {'Claude' if entry.agent is None else 'the agent'} was working"
    if entry.form == "notification":
        return "Report" if any(notice.result for notice in entry.notices) else "Notice"
    return _prompt_speaker(entry) if entry.kind == "prompt" else _side_speaker(entry)


def _side_speaker(entry: TranscriptEntry) -> str:
    """Return who speaks in a side entry: the person for a command, else Claude Code."""
    if entry.form == "local_command" and "<command-name>" in (entry.text or ""):
        return "You"
    if entry.form == "command_output":
        return _SPEAKERS[entry.form]
    return "System" if entry.type == "system" else (entry.subtype or entry.type or "?").replace("_", " ")


def continues_answer(entry: TranscriptEntry, before: TranscriptEntry | None) -> bool:
    """Whether an entry belongs to the same answer as the one before, which has the heading."""
    if before is None or entry.set_aside or before.set_aside or entry.label or entry.kind != "assistant":
        return False
    return entry.response is not None and entry.response == before.response


def _prompt_speaker(entry: TranscriptEntry) -> str:
    form, agent = entry.form, entry.agent
    if form == "teammate_message":
        return f"Teammate {teammate_in(entry.blocks[0].text or '') if entry.blocks else ''}".strip()
    if form in _SPEAKERS:
        return _SPEAKERS[form]
    if agent is None:
        return "You"
    return "Claude" if agent.caller is None else _agent_name(agent.caller)


def _agent_name(agent: str) -> str:
    return "Agent" if agent == "unknown" else f"Agent {agent}"


def words(text: str) -> str:
    """Return a text as it is shown: without the tags of commands and without colour codes."""
    return _clean(plain_words(text))


def _clean(text: str) -> str:
    return _COLOUR.sub("", text).replace("\r\n", "\n").strip("\r\n")


def with_context(text: str) -> tuple[tuple[str, ...], str]:
    """Return the context that an editor put before a prompt, one line each, and the words of the person."""
    contexts, rest = part_context(text)
    return tuple(" ".join(_clean(context).split()) for context in contexts), words(rest) if rest else ""


def thinking(block: ContentBlock, entry: TranscriptEntry) -> str:
    """Return the text of a thinking block; one that was not recorded is mentioned if its entry has nothing else."""
    if block.text and block.text.strip():
        return block.text
    is_all = all(other.type in THINKING_TYPES and not other.text for other in entry.blocks)
    return "(thinking, not recorded)" if is_all and block is entry.blocks[0] else ""


def notice_line(notice: TaskNotice) -> str:
    """Return the heading of a notice: which task, and its status."""
    if notice.agent is not None:
        named = f"{_agent_name(notice.agent.name)} • {short_agent(notice.task_id)}"
    else:
        named = f"{notice.kind.capitalize()} {notice.task_id}"
    about = preview(notice.summary or (notice.agent.task if notice.agent else ""), _PREVIEW_CHARS)
    return f"{named} • {about} ({notice.status})" if about else f"{named} ({notice.status})"


def notice_text(notice: TaskNotice) -> str:
    """Return what a subagent reported."""
    return _clean(notice.result or "")


def has_no_content(entry: TranscriptEntry) -> bool:
    """Whether an entry has no content of its own."""
    return not any(block.text or block.type != "text" for block in entry.blocks)


def own_text(entry: TranscriptEntry) -> str:
    """Return what an entry without content says: its own text, or of a system entry what else was recorded."""
    if entry.text:
        return words(entry.text)
    details = _input(entry.details)
    if entry.subtype == "api_error":
        retry = details.get("retryAttempt"), details.get("maxRetries")
        return f"API error: {_why(details)}" + (f" (retry {retry[0]} of {retry[1]})" if all(retry) else "")
    took = details.get("durationMs")
    if entry.subtype == "turn_duration" and isinstance(took, int | float) and not isinstance(took, bool):
        return f"the turn took {duration(took)}"
    if entry.subtype == "stop_hook_summary":
        return f"stop hooks: {details.get('hookCount')}"
    return "(nothing)" if entry.kind in ("prompt", "assistant", "result") else entry.subtype or ""


def _why(details: dict[str, object]) -> str:
    """Return what an API error says about itself; errors can be wrapped in errors, to any depth."""
    found, error = [], details.get("error")
    while isinstance(error, dict):
        found += [error[name] for name in ("message", "code", "status") if isinstance(error.get(name), str | int)]
        error = error.get("error") or error.get("cause")
    return str(found[-1]) if found else "no reason recorded"


def other_block(block: ContentBlock) -> str:
    """Return the text of a block whose type needs no layout of its own."""
    if block.text:
        return words(block.text)
    if block.type == "document":
        return picture(block.media_type, block.byte_size, name="document")
    return "" if block.type == "text" else any_block(block)


def marks(entry: TranscriptEntry) -> str:
    """Return remarks on an entry's place, in brackets after its heading."""
    aside = f"set aside: {entry.set_aside}" if entry.set_aside else ""
    root = {"orphan": "what came before was never seen", "cycle_cut": "a circle of parents was cut here"}
    taken = "taken back" if entry.type == "queue-operation" and entry.subtype == "popAll" else ""
    return "".join(f"  [{mark}]" for mark in (aside, taken, root.get(entry.root_kind or "", "")) if mark)


def is_only_label(entry: TranscriptEntry) -> bool:
    """Whether a compaction has nothing to show besides its label."""
    return not any(block.text for block in entry.blocks) and entry.text in (None, "", "Conversation compacted")


def is_folded(entry: TranscriptEntry) -> bool:
    """Whether only the beginning is shown: text that nobody said but that is part of the conversation."""
    return entry.form in ("injected", "caveat", "compact_summary", "command_output", "notification")


def call_summary(text: str | None) -> str:
    """Return one line for a call: the value of its input (JSON) that describes it best."""
    given = {key: value for key, value in _input(text).items() if isinstance(value, str) and value}
    if "pattern" in given:
        return preview(given["pattern"] + (f" in {given['path']}" if "path" in given else ""), _INPUT_CHARS)
    return preview(next((given[name] for name in _MAIN_KEYS if name in given), text or ""), _INPUT_CHARS)


def call_input(text: str | None) -> list[tuple[str, str]]:
    """Return the keys and values of a call's input (JSON), texts as they are."""
    return [
        (key, value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
        for key, value in _input(text).items()
    ]


def _input(text: str | None) -> dict[str, object]:
    try:
        known = json.loads(text or "{}")
    except (ValueError, RecursionError):
        return {}
    return known if isinstance(known, dict) else {}


def result_text(answer: ToolAnswer | ContentBlock) -> str:
    """Return what a tool returned."""
    pictures = [picture(answer.media_type, None if answer.text else answer.byte_size)] if answer.media_type else []
    text = _clean(answer.text or "") or ("" if pictures else answer.details or "(nothing)")
    return "\n".join(filter(None, (text, *pictures)))


def picture(media_type: str | None, byte_size: int | None, *, name: str = "image") -> str:
    """Return a placeholder for an image or a document."""
    return f"[{name} {media_type or ''}{', ' + size(byte_size) if byte_size else ''}]".replace("  ", " ")


def outcome(answer: ToolAnswer | None) -> str | None:
    """Return the outcome of a call unless it succeeded."""
    if answer is None:
        return "no result"
    return None if answer.outcome == "ok" else answer.outcome


def start_line(start: LineStart) -> str:
    """Return the heading of a line."""
    title = preview(start.title, _PREVIEW_CHARS)
    branch = [RETRIED.capitalize() if start.line.is_retry else "Branch", str(short(start.line.first_uuid))]
    parts = {
        "trunk": ["Session", start.line.session_id],
        "branch": branch,
        "agent": [_agent(start), str(short_agent(start.agent.agent_id)) if start.agent else ""],
        "agent_branch": branch,
    }[start.line.kind]
    if start.line.kind == "trunk":
        return " • ".join(filter(None, (" ".join(parts), title)))
    task = preview(start.agent.task, _PREVIEW_CHARS) if start.line.kind == "agent" and start.agent else title
    return " • ".join(filter(None, (*parts, task)))


def start_details(start: LineStart) -> str:
    """Return where a line leaves its parent, and how long it is."""
    line = start.line
    details = []
    if line.relation in ("continues", "forks"):
        verb = "continues" if line.relation == "continues" else "forks from"
        place = f" at {short(line.attachment_uuid)}" if line.attachment_uuid else ""
        details.append(f"{verb} session {short(line.parent_session_id)}{place}")
    elif line.attachment_uuid is not None:
        verb = "spawned at" if line.kind == "agent" else "from"
        details.append(f"{verb} {short(line.attachment_uuid)}")
    details.append(count(line.entry_count, "entry", "entries"))
    if not line.is_active:
        details.append("abandoned")
    details.append(_status(start.agent) if line.kind == "agent" else "")
    return ", ".join(filter(None, details))


def exit_line(leaving: LineExit | MoreExits) -> str:
    """Return one line about a line that leaves from the entry before."""
    if isinstance(leaving, MoreExits):
        return f"… and {leaving.count:,} more; ccindex tree shows all"
    line, title = leaving.line, preview(leaving.title, _PREVIEW_CHARS)
    entries = count(line.entry_count, "entry", "entries")
    if leaving.kind in ("rewind", "retry"):
        status = "active" if line.is_active else "abandoned"
        name = RETRIED.capitalize() if leaving.kind == "retry" else "Branch"
        return f"{name} • {short(line.first_uuid)} • {title} ({entries}, {status})"
    if leaving.kind in ("agent", "unlinked"):
        agent = leaving.agent
        asked_for = preview(agent.task, _PREVIEW_CHARS) if agent and agent.task else title
        named = f"{_agent(leaving)} • {short_agent(agent.agent_id) if agent else short(line.first_uuid)}"
        where = "no call is known" if leaving.kind == "unlinked" else ""
        return f"{named} • {asked_for} ({', '.join(filter(None, (entries, _status(agent), where)))})"
    verb = "Continued" if leaving.kind == "resume" else "Forked"
    return f"{verb} by session {short(line.session_id)} • {title} ({entries})"


def _agent(item: LineStart | LineExit) -> str:
    return _agent_name(item.agent.name) if item.agent else "Agent"


def _status(agent: AgentLabel | None) -> str:
    return "" if agent is None or agent.status == "unknown" else agent.status


def period(first: int | None, last: int | None) -> str:
    """Return a period of time, with the day once if it starts and ends on the same."""
    start, end = minute(first), minute(last)
    return start if start == end else f"{start} to {end[11:] if start[:10] == end[:10] else end}"
