"""`ccindex forget`: how names are resolved, and the confirmation on a terminal."""

import os
import pty
import subprocess
from pathlib import Path

import pytest

from tests.making.commands import CCINDEX, ccindex, failure, run_json
from tests.making.files import write
from tests.making.indexes import ask, index
from tests.making.transcripts import line


def sessions(db: Path) -> list[str]:
    return [name for (name,) in ask(db, "select session_id from session_ids order by 1")]


def test_forgetting_again_does_not_match_another_session_by_prefix(db: Path, project: Path) -> None:
    write(project / "s1.jsonl", line("u1"))
    write(project / "s10.jsonl", line("v1", sessionId="s10"))
    index(db, project)
    for _ in range(2):
        [tombstone] = run_json("forget", "--session", "s1", "--db", db)["forgotten"]
        assert tombstone == {"kind": "session", "name": "s1"}
        assert sessions(db) == ["s10"]


def test_names_that_are_not_utf8_are_resolved_or_refused(db: Path, project: Path) -> None:
    write(project / "s1.jsonl", line("u1"))
    not_utf8 = project.parent / os.fsdecode(b"-bytes\xff")
    write(not_utf8 / "s2.jsonl", line("v1", sessionId="s2"))
    index(db, project.parent)
    unknown = os.fsdecode(b"\xfe")
    for option in ("--session", "--project"):
        code, stderr = failure("forget", option, unknown, "--db", db)
        assert code == 1
        assert r"\udcfe" in stderr
    assert ccindex("forget", "--project", not_utf8.name, "--db", db).returncode == 0
    assert sessions(db) == ["s1"]
    assert ccindex("forget", "--project", not_utf8.name, "--allow", "--db", db).returncode == 0
    index(db, project.parent)
    assert sessions(db) == ["s1", "s2"]


def test_session_without_readable_objects_can_be_forgotten(db: Path, project: Path) -> None:
    write(project / "s1.jsonl", '{"broken": "text')
    write(project / "s2" / "tool-results" / "t1.txt", "text")
    write(project / "s3.jsonl", line("u1", sessionId="s3"))
    write(project / "copy of s3.jsonl", line("u1", sessionId="s3"))
    index(db, project)
    for name in ("s1", "s2"):
        document = run_json("forget", "--session", name, "--db", db)
        assert [len(document[key]) for key in ("files", "blanked", "sessions", "copies")] == [1, 0, 0, 0]
    assert [path for (path,) in ask(db, "select path from sources order by 1")] == [
        str(project / "copy of s3.jsonl"),
        str(project / "s3.jsonl"),
    ]
    assert index(db, project).run_id is None
    # `copy of s3.jsonl` is not named after its session
    code, stderr = failure("forget", "--session", "copy", "--db", db)
    assert code == 1
    assert "has an id starting with 'copy'" in stderr


@pytest.mark.parametrize(("answer_text", "code", "left"), [("n\n", 1, ["s1"]), ("y\n", 0, [])])
def test_forget_asks_for_confirmation_on_a_terminal(
    db: Path, project: Path, answer_text: str, code: int, left: list[str]
) -> None:
    write(project / "s1.jsonl", line("u1"))
    index(db, project)
    keyboard, terminal = pty.openpty()
    os.write(keyboard, answer_text.encode())
    arguments = [*CCINDEX, "forget", "--session", "s1", "--db", str(db)]
    result = subprocess.run(arguments, stdin=terminal, capture_output=True, text=True, check=False, timeout=60)
    os.close(keyboard)
    os.close(terminal)
    assert result.returncode == code
    assert result.stdout.startswith("would forget session s1: 1 entry, 1 file (")
    assert "Remove this permanently? [y/N]" in result.stdout
    assert ("forgot session s1" in result.stdout) == (not left)
    assert sessions(db) == left
