"""Damage is reported as damage; a bug of ours on a sound index stays a bug."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from ccindex.errors import IndexDamaged
from ccindex.store.connection import HEAD, changing, reading
from ccindex.store.integrity import SYMPTOMS, is_damaged
from tests.making.files import write
from tests.making.in_process import run
from tests.making.indexes import index
from tests.making.old_indexes import DUMPS, load_dump
from tests.making.transcripts import line


@pytest.fixture
def sound(db: Path, project: Path) -> Path:
    write(project / "s1.jsonl", line("u1"), line("u2", parent="u1"))
    index(db, project)
    return db


@pytest.mark.parametrize("symptom", SYMPTOMS)
def test_a_bug_on_a_sound_index_stays_a_bug(sound: Path, symptom: type[Exception]) -> None:
    with pytest.raises(symptom, match="ours"), reading(sound):
        raise symptom("ours")


@pytest.mark.parametrize("dump", DUMPS, ids=lambda path: path.stem)
def test_a_bug_while_an_older_index_is_upgraded_stays_a_bug(dump: Path, db: Path) -> None:
    load_dump(dump, db)

    def fail(_connection: sqlite3.Connection) -> None:
        raise AssertionError("ours")

    with pytest.raises(AssertionError, match="ours"), changing(db, create=False, rebuild=fail):
        pass


@pytest.mark.parametrize(
    "harm",
    [
        "delete from placements",
        "delete from session_ids",
        "update meta set value = cast(x'ff' as text)",
        "alter table chunks add column more text",
        "drop table redactions",
    ],
)
def test_the_same_on_an_index_that_is_not_as_we_wrote_it_is_damage(sound: Path, harm: str) -> None:
    with closing(sqlite3.connect(sound)) as connection, connection:
        connection.execute(harm)
    with closing(sqlite3.connect(sound)) as connection:
        assert is_damaged(connection, HEAD)


@pytest.mark.parametrize("sign", ["'u'", "cast(x'8c' as text)"])
def test_a_view_whose_text_is_another_is_damage(sound: Path, sign: str) -> None:
    with closing(sqlite3.connect(sound, isolation_level=None)) as connection:
        connection.execute("pragma writable_schema = on")
        connection.execute(
            f"update sqlite_schema set sql = replace(sql, 'first_timestamp', 'firs' || {sign} || '_timestamp') "
            "where name = 'v1_sessions'"
        )
    with closing(sqlite3.connect(sound)) as connection:
        assert is_damaged(connection, HEAD)


def test_views_of_another_version_are_no_damage(sound: Path) -> None:
    with closing(sqlite3.connect(sound)) as connection, connection:
        connection.execute("update meta set value = 'of another' where key = 'views_digest'")
        connection.execute("drop view v1_forgotten")
    with closing(sqlite3.connect(sound)) as connection:
        assert not is_damaged(connection, HEAD)


def test_an_index_that_cannot_be_looked_at_now_is_not_said_to_be_damaged(sound: Path) -> None:
    with (
        closing(sqlite3.connect(sound, isolation_level=None)) as writer,
        closing(sqlite3.connect(sound, timeout=0)) as connection,
    ):
        writer.execute("pragma journal_mode = delete")
        writer.execute("begin exclusive")
        assert not is_damaged(connection, HEAD)
        writer.execute("rollback")
        writer.execute("delete from placements")
        assert is_damaged(connection, HEAD)


def test_damage_is_told_with_what_it_led_to(sound: Path) -> None:
    with closing(sqlite3.connect(sound)) as connection, connection:
        connection.execute("delete from placements")
    with pytest.raises(IndexDamaged, match="no such place; it is damaged"), reading(sound):
        raise LookupError("no such place")


def test_what_damage_leads_to_when_an_answer_is_put_in_words_is_told_as_such(sound: Path, tmp_path: Path) -> None:
    with closing(sqlite3.connect(sound)) as connection, connection:
        connection.execute("delete from lines")
    done = run(["explain", "u2", "--db", str(sound)], tmp_path)
    assert (done.code, done.said.count("it is damaged")) == (1, 1)
