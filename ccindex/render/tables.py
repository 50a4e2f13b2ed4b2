"""Rows, and places of secrets, to tables and lists as wide as the terminal, with secrets masked."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from ccindex.render.text import StyledLine, cells, chopped, count, flat, hanging, short, styled
from ccindex.secrets.masking import Mask

if TYPE_CHECKING:
    from ccindex.query.doctor import FoundSecrets  # loads the archive, which tables do not need

_BETWEEN = 3  # spaces between two columns
_MIN_FLEXIBLE = 12  # width of a flexible column
_MIN_COLUMN = 5  # average width of a column; with less, rows are written as records
_MAX_PLACES = 20  # of a session's secrets


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table: its heading and its layout.

    A flexible column is cut first. On terminals narrower than `since` a column is left out; on any terminal it is at
    most `widest` wide. Paths are cut at their beginning. Numbers are aligned right, also if they are texts.
    """

    title: str
    is_flexible: bool = False
    since: int = 0
    widest: int | None = None
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
    """Yield the lines of a table, cut to the width (None: no limit); totals are below a second rule.

    Every heading and cell is masked before it is cut. A value that the caller shortens has to be masked before that.
    """
    named = [column if isinstance(column, Column) else Column(mask(column)) for column in columns]
    places = [place for place, column in enumerate(named) if width is None or column.since <= width]
    kept = [named[place] for place in places]
    grid = [
        [_cell(row[place], named[place], mask) for place in places] for row in (*rows, *([totals] if totals else []))
    ]
    if width is not None and len(kept) * (_MIN_COLUMN + _BETWEEN) > width:
        return _records(kept, grid, width)
    return _table(kept, grid, width, has_totals=bool(totals))


class _Cell(NamedTuple):
    """A text on one line, aligned right if it is a number."""

    text: str
    is_number: bool


def _cell(value: Any, column: Column, mask: Mask) -> _Cell:
    text = "" if value is None else value.hex() if isinstance(value, bytes) else mask(str(value))
    return _Cell(flat(text), column.is_number or isinstance(value, int | float))


def _table(
    columns: Sequence[Column], rows: Sequence[Sequence[_Cell]], width: int | None, *, has_totals: bool
) -> Iterator[StyledLine]:
    widths = _widths(columns, rows, width)
    rule = StyledLine((("dim", " " + "─" * (sum(widths) + _BETWEEN * (len(widths) - 1))),))
    # the headings of numbers are aligned right as well
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


def _records(columns: Sequence[Column], rows: Sequence[Sequence[_Cell]], width: int) -> Iterator[StyledLine]:
    """Yield rows with too many columns for the width, one line per column that has a value."""
    space = min(max(cells(column.title) for column in columns), width // 2)
    for number, row in enumerate(rows, start=1):
        yield StyledLine((("dim", f" ── {number} ".ljust(width, "─")),))
        for column, cell in zip(columns, row, strict=True):
            name, blanks = _fitted(column.title, space, is_path=False)
            value, _ = _fitted(cell.text, width - space - 1 - _BETWEEN, is_path=column.is_path)
            if value:
                yield StyledLine((("bold", f" {name}{' ' * (blanks + _BETWEEN)}"), ("", value)))


def _line(row: Sequence[_Cell], widths: Sequence[int], columns: Sequence[Column]) -> StyledLine:
    spans = []
    last = max((place for place, cell in enumerate(row) if cell.text), default=0)
    for place, (cell, width, column) in enumerate(zip(row, widths, columns, strict=True)):
        text, blanks = _fitted(cell.text, width, is_path=column.is_path)
        padded = " " * blanks + text if cell.is_number else text + " " * (blanks if place < last else 0)
        spans.append((column.style, " " * (_BETWEEN if place else 1) + padded))
    return StyledLine(tuple(spans[: last + 1]))


def _widths(columns: Sequence[Column], rows: Sequence[Sequence[_Cell]], width: int | None) -> list[int]:
    """Return the widths of columns: as needed, or on a terminal reduced until all fit, flexible and wide ones first."""
    needed = [max([cells(column.title), *(cells(row[at].text) for row in rows)]) for at, column in enumerate(columns)]
    if width is None:
        return needed
    most = [width if column.widest is None else max(column.widest, cells(column.title)) for column in columns]
    widths = list(map(min, needed, most))
    flexible = [at for at, column in enumerate(columns) if column.is_flexible]
    for _ in range(1 + sum(widths) + _BETWEEN * (len(widths) - 1) - width):
        giving = [at for at in flexible if widths[at] > _MIN_FLEXIBLE] or range(len(widths))
        widest = max(giving, key=widths.__getitem__)
        widths[widest] = max(widths[widest] - 1, 1)
    return widths


def _fitted(text: str, width: int, *, is_path: bool) -> tuple[str, int]:
    """Return a text cut to a width, and the number of spaces left beside it."""
    needed = cells(text)
    if needed <= width:
        return text, width - needed
    kept = next(iter(chopped(text[::-1] if is_path else text, max(width - 1, 1))), "").rstrip()
    cut = "…" + kept[::-1] if is_path else kept + "…"
    return cut, width - cells(cut)


def secrets_summary(found: "Sequence[FoundSecrets]") -> str:
    """Return how many secrets of how many kinds were found in how many sessions."""
    total = sum(place.count for place in found)
    if not total:
        return "none found"
    kinds = count(len({place.kind for place in found}), "kind")
    sessions = count(len({place.session_id for place in found}), "session")
    return f"{count(total, 'secret')} of {kinds} in {sessions}"


def secrets_lines(found: "Sequence[FoundSecrets]", *, width: int | None, mask: Mask) -> Iterator[StyledLine]:
    """Yield kinds, numbers and places of secrets per session, with the command that removes them."""
    sessions: dict[str | None, list[FoundSecrets]] = {}
    for place in found:
        sessions.setdefault(place.session_id, []).append(place)
    totals = {session_id: sum(place.count for place in inside) for session_id, inside in sessions.items()}
    for session_id in sorted(totals, key=lambda one: (-totals[one], one or "")):
        inside = sorted(sessions[session_id], key=lambda place: -place.count)
        name = "no session" if session_id is None else f"session {flat(short(session_id) or '')}"
        yield styled("", "")
        yield StyledLine((("bold cyan", name), ("", f": {count(totals[session_id], 'secret')}")))
        for place in inside[:_MAX_PLACES]:
            label = f"  {place.count:>4,} {place.kind:<18}  "
            entry = f"  entry {flat(place.uuid[:8])}" if place.uuid else ""
            where = f"{flat(mask(place.source_path))}:{place.line_no}{entry}"
            yield from (styled("", line) for line in hanging(label, where, width))
        if len(inside) > _MAX_PLACES:
            yield styled("dim", f"  … and {count(len(inside) - _MAX_PLACES, 'more place')}: --json names all")
        if session_id is not None:
            step = f"to take it out of the index: ccindex forget --session {flat(short(session_id) or '')}"
            yield from (styled("yellow", line) for line in hanging("→ ", step, width))
