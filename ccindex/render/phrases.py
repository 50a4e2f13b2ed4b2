"""Phrases that terminal and Markdown output share: speakers, headings, tool calls and results."""

import json
import re

from ccindex.query.titles import AgentLabel
from ccindex.query.transcript import (
    THINKING_TYPES,
    ContentBlock,
    LineExit,
    LineStart,
    MoreExits,
    PairedResult,
    TaskNotice,
    TranscriptEntry,
)
from ccindex.read.text_tags import split_editor_context, strip_tags, teammate_sender
from ccindex.render.blocks import generic_block_text
from ccindex.render.text import (
    format_count,
    format_duration,
    format_minute,
    format_size,
    preview,
    short_agent,
    short_id,
)

_COLOUR_CODE = re.compile("\x1b\\[[0-9;?]*[ -/]*[@-~]")
_PREVIEW_CHARS = 100
_INPUT_CHARS = 160

CONTEXT_FORMS = frozenset({"typed", "queued"})  # forms of prompts that can start with context from an editor
RETRY = "answered again"  # label of a branch that starts at a retry

# speakers of prompts that were not typed by a person
_SPEAKERS = {
    "command_output": "Output",
    "caveat": "Claude Code",
    "interrupt": "You",
    "notification": "Notice",
    "compact_summary": "Summary",
    "injected": "Claude Code",
}
# input keys that describe a tool call best, in order of preference
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
    """Return the speaker of an entry. In a subagent's thread, prompts come from the caller (rule: spawner_prompt)."""
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
    """Return the speaker of a side entry: "You" for a command; otherwise "Output", "System" or its subtype or type."""
    if entry.form == "local_command" and "<command-name>" in (entry.text or ""):
        return "You"
    if entry.form == "command_output":
        return _SPEAKERS[entry.form]
    return "System" if entry.type == "system" else (entry.subtype or entry.type or "?").replace("_", " ")


def continues_answer(entry: TranscriptEntry, before: TranscriptEntry | None) -> bool:
    """Return whether an entry belongs to the same answer as the entry before it, and so needs no heading."""
    if before is None or entry.set_aside or before.set_aside or entry.label or entry.kind != "assistant":
        return False
    return entry.response is not None and entry.response == before.response


def _prompt_speaker(entry: TranscriptEntry) -> str:
    form, agent = entry.form, entry.agent
    if form == "teammate_message":
        return f"Teammate {teammate_sender(entry.blocks[0].text or '') if entry.blocks else ''}".strip()
    if form in _SPEAKERS:
        return _SPEAKERS[form]
    if agent is None:
        return "You"
    return "Claude" if agent.caller is None else _agent_name(agent.caller)


def _agent_name(agent: str) -> str:
    return "Agent" if agent == "unknown" else f"Agent {agent}"


def clean_text(text: str) -> str:
    """Return the text without command tags and colour codes."""
    return _strip_colours(strip_tags(text))


def _strip_colours(text: str) -> str:
    return _COLOUR_CODE.sub("", text).replace("\r\n", "\n").strip("\r\n")


def split_context(text: str) -> tuple[tuple[str, ...], str]:
    """Split a prompt into the contexts that an editor added, one line each, and the text that the user typed."""
    contexts, prompt = split_editor_context(text)
    lines = tuple(" ".join(_strip_colours(context).split()) for context in contexts)
    return lines, clean_text(prompt) if prompt else ""


def thinking_text(block: ContentBlock, entry: TranscriptEntry) -> str:
    """Return the text of a thinking block. If it was not recorded, say so unless the entry has other content."""
    if block.text and block.text.strip():
        return block.text
    is_only_thinking = all(other.type in THINKING_TYPES and not other.text for other in entry.blocks)
    return "(thinking not recorded)" if is_only_thinking and block is entry.blocks[0] else ""


def notice_line(notice: TaskNotice) -> str:
    """Return the heading of a notice: the task and its status."""
    if notice.agent is not None:
        named = f"{_agent_name(notice.agent.name)} • {short_agent(notice.task_id)}"
    else:
        named = f"{notice.kind.capitalize()} {notice.task_id}"
    about = preview(notice.summary or (notice.agent.task if notice.agent else ""), _PREVIEW_CHARS)
    return f"{named} • {about} ({notice.status})" if about else f"{named} ({notice.status})"


def notice_text(notice: TaskNotice) -> str:
    """Return the report in a notice, without colour codes."""
    return _strip_colours(notice.result or "")


def has_no_content(entry: TranscriptEntry) -> bool:
    """Return whether an entry has no content blocks to show."""
    return not any(block.text or block.type != "text" for block in entry.blocks)


def own_text(entry: TranscriptEntry) -> str:
    """Return the text to show for an entry without content blocks: its own text, or a summary of a system entry."""
    if entry.text:
        return clean_text(entry.text)
    details = _parse_input(entry.details)
    if entry.subtype == "api_error":
        retry = details.get("retryAttempt"), details.get("maxRetries")
        return f"API error: {_error_message(details)}" + (f" (retry {retry[0]} of {retry[1]})" if all(retry) else "")
    elapsed = details.get("durationMs")
    if entry.subtype == "turn_duration" and isinstance(elapsed, int | float) and not isinstance(elapsed, bool):
        return f"turn duration: {format_duration(elapsed)}"
    if entry.subtype == "stop_hook_summary":
        return f"stop hooks: {details.get('hookCount')}"
    return "(empty)" if entry.kind in ("prompt", "assistant", "result") else entry.subtype or ""


def _error_message(details: dict[str, object]) -> str:
    """Return the message of an API error. Errors can be nested to any depth."""
    messages, error = [], details.get("error")
    while isinstance(error, dict):
        messages += [error[name] for name in ("message", "code", "status") if isinstance(error.get(name), str | int)]
        error = error.get("error") or error.get("cause")
    return str(messages[-1]) if messages else "no reason recorded"


def other_block_text(block: ContentBlock) -> str:
    """Return the text of a block without a layout of its own."""
    if block.text:
        return clean_text(block.text)
    if block.type == "document":
        return image_placeholder(block.media_type, block.byte_size, name="document")
    return "" if block.type == "text" else generic_block_text(block)


def heading_notes(entry: TranscriptEntry) -> str:
    """Return notes on an entry's position or state, in brackets, to append to its heading."""
    aside = f"set aside: {entry.set_aside}" if entry.set_aside else ""
    root = {"orphan": "earlier entries are missing", "cycle_cut": "parent cycle cut here"}
    withdrawn = "withdrawn" if entry.type == "queue-operation" and entry.subtype == "popAll" else ""
    return "".join(f"  [{mark}]" for mark in (aside, withdrawn, root.get(entry.root_kind or "", "")) if mark)


def is_only_label(entry: TranscriptEntry) -> bool:
    """Return whether a compaction has nothing to show except its label."""
    return not any(block.text for block in entry.blocks) and entry.text in (None, "", "Conversation compacted")


def is_folded(entry: TranscriptEntry) -> bool:
    """Return whether an entry is folded: inserted text, a compact summary, command output or a notice."""
    return entry.form in ("injected", "caveat", "compact_summary", "command_output", "notification")


def call_summary(text: str | None) -> str:
    """Return one line for a tool call: the value in its input (JSON) that describes it best."""
    texts = {key: value for key, value in _parse_input(text).items() if isinstance(value, str) and value}
    if "pattern" in texts:
        return preview(texts["pattern"] + (f" in {texts['path']}" if "path" in texts else ""), _INPUT_CHARS)
    return preview(next((texts[name] for name in _MAIN_KEYS if name in texts), text or ""), _INPUT_CHARS)


def call_input(text: str | None) -> list[tuple[str, str]]:
    """Return the keys and values of a tool call's input (JSON), with values that are not strings formatted as JSON."""
    return [
        (key, value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
        for key, value in _parse_input(text).items()
    ]


def _parse_input(text: str | None) -> dict[str, object]:
    try:
        value = json.loads(text or "{}")
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def result_text(result: PairedResult | ContentBlock) -> str:
    """Return the result of a tool as text."""
    pictures = (
        [image_placeholder(result.media_type, None if result.text else result.byte_size)] if result.media_type else []
    )
    text = _strip_colours(result.text or "") or ("" if pictures else result.details or "(no output)")
    return "\n".join(filter(None, (text, *pictures)))


def image_placeholder(media_type: str | None, byte_size: int | None, *, name: str = "image") -> str:
    """Return a placeholder for an image or a document."""
    return f"[{name} {media_type or ''}{', ' + format_size(byte_size) if byte_size else ''}]".replace("  ", " ")


def failure_outcome(result: PairedResult | None) -> str | None:
    """Return the outcome of a tool call, or None if it succeeded."""
    if result is None:
        return "no result"
    return None if result.outcome == "ok" else result.outcome


def start_line(start: LineStart) -> str:
    """Return the heading of a line."""
    title = preview(start.title, _PREVIEW_CHARS)
    branch = [RETRY.capitalize() if start.line.is_retry else "Branch", str(short_id(start.line.first_uuid))]
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
    """Return where a line starts, its length and its status."""
    line = start.line
    details = []
    if line.relation in ("continues", "forks"):
        verb = "continues" if line.relation == "continues" else "fork of"
        where = f" at {short_id(line.attachment_uuid)}" if line.attachment_uuid else ""
        details.append(f"{verb} session {short_id(line.parent_session_id)}{where}")
    elif line.attachment_uuid is not None:
        verb = "spawned at" if line.kind == "agent" else "from"
        details.append(f"{verb} {short_id(line.attachment_uuid)}")
    details.append(format_count(line.entry_count, "entry", "entries"))
    if not line.is_active:
        details.append("abandoned")
    details.append(_status(start.agent) if line.kind == "agent" else "")
    return ", ".join(filter(None, details))


def exit_line(line_exit: LineExit | MoreExits) -> str:
    """Return a one-line description of a line that starts at the previous entry."""
    if isinstance(line_exit, MoreExits):
        return f"… and {line_exit.count:,} more (ccindex tree shows all)"
    line, title = line_exit.line, preview(line_exit.title, _PREVIEW_CHARS)
    entries = format_count(line.entry_count, "entry", "entries")
    if line_exit.kind in ("rewind", "retry"):
        status = "active" if line.is_active else "abandoned"
        name = RETRY.capitalize() if line_exit.kind == "retry" else "Branch"
        return f"{name} • {short_id(line.first_uuid)} • {title} ({entries}, {status})"
    if line_exit.kind in ("agent", "unlinked"):
        agent = line_exit.agent
        task = preview(agent.task, _PREVIEW_CHARS) if agent and agent.task else title
        named = f"{_agent(line_exit)} • {short_agent(agent.agent_id) if agent else short_id(line.first_uuid)}"
        where = "call unknown" if line_exit.kind == "unlinked" else ""
        return f"{named} • {task} ({', '.join(filter(None, (entries, _status(agent), where)))})"
    verb = "Continued" if line_exit.kind == "resume" else "Forked"
    return f"{verb} by session {short_id(line.session_id)} • {title} ({entries})"


def _agent(item: LineStart | LineExit) -> str:
    return _agent_name(item.agent.name) if item.agent else "Agent"


def _status(agent: AgentLabel | None) -> str:
    return "" if agent is None or agent.status == "unknown" else agent.status


def format_period(first: int | None, last: int | None) -> str:
    """Format a period of time. The day appears once if the period starts and ends on the same day."""
    start, end = format_minute(first), format_minute(last)
    return start if start == end else f"{start} to {end[11:] if start[:10] == end[:10] else end}"
