"""First loads: the same rows as ordinary runs, early results, and what happens to processes, readers and leftovers."""

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given, settings

from ccindex.errors import WorkerLost
from ccindex.ingest import first_load
from ccindex.ingest.first_load import plan_load
from ccindex.model.sources import FileRole, FileState, FoundFile, PathInfo
from ccindex.store import shards
from tests.making.conformance import all_cases
from tests.making.files import Files, append, write, write_all
from tests.making.first_loads import small_shards
from tests.making.indexes import ask, broken, everything, index, one
from tests.making.processes import children
from tests.making.random_files import file_trees
from tests.making.transcripts import line, user
from tests.reference.random_choices import numbers_from_seed
from tests.reference.random_projects import random_project
from tests.reference.transcript_builder import TranscriptBuilder


def load(db: Path, *folders: Path, jobs: int = 0, size: int = 1, newest: int = 1) -> None:
    """Index with a first load in small shards."""
    with small_shards(size, newest):
        index(db, *folders, jobs=jobs)


def assert_same_as_serial(folder: Path, root: Path, **options: Any) -> int:
    """Compare a first load with an ordinary run, and return the number of shards."""
    added = 0
    absorb = shards.absorb_shard

    def count_and_absorb(*arguments: Any) -> int:
        nonlocal added
        added += 1
        return absorb(*arguments)

    index(folder / "serial" / "index.db", root)
    with patch.object(first_load, "absorb_shard", count_and_absorb):
        load(folder / "loaded" / "index.db", root, **options)
    assert everything(folder / "loaded" / "index.db") == everything(folder / "serial" / "index.db")
    assert broken(folder / "loaded" / "index.db") == {}
    return added


@settings(max_examples=12, deadline=None)
@given(files=file_trees())
def test_first_load_gives_the_same_rows_as_an_ordinary_run(
    tmp_path_factory: pytest.TempPathFactory, files: Files
) -> None:
    folder = tmp_path_factory.mktemp("made")
    root = folder / "root"
    root.mkdir()
    write_all(root, files)
    assert_same_as_serial(folder, root)


def test_first_load_of_conformance_cases_gives_the_same_rows(tmp_path: Path) -> None:
    added = 0
    for case in all_cases()[::2]:
        added += assert_same_as_serial(tmp_path / case.name, case.write(tmp_path / case.name / "transcripts"))
    assert added >= 20


def test_first_load_of_connected_sessions_gives_the_same_rows(tmp_path: Path) -> None:
    added = 0
    for seed in range(60):
        root = tmp_path / f"{seed}" / "root"
        root.mkdir(parents=True)
        write_all(root, random_project(TranscriptBuilder(numbers_from_seed(f"shards {seed}"))))
        added += assert_same_as_serial(tmp_path / f"{seed}", root)
    assert added >= 60


def test_first_load_with_workers_gives_the_same_rows(tmp_path: Path) -> None:
    root = tmp_path / "root"
    for case in all_cases()[::8]:
        case.write(root / case.name)
    assert assert_same_as_serial(tmp_path, root, jobs=2, size=1_000, newest=2_000) >= 10


def test_first_load_of_a_corpus_gives_the_same_rows(corpus: Path, tmp_path: Path) -> None:
    root = tmp_path / "root"
    for folder in sorted(corpus.iterdir())[::4]:
        shutil.copytree(folder, root / folder.name)
    assert assert_same_as_serial(tmp_path, root, size=1 << 20, newest=1 << 20) >= 5


def test_copies_in_several_shards_have_one_owner_and_are_found_once(tmp_path: Path) -> None:
    root = tmp_path / "root"
    lines = [user(f"u{number}", number, f"word{number}", sessionId="s1") for number in range(3)]
    for name in ("s1", "s2", "s3"):
        write(root / f"{name}.jsonl", *lines)
    write(root / "s4.jsonl", user("v", 9, "after", sessionId="s4", parent="u2"))
    assert assert_same_as_serial(tmp_path, root) == 3
    loaded, serial = (tmp_path / name / "index.db" for name in ("loaded", "serial"))
    find = "select e.uuid from entries_fts s join entries e on e.id = s.rowid where entries_fts match 'word1 OR after'"
    assert sorted(ask(loaded, find)) == sorted(ask(serial, find)) == [("u1",), ("v",)]
    append(root / "s1.jsonl", user("w", 20, "later", sessionId="s1", parent="u2") + "\n")
    for db in (loaded, serial):
        index(db, root)
    assert everything(loaded) == everything(serial)
    names = "select name from sqlite_schema where type = 'index' order by 1"
    assert ask(loaded, names) == ask(serial, names)


def test_report_and_run_row_include_what_shards_read(tmp_path: Path) -> None:
    root, db = tmp_path / "p", tmp_path / "i" / "index.db"
    path = write(root / "s1.jsonl", line("u1"), "broken", line("u2"))
    other = write(root / "s2.jsonl", line("u3"))
    with small_shards():
        report = index(db, root, jobs=1)
    assert report.files == {"seen": 2, "new": 2, "appended": 0, "rewritten": 0, "unchanged": 0, "missing": 0}
    assert (report.lines_read, report.entries_added, report.malformed_lines) == (4, 3, 1)
    assert report.bytes_read == path.stat().st_size + other.stat().st_size
    assert ask(db, "select run_id, status, files_read, lines_read, entries_added from v1_ingest_runs") == [
        (1, "ok", 2, 4, 3)
    ]
    assert index(db, root, jobs=1).run_id is None


def test_unreadable_file_is_reported_and_others_are_read(tmp_path: Path) -> None:
    root, db = tmp_path / "p", tmp_path / "i" / "index.db"
    gone = write(root / "a.jsonl", line("u1"))
    write(root / "b.jsonl", line("u2"))
    plan = first_load.plan_load

    def delete_then_plan(*arguments: Any) -> Any:
        gone.unlink()
        gone.mkdir()
        return plan(*arguments)

    with patch.object(first_load, "plan_load", delete_then_plan):
        load(db, root)
    assert ask(db, "select kind, source_path from v1_diagnostics") == [("not-a-file", str(gone))]
    assert ask(db, "select uuid from v1_entries") == [("u2",)]


def found(name: str, size: int, *, session: str | None = None, project: str = "p", newest: int = 0) -> FoundFile:
    """Return a file of the given size."""
    info = PathInfo(FileRole.SESSION, project, session, stem=name)
    return FoundFile(f"/{project}/{name}", f"/{project}/{name}", info, FileState(1, 1, size, newest))


def test_newest_sessions_are_loaded_first_together_with_their_subagents() -> None:
    files = [found(f"s{number}", 10, newest=number) for number in range(20)]
    files.append(found("agent-x", 10, session="s19", newest=1))
    with patch.object(first_load, "NEWEST_BYTES", 35):
        plan = plan_load(files, 2)
    assert [file.info.stem for file in plan.newest] == ["s19", "agent-x", "s18", "s17"]
    assert sorted(file.path for shard in plan.shards for file in shard) == sorted(
        file.path for file in files if file not in plan.newest
    )


def test_shards_become_smaller_and_keep_projects_together() -> None:
    files = [found(f"s{number}", 1 << 20, project=f"p{number // 20:02}") for number in range(400)]
    plan = plan_load(files, 2)
    sizes = [sum(file.state.size for file in shard) for shard in plan.shards]
    assert sizes == sorted(sizes, reverse=True)
    assert max(sizes) <= first_load.MAX_SHARD_BYTES
    assert sum(len({file.info.project for file in shard}) for shard in plan.shards) <= 20 + len(plan.shards)


def test_newest_sessions_are_visible_while_the_rest_is_loaded(tmp_path: Path) -> None:
    root, db = tmp_path / "p", tmp_path / "i" / "index.db"
    for number in range(3):
        path = write(root / f"s{number}.jsonl", line(f"u{number}", sessionId=f"s{number}"))
        os.utime(path, ns=(number, number))
    seen: list[Any] = []
    absorb = shards.absorb_shard

    def look_and_absorb(*arguments: Any) -> int:
        seen.append((ask(db, "select session_id from v1_sessions"), broken(db), one(db, "pragma integrity_check")))
        return absorb(*arguments)

    with patch.object(first_load, "absorb_shard", look_and_absorb):
        load(db, root)
    assert seen == [([("s2",)], {}, "ok")] * 2
    assert len(ask(db, "select session_id from v1_sessions")) == 3


def test_reader_keeps_its_snapshot_while_the_index_is_replaced(tmp_path: Path) -> None:
    root, db = tmp_path / "p", tmp_path / "i" / "index.db"
    for number in range(3):
        write(root / f"s{number}.jsonl", line(f"u{number}", sessionId=f"s{number}"))
    absorb, readers = shards.absorb_shard, []

    def open_and_absorb(*arguments: Any) -> int:
        reader = sqlite3.connect(db, isolation_level=None)
        reader.execute("begin")
        assert reader.execute("select count(*) from v1_sessions").fetchone() == (1,)
        readers.append(reader)
        return absorb(*arguments)

    with patch.object(first_load, "absorb_shard", open_and_absorb):
        load(db, root)
    append(root / "s0.jsonl", line("later", sessionId="s0") + "\n")
    index(db, root)
    for reader in readers:
        assert reader.execute("select count(*) from v1_sessions").fetchone() == (1,)
        reader.close()
    assert one(db, "select count(*) from v1_entries") == 4
    assert one(db, "pragma integrity_check") == "ok"


def test_index_that_is_in_use_is_not_replaced(tmp_path: Path) -> None:
    root, db = tmp_path / "p", tmp_path / "i" / "index.db"
    index(db, root.parent)
    write(root / "s1.jsonl", line("u1"))
    write(root / "s2.jsonl", line("u2"))
    inode = db.stat().st_ino
    with closing(sqlite3.connect(db)) as reader:
        assert reader.execute("select count(*) from v1_entries").fetchone() == (0,)
        load(db, root)
        assert reader.execute("select count(*) from v1_entries").fetchone() == (2,)
    assert db.stat().st_ino == inode


def test_interrupted_load_keeps_the_newest_sessions_and_the_next_run_adds_the_rest(tmp_path: Path) -> None:
    root, db = tmp_path / "p", tmp_path / "i" / "index.db"
    for number in range(3):
        path = write(root / f"s{number}.jsonl", line(f"u{number}", sessionId=f"s{number}"))
        os.utime(path, ns=(number, number))
    with patch.object(first_load, "absorb_shard", side_effect=KeyboardInterrupt), pytest.raises(KeyboardInterrupt):
        load(db, root)
    assert sorted(path.name for path in db.parent.iterdir()) == ["index.db", "index.db.lock"]
    assert ask(db, "select session_id from v1_sessions") == [("s2",)]
    assert ask(db, "select status from v1_ingest_runs") == [("interrupted",)]
    (db.parent / "index.db.load").mkdir()  # as a killed load leaves it
    load(db, root)
    assert not (db.parent / "index.db.load").exists()
    index(tmp_path / "serial.db", root)
    assert everything(db) == everything(tmp_path / "serial.db")


def test_lost_worker_fails_the_run_and_the_next_run_succeeds(tmp_path: Path) -> None:
    root, db = tmp_path / "p", tmp_path / "i" / "index.db"
    for number in range(40):
        message = {"role": "user", "content": "word " * 600}
        write(
            root / f"s{number:02}.jsonl",
            *(line(f"u{number}-{n}", sessionId=f"s{number}", message=message) for n in range(30)),
        )

    def kill_worker(*_: Any) -> int:
        for child in children(os.getpid()):
            if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes():
                os.kill(child, signal.SIGKILL)
        return 0

    with (
        patch.object(first_load, "absorb_shard", kill_worker),
        pytest.raises(WorkerLost, match=r"ended with exit code -9.*--jobs 0"),
    ):
        load(db, root, jobs=1, size=20_000, newest=20_000)
    assert 0 < one(db, "select count(*) from v1_entries") < 1200
    load(db, root, jobs=1)
    assert one(db, "select count(*) from v1_entries") == 1200


def test_interrupt_leaves_no_worker_and_no_file_behind(tmp_path: Path) -> None:
    if not Path("/proc/self/task").is_dir():
        pytest.skip("needs /proc to find the workers")
    root, db = tmp_path / "p", tmp_path / "i" / "index.db"
    bulk = {"role": "user", "content": "some words " * 400}
    for number in range(60):
        lines = (line(f"u{number}-{n}", sessionId=f"s{number}", message=bulk) for n in range(60))
        write(root / f"s{number:02}.jsonl", *lines)
    command = [sys.executable, "-m", "ccindex", "ingest", "--jobs", "2", "--db", str(db), str(root)]
    process = subprocess.Popen(command, start_new_session=True, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 60
    while len(children(process.pid)) < 2 and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.01)
    started = children(process.pid)
    assert len(started) >= 2  # a worker and multiprocessing's resource tracker
    os.killpg(process.pid, signal.SIGINT)
    assert process.wait(60) in (130, -signal.SIGINT)
    # the run does not kill a worker that is still starting, but the worker exits when it finds its pipe closed
    while any(Path(f"/proc/{child}").exists() for child in started) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not any(Path(f"/proc/{child}").exists() for child in started)
    with process:
        assert process.stderr is not None
        assert "Traceback" not in process.stderr.read()
    assert not (db.parent / "index.db.load").exists()
    index(db, root)
    assert one(db, "select count(*) from v1_entries") == 3600


def test_permissions_of_an_empty_index_are_kept(tmp_path: Path) -> None:
    root, db = tmp_path / "p", tmp_path / "i" / "index.db"
    index(db, root.parent)
    db.chmod(0o640)
    for name in ("s1", "s2"):
        write(root / f"{name}.jsonl", line(name, sessionId=name))
    load(db, root)
    assert db.stat().st_mode & 0o777 == 0o640
    assert one(db, "select count(*) from v1_entries") == 2


def test_plan_of_many_files_does_not_block_a_worker_that_dies_while_it_starts(tmp_path: Path) -> None:
    root, db = tmp_path / "p", tmp_path / "i" / "index.db"
    for number in range(600):
        write(root / f"{'s' * 100}{number}.jsonl", line(f"u{number}", sessionId=f"s{number}"))
    with (
        patch(
            "multiprocessing.spawn.get_preparation_data",
            return_value={"main_path": "missing", "init_main_from_path": "missing"},
        ),
        pytest.raises(WorkerLost),
    ):
        load(db, root, jobs=1, size=100, newest=100)
    load(db, root)
    assert one(db, "select count(*) from v1_entries") == 600


def test_load_whose_files_are_all_deleted_before_they_are_read_leaves_an_empty_index(tmp_path: Path) -> None:
    root, db = tmp_path / "p", tmp_path / "i" / "index.db"
    path = write(root / "s1.jsonl", line("u1"))
    plan = first_load.plan_load

    def delete_then_plan(*arguments: Any) -> Any:
        path.unlink()
        return plan(*arguments)

    with patch.object(first_load, "plan_load", delete_then_plan):
        load(db, root)
    assert one(db, "select count(*) from v1_sources") == 0
    write(path, line("u1"))
    load(db, root)
    assert one(db, "select count(*) from v1_entries") == 1
