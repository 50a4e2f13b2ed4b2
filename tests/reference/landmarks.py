"""Finds compactions, first prompts and titles (SEMANTICS.md, 12)."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

from .facts import Entry
from .lines import Lines
from .objects import Occurrence, table, whole, word
from .world import World

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# The first that a session has is its title
_TITLES = {"custom-title": "customTitle", "ai-title": "aiTitle", "summary": "summary"}


def compactions(world: World, lines: Lines) -> list[list[Any]]:
    """The rows of `v1_compactions`, with their landmark labels."""
    boundaries = [entry for entry in world.entries.values() if entry.kind == "boundary"]
    return [_compaction(world, lines, entry) for entry in boundaries]


def prompts(world: World) -> dict[str, str | None]:
    """Session to the first words that were typed in its trunk, commands apart."""
    return {session: _first_prompt(world, session) for session in world.claims}


def titles(world: World) -> dict[str, str | None]:
    """Session to its title."""
    return {session: _title(world, session) for session in world.claims}


def _compaction(world: World, lines: Lines, entry: Entry) -> list[Any]:
    about = table(entry.value.get("compactMetadata"))
    before = whole(about.get("preTokens"))
    children = [world.entries[uuid] for uuid in world.all_children(entry.uuid)]
    summary = next((child for child in children if _is_summary(child)), None)
    line = lines.line_of.get(entry.uuid)
    return [
        entry.uuid,
        entry.session,
        line.id if line else None,
        word(about.get("trigger")),
        before,
        whole(about.get("postTokens")),
        entry.logical_parent,
        summary.uuid if summary else None,
        entry.stamp,
        _label(before, (summary or entry).instant),
    ]


def _is_summary(entry: Entry) -> bool:
    return entry.flag("isCompactSummary") or entry.type == "compact_recap"


def _label(tokens: int | None, instant: int) -> str:
    moment = (_EPOCH + timedelta(milliseconds=instant)).strftime("%Y-%m-%d %H:%M:%S")
    if tokens is None:
        return f"Conversation compacted • {moment}"
    size = f"{tokens // 1000}k" if tokens >= 1000 else str(tokens)
    return f"Conversation compacted ({size} tokens) • {moment}"


def _first_prompt(world: World, session: str) -> str | None:
    trunk = world.threads.get(session)
    entries = [world.entries[uuid] for uuid in world.by_time(trunk.members)] if trunk else []
    typed = [entry for entry in entries if entry.is_typed and not entry.is_command]
    prompts = [entry for entry in typed if entry.is_typed_prompt]
    if not prompts:
        return None
    words = _without_context(prompts[0].text)
    if words or not prompts[0].has_image:
        return words or prompts[0].text or None
    later = [_without_context(entry.text) for entry in typed[typed.index(prompts[0]) + 1 :]]
    return " ".join(["(image)", *[text for text in later if text][:1]])


def _without_context(text: str) -> str:
    """The text after the blocks that an editor put before it."""
    while found := re.match(r"\s*<(ide_[^>\s]*|system-reminder)>.*?</\1>\s*", text, re.DOTALL):
        text = text[found.end() :]
    return text


def _title(world: World, session: str) -> str | None:
    records = sorted(world.records, key=lambda record: (record.instant, *record.seq))
    own = [record for record in records if _is_about(world, session, record)]
    for kind, key in _TITLES.items():
        texts = [word(record.value.get(key)) for record in own if record.value.get("type") == kind]
        texts = [text for text in texts if text]
        if texts:
            return texts[-1]
    return None


def _is_about(world: World, session: str, record: Occurrence) -> bool:
    """A record is about the session of its leaf or, without one, about its own."""
    leaf = word(record.value.get("leafUuid"))
    if leaf is None:
        return record.session == session
    return leaf in world.entries and world.entries[leaf].session == session
