"""What a row must be to be listed, counted or found: one meaning for every command."""

import re
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """None: anything will do. Instants are UTC milliseconds, from `since` on and before `until`.

    `project` is a part of the session's project, `model` a part of a model's name, `tool` a tool's name in which
    * stands for anything; the case of ASCII letters does not matter.
    """

    project: str | None = None
    session_id: str | None = None
    model: str | None = None
    tool: str | None = None
    since: int | None = None
    until: int | None = None
    limit: int | None = None

    def values(self) -> dict[str, Any]:
        """The values that queries bind, `tool` as a pattern for SQLite's glob."""
        typed = {"project": self.project, "model": self.model, "tool": self.tool and starred(self.tool)}
        return asdict(self) | {name: text and storable(text) for name, text in typed.items()}


def storable(typed: str) -> str:
    """What was typed as SQLite can hold it: bytes that are no UTF-8 as the escapes that ids have for them."""
    return typed.encode("utf-8", "backslashreplace").decode()


def starred(text: str) -> str:
    """A pattern for SQLite's glob in which * is the only sign that stands for others."""
    return re.sub(r"[\[?]", r"[\g<0>]", text)
