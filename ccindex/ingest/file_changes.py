"""Read changed files or archived generations, and write their events as rows."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from errno import ENOENT
from itertools import chain
from typing import BinaryIO, NamedTuple

from ccindex.chunks import EDGE_BYTES, content_digest, short_hash
from ccindex.ingest.run import IngestRun, mark_missing, now
from ccindex.model.diagnostics import Code, Diagnostic
from ccindex.model.events import Checkpoint, Event, Resolved
from ccindex.model.sources import FileState, FoundFile, KnownSource, ReadPosition, Redaction, blank_out
from ccindex.read.discovery import Survey, file_state
from ccindex.read.source_reader import (
    MAX_DOCUMENT_BYTES,
    Start,
    Unreadable,
    open_file,
    read_archived,
    read_exactly,
    read_file,
    read_source,
)
from ccindex.store.archive import Archive, Extent
from ccindex.store.entry_writer import EntryWriter
from ccindex.store.source_writer import SourceWriter
from ccindex.store.sources import (
    add_source,
    delete_redactions,
    load_generation,
    load_redactions,
    set_missing,
)

Changed = Sequence[tuple[FoundFile, KnownSource | None]]


class Progress(NamedTuple):
    """Bytes read so far, and bytes to read in total."""

    done: int
    total: int


ProgressCallback = Callable[[Progress], None]


def ingest_changed(
    run: IngestRun, changed: Changed, survey: Survey, *, full: bool, on_progress: ProgressCallback
) -> None:
    """Bring the index up to date with the files that changed. Unreadable files are added to the survey."""
    sizes = [file.state.size - (known.position.archived if known else 0) for file, known in changed]
    done, total = 0, sum(sizes)
    for (file, known), size in zip(changed, sizes, strict=True):
        try:
            if known is None:
                ingest_new(run, file)
            else:
                _ingest_known(run, file, known, full=full)
        except Unreadable as error:
            _note_unreadable(run, file, known, error, survey)
        done += size
        on_progress(Progress(done, total))
        run.commit_if_full()


def rebuild_generation(entries: EntryWriter, archive: Archive, source: int, number: int) -> None:
    """Write the rows of one generation again, from its archived bytes."""
    known, indexed_at = load_generation(entries.connection, source, number)
    writer = SourceWriter(entries, archive, source=source, generation=number, indexed_at=indexed_at)
    writer.start_generation()
    role = known.info.role
    if role.is_transcript or role.is_document:
        for event in read_archived(archive.blocks(source, number), known.state, known.info):
            writer.apply(event)


def ingest_new(run: IngestRun, file: FoundFile) -> None:
    """Index a file that has no source yet. Raise Unreadable if it cannot be opened."""
    events = read_file(file)
    first = next(events)  # raises Unreadable before the file is added as a source
    run.begin()
    source = add_source(run.connection, file, now())
    writer = SourceWriter(run.entries, run.archive, source=source, generation=1, indexed_at=now())
    run.has_changes = True
    _write(run, writer, chain([first], events), ReadPosition())
    run.counts.new += 1
    run.counts.files_read += 1


def _ingest_known(run: IngestRun, file: FoundFile, known: KnownSource, *, full: bool) -> None:
    with open_file(file.real) as opened:
        state = file_state(os.fstat(opened.fileno()))
        run.begin()
        change = detect_change(run, opened, state, known, full=full)
        is_rewritten = change.generation != known.generation
        writer = SourceWriter(
            run.entries, run.archive, source=known.source, generation=change.generation, indexed_at=now()
        )
        if is_rewritten:
            writer.start_generation()
        if known.state.mtime_ns == 0:  # the file was not read to its end, or was reset by `forget --allow`
            writer.apply(Resolved(Code.UNREADABLE))
        start = change.start.position
        end = _write(run, writer, read_source(opened, state, file.info, change.start), start)
    if known.is_missing:
        set_missing(run.connection, known.source, is_missing=False)
        run.has_changes = True
    if is_rewritten:
        run.counts.rewritten += 1
    elif end.archived > start.archived:
        run.counts.appended += 1
    else:
        run.counts.unchanged += 1
        return
    run.counts.files_read += 1
    run.has_changes = True


def _write(run: IngestRun, writer: SourceWriter, events: Iterable[Event], start: ReadPosition) -> ReadPosition:
    """Write the events of a source and return the position up to which it was read."""
    reached = start
    is_saved = False
    for event in events:
        if is_saved:  # a large file may be committed in parts
            run.commit_if_full()
        with run.phases.timed("write"):
            writer.apply(event)
        is_saved = isinstance(event, Checkpoint)
        if isinstance(event, Checkpoint):
            position = event.position
            for phase, seconds in event.seconds.items():
                run.phases[phase] = run.phases.get(phase, 0.0) + seconds
            run.counts.bytes_read += position.archived - reached.archived
            # a partly read line counts as read
            run.counts.lines_read += position.line_no - reached.line_no
            run.counts.lines_read += (position.line_objects > 0) - (reached.line_objects > 0)
            run.counts.malformed_lines += position.malformed_lines - reached.malformed_lines
            run.has_changes = run.has_changes or position.archived > reached.archived
            reached = position
    return reached


def _note_unreadable(
    run: IngestRun, file: FoundFile, known: KnownSource | None, error: Unreadable, survey: Survey
) -> None:
    """Record a diagnostic for an unreadable file. If a known source was deleted, mark it missing instead."""
    if error.errno != ENOENT:
        survey.diagnostics.append(Diagnostic(Code.UNREADABLE, error.strerror, path=file.path))
    elif known is None:
        survey.diagnostics.append(Diagnostic(Code.UNREADABLE, "it was deleted before it could be read", path=file.path))
    else:
        mark_missing(run, known)


@dataclass(frozen=True, slots=True)
class Change:
    """The current generation of a file, and where to start reading it."""

    generation: int
    start: Start


def detect_change(run: IngestRun, file: BinaryIO, state: FileState, known: KnownSource, *, full: bool) -> Change:
    """Compare a file with its archived bytes. If the file does not start with them, it has a new generation.

    If the same file (by device and inode) grew and `full` is false, only the first and last bytes of the archived part
    are compared at first. In other cases, or if these bytes differ, the whole archived part is compared.
    """
    position = known.position
    redactions = load_redactions(run.connection, known.source, known.generation)
    is_same_file = (state.device, state.inode) == (known.state.device, known.state.inode)
    # `forget --allow` sets the stored mtime to 0, so that this run reads the file and restores the blanked bytes
    is_refill = bool(redactions) and known.state.mtime_ns == 0
    if not full and is_same_file and state.size > position.archived and not is_refill:
        head, tail = _read_edges(run, file, position.archived, redactions)
        if (short_hash(head), short_hash(tail)) == (position.head_hash, position.tail_hash):
            return Change(known.generation, _start_at(run.archive, known, position, tail))
    extents = run.archive.extents(known.source, known.generation)
    unchanged = tuple(_unchanged_extents(run, file, extents, redactions))
    if sum(unchanged) != position.archived:
        return Change(known.generation + 1, Start(block_sizes=unchanged))
    if is_refill:
        position = _refill(run, file, known, redactions)
    return Change(known.generation, _start_at(run.archive, known, position, b""))


def _start_at(archive: Archive, known: KnownSource, position: ReadPosition, tail: bytes) -> Start:
    """Return where to continue reading a generation, with the archived bytes that the reader needs.

    `tail`: the last archived bytes; empty if they have not been read.
    """
    size = max(position.archived - position.offset, min(position.archived, EDGE_BYTES))
    if known.info.role.is_document and position.archived <= MAX_DOCUMENT_BYTES:
        size = position.archived
    if size != len(tail):
        tail = archive.slice(known.source, known.generation, position.archived - size, size)
    return Start(position, tail)


def _read_edges(run: IngestRun, file: BinaryIO, archived: int, redactions: list[Redaction]) -> tuple[bytes, bytes]:
    """Read the first bytes of a file and the last bytes of its archived part, redacted as in the archive."""
    size = min(EDGE_BYTES, archived)
    file.seek(0)
    head = read_exactly(file, size)
    file.seek(archived - size)
    tail = read_exactly(file, size)
    run.counts.bytes_read += len(head) + len(tail)
    if redactions:
        return blank_out(head, 0, redactions), blank_out(tail, archived - size, redactions)
    return head, tail


def _unchanged_extents(
    run: IngestRun, file: BinaryIO, extents: list[Extent], redactions: list[Redaction]
) -> Iterator[int]:
    """Yield the lengths of the archived extents until one differs from the file, ignoring redacted bytes."""
    file.seek(0)
    for extent in extents:
        data = read_exactly(file, extent.length)
        run.counts.bytes_read += len(data)
        if content_digest(blank_out(data, extent.start, redactions)) != extent.hash:
            return
        yield extent.length


def _refill(run: IngestRun, file: BinaryIO, known: KnownSource, redactions: list[Redaction]) -> ReadPosition:
    """Restore blanked bytes in the archive from the file, and return the position with the new hashes.

    The run later removes the data that is still forgotten.
    """
    source, generation, position = known.source, known.generation, known.position
    for extent in run.archive.extents(source, generation):
        file.seek(extent.start)
        data = read_exactly(file, extent.length)
        if content_digest(blank_out(data, extent.start, redactions)) == extent.hash:
            run.archive.replace_extent(source, generation, extent.start, data)
    run.archive.drop_unused()
    delete_redactions(run.connection, source, generation)
    run.has_changes = True
    head, tail = run.archive.edge_hashes(source, generation, position.archived)
    return replace(position, head_hash=head, tail_hash=tail)
