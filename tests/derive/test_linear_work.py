"""Hostile ids: deriving four times as many lines takes at most about four times the work, whatever their shape.

Work is what is counted here, not time: steps of SQLite's machine and lines of Python.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from ccindex.ingest.ingest import ingest
from ccindex.maintain.update import begin_run
from ccindex.model.events import PhaseTimes
from ccindex.store.connection import changing
from tests.making.hostile_graphs import SHAPES, write_graph

FEW, MANY = 150, 600
SLACK = 1.05  # quadratic work is 16 times as much
STEPS = 20  # of SQLite's machine that count as one


class Counted(PhaseTimes):
    """Counts the work of deriving."""

    def __init__(self, connection: Any) -> None:
        super().__init__()
        self._connection = connection
        self.steps = 0
        self.lines = 0

    @contextmanager
    def timed(self, phase: str) -> Iterator[None]:
        """Count what is inside if it derives."""
        if phase != "derive":
            yield
            return
        before = sys.gettrace()
        self._connection.set_progress_handler(self._step, STEPS)
        sys.settrace(self._called)
        try:
            yield
        finally:
            sys.settrace(before)
            self._connection.set_progress_handler(None, 0)

    def _step(self) -> None:
        self.steps += 1

    def _called(self, _frame: FrameType, _event: str, _given: object) -> Any:
        return self._lined

    def _lined(self, _frame: FrameType, event: str, _given: object) -> Any:
        self.lines += event == "line"
        return self._lined


def derived(folder: Path, shape: str, lines: int) -> Counted:
    """Index so many lines of a shape; return what deriving them took."""
    write_graph(folder / "projects", shape, lines, files=5, seed=1)
    with changing(folder / "index" / "x.db", create=True) as connection:
        going = begin_run(connection)
        counted = going.phases = Counted(connection)
        assert ingest(going, [folder / "projects"], named=True).status == "ok"
    return counted


@pytest.fixture(scope="module", autouse=True)
def _warm(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Import what is imported when it is needed first."""
    derived(tmp_path_factory.mktemp("warm").resolve(), "mixed", FEW)


@pytest.mark.parametrize("shape", SHAPES)
def test_work_grows_with_the_lines_and_not_with_their_square(tmp_path: Path, shape: str) -> None:
    few, many = (derived(tmp_path / str(lines), shape, lines) for lines in (FEW, MANY))
    most = MANY / FEW * SLACK
    assert 0 < many.steps < most * few.steps
    assert 0 < many.lines < most * few.lines


def test_copies_that_are_spread_over_files_are_unpacked_file_by_file(tmp_path: Path) -> None:
    files = 20
    write_graph(tmp_path / "projects", "copies", 20 * files, files=files, seed=1)
    statements: list[str] = []
    with changing(tmp_path / "index" / "x.db", create=True) as connection:
        connection.set_trace_callback(statements.append)
        ingest(begin_run(connection), [tmp_path / "projects"], named=True)
        connection.set_trace_callback(None)
        assert connection.execute("select count(*) from copy_conflicts").fetchone() == (20,)
    # both ends of the file, once to compare and once to take the owners' content, not once per copy
    assert 0 < sum("select data from chunks" in text for text in statements) <= 4 * files
