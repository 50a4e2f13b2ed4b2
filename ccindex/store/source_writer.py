"""Parsed objects to rows: occurrences, and the entry with its content for the first copy of a uuid."""

import sqlite3
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import NamedTuple

from ccindex.model.events import Draft, Phases, Row
from ccindex.model.recorded import Block, Content, Notice, ToolUse, Words
from ccindex.store.fts import Searched, WordIndex
from ccindex.store.rows import insert_into


class Replacement(NamedTuple):
    """An entry whose owner changed, with the new owner's content: the only entry of the draft."""

    entry: int
    occurrence: int
    draft: Draft
    before: Words | None


@dataclass(slots=True)
class Changes:
    """Where to look again, since the last look: who owns what, and what follows from it.

    `calls` and `responses`: those that entries no longer speak of; what they speak of now is found by the entries.
    """

    is_all: bool = False  # nothing was there before, so that `entries` need not be told

    entries: set[int] = field(default_factory=set)
    contested: set[int] = field(default_factory=set)
    sources: set[int] = field(default_factory=set)  # that hold other entries than before
    sessions: set[int] = field(default_factory=set)
    leaves: set[str] = field(default_factory=set)
    sidecars: set[int] = field(default_factory=set)
    dropped: dict[int, tuple[int, ...] | None] = field(default_factory=dict)
    calls: set[str] = field(default_factory=set)
    responses: set[str] = field(default_factory=set)


class Said(NamedTuple):
    """An entry's words as they are stored."""

    kind: str
    is_typed: int
    text: str | None
    content: Content


def load_said(connection: sqlite3.Connection, entry: int) -> Said:
    """Read the blocks, the calls and the own text of an entry that was seen."""
    find = "select kind, is_typed, text from entries where id = ?"
    kind, is_typed, text = connection.execute(find, (entry,)).fetchone()
    blocks = connection.execute(
        f"select {', '.join(Block._fields)} from blocks where entry = ? order by idx",  # noqa: S608
        (entry,),
    )
    uses = connection.execute(
        f"select {', '.join(ToolUse._fields)} from tool_uses where entry = ? order by idx",  # noqa: S608
        (entry,),
    )
    content = Content(blocks=tuple(map(Block._make, blocks)), uses=tuple(map(ToolUse._make, uses)))
    return Said(kind, is_typed, text, content)


_MOST_REMEMBERED = 100_000

_ADD_ENTRY = insert_into("entries") + " on conflict (uuid) do nothing"
_ADD_GHOST = (
    "insert into entries (id, uuid, is_typed, is_command, is_sidechain, is_meta, is_compact_summary, is_api_error, "
    "revision) values (?, ?, 0, 0, 0, 0, 0, 0, 0)"
)
_ADD_OCCURRENCE = insert_into("occurrences")
_ADD_EDGE = insert_into("edges")
_CONTENT_TABLES = (
    *("messages", "iterations", "blocks", "tool_uses", "tool_results", "agent_mentions", "file_touches"),
    "tool_outcomes",
)
_ADD_CONTENT = {
    **{table: insert_into(table) for table in _CONTENT_TABLES},
    "task_notices": insert_into("task_notices", ("entry", *Notice._fields)),
}
_ADD_NOTICE = insert_into("task_notices", ("record", *Notice._fields))
_FIND = "select id, occurrence is not null from entries where uuid = ?"


class _Met(NamedTuple):
    """An entry that the index has already."""

    entry: int
    is_seen: int  # 0: a ghost, which others point at


class Recorder:
    """Writes drafts, and remembers what that may have changed."""

    def __init__(self, connection: sqlite3.Connection, revision: int, phases: Phases) -> None:
        self._connection = connection
        self._phases = phases
        self._revision = revision
        self._next_entry = self._last("entries") + 1
        self._next_occurrence = self._last("occurrences") + 1
        self._stored: set[int] = set()
        self._sessions: dict[str, int] = {}
        self.entries_added = 0
        self.changes = Changes()
        self.words: WordIndex = Searched(connection)

    def record(self, source: int, generation: int, draft: Draft, numbered: list[int]) -> None:
        """Write a draft; `numbered`: the entries that the source named so far, which it adds its own to."""
        with self._phases.timed("write"):
            copies = self._record(source, generation, draft, numbered)
        with self._phases.timed("index"):
            self._words(draft, numbered, copies)

    def _record(self, source: int, generation: int, draft: Draft, numbered: list[int]) -> Collection[int]:
        if draft.start == 0:
            numbered.clear()
        numbered += range(self._next_entry, self._next_entry + len(draft.named))
        self._next_entry += len(draft.named)
        first = self._next_occurrence
        self._next_occurrence += len(draft.objects)
        self._shared(draft)
        copies = self._entries(draft, numbered, first)
        self._point(draft, numbered)
        self._occurrences((source, generation), first, draft, numbered, copies)
        self._contents(draft, numbered, copies)
        records = [(first + index, *rest) for index, *rest in draft.records]
        self._connection.executemany(insert_into("records"), records)
        self.changes.leaves.update(leaf for *_, leaf in records if leaf is not None)
        told = ((first + index, *rest) for index, *rest in draft.notices)
        self._connection.executemany(_ADD_NOTICE, told)
        return copies

    def replace(self, replacements: Iterable[Replacement]) -> None:
        """Show another copy's content for some entries."""
        for item in replacements:
            self._withdraw(item)
            draft = item.draft
            numbered = list(range(self._next_entry, self._next_entry + len(draft.named)))
            self._next_entry += len(draft.named)
            numbered[0] = item.entry
            self._shared(draft)
            self._fill(draft.entries, numbered, item.occurrence)
            self._point(draft, numbered)
            self._contents(draft, numbered, ())
            self._words(draft, numbered, ())

    def _shared(self, draft: Draft) -> None:
        """Write what many entries have in common."""
        if len(self._stored) > _MOST_REMEMBERED:
            self._stored.clear()
        contexts = [(key, *row) for key, row in draft.contexts.items() if key not in self._stored]
        details = [(key, text) for key, text in draft.details.items() if key not in self._stored]
        self._connection.executemany(insert_into("entry_contexts", verb="insert or ignore"), contexts)
        self._connection.executemany(insert_into("extra_json", verb="insert or ignore"), details)
        self._stored.update(draft.contexts, draft.details)

    def _entries(self, draft: Draft, numbered: list[int], first: int) -> set[int]:
        """Write the entries that nobody saw before; return the numbers of the others, which are copies."""
        added = [row for row in draft.entries if row[0] >= draft.start]
        # those that the source named before it held them may be ghosts, or known from elsewhere
        named_before = [row for row in draft.entries if row[0] < draft.start]
        cursor = self._connection.executemany(_ADD_ENTRY, self._completed(added, numbered, first))
        doubtful = named_before
        if cursor.rowcount < len(added):
            # most often the uuids are new, so it is cheaper to ask only after the fact
            doubtful = doubtful + added
        copies: set[int] = set()
        if doubtful:
            met = self._find(row[1] for row in doubtful)
            ghosts = []
            for row in doubtful:
                entry, is_seen = met[row[1]]
                if row[0] >= draft.start and entry == numbered[row[0]]:
                    continue  # it was added just now
                numbered[row[0]] = entry
                if is_seen:
                    copies.add(row[0])
                else:
                    ghosts.append(row)
            self._fill(ghosts, numbered, first)
        self.entries_added += len(draft.entries) - len(copies)
        if not self.changes.is_all:
            self.changes.entries.update(numbered[row[0]] for row in draft.entries if row[0] not in copies)
        return copies

    def _fill(self, entries: Sequence[Row], numbered: Sequence[int], first: int) -> None:
        """Write entries in the place of others of their uuids."""
        gone = [(numbered[row[0]],) for row in entries]
        self._connection.executemany("delete from entries where id = ?", gone)
        self._connection.executemany(_ADD_ENTRY, self._completed(entries, numbered, first))

    def _completed(self, entries: Iterable[Row], numbered: Sequence[int], first: int) -> Iterable[Row]:
        revision = self._revision
        return [(numbered[row[0]], row[1], first + row[2], revision, *row[3:]) for row in entries]

    def _point(self, draft: Draft, numbered: list[int]) -> None:
        """Find the entries that are only pointed at; the index has ghosts of those that nobody saw."""
        here = {row[1] for row in draft.entries}
        elsewhere = {uuid: number for number, uuid in enumerate(draft.named, draft.start) if uuid not in here}
        if not elsewhere:
            return
        met = self._find(elsewhere)
        ghosts = []
        for uuid, number in elsewhere.items():
            if uuid in met:
                numbered[number] = met[uuid].entry
            else:
                ghosts.append((numbered[number], uuid))
        self._connection.executemany(_ADD_GHOST, ghosts)

    def _find(self, uuids: Iterable[str]) -> dict[str, _Met]:
        found = ((uuid, self._connection.execute(_FIND, (uuid,)).fetchone()) for uuid in uuids)
        return {uuid: _Met(*row) for uuid, row in found if row is not None}

    def _occurrences(
        self, source: tuple[int, int], first: int, draft: Draft, numbered: Sequence[int], copies: Collection[int]
    ) -> None:
        sessions = [self.session(session_id) for session_id in draft.sessions]
        self.changes.sessions.update(sessions[index] for index in draft.concerned)
        rows: list[Row] = []
        for occurrence, (*columns, session, number, is_first) in zip(count(first), draft.objects, strict=False):
            if number is None:
                entry, is_owner, is_copy = None, 0, 0
            elif is_first and number not in copies:
                entry, is_owner, is_copy = numbered[number], 1, 0
            else:
                entry, is_owner, is_copy = numbered[number], 0, 1
                self.changes.contested.add(entry)
            rows.append((occurrence, *source, *columns, sessions[session], entry, 1, is_owner, is_copy))
        if any(row[-4] is not None for row in rows):
            self.changes.sources.add(source[0])
        self._connection.executemany(_ADD_OCCURRENCE, rows)

    def _contents(self, draft: Draft, numbered: Sequence[int], copies: Collection[int]) -> None:
        execute = self._connection.executemany
        edges = (row for row in draft.edges if row[0] not in copies)
        execute(_ADD_EDGE, [(numbered[child], kind, numbered[parent]) for child, kind, parent in edges])
        for table, rows in draft.contents.items():
            kept = [row for row in rows if row[0] not in copies] if copies else rows
            execute(_ADD_CONTENT[table], [(numbered[row[0]], *row[1:]) for row in kept])

    def _words(self, draft: Draft, numbered: Sequence[int], copies: Collection[int]) -> None:
        self.words.add([(numbered[row[0]], *row[1:]) for row in draft.words if row[0] not in copies])

    def _withdraw(self, item: Replacement) -> None:
        """Take back what an entry said so far; others may have to look again for it."""
        changes, values = self.changes, (item.entry,)
        changes.entries.add(item.entry)
        if item.before is not None:
            self.words.remove(item.entry, item.before)
        for table in ("tool_uses", "tool_results"):
            found = f"select tool_use_id from {table} where entry = ? and tool_use_id is not null"  # noqa: S608
            changes.calls.update(call for (call,) in self._connection.execute(found, values))
        for table in ("messages", "iterations"):
            found = f"select response_id from {table} where entry = ? and response_id is not null"  # noqa: S608
            changes.responses.update(response for (response,) in self._connection.execute(found, values))
        self._connection.execute("delete from edges where child = ?", values)
        for table in _ADD_CONTENT:
            self._connection.execute(f"delete from {table} where entry = ?", values)  # noqa: S608

    def move(self, entry: int, occurrence: int) -> None:
        """Let another copy of the same bytes own an entry; that changes it only if it stands elsewhere."""
        self.changes.entries.add(entry)
        (shown,) = self._connection.execute("select occurrence from entries where id = ?", (entry,)).fetchone()
        before = self.changes.dropped.get(entry) or self._standing(shown)
        self._connection.execute("update entries set occurrence = ? where id = ?", (occurrence, entry))
        if before != self._standing(occurrence):
            self.touch((entry,))

    def drop(self, entry: int, occurrence: int) -> None:
        """Remember what an owner that is about to be dropped showed of its entry."""
        self.changes.dropped.setdefault(entry, self._standing(occurrence))

    def _standing(self, occurrence: int) -> tuple[int, ...] | None:
        find = "select source, line_no, timestamp_ms, session from occurrences where id = ?"
        standing: tuple[int, ...] | None = self._connection.execute(find, (occurrence,)).fetchone()
        return standing

    def touch(self, entries: Iterable[int]) -> None:
        """Note that what is shown of some entries changed."""
        rows = ((self._revision, entry) for entry in entries)
        self._connection.executemany("update entries set revision = ?1 where id = ?2 and revision <> ?1", rows)

    def session(self, session_id: str) -> int:
        """Return the number of a session id, made known if need be."""
        known = self._sessions.get(session_id)
        if known is not None:
            return known
        find = "select id from session_ids where session_id = ?"
        row = self._connection.execute(find, (session_id,)).fetchone()
        if row is None:
            make = "insert into session_ids (session_id) values (?)"
            row = (self._connection.execute(make, (session_id,)).lastrowid,)
        self._sessions[session_id] = int(row[0])
        return int(row[0])

    def _last(self, table: str) -> int:
        row = self._connection.execute(f"select coalesce(max(id), 0) from {table}").fetchone()  # noqa: S608
        return int(row[0])
