"""Who speaks and what is told of it, in words that the terminal and Markdown share."""

import json
import re

from ccindex.query.titles import plain_words
from ccindex.query.transcript import Answer, Begins, Leaves, Part, Said

from .words import count, minute, preview, short, size

_COLOUR = re.compile("\x1b\\[[0-9;?]*[ -/]*[@-~]")
_PREVIEW = 100
_ASKED = 160

# what prompts that nobody typed are headed with
_SPEAKERS = {
    "command_output": "Output",
    "caveat": "Claude Code",
    "interrupt": "You",
    "notification": "Notice",
    "teammate_message": "Teammate",
    "compact_summary": "Summary",
    "injected": "Claude Code",
}
# what a call is best known by, the first that it has
_KNOWN_BY = ("command", "file_path", "notebook_path", "query", "url", "skill", "description", "path", "prompt")


def speaker(said: Said) -> str:
    """Who says it: in a subagent's thread the prompts are its caller's words, and the answers are its own."""
    spoken = said.spoken
    if spoken.kind == "assistant":
        return "Claude" if said.agent is None else f"Agent {said.agent.name}"
    if spoken.kind == "result":
        return "Tool result"
    if spoken.kind == "prompt":
        if spoken.form in _SPEAKERS:
            return _SPEAKERS[spoken.form]
        if said.agent is None:
            return "You"
        return "Claude" if said.agent.caller is None else f"Agent {said.agent.caller}"
    return "System" if spoken.type == "system" else (spoken.subtype or spoken.type or "?").replace("_", " ")


def goes_on(said: Said, before: Said | None) -> bool:
    """Whether it is one more entry of an answer that has its heading already."""
    if before is None or said.set_aside or before.set_aside or said.label or said.spoken.kind != "assistant":
        return False
    return said.spoken.response is not None and said.spoken.response == before.spoken.response


def words(text: str) -> str:
    """Words as they are shown: without the tags of commands, and without colours meant for another terminal."""
    return _COLOUR.sub("", plain_words(text)).strip("\n")


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
    if answer.text:
        return _COLOUR.sub("", answer.text).strip("\n")
    return picture(answer.media_type, answer.byte_size) if answer.media_type else "(nothing)"


def picture(media_type: str | None, byte_size: int | None) -> str:
    """What stands for an image."""
    return f"[image {media_type or ''}{', ' + size(byte_size) if byte_size else ''}]".replace("  ", " ")


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
    parts = {
        "trunk": ["Session", begins.line.session_id],
        "branch": ["Branch", str(short(begins.first_uuid))],
        "agent": [_agent(begins), str(short(begins.agent.agent_id)) if begins.agent else ""],
        "agent_branch": ["Branch", str(short(begins.first_uuid))],
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
        told.append(f"{verb} session {short(begins.parent_session_id)} at {short(line.attachment_uuid)}")
    elif line.attachment_uuid is not None:
        verb = "spawned at" if line.kind == "agent" else "from"
        told.append(f"{verb} {short(line.attachment_uuid)}")
    told.append(count(line.entry_count, "entry", "entries"))
    if not line.is_active:
        told.append("abandoned")
    if line.kind == "agent" and begins.agent is not None:
        told.append(begins.agent.status)
    return ", ".join(told)


def leaves_line(leaves: Leaves) -> str:
    """What goes off from the entry before."""
    line, title = leaves.line, preview(leaves.title, _PREVIEW)
    entries = count(line.entry_count, "entry", "entries")
    if leaves.kind == "rewind":
        status = "active" if line.is_active else "abandoned"
        return f"Branch • {short(leaves.first_uuid)} • {title} ({entries}, {status})"
    if leaves.kind == "agent":
        agent = leaves.agent
        asked = preview(agent.asked, _PREVIEW) if agent and agent.asked else title
        named = f"{_agent(leaves)} • {short(agent.agent_id if agent else leaves.first_uuid)}"
        return f"{named} • {asked} ({entries}, {agent.status if agent else 'unknown'})"
    verb = "Continued" if leaves.kind == "resume" else "Forked"
    return f"{verb} by session {short(line.session_id)} • {title} ({entries})"


def _agent(event: Begins | Leaves) -> str:
    return f"Agent {event.agent.name}" if event.agent else "Agent"


def period(first: int | None, last: int | None) -> str:
    """From when to when, the day told once."""
    start, end = minute(first), minute(last)
    return start if start == end else f"{start} to {end[11:] if start[:10] == end[:10] else end}"
