import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import create_engine

from ccindex.errors import IndexOutdated, IndexTooNew, NoIndex, NotAnIndex
from ccindex.maintain.rebuild import rebuild_rows, reprice
from ccindex.maintain.update import open_to_write
from ccindex.store import connection as store
from ccindex.store.migrate import is_compared, metadata, schema
from ccindex.store.sql_files import directory, load
from tests.making.files import write
from tests.making.indexes import ask, broken, index
from tests.making.old_indexes import DUMPS, load_dump
from tests.making.transcripts import line


@pytest.fixture
def made(db: Path) -> Path:
    with store.changing(db, create=True):
        pass
    return db


def test_the_migrated_database_is_the_one_the_metadata_describes(made: Path) -> None:
    engine = create_engine(f"sqlite:///{made}")
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True, "include_name": is_compared})
        assert compare_metadata(context, metadata) == []
    engine.dispose()


def test_a_new_index_has_the_schema_that_migrations_make(made: Path) -> None:
    assert schema() == load("schema")
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(load("schema"))
        wanted = connection.execute("select type, name, sql from sqlite_schema order by name").fetchall()
    assert ask(made, "select type, name, sql from sqlite_schema where type <> 'view' order by name") == wanted
    assert ask(made, "select version_num from alembic_version") == [(store.HEAD,)]


def test_every_table_is_strict_and_has_a_comment(made: Path) -> None:
    strict = {name for name, is_strict in ask(made, "select name, strict from pragma_table_list") if is_strict}
    assert strict == set(metadata.tables)
    assert all(table.comment for table in metadata.tables.values())


def test_the_revisions_known_are_those_of_the_migrations() -> None:
    config = Config()
    config.set_main_option("script_location", str(directory("migrations")))
    scripts = ScriptDirectory.from_config(config)
    assert tuple(script.revision for script in scripts.walk_revisions())[::-1] == store.REVISIONS


def test_an_index_is_in_wal_mode_and_only_its_owner_may_read_it(made: Path) -> None:
    assert ask(made, "pragma journal_mode") == [("wal",)]
    assert made.stat().st_mode & 0o777 == 0o600
    assert made.parent.stat().st_mode & 0o777 == 0o700
    assert [path.name for path in made.parent.iterdir() if path.stat().st_mode & 0o077] == []


def stamp(path: Path, revision: str) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("update alembic_version set version_num = ?", (revision,))


def test_a_newer_index_gives_one_sentence_and_stays_as_it_is(made: Path) -> None:
    stamp(made, "9999")
    before = made.read_bytes()
    for opened in (store.reading(made), store.changing(made, create=True)):
        with (
            pytest.raises(IndexTooNew, match="has schema 9999, which is newer than this ccindex; update ccindex"),
            opened,
        ):
            pass
    assert made.read_bytes() == before


def test_an_older_index_is_refused_by_readers_with_the_command_to_run(
    made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "REVISIONS", ("0000", *store.REVISIONS))
    stamp(made, "0000")
    with pytest.raises(IndexOutdated, match="run: ccindex db upgrade"), store.reading(made):
        pass


def test_no_index_gives_one_sentence(db: Path) -> None:
    with pytest.raises(NoIndex, match="make one with: ccindex ingest"), store.reading(db):
        pass
    assert not db.parent.exists()


@pytest.mark.parametrize("content", [b"hello\n", b'{"type":"user"}\n' * 50, b"SQLite format 3\0" + b"\0" * 500])
def test_a_file_that_is_no_index_is_never_touched(tmp_path: Path, content: bytes) -> None:
    other = tmp_path / "other"
    other.write_bytes(content)
    for opened in (store.reading(other), store.changing(other, create=True)):
        with pytest.raises(NotAnIndex), opened:
            pass
    assert other.read_bytes() == content
    assert [path.name for path in tmp_path.iterdir()] == ["other"]


def test_another_programs_database_is_never_touched(tmp_path: Path) -> None:
    other = tmp_path / "other.db"
    with closing(sqlite3.connect(other)) as connection, connection:
        connection.execute("create table entries (id)")
    before = other.read_bytes()
    with pytest.raises(NotAnIndex), store.changing(other, create=True):
        pass
    assert other.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["other.db"]


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


def test_there_is_an_index_of_every_past_schema() -> None:
    assert tuple(path.stem for path in DUMPS) == store.REVISIONS[:-1]


@pytest.mark.parametrize("dump", DUMPS, ids=lambda path: path.stem)
def test_an_upgrade_that_fails_while_rows_are_made_leaves_the_old_index(dump: Path, db: Path) -> None:
    load_dump(dump, db)
    before = ask(db, "select name, sql from sqlite_schema order by 1"), ask(db, "select * from entries order by 1")

    def fail(connection: sqlite3.Connection) -> None:
        rebuild_rows(connection)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), store.changing(db, create=False, rebuild=fail):
        pass
    assert store.condition(db) == (store.Condition.OLDER, dump.stem)
    after = ask(db, "select name, sql from sqlite_schema order by 1"), ask(db, "select * from entries order by 1")
    assert after == before
    with open_to_write(db, create=False):
        pass
    assert store.condition(db) == (store.Condition.CURRENT, store.HEAD)
    assert broken(db) == {}


def test_an_older_index_is_refused_where_its_rows_cannot_be_made(db: Path) -> None:
    load_dump(DUMPS[-1], db)
    with pytest.raises(IndexOutdated), store.changing(db, create=False):
        pass


def test_an_empty_index_of_a_past_schema_is_current_once_it_is_upgraded(db: Path) -> None:
    load_dump(DUMPS[0], db)
    with closing(sqlite3.connect(db)) as connection, connection:
        connection.execute("delete from meta where key = 'decode_version'")
    with open_to_write(db, create=False):
        pass
    assert store.condition(db) == (store.Condition.CURRENT, store.HEAD)


@pytest.mark.parametrize("dump", DUMPS, ids=lambda path: path.stem)
def test_pricing_an_index_of_a_past_schema_makes_its_rows_anew_first(dump: Path, db: Path) -> None:
    load_dump(dump, db)
    with open_to_write(db, create=False) as connection:
        reprice(connection)
    assert store.condition(db) == (store.Condition.CURRENT, store.HEAD)
    assert broken(db) == {}


@pytest.mark.parametrize("dump", DUMPS, ids=lambda path: path.stem)
def test_an_index_of_a_past_schema_is_upgraded_and_made_anew_from_its_archive(dump: Path, db: Path) -> None:
    load_dump(dump, db)
    with open_to_write(db, create=False):
        pass
    assert store.condition(db)[0] is store.Condition.CURRENT
    assert broken(db) == {}
    assert ask(db, "select line_id, parent_line_id, attachment_uuid, entry_count from v1_lines order by 1") == [
        ("s1", None, None, 3),
        ("s1#agent-k", "s1", "r1", 1),
        ("s1@u2", "s1", "r1", 1),
        ("s1@u3", "s1", "r1", 1),
        ("s2", "s1@u3", "u3", 2),
    ]
    assert ask(db, "select session_id, title, relation from v1_sessions order by 1") == [
        ("s1", "An old index", "root"),
        ("s2", None, "continues"),
    ]
