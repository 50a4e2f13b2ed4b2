"""Forgotten sessions leave no trace in the index and are not indexed again. All other rows stay the same."""

import hashlib
import os
import random
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ccindex.ingest import run
from ccindex.maintain.forget import ForgetPlan, allow, finish_forgetting, forget, plan_forget
from ccindex.maintain.restore import restore
from ccindex.model.sources import Redaction, Tombstone, TombstoneKind, blank_out
from ccindex.store.connection import changing, reading
from ccindex.store.sources import add_tombstones, is_scrub_due
from tests.making.advice import advice_on
from tests.making.files import append, write, write_all
from tests.making.hypothesis_settings import examples
from tests.making.indexes import ask, broken, differences, everything, index, one, rebuild, terms, tombstones
from tests.making.transcripts import assistant, line, tool_result, tool_use, user
from tests.reference.random_projects import projects

CANARY = "zanzibar"  # occurs in every kind of text in a forgotten session


def session(name: str) -> Tombstone:
    return Tombstone(TombstoneKind.SESSION, name)


def project_of(name: str) -> Tombstone:
    return Tombstone(TombstoneKind.PROJECT, name)


def forget_all(db: Path, *tombstones: Tombstone) -> ForgetPlan:
    """Forget the given sessions and projects in this process, including the final scrub."""
    with changing(db, create=False) as connection:
        planned = plan_forget(connection, tombstones)
        forget(connection, planned)
        assert finish_forgetting(connection)
    return planned


def allow_again(db: Path, *tombstones: Tombstone) -> None:
    with changing(db, create=False) as connection:
        allow(connection, tombstones)


def restore_all(db: Path, out: Path) -> dict[str, bytes]:
    with reading(db) as connection:
        files, damaged = restore(connection, out, requested_path=None, generation=None, force=False)
    assert not damaged
    return {file.path: out.joinpath(*Path(file.path).parts[1:]).read_bytes() for file in files}


def write_full_session(project: Path, name: str, word: str) -> None:
    """Write a session with text in all kinds of entries, records and files."""
    keys: dict[str, Any] = {"sessionId": name}
    write(
        project / f"{name}.jsonl",
        user(f"{name}-1", 1, f"please {word}", cwd=f"/home/{word}", gitBranch=f"b-{word}", **keys),
        assistant(f"{name}-2", 2, tool_use(f"t-{name}", "Task", prompt=word, file_path=f"/w/{word}"), **keys),
        user(f"{name}-3", 3, tool_result(f"t-{name}", f"done {word}"), toolUseResult={"stdout": word}, **keys),
        line(type="custom-title", customTitle=f"about {word}", **keys),
        line(type="queue-operation", operation="enqueue", content=word, **keys),
        f'{{"broken": "{word}',
        "not json " + word,
    )
    session_folder = project / name
    write(
        session_folder / "subagents" / "agent-x1.jsonl",
        user(f"{name}-a", 4, word, agentId="x1", isSidechain=True, **keys),
    )
    write(session_folder / "subagents" / "agent-x1.meta.json", f'{{"agentType": "{word}", "toolUseId": "t-{name}"}}')
    write(session_folder / "tool-results" / f"t-{name}.txt", word)
    write(project / f"agent-{name}.jsonl", user(f"{name}-b", 5, word, agentId=name, isSidechain=True, **keys))
    write(project / f"agent-{name}.meta.json", f'{{"agentType": "{word}"}}')


def views_without_tombstones(db: Path) -> dict[str, list[tuple[Any, ...]]]:
    """Return the rows of all views except v1_forgotten."""
    return everything(db) | {"v1_forgotten": []}


def files_containing(db: Path, word: str) -> list[str]:
    """Return the names of the files next to an index that contain the given word."""
    return [path.name for path in db.parent.iterdir() if word.encode() in path.read_bytes()]


def test_forgotten_session_leaves_no_trace_and_others_are_unchanged(db: Path, project: Path, tmp_path: Path) -> None:
    write_full_session(project, "other", "harbour")
    index(db, project)
    alone = everything(db)
    write_full_session(project, "s1", CANARY)
    index(db, project)
    assert files_containing(db, CANARY)

    planned = forget_all(db, session("s1"))
    assert planned.entries == 5
    assert len(planned.files) == 6
    assert broken(db) == {}
    assert files_containing(db, CANARY) == []
    assert differences(views_without_tombstones(db), alone) == {}
    assert not [term for term, _ in terms(db) if CANARY in term]
    assert not any(CANARY.encode() in data for data in restore_all(db, tmp_path / "out").values())


def test_forgotten_session_is_not_indexed_again(db: Path, project: Path, tmp_path: Path) -> None:
    write_full_session(project, "other", "harbour")
    index(db, project)
    alone = views_without_tombstones(db)
    write_full_session(project, "s1", CANARY)
    index(db, project)
    forget_all(db, session("s1"))

    assert index(db, project).run_id is None
    assert index(db, project, full=True).run_id is None
    append(project / "s1.jsonl", line("s1-9", message={"role": "user", "content": CANARY}) + "\n")
    write(project / "s1" / "subagents" / "agent-new.jsonl", user("s1-c", 9, CANARY, agentId="new", sessionId="s1"))
    append(project / "agent-s1.jsonl", user("s1-d", 9, CANARY, agentId="s1", sessionId="s1") + "\n")
    assert index(db, project).run_id is None
    rebuild(db)
    assert differences(views_without_tombstones(db), alone) == {}

    elsewhere = tmp_path / "backup" / "-w"
    write_full_session(elsewhere, "s1", CANARY)
    index(db, elsewhere)
    summary = write(elsewhere / "agent-late.jsonl", user("s1-e", 9, CANARY, agentId="late", sessionId="s1"))
    index(db, summary)
    assert broken(db) == {}
    assert files_containing(db, CANARY) == []
    assert differences(views_without_tombstones(db), alone) == {}
    assert index(db, elsewhere, project).run_id is None


def test_forgotten_project_loses_all_sessions_and_new_ones_are_not_indexed(db: Path, project: Path) -> None:
    other = project.parent / "-other"
    write_full_session(other, "s2", "harbour")
    index(db, project.parent)
    alone = views_without_tombstones(db)
    for name in ("s1", "s3"):
        write_full_session(project, name, CANARY)
    index(db, project.parent)
    forget_all(db, project_of("-w"))
    write_full_session(project, "s4", CANARY)
    index(db, project.parent)
    assert broken(db) == {}
    assert files_containing(db, CANARY) == []
    assert differences(views_without_tombstones(db), alone) == {}


def test_chunks_shared_with_other_files_are_kept(db: Path, project: Path, tmp_path: Path) -> None:
    lines = [user("u1", 1, "shared words"), user("u2", 2, "more of them")]
    kept = write(project.parent / "-other" / "s1.jsonl", *lines)
    write(project / "s1.jsonl", *lines)
    index(db, project.parent)
    assert one(db, "select count(*) from chunks") == 1
    forget_all(db, project_of("-w"))
    assert one(db, "select count(*) from chunks") == 1
    assert restore_all(db, tmp_path / "out") == {str(kept): kept.read_bytes()}
    forget_all(db, project_of("-other"))
    assert one(db, "select count(*) from chunks") == 0
    assert everything(db)["v1_entries"] == []


def write_resumed_session(project: Path) -> Path:
    """Write a session whose transcript starts with lines of another session, as older versions of Claude Code do."""
    write(project / "s1.jsonl", *(user(f"o{number}", number, f"{CANARY} {number}") for number in range(1, 4)))
    return write(
        project / "s2.jsonl",
        *(user(f"o{number}", number, f"{CANARY} {number}") for number in range(1, 4)),
        line(type="file-history-snapshot", sessionId=None, timestamp=None, snapshot={"of": CANARY}),
        user("n1", 7, "of my own", parent="o3", sessionId="s2"),
        line(type="mode", mode="plan", sessionId=None, timestamp=None),
    )


def test_lines_in_another_transcript_are_blanked_without_shifting_offsets(
    db: Path, project: Path, tmp_path: Path
) -> None:
    path = write_resumed_session(project)
    index(db, project)
    size, temporary = path.stat().st_size, ask(db, "select line_no, byte_offset from v1_occurrences where uuid = 'n1'")
    planned = forget_all(db, session("s1"))
    assert planned.blanked == {str(path): 4}
    assert [(loss.session_id, loss.removed, loss.kept) for loss in planned.losses] == [("s1", 3, 0)]
    assert planned.holders == ()
    assert broken(db) == {}
    assert files_containing(db, CANARY) == []
    assert ask(db, "select line_no, byte_offset from v1_occurrences where uuid = 'n1'") == temporary
    assert ask(db, "select uuid, session_id from v1_entries") == [("n1", "s2")]
    assert ask(db, "select type, session_id from v1_records") == [("mode", "s2")]
    assert ask(db, "select detail from v1_diagnostics where kind = 'redacted'") == [("4 forgotten objects",)]
    [data] = restore_all(db, tmp_path / "out").values()
    assert len(data) == size
    assert data.split() == path.read_bytes().split(b"\n", 4)[4].split()


def test_transcript_with_blanked_lines_is_not_a_rewrite(db: Path, project: Path) -> None:
    path = write_resumed_session(project)
    index(db, project)
    forget_all(db, session("s1"))
    snapshot = everything(db)
    assert index(db, project, full=True).run_id is None
    path.touch()
    assert index(db, project).run_id is None
    assert everything(db) == snapshot
    append(path, user("n2", 8, "and on", parent="n1", sessionId="s2") + "\n")
    report = index(db, project)
    assert (report.files["appended"], report.files["rewritten"], report.entries_added) == (1, 0, 1)
    assert broken(db) == {}
    snapshot = everything(db)
    rebuild(db)
    assert everything(db) == snapshot


def test_earlier_generation_does_not_restore_forgotten_lines(db: Path, project: Path) -> None:
    path = write_resumed_session(project)
    index(db, project)
    lines = path.read_text().splitlines()
    write(path, *lines, user("n2", 8, "rewritten", parent="n1", sessionId="s2"))
    path.write_text(path.read_text().replace("of my own", "of no one's"))
    index(db, project)
    assert ask(db, "select state from v1_sources where kind = 'session' order by path") == [
        ("present",),
        ("rewritten",),
    ]
    forget_all(db, session("s1"))
    assert broken(db) == {}
    assert files_containing(db, CANARY) == []
    assert ask(db, "select uuid from v1_entries order by 1") == [("n1",), ("n2",)]
    snapshot = everything(db)
    rebuild(db)
    assert everything(db) == snapshot


def test_rewrite_with_forgotten_lines_is_blanked_in_the_same_run(db: Path, project: Path) -> None:
    path = write_resumed_session(project)
    index(db, project)
    forget_all(db, session("s1"))
    path.write_text(path.read_text().replace("of my own", "of no one's"))
    index(db, project)
    assert broken(db) == {}
    assert files_containing(db, CANARY) == []
    assert ask(db, "select uuid, text from v1_entries") == [("n1", "of no one's")]


def test_summary_in_another_file_is_forgotten_too(db: Path, project: Path) -> None:
    write(project / "s1.jsonl", user("u1", 1, "hello"))
    path = write(project / "s2.jsonl", line(type="summary", summary=CANARY, leafUuid="u1", sessionId=None))
    append(path, user("v1", 2, "other words", sessionId="s2") + "\n")
    index(db, project)
    assert ask(db, "select session_id, text from v1_summaries") == [("s1", CANARY)]
    forget_all(db, session("s1"))
    assert ask(db, "select * from v1_summaries") == []
    assert files_containing(db, CANARY) == []
    path.write_text(path.read_text().replace("other words", "otherwise"))
    index(db, project)
    assert ask(db, "select * from v1_summaries") == []
    assert broken(db) == {}


def test_summary_is_not_indexed_again_while_its_session_is_forgotten(db: Path, project: Path) -> None:
    write(project / "s1.jsonl", user("u1", 1, "hello"))
    write(project / "s3.jsonl", user("w1", 3, "else", sessionId="s3"))
    path = write(project / "s2.jsonl", line(type="summary", summary=CANARY, leafUuid="u1", sessionId=None))
    index(db, project)
    forget_all(db, session("s1"), session("s3"))
    allow_again(db, session("s3"))
    append(path, user("v1", 2, "other words", sessionId="s2") + "\n")
    index(db, project)
    assert ask(db, "select session_id from v1_sessions order by 1") == [("s2",), ("s3",)]
    assert ask(db, "select * from v1_summaries") == []
    assert files_containing(db, CANARY) == []
    allow_again(db, session("s1"))
    index(db, project, full=True)
    assert ask(db, "select session_id, text from v1_summaries") == [("s1", CANARY)]


def test_next_run_removes_forgotten_entries_left_by_an_interrupted_run(
    db: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(project / "s1.jsonl", user("u1", 1, "hello"))
    last = write(project / "s9.jsonl", user("z1", 9, "bye", sessionId="s9"))
    index(db, project)
    forget_all(db, session("s1"))
    os.utime(last, ns=(0, 0))  # this file is read again but unchanged, so the batch ends between two files
    write(project / "s2.jsonl", user("u2", 2, CANARY), user("v1", 3, "other words", sessionId="s2"))
    commit = run.IngestRun.commit

    def stop_before_last_commit(self: run.IngestRun, status: str, **_: Any) -> None:
        if status == "ok":
            raise KeyboardInterrupt
        commit(self, status)

    monkeypatch.setattr(run, "COMMIT_BYTES", 1)
    monkeypatch.setattr(run.IngestRun, "commit", stop_before_last_commit)
    with pytest.raises(KeyboardInterrupt):
        index(db, project)
    monkeypatch.undo()
    assert ask(db, "select status from v1_ingest_runs order by run_id desc limit 1") == [("interrupted",)]
    index(db, project)
    assert broken(db) == {}
    assert files_containing(db, CANARY) == []
    assert ask(db, "select uuid from v1_entries order by 1") == [("v1",), ("z1",)]


def test_copies_in_other_sessions_are_kept_and_listed_in_the_plan(db: Path, project: Path) -> None:
    write(project / "s1.jsonl", user("u1", 1, "hello"), user("u2", 2, "there", parent="u1"))
    write(
        project / "s2.jsonl", user("u1", 1, "hello", sessionId="s2"), user("v2", 3, "else", parent="u1", sessionId="s2")
    )
    index(db, project)
    planned = forget_all(db, session("s1"))
    assert [(loss.session_id, loss.removed, loss.kept) for loss in planned.losses] == [("s1", 1, 1)]
    assert [(holder.session_id, holder.entries) for holder in planned.holders] == [("s2", 1)]
    assert ask(db, "select uuid, session_id from v1_entries order by 1") == [("u1", "s2"), ("v2", "s2")]
    assert ask(db, "select session_id from v1_sessions") == [("s2",)]


def test_plan_lists_entries_that_other_sessions_would_lose(db: Path, project: Path) -> None:
    write(project / "s1.jsonl", user("old", 1, "older words", sessionId="s0"), user("u1", 2, "hello", parent="old"))
    index(db, project)
    planned = forget_all(db, session("s1"))
    assert [(loss.session_id, loss.removed) for loss in planned.others] == [("s0", 1)]
    assert everything(db)["v1_entries"] == []


def test_project_contains_the_sessions_its_files_are_named_after(db: Path, project: Path) -> None:
    write(project / "s1.jsonl", user("old", 1, "older words", sessionId="s0"), user("u1", 2, "hello", parent="old"))
    index(db, project)
    planned = forget_all(db, project_of("-w"))
    assert [(loss.session_id, loss.removed) for loss in planned.losses] == [("s0", 1), ("s1", 1)]
    assert [(loss.session_id, loss.removed) for loss in planned.others] == [("s0", 1)]


def test_plan_changes_nothing(db: Path, project: Path) -> None:
    write_full_session(project, "s1", CANARY)
    index(db, project)
    before = hashlib.sha256(db.read_bytes()).digest()
    with reading(db) as connection:
        connection.execute("pragma query_only = off")
        assert plan_forget(connection, [session("s1")]).entries == 5
    assert hashlib.sha256(db.read_bytes()).digest() == before


def test_allowed_sessions_are_indexed_again_completely(db: Path, project: Path) -> None:
    for name in ("s1", "s5", "s6"):
        write_full_session(project, name, CANARY)
    index(db, project)
    before = everything(db)
    forget_all(db, session("s1"), session("s5"))
    forget_all(db, project_of("-w"))
    allow_again(db, project_of("-w"), session("s1"))
    index(db, project)
    assert {name for (name,) in ask(db, "select session_id from v1_sessions")} == {"s1", "s6"}
    assert broken(db) == {}
    allow_again(db, session("s5"))
    index(db, project)
    assert differences(everything(db), before) == {}


def test_next_run_removes_remaining_traces_if_a_reader_blocked_the_scrub(db: Path, project: Path) -> None:
    write_full_session(project, "s1", CANARY)
    write(project / "s2.jsonl", user("v1", 2, "harbour", sessionId="s2"))
    index(db, project)
    with closing(sqlite3.connect(db, isolation_level=None)) as reader:
        reader.execute("begin")
        assert reader.execute("select count(*) from v1_entries").fetchone() == (6,)
        with changing(db, create=False) as connection:
            connection.execute("pragma busy_timeout = 0")
            forget(connection, plan_forget(connection, [session("s1")]))
            statements: list[str] = []
            connection.set_trace_callback(statements.append)
            assert not finish_forgetting(connection)
            assert "vacuum" not in statements  # the cost of vacuum is proportional to the size of the index
            assert is_scrub_due(connection)
        assert reader.execute("select count(*) from v1_entries").fetchone() == (6,)
    assert ask(db, "select uuid from v1_entries") == [("v1",)]
    assert [step for step in advice_on(db) if step.startswith("traces of forgotten data are still in the file")]
    index(db, project)
    assert files_containing(db, CANARY) == []
    with reading(db) as connection:
        assert not is_scrub_due(connection)
    assert not [step for step in advice_on(db) if step.startswith("traces")]


def claimed_sessions(files: dict[str, bytes]) -> list[str]:
    return [name for name in ("s1", "s2", "s3") if any(name.encode() in data for data in files.values())]


@examples(10)  # `scripts/soak forgetting` runs any number of examples
@given(st.data())
def test_result_is_the_same_as_if_forgotten_before_indexing(data: st.DataObject) -> None:
    files = data.draw(projects())
    name = data.draw(st.sampled_from(claimed_sessions(files)))
    first = data.draw(st.sets(st.sampled_from(sorted(files)), min_size=1))
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary).resolve()
        root, db = folder / "p", folder / "x.db"
        write_all(root, {path: files[path] for path in first})
        index(db, root)
        forget_all(db, session(name))
        assert broken(db) == {}
        write_all(root, {path: bytes_ for path, bytes_ in files.items() if path not in first})
        index(db, root)
        assert broken(db) == {}
        snapshot = everything(db)
        rebuild(db)
        assert differences(everything(db), snapshot) == {}
        assert index(db, root, full=True).run_id is None
        informed = folder / "informed.db"
        _add_tombstones(informed, tombstones(db))
        index(informed, root)
        assert differences(everything(informed), snapshot) == {}


def _add_tombstones(db: Path, tombstones: Sequence[Tombstone]) -> None:
    with changing(db, create=True) as connection:
        add_tombstones(connection, tombstones, "2026-03-01T09:00:00.000Z")


def test_exactly_the_given_spans_are_blanked() -> None:
    data = b"0123456789"
    spans = [Redaction(0, 2), Redaction(4, 7), Redaction(12, 2), Redaction(18, 100)]
    assert blank_out(data, 10, spans) == b" 1  4567  "
    assert blank_out(data, 118, spans) is data
    assert blank_out(data[:2], 2, spans) == data[:2]
    assert blank_out(data, 20, spans) == b" " * 10


# Forgets a session with less memory than a copy of the file needs. Runs in a separate process, because the limit cannot
# be raised again.
_FORGET_IN_LITTLE_MEMORY = """
import sys
from pathlib import Path
from ccindex.maintain.forget import finish_forgetting, forget, plan_forget
from ccindex.model.sources import TombstoneKind, Tombstone
from ccindex.store.connection import changing

with changing(Path(sys.argv[1]), create=False) as connection:
    connection.execute("pragma cache_size = -1024")
    connection.execute("pragma hard_heap_limit = 12000000")
    forget(connection, plan_forget(connection, [Tombstone(TombstoneKind.SESSION, "s1")]))
    assert finish_forgetting(connection)
"""


def test_index_may_be_larger_than_the_memory_limit(db: Path, project: Path) -> None:
    write(project / "s1.jsonl", user("u1", 1, CANARY))
    write(project / "s2" / "tool-results" / "big.txt", random.Random(1).randbytes(20 << 20))  # noqa: S311 - must be reproducible
    index(db, project)
    subprocess.run([sys.executable, "-c", _FORGET_IN_LITTLE_MEMORY, str(db)], check=True)
    assert files_containing(db, CANARY) == []
    assert db.stat().st_size > 20 << 20


def write_mixed_session(project: Path) -> Path:
    """Write a transcript with a summary and with lines of two other sessions.

    It is longer than the parts that are hashed at its start and end.
    """
    write(project / "s1.jsonl", user("o0", 1, "hello"))
    return write(
        project / "s2.jsonl",
        line(type="summary", summary=CANARY, leafUuid="o0", sessionId=None, timestamp=None),
        *(user(f"o{number}", number, f"{CANARY} {number}") for number in range(1, 9)),
        user("n1", 10, "of my own " * 1000, parent="o8", sessionId="s2"),
        *(user(f"p{number}", 11 + number, f"of a third {number}", sessionId="s3") for number in range(9)),
    )


def test_blanked_lines_are_restored_when_allowed_again(db: Path, project: Path) -> None:
    path = write_mixed_session(project)
    index(db, project)
    before = everything(db)
    forget_all(db, session("s1"), session("s3"))
    assert {name for (name,) in ask(db, "select session_id from v1_sessions")} == {"s2"}
    allow_again(db, session("s1"))
    index(db, project)
    assert {name for (name,) in ask(db, "select session_id from v1_sessions")} == {"s1", "s2"}
    assert ask(db, "select detail from v1_diagnostics where kind = 'redacted'") == [("9 forgotten objects",)]
    assert broken(db) == {}
    assert index(db, project, full=True).run_id is None
    allow_again(db, session("s3"))
    index(db, project)
    assert differences(everything(db), before) == {}
    assert broken(db) == {}
    append(path, user("n2", 30, "and on", parent="n1", sessionId="s2") + "\n")
    report = index(db, project)
    assert (report.files["appended"], report.bytes_read < path.stat().st_size) == (1, True)
    snapshot = everything(db)
    rebuild(db)
    assert everything(db) == snapshot


def test_blanked_lines_of_a_deleted_file_stay_blank_until_it_returns(db: Path, project: Path) -> None:
    path = write_mixed_session(project)
    index(db, project)
    data = path.read_bytes()
    forget_all(db, session("s1"), session("s3"))
    path.unlink()
    allow_again(db, session("s1"))
    index(db, project)
    assert one(db, "select count(*) from v1_diagnostics where kind = 'redacted'") == 1
    assert ask(db, "select uuid from v1_entries order by 1") == [("n1",), ("o0",)]
    path.write_bytes(data)  # restored from a backup
    index(db, project)
    assert one(db, "select count(*) from v1_entries where session_id = 's1'") == 9
    assert ask(db, "select generation from sources where path = ?", str(path)) == [(1,)]
    assert ask(db, "select distinct session_id from session_ids order by 1") == [("s1",), ("s2",)]


def test_summary_written_after_its_session_was_allowed_is_kept(db: Path, project: Path) -> None:
    write_mixed_session(project)
    index(db, project)
    forget_all(db, session("s1"), session("s3"))
    (project / "s2.jsonl").unlink()
    allow_again(db, session("s1"))
    summary = line(type="summary", summary="late", leafUuid="o0", sessionId=None, timestamp=None)
    write(project / "s4.jsonl", summary, user("q1", 40, "hello", sessionId="s4"))
    index(db, project)
    assert ask(db, "select session_id, text from v1_summaries") == [("s1", "late")]
    forget_all(db, session("s1"))
    assert ask(db, "select session_id, text from v1_summaries") == []
    assert broken(db) == {}


def test_later_summary_of_a_forgotten_session_is_not_indexed(db: Path, project: Path) -> None:
    write(project / "s1.jsonl", user("u1", 1, "hello"), user("u2", 2, "there", parent="u1"))
    index(db, project)
    forget_all(db, session("s1"))
    summary = line(type="summary", summary=CANARY, leafUuid="u2", sessionId=None, timestamp=None)
    write(project / "s2.jsonl", summary, user("v1", 3, "other words", sessionId="s2"))
    index(db, project)
    assert ask(db, "select * from v1_summaries") == []
    assert ask(db, "select uuid from v1_entries") == [("v1",)]
    assert files_containing(db, CANARY) == []
    assert broken(db) == {}
