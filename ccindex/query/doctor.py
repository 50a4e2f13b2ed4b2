"""Check an index, give advice about it, and find secrets in its archive."""

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
from ccindex.files import files_open_to_others
from ccindex.read.discovery import Retention
from ccindex.secrets.masking import find_secrets
from ccindex.store.archive import Archive
from ccindex.store.integrity import invariant_problems, page_problems
from ccindex.store.sources import is_scrub_due
from ccindex.store.sql_files import names, sentence

_DAY_MS = 86_400_000
_MAX_UNUSED_SHARE = 0.25  # of the file's size


@dataclass(frozen=True, slots=True)
class DoctorContext:
    """Facts from outside the index: the current time, the last run, Claude Code's settings and the index path."""

    now_ms: int
    last_ingest_ms: int | None
    retention: Retention
    database: Path


@dataclass(frozen=True, slots=True)
class DiskSpace:
    """Sizes in bytes of the index, the archive in it, the archived transcripts before compression, and unused pages."""

    index: int
    archive: int
    recorded: int
    unused: int


class LastChange(NamedTuple):
    """The status of the last run that changed the index, and the time it finished (started, if it did not finish)."""

    status: str
    at_ms: int | None


def last_change(connection: sqlite3.Connection) -> LastChange | None:
    """Return the last run that changed the index, or None if there was none."""
    find = (
        "select status, cast(round((julianday(coalesce(finished_at, started_at)) - 2440587.5) * 86400000) as integer) "
        "from v1_ingest_runs order by run_id desc limit 1"
    )
    row = connection.execute(find).fetchone()
    return None if row is None else LastChange(*row)


def disk_space(connection: sqlite3.Connection, database: Path) -> DiskSpace:
    """Measure the size of the index on disk."""
    pages, size, free = (
        connection.execute(f"pragma {name}").fetchone()[0] for name in ("page_count", "page_size", "freelist_count")
    )
    (packed,) = connection.execute("select coalesce(sum(length(data)), 0) from chunks").fetchone()
    (raw,) = connection.execute("select coalesce(sum(length), 0) from extents").fetchone()
    try:
        wal_size = database.with_name(database.name + "-wal").stat().st_size
    except FileNotFoundError:  # removed by the last writer
        wal_size = 0
    return DiskSpace(pages * size + wal_size, packed, raw, free * size)


def advice(connection: sqlite3.Connection, context: DoctorContext, space: DiskSpace) -> Iterator[str]:
    """Yield the recommended next steps, most urgent first."""
    yield from _advice_about_runs(connection, context)
    if others := files_open_to_others(context.database):
        yield f"other users can read the index; run: chmod 600 {' '.join(map(_quote, others))}"
    if is_scrub_due(connection):
        yield "traces of forgotten data are still in the file because it was in use; run: ccindex ingest"
    (missing,) = connection.execute("select count(*) from v1_sources where state = 'missing'").fetchone()
    if missing:
        backup = f'(umask 077; sqlite3 {_quote(context.database)} ".backup ccindex-backup.db")'
        which = "1 file exists" if missing == 1 else f"{missing:,} files exist"
        yield f"{which} only in this index; back up the index, for example with: {backup}"
    for kind, step in _STEPS.items():
        (count,) = connection.execute("select count(*) from v1_diagnostics where kind = ?", (kind,)).fetchone()
        if count:
            yield f"{step}: {count:,}"
    (unknown,) = connection.execute("select count(*) from v1_drift").fetchone()
    if unknown:
        yield f"update ccindex; this version does not recognise some types or keys (listed in v1_drift): {unknown:,}"
    if space.unused > _MAX_UNUSED_SHARE * space.index:
        yield f"{space.unused:,} bytes of the index are unused; to free them, run: ccindex db vacuum"


def _quote(path: Path) -> str:
    """Return a path quoted for a shell."""
    return shlex.quote(str(path).encode("utf-8", "backslashreplace").decode())


def _advice_about_runs(connection: sqlite3.Connection, context: DoctorContext) -> Iterator[str]:
    days = context.retention.days
    if context.last_ingest_ms is None:
        yield "the time of the last ccindex ingest is unknown; run it regularly, from cron or a hook"
    elif context.now_ms - context.last_ingest_ms > days * _DAY_MS:
        period = "a day" if days == 1 else f"{days} days"
        yield (
            f"the last run was more than {period} ago, and Claude Code deletes transcripts after {period}, so some may "
            "be lost; run ccindex ingest regularly, from cron or a hook"
        )
    elif context.now_ms - context.last_ingest_ms > _DAY_MS:
        yield "the last run was more than a day ago; run ccindex ingest regularly, from cron or a hook"
    last = last_change(connection)
    if last is not None and last.status in ("failed", "interrupted"):
        outcome = "failed" if last.status == "failed" else "was interrupted"
        yield f"the last run that changed the index {outcome}; to continue it, run: ccindex ingest"


_STEPS = {
    "unreadable": "fix the permissions of files or folders that could not be read (listed in v1_diagnostics)",
    "malformed-line": "check the lines that are not JSON objects; only the archive has them (listed in v1_diagnostics)",
    "unknown-model": "update genai-prices and run ccindex db reprice; diagnostics about models without a known price",
}


_MAX_PROBLEMS = 3  # listed per check


@dataclass(frozen=True, slots=True)
class Check:
    """The result of one check; `is_summarised` is true if the `accounting` check covers it."""

    name: str
    ok: bool
    detail: str
    is_summarised: bool = False


def check_index(connection: sqlite3.Connection) -> Iterator[Check]:
    """Yield the results of all checks, then notes; the most serious checks come first."""
    yield _integrity(connection)
    yield _archive(connection)
    invariants = [_invariant(connection, name) for name in names("check")]
    broken = [check.name for check in invariants if not check.ok]
    detail = f"violated: {', '.join(broken)}" if broken else f"all {len(invariants)} invariants hold"
    yield Check("accounting", not broken, detail)
    yield from invariants
    yield from _notes(connection)


def _integrity(connection: sqlite3.Connection) -> Check:
    try:
        problems = page_problems(connection, 5)
    except sqlite3.DatabaseError as error:
        problems = [str(error)]
    return Check("integrity", not problems, "; ".join(problems) or "no damage found")


def _archive(connection: sqlite3.Connection) -> Check:
    """Decompress the whole archive and compare it with the recorded hashes."""
    archive = Archive(connection)
    total, problems = 0, []
    find = "select path, source, number, head_hash, tail_hash from generations join sources on id = source"
    for path, source, generation, head, tail in connection.execute(find).fetchall():
        try:
            total += _verified_size(archive.blocks(source, generation), path, (head, tail))
        except (ArchiveDamaged, sqlite3.DatabaseError) as error:
            problems.append(str(error).removesuffix("; run: ccindex doctor"))
    return Check(
        "archive", not problems, "; ".join(problems[:_MAX_PROBLEMS]) or f"{total:,} bytes match their recorded hashes"
    )


def _verified_size(blocks: Iterable[bytes], path: str, hashes: tuple[int, int]) -> int:
    """Return the size of a generation. Raise ArchiveDamaged if its first or last bytes do not match the hashes.

    This detects chunks that are intact but belong to another file.
    """
    size, head, tail = 0, b"", b""
    for block in blocks:
        size += len(block)
        head = head if len(head) == EDGE_BYTES else (head + block)[:EDGE_BYTES]
        tail = (tail + block)[-EDGE_BYTES:]
    if (short_hash(head), short_hash(tail)) != hashes:
        raise ArchiveDamaged(path, 0, "the bytes do not match the recorded hashes")
    return size


def _invariant(connection: sqlite3.Connection, name: str) -> Check:
    try:
        problems = invariant_problems(connection, name, _MAX_PROBLEMS + 1)
    except sqlite3.DatabaseError as error:
        return Check(name, ok=False, detail=str(error), is_summarised=True)
    detail = "; ".join(problems[:_MAX_PROBLEMS]) + (" …" if len(problems) > _MAX_PROBLEMS else "")
    return Check(name, not problems, detail or sentence(f"check/{name}"), is_summarised=True)


def _notes(connection: sqlite3.Connection) -> Iterator[Check]:
    """Yield facts about the index that are not faults."""
    for name, (text, query) in _NOTES.items():
        try:
            row = connection.execute(query).fetchone()
        except sqlite3.DatabaseError as error:
            yield Check(name, ok=False, detail=str(error))
        else:
            yield Check(name, ok=True, detail=text.format(*row))


_NOTES = {
    "sources": (
        "files: {:,}, rewritten: {:,}",
        "select count(*), coalesce(sum(state = 'rewritten'), 0) from v1_sources",
    ),
    "sole-copies": (
        "files that exist only in the archive: {:,}",
        "select count(*) from v1_sources where state = 'missing'",
    ),
    "entries": ("entries on a line or set aside: {:,}", "select count(*) from v1_entries"),
    "ghosts": (
        "parents that no indexed file contains: {:,}",
        "select count(distinct parent_uuid) from v1_edges where state = 'ghost'",
    ),
    "unlinked-agents": (
        "subagents without a known spawning call: {:,}",
        "select count(*) from v1_agents where spawn_uuid is null",
    ),
    "malformed-lines": (
        "lines that are not JSON objects: {:,}",
        "select coalesce(sum(malformed_lines), 0) from v1_sources",
    ),
    "unreadable": (
        "files or folders that could not be read: {:,}",
        "select count(*) from v1_diagnostics where kind = 'unreadable'",
    ),
    "unpriced": (
        "responses from models without a known price: {:,}",
        "select coalesce(sum(unpriced_responses), 0) from v1_usage where model is not null",
    ),
    "drift": ("types or keys unknown to this version: {:,}", "select count(*) from v1_drift"),
}


_MAX_LINE_BYTES = 4 << 20  # searched at once
# separators at which a longer line is split, in order of preference: few secrets contain one, and secrets that do are
# recognised by their prefix
_SEPARATORS = (b"\\n", b'"', b" ")
_UNICODE = re.compile(r"\\u00([0-9a-fA-F]{2})")
_BACKSLASH = "\ufdd0"  # a noncharacter, which does not occur in text


@dataclass(frozen=True, slots=True)
class FoundSecrets:
    """Secrets of one kind on one line; `uuid` is None unless the line contains an entry."""

    kind: str
    count: int
    session_id: str | None
    uuid: str | None
    source_path: str
    line_no: int


class _Line(NamedTuple):
    """A line or a part of a long line, with the number and offset of the line."""

    number: int
    offset: int
    data: bytes


def scan_archive(connection: sqlite3.Connection) -> Iterator[FoundSecrets]:
    """Yield the secrets in all generations by file and line. A damaged chunk ends the scan of its generation."""
    sources = connection.execute("select id, path, session_hint from sources order by path").fetchall()
    for source, path, session_id in sources:
        by_line: dict[tuple[int, str], FoundSecrets] = {}
        for generation, last_session in connection.execute(_GENERATIONS, (source,)).fetchall():
            for (line, offset, kind), count in _count_secrets(connection, source, generation).items():
                if (line, kind) in by_line and by_line[line, kind].count >= count:
                    continue  # a later generation has at least as many secrets of this kind on this line
                values = {"source": source, "generation": generation, "offset": offset, "line_no": line}
                uuid, owner = connection.execute(_FIRST_OBJECT, values).fetchone() or (None, None)
                session = owner or session_id or last_session
                by_line[line, kind] = FoundSecrets(kind, count, session, uuid, path, line)
        yield from (by_line[key] for key in sorted(by_line))


def _count_secrets(connection: sqlite3.Connection, source: int, generation: int) -> Counter[tuple[int, int, str]]:
    """Count the secrets in a generation by line number, line offset and kind."""
    counts: Counter[tuple[int, int, str]] = Counter()
    try:
        for line in split_lines(Archive(connection).blocks(source, generation)):
            counts.update((line.number, line.offset, secret.kind) for secret in find_secrets(unescape_json(line.data)))
    except ArchiveDamaged:
        pass  # the archive check reports the damage
    return counts


def split_lines(blocks: Iterable[bytes]) -> Iterator[_Line]:
    """Split blocks of any size into lines, and very long lines into parts."""
    number, offset, tail, parts_size = 1, 0, b"", 0
    for block in blocks:
        *whole, tail = (tail + block).split(b"\n")
        for line in whole:
            yield _Line(number, offset, line)
            number, offset, parts_size = number + 1, offset + parts_size + len(line) + 1, 0
        while len(tail) > _MAX_LINE_BYTES:
            positions = (tail.rfind(sign, _MAX_LINE_BYTES // 2, _MAX_LINE_BYTES) for sign in _SEPARATORS)
            end = next((position for position in positions if position > 0), _MAX_LINE_BYTES)
            yield _Line(number, offset, tail[:end])
            parts_size, tail = parts_size + end, tail[end:]
    if tail:
        yield _Line(number, offset, tail)


def unescape_json(data: bytes) -> str:
    """Decode JSON string escapes in a line, because they could hide a secret."""
    text = data.decode("utf-8", "replace")
    if "\\" not in text:
        return text
    text = text.replace("\\\\", _BACKSLASH)
    if "\\u00" in text:
        text = _UNICODE.sub(lambda match: chr(int(match[1], 16)), text)
    for escape, sign in (("\\n", "\n"), ('\\"', '"'), ("\\t", "\t"), ("\\r", "\r"), ("\\/", "/")):
        text = text.replace(escape, sign)
    return text.replace(_BACKSLASH, "\\")


_GENERATIONS = "select number, last_session from generations where source = ? order by number desc"
# the first object on a line: its uuid, or NULL for a record, and its session
_FIRST_OBJECT = (
    "select uuid, session_id from (select e.uuid, i.session_id, o.line_no from occurrences o "
    "join session_ids i on i.id = o.session left join entries e on e.id = o.entry "
    "where o.source = :source and o.generation = :generation and o.offset >= :offset order by o.offset limit 1) "
    "where line_no = :line_no"
)
