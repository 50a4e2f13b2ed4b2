"""Find compactions, first prompts and titles (rule: compaction_summary, compaction_label, summary_session)."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

from .entries import Entry
from .entry_graph import EntryGraph
from .lines import Lines
from .objects import Occurrence, as_count, as_object, as_text

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# record types and title keys, in order of preference
_TITLES = {"custom-title": "customTitle", "ai-title": "aiTitle", "summary": "summary"}


def compactions(graph: EntryGraph, lines: Lines) -> list[list[Any]]:
    """Return the rows of `v1_compactions`, with their labels."""
    boundaries = [entry for entry in graph.entries.values() if entry.kind == "boundary"]
    return [_compaction(graph, lines, entry) for entry in boundaries]


def prompts(graph: EntryGraph) -> dict[str, str | None]:
    """Map each session to the first typed prompt in its trunk, excluding commands (rule: spawner_prompt)."""
    return {session: _first_prompt(graph, session) for session in graph.claims}


def titles(graph: EntryGraph) -> dict[str, str | None]:
    """Map each session to its title, or to None if it has none."""
    return {session: _title(graph, session) for session in graph.claims}


def _compaction(graph: EntryGraph, lines: Lines, entry: Entry) -> list[Any]:
    about = as_object(entry.value.get("compactMetadata"))
    before = as_count(about.get("preTokens"))
    children = [graph.entries[uuid] for uuid in graph.all_children(entry.uuid)]
    summary = next((child for child in children if _is_summary(child)), None)
    line = lines.line_of.get(entry.uuid)
    return [
        entry.uuid,
        entry.session,
        line.id if line else None,
        as_text(about.get("trigger")),
        before,
        as_count(about.get("postTokens")),
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


def _first_prompt(graph: EntryGraph, session: str) -> str | None:
    trunk = graph.threads.get(session)
    entries = [graph.entries[uuid] for uuid in graph.by_time(trunk.members)] if trunk else []
    typed = [entry for entry in entries if entry.is_typed and not entry.is_command]
    prompts = [entry for entry in typed if entry.is_typed_prompt]
    if not prompts:
        return None
    text = _without_context(prompts[0].text)
    if text or not prompts[0].has_image:
        return text or prompts[0].text or None
    later = [_without_context(entry.typed_text) for entry in typed[typed.index(prompts[0]) + 1 :]]
    return " ".join(["(image)", *[text for text in later if text][:1]])


def _without_context(text: str) -> str:
    """Return the text without the editor context and reminders that precede it."""
    while found := re.match(r"\s*<(ide_[^>\s]*|system-reminder)>.*?</\1>\s*", text, re.DOTALL):
        text = text[found.end() :]
    return text


def _title(graph: EntryGraph, session: str) -> str | None:
    records = sorted(graph.records, key=lambda record: (record.instant, *record.seq))
    own = [record for record in records if _is_about(graph, session, record)]
    for kind, key in _TITLES.items():
        texts = [as_text(record.value.get(key)) for record in own if record.value.get("type") == kind]
        texts = [text for text in texts if text]
        if texts:
            return texts[-1]
    return None


def _is_about(graph: EntryGraph, session: str, record: Occurrence) -> bool:
    """Return whether a record belongs to a session, by its leaf or, without a leaf, by its own session id."""
    leaf = as_text(record.value.get("leafUuid"))
    if leaf is None:
        return record.session == session
    return leaf in graph.entries and graph.entries[leaf].session == session
