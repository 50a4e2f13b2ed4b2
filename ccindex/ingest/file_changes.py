"""An open file and what the index knows of it to the position to read it from: appended, rewritten or unchanged."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import BinaryIO

from ccindex.chunks import EDGE_BYTES, content_digest, short_hash
from ccindex.ingest.run import IngestRun
from ccindex.model.sources import FileState, KnownSource, ReadPosition, Span, blanked
from ccindex.read.source_reader import MAX_DOCUMENT_BYTES, Start, read_exactly
from ccindex.store.archive import Archive, Extent
from ccindex.store.tombstones import lift_redactions, redactions_of


@dataclass(frozen=True, slots=True)
class Change:
    """The generation that a file has now, and where to start reading it."""

    generation: int
    start: Start


def detect_change(run: IngestRun, file: BinaryIO, state: FileState, known: KnownSource, *, full: bool) -> Change:
    """Compare a file with its archived bytes; if they are not its beginning, it has a new generation.

    A file that only grew is compared at both ends of the archived part, any other one completely.
    """
    position = known.position
    redactions = redactions_of(run.connection, known.source, known.generation)
    is_same_file = (state.device, state.inode) == (known.state.device, known.state.inode)
    # `forget --undo` leaves a state that no file has: bytes that were blanked may come back
    is_refill = bool(redactions) and known.state.mtime_ns == 0
    if not full and is_same_file and state.size > position.archived and not is_refill:
        edges = _hash_edges(run, file, position.archived, redactions)
        if edges == (position.head_hash, position.tail_hash):
            return Change(known.generation, _start_at(run.archive, known, position))
    extents = run.archive.extents(known.source, known.generation)
    unchanged = tuple(_unchanged_extents(run, file, extents, redactions))
    if sum(unchanged) != position.archived:
        return Change(known.generation + 1, Start(block_sizes=unchanged))
    if is_refill:
        position = _refill(run, file, known, redactions)
    return Change(known.generation, _start_at(run.archive, known, position))


def _start_at(archive: Archive, known: KnownSource, position: ReadPosition) -> Start:
    """Continue a generation, with the archived bytes that the reader needs."""
    first = max(0, min(position.offset, position.archived - EDGE_BYTES))
    if known.info.role.is_document and position.archived <= MAX_DOCUMENT_BYTES:
        first = 0
    return Start(position, archive.slice(known.source, known.generation, first, position.archived - first))


def _hash_edges(run: IngestRun, file: BinaryIO, archived: int, redactions: list[Span]) -> tuple[int, int]:
    """Hash the first bytes of a file and the last ones before an offset, redacted as in the archive."""
    size = min(EDGE_BYTES, archived)
    file.seek(0)
    head = read_exactly(file, size)
    file.seek(archived - size)
    tail = read_exactly(file, size)
    run.count_bytes(len(head) + len(tail))
    return short_hash(blanked(head, 0, redactions)), short_hash(blanked(tail, archived - size, redactions))


def _unchanged_extents(run: IngestRun, file: BinaryIO, extents: list[Extent], redactions: list[Span]) -> Iterator[int]:
    """Give the sizes of the archived extents that the file still starts with, apart from redacted bytes."""
    file.seek(0)
    for extent in extents:
        data = read_exactly(file, extent.length)
        run.count_bytes(len(data))
        if content_digest(blanked(data, extent.start, redactions)) != extent.hash:
            return
        yield extent.length


def _refill(run: IngestRun, file: BinaryIO, known: KnownSource, redactions: list[Span]) -> ReadPosition:
    """Replace blanked bytes of the archive by those of the file; this run removes again what is still forgotten."""
    source, generation, position = known.source, known.generation, known.position
    for extent in run.archive.extents(source, generation):
        file.seek(extent.start)
        data = read_exactly(file, extent.length)
        if content_digest(blanked(data, extent.start, redactions)) == extent.hash:
            run.archive.exchange(source, generation, extent.start, data)
    run.archive.drop_unused()
    lift_redactions(run.connection, source, generation)
    run.has_changes = True
    head, tail = run.archive.edges(source, generation, position.archived)
    return replace(position, head_hash=head, tail_hash=tail)
