"""Files that other processes read for a run come out as if it had read them itself."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given, settings

from ccindex.errors import WorkerLost
from ccindex.ingest import file_changes, workers
from ccindex.ingest.ingest import IngestReport, ingest
from ccindex.maintain.update import begin_run
from ccindex.model.sources import FileRole, FoundFile, PathInfo
from ccindex.read.discovery import state_of
from ccindex.store.connection import changing
from tests.making.conformance import all_cases
from tests.making.files import Files, write, write_all
from tests.making.indexes import ask, broken, everything, index, one
from tests.making.processes import children
from tests.making.random_files import trees
from tests.making.transcripts import line


@contextmanager
def eager() -> Iterator[None]:
    """Workers for the smallest amounts."""
    with patch.object(workers, "MIN_PARALLEL_BYTES", 0):
        yield


def index_by(db: Path, *places: Path, jobs: int = 2) -> IngestReport:
    """Index with that many workers."""
    with eager(), changing(db, create=True) as connection:
        return ingest(begin_run(connection, jobs), places, named=True)


def same(db: Path, other: Path) -> bool:
    """Whether two indexes say the same."""
    return everything(db) == everything(other)


@settings(max_examples=12, deadline=None)
@given(files=trees())
def test_what_workers_read_is_what_the_run_would_have_read(
    tmp_path_factory: pytest.TempPathFactory, files: Files
) -> None:
    folder = tmp_path_factory.mktemp("made")
    root = folder / "root"
    root.mkdir()
    write_all(root, files)
    index(folder / "alone" / "index.db", root)
    index_by(folder / "helped" / "index.db", root, jobs=3)
    assert same(folder / "helped" / "index.db", folder / "alone" / "index.db")
    assert broken(folder / "helped" / "index.db") == {}


def test_conformance_cases_come_out_the_same(tmp_path: Path) -> None:
    for case in all_cases()[::8]:
        folder = case.write(tmp_path / case.name / "transcripts")
        alone, helped = tmp_path / case.name / "a.db", tmp_path / case.name / "b.db"
        index(alone, folder)
        index_by(helped, folder)
        assert same(alone, helped), case.name


def test_the_report_counts_what_workers_read(tmp_path: Path) -> None:
    root = tmp_path / "p"
    path = write(root / "s1.jsonl", line("u1"), "broken", line("u2"))
    write(root / "s2.jsonl", line("u3"))
    told = index_by(tmp_path / "i" / "index.db", root)
    assert (told.files["new"], told.lines_read, told.entries_added, told.malformed_lines) == (2, 4, 3, 1)
    assert told.bytes_read == path.stat().st_size + (root / "s2.jsonl").stat().st_size
    assert index_by(tmp_path / "i" / "index.db", root).run_id is None


def test_a_file_that_a_worker_cannot_open_is_told_and_the_others_are_read(tmp_path: Path) -> None:
    root, db = tmp_path / "p", tmp_path / "i" / "index.db"
    gone = write(root / "a.jsonl", line("u1"))
    write(root / "b.jsonl", line("u2"))
    start = workers._start  # noqa: SLF001

    def without(share: list[FoundFile]) -> object:
        gone.unlink(missing_ok=True)
        return start(share)

    with patch.object(workers, "_start", without):
        index_by(db, root)
    assert ask(db, "select kind, source_path, detail from v1_diagnostics") == [("unreadable", str(gone), "it vanished")]
    assert ask(db, "select uuid from v1_entries") == [("u2",)]


@pytest.mark.parametrize("size", [30, 3_000])
def test_a_lost_worker_costs_nothing_but_the_run(tmp_path: Path, size: int) -> None:
    root, db = tmp_path / "p", tmp_path / "i" / "index.db"
    for number in range(40):
        said = {"role": "user", "content": "word " * (size // 5)}  # the larger ones do not fit into a pipe
        write(
            root / f"s{number:02}.jsonl",
            *(line(f"u{number}-{n}", sessionId=f"s{number}", message=said) for n in range(30)),
        )
    index(db, root / "s00.jsonl")
    before = everything(db)
    start, started = workers._start, []  # noqa: SLF001
    ingest_new = file_changes._ingest_new  # noqa: SLF001

    def remembered(share: list[FoundFile]) -> object:
        started.append(start(share))
        return started[-1]

    def lose(run: Any, file: FoundFile, events: Any) -> None:
        if file.path.endswith("s20.jsonl"):
            started[0].process.kill()
        ingest_new(run, file, events)

    with (
        patch.object(workers, "_start", remembered),
        patch.object(file_changes, "_ingest_new", lose),
        pytest.raises(WorkerLost, match=r"ended with -9.*--jobs 0"),
    ):
        index_by(db, root, jobs=1)
    assert everything(db) == before
    assert index_by(db, root).entries_added == 39 * 30
    assert one(db, "select count(*) from v1_entries") == 1200


def test_a_bug_in_a_worker_is_told_by_the_run(tmp_path: Path) -> None:
    root, db = tmp_path / "p", tmp_path / "i" / "index.db"
    write(root / "s1.jsonl", line("u1"))
    start = workers._start  # noqa: SLF001

    def wrong(share: list[FoundFile]) -> object:
        return start([replace(file, info=replace(file.info, role="no role")) for file in share])  # type: ignore[arg-type]

    with patch.object(workers, "_start", wrong), pytest.raises(RuntimeError, match="has no attribute 'is_document'"):
        index_by(db, root)
    assert index_by(db, root).entries_added == 1


def test_a_worker_whose_run_was_killed_ends(tmp_path: Path) -> None:
    files = [
        FoundFile(str(path), str(path), PathInfo(FileRole.SESSION, "p", stem=path.stem), state_of(path.stat()))
        for path in (write(tmp_path / f"{number}.jsonl", line("u1")) for number in range(40))
    ]
    worker = workers._start(files)  # noqa: SLF001
    worker.results.close()
    worker.process.join(60)
    assert worker.process.exitcode == 0


def test_where_no_process_can_be_started_the_run_reads_by_itself(tmp_path: Path) -> None:
    root, db = tmp_path / "p", tmp_path / "i" / "index.db"
    write(root / "s1.jsonl", line("u1"))
    with patch("multiprocessing.popen_spawn_posix.Popen._launch", side_effect=PermissionError) as started:
        assert index_by(db, root).entries_added == 1
    assert started.called


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="asks /proc for the workers")
def test_an_interrupt_leaves_no_worker_behind(tmp_path: Path) -> None:
    root, db = tmp_path / "p", tmp_path / "i" / "index.db"
    bulk = {"role": "user", "content": "some words " * 400}
    for number in range(60):
        said = (line(f"u{number}-{n}", sessionId=f"s{number}", message=bulk) for n in range(60))
        write(root / f"s{number:02}.jsonl", *said)
    command = [sys.executable, "-m", "ccindex", "ingest", "--jobs", "2", "--db", str(db), str(root)]
    process = subprocess.Popen(command, start_new_session=True, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 60
    while len(children(process.pid)) < 3 and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.01)
    readers = children(process.pid)
    assert len(readers) == 3  # two that read, one that multiprocessing needs
    os.killpg(process.pid, signal.SIGINT)
    assert process.wait(60) in (130, -signal.SIGINT)
    # one that was just being started is not known to who was interrupted, and sees for itself that it is alone
    while any(Path(f"/proc/{child}").exists() for child in readers) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not any(Path(f"/proc/{child}").exists() for child in readers)
    with process:
        assert process.stderr is not None
        assert "Traceback" not in process.stderr.read()
    index(db, root)
    assert one(db, "select count(*) from v1_entries") == 3600
