"""Limit the number of modules, functions and stack frames that handle one appended line."""

import re
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import CodeType, FrameType
from typing import NamedTuple

import ccindex
from ccindex.ingest.ingest import IngestReport, ingest
from ccindex.maintain.update import begin_run
from ccindex.store.connection import changing
from tests.making.files import append, write
from tests.making.folders import SAMPLE
from tests.making.indexes import index
from tests.making.transcripts import line

MAX_MODULES = 40
MAX_FUNCTIONS = 180
MAX_FRAMES = 10  # from `ingest` to the function that executes an insert, inclusive

PACKAGE = str(Path(ccindex.__file__).parent) + "/"
OPTIMIZED = 0x1  # code flag that is set for functions but not for class bodies
COMMENTS = re.compile(r"--[^\n]*\n")
INSERT = re.compile(r"(?:insert|replace)\b.*?\binto\s+(\w+)", re.DOTALL)


class Function(NamedTuple):
    """A function, lambda or comprehension in the package."""

    module: str
    name: str
    line_no: int


class Insert(NamedTuple):
    """An executed insert, and the call stack from `ingest` to the function that executes it."""

    table: str
    stack: tuple[Function, ...]

    def __str__(self) -> str:
        return "\n  ".join([self.table, *(f"{function.module}: {function.name}" for function in self.stack)])


class Trace(NamedTuple):
    """The called functions and the executed inserts."""

    entered: set[Function]
    inserts: set[Insert]

    def modules(self) -> set[str]:
        return {function.module for function in self.entered}

    def functions(self) -> set[Function]:
        """Return the functions without lambdas and comprehensions."""
        return {function for function in self.entered if not function.name.endswith(">")}

    def tables(self) -> set[str]:
        """Return the tables that rows were inserted into."""
        return {insert.table for insert in self.inserts}

    def deepest_insert(self) -> Insert:
        return max(self.inserts, key=lambda insert: len(insert.stack))


@contextmanager
def traced(connection: sqlite3.Connection) -> Iterator[Trace]:
    """Trace calls of the package's functions, and inserts on the given connection."""
    trace = Trace(set(), set())

    def record_call(frame: FrameType, event: str, _argument: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(PACKAGE) and code.co_flags & OPTIMIZED:
            trace.entered.add(to_function(code))

    def record_statement(statement: str) -> None:
        # called inside execute and executemany, for every row; SQLite passes FTS5's internal statements as comments
        if match := INSERT.match(COMMENTS.sub("", statement).strip()):
            trace.inserts.add(Insert(match[1], stack_from_ingest(sys._getframe(1))))  # noqa: SLF001

    connection.set_trace_callback(record_statement)
    sys.setprofile(record_call)
    try:
        yield trace
    finally:
        sys.setprofile(None)
        connection.set_trace_callback(None)


def to_function(code: CodeType) -> Function:
    return Function(code.co_filename.removeprefix(PACKAGE), code.co_qualname, code.co_firstlineno)


def stack_from_ingest(frame: FrameType) -> tuple[Function, ...]:
    """Return the functions on the call stack from `ingest` to the given frame."""
    functions = [to_function(frame.f_code)]
    while frame.f_code is not ingest.__code__:
        assert frame.f_back is not None
        frame = frame.f_back
        functions.append(to_function(frame.f_code))
    return tuple(reversed(functions))


def trace_ingest(db: Path, folder: Path) -> tuple[Trace, IngestReport]:
    with changing(db, create=True) as connection:
        run = begin_run(connection)
        with traced(connection) as trace:
            report = ingest(run, [folder], must_exist=True)
    return trace, report


def test_appended_line_runs_little_code(db: Path, project: Path) -> None:
    path = write(project / "s1.jsonl", *(line(f"u{n}", parent=f"u{n - 1}" if n else None) for n in range(10)))
    for number in range(10, 13):  # warm up, so that imports and caches are not counted
        index(db, project)
        append(path, line(f"u{number}", parent=f"u{number - 1}") + "\n")
    trace, report = trace_ingest(db, project)
    assert report.entries_added == 1
    assert {"entries", "occurrences", "placements", "ingest_runs"} <= trace.tables()
    deepest = trace.deepest_insert()
    assert len(deepest.stack) <= MAX_FRAMES, str(deepest)
    assert len(trace.modules()) <= MAX_MODULES, sorted(trace.modules())
    assert len(trace.functions()) <= MAX_FUNCTIONS


def test_inserts_for_the_sample_have_a_shallow_call_stack(db: Path) -> None:
    trace, _ = trace_ingest(db, SAMPLE)  # the sample is too small for a bulk load
    assert {"agents", "messages", "model_prices", "records", "tool_pairs", "tool_totals"} <= trace.tables()
    deepest = trace.deepest_insert()
    assert len(deepest.stack) <= MAX_FRAMES, str(deepest)
