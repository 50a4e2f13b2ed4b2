"""Format a conversation path as Markdown: a header, then the conversation, with tool calls and results folded."""

import html
import re
from collections.abc import Iterable, Iterator

from ccindex.query.export import ExportPage
from ccindex.query.paths import PathTotals
from ccindex.query.transcript import (
    THINKING_TYPES,
    ContentBlock,
    HiddenEntries,
    LineExit,
    LineStart,
    MoreExits,
    TranscriptEntry,
    TranscriptItem,
)
from ccindex.render.blocks import describe_server_call, is_failed, is_server_call, is_server_result, server_result_text
from ccindex.render.masked_items import mask_item
from ccindex.render.phrases import (
    CONTEXT_FORMS,
    call_input,
    call_summary,
    clean_text,
    continues_answer,
    exit_line,
    failure_outcome,
    format_period,
    has_no_content,
    heading_notes,
    image_placeholder,
    is_folded,
    is_only_label,
    notice_line,
    notice_text,
    other_block_text,
    own_text,
    result_text,
    speaker,
    split_context,
    start_details,
    start_line,
    thinking_text,
)
from ccindex.render.text import (
    escape_controls,
    format_count,
    format_dollars,
    format_duration,
    format_second,
    one_line,
    preview,
    short_id,
    short_line,
)
from ccindex.secrets.masking import Mask

_SUMMARY_CHARS = 100
_FENCE = re.compile("`{3,}")
# HTML elements that would affect the text after them
_OPEN_ENDED_HTML = re.compile(r"<(?=/?(?:details|summary|script|style|pre|textarea|title|[!?]))", re.IGNORECASE)
_ESCAPE = r"\\\g<0>"
# characters with a special meaning in Markdown or HTML
_MARKUP = re.compile(r"([\\`*_\[\]<>#|~&])")
_HEADER_MARKUP = re.compile(r"([\\`*\[\]<>&])")


def markdown_lines(
    page: ExportPage, totals: PathTotals, items: Iterable[TranscriptItem], *, mask: Mask
) -> Iterator[str]:
    """Yield the lines of a page."""
    yield from _header(page, totals, mask)
    before: TranscriptEntry | None = None
    depth = 0
    for item in (mask_item(item, mask) for item in items):
        new_depth = 0 if isinstance(item, HiddenEntries) else item.depth
        if new_depth != depth:
            yield ""  # otherwise Markdown joins the two block quotes
            depth = new_depth
        quote = "> " * depth
        for line in _item(item, before):
            yield quote + line if line else quote.rstrip()
        before = item if isinstance(item, TranscriptEntry) else None if isinstance(item, LineStart) else before


def _header(page: ExportPage, totals: PathTotals, mask: Mask) -> Iterator[str]:
    path = page.path
    yield "# CLAUDE CODE SESSION TRANSCRIPT"
    yield ""
    yield f"Session ID: {_header_value(page.session_id)}"
    if page.agent_id is not None:
        yield f"Agent ID: {_header_value(page.agent_id)}"
    yield f"Path: {page.number} of {page.total}"
    yield f"Status: {path.status.upper()}"
    if path.status == "abandoned" and path.fork_uuid is not None:
        yield f"Fork Point: {_header_value(path.fork_uuid)}"
    if path.compaction_count:
        yield "**Contains Compact Operation(s)** - Full conversation including compacted segments"
    yield f"Total Messages: {path.entry_count}"
    yield from _totals(totals, mask)


def _header_value(value: str) -> str:
    """Return a value on one line with markup escaped."""
    return _HEADER_MARKUP.sub(r"\\\1", one_line(value))


def _totals(totals: PathTotals, mask: Mask) -> Iterator[str]:
    if totals.project:
        yield f"Project: {_header_value(mask(totals.project))}"
    if totals.first_at is not None:
        yield f"Time: {format_period(totals.first_at, totals.last_at)} UTC"
    yield f"Tool Calls: {totals.calls}"
    yield f"Responses: {totals.responses}"
    yield f"Output Tokens: {totals.output_tokens}"
    if totals.est_cost_usd is not None:
        yield f"Estimated Cost: {format_dollars(totals.est_cost_usd)}"


def _item(item: TranscriptItem, before: TranscriptEntry | None) -> Iterator[str]:
    if isinstance(item, LineStart):
        yield from ("", "---", "")
        if item.is_return:
            yield f"*{_escaped(short_line(item.line.line_id))} continued*"
            return
        yield f"## {_escaped(start_line(item))}"
        yield from ("", f"*{_escaped(start_details(item))}*")
    elif isinstance(item, LineExit | MoreExits):
        yield from ("", f"*↳ {_escaped(exit_line(item))}*")
    elif isinstance(item, TranscriptEntry):
        yield from _entry(item, before)
    else:
        entries = format_count(item.count, "non-conversation entry", "non-conversation entries")
        yield from ("", "---", "", f"*{entries} hidden; `ccindex show --all` shows them*")


def _entry(entry: TranscriptEntry, before: TranscriptEntry | None) -> Iterator[str]:
    if entry.label is not None:
        yield from ("", f"### {_escaped(entry.label)}")
        if is_only_label(entry):
            return
    elif not continues_answer(entry, before):
        details = " · ".join(filter(None, (format_second(entry.timestamp_ms), short_id(entry.uuid), entry.model)))
        yield from ("", f"### {_escaped(speaker(entry) + heading_notes(entry))}", "", f"*{_escaped(details)}*")
    if entry.notices:
        yield from _notices(entry)
        return
    for block in entry.blocks:
        yield from _block(block, entry)
    if has_no_content(entry):
        yield from _folded(preview(own_text(entry), _SUMMARY_CHARS), [("", own_text(entry))])


def _block(block: ContentBlock, entry: TranscriptEntry) -> Iterator[str]:
    if block.type == "tool_use":
        yield from _call(block)
    elif block.type == "tool_result":
        yield from _folded("Result" + (" (error)" if block.is_error else ""), [("", result_text(block))])
    elif block.type in THINKING_TYPES:
        if text := thinking_text(block, entry):
            yield from _folded("Thinking", [("", text)])
    elif block.type == "image":
        yield from ("", _escaped(image_placeholder(block.media_type, block.byte_size)))
    elif block.type == "text":
        yield from _text(block.text or "", entry)
    else:
        yield from _other(block)


def _text(text: str, entry: TranscriptEntry) -> Iterator[str]:
    if is_folded(entry) and text:
        yield from _folded(preview(clean_text(text), _SUMMARY_CHARS), [("", clean_text(text))])
        return
    contexts, prompt = split_context(text) if entry.form in CONTEXT_FORMS else ((), clean_text(text))
    for context in contexts:
        yield from ("", f"*{_escaped(context)}*")
    if prompt:
        yield ""
        yield from _prose(prompt)


def _other(block: ContentBlock) -> Iterator[str]:
    """Yield a call or result of a server tool, or a block without a layout of its own."""
    if is_server_call(block):
        name, arguments = describe_server_call(block)
        summary = f"{name}: {call_summary(arguments)}" if arguments else name
        yield from _folded(summary, call_input(arguments) or [("", arguments)])
    elif is_server_result(block):
        yield from _folded("Result" + (" (error)" if is_failed(block) else ""), [("", server_result_text(block))])
    else:
        yield from _folded(block.type or "no type", [("", other_block_text(block))])


def _notices(entry: TranscriptEntry) -> Iterator[str]:
    """Yield notices about background tasks, with subagents' reports."""
    for notice in entry.notices:
        yield from ("", f"*{_escaped(notice_line(notice))}*")
        if text := notice_text(notice):
            yield ""
            yield from _prose(text)


def _prose(text: str) -> Iterator[str]:
    """Yield text, which is usually Markdown, as a block quote. Its markup has no effect outside the block quote."""
    for line in escape_controls(text).split("\n"):
        yield f"> {_OPEN_ENDED_HTML.sub(_ESCAPE, line)}".rstrip()


def _call(block: ContentBlock) -> Iterator[str]:
    result, mark = block.result, failure_outcome(block.result)
    elapsed = format_duration(result.duration_ms) if result is not None and result.duration_ms is not None else None
    notes = ", ".join(filter(None, (mark, elapsed, result and result.set_aside and f"set aside: {result.set_aside}")))
    summary = f"{block.tool_name or '?'}: {call_summary(block.input)}" + (f" ({notes})" if notes else "")
    texts = call_input(block.input) or [("", block.input or "")]
    results = [] if result is None else [("Result", result_text(result))]
    yield from _folded(summary, [*texts, *results])


def _folded(summary: str, texts: list[tuple[str, str]]) -> Iterator[str]:
    """Yield a collapsed section with each text in a code fence that is longer than any fence in it."""
    yield from ("", f"<details><summary>{html.escape(one_line(summary))}</summary>")
    for name, text in texts:
        shown = escape_controls(text)
        fence = "`" * max([3, *(len(match) + 1 for match in _FENCE.findall(shown))])
        yield from ("", f"**{_escaped(name.strip())}:**", "") if name else ("",)
        yield fence
        yield from shown.split("\n")
        yield fence
    yield from ("", "</details>")


def _escaped(text: str) -> str:
    """Return the text on one line, with Markdown and HTML markup escaped."""
    return _MARKUP.sub(r"\\\1", one_line(text))
