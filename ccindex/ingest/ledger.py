"""What a run writes besides entries: diagnostics, drift, claims lent backwards, and what it counted."""

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass

from ccindex.model.diagnostics import Code, Diagnostic
from ccindex.model.events import Draft
from ccindex.model.recorded import Unknown
from ccindex.store.source_writer import Recorder
from ccindex.store.sources import begin_generation


@dataclass(slots=True)
class Tally:
    """What a run counted."""

    seen: int = 0
    new: int = 0
    appended: int = 0
    rewritten: int = 0
    unchanged: int = 0
    missing: int = 0
    files_read: int = 0
    bytes_read: int = 0
    lines_read: int = 0
    malformed_lines: int = 0


class Ledger:
    """Everything that reading a source writes, in the transaction its owner opened."""

    def __init__(self, connection: sqlite3.Connection, recorder: Recorder, tally: Tally) -> None:
        self._connection = connection
        self._recorder = recorder
        self.tally = tally

    def record(self, source: int, generation: int, draft: Draft, numbered: list[int]) -> None:
        """Write objects."""
        self._recorder.record(source, generation, draft, numbered)

    def tell(self, source: int, generation: int, found: Diagnostic) -> None:
        """Write a diagnostic about a place in a source."""
        self._connection.execute(
            "insert into diagnostics (kind, severity, source, generation, session_id, line_no, offset, detail) "
            "values (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                found.code.slug,
                found.code.severity,
                source,
                generation,
                found.session_id,
                found.line_no,
                found.offset,
                found.detail,
            ),
        )

    def clear_diagnostic(self, source: int, code: Code) -> None:
        """Take back what was told of a source."""
        self._connection.execute("delete from diagnostics where source = ? and kind = ?", (source, code.slug))

    def count_unknown(self, source: int, generation: int, found: Mapping[Unknown, tuple[int, int, int]]) -> None:
        """Add to the drift report: how often, and where first."""
        self._connection.executemany(
            "insert into drift (source, generation, kind, name, type, version, count, line_no, offset) "
            "values (?, ?, ?, ?, ?, ?, ?, ?, ?) "
            "on conflict (source, generation, kind, name, type, version) do update set count = count + excluded.count",
            ((source, generation, *what, *seen) for what, seen in found.items()),
        )

    def restamp(self, source: int, generation: int, before: int, at: int) -> None:
        """Lend an instant to the objects before the first that has one."""
        self._lend("timestamp_ms", (source, generation, before, at))

    def reclaim(self, source: int, generation: int, before: int, session_id: str) -> None:
        """Lend a session to the objects before the first that has one."""
        self._lend("session", (source, generation, before, self._recorder.session(session_id)))

    def begin_generation(self, source: int, number: int) -> None:
        """Start a source over; what it held so far ranks behind current copies from now on."""
        begin_generation(self._connection, source, number)
        self._recorder.changes.sources.add(source)
        self._contest("select id, entry, session from occurrences where source = ?", (source,))

    def supersede(self, source: int, generation: int) -> None:
        """Delete objects of earlier generations that the current one contains byte for byte."""
        repeated = (
            "from occurrences where source = ?1 and is_current = 0 "
            "and hash in (select hash from occurrences where source = ?1 and generation = ?2)"
        )
        values = (source, generation)
        self._contest(f"select id, entry, session {repeated}", values)
        rows = self._connection.execute(f"select id, entry, is_owner {repeated}", values).fetchall()
        for occurrence, entry, is_owner in rows:
            if is_owner:
                self._recorder.drop(entry, occurrence)
        gone = [(occurrence,) for occurrence, *_ in rows]
        self._connection.executemany("delete from records where occurrence = ?", gone)
        self._connection.executemany("delete from task_notices where record = ?", gone)
        self._connection.executemany("delete from occurrences where id = ?", gone)

    def _lend(self, column: str, values: tuple[int, int, int, int]) -> None:
        """Let the objects before an offset claim something, and look again at those that claimed something else."""
        here = f"from occurrences where source = ?1 and generation = ?2 and offset < ?3 and {column} <> ?4"
        lent = self._contest(f"select id, entry, session {here}", values)
        self._recorder.changes.entries.update(lent)
        owned = self._connection.execute(f"select entry {here} and is_owner = 1", values).fetchall()
        self._recorder.touch(entry for (entry,) in owned)
        self._connection.execute(
            f"update occurrences set {column} = ?4 "  # noqa: S608
            f"where source = ?1 and generation = ?2 and offset < ?3 and {column} <> ?4",
            values,
        )
        if column == "session":
            self._recorder.changes.sessions.add(values[-1])

    def _contest(self, query: str, values: tuple[int, ...]) -> list[int]:
        """Look again at the entries and sessions of the occurrences that a query gives; return the entries."""
        changes = self._recorder.changes
        rows = self._connection.execute(query, values).fetchall()
        entries = [entry for _, entry, _ in rows if entry is not None]
        changes.contested.update(entries)
        changes.sessions.update(session for *_, session in rows)
        leaves = f"select leaf from records where leaf is not null and occurrence in (select id from ({query}))"  # noqa: S608
        changes.leaves.update(leaf for (leaf,) in self._connection.execute(leaves, values))
        return entries
