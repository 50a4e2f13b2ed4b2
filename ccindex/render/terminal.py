"""Items of a transcript to lines for a terminal: indented, folded, wrapped to its width."""

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
    ToolAnswer,
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
    picture,
    result_text,
    speaker,
    start_details,
    start_line,
    thinking,
    with_context,
)
from ccindex.render.text import (
    StyledLine,
    cells,
    count,
    duration,
    flat,
    printable,
    second,
    short,
    short_line,
    styled,
    wrapped,
)
from ccindex.secrets.masking import Mask

_FOLDED_LINES = 4  # of a result, or of text that nobody said
_FOLDED_CHARS = 240  # of a folded line
_SLOW_MS = 10_000  # duration from which on a call's duration is shown
_MIN_COLUMNS = 20
_SIGNS = frozenset("✻⎿●↳┊")

_STYLES = {"You": "bold green", "Claude": "bold magenta", "Tool result": "bold"}


@dataclass(frozen=True, slots=True)
class _Layout:
    """The columns of the terminal (None: no limit), and whether texts are shown in full."""

    width: int | None
    is_full: bool


def transcript_lines(
    items: Iterable[TranscriptItem], *, width: int | None, mask: Mask, full: bool = False
) -> Iterator[StyledLine]:
    """Yield the lines of a transcript as its items come; results and long texts are folded unless with `full`."""
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
            yield from _text(_Text(flat(f"↳ {exit_line(item)}"), "yellow"), item.depth, layout)
        else:
            yield from _hidden(item)
        is_first = False


def _start(start: LineStart, layout: _Layout, *, is_first: bool) -> Iterator[StyledLine]:
    if not is_first:
        yield _bar(start.depth, "", "")
    if start.is_return:
        yield _bar(start.depth, "bold cyan", flat(f"== {short_line(start.line.line_id)} goes on"))
        return
    yield from _text(_Text(flat(f"== {start_line(start)}"), "bold cyan", "", hanging="   "), start.depth, layout)
    yield from _text(_Text(flat(start_details(start)), "dim", indent="   "), start.depth, layout)


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
        yield from _text(_Text(own_text(entry), most=_FOLDED_LINES), entry.depth, layout)


def _heading(entry: TranscriptEntry, layout: _Layout) -> Iterator[StyledLine]:
    """Yield speaker, time, id and model; the model is left out first on a narrow terminal."""
    bar = ("dim", "│ " * entry.depth)
    if entry.label is not None:
        yield from _text(
            _Text(flat(f"──── {entry.label} ──── {short(entry.uuid)}"), "bold yellow", ""), entry.depth, layout
        )
        return
    who, odd = flat(speaker(entry)), marks(entry)
    style = _STYLES.get(who.partition(",")[0], "bold blue" if who.startswith("Agent") else "bold")
    parts = [second(entry.at), flat(short(entry.uuid) or ""), flat(entry.model or "")]
    details = "  ".join(filter(None, parts))
    if layout.width is not None and cells(f"{bar[1]}{who}  {details}{odd}") > layout.width:
        details = "  ".join(filter(None, parts[:2]))
    head = (bar, (style, who), ("dim", f"  {details}"))
    if layout.width is None or cells(f"{bar[1]}{who}  {details}{odd}") <= layout.width:
        yield StyledLine((*head, ("bold red", odd)))
        return
    yield StyledLine(head)
    yield from _text(_Text(odd.strip(), "bold red"), entry.depth, layout)


def _block(block: ContentBlock, entry: TranscriptEntry, layout: _Layout) -> Iterator[StyledLine]:
    if block.type == "tool_use":
        yield from _call(block, entry.depth, layout)
    elif block.type == "tool_result":
        yield from _result(block, entry.depth, layout, mark="error" if block.is_error else None)
    elif block.type in THINKING_TYPES:
        if text := thinking(block, entry):
            yield from _text(_Text(f"✻ {text.strip()}", "dim italic", most=_FOLDED_LINES), entry.depth, layout)
    elif block.type == "image":
        yield from _text(_Text(picture(block.media_type, block.byte_size)), entry.depth, layout)
    elif is_server_call(block) or is_server_result(block):
        yield from _server_tool(block, entry.depth, layout)
    elif block.type == "text" and entry.form in CONTEXT_FORMS:
        yield from _prompt(block.text or "", entry.depth, layout)
    elif other_block(block):
        is_odd = block.type != "text"
        yield from _text(
            _Text(other_block(block), most=_FOLDED_LINES if is_odd or is_folded(entry) else None), entry.depth, layout
        )


def _prompt(text: str, depth: int, layout: _Layout) -> Iterator[StyledLine]:
    """Yield what an editor said about open files and selections, then the words of the person."""
    contexts, words = with_context(text)
    for context in contexts:
        yield from _text(_Text(f"┊ {context}", "dim", most=1), depth, layout)
    if words:
        yield from _text(_Text(words), depth, layout)


def _notices(entry: TranscriptEntry, layout: _Layout) -> Iterator[StyledLine]:
    """Yield what is said about background tasks, with the reports of subagents."""
    for notice in entry.notices:
        yield from _text(_Text(flat(notice_line(notice)), "yellow"), entry.depth, layout)
        if text := notice_text(notice):
            yield from _text(_Text(text), entry.depth, layout)


def _server_tool(block: ContentBlock, depth: int, layout: _Layout) -> Iterator[StyledLine]:
    if is_server_call(block):
        name, given = server_call(block)
        yield from _text(_Text(f"● {name}  {call_summary(given)}".rstrip(), "cyan"), depth, layout)
        return
    style = "red" if is_failed(block) else "dim"
    yield from _text(_Text(f"⎿ {server_result(block)}", style, indent="    ", most=_FOLDED_LINES), depth, layout)


def _call(block: ContentBlock, depth: int, layout: _Layout) -> Iterator[StyledLine]:
    yield from _text(_Text(f"● {block.tool_name or '?'}  {call_summary(block.input)}".rstrip(), "cyan"), depth, layout)
    if layout.is_full:
        for key, value in call_input(block.input):
            yield from _text(_Text(f"{key}: {value}", "cyan", indent="      "), depth, layout)
    mark = outcome(block.answer)
    if block.answer is None:
        yield _bar(depth, "red", f"    ⎿ {mark}")
        return
    yield from _result(block.answer, depth, layout, mark=mark)


def _result(
    answer: ToolAnswer | ContentBlock, depth: int, layout: _Layout, *, mark: str | None
) -> Iterator[StyledLine]:
    notes = [mark] if mark else []
    if isinstance(answer, ToolAnswer):
        notes += [f"set aside: {answer.set_aside}"] if answer.set_aside else []
        notes += [duration(answer.duration_ms)] if (answer.duration_ms or 0) >= _SLOW_MS else []
    lead = f"({', '.join(notes)}) " if notes else ""
    shown = _Text(f"⎿ {lead}{result_text(answer)}", "red" if mark else "dim", indent="    ", most=_FOLDED_LINES)
    yield from _text(shown, depth, layout)


class _Text(NamedTuple):
    """A text and its layout; `most`: the number of lines that are shown unless in full."""

    words: str
    style: str = ""
    indent: str = "  "
    most: int | None = None
    hanging: str | None = None  # indent of all lines but the first; None: as far as the words of the first


def _text(text: _Text, depth: int, layout: _Layout) -> Iterator[StyledLine]:
    """Yield the lines of a text; if it is folded, the first ones and the number of the others."""
    lines = printable(text.words).expandtabs(4).split("\n")
    is_cut = text.most is not None and not layout.is_full
    shown = lines[: text.most] if is_cut else lines
    sign = "  " if text.words[:1] in _SIGNS else ""
    hanging = text.indent + sign if text.hanging is None else text.hanging
    room = None if layout.width is None else max(layout.width - 2 * depth - len(hanging), _MIN_COLUMNS)
    for place, line in enumerate(shown):
        for number, piece in enumerate(wrapped(_cut(line, 0 if place else len(sign)) if is_cut else line, room)):
            yield _bar(depth, text.style, (text.indent if place == number == 0 else hanging) + piece)
    if len(lines) > len(shown):
        yield _bar(depth, "dim", f"{hanging}… {count(len(lines) - len(shown), 'more line')}: --full")


def _cut(line: str, lead: int) -> str:
    most = _FOLDED_CHARS + lead
    if len(line) <= most:
        return line
    return f"{line[:most]}… ({len(line) - most:,} more characters: --full)"


def _hidden(item: HiddenEntries) -> Iterator[StyledLine]:
    entries = count(item.count, "entry", "entries")
    verb = "is" if item.count == 1 else "are"
    yield styled("", "")
    yield styled("dim", f"({entries} beside the talk {verb} left out: --all)")


def _bar(depth: int, style: str, text: str) -> StyledLine:
    return StyledLine((("dim", "│ " * depth), (style, printable(text))))
