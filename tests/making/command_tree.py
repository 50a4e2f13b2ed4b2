"""Every command of the program, from its own declaration."""

from collections.abc import Iterator
from typing import Any

import typer.main

from ccindex.cli.app import app


def _leaves() -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every command that does something, by the words that call it."""
    waiting: list[tuple[tuple[str, ...], Any]] = [((), typer.main.get_command(app))]
    while waiting:
        words, command = waiting.pop()
        below = getattr(command, "commands", None)
        if below is None:
            yield words, command
        else:
            waiting += [((*words, name), below[name]) for name in below]


LEAVES = sorted(_leaves(), key=lambda leaf: leaf[0])
