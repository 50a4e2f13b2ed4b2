"""Narrows a JSON value, whose types are those of Python and none derived, to what a column takes, or else to None."""

from typing import Any


def string(value: Any) -> str | None:
    """A string that is not empty."""
    return value if type(value) is str and value else None


def integer(value: Any) -> int | None:
    """A whole number that SQLite can hold."""
    if type(value) is float and value.is_integer():
        value = int(value)
    return value if type(value) is int and -(2**63) <= value < 2**63 else None  # True is of another type


def flag(value: Any) -> int:
    """1 if true, 1 or "true"; else 0."""
    if value is None or value is False:
        return 0
    return 1 if value is True or value in ("true", 1) else 0


def flag_or_none(value: Any) -> int | None:
    """Like `flag`, with None for a flag that is not there."""
    return None if value is None else flag(value)


def mapping(value: Any) -> dict[str, Any]:
    """A JSON object, or an empty one."""
    return value if type(value) is dict else {}


def size(text: str) -> int:
    """Bytes of a text in UTF-8."""
    return len(text) if text.isascii() else len(text.encode())
