"""The file that records the time of the last run: every completed run touches it, and nothing else does."""

import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

from ccindex.store.index_files import last_run_ms, locked, stamp_path, touch_stamp
from tests.making.commands import CCINDEX, ccindex, run_json, wait_for
from tests.making.files import write
from tests.making.indexes import index
from tests.making.permissions import as_nobody
from tests.making.transcripts import line

LONG_AGO = 1_000_000_000  # in seconds since the Unix epoch


def set_stamp_long_ago(db: Path) -> None:
    os.utime(stamp_path(db), (LONG_AGO, LONG_AGO))


def test_stamp_is_an_empty_file_next_to_the_index_with_private_permissions(tmp_path: Path) -> None:
    db = tmp_path / "x.db"
    assert last_run_ms(db) is None
    before = time.time_ns() // 1_000_000
    touch_stamp(db)
    assert stamp_path(db) == tmp_path / "x.db.ran"
    assert stamp_path(db).stat().st_mode & 0o777 == 0o600
    assert stamp_path(db).read_bytes() == b""
    last_run = last_run_ms(db)
    assert last_run is not None
    assert before - 1_000 <= last_run <= time.time_ns() // 1_000_000


def test_touching_the_stamp_again_updates_its_time(tmp_path: Path) -> None:
    db = tmp_path / "x.db"
    touch_stamp(db)
    set_stamp_long_ago(db)
    assert last_run_ms(db) == LONG_AGO * 1_000
    touch_stamp(db)
    assert (last_run_ms(db) or 0) > LONG_AGO * 1_000


def test_stamp_in_a_read_only_folder_is_not_an_error() -> None:
    folder = Path("/tmp") / f"ccindex-stamp-{os.getpid()}"  # noqa: S108 - the name is unique to this process
    folder.mkdir(mode=0o555)
    try:

        def touch() -> None:
            touch_stamp(folder / "x.db")
            assert last_run_ms(folder / "x.db") is None
            touch_stamp(folder / "none" / "x.db")

        as_nobody(touch)
        assert os.listdir(folder) == []
    finally:
        shutil.rmtree(folder)


def test_every_completed_run_is_recorded_even_without_changes(db: Path, project: Path) -> None:
    write(project / "s1.jsonl", line("u1"))
    assert run_json("ingest", project, "--db", db)["run_id"] == 1
    assert stamp_path(db).stat().st_mode & 0o777 == 0o600
    set_stamp_long_ago(db)
    assert run_json("ingest", project, "--db", db)["run_id"] is None
    assert (last_run_ms(db) or 0) > LONG_AGO * 1_000


def test_failed_or_refused_run_is_not_recorded(db: Path, project: Path) -> None:
    write(project / "s1.jsonl", line("u1"))
    index(db, project)
    touch_stamp(db)
    set_stamp_long_ago(db)
    assert ccindex("ingest", project / "none", "--db", db).returncode == 1
    with locked(db):
        assert run_json("ingest", project, "--db", db)["status"] == "busy"
    assert last_run_ms(db) == LONG_AGO * 1_000


def test_commands_that_only_read_are_not_recorded(db: Path, project: Path) -> None:
    write(project / "s1.jsonl", line("u1"))
    index(db, project)
    for arguments in (("sessions",), ("doctor",), ("sql", "select 1")):
        assert ccindex(*arguments, "--db", db).returncode == 0
    assert last_run_ms(db) is None


def test_watch_records_the_time_of_every_run(db: Path, project: Path) -> None:
    write(project / "s1.jsonl", line("u1"))
    process = subprocess.Popen([*CCINDEX, "ingest", str(project), "--watch", "--db", str(db)])
    try:
        wait_for(lambda: last_run_ms(db) is not None)
        set_stamp_long_ago(db)
        wait_for(lambda: last_run_ms(db) != LONG_AGO * 1_000)
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 130
    finally:
        process.kill()
        process.wait()
