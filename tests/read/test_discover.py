import os
import socket
from pathlib import Path
from types import SimpleNamespace

from ccindex.model.diagnostics import Code
from ccindex.model.sources import FileState
from ccindex.read.discovery import Survey, default_places, files, state_of
from tests.making.files import write
from tests.making.transcripts import line


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
