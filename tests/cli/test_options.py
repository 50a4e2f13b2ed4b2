"""Filter options: projects by path, dates in several formats, and limits."""

import inspect
import os
import sqlite3
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import typer

from ccindex.cli.options import TABLE_ROWS, FilterOptions, add_filter_options, choose_limit, parse_date, resolve_filters
from ccindex.errors import AmbiguousPrefix, NoSuchId
from ccindex.query.lists import Filters
from ccindex.store.connection import reading
from tests.making.commands import ccindex, run_json
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
    with reading(db) as reader:
        yield reader


def project_of(connection: sqlite3.Connection, typed: str) -> str | None:
    return resolve_filters(connection, FilterOptions(project=typed)).project


def test_no_options_give_no_filters(connection: sqlite3.Connection) -> None:
    assert resolve_filters(connection, FilterOptions()) == Filters()


def test_options_become_filters(connection: sqlite3.Connection) -> None:
    texts: dict[str, Any] = {"project": "Recipe", "model": "Opus", "tool": "mcp__*"}
    options = FilterOptions(session="abc", since="2026-02-01", until="2026-02-02", **texts)
    assert resolve_filters(connection, options, limit=3) == Filters(
        session_id="abc1", since=FEBRUARY, until=FEBRUARY + DAY, limit=3, **texts
    )


def test_ambiguous_or_unknown_session_prefix_is_refused(connection: sqlite3.Connection) -> None:
    with pytest.raises(AmbiguousPrefix):
        resolve_filters(connection, FilterOptions(session="ab"))
    with pytest.raises(NoSuchId):
        resolve_filters(connection, FilterOptions(session="x"))


@pytest.mark.parametrize("name", ["recipe-box", "a.b", "...", "-", "", "100%", "~x", "back\\slash"])
def test_part_of_a_project_name_is_used_unchanged(connection: sqlite3.Connection, name: str) -> None:
    assert project_of(connection, name) == name


def test_path_is_converted_to_the_project_name(
    connection: sqlite3.Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = tmp_path.resolve() / "My.work_1" / "bäh box"
    work.mkdir(parents=True)
    name = str(work.parent).replace("/", "-").replace(".", "-").replace("_", "-")
    monkeypatch.chdir(work)
    assert project_of(connection, ".") == f"{name}-b-h-box"
    assert project_of(connection, "..") == project_of(connection, "../") == name
    assert project_of(connection, "./") == project_of(connection, str(work)) == f"{name}-b-h-box"
    assert project_of(connection, "./x/../y") == f"{name}-b-h-box-y"  # the folder need not exist
    assert project_of(connection, f"{work}/") == f"{name}-b-h-box"
    assert project_of(connection, "/") == "-"


def test_symbolic_link_is_resolved(connection: sqlite3.Connection, tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert project_of(connection, str(tmp_path / "link")) == project_of(connection, str(tmp_path.resolve() / "real"))


def test_path_can_start_with_the_home_folder(
    connection: sqlite3.Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path.resolve()))
    assert project_of(connection, "~/x") == project_of(connection, str(tmp_path.resolve() / "x"))
    assert project_of(connection, "~/") == project_of(connection, str(tmp_path.resolve()))


def test_tilde_is_the_home_folder(
    connection: sqlite3.Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path.resolve()))
    assert project_of(connection, "~") == project_of(connection, str(tmp_path.resolve()))


def test_dot_selects_sessions_in_the_current_folder(tmp_path: Path) -> None:
    home = tmp_path.resolve() / "my.app"
    home.mkdir()
    name = "".join(character if character.isalnum() else "-" for character in str(home))
    write(tmp_path / "projects" / name / "s1.jsonl", line("u1"))
    write(tmp_path / "projects" / "-other" / "s2.jsonl", line("v1", sessionId="s2"))
    index(tmp_path / "x.db", tmp_path / "projects")
    document = run_json("sessions", "--project", ".", "--db", tmp_path / "x.db", cwd=home)
    assert [row["session_id"] for row in document["sessions"]] == ["s1"]


@pytest.mark.parametrize(
    ("requested", "is_table", "limit"),
    [(None, True, TABLE_ROWS), (None, False, None), (0, True, None), (0, False, None), (7, True, 7), (7, False, 7)],
)
def test_default_limit_applies_to_tables_only(requested: int | None, limit: int | None, *, is_table: bool) -> None:
    assert choose_limit(requested, is_table=is_table) == limit


def test_limit_of_zero_means_no_limit(connection: sqlite3.Connection) -> None:
    assert resolve_filters(connection, FilterOptions(), limit=0).limit is None


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
def test_date_formats_are_parsed(typed: str, instant: int) -> None:
    assert parse_date(typed) == instant


def test_milliseconds_are_exact() -> None:
    for ms in range(1_000):
        assert parse_date(f"2026-02-01T00:00:00.{ms:03}Z") == FEBRUARY + ms


def test_missing_date_is_none() -> None:
    assert parse_date(None) is None


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
def test_relative_date_is_counted_back_from_now(typed: str, hours: int) -> None:
    before = datetime.now(UTC)
    instant = parse_date(typed)
    after = datetime.now(UTC)
    assert instant is not None
    then = datetime.fromtimestamp(instant / 1000, UTC) + timedelta(hours=hours)
    assert before - timedelta(milliseconds=2) <= then <= after + timedelta(milliseconds=2)


@pytest.mark.parametrize(("typed", "days"), [("today", 0), ("Yesterday", 1)])
def test_day_starts_at_midnight(typed: str, days: int) -> None:
    today = datetime.now(UTC).date()
    instant = parse_date(typed)
    assert instant is not None
    start = datetime.fromtimestamp(instant / 1000, UTC)
    assert start.time().isoformat() == "00:00:00"
    assert (today - start.date()).days in (days, days - 1 if today != datetime.now(UTC).date() else days)


INVALID_DATES = [
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


@pytest.mark.parametrize("typed", INVALID_DATES)
def test_invalid_date_is_refused_with_examples(typed: str) -> None:
    with pytest.raises(typer.BadParameter, match="is not a date; try 2026-02-01, yesterday or 7d"):
        parse_date(typed)


def test_command_receives_its_filters_as_one_value() -> None:
    received = []

    @add_filter_options
    def command(*, by: str = "day", options: FilterOptions, limit: int | None = None) -> None:
        received.append((by, options, limit))

    filters = ["project", "session", "model", "tool", "since", "until"]
    assert list(inspect.signature(command).parameters) == ["by", *filters, "limit"]
    nothing = dict.fromkeys(filters)
    command(**nothing | {"project": "x", "since": "7d"}, by="week", limit=2)
    assert received == [("week", FilterOptions(project="x", since="7d"), 2)]
    with pytest.raises(typer.BadParameter, match="'soon' is not a date"):
        command(**nothing | {"since": "soon"})
    assert len(received) == 1


@pytest.mark.parametrize("arguments", [("sessions",), ("files",), ("stats",), ("search", "x"), ("tree",)], ids=" ".join)
def test_dates_are_checked_before_the_index_is_opened(arguments: tuple[str, ...]) -> None:
    for option in ("--since", "--until"):
        result = ccindex(*arguments, option, "soon", "--db", f"/none-{os.getpid()}/x.db")
        assert (result.returncode, result.stdout) == (2, "")
        assert "'soon' is not a date" in result.stderr
