"""Help: an example per command, and a sentence per command in the lists."""

import inspect
from typing import Any

from typer.testing import CliRunner

from ccindex.cli.app import app
from tests.making.command_tree import COMMANDS, GROUPS, LEAVES


def help_of(*words: str, columns: int = 80) -> list[str]:
    settings = {"COLUMNS": str(columns), "TERMINAL_WIDTH": str(columns)}
    done = CliRunner().invoke(app, [*words, "--help"], env=settings)
    assert (done.exit_code, done.stderr) == (0, "")
    return done.stdout.splitlines()


def test_help_has_examples_line_by_line() -> None:
    problems = {" ".join(words): wrong_examples(words, command.callback) for words, command in LEAVES.items()}
    assert {name: problem for name, problem in problems.items() if problem} == {}


def wrong_examples(words: tuple[str, ...], callback: Any) -> str | None:
    """What is wrong with the examples in the help of a command."""
    shown = help_of(*words)
    examples = (inspect.getdoc(inspect.unwrap(callback)) or "").partition("Examples:\n")[2].splitlines()
    if not examples or "  Examples:" not in shown:
        return "it has no examples"
    start = shown.index("  Examples:") + 1
    if [text.strip() for text in shown[start : start + len(examples)]] != [text.strip() for text in examples]:
        return "examples are not shown line by line"
    if shown[start + len(examples)] != "":
        return "no empty line after the examples"
    if not all(f"ccindex {' '.join(words)}" in text for text in examples):
        return "an example is of another command"
    return None if max(map(len, shown)) <= 100 else "a line has more than 100 characters"


def test_the_list_of_commands_has_a_whole_sentence_for_each() -> None:
    sentences: dict[tuple[str, ...], str] = {}
    for group, command in GROUPS.items():
        shown = help_of(*group)
        rows = [text.split(maxsplit=1) for text in shown[shown.index("Commands:") + 1 :]]
        assert sorted(name for name, _ in rows) == sorted(command.commands)
        sentences |= {(*group, name): text for name, text in rows}
    assert sentences.keys() == COMMANDS.keys() - {()}
    assert [words for words, text in sentences.items() if text.endswith("...") or not text.endswith(".")] == []


def test_the_list_of_commands_is_in_the_order_of_use_and_fits() -> None:
    shown = help_of()
    listed = shown[shown.index("Commands:") + 1 :]
    assert [text.split()[0] for text in listed] == list(GROUPS[()].commands)
    assert max(map(len, shown)) <= 80
