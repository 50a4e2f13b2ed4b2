"""One run of a writer: its transactions, its revision, its row, and what it counted."""

import sqlite3
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from time import monotonic
from typing import TYPE_CHECKING

from ccindex.ingest.ledger import Ledger, Tally
from ccindex.model.events import Phases
from ccindex.store.archive import Archive
from ccindex.store.bulk import begin_load, end_load
from ccindex.store.create import next_revision, write_revision
from ccindex.store.fts import Searched
from ccindex.store.source_writer import Changes, Recorder

if TYPE_CHECKING:
    from ccindex.ingest.wording import Wording

_BATCH_BYTES = 64 << 20
# of the first load, which is cheaper the more of it there is, and has nothing to lose but some seconds
_FIRST_BYTES = 1 << 30


class Run:
    """Holds one transaction after another; each ends with everything derived from what it recorded."""

    def __init__(self, connection: sqlite3.Connection, jobs: int = 0) -> None:
        self.connection = connection
        self.jobs = jobs
        self.tally = Tally()
        self.run_id: int | None = None
        self.started_at = now()
        self._started = monotonic()
        self.changed = False
        self._revision = next_revision(connection)
        self._kept: tuple[int | None, Tally, int] = (None, Tally(), 0)
        self._since_commit = 0
        self._most = _BATCH_BYTES
        self._indexes: list[str] = []
        self._wording: Wording | None = None
        self.phases = Phases()
        self.archive = Archive(connection)
        self.recorder = Recorder(connection, self._revision, self.phases)
        self.ledger = Ledger(connection, self.recorder, self.tally)

    @property
    def seconds(self) -> float:
        """How long the run has been under way."""
        return monotonic() - self._started

    def begin(self) -> None:
        """Open a transaction unless one is open."""
        if not self.connection.in_transaction:
            self.connection.execute("begin immediate")

    def load(self) -> None:
        """Begin the first load of an empty index, up to the next commit."""
        self.begin()
        self._most = _FIRST_BYTES
        self._indexes = begin_load(self.connection)
        self.recorder.changes.is_all = True
        if self.jobs:
            from ccindex.ingest.wording import wording_for  # noqa: PLC0415 - as in `_settle`

            self._wording = wording_for(self.connection)
        if self._wording:
            self.recorder.words = self._wording

    def read(self, count: int) -> None:
        """Count bytes that were read from a source."""
        self.tally.bytes_read += count
        self._since_commit += count

    def pause(self, save: Callable[[], None]) -> None:
        """Commit if the batch is large enough, after `save` wrote down where the open source stands."""
        if self._since_commit >= self._most:
            save()
            self.commit("running")
            self.begin()

    def commit(self, status: str, last: Callable[[], None] = lambda: None) -> None:
        """End the transaction: owners elected, the run's row and the revision written if anything changed.

        `last` has the last word on what is written.
        """
        if not self.connection.in_transaction:
            if not self.changed:
                return
            self.begin()
        self._settle()
        self.recorder.changes = Changes()
        if self.changed:
            self._write_row(status)
        last()
        with self.phases.timed("write"):
            self.connection.execute("commit")
        self._close_wording()
        self._since_commit, self._most, self._indexes = 0, _BATCH_BYTES, []
        self._kept = (self.run_id, replace(self.tally), self.recorder.entries_added)

    def _settle(self) -> None:
        """Make all that follows from what was recorded."""
        # a run with nothing new never needs them, and they take longer to import than all that it does
        from ccindex.derive.derive import derive  # noqa: PLC0415
        from ccindex.derive.owners import apply_owners, elect_owners  # noqa: PLC0415
        from ccindex.derive.queued_words import index_queued_words  # noqa: PLC0415

        with self.phases.timed("index"):
            end_load(self.connection, self._indexes)
        with self.phases.timed("derive"):
            owners = elect_owners(self.connection, self.archive, self.recorder.changes)
            apply_owners(self.connection, self.recorder, self.archive, owners)
            if self._wording:
                self._wording.index()
            derived = derive(self.connection, self.recorder.changes, self._revision)
        with self.phases.timed("index"):
            if self._wording:
                self._wording.finish()
                self.recorder.words = Searched(self.connection)
            if derived.removed_words or derived.added_words:
                index_queued_words(self.recorder.words, derived.removed_words, derived.added_words)

    def _close_wording(self) -> None:
        if self._wording:
            self._wording.close()
            self._wording = None

    def abandon(self, status: str) -> None:
        """Undo what is not committed; if something was, say how the run ended."""
        if self.connection.in_transaction:
            self.connection.execute("rollback")
        self._close_wording()
        seen = self.tally.seen
        self.run_id, self.tally, self.recorder.entries_added = self._kept
        self.tally.seen = seen
        if self.run_id is None:
            return
        with suppress(sqlite3.Error):  # what stopped the run may stop this too; the next run mends it
            self.connection.execute(
                "update ingest_runs set status = ?, finished_at = ? where id = ?", (status, now(), self.run_id)
            )

    def _write_row(self, status: str) -> None:
        tally = self.tally
        values = (
            None if status == "running" else now(),
            status,
            tally.seen,
            tally.files_read,
            tally.bytes_read,
            tally.lines_read,
            self.recorder.entries_added,
            tally.malformed_lines,
        )
        if self.run_id is None:
            row = self.connection.execute(
                "insert into ingest_runs (started_at, finished_at, status, files_seen, files_read, bytes_read, "
                "lines_read, entries_added, malformed_lines) values (?, ?, ?, ?, ?, ?, ?, ?, ?) returning id",
                (self.started_at, *values),
            ).fetchone()
            self.run_id = int(row[0])
        else:
            self.connection.execute(
                "update ingest_runs set finished_at = ?, status = ?, files_seen = ?, files_read = ?, bytes_read = ?, "
                "lines_read = ?, entries_added = ?, malformed_lines = ? where id = ?",
                (*values, self.run_id),
            )
        write_revision(self.connection, self._revision)


def now() -> str:
    """The time as the index writes it."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
