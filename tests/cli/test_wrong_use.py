"""What users do wrong: one sentence that says so, the right exit code, nothing half-written, no traceback."""

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

# every command that reads an index, with what it needs; {out} is a folder that is not there yet
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
KEEPERS = {f"db {name}": ["db", name] for name in ("upgrade", "rebuild", "reprice", "vacuum")}
EVERY = READERS | KEEPERS
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
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index with two sessions that are called alike."""
    folder = tmp_path_factory.mktemp("made").resolve()
    for name in ("alike-1", "alike-2"):
        write(folder / "p" / f"{name}.jsonl", line(f"u{name[-1]}", sessionId=name))
    index(folder / "x.db", folder / "p")
    return folder / "x.db"


def wrong(words: list[str], folder: Path, *more: str | Path, **keys: Any) -> tuple[int, str, str]:
    """Run a command that cannot go well in a folder, in which it leaves nothing; code, stdout, stderr."""
    before = contents(folder)
    done = ccindex(*(word.format(out=folder / "out") for word in words), *more, cwd=folder, **keys)
    assert "Traceback" not in done.stdout + done.stderr
    assert contents(folder) == before
    return done.returncode, done.stdout, done.stderr


def contents(folder: Path) -> dict[str, bytes | None]:
    """All that is in a folder, but for what SQLite keeps beside a database that is read."""
    paths = [path for path in folder.rglob("*") if not path.name.endswith(("-shm", "-wal"))]
    return {str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None for path in paths}


def sentence(words: list[str], folder: Path, *more: str | Path, **keys: Any) -> str:
    """The one sentence with which a command gives up."""
    code, out, said = wrong(words, folder, *more, **keys)
    assert (code, out, said.count("\n")) == (1, "", 1), said
    assert said.startswith("ccindex: ")
    return said.removeprefix("ccindex: ").removesuffix("\n")


def usage(words: list[str], folder: Path, *more: str | Path) -> str:
    """The last line of what a command says about how it is used."""
    code, out, said = wrong(words, folder, *more)
    assert (code, out) == (2, ""), said
    last = said.splitlines()[-1]
    assert last.startswith("Error: ")
    return last


@pytest.mark.parametrize("name", EVERY)
def test_without_an_index_nothing_is_made(tmp_path: Path, name: str) -> None:
    said = sentence(EVERY[name], tmp_path, "--json", "--db", tmp_path / "none.db")
    place = tmp_path.resolve() / "none.db"
    assert said == f"no index at '{place}'; make one with: ccindex ingest --db {place}"


@pytest.mark.parametrize("name", EVERY | {"ingest": []})
def test_a_text_is_no_index_and_stays_as_it_is(tmp_path: Path, made: Path, name: str) -> None:
    (tmp_path / "notes.txt").write_text("dear diary\n")
    words = EVERY[name] if name in EVERY else ["ingest", str(made.parent / "p")]
    said = sentence(words, tmp_path, "--db", "notes.txt")
    assert said == f"'{tmp_path.resolve() / 'notes.txt'}' is not a ccindex index; name another file with --db"


@pytest.mark.parametrize("words", [["sessions"], ["ingest", "."]], ids=" ".join)
@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("other.db", "is not a ccindex index; name another file with --db"),
        ("pretender.db", "is not a ccindex index; name another file with --db"),
        ("folder", "Is a directory; check the file or name another with --db"),
        ("other.db/below.db", "Not a directory; check the file or name another with --db"),
        ("cut.db", "it is damaged: restore a backup, or move it away with its -wal file and run: ccindex ingest"),
    ],
)
def test_what_is_no_index_is_left_alone(tmp_path: Path, made: Path, words: list[str], name: str, why: str) -> None:
    (tmp_path / "folder").mkdir()
    # a database of another program, one that bears our mark and nothing else of ours, and the beginning of an index
    for other, mark in (("other.db", 0), ("pretender.db", 0x63636978)):
        with closing(sqlite3.connect(tmp_path / other)) as connection, connection:
            connection.execute(f"pragma application_id = {mark}")
            connection.execute("create table theirs (x)")
    (tmp_path / "cut.db").write_bytes(made.read_bytes()[:5000])
    said = sentence(words, tmp_path, "--db", name)
    assert str(tmp_path.resolve() / name) in said
    assert said.endswith(why)


@pytest.mark.parametrize("words", [["sessions"], ["db", "vacuum"]], ids=" ".join)
def test_an_empty_file_is_no_index_yet(tmp_path: Path, words: list[str]) -> None:
    (tmp_path / "x.db").touch()
    assert sentence(words, tmp_path, "--db", "x.db").endswith(f"make one with: ccindex ingest --db {tmp_path}/x.db")


def test_an_index_may_be_made_in_an_empty_file(tmp_path: Path, made: Path) -> None:
    (tmp_path / "x.db").touch()
    assert ccindex("ingest", made.parent / "p", "--db", tmp_path / "x.db").returncode == 0
    assert everything(tmp_path / "x.db") == everything(made)


def test_the_state_of_what_is_no_index_can_be_asked_for(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("dear diary\n")
    for name, state in (("none.db", "absent"), ("notes.txt", "foreign")):
        code, out, said = wrong(["db", "current", "--json"], tmp_path, "--db", name)
        assert (code, said) == (0, "")
        assert json.loads(out) == {
            "path": str(tmp_path.resolve() / name),
            "state": state,
            "revision": None,
            "head": json.loads(out)["head"],
        }


@pytest.mark.parametrize("address", ["postgresql://host/name", "sqlite:///", ":memory:", "http://x.db"])
def test_what_is_no_address_of_a_file(tmp_path: Path, address: str) -> None:
    said = sentence(["sessions"], tmp_path, "--db", address)
    assert said == f"--db takes a path or a sqlite:/// address of a file, not '{address}'"


@pytest.mark.parametrize("name", BY_SESSION)
def test_a_session_that_is_not_there(tmp_path: Path, made: Path, name: str) -> None:
    words = [*BY_SESSION[name], "--session", "unlike"]
    assert sentence(words, tmp_path, "--json", "--db", made) == "no session in this index begins with 'unlike'"


@pytest.mark.parametrize("name", BY_SESSION)
def test_a_session_that_may_be_two(tmp_path: Path, made: Path, name: str) -> None:
    code, out, said = wrong([*BY_SESSION[name], "--session", "ali"], tmp_path, "--db", made)
    assert (code, out) == (1, "")
    assert said == "ccindex: several sessions begin with 'ali'; name one of them:\n  alike-1\n  alike-2\n"


@pytest.mark.parametrize("name", BY_DATE)
def test_a_date_that_is_none(tmp_path: Path, made: Path, name: str) -> None:
    said = usage([*BY_DATE[name], "--until", "2026-02-30"], tmp_path, "--db", made)
    assert said.endswith("'2026-02-30' is no date; try 2026-02-01, yesterday or 7d")


def test_a_date_is_looked_at_before_the_index(tmp_path: Path) -> None:
    assert "'soon' is no date" in usage(["sessions", "--since", "soon"], tmp_path, "--db", tmp_path / "none.db")


@pytest.mark.parametrize("name", LIMITED)
def test_less_than_nothing_cannot_be_asked_for(tmp_path: Path, made: Path, name: str) -> None:
    assert "--limit" in usage([*LIMITED[name], "--limit", "-1"], tmp_path, "--db", made)


@pytest.mark.parametrize("name", ["sessions", "search", "sql"])
def test_a_limit_beyond_all_numbers_is_no_bug(tmp_path: Path, made: Path, name: str) -> None:
    words = [*READERS[name], "--json", "--limit", str(2**63)]
    done = ccindex(*words, "--db", made, env={"TMPDIR": str(tmp_path)})
    assert done.returncode in (0, 2)


def test_the_home_of_nobody_is_no_place_for_an_index(tmp_path: Path) -> None:
    done = ccindex("sessions", "--db", "~nobody-of-that-name/x.db", env={"TMPDIR": str(tmp_path)})
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)


@pytest.mark.parametrize(
    ("words", "about"),
    [
        (["files", "--operation", "eat"], "'eat'"),
        (["search", "say", "--status", "lost"], "'lost'"),
        (["sessions", "--limit", "many"], "--limit"),
        (["restore", "--out", "{out}", "--generation", "0"], "--generation"),
        (["sql", "select 1", "--timeout", "-1"], "--timeout"),
        (["sql", "select :x", "--param", "x"], "'x' is no NAME=VALUE"),
        (["sql", "--example", "nonsense"], "no example is called 'nonsense'"),
        (["sql"], "give a query, or --example, or --schema"),
        (["search"], "Missing argument"),
        (["graph"], "Missing argument 'QUERY'"),
        (["graph", "tree"], "Missing argument 'ID'"),
        (["graph", "parents", "u1"], "no query is called 'parents'; there are: ancestors, descendants, "),
        (["export", "--all"], "Missing option '--out'"),
        (["sessions", "extra"], "extra"),
        (["tools", "--db"], "--db"),
        (["db", "frobnicate"], "frobnicate"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_wrong_usage_says_what_is_wrong(tmp_path: Path, made: Path, words: list[str], about: str) -> None:
    named = [] if words[-1] == "--db" else ["--db", str(made)]
    assert about in usage(words, tmp_path, *named)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["graph", "children", "alike-1"], "no entry in this index begins with 'alike-1'"),
        (["graph", "roots", "u1"], "no session in this index begins with 'u1'"),
        (["graph", "tree", "nowhere"], "no session or entry in this index begins with 'nowhere'"),
        (["sql", "missing.sql"], "cannot read 'missing.sql': No such file or directory"),
        (["sql", "folder.sql"], "cannot read 'folder.sql': Is a directory"),
        (["sql", "latin.sql"], "cannot read 'latin.sql': 'utf-8' codec can't decode byte 0xe9 in position 8"),
        (["sql", "select :x"], "cannot run that query: "),
        (["sql", "select load_extension('x')"], "cannot run that query: "),
        (["sql", "pragma journal_mode = delete"], "cannot run that query: "),
        (["sql", "vacuum into 'copy.db'"], "cannot run that query: "),
        (["restore", "--out", "{out}", "--source", "nowhere"], "no source 'nowhere' in this index; v1_sources lists"),
        (
            ["restore", "--out", "{out}", "--generation", "7"],
            "no file in this index has a generation 7; there are",
        ),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_cannot_be_read_is_one_sentence(tmp_path: Path, made: Path, words: list[str], said: str) -> None:
    (tmp_path / "folder.sql").mkdir()
    (tmp_path / "latin.sql").write_bytes(b"select '\xe9'")
    assert said in sentence(words, tmp_path, "--db", made)


def test_a_query_that_takes_too_long_is_stopped(tmp_path: Path, made: Path) -> None:
    endless = "with recursive n(i) as (select 1 union all select i + 1 from n) select max(i) from n"
    said = sentence(["sql", endless, "--timeout", "0.2", "--json"], tmp_path, "--db", made)
    assert said == "the query was stopped after 0.2 seconds; --timeout 0 lets it run to its end"


def limited() -> None:
    """No file may grow beyond some kilobytes, as if the disk were full."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (4_000, 4_000))


@pytest.fixture(scope="module")
def long(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index of a session whose every form is longer than a full disk takes."""
    folder = tmp_path_factory.mktemp("long").resolve()
    entries = (line(f"u{n}", parent=f"u{n - 1}" if n else None, sessionId="long") for n in range(200))
    write(folder / "p" / "long.jsonl", *entries)
    write(folder / "p" / "brief.jsonl", line("v1", sessionId="brief"))
    index(folder / "x.db", folder / "p")
    with closing(sqlite3.connect(folder / "x.db")) as connection:
        connection.execute("pragma journal_mode = delete")  # so that reading it writes nothing
    return folder / "x.db"


@pytest.mark.parametrize("form", ["markdown", "dot", "timeline"])
def test_a_full_disk_leaves_no_half_of_an_export(tmp_path: Path, long: Path, form: str) -> None:
    (tmp_path / "out").mkdir()
    words = ["export", "--session", "long", "--format", form, "--json", "--out", "{out}"]
    said = sentence(words, tmp_path, "--db", long, preexec_fn=limited)
    assert said.startswith(f"cannot write '{tmp_path}/out/")
    assert said.endswith(": File too large")


def test_a_full_disk_leaves_no_half_of_a_restored_file(tmp_path: Path, long: Path) -> None:
    done = ccindex("restore", "--out", tmp_path / "out", "--db", long, preexec_fn=limited)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"ccindex: cannot write '{tmp_path}/out{long.parent}/p/long.jsonl': File too large\n"
    assert [path.name for path in (tmp_path / "out").rglob("*") if path.is_file()] == ["brief.jsonl"]


def test_a_full_disk_loses_nothing_of_the_index(tmp_path: Path, long: Path) -> None:
    db = Path(shutil.copy(long, tmp_path / "x.db"))
    before = everything(db)
    write(tmp_path / "p" / "more.jsonl", *(line(f"m{n}", message={"content": "x" * 9_000}) for n in range(99)))

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (db.stat().st_size, db.stat().st_size))

    done = ccindex("ingest", tmp_path / "p", "--json", "--db", db, preexec_fn=limit)
    assert (done.returncode, json.loads(done.stdout)["status"]) == (1, "failed")
    assert done.stderr.count("\n") == 1
    assert "run it again: nothing was lost" in done.stderr
    assert ccindex("ingest", tmp_path / "p", "--db", db).returncode == 0
    assert everything(db).keys() == before.keys()
    assert ccindex("doctor", "--db", db).returncode == 0


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no /dev/full")
@pytest.mark.parametrize(
    "words",
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
def test_a_full_disk_behind_stdout_is_one_sentence(made: Path, words: list[str]) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*CCINDEX, *words, "--db", str(made)], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert (done.returncode, done.stderr) == (1, "ccindex: cannot write 'standard output': No space left on device\n")


@contextmanager
def held(db: Path, *statements: str) -> Iterator[Callable[[], None]]:
    """Another program that holds the database until it is told to let go."""
    script = (
        "import sqlite3, sys\n"
        "connection = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
        "for statement in sys.argv[2:]: connection.execute(statement)\n"
        "print('held', flush=True)\n"
        "sys.stdin.read()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script, db, *statements], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdin is not None
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        yield other.stdin.close
        other.stdin.close()


# in the journal that an index has, only a connection that wants it to itself keeps readers out
ALL = ("pragma locking_mode = exclusive", "begin exclusive")


def impatient(*words: str | Path) -> subprocess.CompletedProcess[str]:
    """Run the program with less patience than its thirty seconds."""
    script = "import ccindex.store.connection as db; db._BUSY_MS = 100; from ccindex.cli import main; main()"
    return subprocess.run(
        [sys.executable, "-c", script, *map(str, words)], capture_output=True, text=True, check=False, timeout=60
    )


@pytest.fixture
def copy(tmp_path: Path, made: Path) -> Path:
    return Path(shutil.copy(made, tmp_path.resolve() / "x.db"))


def test_who_cannot_get_at_the_index_is_told_to_try_again(copy: Path, made: Path) -> None:
    said = f"ccindex: cannot use '{copy}': database is locked; another program holds it; try again when it is done\n"
    with held(copy, *ALL):
        for words in (["sessions"], ["doctor", "--json"], ["db", "vacuum"], ["db", "current"]):
            done = impatient(*words, "--db", copy)
            assert (done.returncode, done.stdout, done.stderr) == (1, "", said), words
        done = impatient("ingest", made.parent / "p", "--json", "--db", copy)
        assert (done.returncode, json.loads(done.stdout)["status"], done.stderr) == (1, "failed", said)
    assert everything(copy) == everything(made)


def test_a_reader_waits_for_who_holds_the_index(copy: Path) -> None:
    with held(copy, *ALL) as let_go:
        words = [*CCINDEX, "sessions", "--csv", "--db", str(copy)]
        with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as waiting:
            time.sleep(1)
            assert waiting.poll() is None
            let_go()
            out, said = waiting.communicate(timeout=30)
    assert (waiting.returncode, out.count("\n"), said) == (0, 3, "")


def test_who_writes_keeps_other_writers_out_and_no_reader(copy: Path, made: Path) -> None:
    write(copy.parent / "p" / "new.jsonl", line("n1", sessionId="new"))
    with held(copy, "begin immediate"):
        assert impatient("sessions", "--db", copy).returncode == 0
        for words in (["db", "rebuild"], ["db", "reprice"], ["db", "vacuum"], ["ingest", str(copy.parent / "p")]):
            done = impatient(*words, "--db", copy)
            assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1), words
            assert done.stderr.endswith("another program holds it; try again when it is done\n")
    assert everything(copy) == everything(made)


@pytest.mark.parametrize("name", KEEPERS)
def test_while_another_ccindex_writes_house_keeping_waits_its_turn(copy: Path, made: Path, name: str) -> None:
    with copy.with_name("x.db.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        said = sentence(KEEPERS[name], copy.parent, "--json", "--db", copy)
        assert said == f"another ccindex is writing to '{copy}'; try again when it is done"
        if name == "db vacuum":  # readers need no turn
            assert ccindex("sessions", "--db", copy).returncode == 0
    assert everything(copy) == everything(made)
