"""Which session, line, entry or path a user means: by an exact id, or by any prefix that leaves no doubt."""

import sqlite3
from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

from ccindex.errors import AmbiguousPrefix, CcindexError, NothingNamed, OnlyNamed
from ccindex.model.graph import parts_of
from ccindex.query.lists import storable
from ccindex.store.sql_files import load

_SHOWN = 10
_LAST = "\U0010ffff"  # sorts behind whatever may follow a prefix

# by what is named: its ids, found by an index on a range of them
_FIND = {
    "session": "select i.session_id as id from session_ids i join sessions x on x.session = i.id "
    "where i.session_id >= :low and i.session_id < :high order by 1 limit :most",
    "recorded session": load("query/recorded_sessions"),
    "line": "select distinct line_id from lines where line_id >= :low and line_id < :high order by 1 limit :most",
    "entry": "select uuid from entries where uuid >= :low and uuid < :high and occurrence is not null "
    "order by 1 limit :most",
    "path": "select 'path-' || e.uuid from entries e join paths p on p.leaf = e.id "
    "where e.uuid >= substr(:low, 6) and e.uuid < substr(:high, 6) and :low >= 'path-' and :low < 'path.' "
    "order by 1 limit :most",
}

_PLURAL = {
    "session": "sessions",
    "recorded session": "sessions",
    "line": "lines",
    "entry": "entries",
    "path": "paths",
}


class Named(NamedTuple):
    """What an id stands for."""

    kind: str
    id: str


def session_named(connection: sqlite3.Connection, wanted: str) -> str:
    """Return the id of the session that is meant."""
    return _only(connection, "session", storable(wanted))


def recorded_session_named(connection: sqlite3.Connection, wanted: str) -> str:
    """Return the id of the session that is meant, be it one that only lines without a uuid or broken ones have."""
    return _only(connection, "recorded session", storable(wanted))


def entry_named(connection: sqlite3.Connection, wanted: str) -> str:
    """Return the uuid of the entry that is meant."""
    return _only(connection, "entry", storable(wanted))


def anything_named(
    connection: sqlite3.Connection, wanted: str, kinds: Sequence[str] = ("session", "line", "entry", "path")
) -> Named:
    """Return what an id or a prefix of one names: an exact id before a prefix, then by the order of `kinds`."""
    wanted = storable(wanted)
    found = {kind: _matches(connection, kind, wanted) for kind in kinds}
    for kind, matches in found.items():
        if wanted in matches[:1]:
            return Named(kind, wanted)
    for kind, matches in found.items():
        if matches:
            return Named(kind, _single(kind, wanted, matches))
    *others, last = kinds
    raise _nothing(connection, f"{', '.join(others)} or {last}" if others else last, wanted)


def _only(connection: sqlite3.Connection, kind: str, wanted: str) -> str:
    matches = _matches(connection, kind, wanted)
    if not matches:
        raise _nothing(connection, kind, wanted)
    return _single(kind, wanted, matches)


def _nothing(connection: sqlite3.Connection, what: str, wanted: str) -> CcindexError:
    """Say that nothing is named so, or that an entry is that no transcript holds."""
    count = "select count(*) from entries e join edges l on l.parent = e.id where e.uuid = ? and e.occurrence is null"
    (children,) = connection.execute(count, (wanted,)).fetchone()
    return OnlyNamed(wanted, children) if children and "entry" in what else NothingNamed(what, wanted)


def _single(kind: str, wanted: str, matches: list[str]) -> str:
    """An exact id comes first in order, before longer ones."""
    if len(matches) > 1 and matches[0] != wanted:
        raise AmbiguousPrefix(_PLURAL[kind], wanted, matches[:_SHOWN], more=len(matches) > _SHOWN)
    return matches[0]


def _matches(connection: sqlite3.Connection, kind: str, wanted: str) -> list[str]:
    if not wanted:
        return []
    # a line's id begins with that of the line it leaves: those of as many parts as were typed come first
    if kind == "line" and (lines := _lines_by_parts(connection, wanted)):
        return lines
    values = {"low": wanted, "high": wanted + _LAST, "most": _SHOWN + 1}
    return [match for (match,) in connection.execute(_FIND[kind], values)]


def _lines_by_parts(connection: sqlite3.Connection, wanted: str) -> list[str]:
    """Lines each part of whose id begins as that of the one wanted: `51ea@2cb4`, as tables show them."""
    parts = parts_of(wanted)
    if len(parts) == 1 or not parts[0]:
        return []
    values = {"low": parts[0], "high": parts[0] + _LAST, "most": -1}
    found = (match for (match,) in connection.execute(_FIND["line"], values))
    return list(islice((match for match in found if _begins_so(parts_of(match), parts)), _SHOWN + 1))


def _begins_so(parts: list[str], wanted: list[str]) -> bool:
    return len(parts) == len(wanted) and all(map(str.startswith, parts, wanted))
