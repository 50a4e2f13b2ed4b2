"""Four times as many lines take at most about four times the work, whatever the shape of the graph.

Work is measured in steps of SQLite's virtual machine and in executed lines of Python, not in time.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from ccindex.ingest.ingest import ingest
from ccindex.maintain.update import begin_run
from ccindex.model.events import PhaseTimes
from ccindex.store.connection import changing
from tests.making.hostile_graphs import SHAPES, write_graph
from transcripts.shapes import SHAPES as SHAPES_OF_TRANSCRIPTS
from transcripts.shapes import write

FEW, MANY = 150, 600
SLACK = 1.05  # quadratic work would be 16 times as much
STEP_SIZE = 20  # instructions of SQLite's virtual machine per counted step


class Work:
    """Counts the work that is done in the body of `counted`."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection
        self.steps = 0
        self.lines = 0

    @contextmanager
    def counted(self) -> Iterator[None]:
        """Count the work of the body."""
        previous = sys.gettrace()
        self._connection.set_progress_handler(self._step, STEP_SIZE)
        sys.settrace(self._trace_call)
        try:
            yield
        finally:
            sys.settrace(previous)
            self._connection.set_progress_handler(None, 0)

    def _step(self) -> None:
        self.steps += 1

    def _trace_call(self, _frame: FrameType, _event: str, _arg: object) -> Any:
        return self._trace_line

    def _trace_line(self, _frame: FrameType, event: str, _arg: object) -> Any:
        self.lines += event == "line"
        return self._trace_line


class DeriveWork(PhaseTimes):
    """Counts the work of the derive phase."""

    def __init__(self, connection: Any) -> None:
        super().__init__()
        self.work = Work(connection)

    @contextmanager
    def timed(self, phase: str) -> Iterator[None]:
        """Count the work of the body if the phase is `derive`."""
        with self.work.counted() if phase == "derive" else nullcontext():
            yield


def measure_work(folder: Path, shape: str, lines: int) -> Work:
    """Index a graph of the given shape and number of lines; return the work done to derive it."""
    write_graph(folder / "projects", shape, lines, files=5, seed=1)
    with changing(folder / "index" / "x.db", create=True) as connection:
        run = begin_run(connection)
        run.phases = phases = DeriveWork(connection)
        assert ingest(run, [folder / "projects"], must_exist=True).status == "ok"
    return phases.work


def measure_work_per_unit(folder: Path, shape: str, size: int) -> tuple[float, float]:
    """Index generated transcripts; return the work per entry, line or file, whichever is the most frequent."""
    write(SHAPES_OF_TRANSCRIPTS[shape], size, folder / "projects", seed=1)
    with changing(folder / "index" / "x.db", create=True) as connection:
        run, work = begin_run(connection), Work(connection)
        with work.counted():
            report = ingest(run, [folder / "projects"], must_exist=True)
    units = max(report.entries_added, report.lines_read, report.files["seen"])
    return work.steps / units, work.lines / units


@pytest.fixture(scope="module", autouse=True)
def _warm(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Derive once, so that lazy imports are not counted."""
    measure_work(tmp_path_factory.mktemp("warm").resolve(), "mixed", FEW)


@pytest.mark.parametrize("shape", SHAPES)
def test_work_is_linear_in_the_number_of_lines(tmp_path: Path, shape: str) -> None:
    few, many = (measure_work(tmp_path / str(lines), shape, lines) for lines in (FEW, MANY))
    limit = MANY / FEW * SLACK
    assert 0 < many.steps < limit * few.steps
    assert 0 < many.lines < limit * few.lines


@pytest.mark.parametrize("shape", sorted(SHAPES_OF_TRANSCRIPTS.keys() - {"day"}))  # the sizes of days are random
def test_work_per_unit_does_not_depend_on_the_size_of_generated_transcripts(tmp_path: Path, shape: str) -> None:
    few, many = (measure_work_per_unit(tmp_path / str(size), shape, size) for size in (60, 240))
    assert 0 < many[0] < SLACK * few[0]
    assert 0 < many[1] < SLACK * few[1]


def test_copies_in_many_files_are_decompressed_once_per_file(tmp_path: Path) -> None:
    files = 20
    write_graph(tmp_path / "projects", "copies", 20 * files, files=files, seed=1)
    statements: list[str] = []
    with changing(tmp_path / "index" / "x.db", create=True) as connection:
        connection.set_trace_callback(statements.append)
        ingest(begin_run(connection), [tmp_path / "projects"], must_exist=True)
        connection.set_trace_callback(None)
        assert connection.execute("select count(*) from copy_conflicts").fetchone() == (20,)
    # both ends of every file are read once to compare copies and once to read the owners, not once per copy
    assert 0 < sum("select data from chunks" in text for text in statements) <= 4 * files
