"""Each piece of advice is given exactly when there is a reason for it; how long transcripts are kept."""

import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from ccindex.query.doctor import Room, Surroundings, advice, last_change, room_of
from ccindex.read.discovery import DEFAULT_DAYS, Retention, retention_of
from ccindex.store.connection import reading
from tests.index.test_rights import as_nobody
from tests.meaning.transcripts import assistant
from tests.support import ask, index, line, write

DAY = 86_400_000
NOW = 1_772_355_600_000
FINE = Room(index=1_000, archive=100, recorded=500, unused=0)
DEFAULT = Retention(DEFAULT_DAYS, None)


def around(db: Path, *, ran: int | None = NOW, days: int = DEFAULT_DAYS) -> Surroundings:
    return Surroundings(NOW, ran, Retention(days, None), db)


def given(db: Path, surroundings: Surroundings | None = None, room: Room = FINE) -> list[str]:
    with reading(db) as connection:
        return list(advice(connection, surroundings or around(db), room))


@pytest.fixture
def sound(db: Path, project: Path) -> Path:
    write(project / "s1.jsonl", line("u1"), assistant("a1", 1, parent="u1"))
    index(db, project)
    return db


def test_where_all_is_well_there_is_no_advice(sound: Path) -> None:
    assert given(sound) == []


def test_an_empty_index_is_well(db: Path, project: Path) -> None:
    index(db, project)
    assert given(db) == []


@pytest.mark.parametrize(
    ("ran", "days", "told"),
    [
        (None, 30, "nothing says when"),
        (NOW, 30, None),
        (NOW + DAY, 30, None),  # a clock that was put back
        (NOW - DAY, 30, None),
        (NOW - DAY - 1, 30, "more than a day ago"),
        (NOW - 30 * DAY, 30, "more than a day ago"),
        (NOW - 30 * DAY - 1, 30, "more than 30 days ago"),
        (NOW - 30 * DAY - 1, 60, "more than a day ago"),
        (NOW - 7 * DAY - 1, 7, "more than 7 days ago"),
        (NOW - DAY - 1, 1, "more than 1 days ago"),
        (NOW - 1, 0, "more than 0 days ago"),
    ],
)
def test_a_run_too_long_ago_is_told(sound: Path, ran: int | None, days: int, told: str | None) -> None:
    steps = given(sound, around(sound, ran=ran, days=days))
    assert len(steps) == (told is not None)
    assert not steps or (told or "") in steps[0]
    assert not steps or "cron or a hook" in steps[0]


@pytest.mark.parametrize("status", ["ok", "failed", "interrupted", "running"])
def test_a_run_that_did_not_come_to_its_end_is_told(sound: Path, status: str) -> None:
    _change(sound, "update ingest_runs set status = ?", status)
    steps = given(sound)
    assert len(steps) == (status in ("failed", "interrupted"))
    assert not steps or f"was {status}: run ccindex ingest again" in steps[0]
    with reading(sound) as connection:
        found = last_change(connection)
        assert found is not None
        assert found.status == status


def test_only_the_last_run_counts(sound: Path, project: Path) -> None:
    _change(sound, "update ingest_runs set status = 'failed'")
    write(project / "s2.jsonl", line("v1", sessionId="s2"))
    index(sound, project)
    assert given(sound) == []


def test_transcripts_that_only_the_index_has_are_to_be_backed_up(sound: Path, project: Path) -> None:
    (project / "s1.jsonl").unlink()
    index(sound, project)
    [step] = given(sound)
    assert step.startswith("1 file is only in this index: back it up")
    assert f'sqlite3 {sound} ".backup ccindex-backup.db"' in step


def test_malformed_lines_unknown_models_and_types_are_told(db: Path, project: Path) -> None:
    odd = assistant("a1", 1, message={"model": "odd", "usage": {"output_tokens": 1}})
    write(project / "s1.jsonl", "not json", "{", odd, line("x1", type="never-heard-of"))
    index(db, project)
    malformed, unpriced, newer = given(db)
    assert malformed.startswith("lines that are no JSON object")
    assert malformed.endswith(": 2")
    assert unpriced.startswith("update genai-prices")
    assert unpriced.endswith(": 1")
    assert "db reprice" in unpriced
    assert newer.startswith("update ccindex")
    assert newer.endswith(f": {ask(db, 'select count(*) from v1_drift')[0][0]}")


def test_what_could_not_be_read_is_told(db: Path, project: Path) -> None:
    (project / "s1.jsonl").mkdir()
    write(project / "s2.jsonl", line("u1", sessionId="s2"))
    index(db, project)
    assert ask(db, "select count(*) from v1_diagnostics where kind = 'unreadable'") == [(0,)]
    assert given(db) == []
    _change(db, "insert into diagnostics (kind, severity, detail) values ('unreadable', 'warning', 'x')")
    [step] = given(db)
    assert step.startswith("make readable what could not be read")


@pytest.mark.parametrize(("unused", "is_told"), [(0, False), (250, False), (251, True), (1_000, True)])
def test_much_room_not_in_use_is_told(sound: Path, unused: int, *, is_told: bool) -> None:
    steps = given(sound, room=Room(1_000, 1, 1, unused))
    assert len(steps) == is_told
    assert not steps or steps[0].startswith(f"{unused:,} bytes of the index are not in use; ccindex db vacuum")


def test_the_most_pressing_comes_first(sound: Path, project: Path) -> None:
    write(project / "s2.jsonl", "not json")
    (project / "s1.jsonl").unlink()
    index(sound, project)
    _change(sound, "update ingest_runs set status = 'failed'")
    steps = given(sound, around(sound, ran=None), Room(1_000, 1, 1, 900))
    starts = ["nothing says", "the last run that", "1 file is", "lines that", "900 bytes"]
    assert [step.startswith(start) for step, start in zip(steps, starts, strict=True)] == [True] * 5


def test_the_room_is_what_the_file_and_its_log_take(sound: Path) -> None:
    with reading(sound) as connection:
        room = room_of(connection, sound)
    files = [sound, sound.with_name(sound.name + "-wal")]
    assert room.index == sum(path.stat().st_size for path in files if path.exists())
    [(packed, recorded)] = ask(sound, "select sum(length(data)), sum(raw_size) from chunks")
    assert (room.archive, room.recorded, room.unused) == (packed, recorded, 0)
    assert room.recorded == ask(sound, "select sum(size) from v1_sources")[0][0]


def _change(db: Path, query: str, *values: str) -> None:
    with closing(sqlite3.connect(db)) as connection, connection:
        connection.execute(query, values)


Config = Callable[[str, "str | bytes | None"], Path]


@pytest.fixture
def config(tmp_path: Path) -> Config:
    """Make a folder of Claude Code with these settings, and give its projects folder."""

    def make(name: str, settings: str | bytes | None) -> Path:
        folder = tmp_path / name
        (folder / "projects").mkdir(parents=True)
        if settings is not None:
            data = settings if isinstance(settings, bytes) else settings.encode()
            (folder / "settings.json").write_bytes(data)
        return folder / "projects"

    return make


@pytest.mark.parametrize(
    ("settings", "days"),
    [
        ('{"cleanupPeriodDays": 7}', 7),
        ('{"cleanupPeriodDays": 0}', 0),
        ('{"cleanupPeriodDays": 99999}', 99_999),
        ('{"cleanupPeriodDays": 30}', 30),
    ],
)
def test_a_number_of_days_is_taken_with_the_file_that_says_it(config: Config, settings: str, days: int) -> None:
    projects = config("a", settings)
    assert retention_of([projects]) == Retention(days, projects.parent / "settings.json")


@pytest.mark.parametrize(
    "settings",
    [
        None,
        "{}",
        '{"cleanupPeriodDays": null}',
        '{"cleanupPeriodDays": "7"}',
        '{"cleanupPeriodDays": true}',
        '{"cleanupPeriodDays": false}',
        '{"cleanupPeriodDays": -1}',
        '{"cleanupPeriodDays": 7.5}',
        '{"cleanupPeriodDays": [7]}',
        "[]",
        "7",
        '"x"',
    ],
)
def test_without_a_number_the_default_holds(config: Config, settings: str | None) -> None:
    found = retention_of([config("a", settings)])
    assert (found.days, found.problem) == (DEFAULT_DAYS, None)


@pytest.mark.parametrize("settings", ["", "{", "{'a': 1}", b"\xff", "\ufeff{}"])
def test_settings_that_are_no_json_are_told_of(config: Config, settings: str | bytes) -> None:
    projects = config("a", settings)
    assert retention_of([projects]) == Retention(DEFAULT_DAYS, projects.parent / "settings.json", "it is no JSON")


def test_settings_that_cannot_be_read_are_told_of(config: Config) -> None:
    projects = config("a", None)
    path = projects.parent / "settings.json"
    path.mkdir()
    assert retention_of([projects]) == Retention(DEFAULT_DAYS, path, "Is a directory")


def test_settings_that_one_may_not_read_are_told_of() -> None:
    place = Path("/tmp") / f"ccindex-settings-{os.getpid()}"  # noqa: S108 - its name is ours alone
    (place / "projects").mkdir(parents=True)
    place.chmod(0o755)
    path = place / "settings.json"
    path.write_text('{"cleanupPeriodDays": 7}')
    path.chmod(0)

    def deed() -> None:
        assert retention_of([place / "projects"]) == Retention(DEFAULT_DAYS, path, "Permission denied")

    try:
        as_nobody(deed)
    finally:
        shutil.rmtree(place)


def test_of_several_folders_the_one_that_deletes_first_counts(config: Config) -> None:
    long, brief = config("a", '{"cleanupPeriodDays": 365}'), config("b", '{"cleanupPeriodDays": 10}')
    for places in ((long, brief), (brief, long)):
        assert retention_of(places) == Retention(10, brief.parent / "settings.json")
    broken = config("c", "{")
    assert retention_of([long, broken]).problem == "it is no JSON"
    assert retention_of([brief, broken]).days == 10


def test_a_folder_that_does_not_exist_deletes_nothing(config: Config, tmp_path: Path) -> None:
    long = config("a", '{"cleanupPeriodDays": 365}')
    assert retention_of([long, tmp_path / "none" / "projects"]).days == 365
    assert retention_of([tmp_path / "none" / "projects"]) == DEFAULT
    assert retention_of([]) == DEFAULT
    write(tmp_path / "file", "x")
    assert retention_of([tmp_path / "file" / "projects"]) == DEFAULT


@pytest.mark.parametrize("settings", [None, "{}", '{"cleanupPeriodDays": "7"}'])
def test_a_folder_that_deletes_by_default_counts_beside_one_that_keeps_longer(
    config: Config, settings: str | None
) -> None:
    places = [config("a", '{"cleanupPeriodDays": 365}'), config("b", settings)]
    assert retention_of(places).days == DEFAULT_DAYS
