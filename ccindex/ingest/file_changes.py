"""A file on disk against what the index knows of it: nothing new, bytes appended, or a new generation."""

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import BinaryIO

from ccindex.ingest.desk import Desk
from ccindex.ingest.documents import keep_document
from ccindex.ingest.intake import Intake
from ccindex.ingest.reading import Reading, Unreadable, open_file, read_exactly
from ccindex.ingest.run import Run, now
from ccindex.ingest.worker import CLOSED, Message
from ccindex.model.diagnostics import Code, Diagnostic
from ccindex.model.sources import FileState, Found, Known, Place, Position, Span, Watermark, blanked
from ccindex.read.discovery import state_of
from ccindex.store.archive import EDGE, Archive, Extent, digest_of, signed_hash
from ccindex.store.sources import add_source, save_position, set_missing
from ccindex.store.tombstones import lift_redactions, redactions_of


@dataclass(frozen=True, slots=True)
class _Plan:
    """Which generation to read on, from where, and in which steps its head was archived before."""

    source: int
    generation: int
    mark: Watermark
    steps: tuple[int, ...] = ()


def take(run: Run, found: Found, known: Known | None, *, full: bool) -> None:
    """Bring a source up to date with its file; raises Unreadable if the file cannot be opened."""
    with open_file(found.real) as file:
        state = state_of(os.fstat(file.fileno()))
        run.begin()
        if known is None:
            plan = _Plan(add_source(run.connection, found, now()), 1, Watermark())
        else:
            plan = _resume(run, file, state, known, full=full)
        after = _Source(run, file, found.place, plan, state).read()
    _count(run, known, plan, after)
    if known is not None and known.is_missing:
        set_missing(run.connection, plan.source, is_missing=False)
        run.changed = True


def take_sent(run: Run, found: Found, messages: Iterator[Message]) -> None:
    """Make a file known that a worker reads; raises Unreadable if it could not open it."""
    name, values = next(messages)
    if name == CLOSED:
        raise Unreadable(OSError(*values))
    run.begin()
    plan, state = _Plan(add_source(run.connection, found, now()), 1, Watermark()), FileState(*values[0])
    mark = Desk(run, plan.source, plan.generation).take(messages)
    is_complete = mark.archived == state.size
    save_read(run, (plan.source, plan.generation), state, mark, is_complete=is_complete)
    _count(run, None, plan, mark)


def _count(run: Run, known: Known | None, plan: _Plan, after: Watermark) -> None:
    tally = run.tally
    tally.lines_read += _lines(after) - _lines(plan.mark)
    tally.malformed_lines += after.malformed - plan.mark.malformed
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
        data = read_exactly(file, extent.length)
        run.read(len(data))
        if digest_of(blanked(data, extent.start, blanks)) != extent.hash:
            return
        yield extent.length


def _filled(run: Run, file: BinaryIO, known: Known, blanks: list[Span]) -> Watermark:
    """Put the bytes of the file in the place of blanks; what is still forgotten of them goes again with this run."""
    source, generation, mark = known.source, known.generation, known.watermark
    for extent in run.archive.extents(source, generation):
        file.seek(extent.start)
        data = read_exactly(file, extent.length)
        if digest_of(blanked(data, extent.start, blanks)) == extent.hash:
            run.archive.exchange(source, generation, extent.start, data)
    run.archive.drop_unused()
    lift_redactions(run.connection, source, generation)
    run.changed = True
    head, tail = archived_edges(run.archive, source, generation, mark.archived)
    return replace(mark, head_hash=head, tail_hash=tail)


class _Source:
    """Archives and takes what lies between the watermark and the end of the file.

    What is kept of a generation is true of its archived bytes, not of the file, which may change meanwhile.
    """

    def __init__(self, run: Run, file: BinaryIO, place: Place, plan: _Plan, state: FileState) -> None:
        self._run = run
        self._plan = plan
        self._state = state
        self._role = place.role
        self._desk = Desk(run, plan.source, plan.generation)
        self._intake = Intake(self._desk, place, plan.mark, run.phases) if place.role.is_transcript else None
        self._reading = Reading(file, self._desk, self._intake, range(plan.mark.archived, state.size), run.phases)

    def read(self) -> Watermark:
        """Read to the end and return how far that was."""
        self._desk.clear(Code.UNREADABLE)
        self._reread_torn_tail()
        try:
            for _ in self._reading.blocks(self._plan.steps):
                self._run.pause(self._save_so_far)
        except Unreadable as error:
            # what was read is a good beginning; the next run tries again
            self._desk.tell(Diagnostic(Code.UNREADABLE, str(error)))
        return self._save(is_complete=self._reading.archived == self._state.size)

    def _reread_torn_tail(self) -> None:
        """Parse again what was archived but not taken, from the archive."""
        mark, archive = self._plan.mark, self._run.archive
        if self._intake is not None and mark.offset < mark.archived:
            length = mark.archived - mark.offset
            self._intake.feed(archive.slice(self._plan.source, self._plan.generation, mark.offset, length))

    def _save_so_far(self) -> None:
        self._save(is_complete=False)

    def _save(self, *, is_complete: bool) -> Watermark:
        plan, archived = self._plan, self._reading.archived
        if self._intake is not None:
            # even in the middle of a file: a run that is killed now may be the last to see it
            self._intake.finish()
            mark = self._intake.pause(archived)
        else:
            mark = replace(plan.mark, archived=archived, offset=archived)
        head, tail = self._edges()
        mark = replace(mark, head_hash=head, tail_hash=tail)
        save_read(self._run, (plan.source, plan.generation), self._state, mark, is_complete=is_complete)
        if self._intake is not None and plan.generation > 1:
            self._run.ledger.supersede(plan.source, plan.generation)
        if self._role.is_document:
            keep_document(self._run, plan.source, plan.generation)
        return mark

    def _edges(self) -> tuple[int, int]:
        """Hash the head and the tail of what is archived."""
        plan, archive, archived = self._plan, self._run.archive, self._reading.archived
        size = min(EDGE, archived)
        if plan.mark.archived >= EDGE:
            head = plan.mark.head_hash
        else:
            head = signed_hash(archive.slice(plan.source, plan.generation, 0, size))
        tail = self._reading.tail
        if len(tail) < size:
            tail = archive.slice(plan.source, plan.generation, archived - size, size)
        return head, signed_hash(tail)


def save_read(run: Run, where: tuple[int, int], state: FileState, mark: Watermark, *, is_complete: bool) -> None:
    """Keep how far a generation was read."""
    if not is_complete:
        # a file read in part has another state than its own, lest the next run take it for unchanged
        state = replace(state, size=mark.archived, mtime_ns=0)
    save_position(run.connection, Position(*where, state, mark, now()))


def _edges(run: Run, file: BinaryIO, archived: int, blanks: list[Span]) -> tuple[int, int]:
    """Hash the head of a file and the bytes just below an offset, as the archive has them."""
    file.seek(0)
    head = read_exactly(file, min(EDGE, archived))
    start = max(0, archived - EDGE)
    file.seek(start)
    tail = read_exactly(file, min(EDGE, archived))
    run.read(len(head) + len(tail))
    return signed_hash(blanked(head, 0, blanks)), signed_hash(blanked(tail, start, blanks))


def archived_edges(archive: Archive, source: int, generation: int, archived: int) -> tuple[int, int]:
    """Hash the head and the tail of what is archived."""
    size = min(EDGE, archived)
    head, tail = (archive.slice(source, generation, start, size) for start in (0, archived - size))
    return signed_hash(head), signed_hash(tail)


def _lines(mark: Watermark) -> int:
    return mark.line_no - 1 + (mark.line_objects > 0)
