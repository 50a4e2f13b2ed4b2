"""How long transcripts are kept, as Claude Code's settings say."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from ccindex.read.discovery import DEFAULT_DAYS, Retention, retention_of
from tests.making.files import write
from tests.making.permissions import as_nobody

DEFAULT = Retention(DEFAULT_DAYS, None)
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
