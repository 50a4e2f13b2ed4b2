"""Unusual, malformed and changing files: what is recorded and which diagnostics are reported."""

import errno
import json
import os
import resource
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from ccindex.ingest import file_changes
from ccindex.model.events import Batch
from ccindex.read import source_reader
from ccindex.store.source_writer import SourceWriter
from tests.making.files import append, write
from tests.making.folders import ROOT
from tests.making.indexes import ask, broken, diagnostics, everything, findings, index, one, rebuild
from tests.making.transcripts import line


def test_boundary_keeps_its_logical_parent_and_repeated_history_is_not_duplicated(db: Path, project: Path) -> None:
    meta = {"trigger": "auto", "preTokens": 167094}
    boundary = line(
        "b1",
        type="system",
        subtype="compact_boundary",
        content="Conversation compacted",
        message=None,
        logicalParentUuid="not-here",
        compactMetadata=meta,
    )
    write(project / "s1.jsonl", line("u1"), boundary, line("u1"), line("u1"))
    index(db, project)
    assert ask(
        db, "select kind, recorded_parent_uuid, logical_parent_uuid, text from v1_entries where uuid = 'b1'"
    ) == [("boundary", None, "not-here", "Conversation compacted")]
    assert ask(db, "select compact_trigger, compact_pre_tokens from v1_system_events") == [("auto", 167094)]
    assert ask(db, "select kind, state from v1_edges") == [("logical", "ghost")]
    assert ask(db, "select line_no, is_owner from v1_occurrences where uuid = 'u1'") == [(1, 1), (3, 0), (4, 0)]


def test_two_objects_on_one_line_are_both_recorded_with_their_offsets(db: Path, project: Path) -> None:
    path = write(project / "s1.jsonl", line("u1") + line("u2", parent="u1"), line("u3", parent="u2"))
    index(db, project)
    assert diagnostics(db) == [("two-objects-on-a-line", 1)]
    data = path.read_bytes()
    for uuid, line_no, offset, length in ask(db, "select uuid, line_no, byte_offset, byte_length from v1_occurrences"):
        assert json.loads(data[offset : offset + length])["uuid"] == uuid
        assert line_no == (2 if uuid == "u3" else 1)


def test_all_copies_are_recorded_and_one_is_the_owner(db: Path, project: Path) -> None:
    write(project / "s1.jsonl", line("u1", slug="one"))
    write(project / "s2.jsonl", line("u1", sessionId="s2", slug="two"), line("u1", slug="one"))
    index(db, project)
    assert ask(db, "select uuid, slug, session_id from v1_entries") == [("u1", "one", "s1")]
    assert one(db, "select count(*) from v1_occurrences where uuid = 'u1'") == 3
    assert broken(db) == {}


def test_all_streaming_snapshots_of_a_response_are_recorded(db: Path, project: Path) -> None:
    def snapshot(uuid: str, tokens: int, stop: str | None) -> str:
        message: dict[str, object] = {
            "id": "msg_1",
            "model": "claude-x",
            "stop_reason": stop,
            "content": [],
            "usage": {"output_tokens": tokens},
        }
        return line(uuid, type="assistant", message=message, requestId=None)

    write(project / "s1.jsonl", snapshot("a1", 3, None), snapshot("a2", 250, "end_turn"))
    index(db, project)
    assert ask(db, "select uuid, message_id, output_tokens, stop_reason, request_id from v1_messages order by 1") == [
        ("a1", "msg_1", 3, None, None),
        ("a2", "msg_1", 250, "end_turn", None),
    ]


def test_timestamps_may_be_equal_missing_or_out_of_order(db: Path, project: Path) -> None:
    write(
        project / "s1.jsonl",
        line("u1", timestamp="2026-03-01T09:00:05Z"),
        line("u2", timestamp="2026-03-01T09:00:01.123456Z"),
        line("u3", timestamp="2026-03-01T09:00:01.123Z"),
        line("u4", timestamp=None),
    )
    index(db, project)
    assert ask(db, "select uuid, timestamp_ms % 100000 from v1_entries order by 1") == [
        ("u1", 5000),
        ("u2", 1123),
        ("u3", 1123),
        ("u4", 1123),
    ]


def test_parents_may_be_missing_follow_their_child_or_form_a_cycle(db: Path, project: Path) -> None:
    write(
        project / "s1.jsonl",
        line("u1", parent="nowhere"),
        line("u2", parent="u3"),
        line("u3", parent="u2"),
        line("u4", parent="u4"),
        line("u5", parent="later"),
        line("later"),
    )
    index(db, project)
    assert ask(db, "select child_uuid, parent_uuid, state from v1_edges order by 1") == [
        ("u1", "nowhere", "ghost"),
        ("u2", "u3", "cut"),
        ("u3", "u2", "resolved"),
        ("u4", "u4", "cut"),
        ("u5", "later", "resolved"),
    ]
    kinds = [("cycle-cut", "u2"), ("cycle-cut", "u4"), ("orphan-parent", "u1")]
    assert [row for row in findings(db) if row[0] != "unexpected-root"] == kinds


MEASURE_MEMORY = """
import resource, sys
from pathlib import Path
from tests.making.indexes import index
report = index(Path(sys.argv[1]), Path(sys.argv[2]))
status = Path("/proc/self/status")  # getrusage would include the peak of the parent process
if status.exists():
    [peak] = [int(line.split()[1]) for line in status.read_text().splitlines() if line.startswith("VmHWM")]
else:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
print(report.entries_added, peak // 1024)
"""


def test_50_mb_line_and_long_chain_are_indexed_with_limited_memory(db: Path, project: Path) -> None:
    long = line("u2", parent="u1", message={"role": "user", "content": "word " * 10_000_000})
    path = write(project / "s1.jsonl", line("u1"), long, line("u3", parent="u2"))
    write(
        project / "s2.jsonl", *(line(f"c{n}", parent=f"c{n - 1}" if n else None, sessionId="s2") for n in range(20_000))
    )
    process = subprocess.run(
        [sys.executable, "-c", MEASURE_MEMORY, db, project],
        check=True,
        capture_output=True,
        text=True,
        cwd=ROOT,
    )
    added, megabytes = map(int, process.stdout.split())
    assert added == 20_003
    assert megabytes < 500  # ten times the length of the line
    assert one(db, "select length(text) from v1_entries where uuid = 'u2'") == 50_000_000
    assert ask(db, "select line_no from v1_occurrences where source_path = ?", str(path)) == [(1,), (2,), (3,)]
    assert diagnostics(db) == []


def test_invalid_bytes_and_json_are_reported(db: Path, project: Path) -> None:
    write(
        project / "s1.jsonl",
        b"\xef\xbb\xbf" + line("bom").encode(),
        line("nul", message={"content": "a\0b"}),
        line("surrogate").replace("say ", "\\ud83d"),
        line("latin").encode().replace(b"say ", b"\xff"),
        line("raw-nul").encode().replace(b"say ", b"\0"),
        line("nan").replace('"2.1.200"', "NaN"),
        line("deep").replace('"/w"', "[" * 3000 + "]" * 3000),
        b"\0\0\0\0",
        b"not json",
        line("last"),
    )
    index(db, project)
    assert diagnostics(db) == [
        ("lenient-line", 1),
        ("lenient-line", 3),
        ("lenient-line", 4),
        ("lenient-line", 5),
        ("lenient-line", 6),
        ("lenient-line", 7),
        ("malformed-line", 8),
        ("malformed-line", 9),
        ("nul-character", 2),
        ("nul-character", 5),
    ]
    assert ask(db, "select uuid, text from v1_entries order by line_no") == [
        ("bom", "say bom"),
        ("nul", "a\0b"),
        ("surrogate", "\ufffdsurrogate"),
        ("latin", "\ufffdlatin"),
        ("raw-nul", "\0raw-nul"),
        ("nan", "say nan"),
        ("deep", "say deep"),
        ("last", "say last"),
    ]
    assert ask(db, "select malformed_lines, lines from v1_sources") == [(2, 10)]
    assert broken(db) == {}
    snapshot = everything(db)
    rebuild(db)
    assert everything(db) == snapshot


def test_windows_line_endings_are_reported_once(db: Path, project: Path) -> None:
    path = write(project / "s1.jsonl", line("u1"), line("u2"), end="\r\n")
    index(db, project)
    append(path, line("u3") + "\r\n")
    index(db, project)
    assert diagnostics(db) == [("crlf", 1)]
    assert ask(db, "select line_no, byte_length from v1_occurrences") == [(n, len(line("u1"))) for n in (1, 2, 3)]


def test_empty_file_is_a_source_and_is_reported_until_it_grows(db: Path, project: Path) -> None:
    path = write(project / "s1.jsonl")
    index(db, project)
    assert ask(db, "select kind, source_path from v1_diagnostics") == [("empty-source", str(path))]
    assert index(db, project).run_id is None
    append(path, line("u1") + "\n")
    assert index(db, project).files["appended"] == 1
    assert diagnostics(db) == []


def test_folder_named_like_a_transcript_is_reported(db: Path, project: Path) -> None:
    write(project / "x.jsonl" / "s1.jsonl", line("u1"))
    index(db, project)
    assert ask(db, "select kind, source_path, detail from v1_diagnostics") == [
        ("not-a-file", str(project / "x.jsonl"), "a folder")
    ]
    assert one(db, "select count(*) from v1_entries") == 1


def test_file_deleted_before_it_is_opened_is_reported_and_others_are_read(
    db: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deleted = write(project / "a.jsonl", line("u1"))
    write(project / "b.jsonl", line("u2"))
    ingest_new = file_changes.ingest_new

    def delete_then_ingest(*args: Any) -> None:
        deleted.unlink(missing_ok=True)
        ingest_new(*args)

    monkeypatch.setattr(file_changes, "ingest_new", delete_then_ingest)
    index(db, project)
    assert ask(db, "select kind, source_path, detail from v1_diagnostics") == [
        ("unreadable", str(deleted), "it was deleted before it could be read")
    ]
    assert ask(db, "select uuid from v1_entries") == [("u2",)]
    monkeypatch.undo()
    index(db, project)
    assert diagnostics(db) == []


@pytest.mark.parametrize("change", ["unlink", "truncate"])
def test_file_may_be_deleted_or_shrink_while_it_is_read(
    db: Path, project: Path, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    bulk = {"role": "user", "content": "x" * 600_000}
    path = write(project / "a.jsonl", *(line(f"u{n}", message=bulk) for n in range(6)))
    write(project / "b.jsonl", line("other"))
    size = path.stat().st_size
    read = source_reader.read_exactly
    calls: list[int] = []

    def change_then_read(file: object, count: int) -> bytes:
        calls.append(count)
        if len(calls) == 2:
            path.unlink() if change == "unlink" else os.truncate(path, size // 2 + 100)
        return read(file, count)  # type: ignore[arg-type]

    monkeypatch.setattr(source_reader, "CHUNK_BYTES", 1 << 20)
    monkeypatch.setattr(source_reader, "read_exactly", change_then_read)
    index(db, project)
    monkeypatch.undo()
    entries = 7 if change == "unlink" else 4
    assert one(db, "select count(*) from v1_entries") == entries
    assert broken(db) == {}
    index(db, project)
    assert one(db, "select count(*) from v1_entries") == entries
    kinds = {kind for kind, _ in diagnostics(db)}
    assert kinds == ({"source-missing"} if change == "unlink" else {"torn-tail"})


def test_other_os_errors_are_not_reported_as_unreadable_files(
    db: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(project / "a.jsonl", line("u1"))
    write(project / "b.jsonl", line("u2"))

    def raise_error(*_: object) -> None:
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setitem(SourceWriter._APPLY, Batch, raise_error)  # noqa: SLF001
    with pytest.raises(OSError, match="Too many open files"):
        index(db, project)
    monkeypatch.undo()
    index(db, project)
    assert ask(db, "select uuid from v1_entries order by 1") == [("u1",), ("u2",)]
    assert diagnostics(db) == []


def test_read_error_in_the_middle_of_a_file_keeps_the_entries_read_so_far(
    db: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bulk = {"role": "user", "content": "x" * 600_000}
    path = write(project / "a.jsonl", *(line(f"u{n}", message=bulk) for n in range(6)))
    write(project / "b.jsonl", line("other"))
    read = source_reader.read_exactly

    def raise_error(file: object, count: int) -> bytes:
        if getattr(file, "name", "") == str(path) and file.tell() >= 2 << 20:  # type: ignore[attr-defined]
            raise source_reader.Unreadable(5, "Input/output error")
        return read(file, count)  # type: ignore[arg-type]

    monkeypatch.setattr(source_reader, "CHUNK_BYTES", 1 << 20)
    monkeypatch.setattr(source_reader, "read_exactly", raise_error)
    index(db, project)
    rows = ask(db, "select kind, source_path, detail from v1_diagnostics where kind = 'unreadable'")
    assert rows == [("unreadable", str(path), "Input/output error")]
    assert one(db, "select count(*) from v1_entries") == 4
    assert broken(db) == {}
    monkeypatch.undo()
    index(db, project)
    assert one(db, "select count(*) from v1_entries") == 7
    assert diagnostics(db) == []


def test_growing_file_is_read_up_to_its_size_when_opened(db: Path, project: Path) -> None:
    path = write(project / "s1.jsonl", line("u0"))
    stop = threading.Event()

    def grow() -> None:
        number = 1
        while not stop.is_set():
            append(path, line(f"u{number}", parent=f"u{number - 1}") + "\n")
            number += 1
            time.sleep(0.001)  # appends more slowly than the run reads

    writer = threading.Thread(target=grow)
    writer.start()
    try:
        for _ in range(15):
            index(db, project)
            assert broken(db) == {}
    finally:
        stop.set()
        writer.join()
    index(db, project)
    clean = db.with_name("clean.db")
    index(clean, project)
    assert everything(db) == everything(clean)


def test_number_of_files_may_exceed_the_limit_on_open_files(db: Path, project: Path) -> None:
    for number in range(300):
        write(project / f"s{number}.jsonl", line(f"u{number}"))
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (64, hard))
    try:
        index(db, project)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert one(db, "select count(*) from v1_entries") == 300
