"""Options as typed to filters: projects by path, dates in people's words, limits."""

import inspect
import os
import sqlite3
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import typer

from ccindex.cli.options import TABLE_ROWS, FilterOptions, filters_of, instant_of, limit_of, takes_filters
from ccindex.errors import AmbiguousPrefix, NothingNamed
from ccindex.query.lists import Filters
from ccindex.store.connection import reading
from tests.making.commands import answer, ccindex
from tests.making.files import write
from tests.making.indexes import index
from tests.making.transcripts import line

HOUR = 3_600_000
DAY = 24 * HOUR
FEBRUARY = 1_769_904_000_000  # 2026-02-01T00:00Z


@pytest.fixture
def connection(db: Path, project: Path) -> Iterator[sqlite3.Connection]:
    write(project / "s.jsonl", line("u1", sessionId="abc1"), line("u2", sessionId="abd2"))
    index(db, project)
    with reading(db) as opened:
        yield opened


def project_of(connection: sqlite3.Connection, typed: str) -> str | None:
    return filters_of(connection, FilterOptions(project=typed)).project


def test_nothing_asked_is_no_filter(connection: sqlite3.Connection) -> None:
    assert filters_of(connection, FilterOptions()) == Filters()


def test_what_is_asked_is_handed_on(connection: sqlite3.Connection) -> None:
    words: dict[str, Any] = {"project": "Recipe", "model": "Opus", "tool": "mcp__*"}
    options = FilterOptions(session="abc", since="2026-02-01", until="2026-02-02", **words)
    assert filters_of(connection, options, limit=3) == Filters(
        session_id="abc1", since=FEBRUARY, until=FEBRUARY + DAY, limit=3, **words
    )


def test_a_session_is_found_by_its_beginning(connection: sqlite3.Connection) -> None:
    with pytest.raises(AmbiguousPrefix):
        filters_of(connection, FilterOptions(session="ab"))
    with pytest.raises(NothingNamed):
        filters_of(connection, FilterOptions(session="x"))


@pytest.mark.parametrize("name", ["recipe-box", "a.b", "...", "-", "", "100%", "~x", "back\\slash"])
def test_a_part_of_a_projects_name_is_taken_as_it_is(connection: sqlite3.Connection, name: str) -> None:
    assert project_of(connection, name) == name


def test_a_path_is_taken_as_claude_code_names_its_folder(
    connection: sqlite3.Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = tmp_path.resolve() / "My.work_1" / "bäh box"
    work.mkdir(parents=True)
    name = str(work.parent).replace("/", "-").replace(".", "-").replace("_", "-")
    monkeypatch.chdir(work)
    assert project_of(connection, ".") == f"{name}-b-h-box"
    assert project_of(connection, "..") == project_of(connection, "../") == name
    assert project_of(connection, "./") == project_of(connection, str(work)) == f"{name}-b-h-box"
    assert project_of(connection, "./x/../y") == f"{name}-b-h-box-y"  # need not exist
    assert project_of(connection, f"{work}/") == f"{name}-b-h-box"
    assert project_of(connection, "/") == "-"


def test_a_link_is_followed_to_the_folder_that_was_worked_in(connection: sqlite3.Connection, tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert project_of(connection, str(tmp_path / "link")) == project_of(connection, str(tmp_path.resolve() / "real"))


def test_a_path_may_begin_at_home(
    connection: sqlite3.Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path.resolve()))
    assert project_of(connection, "~/x") == project_of(connection, str(tmp_path.resolve() / "x"))
    assert project_of(connection, "~/") == project_of(connection, str(tmp_path.resolve()))


def test_home_itself_is_a_path(connection: sqlite3.Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path.resolve()))
    assert project_of(connection, "~") == project_of(connection, str(tmp_path.resolve()))


def test_sessions_of_the_folder_one_is_in_are_found(tmp_path: Path) -> None:
    home = tmp_path.resolve() / "my.app"
    home.mkdir()
    named = "".join(sign if sign.isalnum() else "-" for sign in str(home))
    write(tmp_path / "projects" / named / "s1.jsonl", line("u1"))
    write(tmp_path / "projects" / "-other" / "s2.jsonl", line("v1", sessionId="s2"))
    index(tmp_path / "x.db", tmp_path / "projects")
    found = answer("sessions", "--project", ".", "--db", tmp_path / "x.db", cwd=home)
    assert [row["session_id"] for row in found["sessions"]] == ["s1"]


@pytest.mark.parametrize(
    ("given", "is_table", "most"),
    [(None, True, TABLE_ROWS), (None, False, None), (0, True, None), (0, False, None), (7, True, 7), (7, False, 7)],
)
def test_a_table_has_as_many_rows_as_a_screen_or_two_unless_said_otherwise(
    given: int | None, most: int | None, *, is_table: bool
) -> None:
    assert limit_of(given, is_table=is_table) == most


def test_a_limit_of_nothing_is_none(connection: sqlite3.Connection) -> None:
    assert filters_of(connection, FilterOptions(), limit=0).limit is None


@pytest.mark.parametrize(
    ("typed", "instant"),
    [
        ("2026-02-01", FEBRUARY),
        (" 2026-02-01 ", FEBRUARY),
        ("20260201", FEBRUARY),
        ("2026-02-01T09:30", FEBRUARY + 9 * HOUR + HOUR // 2),
        ("2026-02-01 09:30", FEBRUARY + 9 * HOUR + HOUR // 2),
        ("2026-02-01 09:30:15", FEBRUARY + 9 * HOUR + HOUR // 2 + 15_000),
        ("2026-02-01T09:30Z", FEBRUARY + 9 * HOUR + HOUR // 2),
        ("2026-02-01T09:30+02:00", FEBRUARY + 7 * HOUR + HOUR // 2),
        ("2026-02-01T00:00:00.001Z", FEBRUARY + 1),
        ("1970-01-01", 0),
        ("1969-12-31", -DAY),
        ("0001-01-01", -62_135_596_800_000),
        ("0001-01-01T00:00+23:59", -62_135_596_800_000 - 24 * HOUR + 60_000),
        ("9999-12-31", 253_402_214_400_000),
    ],
)
def test_a_date_is_read_in_utc_unless_it_says_otherwise(typed: str, instant: int) -> None:
    assert instant_of(typed) == instant


def test_every_millisecond_is_read_as_itself() -> None:
    for ms in range(1_000):
        assert instant_of(f"2026-02-01T00:00:00.{ms:03}Z") == FEBRUARY + ms


def test_no_date_is_none() -> None:
    assert instant_of(None) is None


@pytest.mark.parametrize(
    ("typed", "hours"),
    [
        ("0h", 0),
        ("12h", 12),
        ("7d", 7 * 24),
        ("7 D", 7 * 24),
        ("4w", 28 * 24),
        ("1 m", 30 * 24),
        ("6m", 180 * 24),
        ("1Y", 365 * 24),
    ],
)
def test_so_long_ago_is_counted_back_from_now(typed: str, hours: int) -> None:
    before = datetime.now(UTC)
    found = instant_of(typed)
    after = datetime.now(UTC)
    assert found is not None
    then = datetime.fromtimestamp(found / 1000, UTC) + timedelta(hours=hours)
    assert before - timedelta(milliseconds=2) <= then <= after + timedelta(milliseconds=2)


@pytest.mark.parametrize(("typed", "days"), [("today", 0), ("Yesterday", 1)])
def test_a_day_begins_at_midnight_in_utc(typed: str, days: int) -> None:
    today = datetime.now(UTC).date()
    found = instant_of(typed)
    assert found is not None
    moment = datetime.fromtimestamp(found / 1000, UTC)
    assert moment.time().isoformat() == "00:00:00"
    assert (today - moment.date()).days in (days, days - 1 if today != datetime.now(UTC).date() else days)


NO_DATES = [
    "",
    "soon",
    "2026-13-01",
    "2026-02-30",
    "7",
    "d",
    "-7d",
    "7.5d",
    "7dd",
    "7x",
    "99999y",
    "100000d",
    "1" * 5_000 + "d",
    "2026-02-01T25:00",
]


@pytest.mark.parametrize("typed", NO_DATES)
def test_what_is_no_date_is_refused_with_what_to_try(typed: str) -> None:
    with pytest.raises(typer.BadParameter, match="is no date; try 2026-02-01, yesterday or 7d"):
        instant_of(typed)


def test_a_command_receives_its_filters_as_one_value() -> None:
    received = []

    @takes_filters
    def command(*, by: str = "day", options: FilterOptions, limit: int | None = None) -> None:
        received.append((by, options, limit))

    filters = ["project", "session", "model", "tool", "since", "until"]
    assert list(inspect.signature(command).parameters) == ["by", *filters, "limit"]
    nothing = dict.fromkeys(filters)
    command(**nothing | {"project": "x", "since": "7d"}, by="week", limit=2)
    assert received == [("week", FilterOptions(project="x", since="7d"), 2)]
    with pytest.raises(typer.BadParameter, match="'soon' is no date"):
        command(**nothing | {"since": "soon"})
    assert len(received) == 1


@pytest.mark.parametrize("words", [("sessions",), ("files",), ("stats",), ("search", "x"), ("tree",)], ids=" ".join)
def test_dates_are_looked_at_before_the_index(words: tuple[str, ...]) -> None:
    for option in ("--since", "--until"):
        done = ccindex(*words, option, "soon", "--db", f"/none-{os.getpid()}/x.db")
        assert (done.returncode, done.stdout) == (2, "")
        assert "'soon' is no date" in done.stderr
