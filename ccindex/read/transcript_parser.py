"""Blocks of a transcript's bytes to batches of rows, problems, drift and backfills."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from ccindex.model.diagnostics import Code, Diagnostic
from ccindex.model.events import Backfill, Drift, Event, PhaseTimes, Problem, Resolved
from ccindex.model.recorded import Parsed, Unknown
from ccindex.model.sources import PathInfo, ReadPosition
from ccindex.read.entry_parser import parse
from ccindex.read.json_lines import LineReader, Piece
from ccindex.read.row_batches import BatchBuilder

BATCH_BYTES = 4 << 20
BATCH_OBJECTS = 5_000
_DECODED_TOGETHER = 100  # so that the clock is read once per so many lines
_PREVIEW_BYTES = 200


class TranscriptParser:
    """Reads the objects of one generation from a position on."""

    def __init__(self, info: PathInfo, start: ReadPosition, phases: PhaseTimes) -> None:
        self._info = info
        self._phases = phases
        self._lines = LineReader(start.offset, start.line_no, start.line_objects)
        self._malformed = start.malformed
        self._saw_crlf = start.saw_crlf
        self._is_torn = start.is_torn
        self._last_at = start.last_at
        self._last_session = start.last_session
        self._rows = BatchBuilder()
        self._row_bytes = 0
        self._has_yielded_rows = start.offset > 0
        self._drift: dict[Unknown, tuple[int, int, int]] = {}
        self._events: list[Event] = []  # to be yielded next

    def feed(self, block: bytes) -> Iterator[Event]:
        """Read the lines that the next bytes complete."""
        yield from self._read(self._lines.feed(block))
        if self._lines.crlf_line is not None and not self._saw_crlf:
            # without a session: the line is known, but not what was before it
            yield Problem(Diagnostic(Code.CRLF, line_no=self._lines.crlf_line, session_id=self._info.session_hint))
            self._saw_crlf = True

    def finish(self) -> Iterator[Event]:
        """Read the whole objects of the last line, and yield all rows; an incomplete object is a problem."""
        yield from self._read(self._lines.finish())
        if self._is_torn:
            yield Resolved(Code.TORN_TAIL)
        self._is_torn = self._lines.is_torn
        if self._is_torn:
            yield self._problem(Code.TORN_TAIL, None, self._lines.line_no, self._lines.offset)
        yield from self._flush()

    def position(self, archived: int) -> ReadPosition:
        """Return the position after `finish`; `archived`: the bytes so far."""
        return ReadPosition(
            archived=archived,
            offset=self._lines.offset,
            line_no=self._lines.line_no,
            line_objects=self._lines.line_objects,
            malformed=self._malformed,
            saw_crlf=self._saw_crlf,
            is_torn=self._is_torn,
            last_at=self._last_at,
            last_session=self._last_session,
        )

    def _read(self, pieces: Iterator[Piece]) -> Iterator[Event]:
        while True:
            with self._phases.timed("decode"):
                some = list(islice(pieces, _DECODED_TOGETHER))
            if not some:
                return
            with self._phases.timed("project"):
                self._parse(some)
            if self._events:
                yield from self._events
                self._events = []
            if self._row_bytes >= BATCH_BYTES or len(self._rows) >= BATCH_OBJECTS:
                yield from self._flush()

    def _parse(self, pieces: Iterable[Piece]) -> None:
        for piece in pieces:
            if piece.value is None:
                preview = piece.raw[:_PREVIEW_BYTES].decode("utf-8", "replace")
                self._events.append(self._problem(Code.MALFORMED_LINE, preview, piece.line_no, piece.offset))
                self._malformed += 1
            else:
                self._parse_object(piece, piece.value)
            self._row_bytes += len(piece.raw)

    def _parse_object(self, piece: Piece, value: dict[str, Any]) -> None:
        parsed, raw = parse(value), piece.raw
        at, session_id = self._claims(piece.offset, parsed)
        if piece.why is not None:
            self._events.append(self._problem(Code.LENIENT_LINE, piece.why, piece.line_no, piece.offset))
        if piece.ordinal == 2:
            self._events.append(self._problem(Code.TWO_OBJECTS, None, piece.line_no, piece.offset))
        if b"\\u0000" in raw or b"\0" in raw:
            self._events.append(self._problem(Code.NUL_CHARACTER, None, piece.line_no, piece.offset))
        for item in parsed.unknown:
            count, line_no, offset = self._drift.get(item, (0, piece.line_no, piece.offset))
            self._drift[item] = (count + 1, line_no, offset)
        self._rows.add((piece.line_no, piece.offset), raw, parsed, session_id, at)

    def _claims(self, offset: int, parsed: Parsed) -> tuple[int, str]:
        """Return the instant and the session of an object: its own, or those of its nearest neighbour in the file."""
        hint = self._info.session_hint
        if parsed.at is not None:
            if self._last_at is None:
                self._backfill(Backfill(offset, timestamp_ms=parsed.at))
            self._last_at = parsed.at
        if parsed.session_id is not None:
            if self._last_session is None and hint is None:
                self._backfill(Backfill(offset, session_id=parsed.session_id))
            self._last_session = parsed.session_id
        session_id = parsed.session_id or hint or self._last_session or self._info.stem
        return self._last_at or 0, session_id

    def _backfill(self, found: Backfill) -> None:
        self._rows.backfill(timestamp_ms=found.timestamp_ms, session_id=found.session_id)
        if self._has_yielded_rows:
            self._events.append(found)

    def _flush(self) -> Iterator[Event]:
        if not len(self._rows):
            return
        yield self._rows.take()
        if self._drift:
            yield Drift(self._drift)
        self._row_bytes, self._drift, self._has_yielded_rows = 0, {}, True

    def _problem(self, code: Code, detail: str | None, line_no: int, offset: int | None) -> Problem:
        session_id = self._info.session_hint or self._last_session
        return Problem(Diagnostic(code, detail, line_no=line_no, offset=offset, session_id=session_id))
