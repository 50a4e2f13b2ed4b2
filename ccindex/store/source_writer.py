"""Write the events of one generation: chunks, occurrences, entries, diagnostics, drift and the read position."""

import json
from collections.abc import Callable, Collection
from itertools import count
from typing import Any, ClassVar

from ccindex.model.events import Backfill, Batch, Checkpoint, Chunk, Document, Drift, Event, Problem, Resolved, Row
from ccindex.model.recorded import Notice
from ccindex.store.archive import Archive
from ccindex.store.entry_writer import EntryWriter, mark_changed
from ccindex.store.rows import insert_into, insert_rows
from ccindex.store.sources import save_position

_ADD_OCCURRENCE = insert_into("occurrences")
_ADD_RECORD = insert_into("records")
_ADD_RECORD_NOTICE = insert_into("task_notices", ("record", *Notice._fields))
_ADD_DIAGNOSTIC = insert_into(
    "diagnostics", ("kind", "severity", "source", "generation", "session_id", "line_no", "offset", "detail")
)
_ADD_DRIFT = (
    insert_into("drift")
    + " on conflict (source, generation, kind, name, type, version) do update set count = count + excluded.count"
)
_ADD_SIDECAR = insert_into("sidecars")
_FIND_REPEATED = (
    "select id from occurrences where source = :source and is_current = 0 "
    "and hash in (select hash from occurrences where source = :source and generation = :generation)"
)
_IN_IDS = "in (select value from json_each(?))"
_BEFORE_OFFSET = "source = ? and generation = ? and offset < ?"


class SourceWriter:
    """Writes the events of one generation of a source, in the caller's transaction."""

    def __init__(
        self, entries: EntryWriter, archive: Archive, *, source: int, generation: int, indexed_at: str
    ) -> None:
        self._connection = entries.connection
        self._entries = entries
        self._archive = archive
        self._source = source
        self._generation = generation
        self._indexed_at = indexed_at
        self._entry_of_number: list[int] = []

    def apply(self, event: Event) -> None:
        """Write one event."""
        self._APPLY[type(event)](self, event)

    def start_generation(self) -> None:
        """Make this generation current; occurrences in earlier generations are no longer current."""
        self._entries.changes.sources.add(self._source)
        connection = self._connection
        connection.execute("update sources set generation = ? where id = ?", (self._generation, self._source))
        connection.execute("update occurrences set is_current = 0 where source = ?", (self._source,))
        connection.execute("delete from diagnostics where source = ?", (self._source,))
        self._contest("source = ?", (self._source,))

    def _archive_chunk(self, chunk: Chunk) -> None:
        self._archive.put_chunk(self._source, self._generation, chunk)

    def _write_batch(self, batch: Batch) -> None:
        if batch.first_number == 0:
            self._entry_of_number.clear()
        first, copies = self._entries.add(batch, self._entry_of_number)
        self._write_occurrences(batch, first, copies)
        records = [(first + index, *columns) for index, *columns in batch.records]
        insert_rows(self._connection, _ADD_RECORD, records)
        self._entries.changes.leaves.update(leaf for *_, leaf in records if leaf is not None)
        notices = ((first + index, *columns) for index, *columns in batch.record_notices)
        self._connection.executemany(_ADD_RECORD_NOTICE, notices)

    def _write_occurrences(self, batch: Batch, first: int, copies: Collection[int]) -> None:
        entry_of_number, changes = self._entry_of_number, self._entries.changes
        sessions = [self._entries.session(session_id) for session_id in batch.session_ids]
        changes.sessions.update(sessions[index] for index in batch.changed_sessions)
        rows: list[Row] = []
        for occurrence, (*columns, session, number, is_first) in zip(count(first), batch.occurrences, strict=False):
            if number is None:
                entry, is_owner, has_copies = None, 0, 0
            elif is_first and number not in copies:
                entry, is_owner, has_copies = entry_of_number[number], 1, 0
            else:
                entry, is_owner, has_copies = entry_of_number[number], 0, 1
                changes.contested.add(entry)
            key = (occurrence, self._source, self._generation)
            rows.append((*key, *columns, sessions[session], entry, 1, is_owner, has_copies))
        if any(row[-4] is not None for row in rows):
            changes.sources.add(self._source)
        insert_rows(self._connection, _ADD_OCCURRENCE, rows)

    def _write_problem(self, problem: Problem) -> None:
        item = problem.diagnostic
        key = (item.code.slug, item.code.severity, self._source, self._generation)
        self._connection.execute(_ADD_DIAGNOSTIC, (*key, item.session_id, item.line_no, item.offset, item.detail))

    def _delete_resolved(self, resolved: Resolved) -> None:
        delete = "delete from diagnostics where source = ? and kind = ?"
        self._connection.execute(delete, (self._source, resolved.code.slug))

    def _count_drift(self, drift: Drift) -> None:
        rows = ((self._source, self._generation, *item, *seen) for item, seen in drift.counts.items())
        self._connection.executemany(_ADD_DRIFT, rows)

    def _backfill(self, backfill: Backfill) -> None:
        if backfill.timestamp_ms is not None:
            self._set_before(backfill.before, "timestamp_ms", backfill.timestamp_ms)
        if backfill.session_id is not None:
            session = self._entries.session(backfill.session_id)
            self._set_before(backfill.before, "session", session)
            self._entries.changes.sessions.add(session)

    def _set_before(self, offset: int, column: str, value: int) -> None:
        """Set a column of all occurrences before an offset, and mark entries as changed if their value differed."""
        where = f"{_BEFORE_OFFSET} and {column} <> ?"
        values = (self._source, self._generation, offset, value)
        self._entries.changes.entries.update(self._contest(where, values))
        owned = self._connection.execute(f"select entry from occurrences where {where} and is_owner = 1", values)  # noqa: S608
        mark_changed(self._connection, self._entries.revision, [entry for (entry,) in owned])
        self._connection.execute(f"update occurrences set {column} = ? where {where}", (value, *values))  # noqa: S608

    def _write_document(self, document: Document) -> None:
        # not "insert or replace": FTS5 flushes its pending data before a statement that can fail halfway
        self._connection.execute("delete from sidecars where source = ?", (self._source,))
        self._connection.execute(_ADD_SIDECAR, (self._source, *document.row))
        self._entries.changes.sidecars.add(self._source)

    def _save_position(self, checkpoint: Checkpoint) -> None:
        key = (self._source, self._generation)
        save_position(self._connection, key, checkpoint.state, checkpoint.position, self._indexed_at)
        if self._generation > 1:
            self._delete_repeated()

    def _delete_repeated(self) -> None:
        """Delete occurrences from earlier generations that this generation repeats byte for byte."""
        rows = self._connection.execute(_FIND_REPEATED, {"source": self._source, "generation": self._generation})
        ids = json.dumps([occurrence for (occurrence,) in rows])
        if ids == "[]":
            return
        self._contest(f"id {_IN_IDS}", (ids,))
        owners = f"select entry, id from occurrences where is_owner = 1 and id {_IN_IDS}"  # noqa: S608
        for entry, occurrence in self._connection.execute(owners, (ids,)).fetchall():
            self._entries.note_deleted_owner(entry, occurrence)
        self._connection.execute(f"delete from records where occurrence {_IN_IDS}", (ids,))  # noqa: S608
        self._connection.execute(f"delete from task_notices where record {_IN_IDS}", (ids,))  # noqa: S608
        self._connection.execute(f"delete from occurrences where id {_IN_IDS}", (ids,))  # noqa: S608

    def _contest(self, where: str, values: tuple[int | str, ...]) -> list[int]:
        """Mark the entries of the selected occurrences so that their owners are elected again; return the entries.

        The sessions of these occurrences, and the leaves in their records, are marked as changed.
        """
        changes = self._entries.changes
        find = f"select id, entry, session from occurrences where {where}"  # noqa: S608
        rows = self._connection.execute(find, values).fetchall()
        entries = [entry for _, entry, _ in rows if entry is not None]
        changes.contested.update(entries)
        changes.has_updates = changes.has_updates or bool(rows)
        changes.sessions.update(session for *_, session in rows)
        ids = f"select id from occurrences where {where}"  # noqa: S608
        leaves = f"select leaf from records where leaf is not null and occurrence in ({ids})"  # noqa: S608
        changes.leaves.update(leaf for (leaf,) in self._connection.execute(leaves, values))
        return entries

    _APPLY: ClassVar[dict[type, Callable[["SourceWriter", Any], None]]] = {
        Chunk: _archive_chunk,
        Batch: _write_batch,
        Problem: _write_problem,
        Resolved: _delete_resolved,
        Drift: _count_drift,
        Backfill: _backfill,
        Document: _write_document,
        Checkpoint: _save_position,
    }
