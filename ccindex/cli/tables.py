"""Tables for people: as wide as the terminal, the less important columns given up first."""

import os
import shutil
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from ccindex.cli.output import say_styled
from ccindex.render.text import Styled, ago, cells, chopped, flat, minute
from ccindex.secrets.masking import masked

_BETWEEN = 3  # blanks between two columns
_LEAST = 12  # of a flexible column
_LEGIBLE = 5  # of any column: with less, rows are written as records
_NARROWEST = 40  # of a terminal that we lay out for


@dataclass(frozen=True, slots=True)
class Column:
    """A heading; a flexible column is cut to what is left, and one is left out on terminals narrower than `since`.

    No column of a terminal gets more than `widest`. Of a path the end says more than the beginning.
    Numbers stand at the right, also where they are texts.
    """

    title: str
    is_flexible: bool = False
    since: int = 0
    widest: int | None = None
    is_path: bool = False
    is_number: bool = False
    style: str = ""


def terminal_width() -> int | None:
    """The columns of the terminal that answers are printed on, or that COLUMNS asks for; None: no end to them."""
    is_asked_for = os.environ.get("COLUMNS", "").isdecimal()
    return max(shutil.get_terminal_size().columns, _NARROWEST) if is_asked_for or sys.stdout.isatty() else None


def moment(at_ms: int | None) -> str:
    """An instant as a table shows it: on a terminal how long ago, else the minute."""
    return ago(at_ms, time.time_ns() // 1_000_000) if sys.stdout.isatty() else minute(at_ms)


def show_table(
    columns: Sequence[Column | str], rows: Iterable[Sequence[Any]], *, totals: Sequence[Any] = (), raw: bool = False
) -> None:
    """Print a table, cut to the terminal's width if there is one; totals stand below a second rule.

    Unless it shall be raw, secrets are masked before anything is cut.
    """
    width = terminal_width()
    named = [column if isinstance(column, Column) else Column(_shown(column, raw=raw)) for column in columns]
    places = [place for place, column in enumerate(named) if width is None or column.since <= width]
    kept = [named[place] for place in places]
    grid = [
        [_cell(row[place], named[place], raw=raw) for place in places] for row in (*rows, *([totals] if totals else []))
    ]
    if width is not None and len(kept) * (_LEGIBLE + _BETWEEN) > width:
        say_styled(_records(kept, grid, width))
    else:
        say_styled(_drawn(kept, grid, width, has_totals=bool(totals)))


class _Cell(NamedTuple):
    """Text on one line, and on which side it stands."""

    text: str
    is_number: bool


def _cell(value: Any, column: Column, *, raw: bool) -> _Cell:
    text = "" if value is None else value.hex() if isinstance(value, bytes) else _shown(str(value), raw=raw)
    return _Cell(flat(text), column.is_number or isinstance(value, int | float))


def _shown(text: str, *, raw: bool) -> str:
    return text if raw else masked(text)


def _drawn(
    columns: Sequence[Column], rows: Sequence[Sequence[_Cell]], width: int | None, *, has_totals: bool
) -> Iterator[Styled]:
    widths = _widths(columns, rows, width)
    rule = Styled((("dim", " " + "─" * (sum(widths) + _BETWEEN * (len(widths) - 1))),))
    # a number's heading stands above its last digit
    heads = [
        _Cell(column.title, column.is_number or any(row[at].is_number for row in rows))
        for at, column in enumerate(columns)
    ]
    yield _line(heads, widths, [Column("", style="bold")] * len(columns))
    yield rule
    for place, row in enumerate(rows):
        if has_totals and place == len(rows) - 1:
            yield rule
        yield _line(row, widths, columns)


def _records(columns: Sequence[Column], rows: Sequence[Sequence[_Cell]], width: int) -> Iterator[Styled]:
    """Rows of more columns than can stand side by side: one below the other, a line for each that has a value."""
    space = min(max(cells(column.title) for column in columns), width // 2)
    for number, row in enumerate(rows, start=1):
        yield Styled((("dim", f" ── {number} ".ljust(width, "─")),))
        for column, cell in zip(columns, row, strict=True):
            name, blanks = _fitted(column.title, space, is_path=False)
            value, _ = _fitted(cell.text, width - space - 1 - _BETWEEN, is_path=column.is_path)
            if value:
                yield Styled((("bold", f" {name}{' ' * (blanks + _BETWEEN)}"), ("", value)))


def _line(row: Sequence[_Cell], widths: Sequence[int], columns: Sequence[Column]) -> Styled:
    spans = []
    last = max((place for place, cell in enumerate(row) if cell.text), default=0)
    for place, (cell, width, column) in enumerate(zip(row, widths, columns, strict=True)):
        text, blanks = _fitted(cell.text, width, is_path=column.is_path)
        padded = " " * blanks + text if cell.is_number else text + " " * (blanks if place < last else 0)
        spans.append((column.style, " " * (_BETWEEN if place else 1) + padded))
    return Styled(tuple(spans[: last + 1]))


def _widths(columns: Sequence[Column], rows: Sequence[Sequence[_Cell]], width: int | None) -> list[int]:
    """What each column needs; on a terminal the widest give way until all fit, the flexible ones first."""
    needed = [max([cells(column.title), *(cells(row[at].text) for row in rows)]) for at, column in enumerate(columns)]
    if width is None:
        return needed
    most = [width if column.widest is None else max(column.widest, cells(column.title)) for column in columns]
    widths = list(map(min, needed, most))
    flexible = [at for at, column in enumerate(columns) if column.is_flexible]
    for _ in range(1 + sum(widths) + _BETWEEN * (len(widths) - 1) - width):
        giving = [at for at in flexible if widths[at] > _LEAST] or range(len(widths))
        widest = max(giving, key=widths.__getitem__)
        widths[widest] = max(widths[widest] - 1, 1)
    return widths


def _fitted(text: str, width: int, *, is_path: bool) -> tuple[str, int]:
    """The text as far as it fits, and the blanks that are left beside it."""
    needed = cells(text)
    if needed <= width:
        return text, width - needed
    kept = next(iter(chopped(text[::-1] if is_path else text, max(width - 1, 1))), "").rstrip()
    cut = "…" + kept[::-1] if is_path else kept + "…"
    return cut, width - cells(cut)
