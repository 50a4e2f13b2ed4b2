"""Split a transcript, read in blocks of any size, into JSON objects with their line numbers and offsets.

A complete object at the end of the bytes is returned even if its line has no newline yet. Other text is reported as
malformed only when its line is complete. The same bytes therefore result in the same pieces, no matter how they
are split into blocks.
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
    """A JSON object with its position or, if `value` is None, the part of a line that is not an object."""

    line_no: int
    offset: int
    raw: bytes
    value: dict[str, Any] | None
    reason: str | None = None
    ordinal: int = 1


class JsonLineReader:
    """Splits blocks into pieces, and keeps the position at which the next run continues."""

    def __init__(self, offset: int = 0, line_no: int = 1, line_objects: int = 0) -> None:
        self.offset = offset
        self.line_no = line_no
        self.line_objects = line_objects
        self.crlf_line: int | None = None
        self.is_torn = False  # set by `finish` if the last line ends in an incomplete object
        self._pending: list[bytes] = []

    def feed(self, block: bytes) -> Iterator[Piece]:
        """Yield the pieces of all lines that `block` completes."""
        start = 0
        while (end := block.find(b"\n", start)) >= 0:
            line = block[start:end]
            if self._pending:
                line = b"".join([*self._pending, line])
                self._pending = []
            start = end + 1
            # most lines are exactly one strictly valid JSON object
            if line[:1] == b"{" and line[-1:] == b"}" and not self.line_objects:
                try:
                    value = orjson.loads(line)
                except orjson.JSONDecodeError:
                    yield from self._line_pieces(line)
                    continue
                offset, line_no = self.offset, self.line_no
                self.offset, self.line_no = offset + len(line) + 1, line_no + 1
                yield Piece(line_no, offset, line, value)
            else:
                yield from self._line_pieces(line)
        if start < len(block):
            self._pending.append(block[start:])

    def finish(self) -> Iterator[Piece]:
        """Yield the complete objects of the last, unfinished line. The rest of the line stays pending."""
        self.is_torn = False
        if not self._pending:
            return
        line, start = b"".join(self._pending), self.offset
        for piece in _pieces(line, start, self.line_no, self.line_objects):
            if piece.value is None:
                break
            self.line_objects = piece.ordinal
            self.offset = piece.offset + len(piece.raw)
            yield piece
        incomplete = line[self.offset - start :]
        self._pending = [incomplete]
        self.is_torn = bool(incomplete.strip(_SPACE).removeprefix(_BOM))

    def _line_pieces(self, line: bytes) -> Iterator[Piece]:
        """Yield the pieces of a line that is not exactly one strictly valid JSON object."""
        offset, line_no, objects = self.offset, self.line_no, self.line_objects
        self.offset, self.line_no, self.line_objects = offset + len(line) + 1, line_no + 1, 0
        if line.endswith(b"\r") and self.crlf_line is None:
            self.crlf_line = line_no
        yield from _pieces(line, offset, line_no, objects)


def objects_in(data: bytes) -> list[dict[str, Any]]:
    """Return the complete JSON objects at the start of `data`, whether or not newlines separate them."""
    return [piece.value for piece in _pieces(data, 0, 1, 0) if piece.value is not None]


def _pieces(line: bytes, offset: int, line_no: int, objects: int) -> Iterator[Piece]:
    """Yield the objects of a line from left to right, then the rest of the line if it is not an object."""
    text = line.strip(_SPACE)
    if not text:
        return
    strict = _parse_strict(text) if text[0] == _OPEN else None
    if strict is None:
        yield from _lenient_pieces(line, offset, line_no, objects)
    else:
        yield Piece(line_no, offset + line.index(_OPEN), text, strict[0], None, objects + 1)


def _lenient_pieces(line: bytes, offset: int, line_no: int, objects: int) -> Iterator[Piece]:
    """Yield the pieces of a line that is not exactly one strict object."""
    text = decode(line)
    position = 0
    while True:
        blank = _BLANK.match(text, position)
        assert blank is not None  # the pattern also matches the empty string
        offset += len(encode(blank.group()))
        position = blank.end()
        if position == len(text):
            return
        lenient = object_at(text, position) if text[position] == "{" else None
        if lenient is None:
            yield Piece(line_no, offset, encode(text[position:]).rstrip(_SPACE), None)
            return
        raw = encode(text[position : lenient.end])
        objects += 1
        value, reason = _parse_strict(raw) or (lenient.value, lenient.reason)
        if reason is None and "\ufeff" in blank.group():
            reason = "a byte order mark"
        yield Piece(line_no, offset, raw, value, reason, objects)
        offset += len(raw)
        position = lenient.end


def _parse_strict(raw: bytes) -> tuple[dict[str, Any], None] | None:
    """Return (object, None) if the bytes are strictly valid JSON, otherwise None.

    The second item is the `reason` of the piece; it is None because the JSON is valid.
    """
    try:
        return orjson.loads(raw), None
    except orjson.JSONDecodeError:
        return None
