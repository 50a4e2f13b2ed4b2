"""Regression tests for unusual sessions and arguments."""

import csv
import io
import json
import os
import subprocess
import sys
from pathlib import Path

from tests.making.commands import CCINDEX, ccindex, run_json
from tests.making.files import write
from tests.making.indexes import index
from tests.making.transcripts import at, line


def test_duration_that_is_not_a_number_is_ignored(db: Path, project: Path) -> None:
    write(
        project / "s1.jsonl",
        line("u1"),
        line("x1", parent="u1", type="system", subtype="turn_duration", durationMs=True, message=None),
        line("x2", parent="x1", type="system", subtype="turn_duration", durationMs=94_936, message=None),
    )
    index(db, project)
    assert ccindex("show", "x1", "--db", db).stdout.splitlines()[1:] == ["  turn_duration"]
    assert ccindex("show", "s1", "--all", "--db", db).stdout.endswith("x2\n  turn duration: 1.6 min\n")


def test_prompt_with_unclosed_command_tags_is_shown_as_title(db: Path, project: Path) -> None:
    # half a million characters: a pattern that looks ahead from every tag would take forever
    text = "<command-name>" * 40_000
    write(project / "s1.jsonl", line("u1", message={"role": "user", "content": text}))
    index(db, project)
    assert "<command-name><command-name>" in ccindex("sessions", "--db", db).stdout


def test_missing_attachment_of_a_fork_is_not_shown_as_none(db: Path, project: Path) -> None:
    write(project / "s1.jsonl", line("u1", timestamp=at(1)))
    origin = {"sessionId": "s1", "messageUuid": "u1"}
    write(project / "s2.jsonl", line("u2", sessionId="s2", timestamp=at(9), forkedFrom=origin))
    index(db, project)
    shown = ccindex("show", "s2", "--db", db).stdout
    assert "None" not in shown


def test_lines_with_the_same_short_id_are_distinguished_regardless_of_file_order(tmp_path: Path) -> None:
    """A session has the same id as an agent's thread, and both have a branch whose id starts with the same prefix."""
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
    outputs = []
    for order in (("a", "b"), ("b", "a")):
        project, db = tmp_path / "p", tmp_path / f"{order[0]}.db"
        for name in order:
            write(project / f"{name}.jsonl", *(agent if name == "a" else other))
            index(db, project)
        outputs.append(
            [ccindex(*arguments, "--db", db).stdout for arguments in (["tree"], ["show", "s1#agent-x@branchbranch"])]
        )
        for name in order:
            (project / f"{name}.jsonl").unlink()
    assert outputs[0] == outputs[1]
    assert "say branchbranch-1" in outputs[0][0]
    assert "say branchbranch-2" in outputs[0][0]


def test_tree_filters_apply_only_to_the_given_session(db: Path, project: Path) -> None:
    write(project / "s1.jsonl", line("u1", timestamp=at(1)))
    write(project / "s2.jsonl", line("u2", parent="u1", sessionId="s2", timestamp=at(180)))
    index(db, project)
    roots = run_json("tree", "--session", "s2", "--db", db)["roots"]
    assert [root["line_id"] for root in roots] == ["s1"]
    assert run_json("tree", "--session", "s2", "--until", "2026-03-01T09:01", "--db", db)["roots"] == []
    assert run_json("tree", "--session", "s1", "--until", "2026-03-01T09:01", "--db", db)["roots"] == roots


def test_path_through_an_unlinked_subagent_is_exported_once(db: Path, project: Path, tmp_path: Path) -> None:
    write(project / "s1.jsonl", line("u1", timestamp=at(1)))
    write(project / "s1" / "subagents" / "agent-x.jsonl", line("g1", isSidechain=True, agentId="x", timestamp=at(2)))
    write(project / "s2.jsonl", line("u2", parent="g1", sessionId="s2", timestamp=at(9)))
    index(db, project)
    files = run_json("export", "--session", "s2", "--agents", "--out", tmp_path / "out", "--db", db)["files"]
    pages = [Path(file["path"]).read_text() for file in files]
    assert sum("say u2" in page for page in pages) == 1


def test_completion_omits_ids_with_shell_metacharacters(db: Path, project: Path) -> None:
    for session in ("plain", "x$(touch pwned)", "x\x1b[31m\nsecond", "a b"):
        write(
            project / f"{abs(hash(session))}.jsonl", line(f"u-{abs(hash(session))}", sessionId=session, parent="ghost")
        )
    index(db, project)
    for arguments, completions in (("--session ", ["plain"]), ("--session x", [])):
        settings = {
            "_CCINDEX_COMPLETE": "complete_bash",
            "COMP_WORDS": f"ccindex sessions {arguments}",
            "COMP_CWORD": "3",
            "CCINDEX_DB": str(db),
        }
        script = "import sys; sys.argv = ['ccindex']; from ccindex.cli import main; main()"
        result = subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, check=False, env=os.environ | settings
        )
        assert result.stdout.split() == completions


def test_numeric_parameter_is_bound_as_a_number(db: Path, project: Path) -> None:
    write(project / "s1.jsonl", line("u1"))
    index(db, project)
    for text, kind in (("1000", "integer"), ("-2.5", "real"), ("2026-03-14", "text"), ("1e3", "text"), ("", "text")):
        assert run_json("sql", "select typeof(:x)", "-p", f"x={text}", "--db", db)["rows"] == [[kind]], text


def test_paths_csv_has_the_uuids(db: Path, project: Path) -> None:
    write(project / "s1.jsonl", line("u1"), line("u2", parent="u1"))
    index(db, project)
    head, row = csv.reader(io.StringIO(ccindex("paths", "--session", "s1", "--uuids", "--csv", "--db", db).stdout))
    assert dict(zip(head, row, strict=True))["uuids"] == "u1 u2"


def test_lone_carriage_return_does_not_end_a_csv_row(db: Path, project: Path) -> None:
    write(project / "s1.jsonl", line("u1", message={"role": "user", "content": "one\rtwo"}))
    index(db, project)
    result = subprocess.run([*CCINDEX, "sessions", "--csv", "--db", str(db)], capture_output=True, check=True)
    head, row = csv.reader(io.StringIO(result.stdout.decode(), newline=""))
    assert dict(zip(head, row, strict=True))["first_prompt"] == "one\rtwo"


def test_sql_file_name_can_contain_spaces(db: Path, project: Path, tmp_path: Path) -> None:
    write(project / "s1.jsonl", line("u1"))
    index(db, project)
    (tmp_path / "my query.sql").write_text("-- the only one\nselect uuid from v1_entries;\n")
    result = ccindex("sql", str(tmp_path / "my query.sql"), "--json", "--db", db)
    assert json.loads(result.stdout)["rows"] == [["u1"]]


def test_closed_stdout_does_not_crash(db: Path, project: Path) -> None:
    write(project / "s1.jsonl", line("u1"))
    for arguments in (f"ingest '{project}'", "sessions", "sessions --json", "show u1"):
        command = f"'{sys.executable}' -m ccindex {arguments} --db '{db}' >&-"
        result = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)
        assert (result.returncode, result.stderr) == (0, ""), arguments
