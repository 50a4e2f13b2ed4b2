"""New indexes: schema, journal mode, permissions and views, and files left over from earlier indexes."""

import sqlite3
from contextlib import closing
from pathlib import Path

from ccindex.store import connection as store
from ccindex.store.migrate import schema
from ccindex.store.sql_files import load
from tests.making.files import write
from tests.making.indexes import ask, index
from tests.making.transcripts import line


def test_new_index_has_the_schema_of_the_migrations(empty: Path) -> None:
    assert schema() == load("schema")
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(load("schema"))
        expected = connection.execute("select type, name, sql from sqlite_schema order by name").fetchall()
    assert ask(empty, "select type, name, sql from sqlite_schema where type <> 'view' order by name") == expected
    assert ask(empty, "select version_num from alembic_version") == [(store.HEAD,)]


def test_index_is_in_wal_mode_and_readable_only_by_its_owner(empty: Path) -> None:
    assert ask(empty, "pragma journal_mode") == [("wal",)]
    assert empty.stat().st_mode & 0o777 == 0o600
    assert empty.parent.stat().st_mode & 0o777 == 0o700
    assert [path.name for path in empty.parent.iterdir() if path.stat().st_mode & 0o077] == []


def test_incomplete_index_left_by_a_killed_run_is_deleted(db: Path) -> None:
    db.parent.mkdir()
    db.with_name(db.name + ".new").write_bytes(b"half")
    with store.changing(db, create=True):
        pass
    assert sorted(path.name for path in db.parent.iterdir()) == ["ccindex.db", "ccindex.db.lock"]


def test_leftover_wal_of_a_moved_index_is_not_applied_to_a_new_index(empty: Path, project: Path) -> None:
    write(project / "s1.jsonl", line("u1"))
    index(empty, project)
    for suffix in ("-wal", "-shm"):
        empty.with_name(empty.name + suffix).write_bytes(b"of another index")
    empty.rename(empty.with_name("away.db"))
    with store.changing(empty, create=True):
        pass
    index(empty, project)
    assert ask(empty, "select uuid from v1_entries") == [("u1",)]
    assert empty.with_name(empty.name + "-wal.left").read_bytes() == b"of another index"


def test_views_are_recreated_when_their_sql_differs(empty: Path, project: Path) -> None:
    with closing(sqlite3.connect(empty)) as connection, connection:
        connection.execute("drop view v1_meta")
        connection.execute("create view v1_stale as select 1")
        connection.execute("update meta set value = 'another' where key = 'views_digest'")
    index(empty, write(project / "s1.jsonl", line("u1")))
    names = {name for (name,) in ask(empty, "select name from sqlite_schema where type = 'view'")}
    assert "v1_meta" in names
    assert "v1_stale" not in names
