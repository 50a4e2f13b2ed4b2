"""Elects the copy that owns each uuid with several copies, and records differences between copies."""

import sqlite3
from collections.abc import Iterator, Sequence
from operator import itemgetter
from typing import Any, NamedTuple

from ccindex.ingest.drafting import Drafting
from ccindex.model.events import Draft
from ccindex.model.recorded import Parsed, Words
from ccindex.read.entry_parser import parse
from ccindex.read.json_lines import objects_in
from ccindex.read.search_text import words_of
from ccindex.store.archive import Archive
from ccindex.store.source_writer import Recorder, Replacement, load_said
from ccindex.store.sql_files import load
from ccindex.store.temporary import fill

# keys that a resume or a fork writes anew: which session the copy belongs to
_ITS_OWN = frozenset({"sessionId", "session_id", "slug"})
# keys that say where and by whom a copy was written, not what the entry says
_CIRCUMSTANCES = frozenset({"cwd", "gitBranch", "agentId", "sessionKind", "entrypoint", "version"})
_PARENT = "parentUuid"  # a copy may have lost it, which is no difference
_NOT_COMPARED = _ITS_OWN | {_PARENT}
_MISSING = object()
_BATCH_COPIES = 50_000  # copies that are put in the archive's order
_BATCH_BYTES = 16 << 20  # of the copies that others are compared with


class _Copy(NamedTuple):
    """Where a copy of an entry stands."""

    entry: int
    source: int
    generation: int
    offset: int
    length: int


def compare_copies(connection: sqlite3.Connection, archive: Archive) -> None:
    """Write down, of the entries in temp.contested, those whose current copies differ, and in which keys."""
    connection.execute("delete from copy_conflicts where entry in (select entry from temp.contested)")
    rows = [_row(entry, keys) for entry, keys in _conflicts(connection, archive) if keys]
    connection.executemany("insert into copy_conflicts values (?, ?, ?)", rows)


def _row(entry: int, keys: set[str]) -> tuple[int, str, str]:
    return entry, ",".join(sorted(keys)), "info" if keys <= _CIRCUMSTANCES else "warning"


def _conflicts(connection: sqlite3.Connection, archive: Archive) -> Iterator[tuple[int, set[str]]]:
    """Give by entry the keys in which its copies differ; an entry may have more copies than one batch."""
    compared: dict[int, _Compared] = {}
    for batch in _batches(connection):
        # in the archive's order, so that a chunk is unpacked once per batch and not once per copy
        for copy in sorted(batch, key=lambda copy: copy[1:]):
            value = objects_in(archive.slice(*copy[1:]))[0]
            if copy.entry in compared:
                compared[copy.entry].add(value)
            else:
                compared[copy.entry] = _Compared(value)
        last = batch[-1].entry
        yield from ((entry, found.differing) for entry, found in compared.items() if entry != last)
        compared = {last: compared[last]}
    yield from ((entry, found.differing) for entry, found in compared.items())


def _batches(connection: sqlite3.Connection) -> Iterator[Sequence[_Copy]]:
    """Copies by entry, so many at once that they fit into memory."""
    batch: list[_Copy] = []
    held, entry = 0, None
    for copy in map(_Copy._make, connection.execute(load("derive/copies"))):
        if len(batch) >= _BATCH_COPIES or held >= _BATCH_BYTES:
            yield batch
            batch, held = [], 0
        held += copy.length if copy.entry != entry else 0
        entry = copy.entry
        batch.append(copy)
    if batch:
        yield batch


class _Compared:
    """Copies of one entry, compared one after another; none is looked at twice."""

    def __init__(self, first: dict[str, Any]) -> None:
        self.differing: set[str] = set()
        self._first = first
        self._agreed = first.keys() - _NOT_COMPARED  # keys that had the first copy's value so far
        self._parent = first.get(_PARENT)

    def add(self, copy: dict[str, Any]) -> None:
        """Compare one more copy."""
        first = self._first
        lost = {key for key in self._agreed if copy.get(key, _MISSING) != first[key]}
        self.differing |= lost | (copy.keys() - first.keys() - _NOT_COMPARED)
        self._agreed -= lost
        parent = copy.get(_PARENT)
        if self._parent is None:
            self._parent = parent
        elif parent is not None and parent != self._parent:
            self.differing.add(_PARENT)


_BATCH_REPLACEMENTS = 500


def elect(connection: sqlite3.Connection, recorder: Recorder, archive: Archive) -> None:
    """Elect owners wherever what was recorded since the last election can have changed the outcome."""
    contested, touched = recorder.changes.contested, recorder.changes.sessions
    fill(connection, "contested", contested)
    connection.execute(
        "update occurrences set has_copies = 1 where has_copies = 0 and entry in (select entry from temp.contested)"
    )
    is_reranked = _rerank(connection, touched)
    if is_reranked or contested:
        compare_copies(connection, archive)
    if not _resize(connection, recorder) and not is_reranked and not contested:
        return
    replacements: list[Replacement] = []
    for replacement in _losers(connection, recorder, archive):
        replacements.append(replacement)
        if len(replacements) >= _BATCH_REPLACEMENTS:
            recorder.replace(replacements)
            replacements.clear()
    recorder.replace(replacements)


def _rerank(connection: sqlite3.Connection, touched: set[int]) -> bool:
    """Rank the sessions concerned; where a rank changed, all copies of that session are contested."""
    fill(connection, "ranked", touched)
    connection.execute("delete from temp.ranked where session not in (select session from session_ranks)")
    connection.execute(
        "insert or ignore into temp.ranked "
        "select session from occurrences where entry in (select entry from temp.contested)"
    )
    known = connection.execute(
        "select r.session, first_at, first_own_at from session_ranks r join temp.ranked using (session)"
    )
    before = set(known)
    # a session that nothing claims any longer has no instant, and no copies to rank
    now = {row for row in connection.execute(load("derive/ranks")) if row[1] is not None}
    changed = sorted(now - before, key=itemgetter(0))
    connection.execute("delete from session_ranks where session in (select session from temp.ranked)")
    connection.executemany("insert into session_ranks values (?, ?, ?)", now)
    for session, *_ in changed:
        connection.execute(
            "insert or ignore into temp.contested select entry from occurrences where session = ? and has_copies = 1",
            (session,),
        )
    return bool(changed)


def _resize(connection: sqlite3.Connection, recorder: Recorder) -> bool:
    """Contest the entries whose owner depends on how many objects the changed agent files hold."""
    if recorder.changes.is_all:  # every copy is contested already
        return False
    fill(connection, "resized", recorder.changes.sources)
    cursor = connection.execute("insert or ignore into temp.contested " + load("derive/resized_copies"))
    return cursor.rowcount > 0


def _losers(connection: sqlite3.Connection, recorder: Recorder, archive: Archive) -> Iterator[Replacement]:
    """Point every contested entry at its owner; give those whose content was another copy's."""
    owners = connection.execute(load("derive/owners")).fetchall()
    for entry, occurrence, digest, source, generation, offset, length in owners:
        shown, content = connection.execute("select occurrence, hash from entries where id = ?", (entry,)).fetchone()
        if shown == occurrence and content == digest:
            continue
        connection.execute("update occurrences set is_owner = 0 where entry = ? and is_owner = 1", (entry,))
        connection.execute("update occurrences set is_owner = 1 where id = ?", (occurrence,))
        if content == digest:
            recorder.move(entry, occurrence)
            continue
        raw = archive.slice(source, generation, offset, length)
        [value] = objects_in(raw)
        yield Replacement(entry, occurrence, _drafted(parse(value), digest), _words(connection, entry))


def _drafted(parsed: Parsed, digest: int) -> Draft:
    """The rows of one entry alone."""
    drafting = Drafting()
    drafting.add_entry(parsed, digest)
    return drafting.take()


def _words(connection: sqlite3.Connection, entry: int) -> Words | None:
    """The words that an entry is found by so far."""
    said = load_said(connection, entry)
    return words_of(said.kind, said.content, said.text, is_typed=bool(said.is_typed))
