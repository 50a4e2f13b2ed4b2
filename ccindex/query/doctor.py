"""Whether an index is sound, check by check, and what is worth knowing about it."""

import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ccindex.errors import ArchiveDamaged
from ccindex.store.archive import EDGE, Archive
from ccindex.store.hashes import signed_hash
from ccindex.store.sqlfiles import load, names, sentence

_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Check:
    """One thing looked at; not ok means broken, not merely notable. A part of another is told with it."""

    name: str
    ok: bool
    detail: str
    is_part: bool = False


def examine(connection: sqlite3.Connection) -> Iterator[Check]:
    """Give every check in turn, the gravest first."""
    yield _integrity(connection)
    yield _archive(connection)
    invariants = [_invariant(connection, name) for name in names("check")]
    broken = [check.name for check in invariants if not check.ok]
    told = f"broken: {', '.join(broken)}" if broken else f"all {len(invariants)} invariants hold"
    yield Check("accounting", not broken, told)
    yield from invariants
    yield from _notes(connection)


def _integrity(connection: sqlite3.Connection) -> Check:
    try:
        said = [row[0] for row in connection.execute("pragma integrity_check(5)")]
    except sqlite3.DatabaseError as error:
        said = [str(error)]
    return Check("integrity", said == ["ok"], "; ".join(map(str, said)))


def _archive(connection: sqlite3.Connection) -> Check:
    """Unpack everything: each byte must come back as it went in."""
    archive = Archive(connection)
    total, bad = 0, []
    find = "select path, source, number, head_hash, tail_hash from generations join sources on id = source"
    for path, source, generation, head, tail in connection.execute(find).fetchall():
        try:
            total += _size(archive.blocks(source, generation), path, (head, tail))
        except (ArchiveDamaged, sqlite3.DatabaseError) as error:
            bad.append(str(error).removesuffix("; run: ccindex doctor"))
    return Check("archive", not bad, "; ".join(bad[:_SHOWN]) or f"{total:,} bytes come back as recorded")


def _size(blocks: Iterable[bytes], path: str, hashes: tuple[int, int]) -> int:
    """How many bytes of a file there are, if they are its own: each chunk may be sound and yet another file's."""
    size, head, tail = 0, b"", b""
    for block in blocks:
        size += len(block)
        head = head if len(head) == EDGE else (head + block)[:EDGE]
        tail = (tail + block)[-EDGE:]
    if (signed_hash(head), signed_hash(tail)) != hashes:
        raise ArchiveDamaged(path, 0, "the bytes are not those recorded")
    return size


def _invariant(connection: sqlite3.Connection, name: str) -> Check:
    """Run a query that must return no rows."""
    try:
        rows = connection.execute(load(f"check/{name}")).fetchmany(_SHOWN + 1)
    except sqlite3.DatabaseError as error:
        return Check(name, ok=False, detail=str(error), is_part=True)
    told = "; ".join(" ".join(map(str, row)) for row in rows[:_SHOWN]) + (" …" if len(rows) > _SHOWN else "")
    return Check(name, not rows, told or sentence(f"check/{name}"), is_part=True)


def _notes(connection: sqlite3.Connection) -> Iterator[Check]:
    """What is no fault of the index but good to know."""
    for name, (told, query) in _NOTES.items():
        try:
            row = connection.execute(query).fetchone()
        except sqlite3.DatabaseError as error:
            yield Check(name, ok=False, detail=str(error))
        else:
            yield Check(name, ok=True, detail=told.format(*row))


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
