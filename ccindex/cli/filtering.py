"""The filters that commands take: their options, and what was typed as the values that queries take."""

import inspect
import os
import re
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import wraps
from typing import Any

from ccindex.query.filters import Filters
from ccindex.query.ids import session_named

from .dates import instant_of
from .options import Model, Project, Session, Since, Tool, Until

IN_A_TABLE = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """Filters as they were typed."""

    project: Project = None
    session: Session = None
    model: Model = None
    tool: Tool = None
    since: Since = None
    until: Until = None


def takes_filters(function: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of all filters, which it receives as one value, `asked`, with its dates checked."""
    options = [
        inspect.Parameter(field.name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=field.type)
        for field in fields(Asked)
    ]

    @wraps(function)
    def command(**given: Any) -> None:
        asked = Asked(**{option.name: given.pop(option.name) for option in options})
        for date in (asked.since, asked.until):
            instant_of(date)  # before any index is opened
        function(asked=asked, **given)

    own = inspect.signature(function)
    before = [parameter for name, parameter in own.parameters.items() if name not in ("asked", *_LAST)]
    after = [own.parameters[name] for name in _LAST if name in own.parameters]
    command.__signature__ = own.replace(parameters=[*before, *options, *after])  # type: ignore[attr-defined]
    command.__annotations__ = {item.name: item.annotation for item in (*before, *options, *after)}
    return command


# options that stand behind the filters, in every command
_LAST = ("limit", "csv", "db", "json")


def filters_of(connection: sqlite3.Connection, asked: Asked, *, limit: int | None = None) -> Filters:
    """Find the session that is meant, and read the dates."""
    return Filters(
        project=None if asked.project is None else folder_name(asked.project),
        session_id=None if asked.session is None else session_named(connection, asked.session),
        model=asked.model,
        tool=asked.tool,
        since=instant_of(asked.since),
        until=instant_of(asked.until),
        limit=limit or None,
    )


def limit_of(given: int | None, *, is_table: bool, most: int = IN_A_TABLE) -> int | None:
    """How many rows to ask for: what was said, else what a person wants to see; None: all."""
    if given is None:
        return most if is_table else None
    return given or None


def folder_name(project: str) -> str:
    """A path as Claude Code names its folder: every sign but letters and digits as a dash."""
    if "/" not in project and project not in (".", "..", "~"):
        return project
    return re.sub(r"[^A-Za-z0-9]", "-", os.path.realpath(os.path.expanduser(project)))
