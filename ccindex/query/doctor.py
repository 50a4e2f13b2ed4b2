"""An index to checks that prove it sound, and to advice about it."""

import shlex
import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from ccindex.chunks import EDGE_BYTES, short_hash
from ccindex.errors import ArchiveDamaged
from ccindex.files import open_to_others
from ccindex.read.discovery import Retention
from ccindex.store.archive import Archive
from ccindex.store.integrity import invariant_problems, page_problems
from ccindex.store.sql_files import names, sentence
from ccindex.store.tombstones import is_scrub_due

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
