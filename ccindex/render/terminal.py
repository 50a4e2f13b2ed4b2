"""A transcript as text for a terminal: indented, folded, wrapped to its width."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from ccindex.query.transcript import THINKING, Answer, Begins, Event, Leaves, LeftOut, MoreLeave, Part, Said
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
    picture,
    report_line,
    report_text,
    result_text,
    speaker,
    thinking,
    with_context,
)
from ccindex.render.text import (
    Styled,
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

_FOLDED = 4  # lines of a result, or of what nobody said
_WIDEST = 240  # characters of a folded line
_SLOW_MS = 10_000  # how long a call may take before that is worth telling
_NARROWEST = 20
_SIGNS = frozenset("✻⎿●↳┊")

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
        elif isinstance(event, Leaves | MoreLeave):
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
    yield from _text(_Text(flat(f"== {begins_line(begins)}"), "bold cyan", "", hanging="   "), begins.depth, page)
    yield from _text(_Text(flat(begins_from(begins)), "dim", indent="   "), begins.depth, page)


def _said(said: Said, before: Said | None, page: Page, *, is_first: bool) -> Iterator[Styled]:
    if not goes_on(said, before):
        if not is_first:
            yield _bar(said.depth, "", "")
        yield from _heading(said, page)
    if said.label is not None and is_all(said):
        return
    if said.reports:
        yield from _reports(said, page)
        return
    for part in said.parts:
        yield from _part(part, said, page)
    if is_bare(said):
        yield from _text(_Text(beside(said), most=_FOLDED), said.depth, page)


def _heading(said: Said, page: Page) -> Iterator[Styled]:
    """Who speaks, when, and where that can be looked up; on a narrow terminal the model says least."""
    spoken, bar = said.spoken, ("dim", "│ " * said.depth)
    if said.label is not None:
        yield from _text(
            _Text(flat(f"──── {said.label} ──── {short(spoken.uuid)}"), "bold yellow", ""), said.depth, page
        )
        return
    who, odd = flat(speaker(said)), marks(said)
    style = _STYLES.get(who.partition(",")[0], "bold blue" if who.startswith("Agent") else "bold")
    parts = [second(spoken.at), flat(short(spoken.uuid) or ""), flat(spoken.model or "")]
    told = "  ".join(filter(None, parts))
    if page.width is not None and cells(f"{bar[1]}{who}  {told}{odd}") > page.width:
        told = "  ".join(filter(None, parts[:2]))
    head = (bar, (style, who), ("dim", f"  {told}"))
    if page.width is None or cells(f"{bar[1]}{who}  {told}{odd}") <= page.width:
        yield Styled((*head, ("bold red", odd)))
        return
    yield Styled(head)
    yield from _text(_Text(odd.strip(), "bold red"), said.depth, page)


def _part(part: Part, said: Said, page: Page) -> Iterator[Styled]:
    if part.type == "tool_use":
        yield from _call(part, said.depth, page)
    elif part.type == "tool_result":
        yield from _result(part, said.depth, page, mark="error" if part.is_error else None)
    elif part.type in THINKING:
        if text := thinking(part, said):
            yield from _text(_Text(f"✻ {text.strip()}", "dim italic", most=_FOLDED), said.depth, page)
    elif part.type == "image":
        yield from _text(_Text(picture(part.media_type, part.byte_size)), said.depth, page)
    elif is_server_call(part) or is_server_result(part):
        yield from _server_tool(part, said.depth, page)
    elif part.type == "text" and said.spoken.form in CONTEXTUAL:
        yield from _prompt(part.text or "", said.depth, page)
    elif other(part):
        is_odd = part.type != "text"
        yield from _text(_Text(other(part), most=_FOLDED if is_odd or is_folded(said) else None), said.depth, page)


def _prompt(text: str, depth: int, page: Page) -> Iterator[Styled]:
    """The words of a person, after what the editor said of open files and selections."""
    contexts, words = with_context(text)
    for context in contexts:
        yield from _text(_Text(f"┊ {context}", "dim", most=1), depth, page)
    if words:
        yield from _text(_Text(words), depth, page)


def _reports(said: Said, page: Page) -> Iterator[Styled]:
    """Background tasks and their reports, each with the subagent that made it."""
    for report in said.reports:
        yield from _text(_Text(flat(report_line(report)), "yellow"), said.depth, page)
        if text := report_text(report):
            yield from _text(_Text(text), said.depth, page)


def _server_tool(part: Part, depth: int, page: Page) -> Iterator[Styled]:
    if is_server_call(part):
        name, given = server_call(part)
        yield from _text(_Text(f"● {name}  {asked(given)}".rstrip(), "cyan"), depth, page)
        return
    style = "red" if is_failed(part) else "dim"
    yield from _text(_Text(f"⎿ {server_result(part)}", style, indent="    ", most=_FOLDED), depth, page)


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
    hanging: str | None = None  # of all lines but the first; None: as far in as the words of that


def _text(text: _Text, depth: int, page: Page) -> Iterator[Styled]:
    """Lines of a text; where only the beginning is wanted, how many more there are."""
    lines = printable(text.words).expandtabs(4).split("\n")
    is_cut = text.most is not None and not page.is_full
    shown = lines[: text.most] if is_cut else lines
    sign = "  " if text.words[:1] in _SIGNS else ""
    hanging = text.indent + sign if text.hanging is None else text.hanging
    room = None if page.width is None else max(page.width - 2 * depth - len(hanging), _NARROWEST)
    for place, line in enumerate(shown):
        for number, piece in enumerate(wrapped(_cut(line, 0 if place else len(sign)) if is_cut else line, room)):
            yield _bar(depth, text.style, (text.indent if place == number == 0 else hanging) + piece)
    if len(lines) > len(shown):
        yield _bar(depth, "dim", f"{hanging}… {count(len(lines) - len(shown), 'more line')}: --full")


def _cut(line: str, lead: int) -> str:
    most = _WIDEST + lead
    if len(line) <= most:
        return line
    return f"{line[:most]}… ({len(line) - most:,} more characters: --full)"


def _left_out(event: LeftOut) -> Iterator[Styled]:
    entries = count(event.count, "entry", "entries")
    verb = "is" if event.count == 1 else "are"
    yield styled("", "")
    yield styled("dim", f"({entries} beside the talk {verb} left out: --all)")


def _bar(depth: int, style: str, text: str) -> Styled:
    return Styled((("dim", "│ " * depth), (style, printable(text))))
