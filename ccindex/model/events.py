"""What reading a source yields: plain values without ids of the index, so that they can be pickled."""

from collections.abc import Iterator
from contextlib import contextmanager
from time import thread_time
from typing import TYPE_CHECKING, Any, NamedTuple

from ccindex.model.diagnostics import Code, Diagnostic
from ccindex.model.sources import FileState, ReadPosition

if TYPE_CHECKING:
    from ccindex.model.recorded import Unknown

Row = tuple[Any, ...]


class Chunk(NamedTuple):
    """Bytes of the file from an offset on, compressed for the archive."""

    start: int
    raw_size: int
    digest: bytes
    data: bytes


class Batch(NamedTuple):
    """Rows of consecutive objects.

    An entry has a number instead of an id: entries are numbered per source, in order of first mention.
    An object is referred to by its index in `occurrences`, a session by its index in `session_ids`.
    """

    first_number: int  # of `uuids`; 0: the numbering starts over
    uuids: list[str]  # of entries first mentioned here, as an object or as the parent of one
    session_ids: list[str]
    changed_sessions: list[int]  # those whose derived rows depend on these objects
    # line_no, offset, length, hash, type, timestamp_ms, has_own_timestamp, has_parent, session, entry or None, and
    # whether it is the first object of this source with the uuid
    occurrences: list[Row]
    entries: list[Row]  # number, uuid, object, then the columns from `hash` on
    edges: list[Row]  # child, kind, parent
    contents: dict[str, list[Row]]  # by table: entry, then the other columns
    search_texts: list[Row]  # entry, then one text per column of the full-text table
    records: list[Row]  # object, timestamp, payload, leaf
    record_notices: list[Row]  # object, then the columns of a Notice
    contexts: dict[int, Row]  # by hash
    details: dict[int, str]  # by hash


class Problem(NamedTuple):
    """A diagnostic about the source."""

    diagnostic: Diagnostic


class Resolved(NamedTuple):
    """Diagnostics of this kind no longer apply to the source."""

    code: Code


class Drift(NamedTuple):
    """Types and keys unknown to this version: how often, then line and offset of the first."""

    counts: "dict[Unknown, tuple[int, int, int]]"


class Backfill(NamedTuple):
    """The instant or the session of all objects before an offset, which have none of their own."""

    before: int
    timestamp_ms: int | None = None
    session_id: str | None = None


class Document(NamedTuple):
    """The columns of `sidecars` after `source`."""

    row: Row


class Checkpoint(NamedTuple):
    """All that the archived bytes contain was yielded; the last event of every source is a checkpoint.

    `state` is the state of the file, or one that no file has if it was not read to its end.
    """

    state: FileState
    position: ReadPosition
    seconds: dict[str, float]  # processor time by phase since the previous checkpoint


Event = Chunk | Batch | Problem | Resolved | Drift | Backfill | Document | Checkpoint

PHASES = ("read", "decode", "project", "archive", "write", "index", "derive")


class PhaseTimes(dict[str, float]):
    """Seconds of processor time by phase."""

    @contextmanager
    def timed(self, phase: str) -> Iterator[None]:
        """Add the time that the block takes."""
        start = thread_time()
        try:
            yield
        finally:
            self[phase] = self.get(phase, 0.0) + thread_time() - start
