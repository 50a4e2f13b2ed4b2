"""A conversation path as a Markdown page: its header, then the talk, calls folded away with their results."""

import html
import re
import sqlite3
from collections.abc import Iterator

from ccindex.query.export_plan import Transcript
from ccindex.query.ids import Named
from ccindex.query.paths import PathTotals, path_totals
from ccindex.query.reading_order import Agents, Manner, Tree
from ccindex.query.transcript import THINKING, Begins, Event, Leaves, LeftOut, MoreLeave, Part, Said, transcript_of
from ccindex.render.blocks import is_failed, is_server_call, is_server_result, server_call, server_result
from ccindex.render.phrases import (
    CONTEXTUAL,
    asked,
    asked_in_full,
    begins_from,
    begins_line,
    beside,
    goes_on,
    is_all,
    is_bare,
    is_folded,
    leaves_line,
    marks,
    other,
    outcome,
    period,
    picture,
    report_line,
    report_text,
    result_text,
    speaker,
    thinking,
    with_context,
    words,
)
from ccindex.render.text import count, dollars, duration, flat, preview, printable, second, short, short_line

_SUMMARY = 100
_FENCE = re.compile("`{3,}")
# HTML whose end is looked for wherever it may be
_REACHING = re.compile(r"<(?=/?(?:details|summary|script|style|pre|textarea|title|[!?]))", re.IGNORECASE)
_ESCAPE = r"\\\g<0>"
# what Markdown or HTML would take for its own
_MARKUP = re.compile(r"([\\`*_\[\]<>#|~&])")
_IN_A_HEADER = re.compile(r"([\\`*\[\]<>&])")


def markdown(connection: sqlite3.Connection, transcript: Transcript, tree: Tree | None = None) -> Iterator[str]:
    """Give the lines of a page; the tree is that of the session in which the path ends, if it is known."""
    yield from _header(connection, transcript)
    manner = Manner(Agents.INSIDE if transcript.agents else Agents.SKIPPED)
    before: Said | None = None
    depth = 0
    for event in transcript_of(connection, Named("path", transcript.path.path_id), manner, tree=tree):
        deep = 0 if isinstance(event, LeftOut) else event.depth
        if deep != depth:
            yield ""  # else Markdown takes the one quotation for a part of the other
            depth = deep
        quote = "> " * depth
        for line in _event(event, before):
            yield quote + line if line else quote.rstrip()
        before = event if isinstance(event, Said) else None if isinstance(event, Begins) else before


def _header(connection: sqlite3.Connection, transcript: Transcript) -> Iterator[str]:
    path = transcript.path
    yield "# CLAUDE CODE SESSION TRANSCRIPT"
    yield ""
    yield f"Session ID: {_plain(transcript.session_id)}"
    if transcript.agent_id is not None:
        yield f"Agent ID: {_plain(transcript.agent_id)}"
    yield f"Path: {transcript.number} of {transcript.total}"
    yield f"Status: {path.status.upper()}"
    if path.status == "abandoned" and path.fork_uuid is not None:
        yield f"Fork Point: {_plain(path.fork_uuid)}"
    if path.compaction_count:
        yield "**Contains Compact Operation(s)** - Full conversation including compacted segments"
    yield f"Total Messages: {path.entry_count}"
    yield from _totals(path_totals(connection, path))


def _plain(value: str) -> str:
    """A value on one line, as it is unless Markdown would make something else of it."""
    return _IN_A_HEADER.sub(r"\\\1", flat(value))


def _totals(totals: PathTotals) -> Iterator[str]:
    """What the path took, without its subagents."""
    if totals.project:
        yield f"Project: {_plain(totals.project)}"
    if totals.first_at is not None:
        yield f"Time: {period(totals.first_at, totals.last_at)} UTC"
    yield f"Tool Calls: {totals.calls}"
    yield f"Responses: {totals.responses}"
    yield f"Output Tokens: {totals.output_tokens}"
    if totals.est_cost_usd is not None:
        yield f"Estimated Cost: {dollars(totals.est_cost_usd)}"


def _event(event: Event, before: Said | None) -> Iterator[str]:
    if isinstance(event, Begins):
        yield from ("", "---", "")
        if event.is_return:
            yield f"*{_escaped(short_line(event.line.line_id))} goes on*"
            return
        yield f"## {_escaped(begins_line(event))}"
        yield from ("", f"*{_escaped(begins_from(event))}*")
    elif isinstance(event, Leaves | MoreLeave):
        yield from ("", f"*↳ {_escaped(leaves_line(event))}*")
    elif isinstance(event, Said):
        yield from _said(event, before)
    else:
        entries = count(event.count, "entry", "entries")
        yield from ("", "---", "", f"*{entries} beside the talk: `ccindex show --all`*")


def _said(said: Said, before: Said | None) -> Iterator[str]:
    spoken = said.spoken
    if said.label is not None:
        yield from ("", f"### {_escaped(said.label)}")
        if is_all(said):
            return
    elif not goes_on(said, before):
        told = " · ".join(filter(None, (second(spoken.at), short(spoken.uuid), spoken.model)))
        yield from ("", f"### {_escaped(speaker(said) + marks(said))}", "", f"*{_escaped(told)}*")
    if said.reports:
        yield from _reports(said)
        return
    for part in said.parts:
        yield from _part(part, said)
    if is_bare(said):
        yield from _folded(preview(beside(said), _SUMMARY), [("", beside(said))])


def _part(part: Part, said: Said) -> Iterator[str]:
    if part.type == "tool_use":
        yield from _call(part)
    elif part.type == "tool_result":
        yield from _folded("Result" + (" (error)" if part.is_error else ""), [("", result_text(part))])
    elif part.type in THINKING:
        if text := thinking(part, said):
            yield from _folded("Thinking", [("", text)])
    elif part.type == "image":
        yield from ("", _escaped(picture(part.media_type, part.byte_size)))
    elif part.type == "text":
        yield from _words(part.text or "", said)
    else:
        yield from _other(part)


def _words(text: str, said: Said) -> Iterator[str]:
    if is_folded(said) and text:
        yield from _folded(preview(words(text), _SUMMARY), [("", words(text))])
        return
    contexts, rest = with_context(text) if said.spoken.form in CONTEXTUAL else ((), words(text))
    for context in contexts:
        yield from ("", f"*{_escaped(context)}*")
    if rest:
        yield ""
        yield from _prose(rest)


def _other(part: Part) -> Iterator[str]:
    """Server tools, and blocks without a layout of their own."""
    if is_server_call(part):
        name, given = server_call(part)
        yield from _folded(f"{name}: {asked(given)}" if given else name, asked_in_full(given) or [("", given)])
    elif is_server_result(part):
        yield from _folded("Result" + (" (error)" if is_failed(part) else ""), [("", server_result(part))])
    else:
        yield from _folded(part.type or "no type", [("", other(part))])


def _reports(said: Said) -> Iterator[str]:
    """Background tasks and their reports."""
    for report in said.reports:
        yield from ("", f"*{_escaped(report_line(report))}*")
        if text := report_text(report):
            yield ""
            yield from _prose(text)


def _prose(text: str) -> Iterator[str]:
    """What was said: Markdown mostly, so that it stands as it was said, in a quotation beyond which it cannot reach."""
    for line in printable(text).split("\n"):
        yield f"> {_REACHING.sub(_ESCAPE, line)}".rstrip()


def _call(part: Part) -> Iterator[str]:
    answer, mark = part.answer, outcome(part.answer)
    took = duration(answer.took_ms) if answer is not None and answer.took_ms is not None else None
    notes = ", ".join(filter(None, (mark, took, answer and answer.set_aside and f"set aside: {answer.set_aside}")))
    summary = f"{part.tool_name or '?'}: {asked(part.input)}" + (f" ({notes})" if notes else "")
    texts = asked_in_full(part.input) or [("", part.input or "")]
    results = [] if answer is None else [("Result", result_text(answer))]
    yield from _folded(summary, [*texts, *results])


def _folded(summary: str, texts: list[tuple[str, str]]) -> Iterator[str]:
    """Texts that a reader opens if he wants to, each in a fence longer than any in it."""
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
    """Text that says what it says, whatever Markdown and HTML make of its signs."""
    return _MARKUP.sub(r"\\\1", flat(text))
