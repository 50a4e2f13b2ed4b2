"""Classification of paths, discovery of files, and Claude Code's retention setting."""

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
    DEFAULT_RETENTION_DAYS,
    Retention,
    Survey,
    classify,
    default_folders,
    file_state,
    find_files,
    read_retention,
)
from tests.making.files import write
from tests.making.permissions import as_nobody
from tests.making.transcripts import line

P = "/home/you/.claude/projects/-w"


@pytest.mark.parametrize(
    ("path", "info"),
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
def test_path_determines_role_and_location(path: str, info: PathInfo) -> None:
    assert classify(path) == info


@pytest.mark.parametrize(
    "path",
    [f"{P}/notes.txt", f"{P}/sessions-index.json", f"{P}/memory/MEMORY.md", f"{P}/s1.jsonl.gz", f"{P}/s1/x.meta.json"],
)
def test_other_files_are_ignored(path: str) -> None:
    assert classify(path) is None


def find(*folders: Path) -> tuple[list[str], Survey]:
    survey = Survey()
    return sorted(file.path for file in find_files(folders, survey)), survey


def diagnostics(survey: Survey) -> list[tuple[Code, str | None]]:
    return [(item.code, item.path) for item in survey.diagnostics]


def test_file_folder_and_tree_can_be_searched(project: Path) -> None:
    first, second = write(project / "s1.jsonl", line("u1")), write(project / "deep" / "er" / "s2.jsonl", line("u2"))
    write(project / "notes.txt", "ignored")
    assert find(project)[0] == find(project.parent)[0] == sorted(map(str, [first, second]))
    assert find(first)[0] == [str(first)]
    assert find(first, project, project.parent)[0] == sorted(map(str, [first, second]))


def test_links_are_resolved_and_every_file_is_found_once(project: Path) -> None:
    real = write(project / "s1.jsonl", line("u1"))
    elsewhere = write(project.parent / "other" / "s2.jsonl", line("u2"))
    (project / "again.jsonl").symlink_to(real)
    (project / "linked").symlink_to(elsewhere.parent)
    paths, survey = find(project)
    assert paths == sorted(map(str, [real, elsewhere]))
    assert survey.covered == [str(project), str(elsewhere.parent)]


def test_link_loop_is_reported(project: Path) -> None:
    write(project / "s1.jsonl", line("u1"))
    (project / "loop").symlink_to(project.parent)
    (project / "self.jsonl").symlink_to(project / "self.jsonl")
    paths, survey = find(project.parent)
    assert paths == [str(project / "s1.jsonl")]
    assert sorted(code.slug for code, _ in diagnostics(survey)) == ["symlink-loop", "symlink-loop"]


def test_link_to_a_parent_folder_is_not_followed(project: Path) -> None:
    write(project.parent / "other.jsonl", line("u1"))
    (project / "up").symlink_to(project.parent)
    paths, survey = find(project)
    assert paths == []
    assert diagnostics(survey) == [(Code.SYMLINK_LOOP, str(project))]


def test_file_state_is_limited_to_sqlite_integers() -> None:
    status = SimpleNamespace(st_dev=2**64 - 1, st_ino=2**64 - 1, st_size=1, st_mtime_ns=2**70)
    assert file_state(status) == FileState(2**63 - 1, 2**63 - 1, 1, 2**63 - 1)  # type: ignore[arg-type]


def test_broken_link_is_ignored(project: Path) -> None:
    (project / "gone.jsonl").symlink_to(project / "nowhere.jsonl")
    assert find(project)[0] == []


def test_folder_or_pipe_named_like_a_transcript_is_reported_and_not_opened(project: Path) -> None:
    inside = write(project / "x.jsonl" / "s1.jsonl", line("u1"))
    os.mkfifo(project / "pipe.jsonl")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(project / "so.jsonl"))
        paths, survey = find(project)
    assert paths == [str(inside)]
    assert sorted(diagnostics(survey), key=str) == sorted(
        [(Code.NOT_A_FILE, str(project / name)) for name in ("pipe.jsonl", "so.jsonl", "x.jsonl")], key=str
    )


def test_file_with_a_non_utf8_name_is_indexed_and_reported(project: Path) -> None:
    raw = os.fsencode(project) + b"/caf\xe9.jsonl"
    with open(raw, "wb") as file:
        file.write(line("u1").encode())
    paths, survey = find(project)
    assert paths == [f"{project}/caf\\udce9.jsonl"]
    assert diagnostics(survey) == [(Code.ODD_NAME, paths[0])]


def test_non_utf8_name_that_collides_with_another_file_is_skipped_and_reported(project: Path) -> None:
    for name in (b"/caf\xe9.jsonl", b"/caf\\udce9.jsonl"):
        with open(os.fsencode(project) + name, "wb") as file:
            file.write(line("u1").encode())
    paths, survey = find(project)
    assert paths == [f"{project}/caf\\udce9.jsonl"]
    assert [(item.code, item.detail) for item in survey.diagnostics] == [
        (Code.ODD_NAME, "skipped: another file has this path")
    ]


def test_claude_code_folders_are_the_default() -> None:
    home = Path("/home/you")
    assert default_folders({}, home) == (home / ".claude/projects", home / ".config/claude/projects")
    listed = {"CLAUDE_CONFIG_DIR": "/a, /b,,/home/you/.claude"}
    assert default_folders(listed, home) == (
        home / ".claude/projects",
        Path("/a/projects"),
        Path("/b/projects"),
        home / ".config/claude/projects",
    )


DEFAULT = Retention(DEFAULT_RETENTION_DAYS, None)
Config = Callable[[str, "str | bytes | None"], Path]


@pytest.fixture
def config(tmp_path: Path) -> Config:
    """Return a function that creates a Claude Code folder with the given settings and returns its projects folder."""

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
def test_retention_is_read_from_the_settings_file(config: Config, settings: str, days: int) -> None:
    projects = config("a", settings)
    assert read_retention([projects]) == Retention(days, projects.parent / "settings.json")


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
def test_default_retention_is_used_without_a_valid_number(config: Config, settings: str | None) -> None:
    retention = read_retention([config("a", settings)])
    assert (retention.days, retention.problem) == (DEFAULT_RETENTION_DAYS, None)


@pytest.mark.parametrize("settings", ["", "{", "{'a': 1}", b"\xff", "\ufeff{}"])
def test_settings_with_invalid_json_are_reported(config: Config, settings: str | bytes) -> None:
    projects = config("a", settings)
    assert read_retention([projects]) == Retention(
        DEFAULT_RETENTION_DAYS, projects.parent / "settings.json", "it is not valid JSON"
    )


def test_settings_file_that_is_a_folder_is_reported(config: Config) -> None:
    projects = config("a", None)
    path = projects.parent / "settings.json"
    path.mkdir()
    assert read_retention([projects]) == Retention(DEFAULT_RETENTION_DAYS, path, "Is a directory")


def test_settings_without_read_permission_are_reported() -> None:
    folder = Path("/tmp") / f"ccindex-settings-{os.getpid()}"  # noqa: S108 - the name is unique
    (folder / "projects").mkdir(parents=True)
    folder.chmod(0o755)
    path = folder / "settings.json"
    path.write_text('{"cleanupPeriodDays": 7}')
    path.chmod(0)

    def check() -> None:
        assert read_retention([folder / "projects"]) == Retention(DEFAULT_RETENTION_DAYS, path, "Permission denied")

    try:
        as_nobody(check)
    finally:
        shutil.rmtree(folder)


def test_shortest_retention_among_several_folders_is_used(config: Config) -> None:
    long, short = config("a", '{"cleanupPeriodDays": 365}'), config("b", '{"cleanupPeriodDays": 10}')
    for folders in ((long, short), (short, long)):
        assert read_retention(folders) == Retention(10, short.parent / "settings.json")
    broken = config("c", "{")
    assert read_retention([long, broken]).problem == "it is not valid JSON"
    assert read_retention([short, broken]).days == 10


def test_missing_folder_does_not_affect_retention(config: Config, tmp_path: Path) -> None:
    long = config("a", '{"cleanupPeriodDays": 365}')
    assert read_retention([long, tmp_path / "none" / "projects"]).days == 365
    assert read_retention([tmp_path / "none" / "projects"]) == DEFAULT
    assert read_retention([]) == DEFAULT
    write(tmp_path / "file", "x")
    assert read_retention([tmp_path / "file" / "projects"]) == DEFAULT


@pytest.mark.parametrize("settings", [None, "{}", '{"cleanupPeriodDays": "7"}'])
def test_default_retention_applies_to_a_folder_without_the_setting(config: Config, settings: str | None) -> None:
    folders = [config("a", '{"cleanupPeriodDays": 365}'), config("b", settings)]
    assert read_retention(folders).days == DEFAULT_RETENTION_DAYS
