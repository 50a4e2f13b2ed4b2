"""Convert simple command-line values without typer's own conversion, which would load pydantic.

With typer 0.29.1, `ccindex sessions --limit 1` takes 106 ms of CPU time with this module and 191 ms without it.
`ccindex --version` has no value to convert and takes 81 ms and 82 ms, respectively.
"""

from collections.abc import Callable
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Any

import typer

# The patch relies on this version's internals. Earlier versions do not load pydantic.
_PATCHED_VERSION = "0.29."


def use_fast_conversion(command: Any) -> Any:
    """Patch a command and its subcommands so that only unusual values go through typer's own conversion."""
    pending = [command] if typer.__version__.startswith(_PATCHED_VERSION) else []
    while pending:
        current = pending.pop()
        pending.extend(getattr(current, "commands", {}).values())
        current.get_params = partial(_params, current.get_params)
    return command


def _params(get_params: Callable[[Any], list[Any]], ctx: Any) -> list[Any]:
    """Return the patched parameters of a command, including --help."""
    parameters = get_params(ctx)
    for parameter in parameters:
        original = getattr(parameter, "get_runtime_param", None)
        if original is not None and not isinstance(original, partial):
            parameter.get_runtime_param = partial(_FastParameter, original)
    return parameters


class _FastParameter:
    """A replacement for typer's runtime parameter, which takes 0.1 s to create."""

    def __init__(self, make_original: Callable[[], Any]) -> None:
        self._make_original = make_original

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return the converted value."""
        has_many_values = param.multiple or param.nargs == -1
        if value is None:
            return () if has_many_values else None
        if value is param.default and not has_many_values:
            return value
        converted = _convert(value, param.type_descriptor.annotation, param.type_descriptor.parameter_info)
        return self._make_original().coerce(value, param=param, ctx=ctx) if converted is None else converted


def _convert(value: Any, target: Any, limits: Any) -> Any:
    """Return the converted value, or None if typer has to convert or reject it."""
    if target == list[str] or (target == list[Path] and _is_any_path(limits)):
        kind = str if target == list[str] else Path
        return list(map(kind, value)) if all(type(item) is str and item.isascii() for item in value) else None
    # non-ASCII characters can stand for bytes that are not UTF-8
    if type(value) is not str or not value.isascii():
        return None
    if target is int:
        number = int(value) if value.isdigit() and len(value) < _MAX_DIGITS else -1
        return number if max(0, limits.min or 0) <= number <= (number if limits.max is None else limits.max) else None
    if isinstance(target, type) and issubclass(target, StrEnum):
        return next((choice for choice in target if choice.value == value), None)
    return value if target is str else None


def _is_any_path(limits: Any) -> bool:
    """Return whether typer would accept any path."""
    has_checks = limits.exists or limits.readable or limits.writable or limits.resolve_path
    return limits.file_okay and limits.dir_okay and not has_checks


_MAX_DIGITS = 19  # digits of the largest SQLite integer
