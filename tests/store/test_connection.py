"""Opening an index: which files are refused, what the message says, and that the refused files are not changed."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from ccindex.errors import IndexOutdated, IndexTooNew, NoIndex, NotAnIndex
from ccindex.query.doctor import check_index
from ccindex.store import connection as store
from tests.making.files import write
from tests.making.indexes import index
from tests.making.old_indexes import DUMPS, load_dump
from tests.making.permissions import allow_all_users, as_nobody
from tests.making.transcripts import line


def set_revision(path: Path, revision: str) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("update alembic_version set version_num = ?", (revision,))


def test_missing_index_error_contains_the_command_that_creates_one(db: Path) -> None:
    with pytest.raises(NoIndex, match="create it with: ccindex ingest"), store.reading(db):
        pass
    assert not db.parent.exists()


def test_newer_index_is_refused_and_not_changed(empty: Path) -> None:
    set_revision(empty, "9999")
    before = empty.read_bytes()
    for opened in (store.reading(empty), store.changing(empty, create=True)):
        with (
            pytest.raises(
                IndexTooNew, match="schema 9999, which is too new for this version of ccindex; update ccindex"
            ),
            opened,
        ):
            pass
    assert empty.read_bytes() == before


def test_readers_refuse_an_older_index_and_suggest_the_upgrade_command(
    empty: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "REVISIONS", ("0000", *store.REVISIONS))
    set_revision(empty, "0000")
    with pytest.raises(IndexOutdated, match="run: ccindex db upgrade"), store.reading(empty):
        pass


def test_older_index_is_refused_without_a_rebuild_function(db: Path) -> None:
    load_dump(DUMPS[-1], db)
    with pytest.raises(IndexOutdated), store.changing(db, create=False):
        pass


@pytest.mark.parametrize("content", [b"hello\n", b'{"type":"user"}\n' * 50, b"SQLite format 3\0" + b"\0" * 500])
def test_file_that_is_not_an_index_is_never_changed(tmp_path: Path, content: bytes) -> None:
    other = tmp_path / "other"
    other.write_bytes(content)
    for opened in (store.reading(other), store.changing(other, create=True)):
        with pytest.raises(NotAnIndex), opened:
            pass
    assert other.read_bytes() == content
    assert [path.name for path in tmp_path.iterdir()] == ["other"]


def test_database_of_another_program_is_never_changed(tmp_path: Path) -> None:
    other = tmp_path / "other.db"
    with closing(sqlite3.connect(other)) as connection, connection:
        connection.execute("create table entries (id)")
    before = other.read_bytes()
    with pytest.raises(NotAnIndex), store.changing(other, create=True):
        pass
    assert other.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["other.db"]


def test_index_in_a_read_only_folder_can_be_read(public_folder: Path) -> None:
    db = public_folder / "kept" / "x.db"
    index(db, write(public_folder / "s1.jsonl", line("u1")))
    allow_all_users(public_folder)
    db.parent.chmod(0o555)
    db.chmod(0o444)

    def read() -> None:
        with store.reading(db) as connection:
            assert all(check.ok for check in check_index(connection))

    as_nobody(read)
