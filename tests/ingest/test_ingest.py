"""Ingest runs: what they record, what they count, and how they continue after changes and interruptions."""

import hashlib
import json
import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from ccindex import __version__
from ccindex.errors import NoSuchPath
from ccindex.ingest import run as run_module
from ccindex.model.events import Batch
from ccindex.read import source_reader
from ccindex.store.connection import HEAD
from ccindex.store.entry_writer import Added, EntryWriter
from tests.making.files import append, write
from tests.making.indexes import ask, broken, diagnostics, everything, index, one, rebuild
from tests.making.transcripts import line


def files_in(folder: Path) -> dict[str, str]:
    return {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir() if path.suffix != ".lock"
    }


def test_every_object_is_an_occurrence_and_every_uuid_is_an_entry(db: Path, project: Path) -> None:
    path = write(
        project / "s1.jsonl", line("u1"), '{"type":"summary","summary":"x","leafUuid":"u1"}', line("u2", parent="u1")
    )
    report = index(db, project)
    assert (report.run_id, report.status, report.entries_added, report.lines_read) == (1, "ok", 2, 3)
    assert report.files == {"seen": 1, "new": 1, "appended": 0, "rewritten": 0, "unchanged": 0, "missing": 0}
    size = len(line("u1"))
    assert ask(
        db,
        "select uuid, session_id, source_path, line_no, byte_offset, byte_length, type, is_owner, is_current "
        "from v1_occurrences order by line_no",
    ) == [
        ("u1", "s1", str(path), 1, 0, size, "user", 1, 1),
        (None, "s1", str(path), 2, size + 1, 48, "summary", 0, 1),
        ("u2", "s1", str(path), 3, size + 50, len(line("u2", parent="u1")), "user", 1, 1),
    ]
    assert ask(
        db, "select uuid, recorded_parent_uuid, parent_uuid, text, project, cwd from v1_entries order by uuid"
    ) == [
        ("u1", None, None, "say u1", "-w", "/w"),
        ("u2", "u1", "u1", "say u2", "-w", "/w"),
    ]
    assert ask(db, "select kind, state, size, indexed_bytes, lines, malformed_lines from v1_sources") == [
        ("session", "present", path.stat().st_size, path.stat().st_size, 3, 0)
    ]
    assert ask(db, "select session_id, leaf_uuid, text, kind from v1_summaries") == [("s1", "u1", "x", "summary")]
    assert broken(db) == {}


def test_second_run_reads_and_writes_nothing(db: Path, project: Path) -> None:
    write(project / "s1.jsonl", line("u1"))
    (project / "x.jsonl").mkdir()
    index(db, project)
    before = files_in(db.parent)
    report = index(db, project)
    assert (report.run_id, report.bytes_read, report.files["unchanged"]) == (None, 0, 1)
    assert files_in(db.parent) == before
    assert one(db, "select count(*) from v1_ingest_runs") == 1


def test_touched_but_unchanged_file_is_compared_once_and_no_run_is_recorded(db: Path, project: Path) -> None:
    path = write(project / "s1.jsonl", line("u1"))
    index(db, project)
    os.utime(path, ns=(1, 1))
    snapshot = everything(db)
    report = index(db, project)
    assert (report.run_id, report.files["unchanged"]) == (None, 1)
    assert report.bytes_read > 0
    assert index(db, project).bytes_read == 0
    assert everything(db) == snapshot


def test_appended_line_is_indexed_by_reading_a_few_kilobytes(db: Path, project: Path) -> None:
    path = write(project / "s1.jsonl", *(line(f"u{n}") for n in range(4000)))
    index(db, project)
    added = line("new", parent="u3999") + "\n"
    append(path, added)
    report = index(db, project)
    assert (report.files["appended"], report.lines_read, report.entries_added) == (1, 1, 1)
    # first and last bytes are hashed before and after
    assert report.bytes_read <= len(added) + 4 * 4096
    assert broken(db) == {}


def test_line_written_in_two_parts_is_indexed_once(db: Path, project: Path) -> None:
    whole = line("u2", parent="u1")
    path = write(project / "s1.jsonl", line("u1"))
    append(path, whole[:40])
    index(db, project)
    assert diagnostics(db) == [("torn-tail", 2)]
    assert ask(db, "select size - indexed_bytes, lines from v1_sources") == [(40, 2)]
    append(path, whole[40:])
    assert index(db, project).entries_added == 1
    assert ask(db, "select uuid, line_no, byte_length from v1_occurrences") == [
        ("u1", 1, len(line("u1"))),
        ("u2", 2, len(whole)),
    ]
    assert diagnostics(db) == []
    append(path, "\n")
    assert index(db, project).entries_added == 0
    assert one(db, "select count(*) from v1_occurrences") == 2


def test_deleted_source_is_kept_and_is_present_again_when_it_returns(db: Path, project: Path) -> None:
    path, other = write(project / "s1.jsonl", line("u1")), write(project / "s2.jsonl", line("u2", sessionId="s2"))
    index(db, project)
    snapshot = everything(db, ignore=["v1_sources", "v1_diagnostics"])
    data = path.read_bytes()
    path.unlink()
    report = index(db, project)
    assert (report.files["missing"], report.run_id) == (1, 2)
    assert ask(db, "select path, state from v1_sources") == [(str(path), "missing"), (str(other), "present")]
    assert ask(db, "select kind, source_path from v1_diagnostics") == [("source-missing", str(path))]
    assert everything(db, ignore=["v1_sources", "v1_diagnostics"]) == snapshot
    assert index(db, project).run_id is None
    path.write_bytes(data)
    assert index(db, project).files["missing"] == 0
    assert one(db, "select group_concat(state) from v1_sources") == "present,present"
    assert everything(db, ignore=["v1_sources", "v1_diagnostics"]) == snapshot


def test_only_files_below_the_given_folders_can_become_missing(db: Path, project: Path) -> None:
    first_file, second_file = (
        write(project / "a" / "s1.jsonl", line("u1")),
        write(project / "b" / "s2.jsonl", line("u2")),
    )
    index(db, project)
    first_file.unlink()
    second_file.unlink()
    index(db, project / "a")
    assert ask(db, "select state from v1_sources order by path") == [("missing",), ("present",)]


def test_linked_files_are_recorded_with_their_own_paths(db: Path, project: Path, tmp_path: Path) -> None:
    file = write(tmp_path.resolve() / "far" / "s1.jsonl", line("u1"))
    folder = write(tmp_path.resolve() / "away" / "s2.jsonl", line("u2")).parent
    (project / "linked.jsonl").symlink_to(file)
    (project / "linked").symlink_to(folder)
    assert index(db, project).files["new"] == 2
    assert index(db, project).run_id is None
    assert ask(db, "select path from v1_sources") == [(str(folder / "s2.jsonl"),), (str(file),)]
    append(file, line("u3") + "\n")
    (folder / "s2.jsonl").unlink()
    report = index(db, project)
    assert (report.files["appended"], report.files["missing"]) == (1, 1)


def test_missing_path_is_an_error_unless_the_index_has_files_from_there(db: Path, project: Path) -> None:
    path = write(project / "s1.jsonl", line("u1"))
    index(db, path)
    path.unlink()
    assert index(db, path).files["missing"] == 1
    with pytest.raises(NoSuchPath, match="the index has no files under it"):
        index(db, project / "never")
    assert index(db, project).status == "ok"


def test_all_kinds_of_files_are_sources(db: Path, project: Path) -> None:
    write(project / "s1.jsonl", line("u1"))
    write(project / "agent-old.jsonl", line("g1", isSidechain=True, agentId="old"))
    agents = project / "s1" / "subagents"
    write(agents / "agent-a1.jsonl", line("g2", isSidechain=True))
    write(agents / "agent-a1.meta.json", '{\n "agentType": "Explore",\n "description": "d", "toolUseId": "t1"\n}')
    write(agents / "workflows" / "wf1" / "agent-w1.jsonl", line("g3", sessionId=None))
    write(agents / "workflows" / "wf1" / "journal.jsonl", '{"type":"started","agentId":"w1"}')
    write(project / "s1" / "workflows" / "wf1.json", '{"runId":"wf1"}')
    write(project / "s1" / "tool-results" / "out.txt", "not a transcript")
    write(project / "s1" / "tool-results" / "rows.jsonl", line("no"))
    write(project / "README.md", "left alone")
    assert index(db, project).files["seen"] == 9
    assert ask(db, "select replace(path, ?, ''), kind, project from v1_sources order by 1", f"{project}/") == [
        ("agent-old.jsonl", "agent", "-w"),
        ("s1.jsonl", "session", "-w"),
        ("s1/subagents/agent-a1.jsonl", "agent", "-w"),
        ("s1/subagents/agent-a1.meta.json", "other", "-w"),
        ("s1/subagents/workflows/wf1/agent-w1.jsonl", "agent", "-w"),
        ("s1/subagents/workflows/wf1/journal.jsonl", "workflow", "-w"),
        ("s1/tool-results/out.txt", "other", "-w"),
        ("s1/tool-results/rows.jsonl", "other", "-w"),
        ("s1/workflows/wf1.json", "workflow", "-w"),
    ]
    assert ask(db, "select uuid, session_id, agent_id from v1_entries order by uuid") == [
        ("g1", "s1", "old"),
        ("g2", "s1", "a1"),
        ("g3", "s1", "w1"),
        ("u1", "s1", None),
    ]
    assert ask(db, "select agent_id, agent_type, description, tool_use_id from v1_sidecars order by 1") == [
        (None, None, None, None),
        ("a1", "Explore", "d", "t1"),
    ]
    assert broken(db) == {}


def test_latest_complete_json_of_a_sidecar_is_used(db: Path, project: Path) -> None:
    path = project / "s1" / "subagents" / "agent-a1.meta.json"
    for text, agent_type in [
        ('{"agentType": "one"}', "one"),
        ('{"agentType": "tw', "one"),
        ('{"agentType": "two"}', "two"),
        ("", "two"),
        ('{"agentType": "three", "more": 1}', "three"),
    ]:
        write(path, text, end="")
        index(db, project)
        assert one(db, "select agent_type from v1_sidecars") == agent_type
    assert one(db, "select group_concat(kind) from v1_diagnostics") is None
    rebuild(db)
    assert one(db, "select agent_type from v1_sidecars") == "three"


def test_full_finds_a_change_that_kept_size_and_mtime(db: Path, project: Path) -> None:
    path = write(project / "s1.jsonl", line("u1"), *(line(f"m{n}") for n in range(100)), line("u2"))
    index(db, project)
    assert index(db, project, full=True).run_id is None
    data, status = path.read_bytes(), path.stat()
    offset = data.index(b"say m50")
    with path.open("r+b") as file:
        file.seek(offset)
        file.write(b"SAY")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert index(db, project).run_id is None
    assert index(db, project, full=True).files["rewritten"] == 1
    assert one(db, "select text from v1_entries where uuid = 'm50'") == "SAY m50"


def test_large_run_is_committed_in_batches(db: Path, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source_reader, "CHUNK_BYTES", 1 << 20)
    monkeypatch.setattr(run_module, "COMMIT_BYTES", 1)
    monkeypatch.setattr(source_reader, "CHECKPOINT_BYTES", 1)
    bulk = {"role": "user", "content": "x" * 700_000}
    for name in ("s1", "s2"):
        write(
            project / f"{name}.jsonl",
            *(line(f"{name}-{n}", sessionId=name, message=bulk) for n in range(6)),
            line("both", sessionId=name),
        )
    report = index(db, project)
    assert one(db, "select status from v1_ingest_runs") == "ok"
    assert (report.entries_added, broken(db)) == (13, {})
    snapshot = everything(db)
    clean = db.with_name("clean.db")
    monkeypatch.undo()
    index(clean, project)
    assert everything(clean) == snapshot


def test_interrupted_run_leaves_complete_batches_and_the_next_run_continues(
    db: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source_reader, "CHUNK_BYTES", 1 << 20)
    monkeypatch.setattr(run_module, "COMMIT_BYTES", 1)
    monkeypatch.setattr(source_reader, "CHECKPOINT_BYTES", 1)
    bulk = {"role": "user", "content": "x" * 700_000}
    path = write(project / "s1.jsonl", *(line(f"u{n}", message=bulk) for n in range(6)))
    commit = run_module.IngestRun.commit
    commits: list[str] = []

    def stop_at_third_commit(self: run_module.IngestRun, status: str) -> None:
        commits.append(status)
        if len(commits) == 3:
            raise KeyboardInterrupt
        commit(self, status)

    monkeypatch.setattr(run_module.IngestRun, "commit", stop_at_third_commit)
    with pytest.raises(KeyboardInterrupt):
        index(db, project)
    monkeypatch.undo()
    assert ask(db, "select status, bytes_read > 0 from v1_ingest_runs") == [("interrupted", 1)]
    assert broken(db) == {}
    assert 0 < one(db, "select count(*) from v1_entries") < 6
    report = index(db, project)
    assert report.files["appended"] == 1
    assert report.bytes_read < path.stat().st_size
    assert one(db, "select count(*) from v1_entries") == 6
    assert broken(db) == {}


def test_killed_run_is_marked_as_interrupted_by_the_next_run(db: Path, project: Path) -> None:
    write(project / "s1.jsonl", line("u1"))
    index(db, project)
    with closing(sqlite3.connect(db)) as connection, connection:
        connection.execute("update ingest_runs set status = 'running', finished_at = null")
    index(db, project)
    assert one(db, "select status from v1_ingest_runs") == "interrupted"


def test_revision_increases_with_every_run_that_changes_something(db: Path, project: Path) -> None:
    path = write(project / "s1.jsonl", line("u1"))
    index(db, project)
    index(db, project)
    append(path, line("u2") + "\n")
    index(db, project)
    assert dict(ask(db, "select key, value from v1_meta")) == {
        "schema_version": HEAD,
        "views_version": "1",
        "ccindex_version": __version__,
        "revision": "2",
    }
    assert ask(db, "select uuid, revision from v1_entries order by 1") == [("u1", 1), ("u2", 2)]


def test_entry_has_the_revision_of_its_last_visible_change(db: Path, project: Path) -> None:
    write(project / "far.jsonl", line("far", sessionId="s7"))
    path = write(project / "file.jsonl", line("c1", parent="p1", sessionId=None, timestamp=None), line("other"))
    index(db, project)
    query = "select uuid, revision, parent_uuid, position from v1_entries order by 1"
    assert ask(db, query) == [("c1", 1, None, 0), ("far", 1, None, 0), ("other", 1, None, 1)]
    append(path, line("p1") + "\n")
    index(db, project)
    assert ask(db, query) == [("c1", 2, "p1", 1), ("far", 1, None, 0), ("other", 2, None, 2), ("p1", 2, None, 0)]
    other_file = write(project / "later.jsonl", line("l1", sessionId=None, timestamp=None))
    index(db, project)
    append(other_file, line("l2", sessionId="s9", timestamp="2026-05-01T00:00:00Z") + "\n")
    index(db, project)
    assert ask(db, "select uuid, revision, session_id from v1_entries where uuid = 'l1'") == [("l1", 4, "s9")]


def test_diagnostic_of_a_linked_file_is_recorded_once_and_removed_later(
    db: Path, project: Path, tmp_path: Path
) -> None:
    outside = tmp_path.resolve() / "outside.jsonl"
    os.mkfifo(outside)
    (project / "linked.jsonl").symlink_to(outside)
    index(db, project)
    assert index(db, project).run_id is None
    assert ask(db, "select kind, source_path from v1_diagnostics") == [("not-a-file", str(outside))]
    outside.unlink()
    write(outside, line("u1"))
    index(db, project)
    assert ask(db, "select kind from v1_diagnostics") == []


def test_small_objects_are_written_in_small_batches(db: Path, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    add = EntryWriter.add
    sizes: list[int] = []

    def record_size(self: EntryWriter, batch: Batch, entries: list[int]) -> Added:
        sizes.append(len(batch.occurrences))
        return add(self, batch, entries)

    monkeypatch.setattr(EntryWriter, "add", record_size)
    write(project / "s1.jsonl", "{}" * 12_000, *["{}"] * 12_000)
    index(db, project)
    assert sum(sizes) == one(db, "select count(*) from v1_occurrences") == 24_000
    assert max(sizes) <= 5_000


def test_rebuild_gives_the_same_rows_without_source_files(db: Path, project: Path) -> None:
    path = write(
        project / "s1.jsonl", line("u1"), "broken", '{"type":"mode","mode":"plan"}', line("u2")[:30], end="\r\n"
    )
    write(project / "agent-a.jsonl", line("u1"), line("g1", timestamp=None))
    index(db, project)
    write(path, line("u1"), line("u3"))
    index(db, project)
    path.unlink()
    index(db, project)
    snapshot = everything(db)
    rebuild(db)
    assert everything(db) == snapshot
    assert broken(db) == {}
    assert index(db, project).run_id is None


def test_rows_from_an_older_decoder_are_rebuilt_without_source_files(db: Path, project: Path) -> None:
    path = write(project / "s1.jsonl", line("u1"), line("u2"))
    index(db, project)
    snapshot = everything(db)
    with closing(sqlite3.connect(db)) as connection, connection:
        connection.execute("update blocks set text = 'written by an older version'")
        connection.execute("update meta set value = '0' where key = 'decode_version'")
    path.unlink()
    report = index(db, project.parent / "-w")
    assert report.bytes_read == 0
    assert everything(db, ignore=["v1_sources", "v1_diagnostics"]) == {
        view: rows for view, rows in snapshot.items() if view not in ("v1_sources", "v1_diagnostics")
    }


def test_drift_has_a_count_and_the_first_location(db: Path, project: Path) -> None:
    write(project / "b.jsonl", line("u1", novel=1), line("u2", type="novelty"))
    path = write(project / "a.jsonl", line("v0"), line("v1", novel=2))
    index(db, project)
    append(path, line("v2", novel=3) + "\n")
    index(db, project)
    assert ask(
        db, "select kind, name, type, version, count, first_source_path, first_line_no from v1_drift order by 1"
    ) == [
        ("key", "novel", "user", "2.1.200", 3, str(path), 2),
        ("type", "novelty", "novelty", "2.1.200", 1, str(project / "b.jsonl"), 2),
    ]
    assert ask(db, "select kind, line_no, detail from v1_diagnostics where uuid is null") == [
        ("unknown-type", 2, "novelty, 1 times in 2.1.200")
    ]


def test_images_are_only_in_the_archive(db: Path, project: Path) -> None:
    data = "iVBORw0KGgo" * 300
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}}
    result = {"type": "tool_result", "tool_use_id": "t", "content": [image]}
    write(
        project / "s1.jsonl",
        line(
            "u1",
            message={"role": "user", "content": [image, result]},
            toolUseResult={"type": "image", "file": {"base64": data}},
        ),
        json.dumps({"type": "queue-operation", "sessionId": "s1", "content": [image]}),
        line("u2", type="attachment", message=None, attachment={"type": "file", "content": image}),
    )
    index(db, project)
    for view, rows in everything(db).items():
        assert data[:200] not in repr(rows), view
    assert ask(db, "select type, media_type, byte_size from v1_blocks order by idx") == [
        ("image", "image/png", len(data)),
        ("tool_result", "image/png", len(data)),
    ]
