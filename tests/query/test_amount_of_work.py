"""The cost of a query depends on the size of its result, not on the size of the index."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from ccindex.query.lists import SESSIONS, TOOLS, Filters, list_rows
from ccindex.query.stats import By, count_by
from tests.making.files import write
from tests.making.indexes import index
from tests.making.transcripts import assistant, tool_result, tool_use, user

FEW, MANY = 10, 80
Read = Callable[[sqlite3.Connection], object]


def make_index(folder: Path, session_count: int, turns: int) -> Path:
    """Index the given number of sessions on the same day, each with the given number of turns."""
    for number in range(session_count):
        name = f"s{number:03}"
        lines, parent = [], None
        for turn in range(turns):
            prompt, call, answer = (f"{kind}{number}-{turn}" for kind in ("u", "a", "r"))
            lines += [
                user(prompt, number + turn, "go", sessionId=name, parent=parent),
                assistant(call, number + turn, tool_use(f"t{number}-{turn}", "Bash"), sessionId=name, parent=prompt),
                user(answer, number + turn, tool_result(f"t{number}-{turn}"), sessionId=name, parent=call),
            ]
            parent = answer
        write(folder / "-w" / f"{name}.jsonl", *lines)
    index(folder / "x.db", folder)
    return folder / "x.db"


@pytest.fixture(scope="module")
def indexes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    root = tmp_path_factory.mktemp("work").resolve()
    sizes = {"small": (FEW, 2), "many": (MANY, 2), "long": (FEW, 2 * MANY // FEW)}
    return {name: make_index(root / name, *size) for name, size in sizes.items()}


def steps(db: Path, read: Read) -> int:
    """Return the number of SQLite instructions that the given function executes."""
    total = 0

    def count() -> None:
        nonlocal total
        total += 1

    with closing(sqlite3.connect(db)) as connection:
        read(connection)  # warm up: the first statement loads the schema
        connection.set_progress_handler(count, 1)
        read(connection)
    return total


def sessions(connection: sqlite3.Connection) -> object:
    return list(list_rows(connection, SESSIONS, Filters(limit=5)))


def tools(connection: sqlite3.Connection) -> object:
    return list(list_rows(connection, TOOLS, Filters(limit=5)))


@pytest.mark.parametrize("read", [sessions, tools])
def test_cost_of_a_short_list_does_not_depend_on_index_size(indexes: dict[str, Path], read: Read) -> None:
    small = steps(indexes["small"], read)
    assert steps(indexes["many"], read) < 1.5 * small
    assert steps(indexes["long"], read) < 1.5 * small


@pytest.mark.parametrize("by", By)
def test_cost_of_stats_does_not_depend_on_the_number_of_turns(indexes: dict[str, Path], by: By) -> None:
    def read(connection: sqlite3.Connection) -> object:
        return count_by(connection, by, Filters())

    assert steps(indexes["long"], read) == steps(indexes["small"], read)
    assert steps(indexes["many"], read) < 1.5 * MANY / FEW * steps(indexes["small"], read)


def test_stats_for_a_partial_day_read_only_that_days_sessions(indexes: dict[str, Path]) -> None:
    with closing(sqlite3.connect(indexes["small"])) as connection:
        (at,) = connection.execute("select min(timestamp_ms) + 86400000 from occurrences").fetchone()
    late = steps(indexes["long"], lambda connection: count_by(connection, By.DAY, Filters(since=at + 1)))
    assert late <= 1.1 * steps(indexes["small"], lambda connection: count_by(connection, By.DAY, Filters(since=at + 1)))


@pytest.mark.parametrize("view", ["v1_usage", "v1_projects", "v1_sessions"])
def test_cost_of_views_with_totals_does_not_depend_on_the_number_of_turns(indexes: dict[str, Path], view: str) -> None:
    def read(connection: sqlite3.Connection) -> object:
        return connection.execute(f"select * from {view}").fetchall()

    assert steps(indexes["long"], read) < 2 * steps(indexes["small"], read)
