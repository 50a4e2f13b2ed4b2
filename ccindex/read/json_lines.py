"""A transcript's bytes, in blocks of any size, to its JSON objects with their places.

Whole objects are taken as soon as they are there, newline or not; what cannot be one is malformed once its
line is complete. So the same bytes give the same pieces however they are split.
"""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import orjson

from ccindex.read.lenient_json import decode, encode, object_at

_SPACE = b" \t\r\n"
_BOM = b"\xef\xbb\xbf"
_BLANK = re.compile("[ \\t\\r\\n\ufeff]*")
_OPEN = ord("{")


class Piece(NamedTuple):
    """An object at its place, or (`value` is None) the part of a line that is none."""

    line_no: int
    offset: int
    raw: bytes
    value: dict[str, Any] | None
    why: str | None = None
    ordinal: int = 1


class LineReader:
    """Takes blocks, gives pieces; knows where the next run has to go on."""

    def __init__(self, offset: int = 0, line_no: int = 1, line_objects: int = 0) -> None:
        self.offset = offset
        self.line_no = line_no
        self.line_objects = line_objects
        self.crlf_line: int | None = None
        self.is_torn = False  # after `finish`: the unfinished line ends in an incomplete object
        self._rest: list[bytes] = []

    def feed(self, block: bytes) -> Iterator[Piece]:
        """Give the pieces of all lines that `block` completes."""
        start = 0
        while (end := block.find(b"\n", start)) >= 0:
            line = block[start:end]
            if self._rest:
                line = b"".join([*self._rest, line])
                self._rest = []
            start = end + 1
            whole = self._whole(line)
            if whole is None:
                yield from self._line(line)
            else:
                yield whole
        if start < len(block):
            self._rest.append(block[start:])

    def finish(self) -> Iterator[Piece]:
        """Give the whole objects of the last, unfinished line; the rest of it waits."""
        self.is_torn = False
        if not self._rest:
            return
        rest, start = b"".join(self._rest), self.offset
        for piece in _pieces(rest, start, self.line_no, self.line_objects):
            if piece.value is None:
                break
            self.line_objects = piece.ordinal
            self.offset = piece.offset + len(piece.raw)
            yield piece
        rest = rest[self.offset - start :]
        self._rest = [rest]
        self.is_torn = bool(rest.strip(_SPACE).removeprefix(_BOM))

    def _whole(self, line: bytes) -> Piece | None:
        """Give the piece that a line is if it is one strict object and nothing else, as nearly every line."""
        if self.line_objects or not line.startswith(b"{") or not line.endswith(b"}"):
            return None
        try:
            piece = Piece(self.line_no, self.offset, line, orjson.loads(line))
        except orjson.JSONDecodeError:
            return None
        self.offset += len(line) + 1
        self.line_no += 1
        return piece

    def _line(self, line: bytes) -> Iterator[Piece]:
        """Give the pieces of any other line."""
        offset, line_no, objects = self.offset, self.line_no, self.line_objects
        self.offset, self.line_no, self.line_objects = offset + len(line) + 1, line_no + 1, 0
        if line.endswith(b"\r") and self.crlf_line is None:
            self.crlf_line = line_no
        yield from _pieces(line, offset, line_no, objects)


def objects_in(data: bytes) -> list[dict[str, Any]]:
    """Return the whole objects at the head of some bytes, newlines or not."""
    return [piece.value for piece in _pieces(data, 0, 1, 0) if piece.value is not None]


def _pieces(line: bytes, offset: int, line_no: int, objects: int) -> Iterator[Piece]:
    """Give a line's objects from the left, then what is left of it if that is no object."""
    text = line.strip(_SPACE)
    if not text:
        return
    whole = _strict(text) if text[0] == _OPEN else None
    if whole is None:
        yield from _patient(line, offset, line_no, objects)
    else:
        yield Piece(line_no, offset + line.index(_OPEN), text, whole[0], None, objects + 1)


def _patient(line: bytes, offset: int, line_no: int, objects: int) -> Iterator[Piece]:
    """Give the pieces of a line that is not just one strict object."""
    text = decode(line)
    here = 0
    while True:
        blank = _BLANK.match(text, here)
        assert blank is not None  # it matches the empty string
        offset += len(encode(blank.group()))
        here = blank.end()
        if here == len(text):
            return
        found = object_at(text, here) if text[here] == "{" else None
        if found is None:
            yield Piece(line_no, offset, encode(text[here:]).rstrip(_SPACE), None)
            return
        raw = encode(text[here : found.end])
        objects += 1
        value, why = _strict(raw) or (found.value, found.why)
        if why is None and "\ufeff" in blank.group():
            why = "a byte order mark"
        yield Piece(line_no, offset, raw, value, why, objects)
        offset += len(raw)
        here = found.end


def _strict(raw: bytes) -> tuple[dict[str, Any], None] | None:
    """Read an object that may be strict after all: perhaps only what follows it was in the way."""
    try:
        return orjson.loads(raw), None
    except orjson.JSONDecodeError:
        return None
