"""Errors caused by a damaged index are reported as damage; other errors are raised unchanged."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from ccindex.errors import IndexDamaged
from ccindex.store.connection import HEAD, changing, reading
from ccindex.store.integrity import CORRUPTION_ERRORS, is_damaged
from tests.making.files import write
from tests.making.in_process import run
from tests.making.indexes import index
from tests.making.old_indexes import DUMPS, load_dump
from tests.making.transcripts import line


@pytest.fixture
def intact(db: Path, project: Path) -> Path:
    write(project / "s1.jsonl", line("u1"), line("u2", parent="u1"))
    index(db, project)
    return db


@pytest.mark.parametrize("symptom", CORRUPTION_ERRORS)
def test_error_with_an_intact_index_is_raised_unchanged(intact: Path, symptom: type[Exception]) -> None:
    with pytest.raises(symptom, match="a bug"), reading(intact):
        raise symptom("a bug")


@pytest.mark.parametrize("dump", DUMPS, ids=lambda path: path.stem)
def test_error_during_an_upgrade_is_raised_unchanged(dump: Path, db: Path) -> None:
    load_dump(dump, db)

    def fail(_connection: sqlite3.Connection) -> None:
        raise AssertionError("a bug")

    with pytest.raises(AssertionError, match="a bug"), changing(db, create=False, rebuild=fail):
        pass


@pytest.mark.parametrize(
    "damage",
    [
        "delete from placements",
        "delete from session_ids",
        "update meta set value = cast(x'ff' as text)",
        "alter table chunks add column more text",
        "drop table redactions",
    ],
)
def test_missing_rows_and_altered_tables_are_detected_as_damage(intact: Path, damage: str) -> None:
    with closing(sqlite3.connect(intact)) as connection, connection:
        connection.execute(damage)
    with closing(sqlite3.connect(intact)) as connection:
        assert is_damaged(connection, HEAD)


@pytest.mark.parametrize("character", ["'u'", "cast(x'8c' as text)"])
def test_view_with_altered_sql_is_detected_as_damage(intact: Path, character: str) -> None:
    with closing(sqlite3.connect(intact, isolation_level=None)) as connection:
        connection.execute("pragma writable_schema = on")
        connection.execute(
            f"update sqlite_schema set sql = replace(sql, 'first_timestamp', 'firs' || {character} || '_timestamp') "
            "where name = 'v1_sessions'"
        )
    with closing(sqlite3.connect(intact)) as connection:
        assert is_damaged(connection, HEAD)


def test_views_of_another_version_are_not_reported_as_damage(intact: Path) -> None:
    with closing(sqlite3.connect(intact)) as connection, connection:
        connection.execute("update meta set value = 'of another' where key = 'views_digest'")
        connection.execute("drop view v1_forgotten")
    with closing(sqlite3.connect(intact)) as connection:
        assert not is_damaged(connection, HEAD)


def test_locked_index_is_not_reported_as_damaged(intact: Path) -> None:
    with (
        closing(sqlite3.connect(intact, isolation_level=None)) as writer,
        closing(sqlite3.connect(intact, timeout=0)) as connection,
    ):
        writer.execute("pragma journal_mode = delete")
        writer.execute("begin exclusive")
        assert not is_damaged(connection, HEAD)
        writer.execute("rollback")
        writer.execute("delete from placements")
        assert is_damaged(connection, HEAD)


def test_damage_is_reported_with_the_error_it_caused(intact: Path) -> None:
    with closing(sqlite3.connect(intact)) as connection, connection:
        connection.execute("delete from placements")
    with pytest.raises(IndexDamaged, match="no such line; it is damaged"), reading(intact):
        raise LookupError("no such line")


def test_error_while_formatting_output_of_a_damaged_index_is_reported_as_damage(intact: Path, tmp_path: Path) -> None:
    with closing(sqlite3.connect(intact)) as connection, connection:
        connection.execute("delete from lines")
    result = run(["explain", "u2", "--db", str(intact)], tmp_path)
    assert (result.code, result.stderr.count("it is damaged")) == (1, 1)
