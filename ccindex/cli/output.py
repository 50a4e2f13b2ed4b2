"""Print results to stdout and messages to stderr. Other modules do not print. This one also opens the index."""

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
from ccindex.render.text import StyledLine, escape_controls, escape_controls_in_json, format_age, format_minute
from ccindex.secrets.masking import Mask, mask, no_mask
from ccindex.store.connection import Connection, reading
from ccindex.store.index_files import database_path

_MIN_COLUMNS = 40  # output for a narrower terminal is laid out for this width


@contextmanager
def writing_stdout() -> Iterator[None]:
    """Flush stdout at the end. Exit silently if the reader has closed the pipe."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        sys.exit(0)
    except OSError as error:
        raise CannotWrite("standard output", error.strerror, "redirect the output elsewhere") from error


def print_text(text: str) -> None:
    """Print text to stdout."""
    with writing_stdout():
        print(escape_controls(text))


def print_message(text: str) -> None:
    """Print one line to stderr. It is masked because it can quote a secret that the user typed."""
    print(f"ccindex: {escape_controls(mask(text))}", file=sys.stderr)


def print_note(text: str) -> None:
    """Print one line to stderr if stderr is a terminal."""
    if sys.stderr.isatty():
        print(escape_controls(mask(text)), file=sys.stderr)


def path_text(path: Path) -> str:
    """Return a path as text for JSON, with bytes that are not UTF-8 escaped."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def print_json(document: Any) -> None:
    """Print one JSON document."""
    data = orjson.dumps(document, default=_hex_if_bytes, option=orjson.OPT_INDENT_2 if sys.stdout.isatty() else None)
    with writing_stdout():  # flushed at once because a program may be reading the output of --watch
        sys.stdout.write(_decode(data) + "\n")


def print_lines(lines: Iterable[str]) -> None:
    """Print lines as the iterable yields them."""
    with writing_stdout():
        for line in lines:
            print(escape_controls(line))


def print_bytes(pieces: Iterable[bytes]) -> None:
    """Print recorded bytes unchanged."""
    with writing_stdout():
        for piece in pieces:
            sys.stdout.buffer.write(piece)


def print_styled(lines: Iterable[StyledLine]) -> None:
    """Print lines as the iterable yields them, with colour if stdout is a terminal."""
    if not sys.stdout.isatty():
        print_lines("".join(text for _, text in line.spans).rstrip() for line in lines)
        return
    # rich takes 50 ms to load and is needed only on a terminal
    from rich.console import Console  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    console = Console(highlight=False, markup=False, emoji=False, soft_wrap=True)
    with writing_stdout():
        for line in lines:
            console.print(Text.assemble(*((escape_controls(text), style) for style, text in line.spans)))


def print_json_list(document: Mapping[str, Any], name: str, items: Iterable[Any]) -> None:
    """Print one JSON document whose last member is a list. Its items are printed as the iterable yields them."""
    with writing_stdout():
        sys.stdout.write(_json(dict(document))[:-1] + ("," if document else "") + f'"{name}":[')
        for index, item in enumerate(items):
            sys.stdout.write(("," if index else "") + _json(item))
        sys.stdout.write("]}\n")


def print_nested_json(
    name: str, roots: Sequence[int], children: Mapping[int, Sequence[int]], node: Callable[[int], dict[str, Any]]
) -> None:
    """Print one JSON document with trees of any depth. Every node has a list named "children"."""
    with writing_stdout():
        sys.stdout.write(f'{{"{name}":[')
        stack: list[int | str] = [*_reverse_with_commas(roots)]
        while stack:
            item = stack.pop()
            if isinstance(item, str):
                sys.stdout.write(item)
                continue
            sys.stdout.write(_json(node(item))[:-1] + ',"children":[')
            stack.append("]}")
            stack.extend(_reverse_with_commas(children.get(item, ())))
        sys.stdout.write("]}\n")


def _reverse_with_commas(numbers: Sequence[int]) -> list[int | str]:
    """Return the numbers in reverse order, as a stack, with commas between them."""
    items: list[int | str] = []
    for number in reversed(numbers):
        items += [number, ","]
    return items[:-1]


def _json(value: Any) -> str:
    return _decode(orjson.dumps(value, default=_hex_if_bytes))


def _decode(data: bytes) -> str:
    """Return a JSON document as text. Control characters are escaped if stdout is a terminal."""
    text = data.decode()
    return escape_controls_in_json(text) if sys.stdout.isatty() else text


class _CsvOutput:
    """A file object for csv.writer that prints each row, terminated by a newline."""

    def write(self, row: str) -> None:
        text = row.removesuffix("\r\n")
        sys.stdout.write((escape_controls(text) if sys.stdout.isatty() else text) + "\n")


def print_csv(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Print comma-separated values with a header row."""
    with writing_stdout():
        # this terminator makes the writer quote a lone carriage return
        writer = csv.writer(_CsvOutput(), lineterminator="\r\n")
        writer.writerow(columns)
        writer.writerows([_hex_if_bytes(value) if isinstance(value, bytes) else value for value in row] for row in rows)


def _hex_if_bytes(value: Any) -> Any:
    return value.hex() if isinstance(value, bytes) else value


def terminal_width() -> int | None:
    """Return the width of the terminal or $COLUMNS, or None if stdout is not a terminal and $COLUMNS is not set."""
    is_set = os.environ.get("COLUMNS", "").isdecimal()
    return max(shutil.get_terminal_size().columns, _MIN_COLUMNS) if is_set or sys.stdout.isatty() else None


def format_time(timestamp_ms: int | None) -> str:
    """Format a timestamp for a table: its age on a terminal, otherwise its date and time to the minute."""
    return format_age(timestamp_ms, time.time_ns() // 1_000_000) if sys.stdout.isatty() else format_minute(timestamp_ms)


def print_table(
    columns: Sequence[Column | str], rows: Iterable[Sequence[Any]], *, totals: Sequence[Any] = (), mask: Mask
) -> None:
    """Print a table that fits the terminal width."""
    print_styled(table_lines(columns, rows, width=terminal_width(), mask=mask, totals=totals))


def choose_mask(*, raw: bool) -> Mask:
    """Return the function that masks secrets, or, for --raw, a function that masks nothing."""
    return no_mask if raw else mask


def open_index(db: str | None) -> AbstractContextManager[Connection]:
    """Open the index at the given path, or the default index, for reading."""
    return reading(database_path(db))
