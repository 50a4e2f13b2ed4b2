"""Migrations create the declared tables, and upgrade indexes from every earlier schema."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import create_engine

from ccindex.maintain.rebuild import rebuild_rows, reprice
from ccindex.maintain.update import open_to_write
from ccindex.store import connection as store
from ccindex.store.migrate import is_compared, metadata
from ccindex.store.sql_files import directory
from tests.making.indexes import ask, broken
from tests.making.old_indexes import DUMPS, load_dump


def test_migrations_create_the_declared_tables(empty: Path) -> None:
    engine = create_engine(f"sqlite:///{empty}")
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True, "include_name": is_compared})
        assert compare_metadata(context, metadata) == []
    engine.dispose()


def test_every_table_is_strict_and_has_a_comment(empty: Path) -> None:
    strict = {name for name, is_strict in ask(empty, "select name, strict from pragma_table_list") if is_strict}
    assert strict == set(metadata.tables)
    assert all(table.comment for table in metadata.tables.values())


def test_revisions_match_the_migrations() -> None:
    config = Config()
    config.set_main_option("script_location", str(directory("migrations")))
    scripts = ScriptDirectory.from_config(config)
    assert tuple(script.revision for script in scripts.walk_revisions())[::-1] == store.REVISIONS


def test_every_earlier_schema_has_a_dump() -> None:
    assert tuple(path.stem for path in DUMPS) == store.REVISIONS[:-1]


@pytest.mark.parametrize("dump", DUMPS, ids=lambda path: path.stem)
def test_upgrade_that_fails_while_rows_are_rebuilt_leaves_the_old_index(dump: Path, db: Path) -> None:
    load_dump(dump, db)
    before = ask(db, "select name, sql from sqlite_schema order by 1"), ask(db, "select * from entries order by 1")

    def fail(connection: sqlite3.Connection) -> None:
        rebuild_rows(connection)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), store.changing(db, create=False, rebuild=fail):
        pass
    assert store.index_state(db) == (store.IndexState.OLDER, dump.stem)
    after = ask(db, "select name, sql from sqlite_schema order by 1"), ask(db, "select * from entries order by 1")
    assert after == before
    with open_to_write(db, create=False):
        pass
    assert store.index_state(db) == (store.IndexState.CURRENT, store.HEAD)
    assert broken(db) == {}


def test_empty_index_with_an_earlier_schema_is_current_after_the_upgrade(db: Path) -> None:
    load_dump(DUMPS[0], db)
    with closing(sqlite3.connect(db)) as connection, connection:
        connection.execute("delete from meta where key = 'decode_version'")
    with open_to_write(db, create=False):
        pass
    assert store.index_state(db) == (store.IndexState.CURRENT, store.HEAD)


@pytest.mark.parametrize("dump", DUMPS, ids=lambda path: path.stem)
def test_repricing_an_index_with_an_earlier_schema_rebuilds_its_rows_first(dump: Path, db: Path) -> None:
    load_dump(dump, db)
    with open_to_write(db, create=False) as connection:
        reprice(connection)
    assert store.index_state(db) == (store.IndexState.CURRENT, store.HEAD)
    assert broken(db) == {}


@pytest.mark.parametrize("dump", DUMPS, ids=lambda path: path.stem)
def test_index_with_an_earlier_schema_is_upgraded_and_rebuilt_from_its_archive(dump: Path, db: Path) -> None:
    load_dump(dump, db)
    with open_to_write(db, create=False):
        pass
    assert store.index_state(db)[0] is store.IndexState.CURRENT
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
