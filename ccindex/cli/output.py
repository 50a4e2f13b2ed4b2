"""Answers to stdout and messages to stderr: the only module that prints. It also opens indexes to read."""

import csv
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import orjson

from ccindex.errors import CannotWrite
from ccindex.render.tables import Column, table_lines
from ccindex.render.text import StyledLine, ago, escaped_in_json, minute, printable
from ccindex.secrets.masking import Mask, mask, no_mask
from ccindex.store.connection import Connection, reading
from ccindex.store.index_files import database_path

_MIN_COLUMNS = 40  # of a terminal, for the layout of answers


@contextmanager
def answering() -> Iterator[None]:
    """Write to stdout; end the program quietly if the reader has closed the pipe."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        sys.exit(0)
    except OSError as error:
        raise CannotWrite("standard output", error.strerror) from error


def say(text: str) -> None:
    """Print an answer."""
    with answering():
        print(printable(text))


def complain(text: str) -> None:
    """Print one line on stderr; what the user typed can be a secret as well."""
    print(f"ccindex: {printable(mask(text))}", file=sys.stderr)


def remark(text: str) -> None:
    """Print one line on stderr if that is a terminal."""
    if sys.stderr.isatty():
        print(printable(mask(text)), file=sys.stderr)


def path_text(path: Path) -> str:
    """Return a path as text for JSON, with bytes that are not UTF-8 as escapes."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def show_json(document: Any) -> None:
    """Print one JSON document."""
    data = orjson.dumps(document, default=_plain, option=orjson.OPT_INDENT_2 if sys.stdout.isatty() else None)
    with answering():  # written at once: a program may follow a run with --watch
        sys.stdout.write(_shown(data) + "\n")


def say_lines(lines: Iterable[str]) -> None:
    """Print lines as they come."""
    with answering():
        for line in lines:
            print(printable(line))


def say_bytes(pieces: Iterable[bytes]) -> None:
    """Print recorded bytes as they are."""
    with answering():
        for piece in pieces:
            sys.stdout.buffer.write(piece)


def say_styled(lines: Iterable[StyledLine]) -> None:
    """Print lines as they come, in colour on a terminal."""
    if not sys.stdout.isatty():
        say_lines("".join(text for _, text in line.spans).rstrip() for line in lines)
        return
    # rich takes 50 ms to load: only a terminal needs it
    from rich.console import Console  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    console = Console(highlight=False, markup=False, emoji=False, soft_wrap=True)
    with answering():
        for line in lines:
            console.print(Text.assemble(*((printable(text), style) for style, text in line.spans)))


def show_json_list(document: Mapping[str, Any], name: str, items: Iterable[Any]) -> None:
    """Print one JSON document whose last member is a list, as its items come."""
    with answering():
        sys.stdout.write(_json(dict(document))[:-1] + ("," if document else "") + f'"{name}":[')
        for place, item in enumerate(items):
            sys.stdout.write(("," if place else "") + _json(item))
        sys.stdout.write("]}\n")


def show_nested_json(
    name: str, roots: Sequence[int], children: Mapping[int, Sequence[int]], node: Callable[[int], dict[str, Any]]
) -> None:
    """Print one JSON document with trees of any depth, in which every node has a list of "children"."""
    with answering():
        sys.stdout.write(f'{{"{name}":[')
        stack: list[int | str] = [*_spaced(roots)]
        while stack:
            item = stack.pop()
            if isinstance(item, str):
                sys.stdout.write(item)
                continue
            sys.stdout.write(_json(node(item))[:-1] + ',"children":[')
            stack.append("]}")
            stack.extend(_spaced(children.get(item, ())))
        sys.stdout.write("]}\n")


def _spaced(numbers: Sequence[int]) -> list[int | str]:
    """Return numbers in reverse order with commas between them."""
    spaced: list[int | str] = []
    for number in reversed(numbers):
        spaced += [number, ","]
    return spaced[:-1]


def _json(value: Any) -> str:
    return _shown(orjson.dumps(value, default=_plain))


def _shown(data: bytes) -> str:
    """Return a document as text, on a terminal with control characters as escapes."""
    text = data.decode()
    return escaped_in_json(text) if sys.stdout.isatty() else text


class _Lines:
    """A file for csv.writer that prints rows as they come, with a newline as line end."""

    def write(self, row: str) -> None:
        text = row.removesuffix("\r\n")
        sys.stdout.write((printable(text) if sys.stdout.isatty() else text) + "\n")


def show_csv(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Print comma-separated values with a header."""
    with answering():
        writer = csv.writer(_Lines(), lineterminator="\r\n")  # with this, csv.writer quotes a lone carriage return
        writer.writerow(columns)
        writer.writerows([_plain(value) if isinstance(value, bytes) else value for value in row] for row in rows)


def _plain(value: Any) -> Any:
    return value.hex() if isinstance(value, bytes) else value


def terminal_width() -> int | None:
    """Return the columns of the terminal that answers are printed on, or $COLUMNS; None: no limit."""
    is_given = os.environ.get("COLUMNS", "").isdecimal()
    return max(shutil.get_terminal_size().columns, _MIN_COLUMNS) if is_given or sys.stdout.isatty() else None


def moment(at_ms: int | None) -> str:
    """Return an instant as a table shows it: how long ago on a terminal, else the minute."""
    return ago(at_ms, time.time_ns() // 1_000_000) if sys.stdout.isatty() else minute(at_ms)


def show_table(
    columns: Sequence[Column | str], rows: Iterable[Sequence[Any]], *, totals: Sequence[Any] = (), mask: Mask
) -> None:
    """Print a table, cut to the width of the terminal if there is one."""
    say_styled(table_lines(columns, rows, width=terminal_width(), mask=mask, totals=totals))


def mask_for(*, raw: bool) -> Mask:
    """Return what masks texts for people: nothing with --raw."""
    return no_mask if raw else mask


def open_index(db: str | None) -> AbstractContextManager[Connection]:
    """Open the index at a path, or the default one, to read."""
    return reading(database_path(db))
