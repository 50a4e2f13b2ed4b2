"""`ccindex forget` from outside: which session a name means, and what happens to names that are none."""

import os
import pty
import subprocess
from pathlib import Path

import pytest

from tests.making.commands import CCINDEX, answer, ccindex, failure
from tests.making.files import write
from tests.making.indexes import ask, index
from tests.making.transcripts import line


def sessions(db: Path) -> list[str]:
    return [name for (name,) in ask(db, "select session_id from session_ids order by 1")]


def test_asking_again_never_takes_another_session_that_begins_so(db: Path, project: Path) -> None:
    write(project / "s1.jsonl", line("u1"))
    write(project / "s10.jsonl", line("v1", sessionId="s10"))
    index(db, project)
    for _ in range(2):
        [named] = answer("forget", "--session", "s1", "--db", db)["forgotten"]
        assert named == {"kind": "session", "name": "s1"}
        assert sessions(db) == ["s10"]


def test_names_that_are_no_utf_8_are_found_or_refused_in_a_sentence(db: Path, project: Path) -> None:
    write(project / "s1.jsonl", line("u1"))
    odd = project.parent / os.fsdecode(b"-odd\xff")
    write(odd / "s2.jsonl", line("v1", sessionId="s2"))
    index(db, project.parent)
    nothing = os.fsdecode(b"\xfe")
    for option in ("--session", "--project"):
        code, said = failure("forget", option, nothing, "--db", db)
        assert code == 1
        assert r"\udcfe" in said
    assert ccindex("forget", "--project", odd.name, "--db", db).returncode == 0
    assert sessions(db) == ["s1"]
    assert ccindex("forget", "--project", odd.name, "--allow", "--db", db).returncode == 0
    index(db, project.parent)
    assert sessions(db) == ["s1", "s2"]


def test_a_session_of_which_no_object_could_be_read_can_be_forgotten_too(db: Path, project: Path) -> None:
    write(project / "s1.jsonl", '{"broken": "words')
    write(project / "s2" / "tool-results" / "t1.txt", "words")
    write(project / "s3.jsonl", line("u1", sessionId="s3"))
    write(project / "copy of s3.jsonl", line("u1", sessionId="s3"))
    index(db, project)
    for name in ("s1", "s2"):
        told = answer("forget", "--session", name, "--db", db)
        assert [len(told[key]) for key in ("files", "blanked", "sessions", "copies")] == [1, 0, 0, 0]
    assert [path for (path,) in ask(db, "select path from sources order by 1")] == [
        str(project / "copy of s3.jsonl"),
        str(project / "s3.jsonl"),
    ]
    assert index(db, project).run_id is None
    code, said = failure("forget", "--session", "copy", "--db", db)  # what it holds is of a session with another name
    assert code == 1
    assert "begins with 'copy'" in said


@pytest.mark.parametrize(("said", "code", "left"), [("n\n", 1, ["s1"]), ("y\n", 0, [])])
def test_on_a_terminal_it_asks_first(db: Path, project: Path, said: str, code: int, left: list[str]) -> None:
    write(project / "s1.jsonl", line("u1"))
    index(db, project)
    ours, theirs = pty.openpty()
    os.write(ours, said.encode())
    words = [*CCINDEX, "forget", "--session", "s1", "--db", str(db)]
    done = subprocess.run(words, stdin=theirs, capture_output=True, text=True, check=False, timeout=60)
    os.close(ours)
    os.close(theirs)
    assert done.returncode == code
    assert done.stdout.startswith("would forget session s1: 1 entry, 1 file with ")
    assert "Remove this for good? [y/N]" in done.stdout
    assert ("forgot session s1" in done.stdout) == (not left)
    assert sessions(db) == left
