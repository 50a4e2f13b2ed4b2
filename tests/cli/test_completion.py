"""Shell completion: completions for bash, and the scripts for bash, zsh and fish."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.making.folders import ROOT


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Return a command that runs a script named ccindex. Completion depends on the name."""
    script = tmp_path_factory.mktemp("bin") / "ccindex"
    script.write_text("from ccindex.cli import main\n\nmain()\n", encoding="utf-8")
    return [sys.executable, str(script)]


def complete(program: list[str], typed: str, **settings: str) -> list[str]:
    """Return the completions that bash gets for a command line."""
    request = {"_CCINDEX_COMPLETE": "complete_bash", "COMP_WORDS": typed, "COMP_CWORD": str(typed.count(" "))}
    environment = {key: value for key, value in os.environ.items() if key != "CCINDEX_DB"}
    environment |= {"PYTHONPATH": str(ROOT)}
    result = subprocess.run(
        program, capture_output=True, text=True, check=False, env=environment | request | settings, timeout=60
    )
    assert (result.returncode, result.stderr) == (0, "")
    return result.stdout.split()


PROJECTS = ["projects-recipe-box", "recipe-box", "box", "projects-bread-timer", "bread-timer", "timer"]


MODELS = ["claude-haiku-4-5", "claude-opus-4-7", "claude-sonnet-4-6"]


@pytest.mark.parametrize(
    ("typed", "completions"),
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
def test_shell_completes_commands_options_and_values(
    program: list[str], sample: Path, typed: str, completions: list[str]
) -> None:
    assert complete(program, typed, CCINDEX_DB=str(sample)) == completions


def test_project_is_completed_from_any_part_of_its_name(program: list[str], sample: Path) -> None:
    completions = complete(program, "ccindex sessions --project bread", CCINDEX_DB=str(sample))
    assert completions == ["bread-timer"]


def test_completion_reads_the_index_given_with_db(program: list[str], sample: Path, tmp_path: Path) -> None:
    typed = f"ccindex sessions --db {sample} --session 5"
    assert complete(program, typed, CCINDEX_DB=str(tmp_path / "none.db")) == ["51ea40b0-7088-4482-b231-74d06cde3e3a"]


def test_completion_without_an_index_is_empty_and_does_not_create_one(program: list[str], tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("dear diary\n")
    for name, option in (("none.db", "session"), ("none.db", "project"), ("notes.txt", "tool"), ("notes.txt", "model")):
        assert complete(program, f"ccindex stats --{option} ", CCINDEX_DB=str(tmp_path / name)) == []
    assert os.listdir(tmp_path) == ["notes.txt"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_script_is_printed(program: list[str], shell: str) -> None:
    result = subprocess.run(
        program,
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"_CCINDEX_COMPLETE": f"source_{shell}", "PYTHONPATH": str(ROOT)},
    )
    assert f"_CCINDEX_COMPLETE=complete_{shell}" in result.stdout
    assert result.stderr == ""
