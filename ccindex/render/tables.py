"""Format rows as tables and the locations of secrets as lists, fitted to the terminal. Secrets are masked."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from ccindex.render.text import (
    StyledLine,
    cell_width,
    chop,
    format_count,
    one_line,
    short_id,
    styled_line,
    wrap_with_label,
)
from ccindex.secrets.masking import Mask

if TYPE_CHECKING:
    from ccindex.query.doctor import FoundSecrets  # imports the archive, which tables do not need

_GAP_CHARS = 3  # spaces between two columns
_MIN_FLEXIBLE_CHARS = 12  # minimum width of a flexible column, unless the table would not fit
_MIN_AVERAGE_CHARS = 5  # if columns would be narrower on average, rows are printed as records
_MAX_LOCATIONS = 20  # per session


@dataclass(frozen=True, slots=True)
class Column:
    """A table column: its heading and its layout.

    Flexible columns are cut first. A column is omitted on terminals narrower than `min_terminal`. On a terminal, its
    values are cut to `max_width`, or to the width of the heading if that is wider. Paths are cut at the start. Numbers
    are right-aligned, even if they are strings.
    """

    title: str
    is_flexible: bool = False
    min_terminal: int = 0
    max_width: int | None = None
    is_path: bool = False
    is_number: bool = False
    style: str = ""


def table_lines(
    columns: Sequence[Column | str],
    rows: Iterable[Sequence[Any]],
    *,
    width: int | None,
    mask: Mask,
    totals: Sequence[Any] = (),
) -> Iterator[StyledLine]:
    """Yield the lines of a table, cut to the width (None: no limit). Totals are below a second rule.

    Cells, and headings given as strings, are masked before they are cut. The caller must mask values that it shortens
    itself.
    """
    all_columns = [column if isinstance(column, Column) else Column(mask(column)) for column in columns]
    indexes = [index for index, column in enumerate(all_columns) if width is None or column.min_terminal <= width]
    shown = [all_columns[index] for index in indexes]
    grid = [
        [_cell(row[index], all_columns[index], mask) for index in indexes]
        for row in (*rows, *([totals] if totals else []))
    ]
    if width is not None and len(shown) * (_MIN_AVERAGE_CHARS + _GAP_CHARS) > width:
        return _records(shown, grid, width)
    return _table(shown, grid, width, has_totals=bool(totals))


class _Cell(NamedTuple):
    """The text of a cell on one line. Numbers are right-aligned."""

    text: str
    is_number: bool


def _cell(value: Any, column: Column, mask: Mask) -> _Cell:
    text = "" if value is None else value.hex() if isinstance(value, bytes) else mask(str(value))
    return _Cell(one_line(text), column.is_number or isinstance(value, int | float))


def _table(
    columns: Sequence[Column], rows: Sequence[Sequence[_Cell]], width: int | None, *, has_totals: bool
) -> Iterator[StyledLine]:
    widths = _widths(columns, rows, width)
    rule = StyledLine((("dim", " " + "─" * (sum(widths) + _GAP_CHARS * (len(widths) - 1))),))
    # headings of number columns are right-aligned too
    headings = [
        _Cell(column.title, column.is_number or any(row[index].is_number for row in rows))
        for index, column in enumerate(columns)
    ]
    yield _line(headings, widths, [Column("", style="bold")] * len(columns))
    yield rule
    for index, row in enumerate(rows):
        if has_totals and index == len(rows) - 1:
            yield rule
        yield _line(row, widths, columns)


def _records(columns: Sequence[Column], rows: Sequence[Sequence[_Cell]], width: int) -> Iterator[StyledLine]:
    """Yield rows as records, one line per value, for tables with too many columns for the width."""
    space = min(max(cell_width(column.title) for column in columns), width // 2)
    for number, row in enumerate(rows, start=1):
        yield StyledLine((("dim", f" ── {number} ".ljust(width, "─")),))
        for column, cell in zip(columns, row, strict=True):
            name, blanks = _fitted(column.title, space, is_path=False)
            value, _ = _fitted(cell.text, width - space - 1 - _GAP_CHARS, is_path=column.is_path)
            if value:
                yield StyledLine((("bold", f" {name}{' ' * (blanks + _GAP_CHARS)}"), ("", value)))


def _line(row: Sequence[_Cell], widths: Sequence[int], columns: Sequence[Column]) -> StyledLine:
    spans = []
    last = max((index for index, cell in enumerate(row) if cell.text), default=0)
    for index, (cell, width, column) in enumerate(zip(row, widths, columns, strict=True)):
        text, blanks = _fitted(cell.text, width, is_path=column.is_path)
        padded = " " * blanks + text if cell.is_number else text + " " * (blanks if index < last else 0)
        spans.append((column.style, " " * (_GAP_CHARS if index else 1) + padded))
    return StyledLine(tuple(spans[: last + 1]))


def _widths(columns: Sequence[Column], rows: Sequence[Sequence[_Cell]], width: int | None) -> list[int]:
    """Return column widths: the needed widths, reduced until the table fits, flexible and wide columns first."""
    needed = [
        max([cell_width(column.title), *(cell_width(row[index].text) for row in rows)])
        for index, column in enumerate(columns)
    ]
    if width is None:
        return needed
    limits = [
        width if column.max_width is None else max(column.max_width, cell_width(column.title)) for column in columns
    ]
    widths = list(map(min, needed, limits))
    flexible = [index for index, column in enumerate(columns) if column.is_flexible]
    for _ in range(1 + sum(widths) + _GAP_CHARS * (len(widths) - 1) - width):
        candidates = [index for index in flexible if widths[index] > _MIN_FLEXIBLE_CHARS] or range(len(widths))
        widest = max(candidates, key=widths.__getitem__)
        widths[widest] = max(widths[widest] - 1, 1)
    return widths


def _fitted(text: str, width: int, *, is_path: bool) -> tuple[str, int]:
    """Return text cut to a width, and the number of spaces needed to fill the width."""
    needed = cell_width(text)
    if needed <= width:
        return text, width - needed
    part = next(iter(chop(text[::-1] if is_path else text, max(width - 1, 1))), "").rstrip()
    cut = "…" + part[::-1] if is_path else part + "…"
    return cut, width - cell_width(cut)


def secrets_summary(found: "Sequence[FoundSecrets]") -> str:
    """Return the counts of secrets, kinds and sessions as a phrase."""
    total = sum(location.count for location in found)
    if not total:
        return "none found"
    kinds = format_count(len({location.kind for location in found}), "kind")
    sessions = format_count(len({location.session_id for location in found}), "session")
    return f"{format_count(total, 'secret')} of {kinds} in {sessions}"


def secrets_lines(found: "Sequence[FoundSecrets]", *, width: int | None, mask: Mask) -> Iterator[StyledLine]:
    """Yield the kinds, counts and locations of secrets per session, with the command that removes the session."""
    sessions: dict[str | None, list[FoundSecrets]] = {}
    for location in found:
        sessions.setdefault(location.session_id, []).append(location)
    totals = {session_id: sum(location.count for location in group) for session_id, group in sessions.items()}
    for session_id in sorted(totals, key=lambda key: (-totals[key], key or "")):
        locations = sorted(sessions[session_id], key=lambda location: -location.count)
        name = "no session" if session_id is None else f"session {one_line(short_id(session_id) or '')}"
        yield styled_line("", "")
        yield StyledLine((("bold cyan", name), ("", f": {format_count(totals[session_id], 'secret')}")))
        for location in locations[:_MAX_LOCATIONS]:
            label = f"  {location.count:>4,} {location.kind:<18}  "
            entry = f"  entry {one_line(location.uuid[:8])}" if location.uuid else ""
            where = f"{one_line(mask(location.source_path))}:{location.line_no}{entry}"
            yield from (styled_line("", line) for line in wrap_with_label(label, where, width))
        if len(locations) > _MAX_LOCATIONS:
            more = format_count(len(locations) - _MAX_LOCATIONS, "more location")
            yield styled_line("dim", f"  … and {more} (--json lists all)")
        if session_id is not None:
            step = f"to remove this session: ccindex forget --session {one_line(short_id(session_id) or '')}"
            yield from (styled_line("yellow", line) for line in wrap_with_label("→ ", step, width))
