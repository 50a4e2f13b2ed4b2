"""A file on disk against what the index knows of it: nothing new, bytes appended, or a new generation."""

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import BinaryIO

from ccindex.model.diagnostics import Code, Diagnostic
from ccindex.model.forgotten import Span, blanked
from ccindex.model.sources import FileState, Found, Known, Place, Position, Watermark
from ccindex.read.discover import state_of
from ccindex.store.archive import CHUNK, EDGE, Archive, Extent, digest_of
from ccindex.store.forgotten import lift_redactions, redactions_of
from ccindex.store.recorded import signed_hash
from ccindex.store.sources import add_source, save_position, set_missing

from .documents import keep_document
from .intake import Intake
from .run import Run, now


@dataclass(frozen=True, slots=True)
class _Plan:
    """Which generation to read on, from where, and in which steps its head was archived before."""

    source: int
    generation: int
    mark: Watermark
    steps: tuple[int, ...] = ()


def take(run: Run, found: Found, known: Known | None, *, full: bool) -> None:
    """Bring a source up to date with its file; raises OSError if the file cannot be opened."""
    with open(found.real, "rb", buffering=0) as file:
        state = state_of(os.fstat(file.fileno()))
        run.begin()
        if known is None:
            plan = _Plan(add_source(run.connection, found, now()), 1, Watermark())
        else:
            plan = _resume(run, file, state, known, full=full)
        after = _Reading(run, file, found.place, plan, state).run()
    _count(run, known, plan, after)
    if known is not None and known.is_missing:
        set_missing(run.connection, plan.source, is_missing=False)
        run.changed = True


def _count(run: Run, known: Known | None, plan: _Plan, after: Watermark) -> None:
    tally = run.tally
    tally.lines_read += _lines(after) - _lines(plan.mark)
    if known is None:
        tally.new += 1
    elif plan.generation != known.generation:
        tally.rewritten += 1
    elif after.archived > plan.mark.archived:
        tally.appended += 1
    else:
        tally.unchanged += 1
        return
    tally.files_read += 1
    run.changed = True  # even by an empty file


def _resume(run: Run, file: BinaryIO, state: FileState, known: Known, *, full: bool) -> _Plan:
    """Tell an append from a rewrite, and go on or start over."""
    mark = known.watermark
    blanks = redactions_of(run.connection, known.source, known.generation)
    same_file = (state.device, state.inode) == (known.state.device, known.state.inode)
    hashes = (mark.head_hash, mark.tail_hash)
    # no state of a file that was read to its end: some of what was forgotten of it may come back
    is_to_fill = bool(blanks) and known.state.mtime_ns == 0
    is_longer = not full and same_file and state.size > mark.archived and not is_to_fill
    if is_longer and _edges(run, file, mark.archived, blanks) == hashes:
        return _Plan(known.source, known.generation, mark)
    extents = run.archive.extents(known.source, known.generation)
    steps = tuple(_unchanged(run, file, extents, blanks))
    if sum(steps) == mark.archived:
        return _Plan(known.source, known.generation, _filled(run, file, known, blanks) if is_to_fill else mark)
    run.ledger.begin_generation(known.source, known.generation + 1)
    return _Plan(known.source, known.generation + 1, Watermark(), steps)


def _unchanged(run: Run, file: BinaryIO, extents: list[Extent], blanks: list[Span]) -> Iterator[int]:
    """Give the lengths of the archived extents that the file still begins with, save what was forgotten of it."""
    file.seek(0)
    for extent in extents:
        data = _read_exactly(file, extent.length)
        run.read(len(data))
        if digest_of(blanked(data, extent.start, blanks)) != extent.hash:
            return
        yield extent.length


def _filled(run: Run, file: BinaryIO, known: Known, blanks: list[Span]) -> Watermark:
    """Put the bytes of the file in the place of blanks; what is still forgotten of them goes again with this run."""
    source, generation, mark = known.source, known.generation, known.watermark
    for extent in run.archive.extents(source, generation):
        file.seek(extent.start)
        data = _read_exactly(file, extent.length)
        if digest_of(blanked(data, extent.start, blanks)) == extent.hash:
            run.archive.exchange(source, generation, extent.start, data)
    run.archive.drop_unused()
    lift_redactions(run.connection, source, generation)
    run.changed = True
    head, tail = archived_edges(run.archive, source, generation, mark.archived)
    return replace(mark, head_hash=head, tail_hash=tail)


class _Reading:
    """Archives and takes what lies between the watermark and the end of the file.

    What is kept of a generation is true of its archived bytes, not of the file, which may change meanwhile.
    """

    def __init__(self, run: Run, file: BinaryIO, place: Place, plan: _Plan, state: FileState) -> None:
        self._run = run
        self._file = file
        self._plan = plan
        self._state = state
        self._role = place.role
        self._archived = plan.mark.archived
        self._tail = b""
        self._intake = None
        if place.role.is_transcript:
            self._intake = Intake(run.ledger, plan.source, plan.generation, place=place, mark=plan.mark)

    def run(self) -> Watermark:
        """Read to the end and return how far that was."""
        plan = self._plan
        self._run.ledger.clear_diagnostic(plan.source, Code.UNREADABLE)
        self._reread_torn_tail()
        try:
            self._read()
        except OSError as error:
            # what was read is a good beginning; the next run tries again
            detail = error.strerror or str(error)
            self._run.ledger.tell(plan.source, plan.generation, Diagnostic(Code.UNREADABLE, detail))
        return self._save(is_complete=self._archived == self._state.size)

    def _reread_torn_tail(self) -> None:
        """Parse again what was archived but not taken, from the archive."""
        mark, archive = self._plan.mark, self._run.archive
        if self._intake is not None and mark.offset < mark.archived:
            length = mark.archived - mark.offset
            self._intake.feed(archive.slice(self._plan.source, self._plan.generation, mark.offset, length))

    def _read(self) -> None:
        self._file.seek(self._archived)
        for step in self._steps():
            block = _read_exactly(self._file, step)
            self._run.read(len(block))
            if block:
                self._run.archive.put(self._plan.source, self._plan.generation, self._archived, block)
                self._run.changed = True
                self._archived += len(block)
                self._tail = (self._tail + block)[-EDGE:]
            if self._intake is not None:
                self._intake.feed(block)
            if len(block) < step:
                return  # it shrank while we read
            self._run.pause(self._save_so_far)

    def _steps(self) -> Iterator[int]:
        """Give how much to read at a time: extents as they were archived before, then whole chunks."""
        position, end = self._archived, self._state.size
        for step in self._plan.steps:
            yield step
            position += step
        while position < end:
            yield min(CHUNK, end - position)
            position += CHUNK

    def _save_so_far(self) -> None:
        self._save(is_complete=False)

    def _save(self, *, is_complete: bool) -> Watermark:
        plan = self._plan
        if self._intake is not None:
            # even in the middle of a file: a run that is killed now may be the last to see it
            self._intake.finish()
            mark = self._intake.pause(self._archived)
        else:
            mark = replace(plan.mark, archived=self._archived, offset=self._archived)
        head, tail = self._edges()
        mark = replace(mark, head_hash=head, tail_hash=tail)
        # a file read in part has another state than its own, lest the next run take it for unchanged
        state = self._state if is_complete else replace(self._state, size=self._archived, mtime_ns=0)
        save_position(self._run.connection, Position(plan.source, plan.generation, state, mark, now()))
        if self._intake is not None and plan.generation > 1:
            self._run.ledger.supersede(plan.source, plan.generation)
        if self._role.is_document:
            keep_document(self._run, plan.source, plan.generation)
        return mark

    def _edges(self) -> tuple[int, int]:
        """Hash the head and the tail of what is archived."""
        plan, archive, size = self._plan, self._run.archive, min(EDGE, self._archived)
        if plan.mark.archived >= EDGE:
            head = plan.mark.head_hash
        else:
            head = signed_hash(archive.slice(plan.source, plan.generation, 0, size))
        tail = self._tail
        if len(tail) < size:
            tail = archive.slice(plan.source, plan.generation, self._archived - size, size)
        return head, signed_hash(tail)


def _edges(run: Run, file: BinaryIO, archived: int, blanks: list[Span]) -> tuple[int, int]:
    """Hash the head of a file and the bytes just below an offset, as the archive has them."""
    file.seek(0)
    head = _read_exactly(file, min(EDGE, archived))
    start = max(0, archived - EDGE)
    file.seek(start)
    tail = _read_exactly(file, min(EDGE, archived))
    run.read(len(head) + len(tail))
    return signed_hash(blanked(head, 0, blanks)), signed_hash(blanked(tail, start, blanks))


def archived_edges(archive: Archive, source: int, generation: int, archived: int) -> tuple[int, int]:
    """Hash the head and the tail of what is archived."""
    size = min(EDGE, archived)
    head, tail = (archive.slice(source, generation, start, size) for start in (0, archived - size))
    return signed_hash(head), signed_hash(tail)


def _read_exactly(file: BinaryIO, count: int) -> bytes:
    """Read that many bytes, fewer only at the end of the file."""
    parts = []
    while count > 0:
        part = file.read(count)
        if not part:
            break
        parts.append(part)
        count -= len(part)
    return parts[0] if len(parts) == 1 else b"".join(parts)


def _lines(mark: Watermark) -> int:
    return mark.line_no - 1 + (mark.line_objects > 0)
