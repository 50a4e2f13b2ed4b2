"""Write entries and their content, replace the content of entries that have a new owner, and collect the changes."""

import sqlite3
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from ccindex.chunks import short_hash
from ccindex.model.events import Batch, Row
from ccindex.model.recorded import Notice, SearchText, ToolOutcome
from ccindex.model.tables import DERIVED_TABLES, RECORDED_TABLES
from ccindex.store.create import add_search_texts, clear_search_texts, remove_search_text
from ccindex.store.rows import insert_blank, insert_into, insert_rows

_CONTEXT, _DETAILS, _TRAITS = 4, 5, 6  # indexes in a row of Batch.entries
_FACTS = 1 + ToolOutcome._fields.index("facts")  # index in a row of the batch, which has the JSON instead of its id
MAX_REMEMBERED_IDS = 100_000  # ids of shared rows, per table

_CONTENT_TABLES = (
    *("messages", "iterations", "blocks", "tool_uses", "tool_results", "agent_mentions", "file_touches"),
    "tool_outcomes",
)
_ADD_ENTRY = insert_into("entries") + " on conflict (uuid) do nothing"
_ADD_GHOST = insert_blank("entries", ("id", "uuid"))
_ADD_EDGE = insert_into("edges")
_ADD_CONTENT = {
    **{table: insert_into(table) for table in _CONTENT_TABLES},
    "task_notices": insert_into("task_notices", ("entry", *Notice._fields)),
}


@dataclass(slots=True)
class Changes:
    """Changes to recorded tables since the last derivation. They determine which owners and derived rows to update."""

    is_all: bool = False  # derive everything; added entries are not collected in `entries`
    first_occurrence: int = 0  # ids of new occurrences are not lower
    has_updates: bool = False  # occurrences or entries that were already derived changed or were deleted

    entries: set[int] = field(default_factory=set)
    contested: set[int] = field(default_factory=set)  # entries whose copies changed; their owners are elected again
    sources: set[int] = field(default_factory=set)  # sources whose entries changed
    sessions: set[int] = field(default_factory=set)
    leaves: set[str] = field(default_factory=set)
    sidecars: set[int] = field(default_factory=set)
    # positions of deleted owners, by entry
    deleted_owners: dict[int, tuple[int, ...] | None] = field(default_factory=dict)
    # ids in replaced content; ids in the new content are looked up by entry
    calls: set[str] = field(default_factory=set)
    responses: set[str] = field(default_factory=set)

    @property
    def is_append(self) -> bool:
        """Whether objects were only added, none of them a copy of an entry or a sidecar."""
        return not (self.contested or self.has_updates or self.sidecars)


class Added(NamedTuple):
    """The first occurrence id of a batch, and the numbers of its entries that already had an owner."""

    first_occurrence: int
    copies: Collection[int]


class _KnownEntry(NamedTuple):
    """An entry that is in the index."""

    entry: int
    has_owner: int  # 0: a ghost


class EntryWriter:
    """Writes the entries of all sources of a run, on one connection.

    All sources share its state: the next ids, the known session ids, the ids of shared rows, and the changes.
    """

    def __init__(self, connection: sqlite3.Connection, revision: int) -> None:
        self.connection = connection
        self.revision = revision
        self.entries_added = 0
        # by table: row ids by hash
        self._shared_ids: dict[str, dict[int, int]] = {"entry_contexts": {}, "extra_json": {}, "entry_traits": {}}
        self._sessions: dict[str, int] = {}
        self.start(Changes())

    def start(self, changes: Changes) -> None:
        """Start collecting changes, with the given ones; other code may have added rows before."""
        self.changes = changes
        last_ids = "select coalesce((select max(id) from entries), 0), coalesce((select max(id) from occurrences), 0)"
        entry, occurrence = self.connection.execute(last_ids).fetchone()
        self._next_entry, self._next_occurrence = entry + 1, occurrence + 1
        changes.first_occurrence = self._next_occurrence

    def session(self, session_id: str) -> int:
        """Return the row id of a session id; add the session id if it is new."""
        known = self._sessions.get(session_id)
        if known is not None:
            return known
        find = "select id from session_ids where session_id = ?"
        row = self.connection.execute(find, (session_id,)).fetchone()
        if row is None:
            row = (self.connection.execute(insert_into("session_ids"), (session_id,)).lastrowid,)
        self._sessions[session_id] = int(row[0])
        return int(row[0])

    def add(self, batch: Batch, entries: list[int]) -> Added:
        """Write the entries of a batch.

        `entries`: entry ids by number within the source; the ids of the batch's uuids are appended.
        """
        first = self._next_occurrence
        self._next_occurrence += len(batch.occurrences)
        entries += range(self._next_entry, self._next_entry + len(batch.uuids))
        self._next_entry += len(batch.uuids)
        self._add_shared(batch)
        copies = self._add_entries(batch, entries, first)
        self._resolve_mentioned(batch, entries)
        self._add_contents(batch, entries, copies)
        texts = [(entries[row[0]], *row[1:]) for row in batch.search_texts if row[0] not in copies]
        add_search_texts(self.connection, texts)
        return Added(first, copies)

    def replace(self, entry: int, occurrence: int, batch: Batch, old_text: SearchText | None) -> None:
        """Replace the content of an entry with that of its new owner. The batch contains only this entry.

        `old_text`: the entry's text in the full-text table; None if it is not there.
        """
        self._delete_contents(entry)
        if old_text is not None:
            remove_search_text(self.connection, entry, old_text)
        entries = [entry, *range(self._next_entry, self._next_entry + len(batch.uuids) - 1)]
        self._next_entry += len(batch.uuids) - 1
        self._add_shared(batch)
        self._overwrite(batch.entries, entries, occurrence)
        self._resolve_mentioned(batch, entries)
        self._add_contents(batch, entries, ())
        add_search_texts(self.connection, [(entry, *row[1:]) for row in batch.search_texts])

    def change_owner(self, entry: int, occurrence: int) -> None:
        """Set a new owner that has the same content; the entry gets a new revision only if a view shows the change."""
        self.changes.entries.add(entry)
        self.changes.has_updates = True
        (shown,) = self.connection.execute("select occurrence from entries where id = ?", (entry,)).fetchone()
        before = self.changes.deleted_owners.get(entry) or self._shown_position(shown)
        self.connection.execute("update entries set occurrence = ? where id = ?", (occurrence, entry))
        if before != self._shown_position(occurrence):
            mark_changed(self.connection, self.revision, (entry,))

    def note_deleted_owner(self, entry: int, occurrence: int) -> None:
        """Record the position of an entry's owner before the owner is deleted."""
        self.changes.deleted_owners.setdefault(entry, self._shown_position(occurrence))

    def _add_shared(self, batch: Batch) -> None:
        """Write the contexts, details and traits of a batch, and find their ids; several entries can share each."""
        traits = {_hash_traits(row[_TRAITS]): row[_TRAITS] for row in batch.entries}
        outcomes = batch.contents.get("tool_outcomes", ())
        facts = {_hash_text(row[_FACTS]): row[_FACTS] for row in outcomes if row[_FACTS] is not None}
        rows: dict[str, dict[int, Row]] = {
            "entry_contexts": batch.contexts,
            "extra_json": {key: (text,) for key, text in (batch.details | facts).items()},
            "entry_traits": traits,
        }
        keys = {
            "entry_contexts": {row[_CONTEXT] for row in batch.entries},
            "extra_json": {*(row[_DETAILS] for row in batch.entries), *facts} - {None},
            "entry_traits": traits.keys(),
        }
        for table, ids in self._shared_ids.items():
            if len(ids) > MAX_REMEMBERED_IDS:
                ids.clear()
            new = keys[table] - ids.keys()
            insert = insert_into(table) + " on conflict (hash) do nothing"
            self.connection.executemany(insert, [(key, *rows[table][key]) for key in new if key in rows[table]])
            find = f"select id from {table} where hash = ?"  # noqa: S608 - fixed table names
            ids.update((key, self.connection.execute(find, (key,)).fetchone()[0]) for key in new)

    def _add_entries(self, batch: Batch, entries: list[int], first: int) -> set[int]:
        """Write entries that are new or were ghosts; return the numbers of the entries that already had an owner."""
        start = batch.first_number
        added = [row for row in batch.entries if row[0] >= start]
        # entries that an earlier batch mentioned are already stored: as ghosts, or with content from another source
        doubtful = [row for row in batch.entries if row[0] < start]
        if insert_rows(self.connection, _ADD_ENTRY, [*self._entry_rows(added, entries, first)]) < len(added):
            # most uuids are new, so they are looked up only if at least one insert was ignored
            doubtful = doubtful + added
        copies: set[int] = set()
        if doubtful:
            known = self._find(row[1] for row in doubtful)
            ghosts = []
            for row in doubtful:
                entry, has_owner = known[row[1]]
                if row[0] >= start and entry == entries[row[0]]:
                    continue  # just added
                entries[row[0]] = entry
                if has_owner:
                    copies.add(row[0])
                else:
                    ghosts.append(row)
            self._overwrite(ghosts, entries, first)
        self.entries_added += len(batch.entries) - len(copies)
        if not self.changes.is_all:
            self.changes.entries.update(entries[row[0]] for row in batch.entries if row[0] not in copies)
        return copies

    def _overwrite(self, rows: Sequence[Row], entries: Sequence[int], first: int) -> None:
        """Replace the rows of entries; their ids and uuids stay the same."""
        self.connection.executemany("delete from entries where id = ?", [(entries[row[0]],) for row in rows])
        self.connection.executemany(_ADD_ENTRY, self._entry_rows(rows, entries, first))

    def _entry_rows(self, rows: Iterable[Row], entries: Sequence[int], first: int) -> list[Row]:
        revision, (contexts, details, traits) = self.revision, self._shared_ids.values()
        return [
            (
                entries[number],
                uuid,
                first + index,
                revision,
                digest,
                contexts[context],
                details.get(extra),
                traits[_hash_traits(combination)],
                *columns,
            )
            for number, uuid, index, digest, context, extra, combination, *columns in rows
        ]

    def _resolve_mentioned(self, batch: Batch, entries: list[int]) -> None:
        """Look up entries that the batch only mentions; add a ghost for each one that is not in the index."""
        in_batch = {row[1] for row in batch.entries}
        mentioned = {
            uuid: number for number, uuid in enumerate(batch.uuids, batch.first_number) if uuid not in in_batch
        }
        if not mentioned:
            return
        known = self._find(mentioned)
        ghosts = []
        for uuid, number in mentioned.items():
            if uuid in known:
                entries[number] = known[uuid].entry
            else:
                ghosts.append((entries[number], uuid))
        self.connection.executemany(_ADD_GHOST, ghosts)

    def _find(self, uuids: Iterable[str]) -> dict[str, _KnownEntry]:
        find = "select id, occurrence is not null from entries where uuid = ?"
        rows = ((uuid, self.connection.execute(find, (uuid,)).fetchone()) for uuid in uuids)
        return {uuid: _KnownEntry(*row) for uuid, row in rows if row is not None}

    def _add_contents(self, batch: Batch, entries: Sequence[int], copies: Collection[int]) -> None:
        edges = (row for row in batch.edges if row[0] not in copies)
        edge_rows = [(entries[child], kind, entries[parent]) for child, kind, parent in edges]
        insert_rows(self.connection, _ADD_EDGE, edge_rows)
        for table, rows in batch.contents.items():
            own_rows = [row for row in rows if row[0] not in copies] if copies else rows
            if table == "tool_outcomes":
                own_rows = list(map(self._with_facts_id, own_rows))
            insert_rows(self.connection, _ADD_CONTENT[table], [(entries[row[0]], *row[1:]) for row in own_rows])

    def _with_facts_id(self, row: Row) -> Row:
        """Replace the JSON of the other fields of an outcome with the id of its row."""
        text = row[_FACTS]
        facts = None if text is None else self._shared_ids["extra_json"][_hash_text(text)]
        return *row[:_FACTS], facts, *row[_FACTS + 1 :]

    def _delete_contents(self, entry: int) -> None:
        """Delete the content rows of an entry; record their call and response ids, because facts depend on them."""
        changes, values = self.changes, (entry,)
        changes.entries.add(entry)
        changes.has_updates = True
        for table in ("tool_uses", "tool_results"):
            find = f"select tool_use_id from {table} where entry = ? and tool_use_id is not null"  # noqa: S608
            changes.calls.update(call for (call,) in self.connection.execute(find, values))
        for table in ("messages", "iterations"):
            find = f"select response_id from {table} where entry = ? and response_id is not null"  # noqa: S608
            changes.responses.update(response for (response,) in self.connection.execute(find, values))
        self.connection.execute("delete from edges where child = ?", values)
        for table in _ADD_CONTENT:
            self.connection.execute(f"delete from {table} where entry = ?", values)  # noqa: S608

    def _shown_position(self, occurrence: int) -> tuple[int, ...] | None:
        find = "select source, line_no, timestamp_ms, session from occurrences where id = ?"
        row: tuple[int, ...] | None = self.connection.execute(find, (occurrence,)).fetchone()
        return row


def delete_rebuildable_rows(connection: sqlite3.Connection) -> None:
    """Delete all rows that can be rebuilt from the archive."""
    for table in (*RECORDED_TABLES, *DERIVED_TABLES):
        connection.execute(f"delete from {table.name}")  # noqa: S608 - fixed table names
    clear_search_texts(connection)
    connection.execute("delete from diagnostics where source is not null")


def mark_changed(connection: sqlite3.Connection, revision: int, entries: Iterable[int]) -> None:
    """Set the revision of entries that look different in a view."""
    rows = ((revision, entry, revision) for entry in entries)
    connection.executemany("update entries set revision = ? where id = ? and revision <> ?", rows)


@lru_cache(maxsize=1024)
def _hash_text(text: str) -> int:
    return short_hash(text.encode())


def _hash_traits(traits: Row) -> int:
    return short_hash("\0".join("" if value is None else f"={value}" for value in traits).encode())
