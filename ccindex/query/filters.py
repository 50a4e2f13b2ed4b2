"""What a row must be to be listed, counted or found: one meaning for every command."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """None: anything will do. Instants are UTC milliseconds, from `since` on and before `until`.

    `project` is a part of the session's project, `model` a part of a model's name, both in any case;
    `tool` is a tool's name in any case, in which * stands for anything.
    """

    project: str | None = None
    session_id: str | None = None
    model: str | None = None
    tool: str | None = None
    since: int | None = None
    until: int | None = None
    limit: int | None = None
