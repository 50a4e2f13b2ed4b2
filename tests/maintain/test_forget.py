"""What was forgotten is nowhere any more and does not come back; everything else is as if it had never been."""

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
from ccindex.maintain.forget import Plan, allow, finish_forgetting, forget, plan_forget
from ccindex.maintain.restore import restore
from ccindex.model.sources import Forgets, Span, Tombstone, blanked
from ccindex.store.connection import changing, reading
from ccindex.store.sources import is_scrub_due, put_tombstones
from tests.making.advice import advice_on
from tests.making.files import append, write, write_all
from tests.making.hypothesis_settings import examples
from tests.making.indexes import ask, broken, differences, everything, index, one, rebuild, terms, tombstones
from tests.making.transcripts import assistant, line, tool_result, tool_use, user
from tests.reference.transcripts import folders

CANARY = "zanzibar"  # a word in every place that a text can stand


def session(name: str) -> Tombstone:
    return Tombstone(Forgets.SESSION, name)


def project_of(name: str) -> Tombstone:
    return Tombstone(Forgets.PROJECT, name)


def gone(db: Path, *tombstones: Tombstone) -> Plan:
    """Forget in this process, to the last byte."""
    with changing(db, create=False) as connection:
        planned = plan_forget(connection, tombstones)
        forget(connection, planned)
        assert finish_forgetting(connection)
    return planned


def back(db: Path, *tombstones: Tombstone) -> None:
    with changing(db, create=False) as connection:
        allow(connection, tombstones)


def restored(db: Path, out: Path) -> dict[str, bytes]:
    with reading(db) as connection:
        files, damaged = restore(connection, out, wanted=None, generation=None, force=False)
    assert not damaged
    return {file.path: out.joinpath(*Path(file.path).parts[1:]).read_bytes() for file in files}


def full_session(project: Path, name: str, word: str) -> None:
    """A session with all that may hold words: talk, calls, agents old and new, results kept apart, titles."""
    own: dict[str, Any] = {"sessionId": name}
    write(
        project / f"{name}.jsonl",
        user(f"{name}-1", 1, f"please {word}", cwd=f"/home/{word}", gitBranch=f"b-{word}", **own),
        assistant(f"{name}-2", 2, tool_use(f"t-{name}", "Task", prompt=word, file_path=f"/w/{word}"), **own),
        user(f"{name}-3", 3, tool_result(f"t-{name}", f"done {word}"), toolUseResult={"stdout": word}, **own),
        line(type="custom-title", customTitle=f"about {word}", **own),
        line(type="queue-operation", operation="enqueue", content=word, **own),
        f'{{"broken": "{word}',
        "no json " + word,
    )
    below = project / name
    write(below / "subagents" / "agent-x1.jsonl", user(f"{name}-a", 4, word, agentId="x1", isSidechain=True, **own))
    write(below / "subagents" / "agent-x1.meta.json", f'{{"agentType": "{word}", "toolUseId": "t-{name}"}}')
    write(below / "tool-results" / f"t-{name}.txt", word)
    write(project / f"agent-{name}.jsonl", user(f"{name}-b", 5, word, agentId=name, isSidechain=True, **own))
    write(project / f"agent-{name}.meta.json", f'{{"agentType": "{word}"}}')


def save_tombstones(db: Path) -> dict[str, list[tuple[Any, ...]]]:
    """All that the views say, save what was forgotten."""
    return everything(db) | {"v1_forgotten": []}


def traces(db: Path, word: str) -> list[str]:
    """The files in the folder of an index that hold a word."""
    return [path.name for path in db.parent.iterdir() if word.encode() in path.read_bytes()]


def test_a_session_is_gone_to_the_last_byte_and_the_others_are_as_before(
    db: Path, project: Path, tmp_path: Path
) -> None:
    full_session(project, "other", "harbour")
    index(db, project)
    alone = everything(db)
    full_session(project, "s1", CANARY)
    index(db, project)
    assert traces(db, CANARY)

    planned = gone(db, session("s1"))
    assert planned.entries == 5
    assert len(planned.files) == 6
    assert broken(db) == {}
    assert traces(db, CANARY) == []
    assert differences(save_tombstones(db), alone) == {}
    assert not [term for term, _ in terms(db) if CANARY in term]
    assert not any(CANARY.encode() in data for data in restored(db, tmp_path / "out").values())


def test_it_does_not_come_back_by_any_way(db: Path, project: Path, tmp_path: Path) -> None:
    full_session(project, "other", "harbour")
    index(db, project)
    alone = save_tombstones(db)
    full_session(project, "s1", CANARY)
    index(db, project)
    gone(db, session("s1"))

    assert index(db, project).run_id is None
    assert index(db, project, full=True).run_id is None
    append(project / "s1.jsonl", line("s1-9", message={"role": "user", "content": CANARY}) + "\n")
    write(project / "s1" / "subagents" / "agent-new.jsonl", user("s1-c", 9, CANARY, agentId="new", sessionId="s1"))
    append(project / "agent-s1.jsonl", user("s1-d", 9, CANARY, agentId="s1", sessionId="s1") + "\n")
    assert index(db, project).run_id is None
    rebuild(db)
    assert differences(save_tombstones(db), alone) == {}

    elsewhere = tmp_path / "backup" / "-w"
    full_session(elsewhere, "s1", CANARY)
    index(db, elsewhere)
    late = write(elsewhere / "agent-late.jsonl", user("s1-e", 9, CANARY, agentId="late", sessionId="s1"))
    index(db, late)
    assert broken(db) == {}
    assert traces(db, CANARY) == []
    assert differences(save_tombstones(db), alone) == {}
    assert index(db, elsewhere, project).run_id is None


def test_a_project_goes_with_all_its_sessions_and_new_ones_stay_out(db: Path, project: Path) -> None:
    other = project.parent / "-other"
    full_session(other, "s2", "harbour")
    index(db, project.parent)
    alone = save_tombstones(db)
    for name in ("s1", "s3"):
        full_session(project, name, CANARY)
    index(db, project.parent)
    gone(db, project_of("-w"))
    full_session(project, "s4", CANARY)
    index(db, project.parent)
    assert broken(db) == {}
    assert traces(db, CANARY) == []
    assert differences(save_tombstones(db), alone) == {}


def test_chunks_that_others_have_too_stay(db: Path, project: Path, tmp_path: Path) -> None:
    same = [user("u1", 1, "shared words"), user("u2", 2, "more of them")]
    kept = write(project.parent / "-other" / "s1.jsonl", *same)
    write(project / "s1.jsonl", *same)
    index(db, project.parent)
    assert one(db, "select count(*) from chunks") == 1
    gone(db, project_of("-w"))
    assert one(db, "select count(*) from chunks") == 1
    assert restored(db, tmp_path / "out") == {str(kept): kept.read_bytes()}
    gone(db, project_of("-other"))
    assert one(db, "select count(*) from chunks") == 0
    assert everything(db)["v1_entries"] == []


def resumed(project: Path) -> Path:
    """A session whose transcript begins with lines of another, as older versions wrote on resume."""
    write(project / "s1.jsonl", *(user(f"o{number}", number, f"{CANARY} {number}") for number in range(1, 4)))
    return write(
        project / "s2.jsonl",
        *(user(f"o{number}", number, f"{CANARY} {number}") for number in range(1, 4)),
        line(type="file-history-snapshot", sessionId=None, timestamp=None, snapshot={"of": CANARY}),
        user("n1", 7, "of my own", parent="o3", sessionId="s2"),
        line(type="mode", mode="plan", sessionId=None, timestamp=None),
    )


def test_its_lines_in_another_sessions_transcript_are_blanked_and_the_rest_keeps_its_place(
    db: Path, project: Path, tmp_path: Path
) -> None:
    path = resumed(project)
    index(db, project)
    size, place = path.stat().st_size, ask(db, "select line_no, byte_offset from v1_occurrences where uuid = 'n1'")
    planned = gone(db, session("s1"))
    assert planned.blanked == {str(path): 4}
    assert [(loss.session_id, loss.removed, loss.kept) for loss in planned.losses] == [("s1", 3, 0)]
    assert planned.holders == ()
    assert broken(db) == {}
    assert traces(db, CANARY) == []
    assert ask(db, "select line_no, byte_offset from v1_occurrences where uuid = 'n1'") == place
    assert ask(db, "select uuid, session_id from v1_entries") == [("n1", "s2")]
    assert ask(db, "select type, session_id from v1_records") == [("mode", "s2")]
    assert ask(db, "select detail from v1_diagnostics where kind = 'redacted'") == [
        ("4 objects of what was forgotten",)
    ]
    [data] = restored(db, tmp_path / "out").values()
    assert len(data) == size
    assert data.split() == path.read_bytes().split(b"\n", 4)[4].split()


def test_a_transcript_with_blanks_is_still_known_as_the_one_on_disk(db: Path, project: Path) -> None:
    path = resumed(project)
    index(db, project)
    gone(db, session("s1"))
    said = everything(db)
    assert index(db, project, full=True).run_id is None
    path.touch()
    assert index(db, project).run_id is None
    assert everything(db) == said
    append(path, user("n2", 8, "and on", parent="n1", sessionId="s2") + "\n")
    report = index(db, project)
    assert (report.files["appended"], report.files["rewritten"], report.entries_added) == (1, 0, 1)
    assert broken(db) == {}
    said = everything(db)
    rebuild(db)
    assert everything(db) == said


def test_an_earlier_generation_does_not_give_back_what_a_later_one_lost(db: Path, project: Path) -> None:
    path = resumed(project)
    index(db, project)
    lines = path.read_text().splitlines()
    write(path, *lines, user("n2", 8, "rewritten", parent="n1", sessionId="s2"))
    path.write_text(path.read_text().replace("of my own", "of no one's"))
    index(db, project)
    assert ask(db, "select state from v1_sources where kind = 'session' order by path") == [
        ("present",),
        ("rewritten",),
    ]
    gone(db, session("s1"))
    assert broken(db) == {}
    assert traces(db, CANARY) == []
    assert ask(db, "select uuid from v1_entries order by 1") == [("n1",), ("n2",)]
    said = everything(db)
    rebuild(db)
    assert everything(db) == said


def test_a_rewrite_that_brings_its_lines_again_is_blanked_in_the_same_run(db: Path, project: Path) -> None:
    path = resumed(project)
    index(db, project)
    gone(db, session("s1"))
    path.write_text(path.read_text().replace("of my own", "of no one's"))
    index(db, project)
    assert broken(db) == {}
    assert traces(db, CANARY) == []
    assert ask(db, "select uuid, text from v1_entries") == [("n1", "of no one's")]


def test_a_summary_elsewhere_of_what_was_said_goes_too(db: Path, project: Path) -> None:
    write(project / "s1.jsonl", user("u1", 1, "hello"))
    path = write(project / "s2.jsonl", line(type="summary", summary=CANARY, leafUuid="u1", sessionId=None))
    append(path, user("v1", 2, "other words", sessionId="s2") + "\n")
    index(db, project)
    assert ask(db, "select session_id, text from v1_summaries") == [("s1", CANARY)]
    gone(db, session("s1"))
    assert ask(db, "select * from v1_summaries") == []
    assert traces(db, CANARY) == []
    path.write_text(path.read_text().replace("other words", "otherwise"))
    index(db, project)
    assert ask(db, "select * from v1_summaries") == []
    assert broken(db) == {}


def test_a_summary_stays_away_as_long_as_anything_is_forgotten(db: Path, project: Path) -> None:
    write(project / "s1.jsonl", user("u1", 1, "hello"))
    write(project / "s3.jsonl", user("w1", 3, "else", sessionId="s3"))
    path = write(project / "s2.jsonl", line(type="summary", summary=CANARY, leafUuid="u1", sessionId=None))
    index(db, project)
    gone(db, session("s1"), session("s3"))
    back(db, session("s3"))
    append(path, user("v1", 2, "other words", sessionId="s2") + "\n")
    index(db, project)
    assert ask(db, "select session_id from v1_sessions order by 1") == [("s2",), ("s3",)]
    assert ask(db, "select * from v1_summaries") == []
    assert traces(db, CANARY) == []
    back(db, session("s1"))
    index(db, project, full=True)
    assert ask(db, "select session_id, text from v1_summaries") == [("s1", CANARY)]


def test_what_an_interrupted_run_let_in_is_taken_out_by_the_next_though_it_finds_nothing_new(
    db: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(project / "s1.jsonl", user("u1", 1, "hello"))
    last = write(project / "s9.jsonl", user("z1", 9, "bye", sessionId="s9"))
    index(db, project)
    gone(db, session("s1"))
    os.utime(last, ns=(0, 0))  # read again, found to be the same: the batch ends between two files
    write(project / "s2.jsonl", user("u2", 2, CANARY), user("v1", 3, "other words", sessionId="s2"))
    commit = run.IngestRun.commit

    def stopped(self: run.IngestRun, status: str, **_: Any) -> None:
        if status == "ok":
            raise KeyboardInterrupt
        commit(self, status)

    monkeypatch.setattr(run, "BATCH_BYTES", 1)
    monkeypatch.setattr(run.IngestRun, "commit", stopped)
    with pytest.raises(KeyboardInterrupt):
        index(db, project)
    monkeypatch.undo()
    assert ask(db, "select status from v1_ingest_runs order by run_id desc limit 1") == [("interrupted",)]
    index(db, project)
    assert broken(db) == {}
    assert traces(db, CANARY) == []
    assert ask(db, "select uuid from v1_entries order by 1") == [("v1",), ("z1",)]


def test_copies_in_other_sessions_stay_and_the_plan_says_where(db: Path, project: Path) -> None:
    write(project / "s1.jsonl", user("u1", 1, "hello"), user("u2", 2, "there", parent="u1"))
    write(
        project / "s2.jsonl", user("u1", 1, "hello", sessionId="s2"), user("v2", 3, "else", parent="u1", sessionId="s2")
    )
    index(db, project)
    planned = gone(db, session("s1"))
    assert [(loss.session_id, loss.removed, loss.kept) for loss in planned.losses] == [("s1", 1, 1)]
    assert [(holder.session_id, holder.entries) for holder in planned.holders] == [("s2", 1)]
    assert ask(db, "select uuid, session_id from v1_entries order by 1") == [("u1", "s2"), ("v2", "s2")]
    assert ask(db, "select session_id from v1_sessions") == [("s2",)]


def test_entries_of_others_that_only_its_transcript_holds_are_told(db: Path, project: Path) -> None:
    write(project / "s1.jsonl", user("old", 1, "older words", sessionId="s0"), user("u1", 2, "hello", parent="old"))
    index(db, project)
    planned = gone(db, session("s1"))
    assert [(loss.session_id, loss.removed) for loss in planned.others] == [("s0", 1)]
    assert everything(db)["v1_entries"] == []


def test_of_a_project_only_what_its_own_files_are_called_by_is_its_own(db: Path, project: Path) -> None:
    write(project / "s1.jsonl", user("old", 1, "older words", sessionId="s0"), user("u1", 2, "hello", parent="old"))
    index(db, project)
    planned = gone(db, project_of("-w"))
    assert [(loss.session_id, loss.removed) for loss in planned.losses] == [("s0", 1), ("s1", 1)]
    assert [(loss.session_id, loss.removed) for loss in planned.others] == [("s0", 1)]


def test_a_plan_changes_nothing(db: Path, project: Path) -> None:
    full_session(project, "s1", CANARY)
    index(db, project)
    before = hashlib.sha256(db.read_bytes()).digest()
    with reading(db) as connection:
        connection.execute("pragma query_only = off")
        assert plan_forget(connection, [session("s1")]).entries == 5
    assert hashlib.sha256(db.read_bytes()).digest() == before


def test_what_is_allowed_again_comes_back_as_if_it_had_never_been_forgotten(db: Path, project: Path) -> None:
    for name in ("s1", "s5", "s6"):
        full_session(project, name, CANARY)
    index(db, project)
    before = everything(db)
    gone(db, session("s1"), session("s5"))
    gone(db, project_of("-w"))
    back(db, project_of("-w"), session("s1"))
    index(db, project)
    assert {name for (name,) in ask(db, "select session_id from v1_sessions")} == {"s1", "s6"}
    assert broken(db) == {}
    back(db, session("s5"))
    index(db, project)
    assert differences(everything(db), before) == {}


def test_a_reader_in_the_way_leaves_the_last_traces_to_the_next_run(db: Path, project: Path) -> None:
    full_session(project, "s1", CANARY)
    write(project / "s2.jsonl", user("v1", 2, "harbour", sessionId="s2"))
    index(db, project)
    with closing(sqlite3.connect(db, isolation_level=None)) as reader:
        reader.execute("begin")
        assert reader.execute("select count(*) from v1_entries").fetchone() == (6,)
        with changing(db, create=False) as connection:
            connection.execute("pragma busy_timeout = 0")
            forget(connection, plan_forget(connection, [session("s1")]))
            done: list[str] = []
            connection.set_trace_callback(done.append)
            assert not finish_forgetting(connection)
            assert "vacuum" not in done  # which costs as much as the index is large
            assert is_scrub_due(connection)
        assert reader.execute("select count(*) from v1_entries").fetchone() == (6,)
    assert ask(db, "select uuid from v1_entries") == [("v1",)]
    assert [step for step in advice_on(db) if step.startswith("traces of what was forgotten are still in the file")]
    index(db, project)
    assert traces(db, CANARY) == []
    with reading(db) as connection:
        assert not is_scrub_due(connection)
    assert not [step for step in advice_on(db) if step.startswith("traces")]


def claimed(files: dict[str, bytes]) -> list[str]:
    return [name for name in ("s1", "s2", "s3") if any(name.encode() in data for data in files.values())]


@examples(10)  # scripts/soak forgetting has as many as one likes
@given(st.data())
def test_the_answer_is_that_of_a_run_that_knew_from_the_start_what_to_leave_out(data: st.DataObject) -> None:
    files = data.draw(folders())
    name = data.draw(st.sampled_from(claimed(files)))
    first = data.draw(st.sets(st.sampled_from(sorted(files)), min_size=1))
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place).resolve()
        root, db = folder / "p", folder / "x.db"
        write_all(root, {path: files[path] for path in first})
        index(db, root)
        gone(db, session(name))
        assert broken(db) == {}
        write_all(root, {path: bytes_ for path, bytes_ in files.items() if path not in first})
        index(db, root)
        assert broken(db) == {}
        said = everything(db)
        rebuild(db)
        assert differences(everything(db), said) == {}
        assert index(db, root, full=True).run_id is None
        knowing = folder / "knowing.db"
        _tell(knowing, tombstones(db))
        index(knowing, root)
        assert differences(everything(knowing), said) == {}


def _tell(db: Path, tombstones: Sequence[Tombstone]) -> None:
    with changing(db, create=True) as connection:
        put_tombstones(connection, tombstones, "2026-03-01T09:00:00.000Z")


def test_blanks_take_exactly_the_place_of_what_they_hide() -> None:
    data = b"0123456789"
    spans = [Span(0, 2), Span(4, 7), Span(12, 2), Span(18, 100)]
    assert blanked(data, 10, spans) == b" 1  4567  "
    assert blanked(data, 118, spans) is data
    assert blanked(data[:2], 2, spans) == data[:2]
    assert blanked(data, 20, spans) == b" " * 10


# where no memory is left for a copy of the whole file; a limit on a process's heap cannot be raised again
_IN_LITTLE_MEMORY = """
import sys
from pathlib import Path
from ccindex.maintain.forget import finish_forgetting, forget, plan_forget
from ccindex.model.sources import Forgets, Tombstone
from ccindex.store.connection import changing

with changing(Path(sys.argv[1]), create=False) as connection:
    connection.execute("pragma cache_size = -1024")
    connection.execute("pragma hard_heap_limit = 12000000")
    forget(connection, plan_forget(connection, [Tombstone(Forgets.SESSION, "s1")]))
    assert finish_forgetting(connection)
"""


def test_the_index_need_not_fit_into_memory(db: Path, project: Path) -> None:
    write(project / "s1.jsonl", user("u1", 1, CANARY))
    write(project / "s2" / "tool-results" / "big.txt", random.Random(1).randbytes(20 << 20))  # noqa: S311 - it shall be known
    index(db, project)
    subprocess.run([sys.executable, "-c", _IN_LITTLE_MEMORY, str(db)], check=True)
    assert traces(db, CANARY) == []
    assert db.stat().st_size > 20 << 20


def mixed(project: Path) -> Path:
    """A transcript that two others and a summary of theirs stand in, and that has more than one edge of bytes."""
    write(project / "s1.jsonl", user("o0", 1, "hello"))
    return write(
        project / "s2.jsonl",
        line(type="summary", summary=CANARY, leafUuid="o0", sessionId=None, timestamp=None),
        *(user(f"o{number}", number, f"{CANARY} {number}") for number in range(1, 9)),
        user("n1", 10, "of my own " * 1000, parent="o8", sessionId="s2"),
        *(user(f"p{number}", 11 + number, f"of a third {number}", sessionId="s3") for number in range(9)),
    )


def test_what_was_blanked_comes_back_into_its_place_when_it_is_allowed_again(db: Path, project: Path) -> None:
    path = mixed(project)
    index(db, project)
    before = everything(db)
    gone(db, session("s1"), session("s3"))
    assert {name for (name,) in ask(db, "select session_id from v1_sessions")} == {"s2"}
    back(db, session("s1"))
    index(db, project)
    assert {name for (name,) in ask(db, "select session_id from v1_sessions")} == {"s1", "s2"}
    assert ask(db, "select detail from v1_diagnostics where kind = 'redacted'") == [
        ("9 objects of what was forgotten",)
    ]
    assert broken(db) == {}
    assert index(db, project, full=True).run_id is None
    back(db, session("s3"))
    index(db, project)
    assert differences(everything(db), before) == {}
    assert broken(db) == {}
    append(path, user("n2", 30, "and on", parent="n1", sessionId="s2") + "\n")
    report = index(db, project)
    assert (report.files["appended"], report.bytes_read < path.stat().st_size) == (1, True)
    said = everything(db)
    rebuild(db)
    assert everything(db) == said


def test_blanks_of_a_file_that_is_gone_stay_and_say_why(db: Path, project: Path) -> None:
    path = mixed(project)
    index(db, project)
    data = path.read_bytes()
    gone(db, session("s1"), session("s3"))
    path.unlink()
    back(db, session("s1"))
    index(db, project)
    assert one(db, "select count(*) from v1_diagnostics where kind = 'redacted'") == 1
    assert ask(db, "select uuid from v1_entries order by 1") == [("n1",), ("o0",)]
    path.write_bytes(data)  # a backup was found
    index(db, project)
    assert one(db, "select count(*) from v1_entries where session_id = 's1'") == 9
    assert ask(db, "select generation from sources where path = ?", str(path)) == [(1,)]
    assert ask(db, "select distinct session_id from session_ids order by 1") == [("s1",), ("s2",)]


def test_a_summary_that_comes_after_its_session_was_allowed_again_stays(db: Path, project: Path) -> None:
    mixed(project)
    index(db, project)
    gone(db, session("s1"), session("s3"))
    (project / "s2.jsonl").unlink()
    back(db, session("s1"))
    late = line(type="summary", summary="late", leafUuid="o0", sessionId=None, timestamp=None)
    write(project / "s4.jsonl", late, user("q1", 40, "hello", sessionId="s4"))
    index(db, project)
    assert ask(db, "select session_id, text from v1_summaries") == [("s1", "late")]
    gone(db, session("s1"))
    assert ask(db, "select session_id, text from v1_summaries") == []
    assert broken(db) == {}


def test_a_summary_that_a_later_session_begins_with_does_not_bring_it_back(db: Path, project: Path) -> None:
    write(project / "s1.jsonl", user("u1", 1, "hello"), user("u2", 2, "there", parent="u1"))
    index(db, project)
    gone(db, session("s1"))
    late = line(type="summary", summary=CANARY, leafUuid="u2", sessionId=None, timestamp=None)
    write(project / "s2.jsonl", late, user("v1", 3, "other words", sessionId="s2"))
    index(db, project)
    assert ask(db, "select * from v1_summaries") == []
    assert ask(db, "select uuid from v1_entries") == [("v1",)]
    assert traces(db, CANARY) == []
    assert broken(db) == {}
