"""Shell completion: what bash is offered, and the scripts for bash, zsh and fish."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.making.folders import ROOT, SAMPLE
from tests.making.indexes import index


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sample").resolve()
    shutil.copytree(SAMPLE, folder / "sample")
    index(folder / "x.db", folder / "sample")
    return folder / "x.db"


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The program under its own name, by which shells know its completion."""
    script = tmp_path_factory.mktemp("bin") / "ccindex"
    script.write_text("from ccindex.cli import main\n\nmain()\n", encoding="utf-8")
    return [sys.executable, str(script)]


def completed(program: list[str], typed: str, **settings: str) -> list[str]:
    """What bash would offer after what was typed."""
    asked = {"_CCINDEX_COMPLETE": "complete_bash", "COMP_WORDS": typed, "COMP_CWORD": str(typed.count(" "))}
    environment = {key: value for key, value in os.environ.items() if key != "CCINDEX_DB"}
    environment |= {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        program, capture_output=True, text=True, check=False, env=environment | asked | settings, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.split()


PROJECTS = ["projects-recipe-box", "recipe-box", "box", "projects-bread-timer", "bread-timer", "timer"]


MODELS = ["claude-haiku-4-5", "claude-opus-4-7", "claude-sonnet-4-6"]


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("ccindex se", ["sessions", "search"]),
        ("ccindex db re", ["rebuild", "reprice"]),
        ("ccindex paths --u", ["--uuids"]),
        ("ccindex stats --by m", ["month", "model"]),
        ("ccindex export --format t", ["tree", "timeline"]),
        ("ccindex tree --session 5", ["51ea40b0-7088-4482-b231-74d06cde3e3a"]),
        ("ccindex show d", ["dd78d3f8-b9e7-40e9-8346-103d8354a5af"]),
        ("ccindex sessions --project ", PROJECTS),
        ("ccindex tools --tool Task", ["TaskCreate", "TaskUpdate"]),
        ("ccindex tools --tool ta", ["taskCreate", "taskUpdate"]),
        ("ccindex stats --model o", ["opus-4-7"]),
        ("ccindex explain 2cb4", ["2cb4e296-51c2-46cc-a7a0-08dbe74ecab9"]),
        ("ccindex graph ma", ["main-thread"]),
        ("ccindex graph ancestors 2cb4", ["2cb4e296-51c2-46cc-a7a0-08dbe74ecab9"]),
        ("ccindex graph roots 5", ["51ea40b0-7088-4482-b231-74d06cde3e3a"]),
        ("ccindex graph tree 51", ["51ea40b0-7088-4482-b231-74d06cde3e3a"]),
        ("ccindex sql --example cost_p", ["cost_per_month"]),
        ("ccindex stats --model ", [*MODELS, *(model.removeprefix("claude-") for model in MODELS)]),
    ],
)
def test_the_shell_completes(program: list[str], sample: Path, typed: str, offered: list[str]) -> None:
    assert completed(program, typed, CCINDEX_DB=str(sample)) == offered


def test_a_project_is_completed_by_any_part_of_its_name(program: list[str], sample: Path) -> None:
    offered = completed(program, "ccindex sessions --project bread", CCINDEX_DB=str(sample))
    assert offered == ["bread-timer"]


def test_completion_asks_the_index_that_was_named(program: list[str], sample: Path, tmp_path: Path) -> None:
    typed = f"ccindex sessions --db {sample} --session 5"
    assert completed(program, typed, CCINDEX_DB=str(tmp_path / "none.db")) == ["51ea40b0-7088-4482-b231-74d06cde3e3a"]


def test_without_an_index_completion_is_silent_and_makes_none(program: list[str], tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("dear diary\n")
    for name, option in (("none.db", "session"), ("none.db", "project"), ("notes.txt", "tool"), ("notes.txt", "model")):
        assert completed(program, f"ccindex stats --{option} ", CCINDEX_DB=str(tmp_path / name)) == []
    assert os.listdir(tmp_path) == ["notes.txt"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_completion_script_can_be_shown(program: list[str], shell: str) -> None:
    done = subprocess.run(
        program,
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"_CCINDEX_COMPLETE": f"source_{shell}", "PYTHONPATH": str(ROOT)},
    )
    assert f"_CCINDEX_COMPLETE=complete_{shell}" in done.stdout
    assert done.stderr == ""
