"""Copies of one uuid that say different things."""

import sqlite3
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from ccindex.read.lines import objects_in
from ccindex.store.archive import Archive
from ccindex.store.sqlfiles import load

# keys that a resume or a fork writes anew: which session the copy belongs to
_ITS_OWN = frozenset({"sessionId", "session_id", "slug"})
# keys that say where and by whom a copy was written, not what the entry says
_CIRCUMSTANCES = frozenset({"cwd", "gitBranch", "agentId", "sessionKind", "entrypoint", "version"})
_PARENT = "parentUuid"  # a copy may have lost it, which is no difference
_NOT_COMPARED = _ITS_OWN | {_PARENT}
_MISSING = object()
_AT_ONCE = 50_000  # copies that are put in the archive's order
_AT_ONCE_BYTES = 16 << 20  # of the copies that others are compared with


class _Copy(NamedTuple):
    """Where a copy of an entry stands."""

    entry: int
    source: int
    generation: int
    offset: int
    length: int


def compare_copies(connection: sqlite3.Connection, archive: Archive) -> None:
    """Write down, of the entries in temp.contested, those whose current copies differ, and in which keys."""
    connection.execute("delete from conflicts where entry in (select entry from temp.contested)")
    rows = [_row(entry, keys) for entry, keys in _conflicts(connection, archive) if keys]
    connection.executemany("insert into conflicts values (?, ?, ?)", rows)


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
        if len(batch) >= _AT_ONCE or held >= _AT_ONCE_BYTES:
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
