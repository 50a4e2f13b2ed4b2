"""New indexes: their schema, mode, rights and views, and what earlier files leave behind."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from ccindex.store import connection as store
from ccindex.store.migrate import schema
from ccindex.store.sql_files import load
from tests.making.files import write
from tests.making.indexes import ask, index
from tests.making.transcripts import line


@pytest.fixture
def made(db: Path) -> Path:
    with store.changing(db, create=True):
        pass
    return db


def test_a_new_index_has_the_schema_that_migrations_make(made: Path) -> None:
    assert schema() == load("schema")
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(load("schema"))
        wanted = connection.execute("select type, name, sql from sqlite_schema order by name").fetchall()
    assert ask(made, "select type, name, sql from sqlite_schema where type <> 'view' order by name") == wanted
    assert ask(made, "select version_num from alembic_version") == [(store.HEAD,)]


def test_an_index_is_in_wal_mode_and_only_its_owner_may_read_it(made: Path) -> None:
    assert ask(made, "pragma journal_mode") == [("wal",)]
    assert made.stat().st_mode & 0o777 == 0o600
    assert made.parent.stat().st_mode & 0o777 == 0o700
    assert [path.name for path in made.parent.iterdir() if path.stat().st_mode & 0o077] == []


def test_half_an_index_left_by_a_kill_is_swept_away(db: Path) -> None:
    db.parent.mkdir()
    db.with_name(db.name + ".new").write_bytes(b"half")
    with store.changing(db, create=True):
        pass
    assert sorted(path.name for path in db.parent.iterdir()) == ["ccindex.db", "ccindex.db.lock"]


def test_what_an_index_that_was_moved_away_left_behind_is_not_applied_to_the_new_one(made: Path, project: Path) -> None:
    write(project / "s1.jsonl", line("u1"))
    index(made, project)
    for suffix in ("-wal", "-shm"):
        made.with_name(made.name + suffix).write_bytes(b"of another index")
    made.rename(made.with_name("away.db"))
    with store.changing(made, create=True):
        pass
    index(made, project)
    assert ask(made, "select uuid from v1_entries") == [("u1",)]
    assert made.with_name(made.name + "-wal.left").read_bytes() == b"of another index"


def test_views_are_made_anew_when_their_text_differs(made: Path, project: Path) -> None:
    with closing(sqlite3.connect(made)) as connection, connection:
        connection.execute("drop view v1_meta")
        connection.execute("create view v1_stale as select 1")
        connection.execute("update meta set value = 'another' where key = 'views_digest'")
    index(made, write(project / "s1.jsonl", line("u1")))
    names = {name for (name,) in ask(made, "select name from sqlite_schema where type = 'view'")}
    assert "v1_meta" in names
    assert "v1_stale" not in names
