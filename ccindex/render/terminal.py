"""Format a transcript for the terminal: indented, folded, and wrapped to the terminal width."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from ccindex.query.transcript import (
    THINKING_TYPES,
    ContentBlock,
    HiddenEntries,
    LineExit,
    LineStart,
    MoreExits,
    PairedResult,
    TranscriptEntry,
    TranscriptItem,
)
from ccindex.render.blocks import describe_server_call, is_failed, is_server_call, is_server_result, server_result_text
from ccindex.render.masked_items import mask_item
from ccindex.render.phrases import (
    CONTEXT_FORMS,
    call_input,
    call_summary,
    continues_answer,
    exit_line,
    failure_outcome,
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
    StyledLine,
    cell_width,
    escape_controls,
    format_count,
    format_duration,
    format_second,
    one_line,
    short_id,
    short_line,
    styled_line,
    wrap,
)
from ccindex.secrets.masking import Mask

_FOLDED_LINES = 4  # maximum lines of a result or other folded text
_FOLDED_CHARS = 240  # maximum length of a line in a folded text
_SLOW_MS = 10_000  # the duration of a tool call is shown if it is at least this long
_MIN_COLUMNS = 20
_BULLETS = frozenset("✻⎿●↳┊")

_STYLES = {"You": "bold green", "Claude": "bold magenta", "Tool result": "bold"}


@dataclass(frozen=True, slots=True)
class _Layout:
    """The terminal width (None: no limit), and whether text is shown in full."""

    width: int | None
    is_full: bool


def transcript_lines(
    items: Iterable[TranscriptItem], *, width: int | None, mask: Mask, full: bool = False
) -> Iterator[StyledLine]:
    """Yield the lines of a transcript. Results and long text are folded unless `full` is set."""
    layout = _Layout(width, is_full=full)
    before: TranscriptEntry | None = None
    is_first = True
    for item in (mask_item(item, mask) for item in items):
        if isinstance(item, TranscriptEntry):
            yield from _entry(item, before, layout, is_first=is_first)
            before = item
        elif isinstance(item, LineStart):
            yield from _start(item, layout, is_first=is_first)
            before = None
        elif isinstance(item, LineExit | MoreExits):
            yield from _text(_Text(one_line(f"↳ {exit_line(item)}"), "yellow"), item.depth, layout)
        else:
            yield from _hidden(item)
        is_first = False


def _start(start: LineStart, layout: _Layout, *, is_first: bool) -> Iterator[StyledLine]:
    if not is_first:
        yield _bar(start.depth, "", "")
    if start.is_return:
        yield _bar(start.depth, "bold cyan", one_line(f"== {short_line(start.line.line_id)} continued"))
        return
    yield from _text(_Text(one_line(f"== {start_line(start)}"), "bold cyan", "", hanging="   "), start.depth, layout)
    yield from _text(_Text(one_line(start_details(start)), "dim", indent="   "), start.depth, layout)


def _entry(
    entry: TranscriptEntry, before: TranscriptEntry | None, layout: _Layout, *, is_first: bool
) -> Iterator[StyledLine]:
    if not continues_answer(entry, before):
        if not is_first:
            yield _bar(entry.depth, "", "")
        yield from _heading(entry, layout)
    if entry.label is not None and is_only_label(entry):
        return
    if entry.notices:
        yield from _notices(entry, layout)
        return
    for block in entry.blocks:
        yield from _block(block, entry, layout)
    if has_no_content(entry):
        yield from _text(_Text(own_text(entry), max_lines=_FOLDED_LINES), entry.depth, layout)


def _heading(entry: TranscriptEntry, layout: _Layout) -> Iterator[StyledLine]:
    """Yield the speaker, time, id and model. The model is omitted if the terminal is too narrow."""
    bar = ("dim", "│ " * entry.depth)
    if entry.label is not None:
        yield from _text(
            _Text(one_line(f"──── {entry.label} ──── {short_id(entry.uuid)}"), "bold yellow", ""), entry.depth, layout
        )
        return
    name, notes = one_line(speaker(entry)), heading_notes(entry)
    style = _STYLES.get(name.partition(",")[0], "bold blue" if name.startswith("Agent") else "bold")
    parts = [format_second(entry.timestamp_ms), one_line(short_id(entry.uuid) or ""), one_line(entry.model or "")]
    details = "  ".join(filter(None, parts))
    if layout.width is not None and cell_width(f"{bar[1]}{name}  {details}{notes}") > layout.width:
        details = "  ".join(filter(None, parts[:2]))
    head = (bar, (style, name), ("dim", f"  {details}"))
    if layout.width is None or cell_width(f"{bar[1]}{name}  {details}{notes}") <= layout.width:
        yield StyledLine((*head, ("bold red", notes)))
        return
    yield StyledLine(head)
    yield from _text(_Text(notes.strip(), "bold red"), entry.depth, layout)


def _block(block: ContentBlock, entry: TranscriptEntry, layout: _Layout) -> Iterator[StyledLine]:
    if block.type == "tool_use":
        yield from _call(block, entry.depth, layout)
    elif block.type == "tool_result":
        yield from _result(block, entry.depth, layout, mark="error" if block.is_error else None)
    elif block.type in THINKING_TYPES:
        if text := thinking_text(block, entry):
            yield from _text(_Text(f"✻ {text.strip()}", "dim italic", max_lines=_FOLDED_LINES), entry.depth, layout)
    elif block.type == "image":
        yield from _text(_Text(image_placeholder(block.media_type, block.byte_size)), entry.depth, layout)
    elif is_server_call(block) or is_server_result(block):
        yield from _server_tool(block, entry.depth, layout)
    elif block.type == "text" and entry.form in CONTEXT_FORMS:
        yield from _prompt(block.text or "", entry.depth, layout)
    elif other_block_text(block):
        max_lines = _FOLDED_LINES if block.type != "text" or is_folded(entry) else None
        yield from _text(_Text(other_block_text(block), max_lines=max_lines), entry.depth, layout)


def _prompt(text: str, depth: int, layout: _Layout) -> Iterator[StyledLine]:
    """Yield the context that an editor added, such as open files, and then the text that the user typed."""
    contexts, prompt = split_context(text)
    for context in contexts:
        yield from _text(_Text(f"┊ {context}", "dim", max_lines=1), depth, layout)
    if prompt:
        yield from _text(_Text(prompt), depth, layout)


def _notices(entry: TranscriptEntry, layout: _Layout) -> Iterator[StyledLine]:
    """Yield notices about background tasks, with subagents' reports."""
    for notice in entry.notices:
        yield from _text(_Text(one_line(notice_line(notice)), "yellow"), entry.depth, layout)
        if text := notice_text(notice):
            yield from _text(_Text(text), entry.depth, layout)


def _server_tool(block: ContentBlock, depth: int, layout: _Layout) -> Iterator[StyledLine]:
    if is_server_call(block):
        name, arguments = describe_server_call(block)
        yield from _text(_Text(f"● {name}  {call_summary(arguments)}".rstrip(), "cyan"), depth, layout)
        return
    style = "red" if is_failed(block) else "dim"
    yield from _text(
        _Text(f"⎿ {server_result_text(block)}", style, indent="    ", max_lines=_FOLDED_LINES), depth, layout
    )


def _call(block: ContentBlock, depth: int, layout: _Layout) -> Iterator[StyledLine]:
    yield from _text(_Text(f"● {block.tool_name or '?'}  {call_summary(block.input)}".rstrip(), "cyan"), depth, layout)
    if layout.is_full:
        for key, value in call_input(block.input):
            yield from _text(_Text(f"{key}: {value}", "cyan", indent="      "), depth, layout)
    mark = failure_outcome(block.result)
    if block.result is None:
        yield _bar(depth, "red", f"    ⎿ {mark}")
        return
    yield from _result(block.result, depth, layout, mark=mark)


def _result(
    result: PairedResult | ContentBlock, depth: int, layout: _Layout, *, mark: str | None
) -> Iterator[StyledLine]:
    notes = [mark] if mark else []
    if isinstance(result, PairedResult):
        notes += [f"set aside: {result.set_aside}"] if result.set_aside else []
        notes += [format_duration(result.duration_ms)] if (result.duration_ms or 0) >= _SLOW_MS else []
    lead = f"({', '.join(notes)}) " if notes else ""
    shown = _Text(f"⎿ {lead}{result_text(result)}", "red" if mark else "dim", indent="    ", max_lines=_FOLDED_LINES)
    yield from _text(shown, depth, layout)


class _Text(NamedTuple):
    """Text and its layout. It is folded to `max_lines` lines unless text is shown in full."""

    content: str
    style: str = ""
    indent: str = "  "
    max_lines: int | None = None
    hanging: str | None = None  # indent of all lines but the first; None: aligned with the text of the first line


def _text(text: _Text, depth: int, layout: _Layout) -> Iterator[StyledLine]:
    """Yield the lines of the text. Folded text ends with the number of hidden lines."""
    lines = escape_controls(text.content).expandtabs(4).split("\n")
    is_cut = text.max_lines is not None and not layout.is_full
    shown = lines[: text.max_lines] if is_cut else lines
    bullet = "  " if text.content[:1] in _BULLETS else ""
    hanging = text.indent + bullet if text.hanging is None else text.hanging
    room = None if layout.width is None else max(layout.width - 2 * depth - len(hanging), _MIN_COLUMNS)
    for index, line in enumerate(shown):
        for number, piece in enumerate(wrap(_cut(line, 0 if index else len(bullet)) if is_cut else line, room)):
            yield _bar(depth, text.style, (text.indent if index == number == 0 else hanging) + piece)
    if len(lines) > len(shown):
        yield _bar(depth, "dim", f"{hanging}… {format_count(len(lines) - len(shown), 'more line')} (use --full)")


def _cut(line: str, bullet_chars: int) -> str:
    max_chars = _FOLDED_CHARS + bullet_chars
    if len(line) <= max_chars:
        return line
    return f"{line[:max_chars]}… ({len(line) - max_chars:,} more characters, use --full)"


def _hidden(item: HiddenEntries) -> Iterator[StyledLine]:
    entries = format_count(item.count, "non-conversation entry", "non-conversation entries")
    yield styled_line("", "")
    yield styled_line("dim", f"{entries} hidden (use --all)")


def _bar(depth: int, style: str, text: str) -> StyledLine:
    return StyledLine((("dim", "│ " * depth), (style, escape_controls(text))))
