"""Checks of an index, advice about it, and the secrets in its archive."""

import re
import shlex
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from ccindex.chunks import EDGE_BYTES, short_hash
from ccindex.errors import ArchiveDamaged
from ccindex.files import open_to_others
from ccindex.read.discovery import Retention
from ccindex.secrets.masking import find_secrets
from ccindex.store.archive import Archive
from ccindex.store.integrity import invariant_problems, page_problems
from ccindex.store.sources import is_scrub_due
from ccindex.store.sql_files import names, sentence

_DAY_MS = 86_400_000
_MAX_UNUSED = 0.25  # share of the file's pages


@dataclass(frozen=True, slots=True)
class DoctorContext:
    """What is not in the index: the time, the last run, Claude Code's settings, the path of the index."""

    now_ms: int
    ran_ms: int | None
    retention: Retention
    database: Path


@dataclass(frozen=True, slots=True)
class DiskSpace:
    """Bytes on the disk: of the index, of the archive in it, of the transcripts archived, and of unused pages."""

    index: int
    archive: int
    recorded: int
    unused: int


class LastChange(NamedTuple):
    """The last run that changed something, and when it ended, or started if it did not end."""

    status: str
    at_ms: int | None


def last_change(connection: sqlite3.Connection) -> LastChange | None:
    """Return the last run that changed something; None: nothing ever did."""
    find = (
        "select status, cast(round((julianday(coalesce(finished_at, started_at)) - 2440587.5) * 86400000) as integer) "
        "from v1_ingest_runs order by run_id desc limit 1"
    )
    row = connection.execute(find).fetchone()
    return None if row is None else LastChange(*row)


def disk_space(connection: sqlite3.Connection, database: Path) -> DiskSpace:
    """Measure what the index takes on the disk."""
    pages, size, free = (
        connection.execute(f"pragma {name}").fetchone()[0] for name in ("page_count", "page_size", "freelist_count")
    )
    (packed,) = connection.execute("select coalesce(sum(length(data)), 0) from chunks").fetchone()
    (raw,) = connection.execute("select coalesce(sum(length), 0) from extents").fetchone()
    try:
        log = database.with_name(database.name + "-wal").stat().st_size
    except FileNotFoundError:  # removed by the last writer
        log = 0
    return DiskSpace(pages * size + log, packed, raw, free * size)


def advice(connection: sqlite3.Connection, context: DoctorContext, space: DiskSpace) -> Iterator[str]:
    """Yield what to do next, the most urgent first."""
    yield from _about_runs(connection, context)
    if others := open_to_others(context.database):
        yield f"others may read the index: chmod 600 {' '.join(map(_typed, others))}"
    if is_scrub_due(connection):
        yield "traces of what was forgotten are still in the file, as somebody was reading it: run ccindex ingest"
    (missing,) = connection.execute("select count(*) from v1_sources where state = 'missing'").fetchone()
    if missing:
        backup = f'sqlite3 {_typed(context.database)} ".backup ccindex-backup.db"'
        which = "1 file is" if missing == 1 else f"{missing:,} files are"
        yield f"{which} only in this index: back it up, for example with: {backup}"
    for kind, step in _STEPS.items():
        (count,) = connection.execute("select count(*) from v1_diagnostics where kind = ?", (kind,)).fetchone()
        if count:
            yield f"{step}: {count:,}"
    (unknown,) = connection.execute("select count(*) from v1_drift").fetchone()
    if unknown:
        yield f"update ccindex: types or keys it does not know (v1_drift names them): {unknown:,}"
    if space.unused > _MAX_UNUSED * space.index:
        yield f"{space.unused:,} bytes of the index are not in use; ccindex db vacuum gives them back"


def _typed(path: Path) -> str:
    """Return a path as an argument for a shell."""
    return shlex.quote(str(path).encode("utf-8", "backslashreplace").decode())


def _about_runs(connection: sqlite3.Connection, context: DoctorContext) -> Iterator[str]:
    days = context.retention.days
    if context.ran_ms is None:
        yield "nothing says when ccindex ingest last ran: have cron or a hook run it"
    elif context.now_ms - context.ran_ms > days * _DAY_MS:
        yield (
            f"the last run was more than {days} days ago, after which Claude Code deletes transcripts: "
            "some may be lost; have cron or a hook run ccindex ingest"
        )
    elif context.now_ms - context.ran_ms > _DAY_MS:
        yield "the last run was more than a day ago: have cron or a hook run ccindex ingest"
    last = last_change(connection)
    if last is not None and last.status in ("failed", "interrupted"):
        yield f"the last run that read something was {last.status}: run ccindex ingest again, it goes on from there"


_STEPS = {
    "unreadable": "make readable what could not be read (v1_diagnostics names it)",
    "malformed-line": "lines that are no JSON object are in the archive only (v1_diagnostics names them)",
    "unknown-model": "update genai-prices and run ccindex db reprice, for sessions with models without a known price",
}


_MAX_PROBLEMS = 3  # named per check


@dataclass(frozen=True, slots=True)
class Check:
    """One check; not ok means broken. `is_part`: it is summed up by another check."""

    name: str
    ok: bool
    detail: str
    is_part: bool = False


def examine(connection: sqlite3.Connection) -> Iterator[Check]:
    """Yield every check, the most serious first."""
    yield _integrity(connection)
    yield _archive(connection)
    invariants = [_invariant(connection, name) for name in names("check")]
    broken = [check.name for check in invariants if not check.ok]
    detail = f"broken: {', '.join(broken)}" if broken else f"all {len(invariants)} invariants hold"
    yield Check("accounting", not broken, detail)
    yield from invariants
    yield from _notes(connection)


def _integrity(connection: sqlite3.Connection) -> Check:
    try:
        problems = page_problems(connection, 5)
    except sqlite3.DatabaseError as error:
        problems = [str(error)]
    return Check("integrity", not problems, "; ".join(problems) or "ok")


def _archive(connection: sqlite3.Connection) -> Check:
    """Decompress everything and compare it with the recorded hashes."""
    archive = Archive(connection)
    total, bad = 0, []
    find = "select path, source, number, head_hash, tail_hash from generations join sources on id = source"
    for path, source, generation, head, tail in connection.execute(find).fetchall():
        try:
            total += _size(archive.blocks(source, generation), path, (head, tail))
        except (ArchiveDamaged, sqlite3.DatabaseError) as error:
            bad.append(str(error).removesuffix("; run: ccindex doctor"))
    return Check("archive", not bad, "; ".join(bad[:_MAX_PROBLEMS]) or f"{total:,} bytes come back as recorded")


def _size(blocks: Iterable[bytes], path: str, hashes: tuple[int, int]) -> int:
    """Return the number of bytes of a generation; a chunk can be sound and yet belong to another file."""
    size, head, tail = 0, b"", b""
    for block in blocks:
        size += len(block)
        head = head if len(head) == EDGE_BYTES else (head + block)[:EDGE_BYTES]
        tail = (tail + block)[-EDGE_BYTES:]
    if (short_hash(head), short_hash(tail)) != hashes:
        raise ArchiveDamaged(path, 0, "the bytes are not those recorded")
    return size


def _invariant(connection: sqlite3.Connection, name: str) -> Check:
    try:
        problems = invariant_problems(connection, name, _MAX_PROBLEMS + 1)
    except sqlite3.DatabaseError as error:
        return Check(name, ok=False, detail=str(error), is_part=True)
    detail = "; ".join(problems[:_MAX_PROBLEMS]) + (" …" if len(problems) > _MAX_PROBLEMS else "")
    return Check(name, not problems, detail or sentence(f"check/{name}"), is_part=True)


def _notes(connection: sqlite3.Connection) -> Iterator[Check]:
    """Yield facts that are not faults of the index."""
    for name, (text, query) in _NOTES.items():
        try:
            row = connection.execute(query).fetchone()
        except sqlite3.DatabaseError as error:
            yield Check(name, ok=False, detail=str(error))
        else:
            yield Check(name, ok=True, detail=text.format(*row))


_NOTES = {
    "sources": (
        "files: {:,}, of them rewritten: {:,}",
        "select count(*), coalesce(sum(state = 'rewritten'), 0) from v1_sources",
    ),
    "sole-copies": (
        "files that only the archive has: {:,}",
        "select count(*) from v1_sources where state = 'missing'",
    ),
    "entries": ("{:,} on lines or set aside with a reason", "select count(*) from v1_entries"),
    "ghosts": (
        "parents not seen yet: {:,}",
        "select count(distinct parent_uuid) from v1_edges where state = 'ghost'",
    ),
    "unlinked-agents": (
        "subagents of which nothing says who spawned them: {:,}",
        "select count(*) from v1_agents where spawn_uuid is null",
    ),
    "malformed-lines": (
        "lines that are no JSON object: {:,}",
        "select coalesce(sum(malformed_lines), 0) from v1_sources",
    ),
    "unreadable": (
        "files or folders that could not be read: {:,}",
        "select count(*) from v1_diagnostics where kind = 'unreadable'",
    ),
    "unpriced": (
        "responses of models without a price: {:,}",
        "select coalesce(sum(unpriced_responses), 0) from v1_usage where model is not null",
    ),
    "drift": ("types or keys unknown to this version: {:,}", "select count(*) from v1_drift"),
}


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
