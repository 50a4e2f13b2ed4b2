"""Parse one JSON object as the only object of a transcript, and return its rows as typed values."""

from typing import Any, NamedTuple

from ccindex.model.events import Batch, Row
from ccindex.model.recorded import (
    Block,
    EntryColumns,
    EntryContext,
    EntryTraits,
    FileTouch,
    Iteration,
    Mention,
    Message,
    Notice,
    SearchText,
    ToolOutcome,
    ToolResult,
    ToolUse,
    Unknown,
)
from ccindex.read.entry_parser import shape_of, unknown_in
from ccindex.read.row_batches import BatchBuilder


class ParsedContent(NamedTuple):
    """The content of a message."""

    blocks: tuple[Block, ...]
    uses: tuple[ToolUse, ...]
    results: tuple[ToolResult, ...]
    mentions: tuple[Mention, ...]
    touches: tuple[FileTouch, ...]


class ParsedEntry(NamedTuple):
    """A parsed object with a uuid."""

    traits: EntryTraits
    columns: EntryColumns
    context: EntryContext
    details: str | None
    message: Message | None
    iterations: tuple[Iteration, ...]
    content: ParsedContent
    outcome: ToolOutcome | None
    notices: tuple[Notice, ...]
    search_text: SearchText | None


class ParsedRecord(NamedTuple):
    """A parsed object without a uuid."""

    payload: str
    leaf: str | None
    notices: tuple[Notice, ...]


def parse_object(value: dict[str, Any]) -> ParsedEntry | ParsedRecord:
    """Parse an object."""
    batch = batch_of(value)
    return _record(batch) if batch.records else _entry(batch)


def parse_entry(value: dict[str, Any]) -> ParsedEntry:
    """Parse an object with a uuid."""
    return _entry(batch_of(value))


def parse_record(value: dict[str, Any]) -> ParsedRecord:
    """Parse an object without a uuid."""
    return _record(batch_of(value))


def unknown_of(value: dict[str, Any]) -> tuple[Unknown, ...]:
    """Return the types and keys of an object that ccindex does not know."""
    return tuple(unknown_in(value, shape_of(value)))


def batch_of(*values: dict[str, Any]) -> Batch:
    """Return the rows of objects in a session without timestamps."""
    builder = BatchBuilder()
    for line_no, value in enumerate(values, 1):
        builder.add((line_no, 0), b"", value, shape_of(value), ("s1", 0, 0))
    return builder.take()


def _record(batch: Batch) -> ParsedRecord:
    [(_, _, payload, leaf)] = batch.records
    return ParsedRecord(payload, leaf, tuple(Notice(*notice) for _, *notice in batch.record_notices))


def _entry(batch: Batch) -> ParsedEntry:
    [(_, _, _, _, context, details, traits, *columns)] = batch.entries

    def rows(table: str) -> list[Row]:
        return [row[1:] for row in batch.contents.get(table, [])]

    messages, outcomes = rows("messages"), rows("tool_outcomes")
    return ParsedEntry(
        EntryTraits(*traits),
        EntryColumns(*columns),
        EntryContext(*batch.contexts[context]),
        None if details is None else batch.details[details],
        Message(*messages[0]) if messages else None,
        tuple(Iteration(*row) for row in rows("iterations")),
        ParsedContent(
            tuple(Block(*row) for row in rows("blocks")),
            tuple(ToolUse(*row) for row in rows("tool_uses")),
            tuple(ToolResult(*row) for row in rows("tool_results")),
            tuple(Mention(*row) for row in rows("agent_mentions")),
            tuple(FileTouch(*row) for row in rows("file_touches")),
        ),
        ToolOutcome(*outcomes[0]) if outcomes else None,
        tuple(Notice(*row) for row in rows("task_notices")),
        SearchText(*batch.search_texts[0][1:]) if batch.search_texts else None,
    )
