"""Read a source from a position and yield events: chunks, rows, problems and the new position."""

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import BinaryIO

from ccindex.chunks import CHUNK_BYTES, EDGE_BYTES, compress, content_digest, short_hash
from ccindex.model.diagnostics import Code, Diagnostic
from ccindex.model.events import Backfill, Checkpoint, Chunk, Document, Drift, Event, PhaseTimes, Problem, Resolved
from ccindex.model.recorded import ParsedObject, Unknown
from ccindex.model.sources import FileState, FoundFile, PathInfo, ReadPosition
from ccindex.read.discovery import file_state
from ccindex.read.entry_parser import parse_object
from ccindex.read.json_lines import JsonLineReader, Piece, objects_in
from ccindex.read.json_values import dumps, string, trim
from ccindex.read.row_batches import BatchBuilder

CHECKPOINT_BYTES = 64 << 20
BATCH_BYTES = 4 << 20
BATCH_OBJECTS = 5_000
_DECODE_LINES = 100  # objects that are decoded per time measurement
_PREVIEW_BYTES = 200
MAX_DOCUMENT_BYTES = 64 << 20  # a larger document is archived but not parsed


class Unreadable(OSError):
    """A file cannot be opened or read. Unlike most other errors, this one does not end the run."""


@dataclass(frozen=True, slots=True)
class Start:
    """The position at which to start reading a source.

    `before` contains the archived bytes before `position.archived`: at least the incomplete last line and the last
    EDGE_BYTES, or all bytes of a document that is not too large.
    """

    position: ReadPosition = field(default_factory=ReadPosition)
    before: bytes = b""
    block_sizes: tuple[int, ...] = ()  # of the first blocks, which are equal to chunks of an earlier generation


def read_file(file: FoundFile) -> Iterator[Event]:
    """Read a file from its beginning. Raise Unreadable if the file cannot be opened."""
    with open_file(file.real) as opened:
        yield from read_source(opened, file_state(os.fstat(opened.fileno())), file.info, Start())


def read_source(file: BinaryIO, state: FileState, info: PathInfo, start: Start) -> Iterator[Event]:
    """Read an open file from `start` up to the size in `state`. The events include its bytes as archive chunks."""
    reader = _SourceReader(info, state, start)
    blocks = _file_blocks(file, start.position.archived, state.size, start.block_sizes)
    checkpoint_at = reader.archived + CHECKPOINT_BYTES
    while True:
        try:
            with reader.phases.timed("read"):
                block = next(blocks, None)
        except Unreadable as error:
            # the part read so far is kept, and the next run tries again
            yield Problem(Diagnostic(Code.UNREADABLE, error.strerror))
            break
        if block is None:
            break
        with reader.phases.timed("archive"):
            chunk = Chunk(reader.archived, len(block), content_digest(block), compress(block))
        yield chunk
        yield from reader.add(block)
        if reader.archived >= checkpoint_at:
            yield from reader.checkpoint()
            checkpoint_at = reader.archived + CHECKPOINT_BYTES
    yield from reader.checkpoint()


def read_archived(blocks: Iterable[bytes], state: FileState, info: PathInfo) -> Iterator[Event]:
    """Read a generation again from its archived bytes. Yield only one checkpoint, at the end."""
    reader = _SourceReader(info, state, Start())
    for block in blocks:
        yield from reader.add(block)
    yield from reader.checkpoint()


def open_file(path: str) -> BinaryIO:
    """Open a file for reading. Raise Unreadable if that fails."""
    try:
        return open(path, "rb", buffering=0)
    except OSError as error:
        raise Unreadable(error.errno, error.strerror or str(error)) from error


def read_exactly(file: BinaryIO, count: int) -> bytes:
    """Read `count` bytes, or fewer at the end of the file. Raise Unreadable if reading fails."""
    parts = []
    while count > 0:
        try:
            part = file.read(count)
        except OSError as error:
            raise Unreadable(error.errno, error.strerror or str(error)) from error
        if not part:
            break
        parts.append(part)
        count -= len(part)
    return parts[0] if len(parts) == 1 else b"".join(parts)


def _file_blocks(file: BinaryIO, start: int, end: int, first_sizes: Sequence[int]) -> Iterator[bytes]:
    """Yield the bytes between two offsets, first in blocks of the given sizes. Stop early if the file has shrunk."""
    file.seek(start)
    position, sizes = start, iter(first_sizes)
    while position < end:
        size = next(sizes, min(CHUNK_BYTES, end - position))
        block = read_exactly(file, size)
        if block:
            yield block
        if len(block) < size:
            return
        position += size


class _SourceReader:
    """Counts the bytes of a source, hashes the bytes at both ends, and parses the source according to its role."""

    def __init__(self, info: PathInfo, state: FileState, start: Start) -> None:
        position = start.position
        self.phases = PhaseTimes()
        self.archived = position.archived
        self._state = state
        self._start = position
        # if fewer than EDGE_BYTES are archived, `before` contains all of them
        self._head = start.before if self.archived < EDGE_BYTES else None
        self._tail = start.before[-EDGE_BYTES:]
        is_whole = len(start.before) == self.archived
        self._document = bytearray(start.before) if info.role.is_document and is_whole else None
        self._parser = _TranscriptParser(info, position, self.phases) if info.role.is_transcript else None
        self._incomplete_line = start.before[len(start.before) - (position.archived - position.offset) :]

    def add(self, block: bytes) -> Iterator[Event]:
        """Add the next bytes of the source, and yield the events for the lines that they complete."""
        self.archived += len(block)
        if self._head is not None and len(self._head) < EDGE_BYTES:
            self._head += block[: EDGE_BYTES - len(self._head)]
        self._tail = block[-EDGE_BYTES:] if len(block) >= EDGE_BYTES else (self._tail + block)[-EDGE_BYTES:]
        if self._document is not None and len(self._document) <= MAX_DOCUMENT_BYTES:
            self._document += block
        if self._parser is not None:
            yield from self._parser.feed(self._incomplete_line + block)
            self._incomplete_line = b""

    def checkpoint(self) -> Iterator[Event]:
        """Yield the remaining events for the bytes added so far, and a checkpoint."""
        if self._parser is not None:
            # also done in the middle of a file: if this run is killed, the file may be deleted before the next run
            yield from self._parser.feed(self._incomplete_line)
            self._incomplete_line = b""
            yield from self._parser.finish()
            position = self._parser.position(self.archived)
        else:
            position = replace(self._start, archived=self.archived, offset=self.archived)
        if self._document is not None and (row := _document_row(self._document)) is not None:
            yield Document(row)
        head = self._start.head_hash if self._head is None else short_hash(self._head)
        position = replace(position, head_hash=head, tail_hash=short_hash(self._tail))
        # a file that was not read to its end gets an impossible state, so that the next run opens it
        is_complete = self.archived == self._state.size
        state = self._state if is_complete else replace(self._state, size=self.archived, mtime_ns=0)
        seconds = dict(self.phases)
        self.phases.clear()
        yield Checkpoint(state, position, seconds)


class _TranscriptParser:
    """Parses the objects of one generation, starting at a given position."""

    def __init__(self, info: PathInfo, start: ReadPosition, phases: PhaseTimes) -> None:
        self._info = info
        self._phases = phases
        self._lines = JsonLineReader(start.offset, start.line_no, start.line_objects)
        self._malformed = start.malformed_lines
        self._saw_crlf = start.has_crlf
        self._is_torn = start.is_torn
        self._last_timestamp_ms = start.last_timestamp_ms
        self._last_session = start.last_session
        self._rows = BatchBuilder()
        self._row_bytes = 0
        self._row_objects = 0
        self._has_yielded_rows = start.offset > 0
        self._drift: dict[Unknown, tuple[int, int, int]] = {}
        self._events: list[Event] = []  # to be yielded next

    def feed(self, block: bytes) -> Iterator[Event]:
        """Yield the events for the lines that the next bytes complete."""
        yield from self._read(self._lines.feed(block))
        if self._lines.crlf_line is not None and not self._saw_crlf:
            # the session of the object before this line is not known here
            yield Problem(Diagnostic(Code.CRLF, line_no=self._lines.crlf_line, session_id=self._info.session_hint))
            self._saw_crlf = True

    def finish(self) -> Iterator[Event]:
        """Read the complete objects of the last line, yield all remaining rows, and report any incomplete object."""
        yield from self._read(self._lines.finish())
        if self._is_torn:
            yield Resolved(Code.TORN_TAIL)
        self._is_torn = self._lines.is_torn
        if self._is_torn:
            yield self._problem(Code.TORN_TAIL, None, self._lines.line_no, self._lines.offset)
        yield from self._flush()

    def position(self, archived: int) -> ReadPosition:
        """Return the position after `finish`; `archived` is the number of bytes archived so far."""
        return ReadPosition(
            archived=archived,
            offset=self._lines.offset,
            line_no=self._lines.line_no,
            line_objects=self._lines.line_objects,
            malformed_lines=self._malformed,
            has_crlf=self._saw_crlf,
            is_torn=self._is_torn,
            last_timestamp_ms=self._last_timestamp_ms,
            last_session=self._last_session,
        )

    def _read(self, pieces: Iterator[Piece]) -> Iterator[Event]:
        while True:
            with self._phases.timed("decode"):
                batch = list(islice(pieces, _DECODE_LINES))
            if not batch:
                return
            with self._phases.timed("project"):
                batch.reverse()
                while batch:  # a line can be huge, so it is not kept while its rows are written
                    self._parse(batch.pop())
            if self._events:
                yield from self._events
                self._events = []
            if self._row_bytes >= BATCH_BYTES or self._row_objects >= BATCH_OBJECTS:
                yield from self._flush()

    def _parse(self, piece: Piece) -> None:
        raw = piece.raw
        self._row_bytes += len(raw)
        if piece.value is None:
            preview = raw[:_PREVIEW_BYTES].decode("utf-8", "replace")
            self._events.append(self._problem(Code.MALFORMED_LINE, preview, piece.line_no, piece.offset))
            self._malformed += 1
            return
        parsed = parse_object(piece.value)
        timestamp_ms, session_id = self._resolve_claims(piece.offset, parsed)
        if piece.reason is not None:
            self._events.append(self._problem(Code.LENIENT_LINE, piece.reason, piece.line_no, piece.offset))
        if piece.ordinal == 2:
            self._events.append(self._problem(Code.TWO_OBJECTS, None, piece.line_no, piece.offset))
        if b"\\u0000" in raw or b"\0" in raw:
            self._events.append(self._problem(Code.NUL_CHARACTER, None, piece.line_no, piece.offset))
        for item in parsed.unknown:
            count, line_no, offset = self._drift.get(item, (0, piece.line_no, piece.offset))
            self._drift[item] = (count + 1, line_no, offset)
        self._rows.add((piece.line_no, piece.offset), raw, parsed, session_id, timestamp_ms)
        self._row_objects += 1

    def _resolve_claims(self, offset: int, parsed: ParsedObject) -> tuple[int, str]:
        """Return the timestamp and session of an object, or the values it inherits if it has none.

        The timestamp is inherited from the nearest earlier object that has one. The session is taken from the path or,
        if the path contains none, from the nearest earlier object that has one. If no earlier object has a value, all
        earlier objects get the value of this object.

        (rule: inherited_instant, claimed_session)
        """
        hint = self._info.session_hint
        if parsed.timestamp_ms is not None:
            if self._last_timestamp_ms is None:
                self._backfill(Backfill(offset, timestamp_ms=parsed.timestamp_ms))
            self._last_timestamp_ms = parsed.timestamp_ms
        if parsed.session_id is not None:
            if self._last_session is None and hint is None:
                self._backfill(Backfill(offset, session_id=parsed.session_id))
            self._last_session = parsed.session_id
        session_id = parsed.session_id or hint or self._last_session or self._info.stem
        return self._last_timestamp_ms or 0, session_id

    def _backfill(self, event: Backfill) -> None:
        self._rows.backfill(timestamp_ms=event.timestamp_ms, session_id=event.session_id)
        if self._has_yielded_rows:
            self._events.append(event)

    def _flush(self) -> Iterator[Event]:
        if not self._row_objects:
            return
        yield self._rows.take()
        if self._drift:
            yield Drift(self._drift)
        self._row_bytes, self._row_objects, self._drift, self._has_yielded_rows = 0, 0, {}, True

    def _problem(self, code: Code, detail: str | None, line_no: int, offset: int | None) -> Problem:
        session_id = self._info.session_hint or self._last_session
        return Problem(Diagnostic(code, detail, line_no=line_no, offset=offset, session_id=session_id))


def _document_row(data: bytes | bytearray) -> tuple[str | None, ...] | None:
    """Return the columns of the last complete object in a sidecar or workflow run file, or None if there is none."""
    objects = objects_in(bytes(data)) if len(data) <= MAX_DOCUMENT_BYTES else []
    if not objects:
        return None
    value = objects[-1]
    return (
        string(value.get("agentType")),
        string(value.get("description")),
        string(value.get("toolUseId")),
        dumps(trim(value, max_chars=None)),
        string(value.get("name")),
    )
