"""An id or an unambiguous prefix of one to the session, line, entry or path that it means."""

import sqlite3
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import NamedTuple

from ccindex.errors import AmbiguousPrefix, CcindexError, NothingNamed, OnlyNamed
from ccindex.model.line_ids import parts_of
from ccindex.query.lists import storable
from ccindex.store.sql_files import load

_MAX_MATCHES = 10  # that an error names
_MAX_PARAMETERS = 500  # of one statement
_LAST = "\U0010ffff"  # sorts after everything that can follow a prefix

# per kind of target: its ids in a range, found through an index
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


class Target(NamedTuple):
    """What an id means: a session, line, entry or path."""

    kind: str
    id: str


def resolve_session(connection: sqlite3.Connection, wanted: str) -> str:
    """Return the id of the session that an id or a prefix means."""
    return _only(connection, "session", storable(wanted))


def resolve_recorded_session(connection: sqlite3.Connection, wanted: str) -> str:
    """Return the id of a session, also of one that only objects without a uuid or malformed lines have."""
    return _only(connection, "recorded session", storable(wanted))


def resolve_entry(connection: sqlite3.Connection, wanted: str) -> str:
    """Return the uuid of the entry that a uuid or a prefix means."""
    return _only(connection, "entry", storable(wanted))


def resolve_id(
    connection: sqlite3.Connection, wanted: str, kinds: Sequence[str] = ("session", "line", "entry", "path")
) -> Target:
    """Return the target of an id or a prefix of one: exact ids before prefixes, then by the order of `kinds`."""
    wanted = storable(wanted)
    found = {kind: _matches(connection, kind, wanted) for kind in kinds}
    for kind, matches in found.items():
        if wanted in matches[:1]:
            return Target(kind, wanted)
    for kind, matches in found.items():
        if matches:
            return Target(kind, _single(kind, wanted, matches))
    *others, last = kinds
    raise _not_found(connection, f"{', '.join(others)} or {last}" if others else last, wanted)


def _only(connection: sqlite3.Connection, kind: str, wanted: str) -> str:
    matches = _matches(connection, kind, wanted)
    if not matches:
        raise _not_found(connection, kind, wanted)
    return _single(kind, wanted, matches)


def _not_found(connection: sqlite3.Connection, what: str, wanted: str) -> CcindexError:
    """Return the error for an id that nothing has, or that only entries which name it as their parent have."""
    count = "select count(*) from entries e join edges l on l.parent = e.id where e.uuid = ? and e.occurrence is null"
    (children,) = connection.execute(count, (wanted,)).fetchone()
    return OnlyNamed(wanted, children) if children and "entry" in what else NothingNamed(what, wanted)


def _single(kind: str, wanted: str, matches: list[str]) -> str:
    """Return the only match, or the exact one, which sorts before longer ids."""
    if len(matches) > 1 and matches[0] != wanted:
        raise AmbiguousPrefix(_PLURAL[kind], wanted, matches[:_MAX_MATCHES], more=len(matches) > _MAX_MATCHES)
    return matches[0]


def _matches(connection: sqlite3.Connection, kind: str, wanted: str) -> list[str]:
    if not wanted:
        return []
    # a line's id starts with that of its parent: lines with as many parts as were typed come first
    if kind == "line" and (lines := _lines_by_parts(connection, wanted)):
        return lines
    values = {"low": wanted, "high": wanted + _LAST, "most": _MAX_MATCHES + 1}
    return [match for (match,) in connection.execute(_FIND[kind], values)]


def _lines_by_parts(connection: sqlite3.Connection, wanted: str) -> list[str]:
    """Return the lines whose ids have as many parts, each with the typed prefix: `51ea@2cb4`, as tables show them."""
    parts = parts_of(wanted)
    if len(parts) == 1 or not parts[0]:
        return []
    values = {"low": parts[0], "high": parts[0] + _LAST, "most": -1}
    found = (match for (match,) in connection.execute(_FIND["line"], values))
    return list(islice((match for match in found if _have_prefixes(parts_of(match), parts)), _MAX_MATCHES + 1))


def _have_prefixes(parts: list[str], wanted: list[str]) -> bool:
    return len(parts) == len(wanted) and all(map(str.startswith, parts, wanted))


def session_keys(connection: sqlite3.Connection, session_ids: Iterable[str]) -> dict[str, int]:
    """Return the integer keys of session ids; a JSON array would cut ids at a NUL character."""
    return _keys(connection, "select session_id, id from session_ids where session_id in ({})", session_ids)


def entry_keys(connection: sqlite3.Connection, uuids: Iterable[str]) -> dict[str, int]:
    """Return the integer keys of uuids."""
    return _keys(connection, "select uuid, id from entries where uuid in ({})", uuids)


def _keys(connection: sqlite3.Connection, find: str, ids: Iterable[str]) -> dict[str, int]:
    found: dict[str, int] = {}
    remaining = iter(dict.fromkeys(ids))
    while batch := list(islice(remaining, _MAX_PARAMETERS)):
        found.update(connection.execute(find.format(", ".join("?" * len(batch))), batch))
    return found
