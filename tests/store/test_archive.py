"""The archive: chunks are shared and never rewritten, and damage is reported with the name of the affected file."""

import sqlite3
import tracemalloc
from contextlib import closing
from pathlib import Path

import pytest
import zstandard

from ccindex.chunks import CHUNK_BYTES
from ccindex.errors import ArchiveDamaged
from ccindex.query.doctor import Check, check_index
from ccindex.store.archive import Archive
from ccindex.store.connection import changing, reading
from tests.making.files import append, write
from tests.making.in_process import run
from tests.making.indexes import ask, everything, index, one, rebuild
from tests.making.transcripts import line


def big_line(uuid: str, size: int) -> str:
    return line(uuid, message={"role": "user", "content": "".join(chr(97 + i * i % 26) for i in range(size))})


def test_slice_can_span_chunks(db: Path, project: Path) -> None:
    path = write(project / "s1.jsonl", *(big_line(f"u{n}", CHUNK_BYTES // 3) for n in range(8)))
    index(db, path)
    data = path.read_bytes()
    with reading(db) as connection:
        archive = Archive(connection)
        assert len(archive.extents(1, 1)) == 3
        assert archive.slice(1, 1, CHUNK_BYTES - 10, CHUNK_BYTES + 20) == data[CHUNK_BYTES - 10 : 2 * CHUNK_BYTES + 10]
        assert archive.slice(1, 1, 0, 5) == data[:5]
        assert b"".join(archive.blocks(1, 1)) == data


def test_equal_bytes_are_stored_once(db: Path, project: Path) -> None:
    lines = [big_line(f"u{n}", CHUNK_BYTES // 3) for n in range(8)]
    write(project / "s1.jsonl", *lines)
    write(project / "s2.jsonl", *lines, line("v1"))
    index(db, project)
    # two whole chunks are shared; the ends differ
    assert (one(db, "select count(*) from extents"), one(db, "select count(*) from chunks")) == (6, 4)


def test_rewritten_file_shares_the_chunks_of_its_unchanged_head(db: Path, project: Path) -> None:
    path = write(project / "s1.jsonl", line("u1"))
    index(db, path)
    append(path, big_line("u2", CHUNK_BYTES * 2) + "\n")
    index(db, path)
    before = one(db, "select count(*) from chunks")
    data = path.read_bytes()
    path.write_bytes(data[:-20] + b'changed"}}\n')
    index(db, path)
    assert one(db, "select count(*) from extents where generation = 2") == 4
    assert one(db, "select count(*) from chunks") == before + 1


@pytest.mark.parametrize("damage", ["substr(data, 1, 30) || x'00' || substr(data, 32)", "substr(data, 1, 50)", "x''"])
def test_damaged_bytes_are_detected_and_reported(db: Path, project: Path, damage: str) -> None:
    path = write(project / "s1.jsonl", big_line("u1", 500))
    index(db, path)
    with changing(db, create=False) as connection:
        connection.execute(f"update chunks set data = cast({damage} as blob)")
    with reading(db) as connection, pytest.raises(ArchiveDamaged, match=r"s1\.jsonl' is damaged at byte 0"):
        list(Archive(connection).blocks(1, 1))


def test_chunks_are_never_changed_or_deleted(db: Path, project: Path) -> None:
    path = write(project / "s1.jsonl", line("u1"))
    index(db, path)
    first = ask(db, "select * from chunks")
    append(path, line("u2") + "\n" + line("u3")[:20])
    index(db, path)
    append(path, line("u3")[20:])
    index(db, path)
    write(path, line("x1"))
    index(db, path)
    assert ask(db, "select * from chunks where id = 1") == first
    assert one(db, "select count(*) from chunks") == 4
    with pytest.raises(sqlite3.IntegrityError), changing(db, create=False) as connection:
        connection.execute("insert into chunks (hash, raw_size, data) select hash, raw_size, data from chunks")


def bomb(size: int) -> bytes:
    """Return compressed bytes that decompress to `size` bytes."""
    return zstandard.ZstdCompressor().compress(b"\0" * size)


CHANGES = {
    "a frame that decompresses to more than a chunk": ("update chunks set data = ? where id = 1", (bomb(300_000_000),)),
    "a frame with other bytes": ("update chunks set data = ? where id = 1", (bomb(500),)),
    "the bytes of another chunk": ("update chunks set data = (select data from chunks where id = 2) where id = 1", ()),
    "a missing chunk": ("delete from chunks where id = 1", ()),
    "a missing extent": ("delete from extents where chunk = 1", ()),
    "an extent of another length": ("update extents set length = length - 1 where chunk = 1", ()),
    "no bytes": ("update chunks set data = x'' where id = 1", ()),
}


@pytest.mark.parametrize("change", CHANGES)
def test_every_reader_of_a_damaged_chunk_reports_its_file(db: Path, project: Path, change: str) -> None:
    write(project / "a.jsonl", line("u1", sessionId="a"))
    write(project / "b.jsonl", line("u2", sessionId="b"))
    index(db, project)
    with closing(sqlite3.connect(db)) as connection, connection:
        connection.execute(*CHANGES[change])
    before = everything(db)
    tracemalloc.start()
    with reading(db) as connection, pytest.raises(ArchiveDamaged, match=r"a\.jsonl' is damaged at byte"):
        list(Archive(connection).blocks(1, 1))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 5_000_000  # a chunk that cannot be valid is not decompressed
    with reading(db) as connection, pytest.raises(ArchiveDamaged, match=r"a\.jsonl' is damaged at byte"):
        Archive(connection).slice(1, 1, 0, len(line("u1", sessionId="a")))
    with pytest.raises(ArchiveDamaged, match=r"a\.jsonl' is damaged at byte"):
        rebuild(db)
    assert everything(db) == before
    checks = {check.name: check for check in run_checks(db)}
    assert not checks["archive"].ok
    assert "a.jsonl" in checks["archive"].detail
    assert "b.jsonl" not in checks["archive"].detail


def test_wrong_size_of_an_intact_chunk_is_reported_and_its_bytes_stay_readable(db: Path, project: Path) -> None:
    path = write(project / "a.jsonl", line("u1"))
    index(db, project)
    with closing(sqlite3.connect(db)) as connection, connection:
        connection.execute("update chunks set raw_size = 1")
    with reading(db) as connection:
        assert b"".join(Archive(connection).blocks(1, 1)) == path.read_bytes()
    checks = {check.name: check for check in run_checks(db)}
    assert [name for name, check in checks.items() if not check.ok] == ["accounting", "extents_are_whole_chunks"]
    assert "a.jsonl" in checks["extents_are_whole_chunks"].detail


def test_extent_with_another_files_chunk_is_reported(db: Path, project: Path) -> None:
    write(project / "a.jsonl", line("u1", sessionId="a"))
    write(project / "b.jsonl", line("u2", sessionId="b"))
    index(db, project)
    assert all(check.ok for check in run_checks(db))
    with closing(sqlite3.connect(db)) as connection, connection:
        connection.execute("update extents set chunk = 2 where chunk = 1")
    checks = {check.name: check for check in run_checks(db)}
    assert "a.jsonl' is damaged at byte 0: the bytes do not match the recorded hashes" in checks["archive"].detail
    assert "b.jsonl" not in checks["archive"].detail


def run_checks(db: Path) -> list[Check]:
    with reading(db) as connection:
        return list(check_index(connection))


def test_commands_report_damage_in_one_line_and_rebuild_changes_nothing(
    db: Path, project: Path, tmp_path: Path
) -> None:
    write(project / "a.jsonl", line("u1", sessionId="a"))
    write(project / "b.jsonl", line("u2", sessionId="b"))
    index(db, project)
    with closing(sqlite3.connect(db)) as connection, connection:
        connection.execute("update chunks set data = zeroblob(40) where id = 1")
    before = everything(db)
    for arguments in (["show", "u1", "--raw"], ["show", "u1", "--raw", "--json"], ["db", "rebuild"]):
        result = run([*arguments, "--db", str(db)], tmp_path)
        assert (result.code, result.stderr.count("\n")) == (1, 1), arguments
        assert "a.jsonl' is damaged at byte 0" in result.stderr
    assert everything(db) == before
    for arguments in (["show", "u2", "--raw"], ["explain", "u1"], ["show", "u1"], ["search", "say"]):
        assert run([*arguments, "--db", str(db)], tmp_path).code == 0, arguments
    result = run(["doctor", "--db", str(db)], tmp_path)
    assert (result.code, result.stderr) == (1, "ccindex: failed checks: archive; restore a backup\n")
    assert b"a.jsonl" in result.out
