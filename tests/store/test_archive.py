import sqlite3
from pathlib import Path

import pytest

from ccindex.errors import ArchiveDamaged
from ccindex.store.archive import CHUNK, Archive
from ccindex.store.db import changing, reading
from tests.support import append, ask, index, line, one, write


def big_line(uuid: str, size: int) -> str:
    return line(uuid, message={"role": "user", "content": "".join(chr(97 + i * i % 26) for i in range(size))})


def test_a_slice_may_span_chunks(db: Path, project: Path) -> None:
    path = write(project / "s1.jsonl", *(big_line(f"u{n}", CHUNK // 3) for n in range(8)))
    index(db, path)
    data = path.read_bytes()
    with reading(db) as connection:
        archive = Archive(connection)
        assert len(archive.extents(1, 1)) == 3
        assert archive.slice(1, 1, CHUNK - 10, CHUNK + 20) == data[CHUNK - 10 : 2 * CHUNK + 10]
        assert archive.slice(1, 1, 0, 5) == data[:5]
        assert b"".join(archive.blocks(1, 1)) == data


def test_equal_bytes_are_kept_once(db: Path, project: Path) -> None:
    lines = [big_line(f"u{n}", CHUNK // 3) for n in range(8)]
    write(project / "s1.jsonl", *lines)
    write(project / "s2.jsonl", *lines, line("v1"))
    index(db, project)
    # two whole chunks are shared, the ends differ
    assert (one(db, "select count(*) from extents"), one(db, "select count(*) from chunks")) == (6, 4)


def test_a_rewrite_shares_the_chunks_of_the_unchanged_head(db: Path, project: Path) -> None:
    path = write(project / "s1.jsonl", line("u1"))
    index(db, path)
    append(path, big_line("u2", CHUNK * 2) + "\n")
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
