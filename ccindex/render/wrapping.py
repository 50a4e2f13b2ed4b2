"""A line of text to lines that fit a width, by the columns that its signs take."""

import re
import textwrap

from .words import cells, chopped

_LONG = 20_000  # beyond which textwrap takes its time: it copies the rest for every line
_NARROWEST = 20
_WORD = re.compile(r"\s*\S+\s*")


def wrapped(line: str, room: int | None) -> list[str]:
    """Lines of at most so many columns; what follows the first is indented as that is."""
    if room is None or cells(line) <= room:
        return [line]
    lead = line[: len(line) - len(line.lstrip())][: room // 2]
    if line.isascii() and len(line) < _LONG:
        return textwrap.wrap(line, room, subsequent_indent=lead, break_on_hyphens=False) or [""]
    return _by_cells(line, room, lead)


def hanging(label: str, text: str, width: int | None, *, below: str | None = None) -> list[str]:
    """A label and a text beside it, what does not fit below the text's beginning; `below`: behind that, not blanks."""
    room = None if width is None else max(width - cells(label), _NARROWEST)
    first, *more = wrapped(text, room)
    start = " " * cells(label) if below is None else below
    return [label + first, *(start + line for line in more)]


def _by_cells(line: str, room: int, lead: str) -> list[str]:
    """Lines of words whose signs may take two columns each, or none."""
    rows, row = [], ""
    for word in _WORD.findall(line):
        if cells(row + word.rstrip()) <= room:
            row += word
            continue
        *whole, last = chopped(word, room - len(lead))
        rows += [row.rstrip()] if row.strip() else []
        rows += [lead + piece for piece in whole]
        row = lead + last
    return [*rows, row.rstrip()]
