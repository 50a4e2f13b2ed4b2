"""The program as a user runs it: real processes, their output and exit codes."""

import fcntl
import json
import os
import pty
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from tests.making.commands import CCINDEX, answer, bug, ccindex, failure, wait_for
from tests.making.files import append, write
from tests.making.indexes import ask, broken, everything, index, one
from tests.making.transcripts import line


@pytest.fixture
def made(db: Path, project: Path) -> Path:
    write(project / "s1.jsonl", line("u1"), line("u2", parent="u1"))
    index(db, project)
    return db


def test_ingest_is_silent_on_success_and_speaks_json_when_asked(db: Path, project: Path) -> None:
    path = write(project / "s1.jsonl", line("u1"))
    done = ccindex("ingest", project, "--db", db)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    append(path, line("u2") + "\nbroken\n")
    report = answer("ingest", project, "--db", db)
    assert report.pop("seconds") >= 0
    assert sum(report.pop("phases").values()) > 0
    bytes_read = report.pop("bytes_read")
    assert 0 < bytes_read < 20_000
    assert report == {
        "run_id": 2,
        "status": "ok",
        "files": {"seen": 1, "new": 0, "appended": 1, "rewritten": 0, "unchanged": 0, "missing": 0},
        "lines_read": 2,
        "entries_added": 1,
        "malformed_lines": 1,
    }
    assert answer("ingest", project, "--db", db)["run_id"] is None


def test_ingest_finds_claude_codes_own_folders(tmp_path: Path) -> None:
    home = tmp_path / "home"
    write(home / ".claude" / "projects" / "-a" / "s1.jsonl", line("u1"))
    write(home / ".config" / "claude" / "projects" / "-b" / "s2.jsonl", line("u2"))
    write(tmp_path / "other" / "projects" / "-c" / "s3.jsonl", line("u3"))
    places = {
        "HOME": str(home),
        "CLAUDE_CONFIG_DIR": f"{tmp_path}/other,{tmp_path}/none",
        "XDG_DATA_HOME": f"{home}/data",
    }
    assert answer("ingest", env=places)["files"]["new"] == 3
    path = Path(answer("db", "path", env=places)["path"])
    assert path == home / "data" / "ccindex" / "ccindex.db"
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert answer("sql", "select distinct project from v1_entries order by 1", env=places)["rows"] == [
        ["-a"],
        ["-b"],
        ["-c"],
    ]


def test_without_transcripts_ingest_is_content(tmp_path: Path) -> None:
    places = {"HOME": str(tmp_path), "CCINDEX_DB": f"sqlite:///{tmp_path}/x.db"}
    assert answer("ingest", env=places)["files"]["seen"] == 0
    assert (tmp_path / "x.db").exists()


def test_an_unchanged_run_opens_no_source_and_imports_nothing_heavy(made: Path, project: Path) -> None:
    script = (
        "import sys; opened = []\n"
        "sys.addaudithook(lambda event, args: opened.append(str(args[0])) if event == 'open' else None)\n"
        "from ccindex.cli.app import app\n"
        f"app(['ingest', {str(project)!r}, '--db', {str(made)!r}], standalone_mode=False)\n"
        f"print([name for name in opened if name.startswith({str(project)!r})])\n"
        "print(sorted({'sqlalchemy', 'alembic', 'rich'} & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n[]\n"


@pytest.mark.parametrize(
    "words",
    [
        ["sessions", "--limit", "20", "--project", "w"],
        ["stats", "--by", "model"],
        ["paths", "--session", "s1"],
        ["search", "say", "u1", "--status", "active"],
    ],
)
def test_readers_do_not_load_what_typer_checks_values_with(made: Path, words: list[str]) -> None:
    script = (
        "import sys\n"
        "from ccindex.cli.app import app\n"
        f"app([*{words!r}, '--db', {str(made)!r}], standalone_mode=False)\n"
        "print(sorted({'pydantic', 'rich'} & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_restore_after_every_source_was_deleted(made: Path, project: Path, tmp_path: Path) -> None:
    path = project / "s1.jsonl"
    data = path.read_bytes()
    path.unlink()
    answer("ingest", project, "--db", made)
    files = answer("restore", "--out", tmp_path / "out", "--db", made)["files"]
    assert [(file["path"], file["bytes"]) for file in files] == [(str(path), len(data))]
    assert (tmp_path / "out" / path.relative_to("/")).read_bytes() == data
    said = everything(made)
    assert answer("db", "rebuild", "--db", made)["entries"] == 2
    assert everything(made) == said


def test_sql_answers_as_table_json_and_csv(made: Path) -> None:
    query = "select uuid, is_typed, logical_parent_uuid as none from v1_entries order by uuid"
    assert answer("sql", query, "--db", made) == {
        "columns": ["uuid", "is_typed", "none"],
        "rows": [["u1", 1, None], ["u2", 1, None]],
    }
    assert ccindex("sql", query, "--csv", "--db", made).stdout == "uuid,is_typed,none\nu1,1,\nu2,1,\n"
    assert ccindex("sql", "-", "--csv", "--db", made, input=f"-- a comment\n{query}").stdout.startswith("uuid,")
    table = ccindex("sql", query, "--db", made).stdout.split()
    assert table[:3] == ["uuid", "is_typed", "none"]
    assert table[-4:] == ["u1", "1", "u2", "1"]


@pytest.mark.parametrize(
    ("query", "why"),
    [
        ("delete from entries", "attempt to write a readonly database"),
        ("attach '/tmp/other.db' as other", "not authorized"),
        ("selec 1", 'near "selec": syntax error'),
        ("select 1; select 2", "You can only execute one statement at a time."),
        ("select * from nowhere", "no such table: nowhere"),
        ("", "it returns no rows"),
    ],
)
def test_sql_can_only_read(made: Path, query: str, why: str) -> None:
    before = made.read_bytes()
    code, said = failure("sql", query, "--db", made)
    assert (code, said.count("\n")) == (1, 1)
    assert said.startswith(f"ccindex: cannot run that query: {why}")
    assert made.read_bytes() == before


def test_control_characters_do_not_reach_the_terminal(db: Path, project: Path) -> None:
    write(project / "s1.jsonl", line("u1", message={"content": "\x1b]0;owned\x07 red \x1b[31m\x9b"}))
    index(db, project)
    shown = ccindex("sql", "select text from v1_entries", "--db", db).stdout
    assert "\\x1b]0;owned\\x07 red \\x1b[31m\\x9b" in shown
    assert "\x1b" not in shown


def test_doctor_says_what_is_broken_and_exits_1(made: Path) -> None:
    assert answer("doctor", "--db", made)["ok"] is True
    with closing(sqlite3.connect(made)) as connection, connection:
        connection.execute("delete from extents")
    done = ccindex("doctor", "--db", made)
    assert done.returncode == 1
    assert "BAD  archive_leaves_no_gap" in done.stdout
    assert done.stderr == "ccindex: broken: archive, archive_leaves_no_gap\n"


def test_the_plain_sqlite3_shell_reads_every_view(made: Path) -> None:
    views = [name for (name,) in ask(made, "select name from sqlite_schema where type = 'view'")]
    assert {"v1_sources", "v1_occurrences", "v1_entries", "v1_blocks", "v1_records", "v1_edges"} <= set(views)
    script = "".join(f"select count(*) from {view};" for view in views)
    try:
        done = subprocess.run(["sqlite3", made, script], capture_output=True, text=True, check=True)
    except FileNotFoundError:
        pytest.skip("no sqlite3 shell on this machine")
    assert len(done.stdout.split()) == len(views)
    assert done.stderr == ""


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["ingest", "nowhere"], 1, "ccindex: 'nowhere' does not exist and the index knows nothing below it\n"),
        (["doctor", "--db", "none.db"], 1, "none.db\n"),
        (["db", "vacuum", "--db", "none.db"], 1, "none.db\n"),
        (["ingest", "--db", "postgresql://x/y"], 1, "not 'postgresql://x/y'\n"),
        (["ingest", "--db", "."], 1, "Is a directory; check the file or name another with --db\n"),
        (["ingest", "--nonsense"], 2, "--nonsense"),
        (["restore"], 2, "--out"),
        (["frobnicate"], 2, "frobnicate"),
    ],
)
def test_what_the_user_can_put_right_is_one_sentence(tmp_path: Path, words: list[str], code: int, said: str) -> None:
    places = {"HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path)}
    found, message = failure(*words, cwd=tmp_path, env=places)
    assert found == code
    assert said in message
    assert list(tmp_path.iterdir()) == []


def test_a_second_ingest_says_busy_and_exits_0(made: Path, project: Path) -> None:
    with made.with_name(made.name + ".lock").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        append(project / "s1.jsonl", line("u3") + "\n")
        done = ccindex("ingest", project, "--db", made, "--json")
        assert (done.returncode, json.loads(done.stdout)["status"]) == (0, "busy")
        assert "another ccindex is writing" in done.stderr
        assert failure("db", "rebuild", "--db", made)[0] == 1
    assert answer("ingest", project, "--db", made)["entries_added"] == 1


@pytest.mark.slow
def test_many_at_once_do_no_harm(db: Path, project: Path) -> None:
    for number in range(20):
        write(project / f"s{number}.jsonl", *(line(f"u{number}-{n}", sessionId=f"s{number}") for n in range(50)))
    words = [*CCINDEX, "ingest", str(project), "--db", str(db), "--json"]
    running = [subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(6)]
    outputs = [process.communicate(timeout=60) for process in running]
    assert [process.returncode for process in running] == [0] * 6, outputs
    statuses = {json.loads(out)["status"] for out, _ in outputs}
    assert "ok" in statuses
    assert statuses <= {"ok", "busy"}
    assert one(db, "select count(*) from v1_entries") == 1000
    assert one(db, "select count(*) from v1_ingest_runs") == 1
    assert broken(db) == {}
    index(db.with_name("clean.db"), project)
    assert everything(db) == everything(db.with_name("clean.db"))


@pytest.mark.slow
def test_a_killed_run_leaves_no_lock_and_loses_nothing(db: Path, project: Path) -> None:
    bulk = {"role": "user", "content": "x" * 20_000}
    for number in range(40):
        write(
            project / f"s{number}.jsonl",
            *(line(f"u{number}-{n}", sessionId=f"s{number}", message=bulk) for n in range(40)),
        )
    kills = 0
    for delay in (0.15, 0.3, 0.45, 0.6, 0.8, 1.0):
        process = subprocess.Popen([*CCINDEX, "ingest", str(project), "--db", str(db)])
        time.sleep(delay)
        process.send_signal(signal.SIGKILL)
        kills += process.wait() == -signal.SIGKILL
    assert kills > 0
    report = answer("ingest", project, "--db", db)
    assert report["status"] == "ok"
    assert answer("doctor", "--db", db)["ok"] is True
    clean = db.with_name("clean.db")
    index(clean, project)
    assert everything(db) == everything(clean)


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_ends_quietly_with_130(db: Path, project: Path, stop: signal.Signals) -> None:
    write(project / "s1.jsonl", line("u1"))
    words = [*CCINDEX, "ingest", str(project), "--db", str(db), "--watch"]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wait_for(lambda: db.exists() and bool(ask(db, "select 1 from ingest_runs where status = 'ok'")))
    process.send_signal(stop)
    _, said = process.communicate(timeout=30)
    assert (process.returncode, said) == (130, "")


def test_watch_takes_what_arrives_and_says_so_at_once(db: Path, project: Path) -> None:
    path = write(project / "s1.jsonl", line("u1"))
    words = [*CCINDEX, "ingest", str(project), "--db", str(db), "--watch", "--json"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        first = json.loads(process.stdout.readline())
        time.sleep(2.5)  # a look that finds nothing new says nothing
        append(path, line("u2") + "\n")
        second = json.loads(process.stdout.readline())
        process.send_signal(signal.SIGINT)
    assert [(told["run_id"], told["entries_added"]) for told in (first, second)] == [(1, 1), (2, 1)]


def test_a_reader_that_has_seen_enough_is_no_error(db: Path, project: Path) -> None:
    write(project / "s1.jsonl", *(line(f"u{n}") for n in range(5000)))
    index(db, project)
    words = f"'{sys.executable}' -m ccindex sql 'select uuid, text from v1_entries' --csv --db '{db}' | head -n 1"
    done = subprocess.run(["bash", "-c", f"set -o pipefail; {words}"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "uuid,text\n", "")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no /dev/full")
def test_a_full_disk_behind_stdout_gives_one_sentence(made: Path) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*CCINDEX, "db", "path", "--db", str(made)], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert (done.returncode, done.stderr) == (1, "ccindex: cannot write 'standard output': No space left on device\n")


def test_an_endless_query_can_be_interrupted(made: Path) -> None:
    endless = "with recursive n(i) as (select 1 union all select i + 1 from n) select max(i) from n"
    with subprocess.Popen([*CCINDEX, "sql", endless, "--db", str(made)], stderr=subprocess.PIPE, text=True) as process:
        time.sleep(2)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=30)
    assert (process.returncode, said) == (130, "")


def test_one_database_has_one_lock_by_whatever_name_it_is_called(made: Path, project: Path) -> None:
    other = project.parent / "other.db"
    other.symlink_to(made)
    with made.with_name(made.name + ".lock").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert answer("ingest", project, "--db", other)["status"] == "busy"
    assert not other.with_name("other.db.lock").exists()


def test_a_run_that_failed_says_so_in_json(made: Path, project: Path) -> None:
    done = ccindex("ingest", project / "nowhere", "--db", made, "--json")
    assert done.returncode == 1
    report = json.loads(done.stdout)
    assert (report["status"], report["run_id"], report["entries_added"]) == ("failed", None, 0)


def test_on_a_terminal_ingest_tells_what_it_did(db: Path, project: Path) -> None:
    write(project / "s1.jsonl", line("u1"), "broken")
    reader, terminal = pty.openpty()
    done = subprocess.run(
        [*CCINDEX, "ingest", str(project), "--db", str(db)], stderr=terminal, stdout=terminal, check=True
    )
    os.close(terminal)
    said = os.read(reader, 100_000).decode()
    os.close(reader)
    assert done.returncode == 0
    assert "1 files (1 new): read 2 lines, 1 new entries in" in said
    assert "1 malformed lines: ccindex doctor" in said


def test_a_bug_of_ours_names_the_file_with_the_traceback(made: Path) -> None:
    done = subprocess.run(bug(made), capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (3, "", 1)
    report = Path(done.stderr.rpartition(" ")[2].strip())
    assert "TypeError: 'NoneType' object is not callable" in report.read_text()
    report.unlink()


@pytest.mark.parametrize("words", [["db", "vacuum"], ["sessions"], ["doctor"]], ids=" ".join)
def test_a_table_that_is_gone_is_no_bug_of_ours(made: Path, words: list[str]) -> None:
    with closing(sqlite3.connect(made)) as connection, connection:
        connection.execute("drop table meta")
        connection.execute("drop table sessions")
    done = ccindex(*words, "--db", made)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "it is damaged: restore a backup" in done.stdout + done.stderr or "broken: " in done.stderr
