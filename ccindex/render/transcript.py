"""A transcript as text for a terminal: indented, folded, wrapped to its width."""

import re
import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from ccindex.query.transcript import Answer, Begins, Event, Leaves, LeftOut, Part, Said

from .speech import (
    asked,
    asked_in_full,
    begins_from,
    begins_line,
    goes_on,
    is_folded,
    leaves_line,
    outcome,
    picture,
    result_text,
    speaker,
    words,
)
from .styles import Styled, styled
from .words import cells, chopped, count, duration, flat, printable, second, short, short_line

_FOLDED = 4  # lines of a result, or of what nobody said
_WIDEST = 240  # characters of a folded line
_SLOW_MS = 10_000  # how long a call may take before that is worth telling
_NARROWEST = 20
_WORD = re.compile(r"\s*\S+\s*")
_SIGNS = frozenset("✻⎿●↳")

_STYLES = {"You": "bold green", "Claude": "bold magenta", "Tool result": "bold"}


@dataclass(frozen=True, slots=True)
class Page:
    """How to lay out: the columns there are (None: no end to them), and whether to fold."""

    width: int | None
    is_full: bool


def page_of(events: Iterable[Event], page: Page) -> Iterator[Styled]:
    """Give the lines of a transcript as its events come."""
    before: Said | None = None
    is_first = True
    for event in events:
        if isinstance(event, Said):
            yield from _said(event, before, page, is_first=is_first)
            before = event
        elif isinstance(event, Begins):
            yield from _begins(event, page, is_first=is_first)
            before = None
        elif isinstance(event, Leaves):
            yield from _text(_Text(flat(f"↳ {leaves_line(event)}"), "yellow"), event.depth, page)
        else:
            yield from _left_out(event)
        is_first = False


def _begins(begins: Begins, page: Page, *, is_first: bool) -> Iterator[Styled]:
    if not is_first:
        yield _bar(begins.depth, "", "")
    if begins.is_return:
        yield _bar(begins.depth, "bold cyan", flat(f"== {short_line(begins.line.line_id)} goes on"))
        return
    yield from _text(_Text(flat(f"== {begins_line(begins)}"), "bold cyan", indent=""), begins.depth, page)
    yield from _text(_Text(flat(begins_from(begins)), "dim", indent="   "), begins.depth, page)


def _said(said: Said, before: Said | None, page: Page, *, is_first: bool) -> Iterator[Styled]:
    if not goes_on(said, before):
        if not is_first:
            yield _bar(said.depth, "", "")
        yield _heading(said)
    if said.label is not None:
        return
    for part in said.parts:
        yield from _part(part, said, page)
    if not said.parts and said.spoken.text:
        yield from _text(_Text(words(said.spoken.text), most=_FOLDED), said.depth, page)


def _heading(said: Said) -> Styled:
    spoken = said.spoken
    if said.label is not None:
        return _bar(said.depth, "bold yellow", flat(f"──── {said.label} ──── {short(spoken.uuid)}"))
    who = speaker(said)
    style = _STYLES.get(who, "bold blue" if who.startswith("Agent ") else "bold")
    told = "  ".join(filter(None, (second(spoken.at), short(spoken.uuid), spoken.model)))
    mark = f"  [set aside: {said.set_aside}]" if said.set_aside else ""
    return Styled((("dim", "│ " * said.depth), (style, flat(who)), ("dim", f"  {flat(told)}"), ("bold red", mark)))


def _part(part: Part, said: Said, page: Page) -> Iterator[Styled]:
    if part.type == "tool_use":
        yield from _call(part, said.depth, page)
    elif part.type == "tool_result":
        yield from _result(part, said.depth, page, mark="error" if part.is_error else None)
    elif part.type in ("thinking", "redacted_thinking"):
        text = part.text or "(not recorded)"
        yield from _text(_Text(f"✻ {text.strip()}", "dim italic", most=_FOLDED), said.depth, page)
    elif part.type == "image":
        yield from _text(_Text(picture(part.media_type, part.byte_size)), said.depth, page)
    else:
        shown = words(part.text) if part.text else f"[{part.type}]"
        yield from _text(_Text(shown, most=_FOLDED if is_folded(said) else None), said.depth, page)


def _call(part: Part, depth: int, page: Page) -> Iterator[Styled]:
    yield from _text(_Text(f"● {part.tool_name or '?'}  {asked(part.input)}".rstrip(), "cyan"), depth, page)
    if page.is_full:
        for key, value in asked_in_full(part.input):
            yield from _text(_Text(f"{key}: {value}", "cyan", indent="      "), depth, page)
    mark = outcome(part.answer)
    if part.answer is None:
        yield _bar(depth, "red", f"    ⎿ {mark}")
        return
    yield from _result(part.answer, depth, page, mark=mark)


def _result(answer: Answer | Part, depth: int, page: Page, *, mark: str | None) -> Iterator[Styled]:
    told = [mark] if mark else []
    if isinstance(answer, Answer):
        told += [f"set aside: {answer.set_aside}"] if answer.set_aside else []
        told += [duration(answer.took_ms)] if (answer.took_ms or 0) >= _SLOW_MS else []
    lead = f"({', '.join(told)}) " if told else ""
    shown = _Text(f"⎿ {lead}{result_text(answer)}", "red" if mark else "dim", indent="    ", most=_FOLDED)
    yield from _text(shown, depth, page)


class _Text(NamedTuple):
    """What is to be laid out; `most`: so many lines of it unless it shall be in full."""

    words: str
    style: str = ""
    indent: str = "  "
    most: int | None = None


def _text(text: _Text, depth: int, page: Page) -> Iterator[Styled]:
    """Lines of a text; where only the beginning is wanted, how many more there are."""
    lines = printable(text.words).expandtabs(4).split("\n")
    is_cut = text.most is not None and not page.is_full
    shown = lines[: text.most] if is_cut else lines
    sign = "  " if text.words[:1] in _SIGNS else ""
    hanging = text.indent + sign
    room = None if page.width is None else max(page.width - 2 * depth - len(hanging), _NARROWEST)
    for place, line in enumerate(shown):
        for number, piece in enumerate(_wrapped(_cut(line, 0 if place else len(sign)) if is_cut else line, room)):
            yield _bar(depth, text.style, (text.indent if place == number == 0 else hanging) + piece)
    if len(lines) > len(shown):
        yield _bar(depth, "dim", f"{hanging}… {count(len(lines) - len(shown), 'more line')}: --full")


def _cut(line: str, lead: int) -> str:
    most = _WIDEST + lead
    if len(line) <= most:
        return line
    return f"{line[:most]}… ({len(line) - most:,} more characters: --full)"


def _wrapped(line: str, room: int | None) -> list[str]:
    if room is None or cells(line) <= room:
        return [line]
    lead = line[: len(line) - len(line.lstrip())][: room // 2]
    if line.isascii():
        return textwrap.wrap(line, room, subsequent_indent=lead, break_on_hyphens=False) or [""]
    return _wrapped_by_cells(line, room, lead)


def _wrapped_by_cells(line: str, room: int, lead: str) -> list[str]:
    """Lines of words whose signs may take two columns each, or none."""
    rows, row = [], ""
    for word in _WORD.findall(line):
        if cells(row + word.rstrip()) <= room:
            row += word
            continue
        *whole, last = chopped(word, room - len(lead))
        rows += [row.rstrip(), *(lead + piece for piece in whole)] if row.strip() else [lead + piece for piece in whole]
        row = lead + last
    return [*rows, row.rstrip()]


def _left_out(event: LeftOut) -> Iterator[Styled]:
    entries = count(event.count, "entry", "entries")
    verb = "is" if event.count == 1 else "are"
    yield styled("", "")
    yield styled("dim", f"({entries} beside the talk {verb} left out: --all)")


def _bar(depth: int, style: str, text: str) -> Styled:
    return Styled((("dim", "│ " * depth), (style, printable(text))))
