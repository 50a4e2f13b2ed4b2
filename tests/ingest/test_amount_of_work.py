"""The work of a run is proportional to what changed: files opened, bytes read, statements executed, rows written."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from unittest.mock import patch

import pytest

from ccindex.chunks import EDGE_BYTES
from ccindex.ingest import file_changes, workers
from ccindex.ingest.ingest import IngestReport, ingest
from ccindex.maintain.update import begin_run
from ccindex.store.connection import changing
from tests.making.files import append, write
from tests.making.folders import ROOT
from tests.making.indexes import ask, broken, everything, index, one
from tests.making.transcripts import assistant, tool_result, tool_use, user

_opened: list[str] | None = None


def _record_open(event: str, arguments: tuple[object, ...]) -> None:
    if _opened is not None and event == "open":
        _opened.append(str(arguments[0]))


sys.addaudithook(_record_open)  # a hook cannot be removed, so this one does nothing unless `_opened` is a list


@contextmanager
def opened_files(folder: Path) -> Iterator[list[str]]:
    """Collect the paths of files that are opened under the given folder."""
    global _opened  # noqa: PLW0603
    names: list[str] = []
    _opened = []
    try:
        yield names
    finally:
        names += [name for name in _opened if name.startswith(str(folder))]
        _opened = None


@dataclass
class Work:
    """The report of a run, and the work that it did."""

    report: IngestReport
    files: list[str]
    statements: list[str] = field(default_factory=list)
    rows: int = 0

    def count(self, keyword: str) -> int:
        """Return the number of statements that start with the given keyword."""
        return sum(statement.lstrip().lower().startswith(keyword) for statement in self.statements)


def measure_run(db: Path, root: Path) -> Work:
    """Run one ingest and measure its work."""
    statements: list[str] = []
    with changing(db, create=True) as connection, opened_files(root) as files:
        before = connection.total_changes
        connection.set_trace_callback(statements.append)
        report = ingest(begin_run(connection), [root], must_exist=True)
        connection.set_trace_callback(None)
        rows = connection.total_changes - before
    return Work(report, files, statements, rows)


def turns_of(session: str, turns: int, start: int = 0) -> list[str]:
    """Return the lines of a session: prompts, calls and their results."""
    lines, parent = [], f"r{session}-{start - 1}" if start else None
    for turn in range(start, start + turns):
        prompt, call, answer = (f"{kind}{session}-{turn}" for kind in ("u", "a", "r"))
        lines += [
            user(prompt, turn, "go on", sessionId=session, parent=parent),
            assistant(call, turn, tool_use(f"t{session}-{turn}", "Bash"), sessionId=session, parent=prompt),
            user(answer, turn, tool_result(f"t{session}-{turn}"), sessionId=session, parent=call),
        ]
        parent = answer
    return lines


def create_index(folder: Path, sessions: int, turns: int) -> tuple[Path, Path]:
    """Write the given number of sessions, each with the given number of turns, and index them."""
    root, db = folder / "p", folder / "i" / "index.db"
    for number in range(sessions):
        write(root / f"s{number}.jsonl", *turns_of(f"s{number}", turns))
    index(db, root)
    return db, root


@pytest.mark.parametrize("sessions", [3, 40])
def test_run_without_changes_opens_no_file_and_begins_no_transaction(tmp_path: Path, sessions: int) -> None:
    db, root = create_index(tmp_path, sessions, 2)
    run = measure_run(db, root)
    assert (run.report.run_id, run.report.bytes_read, run.files, run.rows) == (None, 0, [], 0)
    assert run.count("begin") == 0
    assert len(run.statements) <= 12  # regardless of the number of files


def test_append_opens_only_the_appended_file_and_writes_only_new_rows(tmp_path: Path) -> None:
    runs = []
    for sessions, turns in ((2, 3), (40, 3), (2, 60)):
        db, root = create_index(tmp_path / f"{sessions}-{turns}", sessions, turns)
        added = "".join(f"{text}\n" for text in turns_of("s1", 1, start=turns))
        append(root / "s1.jsonl", added)
        run = measure_run(db, root)
        assert run.files == [str(root / "s1.jsonl")]
        assert run.report.bytes_read <= len(added) + 2 * EDGE_BYTES
        assert broken(db) == {}
        runs.append(run)
    small, many_sessions, many_turns = runs
    # other sessions make no difference; a longer session is derived again, but few of its rows are written
    assert (many_sessions.rows, len(many_sessions.statements)) == (small.rows, len(small.statements))
    assert many_turns.rows <= small.rows + 4


def test_work_of_a_first_load_is_proportional_to_the_number_of_sessions(tmp_path: Path) -> None:
    runs = []
    for sessions in (20, 40):
        root, db = tmp_path / f"{sessions}" / "p", tmp_path / f"{sessions}" / "i" / "index.db"
        for number in range(sessions):
            write(root / f"s{number}.jsonl", *turns_of(f"s{number}", 4))
        with patch.object(file_changes, "MIN_BULK_BYTES", 0):
            run = measure_run(db, root)
        assert len(run.files) == sessions  # every file is opened once
        assert run.report.bytes_read == sum(path.stat().st_size for path in root.iterdir())
        assert run.count("begin") == run.count("commit") == 1
        assert broken(db) == {}
        runs.append(run)
    small, large = runs
    assert large.rows <= 2 * small.rows
    assert large.count("insert") <= 2 * small.count("insert")
    assert large.count("select") <= 2 * small.count("select")


def test_bulk_load_gives_the_same_index_as_other_runs(tmp_path: Path) -> None:
    root = tmp_path / "p"
    for number in range(6):
        write(root / f"s{number}.jsonl", *turns_of(f"s{number}", 4))
    # copies whose owners are in the file that is read first
    write(root / "t.jsonl", *turns_of("s1", 2), *turns_of("s9", 2))
    write(root / "a.jsonl", *(text.replace('"go on"', '"go away"') for text in turns_of("s9", 2)))
    serial, bulk, parallel = (tmp_path / name / "index.db" for name in ("serial", "bulk", "parallel"))
    index(serial, root)
    with patch.object(file_changes, "MIN_BULK_BYTES", 0), patch.object(workers, "MIN_PARALLEL_BYTES", 0):
        index(bulk, root)
        with changing(parallel, create=True) as connection:
            ingest(begin_run(connection, 2), [root], must_exist=True)
    assert everything(bulk) == everything(serial)
    assert everything(parallel) == everything(serial)
    assert broken(bulk) == broken(parallel) == {}
    # search finds the same entries in every index, and later runs can continue from it
    for db in (serial, bulk, parallel):
        assert _search(db, "away") == _search(serial, "away")
        assert _search(db, "go") == _search(serial, "go")
        assert ask(db, "select name from sqlite_schema where type = 'index' order by 1") == ask(
            serial, "select name from sqlite_schema where type = 'index' order by 1"
        )
    append(root / "s1.jsonl", user("later", 99, "a later word", sessionId="s1") + "\n")
    for db in (serial, bulk, parallel):
        index(db, root)
        assert _search(db, "later") == ["later"]


def _search(db: Path, word: str) -> list[str]:
    rows = ask(
        db,
        "select e.uuid from entries_fts s join entries e on e.id = s.rowid % (1 << 40) "
        f"where entries_fts match '{word}' order by 1",
    )
    return [uuid for (uuid,) in rows]


def test_many_files_form_one_segment_of_the_full_text_index(tmp_path: Path) -> None:
    db, _ = create_index(tmp_path, 40, 1)
    # the upper bits of the id are the FTS5 segment number; several segments would have to be merged later
    assert one(db, "select count(distinct id >> 37) from entries_fts_data where id > 10") == 1


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc/PID/status")
def test_memory_for_a_long_line_is_proportional_to_its_size(tmp_path: Path) -> None:
    words = " ".join(f"{number:07x}" for number in range(2 << 20))  # all different: the worst case for FTS5
    write(tmp_path / "projects" / "s1.jsonl", user("u1", 1, words))
    # not ru_maxrss, which includes the memory that this process had when it started the child
    script = (
        "import sys\n"
        "from pathlib import Path\n"
        "from tests.making.indexes import index\n"
        "index(*map(Path, sys.argv[1:]))\n"
        "print(Path('/proc/self/status').read_text().partition('VmHWM:')[2].split()[0])\n"
    )
    command = [sys.executable, "-c", script, str(tmp_path / "x.db"), str(tmp_path / "projects")]
    peak_kib = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert int(peak_kib) << 10 < 8 * len(words) + (32 << 20)
    assert _search(tmp_path / "x.db", "0000000") == _search(tmp_path / "x.db", "00fffff") == ["u1"]


def imported_by(*arguments: object) -> set[str]:
    """Return the modules that a command imports."""
    script = (
        "import sys\n"
        "from ccindex.cli.app import app\n"
        f"app({[str(argument) for argument in arguments]!r}, standalone_mode=False)\n"
        "print(*sys.modules, file=sys.stderr)\n"
    )
    process = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(process.stderr.split())


def test_run_imports_only_what_it_needs(tmp_path: Path) -> None:
    db, root = tmp_path / "i" / "index.db", tmp_path / "p"
    path = write(root / "s1.jsonl", *turns_of("s1", 2))
    heavy = {"sqlalchemy", "alembic", "pydantic", "rich"}
    first = imported_by("ingest", root, "--db", db, "--json")
    assert not first & (heavy - {"pydantic"})  # the price library needs pydantic
    unchanged = imported_by("ingest", root, "--db", db, "--json")
    assert not unchanged & (heavy | {"genai_prices", "ccindex.derive.derive", "ccindex.read.entry_parser"})
    append(path, "".join(f"{text}\n" for text in turns_of("s1", 1, start=2)))
    appended = imported_by("ingest", root, "--db", db, "--json")
    assert "ccindex.derive.derive" in appended
    assert not appended & (heavy | {"genai_prices"})
