"""Copies of one uuid that say different things."""

import sqlite3
from collections.abc import Iterable, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

from ccindex.read.lines import objects_in
from ccindex.store.archive import Archive
from ccindex.store.sqlfiles import load

# keys that a resume or a fork writes anew: which session the copy belongs to
_ITS_OWN = frozenset({"sessionId", "session_id", "slug"})
# keys that say where and by whom a copy was written, not what the entry says
_CIRCUMSTANCES = frozenset({"cwd", "gitBranch", "agentId", "sessionKind", "entrypoint", "version"})
_MISSING = object()


def compare_copies(connection: sqlite3.Connection, archive: Archive) -> None:
    """Write down, of the entries in temp.contested, those whose current copies differ, and in which keys."""
    connection.execute("delete from conflicts where entry in (select entry from temp.contested)")
    found = connection.execute(load("derive/copies")).fetchall()
    rows = []
    for entry, places in groupby(found, key=itemgetter(0)):
        copies = [objects_in(archive.slice(*place[1:]))[0] for place in places]
        keys = sorted(_differing(copies))
        if keys:
            rows.append((entry, ",".join(keys), "info" if _CIRCUMSTANCES.issuperset(keys) else "warning"))
    connection.executemany("insert into conflicts values (?, ?, ?)", rows)


def _differing(copies: Sequence[dict[str, Any]]) -> Iterable[str]:
    keys = {key for copy in copies for key in copy} - _ITS_OWN
    for key in keys:
        values = [copy.get(key, _MISSING) for copy in copies]
        if key == "parentUuid":
            values = [value for value in values if value not in (None, _MISSING)]  # a copy may have lost its parent
        if any(value != values[0] for value in values[1:]):
            yield key
