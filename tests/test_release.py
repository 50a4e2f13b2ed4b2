"""Check the metadata, workflow and pre-commit hooks, and install ccindex on every supported Python."""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.making.command_tree import COMMANDS
from tests.making.folders import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
WORKFLOW = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8"))
HOOKS = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))
SECURITY = (ROOT / ".github" / "SECURITY.md").read_text(encoding="utf-8")
MINORS = [
    name.rpartition(" ")[2]
    for name in PROJECT["classifiers"]
    if re.fullmatch(r"Programming Language :: Python :: 3\.\d+", name)
]
CURRENT = f"{sys.version_info.major}.{sys.version_info.minor}"


def run(*words: str | Path, cwd: Path, env: dict[str, str] | None = None) -> str:
    process = subprocess.run(words, cwd=cwd, env=env, capture_output=True, text=True, check=False, timeout=600)
    assert process.returncode == 0, f"{words}\n{process.stdout}\n{process.stderr}"
    return process.stdout


def steps(job: str) -> list[str]:
    """Return the lines of all shell scripts in a workflow job."""
    scripts = [step["run"] for step in WORKFLOW["jobs"][job]["steps"] if "run" in step]
    return [line for script in scripts for line in script.splitlines()]


def test_classifiers_start_at_the_minimum_python_version() -> None:
    assert PROJECT["requires-python"] == f">={MINORS[0]}"
    assert CURRENT in MINORS


def test_workflow_runs_the_test_command_on_every_supported_python() -> None:
    matrix = WORKFLOW["jobs"]["test"]["strategy"]["matrix"]
    assert matrix["python"] == MINORS
    assert {name.partition("-")[0] for name in matrix["os"]} == {"ubuntu", "macos"}
    assert steps("test") == ["scripts/test"]
    assert os.access(ROOT / "scripts" / "test", os.X_OK)


def test_setup_script_looks_for_every_supported_python() -> None:
    script = (ROOT / "scripts" / "environment").read_text(encoding="utf-8")
    assert set(MINORS) <= set(re.findall(r"python(3\.\d+)", script))


def test_workflow_and_security_policy_refer_to_existing_commands() -> None:
    text = "\n".join([*steps("test"), *steps("wheel"), *re.findall(r"`([^`]+)`", SECURITY)])
    names = set(re.findall(r"^ccindex ([a-z]+)", text, re.MULTILINE))
    assert {"ingest", "forget"} <= names
    assert names <= {words[0] for words in COMMANDS if words}
    for path in re.findall(r"\bscripts/\w+", text):
        assert (ROOT / path).exists(), path


def test_pre_commit_runs_the_same_linter_and_formatter_as_the_test_command() -> None:
    [ruff] = [name for name in PROJECT["optional-dependencies"]["test"] if name.startswith("ruff")]
    hooks = {hook["id"]: hook for repo in HOOKS["repos"] for hook in repo["hooks"]}
    assert {name: hook["entry"].split()[:2] for name, hook in hooks.items()} == {
        "ruff-check": ["ruff", "check"],
        "ruff-format": ["ruff", "format"],
    }
    assert [hook["additional_dependencies"] for hook in hooks.values()] == [[ruff], [ruff]]
    for hook in hooks.values():
        run(sys.executable, "-m", *hook["entry"].split(), "--help", cwd=ROOT)


@cache
def package_index_answers(folder: Path) -> bool:
    words = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--dest", str(folder), "orjson"]
    return subprocess.run(words, capture_output=True, check=False, timeout=120).returncode == 0


@pytest.fixture(scope="module")
def online(tmp_path_factory: pytest.TempPathFactory) -> None:
    if not package_index_answers(tmp_path_factory.mktemp("download")):
        pytest.skip("pip cannot reach a package index")


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the sample and of the files that a wheel is built from."""
    folder = tmp_path_factory.mktemp("checkout")
    for name in ("ccindex", "migrations", "sql", "scripts"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, folder / name)
    return folder


def clean_environment(**variables: str) -> dict[str, str]:
    unset = {"CCINDEX_DB", "CLAUDE_CONFIG_DIR", "PYTHONPATH", "VIRTUAL_ENV"}
    return {name: value for name, value in os.environ.items() if name not in unset} | variables


@pytest.mark.slow
@pytest.mark.usefixtures("online")
def test_wheel_job_in_the_workflow_builds_installs_and_runs_ccindex(checkout: Path, tmp_path: Path) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    environment = clean_environment(
        PATH=f"{programs}:{Path(sys.executable).parent}:{os.environ['PATH']}",
        PIPX_HOME=str(tmp_path / "pipx"),
        PIPX_BIN_DIR=str(programs),
        PIPX_DEFAULT_PYTHON=sys.executable,
    )
    output = run("bash", "-euo", "pipefail", "-c", "\n".join(steps("wheel")), cwd=checkout, env=environment)
    assert (programs / "ccindex").exists()
    version: str = run(programs / "ccindex", "--version", cwd=tmp_path, env=environment)
    assert version in output


def interpreter(minor: str) -> str | None:
    """Find a Python of the given version on PATH or among the versions installed by pyenv."""
    pyenv = sorted(Path.home().glob(f".pyenv/versions/{minor}.*/bin/python"))
    for program in (f"python{minor}", *map(str, pyenv)):
        found = shutil.which(program)
        if found and subprocess.run([found, "-c", "import venv"], capture_output=True, check=False).returncode == 0:
            return found
    return None


@pytest.mark.slow
@pytest.mark.usefixtures("online")
@pytest.mark.parametrize("minor", [minor for minor in MINORS if minor != CURRENT])
def test_ccindex_installs_and_runs_on_every_other_supported_python(minor: str, checkout: Path, tmp_path: Path) -> None:
    python = interpreter(minor)
    if python is None:
        pytest.skip(f"there is no Python {minor} here")
    run(python, "-m", "venv", tmp_path / "venv", cwd=tmp_path)
    program = tmp_path / "venv" / "bin" / "python"
    environment = clean_environment()
    # compiling all modules takes longer than compiling those that are used
    install: list[str | Path] = [
        program,
        "-m",
        "pip",
        "install",
        "-q",
        "--no-compile",
        "--disable-pip-version-check",
        checkout,
    ]
    run(*install, cwd=tmp_path, env=environment)

    def ask(*words: str | Path) -> Any:
        command = [program, "-W", "error", "-m", "ccindex", *words, "--db", "x.db", "--json"]
        return json.loads(run(*command, cwd=tmp_path, env=environment))

    assert ask("ingest", ROOT / "scripts" / "sample")["entries_added"] > 50
    assert ask("doctor")["ok"]
    assert len(ask("sessions")["sessions"]) > 3
    assert ask("search", "bread")["hits"]
