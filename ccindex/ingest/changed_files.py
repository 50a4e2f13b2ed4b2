"""Changed files, and generations in the archive, to recorded rows: reads them and writes their events."""

import os
from collections.abc import Callable, Iterable, Sequence
from errno import ENOENT
from itertools import chain
from typing import NamedTuple

from ccindex.ingest.bulk_load import is_first_load
from ccindex.ingest.file_changes import detect_change
from ccindex.ingest.run import IngestRun, mark_missing, now
from ccindex.ingest.workers import reader
from ccindex.model.diagnostics import Code, Diagnostic
from ccindex.model.events import Checkpoint, Event, Resolved
from ccindex.model.sources import FoundFile, KnownSource, ReadPosition
from ccindex.read.discovery import Survey, state_of
from ccindex.read.source_reader import Unreadable, open_file, read_archived, read_source
from ccindex.store.archive import Archive
from ccindex.store.entry_writer import EntryWriter
from ccindex.store.source_writer import SourceWriter
from ccindex.store.sources import add_source, load_generation, set_missing

Changed = Sequence[tuple[FoundFile, KnownSource | None]]


class Progress(NamedTuple):
    """How many bytes of how many were read."""

    done: int
    total: int


Watcher = Callable[[Progress], None]


def ingest_changed(run: IngestRun, changed: Changed, survey: Survey, *, full: bool, watch: Watcher) -> None:
    """Bring the index up to date with the files that changed; what cannot be read is added to the survey."""
    sizes = [file.state.size - (known.position.archived if known else 0) for file, known in changed]
    if is_first_load(run.connection, sum(sizes)):
        run.begin_bulk_load()
    done, total = 0, sum(sizes)
    with reader([file for file, known in changed if known is None], run.jobs) as new_files:
        for (file, known), size in zip(changed, sizes, strict=True):
            try:
                if known is None:
                    _ingest_new(run, file, next(new_files))
                else:
                    _ingest_known(run, file, known, full=full)
            except Unreadable as error:
                _note_unreadable(run, file, known, error, survey)
            done += size
            watch(Progress(done, total))
            run.commit_if_full()


def replay_generation(entries: EntryWriter, archive: Archive, source: int, number: int) -> None:
    """Write one generation from its archived bytes as if they were read for the first time."""
    known, indexed_at = load_generation(entries.connection, source, number)
    writer = SourceWriter(entries, archive, source=source, generation=number, indexed_at=indexed_at)
    writer.start_generation()
    role = known.info.role
    if role.is_transcript or role.is_document:
        for event in read_archived(archive.blocks(source, number), known.state, known.info):
            writer.apply(event)


def _ingest_new(run: IngestRun, file: FoundFile, events: Iterable[Event]) -> None:
    events = iter(events)
    first = next(events)  # raises Unreadable, before the file becomes a source
    run.begin()
    source = add_source(run.connection, file, now())
    writer = SourceWriter(run.entries, run.archive, source=source, generation=1, indexed_at=now())
    run.has_changes = True
    _write(run, writer, chain([first], events), ReadPosition())
    run.counts.new += 1
    run.counts.files_read += 1


def _ingest_known(run: IngestRun, file: FoundFile, known: KnownSource, *, full: bool) -> None:
    with open_file(file.real) as opened:
        state = state_of(os.fstat(opened.fileno()))
        run.begin()
        change = detect_change(run, opened, state, known, full=full)
        is_rewritten = change.generation != known.generation
        writer = SourceWriter(
            run.entries, run.archive, source=known.source, generation=change.generation, indexed_at=now()
        )
        if is_rewritten:
            writer.start_generation()
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
    """Write the events of a source; return the position that it was read to."""
    reached = start
    is_saved = False
    for event in events:
        if is_saved:  # in the middle of a large file
            run.commit_if_full()
        with run.phases.timed("write"):
            writer.apply(event)
        is_saved = isinstance(event, Checkpoint)
        if isinstance(event, Checkpoint):
            position = event.position
            run.phases.add(event.seconds)
            run.count_bytes(position.archived - reached.archived)
            run.counts.lines_read += position.lines - reached.lines
            run.counts.malformed_lines += position.malformed - reached.malformed
            run.has_changes = run.has_changes or position.archived > reached.archived
            reached = position
    return reached


def _note_unreadable(
    run: IngestRun, file: FoundFile, known: KnownSource | None, error: Unreadable, survey: Survey
) -> None:
    """Handle a file that cannot be opened: it may have been deleted since it was found."""
    if error.errno != ENOENT:
        survey.diagnostics.append(Diagnostic(Code.UNREADABLE, error.strerror, path=file.path))
    elif known is None:
        survey.diagnostics.append(Diagnostic(Code.UNREADABLE, "it vanished", path=file.path))
    else:
        mark_missing(run, known)
