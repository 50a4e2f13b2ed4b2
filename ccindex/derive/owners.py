"""Elect the occurrence that owns each contested entry, and record differences between copies."""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from ccindex.read.json_lines import objects_in
from ccindex.read.row_batches import build_entry_batch
from ccindex.read.search_text import build_search_text
from ccindex.store.archive import Archive
from ccindex.store.copies import load_content, mark_copied, replace_conflicts, set_owners
from ccindex.store.entry_writer import Changes, EntryWriter
from ccindex.store.rows import select_columns, sync_rows
from ccindex.store.sql_files import load

# keys that a resume or a fork rewrites in its copies
_SESSION_KEYS = frozenset({"sessionId", "session_id", "slug"})

# keys that describe where and by whom a copy was written; a difference in these keys alone causes no warning
_CONTEXT_KEYS = frozenset({"cwd", "gitBranch", "agentId", "sessionKind", "entrypoint", "version"})
_PARENT_KEY = "parentUuid"  # a copy without a value for this key does not count as different
_NOT_COMPARED = _SESSION_KEYS | {_PARENT_KEY}
_MISSING = object()
_BATCH_COPIES = 50_000  # number of copies that are read and sorted at once
_BATCH_BYTES = 16 << 20  # total size of the first copies, which are kept in memory for comparison


class NewOwner(NamedTuple):
    """An entry with a new owner; `has_other_content`: its bytes differ from those of the previous owner."""

    entry: int
    occurrence: int
    hash: int
    has_other_content: int
    source: int
    generation: int
    offset: int
    length: int


def elect_owners(connection: sqlite3.Connection, archive: Archive, changes: Changes) -> list[NewOwner]:
    """Elect the owners of all entries that a change can affect; return the new owners in archive order.

    An entry is contested if a copy was added or removed, if the rank of a copy's session changed, or if the number of
    objects changed in an agent file that contains a copy.
    """
    contested = set(changes.contested)
    params = {"sessions": json.dumps(list(changes.sessions)), "entries": json.dumps(list(contested))}
    if contested:
        mark_copied(connection, contested)
    ranked = [session for (session,) in connection.execute(load("derive/sessions_to_rank"), params)]
    for session in _rerank(connection, ranked) if ranked else ():
        copies = "select entry from occurrences where session = ? and has_copies = 1"
        contested.update(entry for (entry,) in connection.execute(copies, (session,)))
    if contested:
        _replace_conflicts(connection, archive, contested)
    if not changes.is_all:  # in a first load, every entry with copies is already contested
        resized = connection.execute(
            load("derive/entries_in_agent_files"), {"sources": json.dumps(list(changes.sources))}
        )
        contested.update(entry for (entry,) in resized)
    if not contested:
        return []
    rows = connection.execute(load("derive/ranked_copies"), {"entries": json.dumps(sorted(contested)), "is_all": 0})
    owners = [NewOwner._make(row[:8]) for row in rows]
    set_owners(connection, {owner.entry: owner.occurrence for owner in owners})
    return owners


def apply_owners(entries: EntryWriter, archive: Archive, owners: Iterable[NewOwner]) -> None:
    """Give entries the content and position of their new owners."""
    for owner in owners:
        if not owner.has_other_content:
            entries.change_owner(owner.entry, owner.occurrence)
            continue
        [value] = objects_in(archive.slice(owner.source, owner.generation, owner.offset, owner.length))
        stored = load_content(entries.connection, owner.entry)
        old_text = build_search_text(stored.kind, stored.content, stored.text, is_typed=bool(stored.is_typed))
        entries.replace(owner.entry, owner.occurrence, build_entry_batch(value, owner.hash), old_text)


def _rerank(connection: sqlite3.Connection, ranked: Sequence[int]) -> list[int]:
    """Update the ranks of the given sessions; return the sessions whose rank changed."""
    params = {"sessions": json.dumps(ranked)}
    stored = (
        f"select {select_columns('session_ranks')} "  # noqa: S608
        "from json_each(:sessions) j cross join session_ranks x on x.session = j.value"
    )
    before = set(connection.execute(stored, params))
    # a session without a timestamp no longer has entries or copies
    after = {row for row in connection.execute(load("derive/session_ranks"), params) if row[1] is not None}
    sync_rows(connection, "session_ranks", 1, old=before, new=after)
    return sorted(session for session, *_ in after - before)


def _replace_conflicts(connection: sqlite3.Connection, archive: Archive, entries: Iterable[int]) -> None:
    """Write one row per entry whose current copies differ, with the keys that differ."""
    entries = sorted(entries)
    copies = map(_Copy._make, connection.execute(load("derive/differing_copies"), {"entries": json.dumps(entries)}))
    rows = [
        (entry, ",".join(sorted(keys)), "info" if keys <= _CONTEXT_KEYS else "warning")
        for entry, keys in _differing_keys(archive, copies)
        if keys
    ]
    replace_conflicts(connection, entries, rows)


class _Copy(NamedTuple):
    """The position of a copy of an entry."""

    entry: int
    source: int
    generation: int
    offset: int
    length: int


def _differing_keys(archive: Archive, copies: Iterable[_Copy]) -> Iterator[tuple[int, set[str]]]:
    """Yield every entry with the keys that differ between its copies; the copies of an entry can span batches."""
    compared: dict[int, _Comparison] = {}
    for batch in _batches(copies):
        # in archive order, so that a chunk is decompressed once per batch and not once per copy
        for copy in sorted(batch, key=lambda copy: copy[1:]):
            value = objects_in(archive.slice(*copy[1:]))[0]
            if copy.entry in compared:
                compared[copy.entry].add(value)
            else:
                compared[copy.entry] = _Comparison(value)
        last = batch[-1].entry
        yield from ((entry, comparison.differing) for entry, comparison in compared.items() if entry != last)
        compared = {last: compared[last]}
    yield from ((entry, comparison.differing) for entry, comparison in compared.items())


def _batches(copies: Iterable[_Copy]) -> Iterator[Sequence[_Copy]]:
    """Split copies, ordered by entry, into batches.

    Each batch is limited both in its number of copies and in the total size of its entries' first copies.
    """
    batch: list[_Copy] = []
    size, entry = 0, None
    for copy in copies:
        if len(batch) >= _BATCH_COPIES or size >= _BATCH_BYTES:
            yield batch
            batch, size = [], 0
        size += copy.length if copy.entry != entry else 0
        entry = copy.entry
        batch.append(copy)
    if batch:
        yield batch


class _Comparison:
    """Compares every copy of an entry with the first one."""

    def __init__(self, first: dict[str, Any]) -> None:
        self.differing: set[str] = set()
        self._first = first
        self._agreed = first.keys() - _NOT_COMPARED  # keys with the same value in all copies so far
        self._parent = first.get(_PARENT_KEY)

    def add(self, copy: dict[str, Any]) -> None:
        """Compare another copy."""
        first = self._first
        changed = {key for key in self._agreed if copy.get(key, _MISSING) != first[key]}
        self.differing |= changed | (copy.keys() - first.keys() - _NOT_COMPARED)
        self._agreed -= changed
        parent = copy.get(_PARENT_KEY)
        if self._parent is None:
            self._parent = parent
        elif parent is not None and parent != self._parent:
            self.differing.add(_PARENT_KEY)
