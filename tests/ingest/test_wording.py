"""A full-text index made by another process is taken over whole, or nothing of it stays."""

import sqlite3
import time
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from unittest.mock import patch

import pytest

from ccindex.errors import IndexUnusable, WorkerLost
from ccindex.ingest import indexer
from ccindex.ingest.processes import receive
from ccindex.ingest.wording import Wording
from ccindex.ingest.worker import Outbox
from ccindex.store.connection import changing
from tests.making.indexes import ask

ROWS = [(number, f"word{number}", "", "", "", "", "") for number in range(1, 4)]


@pytest.fixture
def db(tmp_path: Path) -> Path:
    return tmp_path.resolve() / "i" / "x.db"


@pytest.fixture
def connection(db: Path) -> Iterator[sqlite3.Connection]:
    with changing(db, create=True) as made:
        yield made


def words_beside(db: Path) -> list[Path]:
    return list(db.parent.glob("*.words*"))


def wait_until_gone(db: Path) -> None:
    deadline = time.monotonic() + 30
    while words_beside(db) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert words_beside(db) == []


def die(wording: Wording) -> None:
    """Let go of a process as the system does for a run that was killed."""
    process = wording.process
    assert process.stdin is not None
    process.stdin.close()
    process.wait(30)


def take_over(connection: sqlite3.Connection, wording: Wording) -> None:
    connection.execute("begin")
    wording.finish()
    connection.execute("commit")
    wording.close()


def test_words_are_found_by_who_took_them_over(db: Path, connection: sqlite3.Connection) -> None:
    wording = Wording(connection)
    wording.add(ROWS)
    wording.index()
    take_over(connection, wording)
    assert ask(db, "select rowid from entries_fts where entries_fts match 'word2'") == [(2,)]
    assert words_beside(db) == []


@pytest.mark.parametrize("is_made", [False, True])
def test_who_is_left_alone_ends_and_leaves_nothing(db: Path, connection: sqlite3.Connection, *, is_made: bool) -> None:
    wording = Wording(connection)
    wording.add(ROWS)
    if is_made:
        wording.index()
        assert wording.process.stdout is not None
        assert receive(wording.process.stdout)[0] == indexer.DONE
    die(wording)
    wait_until_gone(db)
    wording.close()


def test_who_is_left_alone_does_not_touch_the_words_of_the_next_run(db: Path) -> None:
    with changing(db, create=True) as connection:
        killed = Wording(connection)
        killed.add(ROWS)
    with changing(db, create=False) as connection:
        wording = Wording(connection)
        wording.add(ROWS)
        die(killed)
        wording.index()
        take_over(connection, wording)
        killed.close()
    assert ask(db, "select rowid from entries_fts where entries_fts match 'word3'") == [(3,)]
    assert words_beside(db) == []


def test_words_that_a_killed_run_left_go_with_the_next_one(tmp_path: Path, db: Path) -> None:
    with changing(db, create=True) as connection:
        wording = Wording(connection)
        wording.process.kill()
        wording.process.wait()
    assert len(words_beside(db)) == 1
    (tmp_path / "link").symlink_to(db)
    with changing(tmp_path / "link", create=False):
        assert words_beside(db) == []
    wording.close()


def test_what_a_disk_or_sqlite_has_against_words_is_told_as_of_the_index(
    db: Path, connection: sqlite3.Connection
) -> None:
    wording = Wording(connection)
    wording.path.unlink()
    wording.index()
    with pytest.raises(sqlite3.OperationalError, match="unable to open database file") as told:
        wording.finish()
    assert told.value.sqlite_errorcode & 0xFF == sqlite3.SQLITE_CANTOPEN
    wording.close()
    with patch("ccindex.ingest.wording._file_beside", lambda _: db / "not a folder" / "x"):
        wording = Wording(connection)
    with pytest.raises(IndexUnusable, match="Not a directory"):
        wording.finish()
    wording.close()


def test_one_who_was_killed_is_told_of(connection: sqlite3.Connection) -> None:
    wording = Wording(connection)
    wording.process.kill()
    wording.process.wait()
    with pytest.raises(WorkerLost, match="ended with -9"):
        wording.add(ROWS)
    wording.close()


def test_an_interrupt_while_it_is_ended_leaves_nothing_either(db: Path, connection: sqlite3.Connection) -> None:
    wording = Wording(connection)
    with patch("ccindex.ingest.wording.end", side_effect=KeyboardInterrupt), pytest.raises(KeyboardInterrupt):
        wording.close()
    assert words_beside(db) == []
    wording.close()
    wording.close()


def test_who_cannot_send_does_not_keep_the_other_side_waiting() -> None:
    with patch("ccindex.ingest.worker.os._exit") as ended:
        outbox = Outbox(BytesIO())
        outbox.say("record", object())
        outbox.close()
    ended.assert_called_once_with(1)
