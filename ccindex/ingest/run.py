"""Manage one ingest run: its transactions, its counts and its row. Every commit includes all derived rows."""

import sqlite3
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from functools import cached_property
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple

from ccindex.model.events import PhaseTimes
from ccindex.model.sources import Forgotten, IngestRunRow, KnownSource
from ccindex.store.archive import Archive
from ccindex.store.create import create_indexes, drop_indexes, next_revision, write_revision
from ccindex.store.runs import end_run, save_run
from ccindex.store.sources import is_refilled, load_forgotten, set_missing

if TYPE_CHECKING:
    from ccindex.store.entry_writer import Changes, EntryWriter

COMMIT_BYTES = 64 << 20  # number of bytes to read before a transaction is committed


@dataclass(slots=True)
class RunCounts:
    """Counts of a run so far: files by outcome, and the amounts of data read and added."""

    seen: int = 0
    new: int = 0
    appended: int = 0
    rewritten: int = 0
    unchanged: int = 0
    missing: int = 0
    files_read: int = 0
    bytes_read: int = 0
    lines_read: int = 0
    entries_added: int = 0
    malformed_lines: int = 0


class Loaded(NamedTuple):
    """What a first load did. The run that continues it reports this together with its own work."""

    run_id: int
    counts: RunCounts
    phases: PhaseTimes
    started_at: str
    started: float


class IngestRun:
    """A run that writes in one or more transactions on one connection.

    `remove_forgotten` deletes forgotten entries.
    """

    def __init__(
        self,
        connection: sqlite3.Connection,
        remove_forgotten: Callable[[sqlite3.Connection], None] = lambda _: None,
    ) -> None:
        self.connection = connection
        self.counts = RunCounts()
        self.run_id: int | None = None
        self.has_changes = False
        self.phases = PhaseTimes()
        self.archive = Archive(connection)
        self._revision = next_revision(connection)
        self._remove_forgotten = remove_forgotten
        self._started_at = now()
        self.started = monotonic()
        self._committed: tuple[int | None, RunCounts] = (None, RunCounts())
        self._dropped_indexes: list[str] = []

    @cached_property
    def entries(self) -> "EntryWriter":
        """The entry writer, created on first use."""
        # imported here because it takes 9 ms and a run without changes does not need it
        from ccindex.store.entry_writer import EntryWriter  # noqa: PLC0415

        return EntryWriter(self.connection, self._revision)

    def begin(self) -> None:
        """Begin a transaction unless one is open."""
        if not self.connection.in_transaction:
            self.connection.execute("begin immediate")

    def begin_load(self) -> None:
        """Begin a transaction that fills an empty database."""
        self.begin()
        self.drop_indexes()
        self.entries.changes.is_all = True

    def drop_indexes(self) -> None:
        """Drop the lookup indexes. The next commit creates them again, which is faster than keeping them up to date."""
        self._dropped_indexes = drop_indexes(self.connection)

    def create_indexes(self) -> None:
        """Create the indexes that were dropped, if any."""
        if self._dropped_indexes:
            with self.phases.timed("index"):
                create_indexes(self.connection, self._dropped_indexes)
                self._dropped_indexes = []

    def add_shard(self, counts: RunCounts, phases: PhaseTimes, *, copies: int) -> None:
        """Count what was read for a shard; `copies`: the number of its entries that were in the index before."""
        for field in fields(RunCounts):
            setattr(self.counts, field.name, getattr(self.counts, field.name) + getattr(counts, field.name))
        for phase, seconds in phases.items():
            self.phases[phase] = self.phases.get(phase, 0.0) + seconds
        self.entries.entries_added += counts.entries_added - copies

    def begin_after_shards(self, changes: "Changes") -> None:
        """Begin the transaction that derives what depends on several shards."""
        self.begin()
        self.entries.start(changes)
        self.has_changes = True

    def loaded(self) -> Loaded | None:
        """Return what this run has done so far; None if nothing changed, because no file could be read."""
        if self.run_id is None:
            return None
        return Loaded(self.run_id, self.counts, self.phases, self._started_at, self.started)

    def resume(self, loaded: Loaded) -> None:
        """Continue the run of a first load."""
        self.run_id, self.counts, self.phases, self._started_at, self.started = loaded
        self.entries.entries_added = self.counts.entries_added
        self._committed = (self.run_id, replace(self.counts))
        self.has_changes = True

    def commit_if_full(self) -> None:
        """Commit if the transaction is large enough. The read position of the open source must have been saved."""
        if self.counts.bytes_read - self._committed[1].bytes_read >= COMMIT_BYTES:
            self.commit("running")
            self.begin()

    def commit(self, status: str) -> None:
        """Derive rows, write the run's row and the revision if anything changed, and commit.

        The last commit of a run also removes forgotten data.
        """
        if not self.connection.in_transaction:
            if not self.has_changes:
                return
            self.begin()
        self._derive()
        self.counts.entries_added = self.entries.entries_added
        if self.has_changes:
            self._write_row(status)
        if status != "running" and (is_refilled(self.connection) or load_forgotten(self.connection) != Forgotten()):
            self._remove_forgotten(self.connection)
        with self.phases.timed("write"):
            self.connection.execute("commit")
        self._committed = (self.run_id, replace(self.counts))

    def _derive(self) -> None:
        """Derive all rows that depend on changes in this transaction."""
        # imported here because they take 42 ms and a run without changes does not need them
        from ccindex.derive.changes import derive  # noqa: PLC0415
        from ccindex.derive.facts import index_queued_words  # noqa: PLC0415
        from ccindex.derive.owners import apply_owners, elect_owners  # noqa: PLC0415
        from ccindex.store.entry_writer import Changes  # noqa: PLC0415

        self.create_indexes()
        with self.phases.timed("derive"):
            owners = elect_owners(self.connection, self.archive, self.entries.changes)
            if owners:
                apply_owners(self.entries, self.archive, owners)
            derived = derive(self.connection, self.entries.changes, self.entries.revision)
        if derived.removed_words or derived.added_words:
            with self.phases.timed("index"):
                # last, because many other statements make FTS5 flush its pending terms to disk
                index_queued_words(self.connection, derived.removed_words, derived.added_words)
        self.entries.start(Changes())

    def abandon(self, status: str) -> None:
        """Roll back the open transaction. If an earlier transaction was committed, record how the run ended."""
        if self.connection.in_transaction:
            self.connection.execute("rollback")
        seen = self.counts.seen
        self.run_id, self.counts = self._committed
        self.counts.seen = seen
        if self.run_id is None:
            return
        with suppress(sqlite3.Error):  # the cause may persist, such as a full disk; the next run corrects the row
            end_run(self.connection, self.run_id, status, now())

    def _write_row(self, status: str) -> None:
        counts = self.counts
        row = IngestRunRow(
            started_at=self._started_at,
            finished_at=None if status == "running" else now(),
            status=status,
            files_seen=counts.seen,
            files_read=counts.files_read,
            bytes_read=counts.bytes_read,
            lines_read=counts.lines_read,
            entries_added=counts.entries_added,
            malformed_lines=counts.malformed_lines,
        )
        self.run_id = save_run(self.connection, self.run_id, row)
        write_revision(self.connection, self.entries.revision)


def mark_missing(run: IngestRun, known: KnownSource) -> None:
    """Record that a source's file is gone."""
    run.counts.missing += 1
    if not known.is_missing:
        run.begin()
        set_missing(run.connection, known.source, is_missing=True)
        run.has_changes = True


def now() -> str:
    """Return the current time in the format used in the index."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
