"""Items of a path to the lines of a Markdown page: a header, then the conversation, calls folded with their results."""

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
from ccindex.render.blocks import is_failed, is_server_call, is_server_result, server_call, server_result
from ccindex.render.masked_items import mask_item
from ccindex.render.phrases import (
    CONTEXT_FORMS,
    call_input,
    call_summary,
    continues_answer,
    exit_line,
    has_no_content,
    is_folded,
    is_only_label,
    marks,
    notice_line,
    notice_text,
    other_block,
    outcome,
    own_text,
    period,
    picture,
    result_text,
    speaker,
    start_details,
    start_line,
    thinking,
    with_context,
    words,
)
from ccindex.render.text import count, dollars, duration, flat, preview, printable, second, short, short_line
from ccindex.secrets.masking import Mask

_SUMMARY_CHARS = 100
_FENCE = re.compile("`{3,}")
# HTML elements whose end a reader searches in all that follows
_REACHING = re.compile(r"<(?=/?(?:details|summary|script|style|pre|textarea|title|[!?]))", re.IGNORECASE)
_ESCAPE = r"\\\g<0>"
# characters that mean something in Markdown or HTML
_MARKUP = re.compile(r"([\\`*_\[\]<>#|~&])")
_IN_A_HEADER = re.compile(r"([\\`*\[\]<>&])")


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
            yield ""  # else Markdown joins the two quotations
            depth = new_depth
        quote = "> " * depth
        for line in _item(item, before):
            yield quote + line if line else quote.rstrip()
        before = item if isinstance(item, TranscriptEntry) else None if isinstance(item, LineStart) else before


def _header(page: ExportPage, totals: PathTotals, mask: Mask) -> Iterator[str]:
    path = page.path
    yield "# CLAUDE CODE SESSION TRANSCRIPT"
    yield ""
    yield f"Session ID: {_plain(page.session_id)}"
    if page.agent_id is not None:
        yield f"Agent ID: {_plain(page.agent_id)}"
    yield f"Path: {page.number} of {page.total}"
    yield f"Status: {path.status.upper()}"
    if path.status == "abandoned" and path.fork_uuid is not None:
        yield f"Fork Point: {_plain(path.fork_uuid)}"
    if path.compaction_count:
        yield "**Contains Compact Operation(s)** - Full conversation including compacted segments"
    yield f"Total Messages: {path.entry_count}"
    yield from _totals(totals, mask)


def _plain(value: str) -> str:
    """Return a value on one line, with markup escaped."""
    return _IN_A_HEADER.sub(r"\\\1", flat(value))


def _totals(totals: PathTotals, mask: Mask) -> Iterator[str]:
    if totals.project:
        yield f"Project: {_plain(mask(totals.project))}"
    if totals.first_at is not None:
        yield f"Time: {period(totals.first_at, totals.last_at)} UTC"
    yield f"Tool Calls: {totals.calls}"
    yield f"Responses: {totals.responses}"
    yield f"Output Tokens: {totals.output_tokens}"
    if totals.est_cost_usd is not None:
        yield f"Estimated Cost: {dollars(totals.est_cost_usd)}"


def _item(item: TranscriptItem, before: TranscriptEntry | None) -> Iterator[str]:
    if isinstance(item, LineStart):
        yield from ("", "---", "")
        if item.is_return:
            yield f"*{_escaped(short_line(item.line.line_id))} goes on*"
            return
        yield f"## {_escaped(start_line(item))}"
        yield from ("", f"*{_escaped(start_details(item))}*")
    elif isinstance(item, LineExit | MoreExits):
        yield from ("", f"*↳ {_escaped(exit_line(item))}*")
    elif isinstance(item, TranscriptEntry):
        yield from _entry(item, before)
    else:
        entries = count(item.count, "entry", "entries")
        yield from ("", "---", "", f"*{entries} beside the talk: `ccindex show --all`*")


def _entry(entry: TranscriptEntry, before: TranscriptEntry | None) -> Iterator[str]:
    if entry.label is not None:
        yield from ("", f"### {_escaped(entry.label)}")
        if is_only_label(entry):
            return
    elif not continues_answer(entry, before):
        told = " · ".join(filter(None, (second(entry.at), short(entry.uuid), entry.model)))
        yield from ("", f"### {_escaped(speaker(entry) + marks(entry))}", "", f"*{_escaped(told)}*")
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
        if text := thinking(block, entry):
            yield from _folded("Thinking", [("", text)])
    elif block.type == "image":
        yield from ("", _escaped(picture(block.media_type, block.byte_size)))
    elif block.type == "text":
        yield from _words(block.text or "", entry)
    else:
        yield from _other(block)


def _words(text: str, entry: TranscriptEntry) -> Iterator[str]:
    if is_folded(entry) and text:
        yield from _folded(preview(words(text), _SUMMARY_CHARS), [("", words(text))])
        return
    contexts, rest = with_context(text) if entry.form in CONTEXT_FORMS else ((), words(text))
    for context in contexts:
        yield from ("", f"*{_escaped(context)}*")
    if rest:
        yield ""
        yield from _prose(rest)


def _other(block: ContentBlock) -> Iterator[str]:
    """Yield calls and results of server tools, and blocks without a layout of their own."""
    if is_server_call(block):
        name, given = server_call(block)
        yield from _folded(f"{name}: {call_summary(given)}" if given else name, call_input(given) or [("", given)])
    elif is_server_result(block):
        yield from _folded("Result" + (" (error)" if is_failed(block) else ""), [("", server_result(block))])
    else:
        yield from _folded(block.type or "no type", [("", other_block(block))])


def _notices(entry: TranscriptEntry) -> Iterator[str]:
    """Yield what is said about background tasks, with the reports of subagents."""
    for notice in entry.notices:
        yield from ("", f"*{_escaped(notice_line(notice))}*")
        if text := notice_text(notice):
            yield ""
            yield from _prose(text)


def _prose(text: str) -> Iterator[str]:
    """Yield what was said, which is mostly Markdown, as a quotation that its markup cannot leave."""
    for line in printable(text).split("\n"):
        yield f"> {_REACHING.sub(_ESCAPE, line)}".rstrip()


def _call(block: ContentBlock) -> Iterator[str]:
    answer, mark = block.answer, outcome(block.answer)
    took = duration(answer.duration_ms) if answer is not None and answer.duration_ms is not None else None
    notes = ", ".join(filter(None, (mark, took, answer and answer.set_aside and f"set aside: {answer.set_aside}")))
    summary = f"{block.tool_name or '?'}: {call_summary(block.input)}" + (f" ({notes})" if notes else "")
    texts = call_input(block.input) or [("", block.input or "")]
    results = [] if answer is None else [("Result", result_text(answer))]
    yield from _folded(summary, [*texts, *results])


def _folded(summary: str, texts: list[tuple[str, str]]) -> Iterator[str]:
    """Yield texts that the reader can open, each in a fence longer than any fence in it."""
    yield from ("", f"<details><summary>{html.escape(flat(summary))}</summary>")
    for name, text in texts:
        shown = printable(text)
        fence = "`" * max([3, *(len(found) + 1 for found in _FENCE.findall(shown))])
        yield from ("", f"**{_escaped(name.strip())}:**", "") if name else ("",)
        yield fence
        yield from shown.split("\n")
        yield fence
    yield from ("", "</details>")


def _escaped(text: str) -> str:
    """Return a text on one line with everything escaped that means something in Markdown or HTML."""
    return _MARKUP.sub(r"\\\1", flat(text))
