"""The program in real processes: output and exit codes."""

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

from tests.making.commands import CCINDEX, ccindex, crashing_command, failure, run_json, wait_for
from tests.making.files import append, write
from tests.making.indexes import ask, broken, everything, index, one
from tests.making.transcripts import line


@pytest.fixture
def indexed(db: Path, project: Path) -> Path:
    write(project / "s1.jsonl", line("u1"), line("u2", parent="u1"))
    index(db, project)
    return db


def test_ingest_is_silent_on_success_and_prints_json_on_request(db: Path, project: Path) -> None:
    path = write(project / "s1.jsonl", line("u1"))
    result = ccindex("ingest", project, "--db", db)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
    append(path, line("u2") + "\nbroken\n")
    report = run_json("ingest", project, "--db", db)
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
    assert run_json("ingest", project, "--db", db)["run_id"] is None


def test_ingest_finds_the_folders_of_claude_code(tmp_path: Path) -> None:
    home = tmp_path / "home"
    write(home / ".claude" / "projects" / "-a" / "s1.jsonl", line("u1"))
    write(home / ".config" / "claude" / "projects" / "-b" / "s2.jsonl", line("u2"))
    write(tmp_path / "other" / "projects" / "-c" / "s3.jsonl", line("u3"))
    environment = {
        "HOME": str(home),
        "CLAUDE_CONFIG_DIR": f"{tmp_path}/other,{tmp_path}/none",
        "XDG_DATA_HOME": f"{home}/data",
    }
    assert run_json("ingest", env=environment)["files"]["new"] == 3
    path = Path(run_json("db", "path", env=environment)["path"])
    assert path == home / "data" / "ccindex" / "ccindex.db"
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert run_json("sql", "select distinct project from v1_entries order by 1", env=environment)["rows"] == [
        ["-a"],
        ["-b"],
        ["-c"],
    ]


def test_ingest_succeeds_without_transcripts(tmp_path: Path) -> None:
    environment = {"HOME": str(tmp_path), "CCINDEX_DB": f"sqlite:///{tmp_path}/x.db"}
    assert run_json("ingest", env=environment)["files"]["seen"] == 0
    assert (tmp_path / "x.db").exists()


def test_run_without_changes_opens_no_source_and_imports_no_slow_module(indexed: Path, project: Path) -> None:
    script = (
        "import sys; opened = []\n"
        "sys.addaudithook(lambda event, args: opened.append(str(args[0])) if event == 'open' else None)\n"
        "from ccindex.cli.app import app\n"
        f"app(['ingest', {str(project)!r}, '--db', {str(indexed)!r}], standalone_mode=False)\n"
        f"print([name for name in opened if name.startswith({str(project)!r})])\n"
        "print(sorted({'sqlalchemy', 'alembic', 'rich'} & set(sys.modules)))\n"
    )
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert result.stdout == "[]\n[]\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ["sessions", "--limit", "20", "--project", "w"],
        ["stats", "--by", "model"],
        ["paths", "--session", "s1"],
        ["search", "say", "u1", "--status", "active"],
    ],
)
def test_reading_commands_do_not_import_pydantic(indexed: Path, arguments: list[str]) -> None:
    script = (
        "import sys\n"
        "from ccindex.cli.app import app\n"
        f"app([*{arguments!r}, '--db', {str(indexed)!r}], standalone_mode=False)\n"
        "print(sorted({'pydantic', 'rich'} & set(sys.modules)))\n"
    )
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert result.stdout.splitlines()[-1] == "[]"


def test_restore_works_after_every_source_was_deleted(indexed: Path, project: Path, tmp_path: Path) -> None:
    path = project / "s1.jsonl"
    data = path.read_bytes()
    path.unlink()
    run_json("ingest", project, "--db", indexed)
    files = run_json("restore", "--out", tmp_path / "out", "--db", indexed)["files"]
    assert [(file["path"], file["bytes"]) for file in files] == [(str(path), len(data))]
    assert (tmp_path / "out" / path.relative_to("/")).read_bytes() == data
    views = everything(indexed)
    assert run_json("db", "rebuild", "--db", indexed)["entries"] == 2
    assert everything(indexed) == views


def test_sql_prints_table_json_and_csv(indexed: Path) -> None:
    query = "select uuid, is_typed, logical_parent_uuid as none from v1_entries order by uuid"
    assert run_json("sql", query, "--db", indexed) == {
        "columns": ["uuid", "is_typed", "none"],
        "rows": [["u1", 1, None], ["u2", 1, None]],
    }
    assert ccindex("sql", query, "--csv", "--db", indexed).stdout == "uuid,is_typed,none\nu1,1,\nu2,1,\n"
    assert ccindex("sql", "-", "--csv", "--db", indexed, input=f"-- a comment\n{query}").stdout.startswith("uuid,")
    table = ccindex("sql", query, "--db", indexed).stdout.split()
    assert table[:3] == ["uuid", "is_typed", "none"]
    assert table[-4:] == ["u1", "1", "u2", "1"]


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ("delete from entries", "attempt to write a readonly database"),
        ("attach '/tmp/other.db' as other", "not authorized"),
        ("selec 1", 'near "selec": syntax error'),
        ("select 1; select 2", "You can only execute one statement at a time"),
        ("select * from nowhere", "no such table: nowhere"),
        ("", "it has no result"),
    ],
)
def test_sql_can_only_read(indexed: Path, query: str, reason: str) -> None:
    before = indexed.read_bytes()
    code, stderr = failure("sql", query, "--db", indexed)
    assert (code, stderr.count("\n")) == (1, 1)
    assert stderr.startswith(f"ccindex: cannot run the query: {reason}")
    assert indexed.read_bytes() == before


def test_control_characters_do_not_reach_the_terminal(db: Path, project: Path) -> None:
    write(project / "s1.jsonl", line("u1", message={"content": "\x1b]0;owned\x07 red \x1b[31m\x9b"}))
    index(db, project)
    shown = ccindex("sql", "select text from v1_entries", "--db", db).stdout
    assert "\\x1b]0;owned\\x07 red \\x1b[31m\\x9b" in shown
    assert "\x1b" not in shown


def test_doctor_lists_failed_checks_and_exits_1(indexed: Path) -> None:
    assert run_json("doctor", "--db", indexed)["ok"] is True
    with closing(sqlite3.connect(indexed)) as connection, connection:
        connection.execute("delete from extents")
    result = ccindex("doctor", "--db", indexed)
    assert result.returncode == 1
    assert "BAD  archive_has_no_gaps" in result.stdout
    assert result.stderr == "ccindex: failed checks: archive, archive_has_no_gaps; restore a backup\n"


def test_sqlite3_shell_can_read_every_view(indexed: Path) -> None:
    views = [name for (name,) in ask(indexed, "select name from sqlite_schema where type = 'view'")]
    assert {"v1_sources", "v1_occurrences", "v1_entries", "v1_blocks", "v1_records", "v1_edges"} <= set(views)
    script = "".join(f"select count(*) from {view};" for view in views)
    try:
        result = subprocess.run(["sqlite3", indexed, script], capture_output=True, text=True, check=True)
    except FileNotFoundError:
        pytest.skip("no sqlite3 shell on this machine")
    assert len(result.stdout.split()) == len(views)
    assert result.stderr == ""


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (
            ["ingest", "nowhere"],
            1,
            "ccindex: 'nowhere' does not exist, and the index has no files under it; check the path\n",
        ),
        (["doctor", "--db", "none.db"], 1, "none.db\n"),
        (["db", "vacuum", "--db", "none.db"], 1, "none.db\n"),
        (["ingest", "--db", "postgresql://x/y"], 1, "not 'postgresql://x/y'\n"),
        (["ingest", "--db", "."], 1, "Is a directory; check the file or choose another one with --db\n"),
        (["ingest", "--nonsense"], 2, "--nonsense"),
        (["restore"], 2, "--out"),
        (["frobnicate"], 2, "frobnicate"),
    ],
)
def test_user_error_gives_one_message(tmp_path: Path, arguments: list[str], code: int, message: str) -> None:
    environment = {"HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path)}
    exit_code, stderr = failure(*arguments, cwd=tmp_path, env=environment)
    assert exit_code == code
    assert message in stderr
    assert list(tmp_path.iterdir()) == []


def test_second_ingest_reports_busy_and_exits_0(indexed: Path, project: Path) -> None:
    with indexed.with_name(indexed.name + ".lock").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        append(project / "s1.jsonl", line("u3") + "\n")
        result = ccindex("ingest", project, "--db", indexed, "--json")
        assert (result.returncode, json.loads(result.stdout)["status"]) == (0, "busy")
        assert "another ccindex process is writing" in result.stderr
        assert failure("db", "rebuild", "--db", indexed)[0] == 1
    assert run_json("ingest", project, "--db", indexed)["entries_added"] == 1


@pytest.mark.slow
def test_concurrent_runs_give_the_same_index(db: Path, project: Path) -> None:
    for number in range(20):
        write(project / f"s{number}.jsonl", *(line(f"u{number}-{n}", sessionId=f"s{number}") for n in range(50)))
    arguments = [*CCINDEX, "ingest", str(project), "--db", str(db), "--json"]
    running = [subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(6)]
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
def test_killed_run_leaves_no_lock_and_loses_nothing(db: Path, project: Path) -> None:
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
    report = run_json("ingest", project, "--db", db)
    assert report["status"] == "ok"
    assert run_json("doctor", "--db", db)["ok"] is True
    clean = db.with_name("clean.db")
    index(clean, project)
    assert everything(db) == everything(clean)


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_interrupt_exits_130_without_output(db: Path, project: Path, stop: signal.Signals) -> None:
    write(project / "s1.jsonl", line("u1"))
    arguments = [*CCINDEX, "ingest", str(project), "--db", str(db), "--watch"]
    process = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wait_for(lambda: db.exists() and bool(ask(db, "select 1 from ingest_runs where status = 'ok'")))
    process.send_signal(stop)
    _, stderr = process.communicate(timeout=30)
    assert (process.returncode, stderr) == (130, "")


def test_watch_indexes_new_lines_and_reports_them_at_once(db: Path, project: Path) -> None:
    path = write(project / "s1.jsonl", line("u1"))
    arguments = [*CCINDEX, "ingest", str(project), "--db", str(db), "--watch", "--json"]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        first = json.loads(process.stdout.readline())
        time.sleep(2.5)  # a check without changes prints nothing
        append(path, line("u2") + "\n")
        second = json.loads(process.stdout.readline())
        process.send_signal(signal.SIGINT)
    assert [(report["run_id"], report["entries_added"]) for report in (first, second)] == [(1, 1), (2, 1)]


def test_closed_pipe_is_not_an_error(db: Path, project: Path) -> None:
    write(project / "s1.jsonl", *(line(f"u{n}") for n in range(5000)))
    index(db, project)
    arguments = f"'{sys.executable}' -m ccindex sql 'select uuid, text from v1_entries' --csv --db '{db}' | head -n 1"
    result = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {arguments}"], capture_output=True, text=True, check=False
    )
    assert (result.returncode, result.stdout, result.stderr) == (0, "uuid,text\n", "")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no /dev/full")
def test_writing_to_stdout_on_a_full_disk_gives_one_message(indexed: Path) -> None:
    with open("/dev/full", "w") as full:
        result = subprocess.run(
            [*CCINDEX, "db", "path", "--db", str(indexed)], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert (result.returncode, result.stderr) == (
        1,
        "ccindex: cannot write 'standard output': No space left on device; redirect the output elsewhere\n",
    )


def test_endless_query_can_be_interrupted(indexed: Path) -> None:
    endless = "with recursive n(i) as (select 1 union all select i + 1 from n) select max(i) from n"
    with subprocess.Popen(
        [*CCINDEX, "sql", endless, "--db", str(indexed)], stderr=subprocess.PIPE, text=True
    ) as process:
        time.sleep(2)
        process.send_signal(signal.SIGINT)
        _, stderr = process.communicate(timeout=30)
    assert (process.returncode, stderr) == (130, "")


def test_symbolic_link_uses_the_lock_of_its_target(indexed: Path, project: Path) -> None:
    other = project.parent / "other.db"
    other.symlink_to(indexed)
    with indexed.with_name(indexed.name + ".lock").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert run_json("ingest", project, "--db", other)["status"] == "busy"
    assert not other.with_name("other.db.lock").exists()


def test_failed_run_is_reported_in_json(indexed: Path, project: Path) -> None:
    result = ccindex("ingest", project / "nowhere", "--db", indexed, "--json")
    assert result.returncode == 1
    report = json.loads(result.stdout)
    assert (report["status"], report["run_id"], report["entries_added"]) == ("failed", None, 0)


def test_ingest_prints_a_summary_on_a_terminal(db: Path, project: Path) -> None:
    write(project / "s1.jsonl", line("u1"), "broken")
    reader, terminal = pty.openpty()
    result = subprocess.run(
        [*CCINDEX, "ingest", str(project), "--db", str(db)], stderr=terminal, stdout=terminal, check=True
    )
    os.close(terminal)
    output = os.read(reader, 100_000).decode()
    os.close(reader)
    assert result.returncode == 0
    assert "1 file (1 new), 2 lines read, 1 new entry in" in output
    assert "1 malformed line (see ccindex doctor)" in output


def test_bug_message_contains_the_path_of_the_traceback_file(indexed: Path) -> None:
    result = subprocess.run(crashing_command(indexed), capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout, result.stderr.count("\n")) == (3, "", 1)
    report = Path(result.stderr.rpartition(" ")[2].strip())
    assert "TypeError: 'NoneType' object is not callable" in report.read_text()
    report.unlink()


@pytest.mark.parametrize("arguments", [["db", "vacuum"], ["sessions"], ["doctor"]], ids=" ".join)
def test_missing_table_is_reported_as_damage(indexed: Path, arguments: list[str]) -> None:
    with closing(sqlite3.connect(indexed)) as connection, connection:
        connection.execute("drop table meta")
        connection.execute("drop table sessions")
    result = ccindex(*arguments, "--db", indexed)
    assert result.returncode == 1
    assert result.stderr.count("\n") == 1
    assert "it is damaged: restore a backup" in result.stdout + result.stderr or "failed checks: " in result.stderr
