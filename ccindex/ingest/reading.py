"""A file's bytes from an offset to its end, block by block: each to the archive first, then taken in."""

from collections.abc import Iterator, Sequence
from typing import BinaryIO

from ccindex.ingest.intake import Intake, Notes
from ccindex.model.events import Phases
from ccindex.store.archive import CHUNK, EDGE


class Unreadable(Exception):
    """A file could not be opened or read: told apart from whatever else can fail, which must undo what it did."""

    def __init__(self, error: OSError) -> None:
        super().__init__(error.strerror or str(error))
        self.error = error


class Reading:
    """Reads one file; knows how far it came and what the bytes at both ends are."""

    def __init__(self, file: BinaryIO, notes: Notes, intake: Intake | None, span: range, phases: Phases) -> None:
        self._file = file
        self._notes = notes
        self._intake = intake
        self._phases = phases
        self._end = span.stop
        self.archived = span.start
        self.head = b""  # only of a file that is read from its beginning
        self.tail = b""

    def blocks(self, steps: Sequence[int] = ()) -> Iterator[None]:
        """Read on, a pause after each block; `steps`: how long the first of them are."""
        self._file.seek(self.archived)
        for step in self._steps(steps):
            with self._phases.timed("read"):
                block = read_exactly(self._file, step)
            if block:
                with self._phases.timed("archive"):
                    self._notes.keep(self.archived, block)
                if not self.archived:
                    self.head = block[:EDGE]
                self.archived += len(block)
                self.tail = (self.tail + block)[-EDGE:]
            if self._intake is not None:
                self._intake.feed(block)
            if len(block) < step:
                return  # it shrank while we read
            yield

    def _steps(self, first: Sequence[int]) -> Iterator[int]:
        """Give how much to read at a time: extents as they were archived before, then whole chunks."""
        position, end = self.archived, self._end
        for step in first:
            yield step
            position += step
        while position < end:
            yield min(CHUNK, end - position)
            position += CHUNK


def open_file(path: str) -> BinaryIO:
    """Open a file to be read; raises Unreadable."""
    try:
        return open(path, "rb", buffering=0)
    except OSError as error:
        raise Unreadable(error) from error


def read_exactly(file: BinaryIO, count: int) -> bytes:
    """Read that many bytes, fewer only at the end of the file; raises Unreadable."""
    parts = []
    while count > 0:
        try:
            part = file.read(count)
        except OSError as error:
            raise Unreadable(error) from error
        if not part:
            break
        parts.append(part)
        count -= len(part)
    return parts[0] if len(parts) == 1 else b"".join(parts)
