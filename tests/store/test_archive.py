import sqlite3
import tracemalloc
from contextlib import closing
from pathlib import Path

import pytest
import zstandard

from ccindex.chunks import CHUNK_BYTES
from ccindex.errors import ArchiveDamaged
from ccindex.query.doctor import Check, examine
from ccindex.store.archive import Archive
from ccindex.store.connection import changing, reading
from tests.making.files import append, write
from tests.making.in_process import run
from tests.making.indexes import ask, everything, index, one, rebuild
from tests.making.transcripts import line


def big_line(uuid: str, size: int) -> str:
    return line(uuid, message={"role": "user", "content": "".join(chr(97 + i * i % 26) for i in range(size))})


def test_a_slice_may_span_chunks(db: Path, project: Path) -> None:
    path = write(project / "s1.jsonl", *(big_line(f"u{n}", CHUNK_BYTES // 3) for n in range(8)))
    index(db, path)
    data = path.read_bytes()
    with reading(db) as connection:
        archive = Archive(connection)
        assert len(archive.extents(1, 1)) == 3
        assert archive.slice(1, 1, CHUNK_BYTES - 10, CHUNK_BYTES + 20) == data[CHUNK_BYTES - 10 : 2 * CHUNK_BYTES + 10]
        assert archive.slice(1, 1, 0, 5) == data[:5]
        assert b"".join(archive.blocks(1, 1)) == data


def test_equal_bytes_are_kept_once(db: Path, project: Path) -> None:
    lines = [big_line(f"u{n}", CHUNK_BYTES // 3) for n in range(8)]
    write(project / "s1.jsonl", *lines)
    write(project / "s2.jsonl", *lines, line("v1"))
    index(db, project)
    # two whole chunks are shared, the ends differ
    assert (one(db, "select count(*) from extents"), one(db, "select count(*) from chunks")) == (6, 4)


def test_a_rewrite_shares_the_chunks_of_the_unchanged_head(db: Path, project: Path) -> None:
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
def test_damaged_bytes_are_noticed_and_named(db: Path, project: Path, damage: str) -> None:
    path = write(project / "s1.jsonl", big_line("u1", 500))
    index(db, path)
    with changing(db, create=False) as connection:
        connection.execute(f"update chunks set data = cast({damage} as blob)")
    with reading(db) as connection, pytest.raises(ArchiveDamaged, match=r"s1\.jsonl' is damaged at byte 0"):
        list(Archive(connection).blocks(1, 1))


def test_chunks_are_only_ever_added(db: Path, project: Path) -> None:
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
    """Some bytes that claim to unpack to so many."""
    return zstandard.ZstdCompressor().compress(b"\0" * size)


CHANGES = {
    "a frame that unpacks to more than a chunk": ("update chunks set data = ? where id = 1", (bomb(300_000_000),)),
    "a frame with other bytes": ("update chunks set data = ? where id = 1", (bomb(500),)),
    "another's bytes": ("update chunks set data = (select data from chunks where id = 2) where id = 1", ()),
    "a chunk that is gone": ("delete from chunks where id = 1", ()),
    "an extent that is gone": ("delete from extents where chunk = 1", ()),
    "an extent of another length": ("update extents set length = length - 1 where chunk = 1", ()),
    "no bytes": ("update chunks set data = x'' where id = 1", ()),
}


@pytest.mark.parametrize("change", CHANGES)
def test_whatever_is_wrong_with_a_chunk_every_reader_names_its_file(db: Path, project: Path, change: str) -> None:
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
    assert peak < 5_000_000  # nothing is unpacked that cannot be right
    with reading(db) as connection, pytest.raises(ArchiveDamaged, match=r"a\.jsonl' is damaged at byte"):
        Archive(connection).slice(1, 1, 0, len(line("u1", sessionId="a")))
    with pytest.raises(ArchiveDamaged, match=r"a\.jsonl' is damaged at byte"):
        rebuild(db)
    assert everything(db) == before
    told = {check.name: check for check in checks_of(db)}
    assert not told["archive"].ok
    assert "a.jsonl" in told["archive"].detail
    assert "b.jsonl" not in told["archive"].detail


def test_a_wrong_size_beside_good_bytes_is_told_and_loses_nothing(db: Path, project: Path) -> None:
    path = write(project / "a.jsonl", line("u1"))
    index(db, project)
    with closing(sqlite3.connect(db)) as connection, connection:
        connection.execute("update chunks set raw_size = 1")
    with reading(db) as connection:
        assert b"".join(Archive(connection).blocks(1, 1)) == path.read_bytes()
    told = {check.name: check for check in checks_of(db)}
    assert [name for name, check in told.items() if not check.ok] == ["accounting", "extents_are_whole_chunks"]
    assert "a.jsonl" in told["extents_are_whole_chunks"].detail


def test_a_sound_chunk_of_another_file_is_told(db: Path, project: Path) -> None:
    write(project / "a.jsonl", line("u1", sessionId="a"))
    write(project / "b.jsonl", line("u2", sessionId="b"))
    index(db, project)
    assert all(check.ok for check in checks_of(db))
    with closing(sqlite3.connect(db)) as connection, connection:
        connection.execute("update extents set chunk = 2 where chunk = 1")
    told = {check.name: check for check in checks_of(db)}
    assert "a.jsonl' is damaged at byte 0: the bytes are not those recorded" in told["archive"].detail
    assert "b.jsonl" not in told["archive"].detail


def checks_of(db: Path) -> list[Check]:
    with reading(db) as connection:
        return list(examine(connection))


def test_the_commands_say_in_a_sentence_what_is_damaged_and_rebuild_leaves_all_as_it_was(
    db: Path, project: Path, tmp_path: Path
) -> None:
    write(project / "a.jsonl", line("u1", sessionId="a"))
    write(project / "b.jsonl", line("u2", sessionId="b"))
    index(db, project)
    with closing(sqlite3.connect(db)) as connection, connection:
        connection.execute("update chunks set data = zeroblob(40) where id = 1")
    before = everything(db)
    for words in (["show", "u1", "--raw"], ["show", "u1", "--raw", "--json"], ["db", "rebuild"]):
        done = run([*words, "--db", str(db)], tmp_path)
        assert (done.code, done.said.count("\n")) == (1, 1), words
        assert "a.jsonl' is damaged at byte 0" in done.said
    assert everything(db) == before
    for words in (["show", "u2", "--raw"], ["explain", "u1"], ["show", "u1"], ["search", "say"]):
        assert run([*words, "--db", str(db)], tmp_path).code == 0, words
    done = run(["doctor", "--db", str(db)], tmp_path)
    assert (done.code, done.said) == (1, "ccindex: broken: archive\n")
    assert b"a.jsonl" in done.out
