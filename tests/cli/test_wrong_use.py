"""User errors: one message, the right exit code, no partial files and no traceback."""

import fcntl
import json
import os
import resource
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.making.commands import CCINDEX, ccindex
from tests.making.files import write
from tests.making.indexes import everything, index
from tests.making.transcripts import line

WRITE_STEP = "check the path, its permissions and the free disk space"
# every command that reads an index, with arguments; {out} is a folder that does not exist yet
READERS = {
    "sessions": ["sessions"],
    "tree": ["tree"],
    "paths": ["paths", "--session", "alike-1"],
    "show": ["show", "alike-1"],
    "explain": ["explain", "u1"],
    "graph": ["graph", "tree", "alike-1"],
    "search": ["search", "say"],
    "stats": ["stats"],
    "tools": ["tools"],
    "agents": ["agents"],
    "files": ["files"],
    "export": ["export", "--all", "--out", "{out}"],
    "restore": ["restore", "--out", "{out}"],
    "sql": ["sql", "select 1"],
    "doctor": ["doctor"],
}
MAINTENANCE = {f"db {name}": ["db", name] for name in ("upgrade", "rebuild", "reprice", "vacuum")}
EVERY = READERS | MAINTENANCE
BY_SESSION = {
    "sessions": ["sessions"],
    "search": ["search", "say"],
    "stats": ["stats"],
    "tools": ["tools"],
    "agents": ["agents"],
    "files": ["files"],
    "export": ["export", "--out", "{out}"],
}
BY_DATE = BY_SESSION | {"tree": ["tree"]}
LIMITED = {name: READERS[name] for name in ("sessions", "tree", "graph", "search", "tools", "agents", "files", "sql")}


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an index with two sessions whose ids share a prefix."""
    folder = tmp_path_factory.mktemp("made").resolve()
    for name in ("alike-1", "alike-2"):
        write(folder / "p" / f"{name}.jsonl", line(f"u{name[-1]}", sessionId=name))
    index(folder / "x.db", folder / "p")
    return folder / "x.db"


def run_failing(arguments: list[str], folder: Path, *more: str | Path, **keys: Any) -> tuple[int, str, str]:
    """Run a command that must leave the folder unchanged; return exit code, stdout and stderr."""
    before = contents(folder)
    result = ccindex(*(word.format(out=folder / "out") for word in arguments), *more, cwd=folder, **keys)
    assert "Traceback" not in result.stdout + result.stderr
    assert contents(folder) == before
    return result.returncode, result.stdout, result.stderr


def contents(folder: Path) -> dict[str, bytes | None]:
    """Return the contents of a folder, except SQLite's side files."""
    paths = [path for path in folder.rglob("*") if not path.name.endswith(("-shm", "-wal"))]
    return {str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None for path in paths}


def error_message(arguments: list[str], folder: Path, *more: str | Path, **keys: Any) -> str:
    """Run a command that must exit with status 1, and return its one-line message."""
    code, out, message = run_failing(arguments, folder, *more, **keys)
    assert (code, out, message.count("\n")) == (1, "", 1), message
    assert message.startswith("ccindex: ")
    return message.removeprefix("ccindex: ").removesuffix("\n")


def usage_error(arguments: list[str], folder: Path, *more: str | Path) -> str:
    """Run a command that must exit with status 2, and return the error line."""
    code, out, message = run_failing(arguments, folder, *more)
    assert (code, out) == (2, ""), message
    last = message.splitlines()[-1]
    assert last.startswith("Error: ")
    return last


@pytest.mark.parametrize("name", EVERY)
def test_missing_index_is_not_created(tmp_path: Path, name: str) -> None:
    message = error_message(EVERY[name], tmp_path, "--json", "--db", tmp_path / "none.db")
    path = tmp_path.resolve() / "none.db"
    assert message == f"no index at '{path}'; create it with: ccindex ingest --db {path}"


@pytest.mark.parametrize("name", EVERY | {"ingest": []})
def test_text_file_is_refused_and_not_changed(tmp_path: Path, indexed: Path, name: str) -> None:
    (tmp_path / "notes.txt").write_text("dear diary\n")
    arguments = EVERY[name] if name in EVERY else ["ingest", str(indexed.parent / "p")]
    message = error_message(arguments, tmp_path, "--db", "notes.txt")
    assert message == f"'{tmp_path.resolve() / 'notes.txt'}' is not a ccindex index; choose another file with --db"


@pytest.mark.parametrize("arguments", [["sessions"], ["ingest", "."]], ids=" ".join)
@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("other.db", "is not a ccindex index; choose another file with --db"),
        ("pretender.db", "is not a ccindex index; choose another file with --db"),
        ("folder", "Is a directory; check the file or choose another one with --db"),
        ("other.db/below.db", "Not a directory; check the file or choose another one with --db"),
        (
            "cut.db",
            "it is damaged: restore a backup, or move it and its -wal file out of the way and run: ccindex ingest",
        ),
    ],
)
def test_files_that_are_not_an_index_are_refused_and_not_changed(
    tmp_path: Path, indexed: Path, arguments: list[str], name: str, reason: str
) -> None:
    (tmp_path / "folder").mkdir()
    # another program's database, a database that has only ccindex's application id, and a truncated index
    for other, mark in (("other.db", 0), ("pretender.db", 0x63636978)):
        with closing(sqlite3.connect(tmp_path / other)) as connection, connection:
            connection.execute(f"pragma application_id = {mark}")
            connection.execute("create table theirs (x)")
    (tmp_path / "cut.db").write_bytes(indexed.read_bytes()[:5000])
    message = error_message(arguments, tmp_path, "--db", name)
    assert str(tmp_path.resolve() / name) in message
    assert message.endswith(reason)


@pytest.mark.parametrize("arguments", [["sessions"], ["db", "vacuum"]], ids=" ".join)
def test_empty_file_counts_as_missing_index(tmp_path: Path, arguments: list[str]) -> None:
    (tmp_path / "x.db").touch()
    assert error_message(arguments, tmp_path, "--db", "x.db").endswith(
        f"create it with: ccindex ingest --db {tmp_path}/x.db"
    )


def test_index_can_be_created_in_an_empty_file(tmp_path: Path, indexed: Path) -> None:
    (tmp_path / "x.db").touch()
    assert ccindex("ingest", indexed.parent / "p", "--db", tmp_path / "x.db").returncode == 0
    assert everything(tmp_path / "x.db") == everything(indexed)


def test_db_current_reports_absent_and_foreign_files(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("dear diary\n")
    for name, state in (("none.db", "absent"), ("notes.txt", "foreign")):
        code, out, message = run_failing(["db", "current", "--json"], tmp_path, "--db", name)
        assert (code, message) == (0, "")
        assert json.loads(out) == {
            "path": str(tmp_path.resolve() / name),
            "state": state,
            "revision": None,
            "head": json.loads(out)["head"],
        }


@pytest.mark.parametrize("address", ["postgresql://host/name", "sqlite:///", ":memory:", "http://x.db"])
def test_database_url_that_is_not_a_file_is_refused(tmp_path: Path, address: str) -> None:
    message = error_message(["sessions"], tmp_path, "--db", address)
    assert message == f"--db (or CCINDEX_DB) must be a file path or a sqlite:/// URL, not '{address}'"


@pytest.mark.parametrize("name", BY_SESSION)
def test_unknown_session_is_refused(tmp_path: Path, indexed: Path, name: str) -> None:
    arguments = [*BY_SESSION[name], "--session", "unlike"]
    message = error_message(arguments, tmp_path, "--json", "--db", indexed)
    assert message == (
        "no session in this index has an id starting with 'unlike'; check the id, or run ccindex ingest if it is new"
    )


@pytest.mark.parametrize("name", BY_SESSION)
def test_ambiguous_session_prefix_lists_the_matches(tmp_path: Path, indexed: Path, name: str) -> None:
    code, out, message = run_failing([*BY_SESSION[name], "--session", "ali"], tmp_path, "--db", indexed)
    assert (code, out) == (1, "")
    assert message == (
        "ccindex: several sessions have ids starting with 'ali'; specify one of them:\n  alike-1\n  alike-2\n"
    )


@pytest.mark.parametrize("name", BY_DATE)
def test_invalid_date_is_refused(tmp_path: Path, indexed: Path, name: str) -> None:
    message = usage_error([*BY_DATE[name], "--until", "2026-02-30"], tmp_path, "--db", indexed)
    assert message.endswith("'2026-02-30' is not a date; try 2026-02-01, yesterday or 7d")


def test_date_is_checked_before_the_index_is_opened(tmp_path: Path) -> None:
    assert "'soon' is not a date" in usage_error(
        ["sessions", "--since", "soon"], tmp_path, "--db", tmp_path / "none.db"
    )


@pytest.mark.parametrize("name", LIMITED)
def test_negative_limit_is_refused(tmp_path: Path, indexed: Path, name: str) -> None:
    assert "--limit" in usage_error([*LIMITED[name], "--limit", "-1"], tmp_path, "--db", indexed)


@pytest.mark.parametrize("name", ["sessions", "search", "sql"])
def test_huge_limit_does_not_crash(tmp_path: Path, indexed: Path, name: str) -> None:
    arguments = [*READERS[name], "--json", "--limit", str(2**63)]
    result = ccindex(*arguments, "--db", indexed, env={"TMPDIR": str(tmp_path)})
    assert result.returncode in (0, 2)


def test_home_folder_of_an_unknown_user_is_refused(tmp_path: Path) -> None:
    result = ccindex("sessions", "--db", "~nobody-of-that-name/x.db", env={"TMPDIR": str(tmp_path)})
    assert (result.returncode, result.stderr.count("\n")) == (1, 1)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["files", "--operation", "eat"], "Invalid value for '--operation': 'eat' is not one of 'read', "),
        (["search", "say", "--status", "lost"], "Invalid value for '--status': 'lost' is not one of 'active', "),
        (["sessions", "--limit", "many"], "--limit"),
        (["restore", "--out", "{out}", "--generation", "0"], "--generation"),
        (["sql", "select 1", "--timeout", "-1"], "--timeout"),
        (["sql", "select :x", "--param", "x"], "'x' is not of the form NAME=VALUE"),
        (["sql", "--example", "nonsense"], "no example is named 'nonsense'"),
        (["sql"], "specify exactly one of a query, --example, --examples and --schema"),
        (["search"], "Missing argument"),
        (["graph"], "Missing argument 'QUERY'"),
        (["graph", "tree"], "Missing argument 'ID'"),
        (["graph", "parents", "u1"], "'parents' is not a query; choose from: ancestors, descendants, "),
        (["export", "--all"], "Missing option '--out'"),
        (["sessions", "extra"], "extra"),
        (["tools", "--db"], "--db"),
        (["db", "frobnicate"], "frobnicate"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_usage_error_describes_the_problem(tmp_path: Path, indexed: Path, arguments: list[str], expected: str) -> None:
    db = [] if arguments[-1] == "--db" else ["--db", str(indexed)]
    assert expected in usage_error(arguments, tmp_path, *db)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["graph", "children", "alike-1"], "no entry in this index has an id starting with 'alike-1'"),
        (["graph", "roots", "u1"], "no session in this index has an id starting with 'u1'"),
        (["graph", "tree", "nowhere"], "no session or entry in this index has an id starting with 'nowhere'"),
        (["sql", "missing.sql"], "cannot read 'missing.sql': No such file or directory"),
        (["sql", "folder.sql"], "cannot read 'folder.sql': Is a directory"),
        (["sql", "latin.sql"], "cannot read 'latin.sql': 'utf-8' codec can't decode byte 0xe9 in position 8"),
        (["sql", "select :x"], "cannot run the query: "),
        (["sql", "select load_extension('x')"], "cannot run the query: "),
        (["sql", "pragma journal_mode = delete"], "cannot run the query: "),
        (["sql", "vacuum into 'copy.db'"], "cannot run the query: "),
        (
            ["restore", "--out", "{out}", "--source", "nowhere"],
            "no file 'nowhere' in this index; list all files with: ccindex sql \"select path from v1_sources\"",
        ),
        (
            ["restore", "--out", "{out}", "--generation", "7"],
            "no file in this index has generation 7; the latest is",
        ),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_unreadable_input_gives_one_message(tmp_path: Path, indexed: Path, arguments: list[str], message: str) -> None:
    (tmp_path / "folder.sql").mkdir()
    (tmp_path / "latin.sql").write_bytes(b"select '\xe9'")
    assert message in error_message(arguments, tmp_path, "--db", indexed)


def test_query_is_stopped_after_the_timeout(tmp_path: Path, indexed: Path) -> None:
    endless = "with recursive n(i) as (select 1 union all select i + 1 from n) select max(i) from n"
    message = error_message(["sql", endless, "--timeout", "0.2", "--json"], tmp_path, "--db", indexed)
    assert message == "the query was stopped after 0.2 s; --timeout 0 removes the time limit"


def limit_file_size() -> None:
    """Limit files to a few kilobytes, as if the disk were full."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (4_000, 4_000))


@pytest.fixture(scope="module")
def long(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an index of a session whose exports are larger than the file size limit."""
    folder = tmp_path_factory.mktemp("long").resolve()
    entries = (line(f"u{n}", parent=f"u{n - 1}" if n else None, sessionId="long") for n in range(200))
    write(folder / "p" / "long.jsonl", *entries)
    write(folder / "p" / "brief.jsonl", line("v1", sessionId="brief"))
    index(folder / "x.db", folder / "p")
    with closing(sqlite3.connect(folder / "x.db")) as connection:
        connection.execute("pragma journal_mode = delete")  # so that readers create no side files
    return folder / "x.db"


@pytest.mark.parametrize("form", ["markdown", "dot", "timeline"])
def test_disk_full_leaves_no_partial_export(tmp_path: Path, long: Path, form: str) -> None:
    (tmp_path / "out").mkdir()
    arguments = ["export", "--session", "long", "--format", form, "--json", "--out", "{out}"]
    message = error_message(arguments, tmp_path, "--db", long, preexec_fn=limit_file_size)
    assert message.startswith(f"cannot write '{tmp_path}/out/")
    assert message.endswith(f": File too large; {WRITE_STEP}")


def test_disk_full_leaves_no_partial_restored_file(tmp_path: Path, long: Path) -> None:
    result = ccindex("restore", "--out", tmp_path / "out", "--db", long, preexec_fn=limit_file_size)
    assert (result.returncode, result.stdout) == (1, "")
    target = f"{tmp_path}/out{long.parent}/p/long.jsonl"
    assert result.stderr == f"ccindex: cannot write '{target}': File too large; {WRITE_STEP}\n"
    assert [path.name for path in (tmp_path / "out").rglob("*") if path.is_file()] == ["brief.jsonl"]


def test_disk_full_during_ingest_loses_nothing(tmp_path: Path, long: Path) -> None:
    db = Path(shutil.copy(long, tmp_path / "x.db"))
    before = everything(db)
    write(tmp_path / "p" / "more.jsonl", *(line(f"m{n}", message={"content": "x" * 9_000}) for n in range(99)))

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (db.stat().st_size, db.stat().st_size))

    result = ccindex("ingest", tmp_path / "p", "--json", "--db", db, preexec_fn=limit)
    assert (result.returncode, json.loads(result.stdout)["status"]) == (1, "failed")
    assert result.stderr.count("\n") == 1
    assert "run the command again; nothing was lost" in result.stderr
    assert ccindex("ingest", tmp_path / "p", "--db", db).returncode == 0
    assert everything(db).keys() == before.keys()
    assert ccindex("doctor", "--db", db).returncode == 0


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no /dev/full")
@pytest.mark.parametrize(
    "arguments",
    [
        ["sessions"],
        ["tools", "--json"],
        ["files", "--csv"],
        ["tree", "--json"],
        ["show", "alike-1"],
        ["show", "alike-1", "--raw"],
        ["explain", "u1"],
        ["graph", "tree", "alike-1"],
        ["graph", "roots", "alike-1", "--csv"],
        ["search", "say", "--json"],
    ],
    ids=" ".join,
)
def test_writing_to_stdout_on_a_full_disk_gives_one_message(indexed: Path, arguments: list[str]) -> None:
    with open("/dev/full", "w") as full:
        result = subprocess.run(
            [*CCINDEX, *arguments, "--db", str(indexed)], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert (result.returncode, result.stderr) == (
        1,
        "ccindex: cannot write 'standard output': No space left on device; redirect the output elsewhere\n",
    )


@contextmanager
def locked_by_other(db: Path, *statements: str) -> Iterator[Callable[[], None]]:
    """Lock the database in another process until the block ends or the yielded function is called."""
    script = (
        "import sqlite3, sys\n"
        "connection = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
        "for statement in sys.argv[2:]: connection.execute(statement)\n"
        "print('locked', flush=True)\n"
        "sys.stdin.read()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script, db, *statements], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdin is not None
        assert other.stdout is not None
        assert other.stdout.readline() == "locked\n"
        yield other.stdin.close
        other.stdin.close()


# in WAL mode, only an exclusive locking mode keeps readers out
EXCLUSIVE = ("pragma locking_mode = exclusive", "begin exclusive")


def run_with_short_timeout(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run ccindex with a busy timeout of 0.1 seconds instead of 30."""
    script = "import ccindex.store.connection as db; db._BUSY_MS = 100; from ccindex.cli import main; main()"
    return subprocess.run(
        [sys.executable, "-c", script, *map(str, arguments)], capture_output=True, text=True, check=False, timeout=60
    )


@pytest.fixture
def copy(tmp_path: Path, indexed: Path) -> Path:
    return Path(shutil.copy(indexed, tmp_path.resolve() / "x.db"))


def test_locked_index_is_reported(copy: Path, indexed: Path) -> None:
    reason = "database is locked; another program is using it; try again when that program has finished"
    message = f"ccindex: cannot use '{copy}': {reason}\n"
    with locked_by_other(copy, *EXCLUSIVE):
        for arguments in (["sessions"], ["doctor", "--json"], ["db", "vacuum"], ["db", "current"]):
            result = run_with_short_timeout(*arguments, "--db", copy)
            assert (result.returncode, result.stdout, result.stderr) == (1, "", message), arguments
        result = run_with_short_timeout("ingest", indexed.parent / "p", "--json", "--db", copy)
        assert (result.returncode, json.loads(result.stdout)["status"], result.stderr) == (1, "failed", message)
    assert everything(copy) == everything(indexed)


def test_reader_waits_for_the_lock(copy: Path) -> None:
    with locked_by_other(copy, *EXCLUSIVE) as unlock:
        arguments = [*CCINDEX, "sessions", "--csv", "--db", str(copy)]
        with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as waiting:
            time.sleep(1)
            assert waiting.poll() is None
            unlock()
            out, message = waiting.communicate(timeout=30)
    assert (waiting.returncode, out.count("\n"), message) == (0, 3, "")


def test_writer_blocks_other_writers_but_not_readers(copy: Path, indexed: Path) -> None:
    write(copy.parent / "p" / "new.jsonl", line("n1", sessionId="new"))
    with locked_by_other(copy, "begin immediate"):
        assert run_with_short_timeout("sessions", "--db", copy).returncode == 0
        for arguments in (["db", "rebuild"], ["db", "reprice"], ["db", "vacuum"], ["ingest", str(copy.parent / "p")]):
            result = run_with_short_timeout(*arguments, "--db", copy)
            assert (result.returncode, result.stdout, result.stderr.count("\n")) == (1, "", 1), arguments
            assert result.stderr.endswith("another program is using it; try again when that program has finished\n")
    assert everything(copy) == everything(indexed)


@pytest.mark.parametrize("name", MAINTENANCE)
def test_maintenance_is_refused_while_another_ccindex_writes(copy: Path, indexed: Path, name: str) -> None:
    with copy.with_name("x.db.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        message = error_message(MAINTENANCE[name], copy.parent, "--json", "--db", copy)
        assert message == f"another ccindex process is writing to '{copy}'; try again when it has finished"
        if name == "db vacuum":  # readers need no lock
            assert ccindex("sessions", "--db", copy).returncode == 0
    assert everything(copy) == everything(indexed)
