"""A typer command to the same command that converts plain values itself: typer loads pydantic for that.

With typer 0.29.1, `ccindex sessions --limit 1` takes 106 ms of processor time with this module and 191 ms without;
`ccindex --version`, which has no value to convert, takes 81 ms with it and 82 ms without.
"""

from collections.abc import Callable
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Any

import typer

# this changes internals of typer, which can differ in other versions; earlier ones do not load pydantic
_KNOWN = "0.29."


def take_plain_words(command: Any) -> Any:
    """Make a command and its subcommands use typer's conversion only for values that need it."""
    waiting = [command] if typer.__version__.startswith(_KNOWN) else []
    while waiting:
        one = waiting.pop()
        waiting.extend(getattr(one, "commands", {}).values())
        one.get_params = partial(_params, one.get_params)
    return command


def _params(given: Callable[[Any], list[Any]], ctx: Any) -> list[Any]:
    """Return the parameters of a command, including --help."""
    parameters = given(ctx)
    for parameter in parameters:
        ask = getattr(parameter, "get_runtime_param", None)
        if ask is not None and not isinstance(ask, partial):
            parameter.get_runtime_param = partial(_Plain, ask)
    return parameters


class _Plain:
    """A replacement for typer's runtime parameter, which takes 0.1 s to make."""

    def __init__(self, ask: Callable[[], Any]) -> None:
        self._ask = ask

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return a value as the command expects it."""
        is_several = param.multiple or param.nargs == -1
        if value is None:
            return () if is_several else None
        if value is param.default and not is_several:
            return value
        taken = _taken(value, param.type_descriptor.annotation, param.type_descriptor.parameter_info)
        return self._ask().coerce(value, param=param, ctx=ctx) if taken is None else taken


def _taken(value: Any, wanted: Any, limits: Any) -> Any:
    """Return a value that is valid without doubt; None: typer has to convert it or to complain."""
    if wanted == list[str] or (wanted == list[Path] and _is_any_path(limits)):
        kind = str if wanted == list[str] else Path
        return list(map(kind, value)) if all(type(word) is str and word.isascii() for word in value) else None
    # other characters can be bytes that are not UTF-8
    if type(value) is not str or not value.isascii():
        return None
    if wanted is int:
        number = int(value) if value.isdigit() and len(value) < _MAX_DIGITS else -1
        return number if max(0, limits.min or 0) <= number <= (number if limits.max is None else limits.max) else None
    if isinstance(wanted, type) and issubclass(wanted, StrEnum):
        return next((choice for choice in wanted if choice.value == value), None)
    return value if wanted is str else None


def _is_any_path(limits: Any) -> bool:
    """Whether typer accepts any path."""
    looked_for = limits.exists or limits.readable or limits.writable or limits.resolve_path
    return limits.file_okay and limits.dir_okay and not looked_for


_MAX_DIGITS = 19  # of an integer in SQLite
