"""Sessions that nobody would expect, as a user meets them: each of these once came out wrong."""

import csv
import io
import json
import os
import subprocess
import sys
from pathlib import Path

from tests.making.commands import CCINDEX, answer, ccindex
from tests.making.files import write
from tests.making.indexes import index
from tests.making.transcripts import at, line


def test_a_duration_that_is_no_number_is_no_bug(db: Path, project: Path) -> None:
    write(
        project / "s1.jsonl",
        line("u1"),
        line("x1", parent="u1", type="system", subtype="turn_duration", durationMs=True, message=None),
        line("x2", parent="x1", type="system", subtype="turn_duration", durationMs=94_936, message=None),
    )
    index(db, project)
    assert ccindex("show", "x1", "--db", db).stdout.splitlines()[1:] == ["  turn_duration"]
    assert ccindex("show", "s1", "--all", "--db", db).stdout.endswith("x2\n  the turn took 1.6 min\n")


def test_a_command_of_nothing_but_open_tags_is_named_all_the_same(db: Path, project: Path) -> None:
    # half a million characters: a pattern that looks ahead from each tag would not end
    text = "<command-name>" * 40_000
    write(project / "s1.jsonl", line("u1", message={"role": "user", "content": text}))
    index(db, project)
    assert "<command-name><command-name>" in ccindex("sessions", "--db", db).stdout


def test_a_session_that_forks_from_another_without_a_place_says_only_that(db: Path, project: Path) -> None:
    write(project / "s1.jsonl", line("u1", timestamp=at(1)))
    origin = {"sessionId": "s1", "messageUuid": "u1"}
    write(project / "s2.jsonl", line("u2", sessionId="s2", timestamp=at(9), forkedFrom=origin))
    index(db, project)
    shown = ccindex("show", "s2", "--db", db).stdout
    assert "None" not in shown


def test_two_lines_of_one_name_are_told_apart_and_alike_in_any_order(tmp_path: Path) -> None:
    """A session named like an agent's thread, each with a branch that begins alike."""
    agent = [
        line("g1", isSidechain=True, agentId="x", timestamp=at(1)),
        line("g2", parent="g1", isSidechain=True, agentId="x", timestamp=at(2)),
        line("branchbranch-1", parent="g1", isSidechain=True, agentId="x", timestamp=at(3)),
    ]
    other = [
        line("o1", sessionId="s1#agent-x", timestamp=at(1)),
        line("o2", parent="o1", sessionId="s1#agent-x", timestamp=at(2)),
        line("branchbranch-2", parent="o1", sessionId="s1#agent-x", timestamp=at(3)),
    ]
    told = []
    for order in (("a", "b"), ("b", "a")):
        project, db = tmp_path / "p", tmp_path / f"{order[0]}.db"
        for name in order:
            write(project / f"{name}.jsonl", *(agent if name == "a" else other))
            index(db, project)
        told.append([ccindex(*words, "--db", db).stdout for words in (["tree"], ["show", "s1#agent-x@branchbranch"])])
        for name in order:
            (project / f"{name}.jsonl").unlink()
    assert told[0] == told[1]
    assert "say branchbranch-1" in told[0][0]
    assert "say branchbranch-2" in told[0][0]


def test_a_tree_is_shown_for_the_session_that_was_named_not_for_its_neighbours(db: Path, project: Path) -> None:
    write(project / "s1.jsonl", line("u1", timestamp=at(1)))
    write(project / "s2.jsonl", line("u2", parent="u1", sessionId="s2", timestamp=at(180)))
    index(db, project)
    roots = answer("tree", "--session", "s2", "--db", db)["roots"]
    assert [root["line_id"] for root in roots] == ["s1"]
    assert answer("tree", "--session", "s2", "--until", "2026-03-01T09:01", "--db", db)["roots"] == []
    assert answer("tree", "--session", "s1", "--until", "2026-03-01T09:01", "--db", db)["roots"] == roots


def test_a_path_that_leads_through_an_unlinked_subagent_is_exported_once(
    db: Path, project: Path, tmp_path: Path
) -> None:
    write(project / "s1.jsonl", line("u1", timestamp=at(1)))
    write(project / "s1" / "subagents" / "agent-x.jsonl", line("g1", isSidechain=True, agentId="x", timestamp=at(2)))
    write(project / "s2.jsonl", line("u2", parent="g1", sessionId="s2", timestamp=at(9)))
    index(db, project)
    files = answer("export", "--session", "s2", "--agents", "--out", tmp_path / "out", "--db", db)["files"]
    pages = [Path(file["path"]).read_text() for file in files]
    assert sum("say u2" in page for page in pages) == 1


def test_the_shell_is_offered_nothing_that_it_would_act_on(db: Path, project: Path) -> None:
    for session in ("plain", "x$(touch pwned)", "x\x1b[31m\nsecond", "a b"):
        write(
            project / f"{abs(hash(session))}.jsonl", line(f"u-{abs(hash(session))}", sessionId=session, parent="ghost")
        )
    index(db, project)
    for words, offered in (("--session ", ["plain"]), ("--session x", [])):
        settings = {
            "_CCINDEX_COMPLETE": "complete_bash",
            "COMP_WORDS": f"ccindex sessions {words}",
            "COMP_CWORD": "3",
            "CCINDEX_DB": str(db),
        }
        script = "import sys; sys.argv = ['ccindex']; from ccindex.cli import main; main()"
        done = subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, check=False, env=os.environ | settings
        )
        assert done.stdout.split() == offered


def test_a_parameter_that_looks_like_a_number_is_one(db: Path, project: Path) -> None:
    write(project / "s1.jsonl", line("u1"))
    index(db, project)
    for given, kind in (("1000", "integer"), ("-2.5", "real"), ("2026-03-14", "text"), ("1e3", "text"), ("", "text")):
        assert answer("sql", "select typeof(:x)", "-p", f"x={given}", "--db", db)["rows"] == [[kind]], given


def test_paths_have_their_entries_in_csv_too(db: Path, project: Path) -> None:
    write(project / "s1.jsonl", line("u1"), line("u2", parent="u1"))
    index(db, project)
    head, row = csv.reader(io.StringIO(ccindex("paths", "--session", "s1", "--uuids", "--csv", "--db", db).stdout))
    assert dict(zip(head, row, strict=True))["uuids"] == "u1 u2"


def test_a_lone_carriage_return_does_not_end_a_row_of_csv(db: Path, project: Path) -> None:
    write(project / "s1.jsonl", line("u1", message={"role": "user", "content": "one\rtwo"}))
    index(db, project)
    done = subprocess.run([*CCINDEX, "sessions", "--csv", "--db", str(db)], capture_output=True, check=True)
    head, row = csv.reader(io.StringIO(done.stdout.decode(), newline=""))
    assert dict(zip(head, row, strict=True))["first_prompt"] == "one\rtwo"


def test_a_file_with_blanks_in_its_name_is_a_file(db: Path, project: Path, tmp_path: Path) -> None:
    write(project / "s1.jsonl", line("u1"))
    index(db, project)
    (tmp_path / "my query.sql").write_text("-- the only one\nselect uuid from v1_entries;\n")
    done = ccindex("sql", str(tmp_path / "my query.sql"), "--json", "--db", db)
    assert json.loads(done.stdout)["rows"] == [["u1"]]


def test_a_closed_stdout_is_no_bug(db: Path, project: Path) -> None:
    write(project / "s1.jsonl", line("u1"))
    for words in (f"ingest '{project}'", "sessions", "sessions --json", "show u1"):
        command = f"'{sys.executable}' -m ccindex {words} --db '{db}' >&-"
        done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, ""), words
