"""Tests that the generated pages are current and complete."""

import re
import shutil
import subprocess
import sys
from enum import StrEnum
from pathlib import Path

import pytest
from typer.testing import CliRunner

from ccindex import errors
from ccindex.cli.app import app
from ccindex.cli.commands.export import Format
from ccindex.cli.commands.lists import FileOperation
from ccindex.cli.commands.search import Status
from ccindex.model.diagnostics import Code
from ccindex.query.stats import By
from ccindex.store.sql_files import load, names
from documentation.examples import GROUPS, load_example
from documentation.messages import ADVICE
from documentation.pages import FILES, PARTS, stale_files, write_files
from tests.docs.pages import code_blocks, read, section
from tests.making.command_tree import COMMANDS
from tests.making.folders import ROOT
from tests.making.indexes import ask

GENERATED = [*FILES, *PARTS]
# typer supplies the help for these options; docs/tasks.md describes them
COMPLETION = {"--install-completion", "--show-completion"}


def run_script(*arguments: str) -> subprocess.CompletedProcess[str]:
    script = ROOT / "scripts" / "docs"
    return subprocess.run(
        [sys.executable, script, *arguments], capture_output=True, text=True, check=False, timeout=120
    )


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the generated files that a test may change."""
    for name in GENERATED:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def test_generated_files_are_current() -> None:
    process = run_script("--check")
    assert (process.returncode, process.stderr) == (0, "")


def test_script_rejects_unknown_arguments() -> None:
    process = run_script("--chekc")
    assert process.returncode == 2
    assert process.stderr.startswith("usage: scripts/docs")


@pytest.mark.parametrize("name", GENERATED)
def test_stale_file_is_reported_and_regenerated(copy: Path, name: str) -> None:
    original = read(name)
    # a page without markers is generated entirely
    generated = original.partition("<!-- generated: ")[2].partition("<!-- end -->")[0] or original
    longest = max(generated.splitlines(), key=len)
    (copy / name).write_text(original.replace(longest, "stale"), encoding="utf-8")
    assert stale_files(copy) == [name]
    assert write_files(copy) == [name]
    assert (copy / name).read_text(encoding="utf-8") == original


def test_missing_page_is_generated(copy: Path) -> None:
    (copy / "docs" / "views.md").unlink()
    assert write_files(copy) == ["docs/views.md"]
    assert (copy / "docs" / "views.md").read_text(encoding="utf-8") == read("docs/views.md")


def test_page_without_its_marker_is_an_error(copy: Path) -> None:
    path = copy / "docs" / "troubleshooting.md"
    path.write_text(read("docs/troubleshooting.md").replace("generated: messages", "messages"), encoding="utf-8")
    with pytest.raises(ValueError, match=r"troubleshooting\.md has the generated parts \['diagnostics'\]"):
        stale_files(copy)


def test_every_command_and_option_is_documented() -> None:
    missing = {" ".join(words): undocumented_options(words) for words in COMMANDS}
    assert {name: options for name, options in missing.items() if options} == {}


def undocumented_options(words: tuple[str, ...]) -> set[str]:
    """Return the options that appear in a command's help but not in the documentation."""
    page = read("docs/commands.md")
    documented = section(page, f"## {' '.join(['ccindex', *words])}") + section(page, "## Common options")
    help_text = CliRunner().invoke(app, [*words, "--help"], env={"COLUMNS": "300", "TERMINAL_WIDTH": "300"}).output
    options = set(re.findall(r"(?<!\S)--[a-z][a-z-]+", help_text))
    assert "--help" in options
    return {
        option
        for option in options - {"--help"}
        if option not in (read("docs/tasks.md") if option in COMPLETION else documented)
    }


@pytest.mark.parametrize(
    ("command", "choices"), [("stats", By), ("search", Status), ("files", FileOperation), ("export", Format)]
)
def test_every_choice_of_an_option_is_documented(command: str, choices: type[StrEnum]) -> None:
    text = section(read("docs/commands.md"), f"## ccindex {command}")
    assert [choice for choice in choices if not re.search(rf"\b{choice}\b", text)] == []


def test_every_diagnostic_is_documented() -> None:
    table = section(read("docs/troubleshooting.md"), "## Diagnostics")
    rows = re.findall(r"^\| `([a-z-]+)` \| (\w+) \| (.+) \| (?:.+) \|$", table, re.MULTILINE)
    assert sorted(rows) == sorted((code.slug, code.severity, code.sentence) for code in Code)


def test_every_view_is_documented_with_all_its_columns(sample: Path) -> None:
    page = read("docs/views.md")
    blocks = re.findall(r"^## (\w+)\n.*?```text\n(.*?)```", page, re.DOTALL | re.MULTILINE)
    documented = {
        view: [line.split()[0] for line in block.splitlines() if not line.startswith(" ")] for view, block in blocks
    }
    assert documented == {
        view: [row[1] for row in ask(sample, f"pragma table_info({view})")] for view in names("views")
    }


def test_every_example_query_is_documented() -> None:
    statements = {re.sub(r"^--.*\n", "", load(f"examples/{name}"), flags=re.MULTILINE) for name in names("examples")}
    assert statements
    assert statements == set(code_blocks(read("docs/examples.md"), "sql"))


def test_example_queries_are_in_known_groups() -> None:
    assert {load_example(name).group for name in names("examples")} == set(GROUPS)


def test_every_error_message_has_advice() -> None:
    kinds = {kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, errors.CcindexError)}
    assert kinds - {errors.CcindexError, errors.IndexDamaged} == {type(error) for error in ADVICE}
