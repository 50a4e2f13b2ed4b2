"""Every command of the program, from its own declaration."""

from collections.abc import Iterator
from typing import Any

import typer.main

from ccindex.cli.app import app

Words = tuple[str, ...]  # the words that call a command, without the name of the program


def _commands() -> Iterator[tuple[Words, Any]]:
    waiting: list[tuple[Words, Any]] = [((), typer.main.get_command(app))]
    while waiting:
        words, command = waiting.pop()
        yield words, command
        waiting += [((*words, name), below) for name, below in getattr(command, "commands", {}).items()]


COMMANDS: dict[Words, Any] = dict(sorted(_commands()))
GROUPS = {words: command for words, command in COMMANDS.items() if hasattr(command, "commands")}
LEAVES = {words: command for words, command in COMMANDS.items() if words not in GROUPS}
