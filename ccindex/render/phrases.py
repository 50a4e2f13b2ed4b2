"""Who speaks and what is told of it, in words that the terminal and Markdown share."""

import json
import re

from ccindex.query.titles import Agent, part_context, plain_words, teammate_in
from ccindex.query.transcript import THINKING, Answer, Begins, Leaves, MoreLeave, Part, Report, Said
from ccindex.render.blocks import any_block
from ccindex.render.text import count, duration, minute, preview, short, short_agent, size

_COLOUR = re.compile("\x1b\\[[0-9;?]*[ -/]*[@-~]")
_PREVIEW = 100
_ASKED = 160

CONTEXTUAL = frozenset({"typed", "queued"})  # forms of prompts that an editor may have put context into
RETRIED = "answered again"  # a branch that a retry made: a person did not go back

# what prompts that nobody typed are headed with
_SPEAKERS = {
    "command_output": "Output",
    "caveat": "Claude Code",
    "interrupt": "You",
    "notification": "Notice",
    "compact_summary": "Summary",
    "injected": "Claude Code",
}
# what a call is best known by, the first that it has
_KNOWN_BY = (
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


def speaker(said: Said) -> str:
    """Who says it: in a subagent's thread the prompts are its caller's words, and the answers are its own."""
    spoken = said.spoken
    if spoken.kind == "assistant":
        return "Claude" if said.agent is None else _named(said.agent.name)
    if spoken.kind == "result":
        return "Tool result"
    if spoken.form == "queued":
        return f"You, while {'Claude' if said.agent is None else 'the agent'} was working"
    if spoken.form == "notification":
        return "Report" if any(report.result for report in said.reports) else "Notice"
    return _prompter(said) if spoken.kind == "prompt" else _beside(said)


def _beside(said: Said) -> str:
    """Who is behind a side entry: the person for a command, else Claude Code."""
    spoken = said.spoken
    if spoken.form == "local_command" and "<command-name>" in (spoken.text or ""):
        return "You"
    if spoken.form == "command_output":
        return _SPEAKERS[spoken.form]
    return "System" if spoken.type == "system" else (spoken.subtype or spoken.type or "?").replace("_", " ")


def goes_on(said: Said, before: Said | None) -> bool:
    """Whether it is one more entry of an answer that has its heading already."""
    if before is None or said.set_aside or before.set_aside or said.label or said.spoken.kind != "assistant":
        return False
    return said.spoken.response is not None and said.spoken.response == before.spoken.response


def _prompter(said: Said) -> str:
    form, agent = said.spoken.form, said.agent
    if form == "teammate_message":
        return f"Teammate {teammate_in(said.parts[0].text or '') if said.parts else ''}".strip()
    if form in _SPEAKERS:
        return _SPEAKERS[form]
    if agent is None:
        return "You"
    return "Claude" if agent.caller is None else _named(agent.caller)


def _named(agent: str) -> str:
    return "Agent" if agent == "unknown" else f"Agent {agent}"


def words(text: str) -> str:
    """Words as they are shown: without the tags of commands, and without colours meant for another terminal."""
    return _clean(plain_words(text))


def _clean(text: str) -> str:
    return _COLOUR.sub("", text).replace("\r\n", "\n").strip("\r\n")


def with_context(text: str) -> tuple[tuple[str, ...], str]:
    """The context that an editor put before a prompt, each on one line, and the words of the person."""
    contexts, said = part_context(text)
    return tuple(" ".join(_clean(context).split()) for context in contexts), words(said) if said else ""


def thinking(part: Part, said: Said) -> str:
    """The text of a thinking block; one that was not recorded is mentioned where an entry has nothing else."""
    if part.text and part.text.strip():
        return part.text
    is_all_of_it = all(other.type in THINKING and not other.text for other in said.parts)
    return "(thinking, not recorded)" if is_all_of_it and part is said.parts[0] else ""


def report_line(report: Report) -> str:
    """The heading of a report: which task, and its state."""
    if report.agent is not None:
        named = f"{_named(report.agent.name)} • {short_agent(report.task_id)}"
    else:
        named = f"{report.kind.capitalize()} {report.task_id}"
    about = preview(report.summary or (report.agent.asked if report.agent else ""), _PREVIEW)
    return f"{named} • {about} ({report.status})" if about else f"{named} ({report.status})"


def report_text(report: Report) -> str:
    """What a subagent reported."""
    return _clean(report.result or "")


def is_bare(said: Said) -> bool:
    """Whether an entry has no content of its own."""
    return not any(part.text or part.type != "text" for part in said.parts)


def beside(said: Said) -> str:
    """What an entry without content tells: its own text, or of a system entry what else was recorded."""
    spoken = said.spoken
    if spoken.text:
        return words(spoken.text)
    details = _input(spoken.details)
    if spoken.subtype == "api_error":
        retry = details.get("retryAttempt"), details.get("maxRetries")
        return f"API error: {_why(details)}" + (f" (retry {retry[0]} of {retry[1]})" if all(retry) else "")
    took = details.get("durationMs")
    if spoken.subtype == "turn_duration" and isinstance(took, int | float) and not isinstance(took, bool):
        return f"the turn took {duration(took)}"
    if spoken.subtype == "stop_hook_summary":
        return f"stop hooks: {details.get('hookCount')}"
    return "(nothing)" if spoken.kind in ("prompt", "assistant", "result") else spoken.subtype or ""


def _why(details: dict[str, object]) -> str:
    """What an API error says of itself, the most telling first; errors are wrapped in errors, to any depth."""
    found, error = [], details.get("error")
    while isinstance(error, dict):
        found += [error[name] for name in ("message", "code", "status") if isinstance(error.get(name), str | int)]
        error = error.get("error") or error.get("cause")
    return str(found[-1]) if found else "no reason recorded"


def other(part: Part) -> str:
    """A block of a type that needs no layout of its own."""
    if part.text:
        return words(part.text)
    if part.type == "document":
        return picture(part.media_type, part.byte_size, name="document")
    return "" if part.type == "text" else any_block(part)


def marks(said: Said) -> str:
    """What is odd about an entry's place, in brackets behind its heading."""
    aside = f"set aside: {said.set_aside}" if said.set_aside else ""
    root = {"orphan": "what came before was never seen", "cycle_cut": "a circle of parents was cut here"}
    taken = "taken back" if said.spoken.type == "queue-operation" and said.spoken.subtype == "popAll" else ""
    return "".join(f"  [{mark}]" for mark in (aside, taken, root.get(said.spoken.root_kind or "", "")) if mark)


def is_all(said: Said) -> bool:
    """Whether the label of a compaction tells all of it: the words of its entry say no more."""
    return not any(part.text for part in said.parts) and said.spoken.text in (None, "", "Conversation compacted")


def is_folded(said: Said) -> bool:
    """Whether only the beginning is wanted: what nobody said, but was put into the talk."""
    return said.spoken.form in ("injected", "caveat", "compact_summary", "command_output", "notification")


def asked(text: str | None) -> str:
    """What a call asked for, in one line: of its input the part that it is best known by."""
    given = {key: value for key, value in _input(text).items() if isinstance(value, str) and value}
    if "pattern" in given:
        return preview(given["pattern"] + (f" in {given['path']}" if "path" in given else ""), _ASKED)
    return preview(next((given[name] for name in _KNOWN_BY if name in given), text or ""), _ASKED)


def asked_in_full(text: str | None) -> list[tuple[str, str]]:
    """All that a call asked for: keys and values, texts as they are."""
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


def result_text(answer: Answer | Part) -> str:
    """What a tool gave back."""
    pictures = [picture(answer.media_type, None if answer.text else answer.byte_size)] if answer.media_type else []
    text = _clean(answer.text or "") or ("" if pictures else answer.details or "(nothing)")
    return "\n".join(filter(None, (text, *pictures)))


def picture(media_type: str | None, byte_size: int | None, *, name: str = "image") -> str:
    """What stands for an image or a document."""
    return f"[{name} {media_type or ''}{', ' + size(byte_size) if byte_size else ''}]".replace("  ", " ")


def outcome(answer: Answer | None) -> str | None:
    """What became of a call, if it did not simply go well."""
    if answer is None:
        return "no result"
    if answer.form == "rejection":
        return "refused"
    if answer.form == "interrupt":
        return "interrupted"
    return "error" if answer.is_error else None


def begins_line(begins: Begins) -> str:
    """The heading of a line."""
    title = preview(begins.title, _PREVIEW)
    branch = [RETRIED.capitalize() if begins.line.is_retry else "Branch", str(short(begins.first_uuid))]
    parts = {
        "trunk": ["Session", begins.line.session_id],
        "branch": branch,
        "agent": [_agent(begins), str(short_agent(begins.agent.agent_id)) if begins.agent else ""],
        "agent_branch": branch,
    }[begins.line.kind]
    if begins.line.kind == "trunk":
        return " • ".join(filter(None, (" ".join(parts), title)))
    told = preview(begins.agent.asked, _PREVIEW) if begins.line.kind == "agent" and begins.agent else title
    return " • ".join(filter(None, (*parts, told)))


def begins_from(begins: Begins) -> str:
    """Where a line leaves from, and how long it is."""
    line = begins.line
    told = []
    if begins.relation in ("continues", "forks"):
        verb = "continues" if begins.relation == "continues" else "forks from"
        place = f" at {short(line.attachment_uuid)}" if line.attachment_uuid else ""
        told.append(f"{verb} session {short(begins.parent_session_id)}{place}")
    elif line.attachment_uuid is not None:
        verb = "spawned at" if line.kind == "agent" else "from"
        told.append(f"{verb} {short(line.attachment_uuid)}")
    told.append(count(line.entry_count, "entry", "entries"))
    if not line.is_active:
        told.append("abandoned")
    told.append(_status(begins.agent) if line.kind == "agent" else "")
    return ", ".join(filter(None, told))


def leaves_line(leaves: Leaves | MoreLeave) -> str:
    """What goes off from the entry before."""
    if isinstance(leaves, MoreLeave):
        return f"… and {leaves.count:,} more; ccindex tree shows all"
    line, title = leaves.line, preview(leaves.title, _PREVIEW)
    entries = count(line.entry_count, "entry", "entries")
    if leaves.kind in ("rewind", "retry"):
        status = "active" if line.is_active else "abandoned"
        name = RETRIED.capitalize() if leaves.kind == "retry" else "Branch"
        return f"{name} • {short(leaves.first_uuid)} • {title} ({entries}, {status})"
    if leaves.kind in ("agent", "unlinked"):
        agent = leaves.agent
        asked_for = preview(agent.asked, _PREVIEW) if agent and agent.asked else title
        named = f"{_agent(leaves)} • {short_agent(agent.agent_id) if agent else short(leaves.first_uuid)}"
        where = "no call is known" if leaves.kind == "unlinked" else ""
        return f"{named} • {asked_for} ({', '.join(filter(None, (entries, _status(agent), where)))})"
    verb = "Continued" if leaves.kind == "resume" else "Forked"
    return f"{verb} by session {short(line.session_id)} • {title} ({entries})"


def _agent(event: Begins | Leaves) -> str:
    return _named(event.agent.name) if event.agent else "Agent"


def _status(agent: Agent | None) -> str:
    return "" if agent is None or agent.status == "unknown" else agent.status


def period(first: int | None, last: int | None) -> str:
    """From when to when, the day told once."""
    start, end = minute(first), minute(last)
    return start if start == end else f"{start} to {end[11:] if start[:10] == end[:10] else end}"
