"""What a path says about its file, which files are found, and how long Claude Code keeps them."""

import os
import shutil
import socket
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from ccindex.model.diagnostics import Code
from ccindex.model.sources import FileRole, FileState, PathInfo
from ccindex.read.discovery import (
    DEFAULT_DAYS,
    Retention,
    Survey,
    classify,
    default_places,
    files,
    retention_of,
    state_of,
)
from tests.making.files import write
from tests.making.permissions import as_nobody
from tests.making.transcripts import line

P = "/home/you/.claude/projects/-w"


@pytest.mark.parametrize(
    ("path", "place"),
    [
        (f"{P}/s1.jsonl", PathInfo(FileRole.SESSION, "-w", stem="s1")),
        (f"{P}/agent-a1.jsonl", PathInfo(FileRole.AGENT, "-w", agent_id="a1", stem="agent-a1")),
        (
            f"{P}/s1/subagents/agent-a1.jsonl",
            PathInfo(FileRole.AGENT, "-w", session_hint="s1", agent_id="a1", stem="agent-a1"),
        ),
        (
            f"{P}/s1/subagents/agent-a1.meta.json",
            PathInfo(FileRole.SIDECAR, "-w", session_hint="s1", agent_id="a1", stem="agent-a1.meta"),
        ),
        (
            f"{P}/s1/subagents/workflows/wf1/agent-a1.jsonl",
            PathInfo(FileRole.AGENT, "-w", session_hint="s1", agent_id="a1", workflow_run="wf1", stem="agent-a1"),
        ),
        (
            f"{P}/s1/subagents/workflows/wf1/journal.jsonl",
            PathInfo(FileRole.JOURNAL, "-w", session_hint="s1", workflow_run="wf1", stem="journal"),
        ),
        (f"{P}/s1/workflows/wf1.json", PathInfo(FileRole.RUN, "-w", session_hint="s1", workflow_run="wf1", stem="wf1")),
        (f"{P}/s1/tool-results/b7.txt", PathInfo(FileRole.TOOL_RESULT, "-w", session_hint="s1", stem="b7")),
        (f"{P}/s1/tool-results/rows.jsonl", PathInfo(FileRole.TOOL_RESULT, "-w", session_hint="s1", stem="rows")),
        ("/o/subagents/a/b/c/d/projects/-q/s1.jsonl", PathInfo(FileRole.SESSION, "-q", stem="s1")),
        ("/o/tool-results/a/b/c/-q/s1.jsonl", PathInfo(FileRole.SESSION, "-q", stem="s1")),
        (
            f"{P}/s1/subagents/workflows/wf1.json",
            PathInfo(FileRole.RUN, "-w", session_hint="s1", workflow_run="wf1", stem="wf1"),
        ),
        ("/s1.jsonl", PathInfo(FileRole.SESSION, "/", stem="s1")),
    ],
)
def test_a_path_tells_what_a_file_is(path: str, place: PathInfo) -> None:
    assert classify(path) == place


@pytest.mark.parametrize(
    "path",
    [f"{P}/notes.txt", f"{P}/sessions-index.json", f"{P}/memory/MEMORY.md", f"{P}/s1.jsonl.gz", f"{P}/s1/x.meta.json"],
)
def test_anything_else_is_left_alone(path: str) -> None:
    assert classify(path) is None


def found(*places: Path) -> tuple[list[str], Survey]:
    survey = Survey()
    return sorted(file.path for file in files(places, survey)), survey


def told(survey: Survey) -> list[tuple[Code, str | None]]:
    return [(item.code, item.path) for item in survey.diagnostics]


def test_a_file_a_folder_and_a_tree_can_be_named(project: Path) -> None:
    one, two = write(project / "s1.jsonl", line("u1")), write(project / "deep" / "er" / "s2.jsonl", line("u2"))
    write(project / "notes.txt", "left alone")
    assert found(project)[0] == found(project.parent)[0] == sorted(map(str, [one, two]))
    assert found(one)[0] == [str(one)]
    assert found(one, project, project.parent)[0] == sorted(map(str, [one, two]))


def test_links_are_resolved_and_each_file_is_found_once(project: Path) -> None:
    real = write(project / "s1.jsonl", line("u1"))
    elsewhere = write(project.parent / "other" / "s2.jsonl", line("u2"))
    (project / "again.jsonl").symlink_to(real)
    (project / "linked").symlink_to(elsewhere.parent)
    paths, survey = found(project)
    assert paths == sorted(map(str, [real, elsewhere]))
    assert survey.covered == [str(project), str(elsewhere.parent)]


def test_a_loop_of_links_is_survived_and_told(project: Path) -> None:
    write(project / "s1.jsonl", line("u1"))
    (project / "loop").symlink_to(project.parent)
    (project / "self.jsonl").symlink_to(project / "self.jsonl")
    paths, survey = found(project.parent)
    assert paths == [str(project / "s1.jsonl")]
    assert sorted(code.slug for code, _ in told(survey)) == ["symlink-loop", "symlink-loop"]


def test_a_link_to_a_folder_above_the_place_is_not_followed(project: Path) -> None:
    write(project.parent / "other.jsonl", line("u1"))
    (project / "up").symlink_to(project.parent)
    paths, survey = found(project)
    assert paths == []
    assert told(survey) == [(Code.SYMLINK_LOOP, str(project))]


def test_numbers_beyond_sqlites_integers_are_bounded() -> None:
    odd = SimpleNamespace(st_dev=2**64 - 1, st_ino=2**64 - 1, st_size=1, st_mtime_ns=2**70)
    assert state_of(odd) == FileState(2**63 - 1, 2**63 - 1, 1, 2**63 - 1)  # type: ignore[arg-type]


def test_a_link_to_nowhere_is_passed_over(project: Path) -> None:
    (project / "gone.jsonl").symlink_to(project / "nowhere.jsonl")
    assert found(project)[0] == []


def test_a_folder_or_pipe_named_like_a_transcript_is_told_and_never_opened(project: Path) -> None:
    inside = write(project / "x.jsonl" / "s1.jsonl", line("u1"))
    os.mkfifo(project / "pipe.jsonl")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(project / "so.jsonl"))
        paths, survey = found(project)
    assert paths == [str(inside)]
    assert sorted(told(survey), key=str) == sorted(
        [(Code.NOT_A_FILE, str(project / name)) for name in ("pipe.jsonl", "so.jsonl", "x.jsonl")], key=str
    )


def test_a_name_that_is_no_utf8_is_indexed_and_told(project: Path) -> None:
    raw = os.fsencode(project) + b"/caf\xe9.jsonl"
    with open(raw, "wb") as file:
        file.write(line("u1").encode())
    paths, survey = found(project)
    assert paths == [f"{project}/caf\\udce9.jsonl"]
    assert told(survey) == [(Code.ODD_NAME, paths[0])]


def test_of_two_names_that_look_alike_the_odd_one_is_left_out_and_told(project: Path) -> None:
    for name in (b"/caf\xe9.jsonl", b"/caf\\udce9.jsonl"):
        with open(os.fsencode(project) + name, "wb") as file:
            file.write(line("u1").encode())
    paths, survey = found(project)
    assert paths == [f"{project}/caf\\udce9.jsonl"]
    assert [(item.code, item.detail) for item in survey.diagnostics] == [
        (Code.ODD_NAME, "left out: another file has this name")
    ]


def test_default_places_are_claude_codes_own() -> None:
    home = Path("/home/you")
    assert default_places({}, home) == (home / ".claude/projects", home / ".config/claude/projects")
    listed = {"CLAUDE_CONFIG_DIR": "/a, /b,,/home/you/.claude"}
    assert default_places(listed, home) == (
        home / ".claude/projects",
        Path("/a/projects"),
        Path("/b/projects"),
        home / ".config/claude/projects",
    )


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
