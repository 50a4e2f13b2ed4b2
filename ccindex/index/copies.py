"""Copies of one uuid that say different things."""

import sqlite3
from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from typing import Any

from ccindex.read.lines import objects_in
from ccindex.store.archive import Archive
from ccindex.store.sqlfiles import load

# whose a copy is; a resume or a fork writes it anew
_ITS_OWN = frozenset({"sessionId", "session_id", "slug"})
_PARENT = "parentUuid"  # a copy may have lost it, which is no difference
_NOT_COMPARED = _ITS_OWN | {_PARENT}
_MISSING = object()


def compare_copies(connection: sqlite3.Connection, archive: Archive) -> None:
    """Write down, of the entries in temp.contested, those whose current copies differ, and in which keys."""
    connection.execute("delete from conflicts where entry in (select entry from temp.contested)")
    found = connection.execute(load("derive/copies")).fetchall()
    rows = []
    for entry, places in groupby(found, key=itemgetter(0)):
        copies = (objects_in(archive.slice(*place[1:]))[0] for place in places)
        keys = sorted(_differing(copies))
        if keys:
            rows.append((entry, ",".join(keys)))
    connection.executemany("insert into conflicts values (?, ?)", rows)


def _differing(copies: Iterator[dict[str, Any]]) -> set[str]:
    """The keys that do not have one value in all copies; every copy is looked at once."""
    first = next(copies)
    parent = first.get(_PARENT)
    agreed = first.keys() - _NOT_COMPARED  # keys that had the first copy's value in all copies so far
    differing: set[str] = set()
    for copy in copies:
        lost = {key for key in agreed if copy.get(key, _MISSING) != first[key]}
        differing |= lost | (copy.keys() - first.keys() - _NOT_COMPARED)
        agreed -= lost
        own = copy.get(_PARENT)
        if parent is None:
            parent = own
        elif own is not None and own != parent:
            differing.add(_PARENT)
    return differing
