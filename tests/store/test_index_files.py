"""The file that dates the last run: every run that ends touches it, and nothing else does."""

import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

from ccindex.store.index_files import last_run_ms, locked, stamp_of, touch_stamp
from tests.making.commands import CCINDEX, answer, ccindex, wait_for
from tests.making.files import write
from tests.making.indexes import index
from tests.making.permissions import as_nobody
from tests.making.transcripts import line

LONG_AGO = 1_000_000_000  # seconds


def put_back(db: Path) -> None:
    os.utime(stamp_of(db), (LONG_AGO, LONG_AGO))


def test_the_stamp_is_an_empty_file_beside_the_index_for_its_owner_only(tmp_path: Path) -> None:
    db = tmp_path / "x.db"
    assert last_run_ms(db) is None
    before = time.time_ns() // 1_000_000
    touch_stamp(db)
    assert stamp_of(db) == tmp_path / "x.db.ran"
    assert stamp_of(db).stat().st_mode & 0o777 == 0o600
    assert stamp_of(db).read_bytes() == b""
    found = last_run_ms(db)
    assert found is not None
    assert before - 1_000 <= found <= time.time_ns() // 1_000_000


def test_touching_it_again_moves_its_time_on(tmp_path: Path) -> None:
    db = tmp_path / "x.db"
    touch_stamp(db)
    put_back(db)
    assert last_run_ms(db) == LONG_AGO * 1_000
    touch_stamp(db)
    assert (last_run_ms(db) or 0) > LONG_AGO * 1_000


def test_a_folder_that_will_not_have_it_is_no_failure() -> None:
    place = Path("/tmp") / f"ccindex-stamp-{os.getpid()}"  # noqa: S108 - its name is ours alone
    place.mkdir(mode=0o555)
    try:

        def deed() -> None:
            touch_stamp(place / "x.db")
            assert last_run_ms(place / "x.db") is None
            touch_stamp(place / "none" / "x.db")

        as_nobody(deed)
        assert os.listdir(place) == []
    finally:
        shutil.rmtree(place)


def test_every_run_that_comes_to_its_end_is_noted_also_when_nothing_was_new(db: Path, project: Path) -> None:
    write(project / "s1.jsonl", line("u1"))
    assert answer("ingest", project, "--db", db)["run_id"] == 1
    assert stamp_of(db).stat().st_mode & 0o777 == 0o600
    put_back(db)
    assert answer("ingest", project, "--db", db)["run_id"] is None
    assert (last_run_ms(db) or 0) > LONG_AGO * 1_000


def test_a_run_that_failed_or_could_not_begin_is_not_noted(db: Path, project: Path) -> None:
    write(project / "s1.jsonl", line("u1"))
    index(db, project)
    touch_stamp(db)
    put_back(db)
    assert ccindex("ingest", project / "none", "--db", db).returncode == 1
    with locked(db):
        assert answer("ingest", project, "--db", db)["status"] == "busy"
    assert last_run_ms(db) == LONG_AGO * 1_000


def test_commands_that_only_read_are_not_noted(db: Path, project: Path) -> None:
    write(project / "s1.jsonl", line("u1"))
    index(db, project)
    for words in (("sessions",), ("doctor",), ("sql", "select 1")):
        assert ccindex(*words, "--db", db).returncode == 0
    assert last_run_ms(db) is None


def test_a_run_that_keeps_on_is_noted_while_it_does(db: Path, project: Path) -> None:
    write(project / "s1.jsonl", line("u1"))
    process = subprocess.Popen([*CCINDEX, "ingest", str(project), "--watch", "--db", str(db)])
    try:
        wait_for(lambda: last_run_ms(db) is not None)
        put_back(db)
        wait_for(lambda: last_run_ms(db) != LONG_AGO * 1_000)
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 130
    finally:
        process.kill()
        process.wait()
