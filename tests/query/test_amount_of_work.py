"""The work of readers follows what they print, not the size of the index."""

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


def written(folder: Path, sessions: int, turns: int) -> Path:
    """Make an index of sessions that have so many turns each, all on one day."""
    for number in range(sessions):
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
    return {name: written(root / name, *size) for name, size in sizes.items()}


def steps(db: Path, read: Read) -> int:
    """How many steps of SQLite's machine it takes."""
    taken = 0

    def count() -> None:
        nonlocal taken
        taken += 1

    with closing(sqlite3.connect(db)) as connection:
        read(connection)  # the schema is read once
        connection.set_progress_handler(count, 1)
        read(connection)
    return taken


def page(connection: sqlite3.Connection) -> object:
    return list(list_rows(connection, SESSIONS, Filters(limit=5)))


def calls(connection: sqlite3.Connection) -> object:
    return list(list_rows(connection, TOOLS, Filters(limit=5)))


@pytest.mark.parametrize("read", [page, calls])
def test_a_page_of_a_list_costs_the_same_in_any_index(indexes: dict[str, Path], read: Read) -> None:
    small = steps(indexes["small"], read)
    assert steps(indexes["many"], read) < 1.5 * small
    assert steps(indexes["long"], read) < 1.5 * small


@pytest.mark.parametrize("by", By)
def test_counting_costs_what_was_counted_and_not_what_was_said(indexes: dict[str, Path], by: By) -> None:
    def read(connection: sqlite3.Connection) -> object:
        return count_by(connection, by, Filters())

    assert steps(indexes["long"], read) == steps(indexes["small"], read)
    assert steps(indexes["many"], read) < 1.5 * MANY / FEW * steps(indexes["small"], read)


def test_a_part_of_a_day_is_counted_in_the_sessions_of_that_day(indexes: dict[str, Path]) -> None:
    with closing(sqlite3.connect(indexes["small"])) as connection:
        (at,) = connection.execute("select min(timestamp_ms) + 86400000 from occurrences").fetchone()
    late = steps(indexes["long"], lambda connection: count_by(connection, By.DAY, Filters(since=at + 1)))
    assert late <= 1.1 * steps(indexes["small"], lambda connection: count_by(connection, By.DAY, Filters(since=at + 1)))


@pytest.mark.parametrize("view", ["v1_usage", "v1_projects", "v1_sessions"])
def test_views_of_sums_read_what_was_counted(indexes: dict[str, Path], view: str) -> None:
    def read(connection: sqlite3.Connection) -> object:
        return connection.execute(f"select * from {view}").fetchall()

    assert steps(indexes["long"], read) < 2 * steps(indexes["small"], read)
