"""All ccindex commands, as declared in the app."""

from collections.abc import Iterator
from typing import Any

import typer.main

from ccindex.cli.app import app

CommandName = tuple[str, ...]  # ("db", "info") for `ccindex db info`


def _commands() -> Iterator[tuple[CommandName, Any]]:
    stack: list[tuple[CommandName, Any]] = [((), typer.main.get_command(app))]
    while stack:
        name, command = stack.pop()
        yield name, command
        stack += [((*name, part), child) for part, child in getattr(command, "commands", {}).items()]


COMMANDS: dict[CommandName, Any] = dict(sorted(_commands()))
GROUPS = {name: command for name, command in COMMANDS.items() if hasattr(command, "commands")}
LEAVES = {name: command for name, command in COMMANDS.items() if name not in GROUPS}
