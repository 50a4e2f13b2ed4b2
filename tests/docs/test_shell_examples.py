"""Tests that run the documentation's shell, SQL, Python and YAML examples on the sample."""

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from documentation.console import make_environment
from tests.docs.pages import PAGES, code_blocks, inline_code, page_name, read
from tests.making.command_tree import COMMANDS, GROUPS
from tests.making.folders import ROOT, SAMPLE
from tests.making.indexes import ask

PROGRAMS = ("ccindex ", "sqlite3 ", "(umask 077; sqlite3 ")
ENDLESS = "ccindex ingest --watch"


def shell_scripts() -> Iterator[tuple[str, list[str]]]:
    """Yield the page and the runnable commands of every shell block that has any."""
    for path in PAGES:
        for block in code_blocks(read(path), "sh"):
            lines = block.splitlines()
            runnable = [line for line in lines if line.startswith(PROGRAMS) and not line.startswith(ENDLESS)]
            if runnable:
                yield page_name(path), runnable


SHELL_SCRIPTS = list(shell_scripts())
SQL_BLOCKS = [
    pytest.param(block, id=f"{page_name(path)}-{number}")
    for path in PAGES
    for number, block in enumerate(code_blocks(read(path), "sql"), start=1)
]


@pytest.fixture
def environment(tmp_path: Path, sample: Path) -> dict[str, str]:
    """Environment variables for examples: the home folder contains the sample, and CCINDEX_DB is an index of it."""
    variables = make_environment(ROOT, tmp_path)
    for folder in (".claude", "backup/laptop/.claude", "office/.claude"):
        shutil.copytree(SAMPLE, tmp_path / "home" / folder)
    work = tmp_path / "work"
    work.mkdir()
    (work / "sql").symlink_to(ROOT / "sql")
    # this index also has missing transcripts: those of the project that the `sample` fixture deleted
    variables["CCINDEX_DB"] = str(shutil.copy(sample, tmp_path / "ccindex.db"))
    run("ccindex ingest", variables)
    return variables


def run(command: str, environment: dict[str, str]) -> str:
    process = subprocess.run(
        ["sh", "-c", command],
        cwd=Path(environment["HOME"]).parent / "work",
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert process.returncode == 0, f"{command}\n{process.stdout}{process.stderr}"
    return process.stdout


@pytest.mark.parametrize(("page", "commands"), SHELL_SCRIPTS)
def test_shell_examples_run(page: str, commands: list[str], environment: dict[str, str]) -> None:
    for command in commands:
        if command.startswith("sqlite3 ") and shutil.which("sqlite3") is None:
            pytest.skip(f"{page} uses sqlite3, which is not installed")
        output = run(command, environment)
        if command.startswith("ccindex search "):
            assert "«" in output or '"hits":[{' in output.replace(" ", ""), command


def test_documentation_has_shell_examples() -> None:
    assert sum(len(commands) for _, commands in SHELL_SCRIPTS) >= 30


@pytest.mark.parametrize("query", SQL_BLOCKS)
def test_sql_examples_return_rows(query: str, sample: Path, unusual: Path) -> None:
    assert ask(sample, query) or ask(unusual, query)


def test_python_example_runs(environment: dict[str, str], tmp_path: Path) -> None:
    pytest.importorskip("pandas")
    [example] = code_blocks(read("docs/clients.md"), "python")
    script = tmp_path / "example.py"
    script.write_text(example, encoding="utf-8")
    assert "claude-" in run(f"{sys.executable} {script}", environment)


def test_duckdb_example_has_a_query_that_sqlite_can_run(sample: Path) -> None:
    # DuckDB is not run, because it would download its SQLite extension
    queries = re.findall(r"sqlite_query\('cc', '(.+?)'\)", read("docs/clients.md"))
    assert len(queries) == 2
    assert all(ask(sample, query) for query in queries)


def test_datasette_settings_refer_to_existing_views_and_queries(sample: Path) -> None:
    [block] = code_blocks(read("docs/clients.md"), "yaml")
    settings = yaml.safe_load(block)["databases"]["ccindex"]
    for view, options in settings["tables"].items():
        assert options["sort_desc"] in [row[1] for row in ask(sample, f"pragma table_info({view})")]
    for query in settings["queries"].values():
        assert ask(sample, query["sql"])


def test_commands_in_prose_exist() -> None:
    named = [(page_name(path), code) for path in PAGES for code in inline_code(read(path)) if is_command(code)]
    assert len(named) >= 20
    assert [problem for page, code in named if (problem := wrong_command(page, code))] == []


def is_command(code: str) -> bool:
    return re.match(r"ccindex [a-z-]", code) is not None


def wrong_command(page: str, code: str) -> str | None:
    """Return what is wrong with a command in prose, or None if the command and its options exist."""
    words = code.split()[1:]
    path: tuple[str, ...] = ()
    for word in words:
        if path not in GROUPS or word.startswith("-"):
            break
        path = (*path, word)
    if path not in COMMANDS:
        return f"{page}: `{code}`: no such command"
    known = {option for item in COMMANDS[path].params for option in (*item.opts, *item.secondary_opts)} | {"--help"}
    unknown = [word for word in words if word.startswith("--") and word.partition("=")[0] not in known]
    return f"{page}: `{code}`: no such option {unknown}" if unknown else None
