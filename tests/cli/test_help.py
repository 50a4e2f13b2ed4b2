"""Help texts: every command has examples, and a full sentence in the list of commands."""

import inspect
from typing import Any

from typer.testing import CliRunner

from ccindex.cli.app import app
from tests.making.command_tree import COMMANDS, GROUPS, LEAVES


def help_lines(*words: str, columns: int = 80) -> list[str]:
    settings = {"COLUMNS": str(columns), "TERMINAL_WIDTH": str(columns)}
    result = CliRunner().invoke(app, [*words, "--help"], env=settings)
    assert (result.exit_code, result.stderr) == (0, "")
    return result.stdout.splitlines()


def test_help_of_every_command_shows_one_example_per_line() -> None:
    problems = {" ".join(words): find_problem(words, command.callback) for words, command in LEAVES.items()}
    assert {name: problem for name, problem in problems.items() if problem} == {}


def find_problem(words: tuple[str, ...], callback: Any) -> str | None:
    """Return what is wrong with the examples in a command's help, or None."""
    shown = help_lines(*words)
    examples = (inspect.getdoc(inspect.unwrap(callback)) or "").partition("Examples:\n")[2].splitlines()
    if not examples or "  Examples:" not in shown:
        return "there are no examples"
    start = shown.index("  Examples:") + 1
    if [text.strip() for text in shown[start : start + len(examples)]] != [text.strip() for text in examples]:
        return "examples are not shown line by line"
    if shown[start + len(examples)] != "":
        return "no empty line after the examples"
    if not all(f"ccindex {' '.join(words)}" in text for text in examples):
        return "an example uses another command"
    return None if max(map(len, shown)) <= 100 else "a line has more than 100 characters"


def test_list_of_commands_has_a_full_sentence_per_command() -> None:
    sentences: dict[tuple[str, ...], str] = {}
    for group, command in GROUPS.items():
        shown = help_lines(*group)
        rows = [text.split(maxsplit=1) for text in shown[shown.index("Commands:") + 1 :]]
        assert sorted(name for name, _ in rows) == sorted(command.commands)
        sentences |= {(*group, name): text for name, text in rows}
    assert sentences.keys() == COMMANDS.keys() - {()}
    assert [words for words, text in sentences.items() if text.endswith("...") or not text.endswith(".")] == []


def test_list_of_commands_keeps_its_order_and_fits_80_columns() -> None:
    shown = help_lines()
    listed = shown[shown.index("Commands:") + 1 :]
    assert [text.split()[0] for text in listed] == list(GROUPS[()].commands)
    assert max(map(len, shown)) <= 80
