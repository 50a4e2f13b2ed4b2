"""The archive to the secrets in it: kind, number, session, file, line and entry, never the secret."""

import re
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from ccindex.errors import ArchiveDamaged
from ccindex.secrets.masking import find_secrets
from ccindex.store.archive import Archive

_MAX_LINE_BYTES = 4 << 20  # that are searched in one piece
# where a longer line is split, in order of preference: few secrets contain them, and the beginning identifies those
_BREAKS = (b"\\n", b'"', b" ")
_UNICODE = re.compile(r"\\u00([0-9a-fA-F]{2})")
_BACKSLASH = "\ufdd0"  # a noncharacter, which no text contains


@dataclass(frozen=True, slots=True)
class FoundSecrets:
    """Secrets of one kind on one line; `uuid` is that of the entry on the line, if it is one."""

    kind: str
    count: int
    session_id: str | None
    uuid: str | None
    source_path: str
    line_no: int


class _Line(NamedTuple):
    """A line or a part of one, with the number and the offset of the line."""

    number: int
    offset: int
    data: bytes


def scan_archive(connection: sqlite3.Connection) -> Iterator[FoundSecrets]:
    """Yield the secrets of all generations, by file and line; damaged chunks are skipped."""
    sources = connection.execute("select id, path, session_hint from sources order by path").fetchall()
    for source, path, session_id in sources:
        found: dict[tuple[int, str], FoundSecrets] = {}
        for generation, last_session in connection.execute(_GENERATIONS, (source,)).fetchall():
            for (line, offset, kind), count in _counted(connection, source, generation).items():
                if (line, kind) in found and found[line, kind].count >= count:
                    continue  # a later generation has the same on this line
                values = {"source": source, "generation": generation, "offset": offset, "line_no": line}
                uuid, owner = connection.execute(_AT, values).fetchone() or (None, None)
                found[line, kind] = FoundSecrets(kind, count, owner or session_id or last_session, uuid, path, line)
        yield from (found[place] for place in sorted(found))


def _counted(connection: sqlite3.Connection, source: int, generation: int) -> Counter[tuple[int, int, str]]:
    """Count the secrets of a generation by number and offset of the line, and by kind."""
    found: Counter[tuple[int, int, str]] = Counter()
    try:
        for line in lines_of(Archive(connection).blocks(source, generation)):
            found.update((line.number, line.offset, secret.kind) for secret in find_secrets(unescaped(line.data)))
    except ArchiveDamaged:
        pass  # doctor has a check for that
    return found


def lines_of(blocks: Iterable[bytes]) -> Iterator[_Line]:
    """Yield the lines of blocks of any size, very long ones in parts."""
    number, offset, rest, parts = 1, 0, b"", 0
    for block in blocks:
        *whole, rest = (rest + block).split(b"\n")
        for line in whole:
            yield _Line(number, offset, line)
            number, offset, parts = number + 1, offset + parts + len(line) + 1, 0
        while len(rest) > _MAX_LINE_BYTES:
            places = (rest.rfind(sign, _MAX_LINE_BYTES // 2, _MAX_LINE_BYTES) for sign in _BREAKS)
            end = next((place for place in places if place > 0), _MAX_LINE_BYTES)
            yield _Line(number, offset, rest[:end])
            parts, rest = parts + end, rest[end:]
    if rest:
        yield _Line(number, offset, rest)


def unescaped(data: bytes) -> str:
    """Return a line without the escapes of JSON strings, which could hide a secret."""
    text = data.decode("utf-8", "replace")
    if "\\" not in text:
        return text
    text = text.replace("\\\\", _BACKSLASH)
    if "\\u00" in text:
        text = _UNICODE.sub(lambda found: chr(int(found[1], 16)), text)
    for escape, sign in (("\\n", "\n"), ('\\"', '"'), ("\\t", "\t"), ("\\r", "\r"), ("\\/", "/")):
        text = text.replace(escape, sign)
    return text.replace(_BACKSLASH, "\\")


_GENERATIONS = "select number, last_session from generations where source = ? order by number desc"
# the first object on a line: its uuid if it is an entry, and its session
_AT = (
    "select uuid, session_id from (select e.uuid, i.session_id, o.line_no from occurrences o "
    "join session_ids i on i.id = o.session left join entries e on e.id = o.entry "
    "where o.source = :source and o.generation = :generation and o.offset >= :offset order by o.offset limit 1) "
    "where line_no = :line_no"
)
