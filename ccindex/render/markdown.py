"""A conversation path as a Markdown page: its header, then the talk, calls folded away with their results."""

import html
import re
import sqlite3
from collections.abc import Iterator

from ccindex.query.export import Transcript
from ccindex.query.ids import Named
from ccindex.query.paths import PathTotals, path_totals
from ccindex.query.reading import Agents, Manner
from ccindex.query.transcript import Begins, Event, Leaves, Part, Said, transcript_of

from .speech import (
    asked,
    asked_in_full,
    begins_from,
    begins_line,
    goes_on,
    is_folded,
    leaves_line,
    outcome,
    period,
    picture,
    result_text,
    speaker,
    words,
)
from .words import count, dollars, duration, flat, preview, printable, second, short, short_line

_SUMMARY = 100
_FENCE = re.compile("`{3,}")
_FENCED = re.compile(r" {0,3}(`{3,}|~{3,})")
_REACHING = re.compile(r"<(?=/?(?:details|summary|script|style|pre|textarea|!--|!\[CDATA\[|\?))", re.IGNORECASE)
# what Markdown would take for its own at the start of a line, or HTML anywhere
_MARKUP = re.compile(r"([\\`*_\[\]<>#|~])")


def markdown(connection: sqlite3.Connection, transcript: Transcript) -> Iterator[str]:
    """Give the lines of a page."""
    yield from _header(connection, transcript)
    manner = Manner(Agents.INSIDE if transcript.agents else Agents.SKIPPED)
    before: Said | None = None
    depth = 0
    for event in transcript_of(connection, Named("path", transcript.path.path_id), manner):
        if isinstance(event, Begins | Said | Leaves) and event.depth != depth:
            yield ""  # else Markdown takes the one quotation for a part of the other
            depth = event.depth
        quote = "> " * depth
        for line in _event(event, before):
            yield quote + line if line else quote.rstrip()
        before = event if isinstance(event, Said) else None if isinstance(event, Begins) else before


def _header(connection: sqlite3.Connection, transcript: Transcript) -> Iterator[str]:
    path = transcript.path
    yield "# CLAUDE CODE SESSION TRANSCRIPT"
    yield ""
    yield f"Session ID: {printable(transcript.session_id)}"
    yield f"Path: {transcript.number} of {transcript.total}"
    yield f"Status: {path.status.upper()}"
    if path.status == "abandoned" and path.fork_uuid is not None:
        yield f"Fork Point: {printable(path.fork_uuid)}"
    if path.compaction_count:
        yield "**Contains Compact Operation(s)** - Full conversation including compacted segments"
    yield f"Total Messages: {path.entry_count}"
    yield from _totals(path_totals(connection, path))


def _totals(totals: PathTotals) -> Iterator[str]:
    """What the path took, without its subagents."""
    if totals.project:
        yield f"Project: {printable(totals.project)}"
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
    elif isinstance(event, Leaves):
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
        return
    if not goes_on(said, before):
        mark = f" [set aside: {said.set_aside}]" if said.set_aside else ""
        told = " · ".join(filter(None, (second(spoken.at), short(spoken.uuid), spoken.model)))
        yield from ("", f"### {_escaped(speaker(said) + mark)}", "", f"*{_escaped(told)}*")
    for part in said.parts:
        yield from _part(part, said)
    if not said.parts and spoken.text:
        yield from _folded(speaker(said), [("", words(spoken.text))])


def _part(part: Part, said: Said) -> Iterator[str]:
    if part.type == "tool_use":
        yield from _call(part)
    elif part.type == "tool_result":
        yield from _folded("Result" + (" (error)" if part.is_error else ""), [("", result_text(part))])
    elif part.type in ("thinking", "redacted_thinking"):
        yield from _folded("Thinking", [("", part.text or "(not recorded)")])
    elif part.type == "image":
        yield from ("", _escaped(picture(part.media_type, part.byte_size)))
    elif is_folded(said) and part.text:
        yield from _folded(preview(words(part.text), _SUMMARY), [("", words(part.text))])
    else:
        yield ""
        yield from _prose(words(part.text) if part.text else f"[{part.type}]")


def _prose(text: str) -> Iterator[str]:
    """What was said: Markdown mostly, so that it stands as it was said, but cannot reach beyond its own end."""
    fence = ""
    for line in printable(text).split("\n"):
        found = _FENCED.match(line)
        if found and not fence:
            fence = found[1]
        elif found and found[1].startswith(fence) and not line.strip().strip(fence[0]):
            fence = ""
        yield line if fence else _REACHING.sub(r"\\\g<0>", line)
    if fence:
        yield fence


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
        yield from ("", f"{_escaped(name)}:", "") if name else ("",)
        yield fence
        yield from shown.split("\n")
        yield fence
    yield from ("", "</details>")


def _escaped(text: str) -> str:
    """Text that says what it says, whatever Markdown and HTML make of its signs."""
    return _MARKUP.sub(r"\\\1", flat(text))
