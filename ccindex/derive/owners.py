"""Contested uuids to the copy that owns each of them, and the differences between copies as rows."""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from ccindex.read.entry_parser import parse
from ccindex.read.json_lines import objects_in
from ccindex.read.row_batches import batch_of_entry
from ccindex.read.search_text import words_of
from ccindex.store.archive import Archive
from ccindex.store.entry_writer import Changes, EntryWriter, load_content, mark_copied, replace_conflicts, set_owners
from ccindex.store.rows import select_columns, sync_rows
from ccindex.store.sql_files import load

# keys that a resume or a fork rewrites in its copies
_SESSION_KEYS = frozenset({"sessionId", "session_id", "slug"})
# keys about where and by whom a copy was written: a difference in these alone is not a warning
_CONTEXT_KEYS = frozenset({"cwd", "gitBranch", "agentId", "sessionKind", "entrypoint", "version"})
_PARENT_KEY = "parentUuid"  # a copy without it does not differ
_NOT_COMPARED = _SESSION_KEYS | {_PARENT_KEY}
_MISSING = object()
_BATCH_COPIES = 50_000  # sorted together
_BATCH_BYTES = 16 << 20  # of the copies that others are compared with


class NewOwner(NamedTuple):
    """An entry with a new owner; `has_other_content`: its bytes differ from those of the owner before."""

    entry: int
    occurrence: int
    hash: int
    has_other_content: int
    source: int
    generation: int
    offset: int
    length: int


def elect_owners(connection: sqlite3.Connection, archive: Archive, changes: Changes) -> list[NewOwner]:
    """Elect the owners of all entries that a change can affect; return those that are new, in archive order.

    The copies of an entry are contested if one was added or removed, if the rank of a session that claims one
    changed, or if an agent file that holds one has another number of objects than before.
    """
    contested = set(changes.contested)
    given = {"sessions": json.dumps(list(changes.sessions)), "entries": json.dumps(list(contested))}
    if contested:
        mark_copied(connection, contested)
    ranked = [session for (session,) in connection.execute(load("derive/ranked_sessions"), given)]
    for session in _rerank(connection, ranked) if ranked else ():
        copies = "select entry from occurrences where session = ? and has_copies = 1"
        contested.update(entry for (entry,) in connection.execute(copies, (session,)))
    if contested:
        _replace_conflicts(connection, archive, contested)
    if not changes.is_all:  # a first load contests every copy already
        resized = connection.execute(load("derive/resized_copies"), {"sources": json.dumps(list(changes.sources))})
        contested.update(entry for (entry,) in resized)
    if not contested:
        return []
    rows = connection.execute(load("derive/ranked_copies"), {"entries": json.dumps(sorted(contested)), "is_all": 0})
    owners = [NewOwner._make(row[:8]) for row in rows]
    set_owners(connection, {owner.entry: owner.occurrence for owner in owners})
    return owners


def apply_owners(entries: EntryWriter, archive: Archive, owners: Iterable[NewOwner]) -> None:
    """Give entries the content and the position of their new owners."""
    for owner in owners:
        if not owner.has_other_content:
            entries.move(owner.entry, owner.occurrence)
            continue
        [value] = objects_in(archive.slice(owner.source, owner.generation, owner.offset, owner.length))
        stored = load_content(entries.connection, owner.entry)
        old_text = words_of(stored.kind, stored.content, stored.text, is_typed=bool(stored.is_typed))
        entries.replace(owner.entry, owner.occurrence, batch_of_entry(parse(value), owner.hash), old_text)


def _rerank(connection: sqlite3.Connection, ranked: Sequence[int]) -> list[int]:
    """Update the ranks of some sessions; return those whose rank changed."""
    sessions = {"sessions": json.dumps(ranked)}
    known = (
        f"select {select_columns('session_ranks')} "  # noqa: S608
        "from json_each(:sessions) j cross join session_ranks x on x.session = j.value"
    )
    before = set(connection.execute(known, sessions))
    # a session without an instant is no longer claimed by any entry
    after = {row for row in connection.execute(load("derive/ranks"), sessions) if row[1] is not None}
    sync_rows(connection, "session_ranks", 1, old=before, new=after)
    return sorted(session for session, *_ in after - before)


def _replace_conflicts(connection: sqlite3.Connection, archive: Archive, entries: Iterable[int]) -> None:
    """Write one row per entry whose current copies differ, with the keys in which they do."""
    entries = sorted(entries)
    copies = map(_Copy._make, connection.execute(load("derive/copies"), {"entries": json.dumps(entries)}))
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
    """Give every entry with the keys in which its copies differ; the copies of one may span several batches."""
    compared: dict[int, _Comparison] = {}
    for batch in _batches(copies):
        # in archive order, so that a chunk is unpacked once per batch and not once per copy
        for copy in sorted(batch, key=lambda copy: copy[1:]):
            value = objects_in(archive.slice(*copy[1:]))[0]
            if copy.entry in compared:
                compared[copy.entry].add(value)
            else:
                compared[copy.entry] = _Comparison(value)
        last = batch[-1].entry
        yield from ((entry, found.differing) for entry, found in compared.items() if entry != last)
        compared = {last: compared[last]}
    yield from ((entry, found.differing) for entry, found in compared.items())


def _batches(copies: Iterable[_Copy]) -> Iterator[Sequence[_Copy]]:
    """Split copies, ordered by entry, into batches whose first copies fit into memory."""
    batch: list[_Copy] = []
    held, entry = 0, None
    for copy in copies:
        if len(batch) >= _BATCH_COPIES or held >= _BATCH_BYTES:
            yield batch
            batch, held = [], 0
        held += copy.length if copy.entry != entry else 0
        entry = copy.entry
        batch.append(copy)
    if batch:
        yield batch


class _Comparison:
    """Compares the copies of one entry, each once."""

    def __init__(self, first: dict[str, Any]) -> None:
        self.differing: set[str] = set()
        self._first = first
        self._agreed = first.keys() - _NOT_COMPARED  # keys that had the first copy's value so far
        self._parent = first.get(_PARENT_KEY)

    def add(self, copy: dict[str, Any]) -> None:
        """Compare one more copy."""
        first = self._first
        lost = {key for key in self._agreed if copy.get(key, _MISSING) != first[key]}
        self.differing |= lost | (copy.keys() - first.keys() - _NOT_COMPARED)
        self._agreed -= lost
        parent = copy.get(_PARENT_KEY)
        if self._parent is None:
            self._parent = parent
        elif parent is not None and parent != self._parent:
            self.differing.add(_PARENT_KEY)
