"""The bytes of a source from a position on to events: chunks, rows, problems and the position reached."""

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import BinaryIO

from ccindex.chunks import CHUNK_BYTES, EDGE_BYTES, compress, content_digest, short_hash
from ccindex.model.diagnostics import Code, Diagnostic
from ccindex.model.events import Checkpoint, Chunk, Document, Event, PhaseTimes, Problem
from ccindex.model.sources import FileState, FoundFile, PathInfo, ReadPosition
from ccindex.read.discovery import state_of
from ccindex.read.json_lines import objects_in
from ccindex.read.json_values import dumps, string, trimmed
from ccindex.read.transcript_parser import TranscriptParser

CHECKPOINT_BYTES = 64 << 20
MAX_DOCUMENT_BYTES = 64 << 20  # a larger document is archived but not parsed


class Unreadable(OSError):
    """A file could not be opened or read, as opposed to any other failure, which ends the run."""


@dataclass(frozen=True, slots=True)
class Start:
    """Where to start reading a source.

    `before` is archived bytes up to `position.archived`: the incomplete last line, at least the last EDGE_BYTES, and
    all bytes of a document that is not too large.
    """

    position: ReadPosition = field(default_factory=ReadPosition)
    before: bytes = b""
    block_sizes: tuple[int, ...] = ()  # of the first blocks: as they are archived already, for an earlier generation

    @property
    def incomplete_line(self) -> bytes:
        """Archived bytes that no object was read from yet."""
        return self.before[len(self.before) - (self.position.archived - self.position.offset) :]


def read_file(file: FoundFile) -> Iterator[Event]:
    """Read a file from its beginning; raises Unreadable if it cannot be opened."""
    with open_file(file.real) as opened:
        yield from read_source(opened, state_of(os.fstat(opened.fileno())), file.info, Start())


def read_source(file: BinaryIO, state: FileState, info: PathInfo, start: Start) -> Iterator[Event]:
    """Read an open file up to the size that it has in `state`, with its bytes as chunks for the archive."""
    reader = _SourceReader(info, state, start)
    blocks = _file_blocks(file, start.position.archived, state.size, start.block_sizes)
    while True:
        try:
            with reader.phases.timed("read"):
                block = next(blocks, None)
        except Unreadable as error:
            # the part that was read is kept; the next run tries again
            yield Problem(Diagnostic(Code.UNREADABLE, error.strerror))
            break
        if block is None:
            break
        with reader.phases.timed("archive"):
            chunk = Chunk(reader.archived, len(block), content_digest(block), compress(block))
        yield chunk
        yield from reader.add(block)
    yield from reader.checkpoint()


def read_archived(blocks: Iterable[bytes], state: FileState, info: PathInfo) -> Iterator[Event]:
    """Read a source again from the bytes in the archive."""
    reader = _SourceReader(info, state, Start())
    for block in blocks:
        yield from reader.add(block)
    yield from reader.checkpoint()


def open_file(path: str) -> BinaryIO:
    """Open a file to read it; raises Unreadable."""
    try:
        return open(path, "rb", buffering=0)
    except OSError as error:
        raise Unreadable(error.errno, error.strerror or str(error)) from error


def read_exactly(file: BinaryIO, count: int) -> bytes:
    """Read that many bytes, fewer only at the end of the file; raises Unreadable."""
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
    """Give the bytes between two offsets; they end early if the file shrank meanwhile."""
    file.seek(start)
    for size in _block_sizes(start, end, first_sizes):
        block = read_exactly(file, size)
        if block:
            yield block
        if len(block) < size:
            return


def _block_sizes(start: int, end: int, first_sizes: Sequence[int]) -> Iterator[int]:
    yield from first_sizes
    position = start + sum(first_sizes)
    while position < end:
        yield min(CHUNK_BYTES, end - position)
        position += CHUNK_BYTES


class _SourceReader:
    """Counts the bytes of a source, hashes both ends and passes the bytes to the parser that its role needs."""

    def __init__(self, info: PathInfo, state: FileState, start: Start) -> None:
        position = start.position
        self.phases = PhaseTimes()
        self.archived = position.archived
        self._state = state
        self._start = position
        self._checkpoint_at = self.archived + CHECKPOINT_BYTES
        # before EDGE_BYTES are archived, `before` is all of them
        self._head = start.before if self.archived < EDGE_BYTES else None
        self._tail = start.before[-EDGE_BYTES:]
        is_whole = len(start.before) == self.archived
        self._document = bytearray(start.before) if info.role.is_document and is_whole else None
        self._parser = TranscriptParser(info, position, self.phases) if info.role.is_transcript else None
        self._incomplete_line = start.incomplete_line

    def add(self, block: bytes) -> Iterator[Event]:
        """Take the next bytes of the source."""
        self.archived += len(block)
        if self._head is not None and len(self._head) < EDGE_BYTES:
            self._head += block[: EDGE_BYTES - len(self._head)]
        self._tail = block[-EDGE_BYTES:] if len(block) >= EDGE_BYTES else (self._tail + block)[-EDGE_BYTES:]
        if self._document is not None and len(self._document) <= MAX_DOCUMENT_BYTES:
            self._document += block
        if self._parser is not None:
            yield from self._parser.feed(self._incomplete_line + block)
            self._incomplete_line = b""
        if self.archived >= self._checkpoint_at:
            self._checkpoint_at = self.archived + CHECKPOINT_BYTES
            yield from self.checkpoint()

    def checkpoint(self) -> Iterator[Event]:
        """Yield everything that the bytes so far contain, and the position that they end at."""
        if self._parser is not None:
            # also in the middle of a file, because a killed run may be the last one that sees it
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
        # a file that was not read to its end gets a state that it cannot have, so that the next run opens it
        is_complete = self.archived == self._state.size
        state = self._state if is_complete else replace(self._state, size=self.archived, mtime_ns=0)
        yield Checkpoint(state, position, self.phases.take())


def _document_row(data: bytes | bytearray) -> tuple[str | None, ...] | None:
    """Return the columns of a sidecar or workflow run: those of the last whole object, if there is one."""
    objects = objects_in(bytes(data)) if len(data) <= MAX_DOCUMENT_BYTES else []
    if not objects:
        return None
    value = objects[-1]
    return (
        string(value.get("agentType")),
        string(value.get("description")),
        string(value.get("toolUseId")),
        dumps(trimmed(value, longest=None)),
        string(value.get("name")),
    )
