"""A user's query is read-only, accepts parameters, and is stopped by a time limit or Ctrl-C."""

import os
import signal
import sqlite3
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from ccindex.errors import BadQuery, QueryTooSlow, ResultTooLarge
from ccindex.query.sql import bounded_rows, run_query
from ccindex.store.connection import reading
from tests.making.commands import CCINDEX
from tests.making.files import write
from tests.making.indexes import ask, index
from tests.making.transcripts import line

ENDLESS = "with recursive n(i) as (select 1 union all select i + 1 from n) "


@pytest.fixture
def small_index(db: Path, project: Path) -> Path:
    write(project / "s1.jsonl", line("u1"), line("u2", parent="u1"))
    index(db, project)
    return db


@pytest.fixture
def connection(small_index: Path) -> Iterator[sqlite3.Connection]:
    with reading(small_index) as opened:
        guard = threading.Timer(20, opened.interrupt)  # keeps an endless query from blocking the tests
        guard.start()
        yield opened
        guard.cancel()


def test_query_returns_columns_and_rows(connection: sqlite3.Connection) -> None:
    columns, rows = run_query(connection, "select uuid, type as sort from v1_entries order by uuid")
    assert columns == ["uuid", "sort"]
    assert list(rows) == [("u1", "user"), ("u2", "user")]


def test_query_without_rows_has_columns(connection: sqlite3.Connection) -> None:
    columns, rows = run_query(connection, "select uuid from v1_entries where 0")
    assert (columns, list(rows)) == (["uuid"], [])


def test_values_are_bound_by_name_and_never_parsed_as_sql(connection: sqlite3.Connection) -> None:
    query = "select uuid from v1_entries where uuid = :wanted or uuid = @other"
    assert list(run_query(connection, query, {"wanted": "u2", "other": "x' or 1=1 --", "unused": ""})[1]) == [("u2",)]
    assert list(run_query(connection, "select typeof(:n), :n + 1", {"n": "41"})[1]) == [("text", 42)]


WRITES = [
    "insert into meta values ('a', 'b')",
    "insert into meta values ('a', 'b') returning key",
    "update meta set value = 'x'",
    "update meta set value = 'x' returning value",
    "delete from meta",
    "delete from meta returning key",
    "replace into meta values ('a', 'b')",
    "drop view v1_entries",
    "drop table meta",
    "create table x (y)",
    "create temp table x (y)",
    "create temp table x as select 1",
    "create temp view x as select 1",
    "create index x on meta (value)",
    "alter table meta rename to x",
    "create virtual table temp.x using fts5(y)",
    "insert into entries_fts (entries_fts) values ('rebuild')",
    "vacuum",
    "vacuum into '{folder}/copy.db'",
    "attach '{folder}/other.db' as other",
    "attach ':memory:' as other",
    "detach main",
    "reindex",
    "analyze",
    "pragma user_version = 5",
    "pragma application_id = 5",
    "pragma writable_schema = on",
    "pragma query_only = off",
    "begin immediate",
    "commit",
    "savepoint x",
]


@pytest.fixture(scope="module")
def shared_index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index that no test can change."""
    folder = tmp_path_factory.mktemp("shared")
    write(folder / "p" / "s1.jsonl", line("u1"), line("u2", parent="u1"))
    (folder / "index").mkdir()
    index(folder / "index" / "x.db", folder / "p")
    return folder / "index" / "x.db"


def read_files(db: Path) -> dict[str, bytes]:
    """Return the files that a reader must not change; SQLite itself may change the -shm file and an empty WAL."""
    files = {path.name: path.read_bytes() for path in db.parent.iterdir() if not path.name.endswith("-shm")}
    return {name: data for name, data in files.items() if data or not name.endswith("-wal")}


@pytest.mark.parametrize("query", WRITES)
def test_statement_that_writes_is_refused_and_changes_nothing(shared_index: Path, query: str) -> None:
    before = read_files(shared_index)
    with reading(shared_index) as connection:
        with pytest.raises(BadQuery):
            list(run_query(connection, query.format(folder=shared_index.parent))[1])
        assert read_files(shared_index) == before
    assert read_files(shared_index) == before


@pytest.mark.parametrize(
    ("query", "result"),
    [
        ("pragma journal_mode = delete", "wal"),
        ("pragma locking_mode = exclusive", None),
        ("pragma auto_vacuum = full", None),
        ("pragma page_size = 512", None),
    ],
)
def test_pragma_that_returns_rows_changes_nothing(small_index: Path, query: str, result: str | None) -> None:
    before = small_index.read_bytes()
    with reading(small_index) as connection:
        try:
            rows = list(run_query(connection, query)[1])
        except BadQuery:
            rows = []
    assert result is None or rows in ([(result,)], [])
    assert small_index.read_bytes() == before
    assert ask(small_index, "pragma journal_mode") == [("wal",)]


@pytest.mark.parametrize(
    ("query", "why"),
    [
        ("", "it has no result"),
        ("-- nothing", "it has no result"),
        ("selec 1", "syntax error"),
        ("select wanted", "no such column"),
        ("select 1 from v1_nothing", "no such table"),
        ("select 1; select 2", "one statement"),
        ("select :wanted", "wanted"),
        ("select ?", ""),
        ("select 1 \0", ""),
        ("select '\udcff'", "surrogates not allowed"),
        ("select load_extension('x')", "not authorized"),
        ("select cast(x'ff' as text)", "decode"),
        ("select abs(-9223372036854775808)", "overflow"),
        ("select json('{')", "malformed JSON"),
    ],
)
def test_error_in_a_query_is_reported(connection: sqlite3.Connection, query: str, why: str) -> None:
    with pytest.raises(BadQuery, match=f"cannot run the query: .*{why}"):
        list(run_query(connection, query)[1])


def test_error_after_the_first_row_is_reported(connection: sqlite3.Connection) -> None:
    _, rows = run_query(connection, "select 1 union all select cast(x'ff' as text)")
    assert next(rows) == (1,)
    with pytest.raises(BadQuery):
        next(rows)


def test_endless_query_without_rows_is_stopped(connection: sqlite3.Connection) -> None:
    start = time.monotonic()
    with pytest.raises(QueryTooSlow, match=r"stopped after 0\.2 s; --timeout 0"):
        list(run_query(connection, ENDLESS + "select i from n where i < 0", seconds=0.2)[1])
    assert 0.2 <= time.monotonic() - start < 2


def test_endless_query_is_stopped_after_its_first_rows(connection: sqlite3.Connection) -> None:
    start = time.monotonic()
    _, rows = run_query(connection, ENDLESS + "select i from n where i < 3", seconds=0.2)
    assert next(rows) == (1,)
    with pytest.raises(QueryTooSlow):
        next(rows)
    assert 0.2 <= time.monotonic() - start < 2


def test_query_that_returns_endless_rows_is_stopped(connection: sqlite3.Connection) -> None:
    start = time.monotonic()
    _, rows = run_query(connection, ENDLESS + "select i from n", seconds=0.2)
    with pytest.raises(QueryTooSlow):
        for _ in rows:
            pass
    assert time.monotonic() - start < 2


def test_fast_query_is_not_stopped(connection: sqlite3.Connection) -> None:
    _, rows = run_query(connection, ENDLESS + "select i from n limit 100000", seconds=60)
    assert sum(1 for _ in rows) == 100_000


def test_external_interrupt_is_treated_as_ctrl_c(connection: sqlite3.Connection) -> None:
    _, rows = run_query(connection, ENDLESS + "select i from n", seconds=60)
    next(rows)
    connection.interrupt()
    with pytest.raises(KeyboardInterrupt):
        list(rows)


@pytest.mark.parametrize("query", [ENDLESS + "select i from n where i < 0", ENDLESS + "select i from n"])
@pytest.mark.parametrize("timeout", ["0", "60"])
def test_ctrl_c_ends_a_query_immediately(small_index: Path, query: str, timeout: str) -> None:
    command = [*CCINDEX, "sql", query, "--csv", "--timeout", timeout, "--db", str(small_index)]
    ready = small_index.parent / "out"
    with ready.open("wb") as out, closing_process(command, out.fileno()) as process:
        deadline = time.monotonic() + 30
        while not _is_open(process.pid, small_index):
            assert time.monotonic() < deadline
            assert process.poll() is None
            time.sleep(0.02)
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        start = time.monotonic()
        assert process.wait(10) == 130
        assert time.monotonic() - start < 5
        assert process.stderr is not None
        assert b"Traceback" not in process.stderr.read()


def closing_process(command: list[str], out: int) -> "closing[_Process]":
    return closing(_Process(command, stdout=out, stderr=subprocess.PIPE))


class _Process(subprocess.Popen[bytes]):
    def close(self) -> None:
        """End the process, even if the test failed."""
        if self.poll() is None:
            self.kill()
        self.wait()
        if self.stderr is not None:
            self.stderr.close()


def _is_open(pid: int, path: Path) -> bool:
    """Whether a process has the index open."""
    folder = Path(f"/proc/{pid}/fd")
    if not folder.parent.parent.joinpath("self").exists():
        time.sleep(2)  # without /proc, assume that the index is open by now
        return True
    try:
        return any(os.path.realpath(name) == str(path.resolve()) for name in folder.iterdir())
    except OSError:
        return False


@pytest.mark.parametrize(
    ("query", "why"),
    [
        ("select randomblob(999999999)", "too big"),
        ("select zeroblob(999999999)", "too big"),
        ("select hex(zeroblob(100000000))", "too big"),
        ("select replace(hex(zeroblob(1000000)), '0', hex(zeroblob(1000)))", "too big"),
        (f"select {', '.join(['zeroblob(100000000)'] * 20)}", "it needs too much memory"),
        # SQLite before 3.46, before 3.53, and since then
        (f"select {'(-' * 5_000}1{')' * 5_000}", "parser stack overflow|tree is too large|Recursion limit"),
        (f"select {'+'.join(['1'] * 20_000)}", "too large"),
        (f"select json_extract('{'[' * 9_000}', '$')", "malformed JSON"),
        ("select writefile('{folder}/x', 'y')", "no such function"),
        ("select readfile('/etc/passwd')", "no such function"),
        ("select 1; attach '{folder}/x' as y", "one statement"),
        ("select * from entries_fts where entries_fts match '\"'", "unterminated string"),
        *((f"pragma {name}", "not authorized") for name in ("hard_heap_limit = 0", "cache_size = -9999999")),
        *((f"pragma {name}", "not authorized") for name in ("query_only(0)", "temp_store_directory = '{folder}'")),
        *((f"pragma {name}", "not authorized") for name in ("wal_checkpoint(truncate)", "Journal_Mode(delete)")),
    ],
    ids=lambda value: value[:40],
)
def test_oversized_invalid_or_forbidden_query_is_reported_as_an_error(shared_index: Path, query: str, why: str) -> None:
    before = read_files(shared_index)
    with reading(shared_index) as connection, pytest.raises(BadQuery, match=why):
        list(run_query(connection, query.replace("{folder}", str(shared_index.parent)), seconds=20)[1])
    assert read_files(shared_index) == before


def test_reporting_pragmas_are_allowed(connection: sqlite3.Connection) -> None:
    assert ("uuid",) in [row[1:2] for row in run_query(connection, "pragma table_info(v1_entries)")[1]]
    assert list(run_query(connection, "pragma integrity_check(3)")[1]) == [("ok",)]
    assert list(run_query(connection, "pragma journal_mode")[1]) == [("wal",)]


def test_result_kept_in_memory_has_a_size_limit(connection: sqlite3.Connection) -> None:
    _, rows = run_query(connection, ENDLESS + "select hex(zeroblob(10000000)) from n", seconds=20)
    with pytest.raises(ResultTooLarge, match="larger than 256 MB; use --limit to get fewer rows, or --csv"):
        for _ in bounded_rows(rows):
            pass
    assert len(list(bounded_rows(iter([("a", 1), ("b", None)])))) == 2
