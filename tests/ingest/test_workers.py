"""Worker processes give the same result as a run that reads all files itself, and never outlive their run."""

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
from ccindex.read.discovery import file_state
from ccindex.store.connection import changing
from tests.making.conformance import all_cases
from tests.making.files import Files, write, write_all
from tests.making.indexes import ask, broken, everything, index, one
from tests.making.processes import children
from tests.making.random_files import file_trees
from tests.making.transcripts import line


@contextmanager
def workers_for_small_files() -> Iterator[None]:
    """Use workers even for the smallest files."""
    with patch.object(workers, "MIN_PARALLEL_BYTES", 0):
        yield


def index_with_workers(db: Path, *folders: Path, jobs: int = 2) -> IngestReport:
    """Index with `jobs` workers."""
    with workers_for_small_files(), changing(db, create=True) as connection:
        return ingest(begin_run(connection, jobs), folders, must_exist=True)


def have_same_rows(db: Path, other: Path) -> bool:
    """Whether the views of two indexes have the same rows."""
    return everything(db) == everything(other)


@settings(max_examples=12, deadline=None)
@given(files=file_trees())
def test_workers_give_the_same_rows_as_a_single_process(tmp_path_factory: pytest.TempPathFactory, files: Files) -> None:
    folder = tmp_path_factory.mktemp("made")
    root = folder / "root"
    root.mkdir()
    write_all(root, files)
    index(folder / "serial" / "index.db", root)
    index_with_workers(folder / "parallel" / "index.db", root, jobs=3)
    assert have_same_rows(folder / "parallel" / "index.db", folder / "serial" / "index.db")
    assert broken(folder / "parallel" / "index.db") == {}


def test_workers_give_the_same_rows_for_conformance_cases(tmp_path: Path) -> None:
    for case in all_cases()[::8]:
        folder = case.write(tmp_path / case.name / "transcripts")
        serial, parallel = tmp_path / case.name / "a.db", tmp_path / case.name / "b.db"
        index(serial, folder)
        index_with_workers(parallel, folder)
        assert have_same_rows(serial, parallel), case.name


def test_report_includes_files_read_by_workers(tmp_path: Path) -> None:
    root = tmp_path / "p"
    path = write(root / "s1.jsonl", line("u1"), "broken", line("u2"))
    write(root / "s2.jsonl", line("u3"))
    report = index_with_workers(tmp_path / "i" / "index.db", root)
    assert (report.files["new"], report.lines_read, report.entries_added, report.malformed_lines) == (2, 4, 3, 1)
    assert report.bytes_read == path.stat().st_size + (root / "s2.jsonl").stat().st_size
    assert index_with_workers(tmp_path / "i" / "index.db", root).run_id is None


def test_unreadable_file_in_a_worker_is_reported_and_others_are_read(tmp_path: Path) -> None:
    root, db = tmp_path / "p", tmp_path / "i" / "index.db"
    gone = write(root / "a.jsonl", line("u1"))
    write(root / "b.jsonl", line("u2"))
    start = workers._start  # noqa: SLF001

    def delete_then_start(share: list[FoundFile]) -> object:
        gone.unlink(missing_ok=True)
        return start(share)

    with patch.object(workers, "_start", delete_then_start):
        index_with_workers(db, root)
    assert ask(db, "select kind, source_path, detail from v1_diagnostics") == [
        ("unreadable", str(gone), "it was deleted before it could be read")
    ]
    assert ask(db, "select uuid from v1_entries") == [("u2",)]


@pytest.mark.parametrize("size", [30, 3_000])
def test_lost_worker_fails_the_run_and_the_next_run_succeeds(tmp_path: Path, size: int) -> None:
    root, db = tmp_path / "p", tmp_path / "i" / "index.db"
    for number in range(40):
        message = {"role": "user", "content": "word " * (size // 5)}  # the larger texts do not fit into a pipe
        write(
            root / f"s{number:02}.jsonl",
            *(line(f"u{number}-{n}", sessionId=f"s{number}", message=message) for n in range(30)),
        )
    index(db, root / "s00.jsonl")
    before = everything(db)
    start, started = workers._start, []  # noqa: SLF001
    ingest_new = file_changes._ingest_new  # noqa: SLF001

    def record_start(share: list[FoundFile]) -> object:
        started.append(start(share))
        return started[-1]

    def kill_worker_then_ingest(run: Any, file: FoundFile, events: Any) -> None:
        if file.path.endswith("s20.jsonl"):
            started[0].process.kill()
        ingest_new(run, file, events)

    with (
        patch.object(workers, "_start", record_start),
        patch.object(file_changes, "_ingest_new", kill_worker_then_ingest),
        pytest.raises(WorkerLost, match=r"ended with exit code -9.*--jobs 0"),
    ):
        index_with_workers(db, root, jobs=1)
    assert everything(db) == before
    assert index_with_workers(db, root).entries_added == 39 * 30
    assert one(db, "select count(*) from v1_entries") == 1200


def test_exception_in_a_worker_is_raised_by_the_run(tmp_path: Path) -> None:
    root, db = tmp_path / "p", tmp_path / "i" / "index.db"
    write(root / "s1.jsonl", line("u1"))
    start = workers._start  # noqa: SLF001

    def start_with_wrong_role(share: list[FoundFile]) -> object:
        return start([replace(file, info=replace(file.info, role="no role")) for file in share])  # type: ignore[arg-type]

    with (
        patch.object(workers, "_start", start_with_wrong_role),
        pytest.raises(RuntimeError, match="has no attribute 'is_document'"),
    ):
        index_with_workers(db, root)
    assert index_with_workers(db, root).entries_added == 1


def test_worker_exits_when_its_run_is_killed(tmp_path: Path) -> None:
    files = [
        FoundFile(str(path), str(path), PathInfo(FileRole.SESSION, "p", stem=path.stem), file_state(path.stat()))
        for path in (write(tmp_path / f"{number}.jsonl", line("u1")) for number in range(40))
    ]
    worker = workers._start(files)  # noqa: SLF001
    worker.results.close()
    worker.process.join(60)
    assert worker.process.exitcode == 0


def test_run_reads_all_files_itself_if_no_process_can_be_started(tmp_path: Path) -> None:
    root, db = tmp_path / "p", tmp_path / "i" / "index.db"
    write(root / "s1.jsonl", line("u1"))
    with patch("multiprocessing.popen_spawn_posix.Popen._launch", side_effect=PermissionError) as started:
        assert index_with_workers(db, root).entries_added == 1
    assert started.called


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="needs /proc to find the workers")
def test_interrupt_leaves_no_worker_behind(tmp_path: Path) -> None:
    root, db = tmp_path / "p", tmp_path / "i" / "index.db"
    bulk = {"role": "user", "content": "some words " * 400}
    for number in range(60):
        lines = (line(f"u{number}-{n}", sessionId=f"s{number}", message=bulk) for n in range(60))
        write(root / f"s{number:02}.jsonl", *lines)
    command = [sys.executable, "-m", "ccindex", "ingest", "--jobs", "2", "--db", str(db), str(root)]
    process = subprocess.Popen(command, start_new_session=True, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 60
    while len(children(process.pid)) < 3 and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.01)
    readers = children(process.pid)
    assert len(readers) == 3  # two workers and multiprocessing's resource tracker
    os.killpg(process.pid, signal.SIGINT)
    assert process.wait(60) in (130, -signal.SIGINT)
    # the run does not kill a worker that is still starting, but the worker exits when it finds its pipe closed
    while any(Path(f"/proc/{child}").exists() for child in readers) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not any(Path(f"/proc/{child}").exists() for child in readers)
    with process:
        assert process.stderr is not None
        assert "Traceback" not in process.stderr.read()
    index(db, root)
    assert one(db, "select count(*) from v1_entries") == 3600
