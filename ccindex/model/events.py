"""Events that the source reader yields. They contain no database ids, so a worker process can create them."""

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
    """A range of the file's bytes, compressed for the archive; `start` is its offset."""

    start: int
    raw_size: int
    digest: bytes
    data: bytes


class Batch(NamedTuple):
    """Rows for consecutive objects.

    Rows refer to entries by number; entries are numbered per source, in order of first mention. Rows refer to
    objects by their index in `occurrences`, and to sessions by their index in `session_ids`.
    """

    first_number: int  # number of the first uuid in `uuids`; 0: the numbering starts over
    uuids: list[str]  # uuids first mentioned in this batch, either as an object's own uuid or as the target of a link
    session_ids: list[str]
    changed_sessions: list[int]  # sessions whose derived rows depend on these objects
    # line_no, offset, length, hash, type, timestamp_ms, has_own_timestamp, has_parent, session, entry or None, and
    # whether a row in `entries` was built from this object
    occurrences: list[Row]
    # number, uuid, object, then the columns of the table from `hash` on, with hashes instead of ids in `context` and
    # `details`, and an EntryTraits in `traits`
    entries: list[Row]
    edges: list[Row]  # child, kind, parent
    # by table: entry, then the other columns; in `facts`, the JSON instead of the id of its row
    contents: dict[str, list[Row]]
    search_texts: list[Row]  # entry, then one text per column of the full-text table
    records: list[Row]  # object, timestamp, payload, leaf
    record_notices: list[Row]  # object, then the columns of a Notice
    contexts: dict[int, Row]  # by hash
    details: dict[int, str]  # by hash


class EntryRows(NamedTuple):
    """The content rows and search texts of entries, by table, while a batch is built. They start with the entry."""

    messages: list[Row]
    iterations: list[Row]
    blocks: list[Row]
    tool_uses: list[Row]
    tool_results: list[Row]
    agent_mentions: list[Row]
    file_touches: list[Row]
    task_notices: list[Row]
    tool_outcomes: list[Row]
    search_texts: list[Row]

    @classmethod
    def empty(cls) -> "EntryRows":
        """Return empty lists."""
        return cls(*([] for _ in cls._fields))


class Problem(NamedTuple):
    """A diagnostic about the source."""

    diagnostic: Diagnostic


class Resolved(NamedTuple):
    """Diagnostics of this kind no longer apply to the source."""

    code: Code


class Drift(NamedTuple):
    """Unknown types and keys, each with its count and the line and offset of the first object that contains it."""

    counts: "dict[Unknown, tuple[int, int, int]]"


class Backfill(NamedTuple):
    """A timestamp or session for all objects before the offset `before`; none of them has one of its own."""

    before: int
    timestamp_ms: int | None = None
    session_id: str | None = None


class Document(NamedTuple):
    """The latest complete content of a sidecar or workflow run file: the columns of `sidecars` except `source`."""

    row: Row


class Checkpoint(NamedTuple):
    """All other events for the archived bytes have been yielded. The last event of every source is a checkpoint.

    `state` is the state of the file or, if the file was not read to its end, a state that no file can have.
    """

    state: FileState
    position: ReadPosition
    seconds: dict[str, float]  # CPU time by phase since the previous checkpoint


Event = Chunk | Batch | Problem | Resolved | Drift | Backfill | Document | Checkpoint

PHASES = ("read", "decode", "project", "archive", "write", "index", "derive")


class PhaseTimes(dict[str, float]):
    """Seconds of CPU time by phase."""

    @contextmanager
    def timed(self, phase: str) -> Iterator[None]:
        """Add the CPU time of the `with` block to the given phase."""
        start = thread_time()
        try:
            yield
        finally:
            self[phase] = self.get(phase, 0.0) + thread_time() - start
