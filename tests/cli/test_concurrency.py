"""Several processes share one index: writers take turns, readers see only complete runs, and the rows are correct."""

import json
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from tests.making.commands import CCINDEX, wait_for
from tests.making.files import append, write
from tests.making.indexes import ask, broken, everything, index, one
from tests.making.transcripts import line

# checks the invariants and counts each session's entries in one transaction, again and again until stdin is closed
_READER = """
import json, os, sqlite3, sys, threading
from ccindex.store.sql_files import load, names
checks = {name: load(f"check/{name}") for name in names("check")}
is_over = threading.Event()
threading.Thread(target=lambda: (sys.stdin.read(), is_over.set()), daemon=True).start()
connection = sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True, isolation_level=None, timeout=30)
while True:
    was_over = is_over.is_set()
    connection.execute("begin")
    counts = dict(connection.execute("select session_id, count(*) from v1_entries group by 1"))
    failed_checks = {name: rows for name, sql in checks.items() if (rows := connection.execute(sql).fetchall())}
    lines = dict(connection.execute("select session_id, sum(entry_count) from v1_lines group by 1"))
    hit_count = len(connection.execute("select rowid from entries_fts where entries_fts match 'say'").fetchall())
    connection.execute("commit")
    print(json.dumps([counts, failed_checks, lines, hit_count]), flush=True)
    if was_over:
        break
    is_over.wait(0.01)
"""


@contextmanager
def reader(db: Path) -> Iterator[list[tuple[dict[str, int], dict[str, Any], dict[str, int], int]]]:
    """Read the index in another process while the block runs. The list is filled with snapshots after the block."""
    snapshots: list[Any] = []
    command = [sys.executable, "-c", _READER, str(db)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        first = process.stdout.readline()
        yield snapshots
        out, _ = process.communicate()
        snapshots += [json.loads(text) for text in [first, *out.splitlines()]]
    assert process.returncode == 0


def conversation(session: str, begin: int, end: int) -> str:
    entries = (
        line(f"{session}-{n}", parent=f"{session}-{n - 1}" if n else None, sessionId=session) for n in range(begin, end)
    )
    return "".join(f"{entry}\n" for entry in entries)


def start(*arguments: str | Path, script: str | None = None) -> subprocess.Popen[str]:
    command = CCINDEX if script is None else [sys.executable, "-c", script]
    return subprocess.Popen([*command, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def wait(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    out, stderr = process.communicate(timeout=60)
    return process.returncode, out, stderr


def test_readers_see_only_complete_runs_and_never_a_partial_rebuild(db: Path, project: Path) -> None:
    names = [f"s{number}" for number in range(6)]
    for name in names:
        write(project / f"{name}.jsonl", conversation(name, 0, 20), end="")
    index(db, project)
    states = [dict.fromkeys(names, 20)]
    with reader(db) as snapshots:
        for size in (30, 40):
            for name in names:
                append(project / f"{name}.jsonl", conversation(name, size - 10, size))
            states.append(dict.fromkeys(names, size))
            assert wait(start("ingest", project, "--db", db)) == (0, "", "")
        rebuild, doctor = start("db", "rebuild", "--db", db), start("doctor", "--json", "--db", db)
        assert wait(rebuild) == (0, "", "")
        code, out, stderr = wait(doctor)
        assert (code, json.loads(out)["ok"], stderr) == (0, True, "")
        assert wait(start("db", "vacuum", "--db", db)) == (0, "", "")
    numbers = [states.index(counts) for counts, *_ in snapshots]
    assert numbers == sorted(numbers)
    assert (numbers[0], numbers[-1]) == (0, 2)
    for counts, failed_checks, lines, hit_count in snapshots:
        assert failed_checks == {}
        assert lines == counts
        assert hit_count == sum(counts.values())


# `--watch` with a short interval
_FAST_WATCH = (
    "import ccindex.cli.commands.ingest as ingest; ingest._WATCH_SECONDS = 0.1; from ccindex.cli import main; main()"
)


def test_watch_works_alongside_other_runs_while_files_grow(db: Path, project: Path) -> None:
    rng = random.Random(1)  # noqa: S311
    path = write(project / "s1.jsonl", conversation("s1", 0, 5), end="")
    watching = start("ingest", project, "--watch", "--db", db, script=_FAST_WATCH)
    wait_for(lambda: db.exists() and bool(ask(db, "select 1 from ingest_runs where status = 'ok'")))
    others = []
    for number in range(1, 5):
        text = conversation("s1", 5 * number, 5 * number + 5)
        cut = rng.randrange(len(text))  # possibly in the middle of a line
        append(path, text[:cut])
        others.append(start("ingest", project, "--db", db))
        time.sleep(0.05 * rng.random())
        append(path, text[cut:])
        write(project / f"n{number}.jsonl", conversation(f"n{number}", 0, 5), end="")
        if number % 2 == 0:
            assert {wait(other)[0] for other in others} == {0}
            others.clear()
    wait_for(lambda: one(db, "select count(*) from v1_entries") == 25 + 20)
    watching.send_signal(signal.SIGTERM)
    code, out, stderr = wait(watching)
    assert (code, out) == (130, "")
    message = f"ccindex: another ccindex process is writing to '{db}'; try again when it has finished"
    assert set(stderr.splitlines()) <= {message}
    index(db.with_name("clean.db"), project)
    assert everything(db) == everything(db.with_name("clean.db"))
    assert ask(db, "select distinct status from v1_ingest_runs") == [("ok",)]
    assert broken(db) == {}


def test_watch_continues_after_the_index_was_unusable(db: Path, project: Path) -> None:
    path = write(project / "s1.jsonl", conversation("s1", 0, 5), end="")
    index(db, project)
    watching = start("ingest", project, "--watch", "--db", db, script=_FAST_WATCH)
    wait_for(db.with_name(db.name + ".ran").exists)
    lock = db.with_name(db.name + ".lock")
    while not lock.is_dir():
        lock.unlink(missing_ok=True)
        with suppress(FileExistsError):  # the watching process created the file again
            lock.mkdir()
    assert watching.stderr is not None
    message = f"ccindex: cannot use '{db}': Is a directory; check the folder or choose another one with --db\n"
    assert watching.stderr.readline() == message
    append(path, conversation("s1", 5, 10))
    time.sleep(0.3)  # enough for more failing runs, which print nothing
    assert one(db, "select count(*) from v1_entries") == 5
    lock.rmdir()
    wait_for(lambda: one(db, "select count(*) from v1_entries") == 10)
    watching.send_signal(signal.SIGTERM)
    assert wait(watching) == (130, "", "")
