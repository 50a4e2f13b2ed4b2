"""The work of a run follows what changed: files opened, bytes read, statements run and rows written."""

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
from tests.making.indexes import ask, broken, everything, index, one
from tests.making.transcripts import assistant, tool_result, tool_use, user

_opened: list[str] | None = None


def _hook(event: str, given: tuple[object, ...]) -> None:
    if _opened is not None and event == "open":
        _opened.append(str(given[0]))


sys.addaudithook(_hook)  # for good, so it only listens while somebody asks


@contextmanager
def opened(below: Path) -> Iterator[list[str]]:
    """Which files below a folder are opened."""
    global _opened  # noqa: PLW0603
    found: list[str] = []
    _opened = []
    try:
        yield found
    finally:
        found += [name for name in _opened if name.startswith(str(below))]
        _opened = None


@dataclass
class Work:
    """What a run came to."""

    report: IngestReport
    files: list[str]
    statements: list[str] = field(default_factory=list)
    rows: int = 0

    def count(self, word: str) -> int:
        """How many statements begin with a word."""
        return sum(statement.lstrip().lower().startswith(word) for statement in self.statements)


def work(db: Path, root: Path) -> Work:
    """Run, and count."""
    statements: list[str] = []
    with changing(db, create=True) as connection, opened(root) as files:
        before = connection.total_changes
        connection.set_trace_callback(statements.append)
        report = ingest(begin_run(connection), [root], named=True)
        connection.set_trace_callback(None)
        rows = connection.total_changes - before
    return Work(report, files, statements, rows)


def talk(session: str, turns: int, start: int = 0) -> list[str]:
    """A session: prompts, calls and their results, one after another."""
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


def made(folder: Path, sessions: int, turns: int) -> tuple[Path, Path]:
    """So many sessions of so many turns, and an index of them."""
    root, db = folder / "p", folder / "i" / "index.db"
    for number in range(sessions):
        write(root / f"s{number}.jsonl", *talk(f"s{number}", turns))
    index(db, root)
    return db, root


@pytest.mark.parametrize("sessions", [3, 40])
def test_a_run_with_nothing_new_opens_no_file_and_begins_no_transaction(tmp_path: Path, sessions: int) -> None:
    db, root = made(tmp_path, sessions, 2)
    done = work(db, root)
    assert (done.report.run_id, done.report.bytes_read, done.files, done.rows) == (None, 0, [], 0)
    assert done.count("begin") == 0
    assert len(done.statements) <= 12  # however many files there are


def test_an_append_opens_its_file_and_writes_what_is_new(tmp_path: Path) -> None:
    found = []
    for sessions, turns in ((2, 3), (40, 3), (2, 60)):
        db, root = made(tmp_path / f"{sessions}-{turns}", sessions, turns)
        added = "".join(f"{text}\n" for text in talk("s1", 1, start=turns))
        append(root / "s1.jsonl", added)
        done = work(db, root)
        assert done.files == [str(root / "s1.jsonl")]
        assert done.report.bytes_read <= len(added) + 2 * EDGE_BYTES
        assert broken(db) == {}
        found.append(done)
    few, among_many, at_length = found
    # other sessions make no difference at all; a longer one is read again, but hardly written
    assert (among_many.rows, len(among_many.statements)) == (few.rows, len(few.statements))
    assert at_length.rows <= few.rows + 4


def test_a_first_load_does_as_much_for_each_session_however_many_there_are(tmp_path: Path) -> None:
    counts = []
    for sessions in (20, 40):
        root, db = tmp_path / f"{sessions}" / "p", tmp_path / f"{sessions}" / "i" / "index.db"
        for number in range(sessions):
            write(root / f"s{number}.jsonl", *talk(f"s{number}", 4))
        with patch.object(file_changes, "MIN_BULK_BYTES", 0):
            done = work(db, root)
        assert len(done.files) == sessions  # each once
        assert done.report.bytes_read == sum(path.stat().st_size for path in root.iterdir())
        assert done.count("begin") == done.count("commit") == 1
        assert broken(db) == {}
        counts.append(done)
    few, many = counts
    assert many.rows <= 2 * few.rows
    assert many.count("insert") <= 2 * few.count("insert")
    assert many.count("select") <= 2 * few.count("select")


def test_a_first_load_leaves_the_index_that_any_run_would(tmp_path: Path) -> None:
    root = tmp_path / "p"
    for number in range(6):
        write(root / f"s{number}.jsonl", *talk(f"s{number}", 4))
    # copies, of which the second file's are the owners
    write(root / "t.jsonl", *talk("s1", 2), *talk("s9", 2))
    write(root / "a.jsonl", *(text.replace('"go on"', '"go away"') for text in talk("s9", 2)))
    plain, at_once, helped = (tmp_path / name / "index.db" for name in ("plain", "at_once", "helped"))
    index(plain, root)
    with patch.object(file_changes, "MIN_BULK_BYTES", 0), patch.object(workers, "MIN_PARALLEL_BYTES", 0):
        index(at_once, root)
        with changing(helped, create=True) as connection:
            ingest(begin_run(connection, 2), [root], named=True)
    assert everything(at_once) == everything(plain)
    assert everything(helped) == everything(plain)
    assert broken(at_once) == broken(helped) == {}
    # found by their words, and by no others; later runs go on from there
    for db in (plain, at_once, helped):
        assert _found(db, "away") == _found(plain, "away")
        assert _found(db, "go") == _found(plain, "go")
        assert ask(db, "select name from sqlite_schema where type = 'index' order by 1") == ask(
            plain, "select name from sqlite_schema where type = 'index' order by 1"
        )
    append(root / "s1.jsonl", user("later", 99, "a word of later", sessionId="s1") + "\n")
    for db in (plain, at_once, helped):
        index(db, root)
        assert _found(db, "later") == ["later"]


def _found(db: Path, word: str) -> list[str]:
    rows = ask(
        db,
        "select e.uuid from entries_fts s join entries e on e.id = s.rowid "
        f"where entries_fts match '{word}' order by 1",
    )
    return [uuid for (uuid,) in rows]


def test_many_files_are_one_piece_of_the_full_text_index(tmp_path: Path) -> None:
    db, _ = made(tmp_path, 40, 1)
    # FTS5 numbers the pieces that it writes in the upper bits; each one more has to be merged some day
    assert one(db, "select count(distinct id >> 37) from entries_fts_data where id > 10") == 1


def loaded_by(*words: object) -> set[str]:
    """What a command imports, of what it should think twice about."""
    script = (
        "import sys\n"
        "from ccindex.cli.app import app\n"
        f"app({[str(word) for word in words]!r}, standalone_mode=False)\n"
        "print(*sys.modules, file=sys.stderr)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(done.stderr.split())


def test_a_run_imports_what_it_needs(tmp_path: Path) -> None:
    db, root = tmp_path / "i" / "index.db", tmp_path / "p"
    path = write(root / "s1.jsonl", *talk("s1", 2))
    heavy = {"sqlalchemy", "alembic", "pydantic", "rich"}
    first = loaded_by("ingest", root, "--db", db, "--json")
    assert not first & (heavy - {"pydantic"})  # prices are told by a library that needs it
    nothing = loaded_by("ingest", root, "--db", db, "--json")
    assert not nothing & (heavy | {"genai_prices", "ccindex.derive.derive", "ccindex.read.entry_parser"})
    append(path, "".join(f"{text}\n" for text in talk("s1", 1, start=2)))
    appended = loaded_by("ingest", root, "--db", db, "--json")
    assert "ccindex.derive.derive" in appended
    assert not appended & (heavy | {"genai_prices"})
