"""Resolve ids and unambiguous id prefixes to sessions, lines, entries and paths."""

import sqlite3
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import NamedTuple

from ccindex.errors import AmbiguousPrefix, CcindexError, GhostEntry, NoSuchId
from ccindex.model.line_ids import split_line_id
from ccindex.query.lists import escape_surrogates
from ccindex.store.sql_files import load

_MAX_MATCHES = 10  # listed in an error message
_MAX_PARAMETERS = 500  # per statement
_LAST_CHAR = "\U0010ffff"  # sorts after every character that can follow a prefix

# per kind of target: the statement that finds ids in a range, using an index
_FIND = {
    "session": "select i.session_id as id from session_ids i join sessions x on x.session = i.id "
    "where i.session_id >= :low and i.session_id < :high order by 1 limit :limit",
    "recorded session": load("query/recorded_session_ids"),
    "line": "select distinct line_id from lines where line_id >= :low and line_id < :high order by 1 limit :limit",
    "entry": "select uuid from entries where uuid >= :low and uuid < :high and occurrence is not null "
    "order by 1 limit :limit",
    "path": "select 'path-' || e.uuid from entries e join paths p on p.leaf = e.id "
    "where e.uuid >= substr(:low, 6) and e.uuid < substr(:high, 6) and :low >= 'path-' and :low < 'path.' "
    "order by 1 limit :limit",
}

_PLURAL = {
    "session": "sessions",
    "recorded session": "sessions",
    "line": "lines",
    "entry": "entries",
    "path": "paths",
}


class Target(NamedTuple):
    """A session, line, entry or path, with its full id."""

    kind: str
    id: str


def resolve_session(connection: sqlite3.Connection, id_or_prefix: str) -> str:
    """Return the full id of the session with this id or prefix."""
    return _resolve(connection, "session", escape_surrogates(id_or_prefix))


def resolve_recorded_session(connection: sqlite3.Connection, id_or_prefix: str) -> str:
    """Return the full id of the session with this id or prefix, even if it has only records or malformed lines."""
    return _resolve(connection, "recorded session", escape_surrogates(id_or_prefix))


def resolve_entry(connection: sqlite3.Connection, id_or_prefix: str) -> str:
    """Return the full uuid of the entry with this uuid or prefix."""
    return _resolve(connection, "entry", escape_surrogates(id_or_prefix))


def resolve_id(
    connection: sqlite3.Connection, id_or_prefix: str, kinds: Sequence[str] = ("session", "line", "entry", "path")
) -> Target:
    """Return the target with this id or prefix; exact ids win over prefixes, and earlier `kinds` over later ones."""
    id_or_prefix = escape_surrogates(id_or_prefix)
    by_kind = {kind: _matches(connection, kind, id_or_prefix) for kind in kinds}
    for kind, matches in by_kind.items():
        if id_or_prefix in matches[:1]:
            return Target(kind, id_or_prefix)
    for kind, matches in by_kind.items():
        if matches:
            return Target(kind, _single(kind, id_or_prefix, matches))
    *others, last = kinds
    raise _not_found(connection, f"{', '.join(others)} or {last}" if others else last, id_or_prefix)


def _resolve(connection: sqlite3.Connection, kind: str, id_or_prefix: str) -> str:
    matches = _matches(connection, kind, id_or_prefix)
    if not matches:
        raise _not_found(connection, kind.removeprefix("recorded "), id_or_prefix)
    return _single(kind, id_or_prefix, matches)


def _not_found(connection: sqlite3.Connection, kinds: str, id_or_prefix: str) -> CcindexError:
    """Return the error for an unknown id, or for an entry that is only known as the parent of other entries."""
    count = "select count(*) from entries e join edges l on l.parent = e.id where e.uuid = ? and e.occurrence is null"
    (children,) = connection.execute(count, (id_or_prefix,)).fetchone()
    return GhostEntry(id_or_prefix, children) if children and "entry" in kinds else NoSuchId(kinds, id_or_prefix)


def _single(kind: str, id_or_prefix: str, matches: list[str]) -> str:
    """Return the only match, or the exact match, which sorts before longer ids."""
    if len(matches) > 1 and matches[0] != id_or_prefix:
        raise AmbiguousPrefix(_PLURAL[kind], id_or_prefix, matches[:_MAX_MATCHES], more=len(matches) > _MAX_MATCHES)
    return matches[0]


def _matches(connection: sqlite3.Connection, kind: str, id_or_prefix: str) -> list[str]:
    if not id_or_prefix:
        return []
    # a line's id starts with its parent's id, so lines with as many parts as the input take precedence
    if kind == "line" and (lines := _lines_by_parts(connection, id_or_prefix)):
        return lines
    values = {"low": id_or_prefix, "high": id_or_prefix + _LAST_CHAR, "limit": _MAX_MATCHES + 1}
    return [match for (match,) in connection.execute(_FIND[kind], values)]


def _lines_by_parts(connection: sqlite3.Connection, id_or_prefix: str) -> list[str]:
    """Return the line ids that match part by part: `51ea@2cb4` matches two parts that start with `51ea` and `2cb4`."""
    parts = split_line_id(id_or_prefix)
    if len(parts) == 1 or not parts[0]:
        return []
    values = {"low": parts[0], "high": parts[0] + _LAST_CHAR, "limit": -1}
    line_ids = (line_id for (line_id,) in connection.execute(_FIND["line"], values))
    return list(
        islice((line_id for line_id in line_ids if _have_prefixes(split_line_id(line_id), parts)), _MAX_MATCHES + 1)
    )


def _have_prefixes(parts: list[str], prefixes: list[str]) -> bool:
    return len(parts) == len(prefixes) and all(map(str.startswith, parts, prefixes))


def session_keys(connection: sqlite3.Connection, session_ids: Iterable[str]) -> dict[str, int]:
    """Return the integer keys of the given session ids.

    The ids are not passed as JSON, because SQLite would truncate them at a NUL character.
    """
    return _keys(connection, "select session_id, id from session_ids where session_id in ({})", session_ids)


def entry_keys(connection: sqlite3.Connection, uuids: Iterable[str]) -> dict[str, int]:
    """Return the integer keys of the entries with the given uuids."""
    return _keys(connection, "select uuid, id from entries where uuid in ({})", uuids)


def _keys(connection: sqlite3.Connection, find: str, ids: Iterable[str]) -> dict[str, int]:
    keys: dict[str, int] = {}
    remaining = iter(dict.fromkeys(ids))
    while batch := list(islice(remaining, _MAX_PARAMETERS)):
        keys.update(connection.execute(find.format(", ".join("?" * len(batch))), batch))
    return keys
