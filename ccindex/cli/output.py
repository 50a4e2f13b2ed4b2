"""The only code that prints: tables for people, JSON and CSV for programs, complaints on stderr."""

import csv
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import orjson

from ccindex.errors import CannotWrite
from ccindex.render.text import Styled, escaped_in_json, printable
from ccindex.secrets.masking import masked, masked_row
from ccindex.store.connection import Connection, reading
from ccindex.store.index_files import database_path


@contextmanager
def answering() -> Iterator[None]:
    """Write to stdout; a reader that has seen enough ends the program in peace."""
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
    """Print one line on stderr; what was typed may be a secret too."""
    print(f"ccindex: {printable(masked(text))}", file=sys.stderr)


def remark(text: str) -> None:
    """Print one line on stderr if a person is there to read it."""
    if sys.stderr.isatty():
        print(printable(masked(text)), file=sys.stderr)


def path_text(path: Path) -> str:
    """A path as text that JSON can hold: bytes that are no UTF-8 as escapes."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def show_json(document: Any) -> None:
    """Print one JSON document."""
    data = orjson.dumps(document, default=_plain, option=orjson.OPT_INDENT_2 if sys.stdout.isatty() else None)
    with answering():  # written at once: somebody may watch a run that keeps on
        sys.stdout.write(_shown(data) + "\n")


def say_lines(lines: Iterable[str]) -> None:
    """Print an answer of many lines as they come; what is in them may run over several."""
    with answering():
        for line in lines:
            print(printable(line))


def say_bytes(pieces: Iterable[bytes]) -> None:
    """Print bytes as they are: somebody asked for them raw."""
    with answering():
        for piece in pieces:
            sys.stdout.buffer.write(piece)


def say_styled(lines: Iterable[Styled]) -> None:
    """Print lines as they come; in colour on a terminal that has them."""
    if not sys.stdout.isatty():
        say_lines("".join(text for _, text in line.spans).rstrip() for line in lines)
        return
    # rich costs 50 ms: only a terminal needs it
    from rich.console import Console  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    console = Console(highlight=False, markup=False, emoji=False, soft_wrap=True)
    with answering():
        for line in lines:
            console.print(Text.assemble(*((printable(text), style) for style, text in line.spans)))


def show_json_list(document: Mapping[str, Any], name: str, items: Iterable[Any]) -> None:
    """Print one JSON document whose last member is a list, item by item."""
    with answering():
        sys.stdout.write(_json(dict(document))[:-1] + ("," if document else "") + f'"{name}":[')
        for place, item in enumerate(items):
            sys.stdout.write(("," if place else "") + _json(item))
        sys.stdout.write("]}\n")


def show_nested_json(
    name: str, roots: Sequence[int], children: Mapping[int, Sequence[int]], told: Callable[[int], dict[str, Any]]
) -> None:
    """Print one JSON document with a forest in it, of any depth; each member's own are its "children"."""
    with answering():
        sys.stdout.write(f'{{"{name}":[')
        stack: list[int | str] = [*_spaced(roots)]
        while stack:
            item = stack.pop()
            if isinstance(item, str):
                sys.stdout.write(item)
                continue
            sys.stdout.write(_json(told(item))[:-1] + ',"children":[')
            stack.append("]}")
            stack.extend(_spaced(children.get(item, ())))
        sys.stdout.write("]}\n")


def _spaced(numbers: Sequence[int]) -> list[int | str]:
    """Numbers with commas between them, the first of them last."""
    spaced: list[int | str] = []
    for number in reversed(numbers):
        spaced += [number, ","]
    return spaced[:-1]


def _json(value: Any) -> str:
    return _shown(orjson.dumps(value, default=_plain))


def _shown(data: bytes) -> str:
    """A document as it is; on a terminal with the escapes of JSON for what that would act on."""
    text = data.decode()
    return escaped_in_json(text) if sys.stdout.isatty() else text


class _Lines:
    """Rows as they come, with the line ends of this system's own tools."""

    def write(self, row: str) -> None:
        text = row.removesuffix("\r\n")
        sys.stdout.write((printable(text) if sys.stdout.isatty() else text) + "\n")


def show_csv(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Print comma-separated values with a header."""
    with answering():
        writer = csv.writer(_Lines(), lineterminator="\r\n")  # so that a lone carriage return is quoted
        writer.writerow(columns)
        writer.writerows([_plain(value) if isinstance(value, bytes) else value for value in row] for row in rows)


def _plain(value: Any) -> Any:
    return value.hex() if isinstance(value, bytes) else value


@contextmanager
def opened(db: str | None, *, exact: bool) -> Iterator[Connection]:
    """Open an index to read; unless it shall be exact, no text that comes out of it has a secret in it."""
    with reading(database_path(db)) as connection:
        if not exact:
            # at the door: whatever cuts, folds, wraps or marks a text later never had the secret
            connection.row_factory = masked_row
        yield connection
