"""What the shell offers when Tab is pressed: ids and names that are in the index."""

import sqlite3
from collections.abc import Iterator

import typer

from ccindex.errors import CcindexError

_MOST = 50

_SESSIONS = (
    "select session_id, coalesce(title, first_prompt, '') from v1_sessions "
    "where substr(session_id, 1, length(:start)) = :start order by last_timestamp_ms desc limit :most"
)
_PROJECTS = (
    "select project, '' from v1_projects where instr(lower(project), lower(:start)) > 0 "
    "order by last_timestamp desc limit :most"
)
_MODELS = (
    "select distinct model, '' from responses where model is not null and instr(lower(model), lower(:start)) > 0 "
    "order by 1 limit :most"
)
_TOOLS = (
    "select distinct name, '' from tool_uses where name is not null "
    "and lower(substr(name, 1, length(:start))) = lower(:start) order by 1 limit :most"
)


def complete_sessions(context: typer.Context, incomplete: str) -> list[tuple[str, str]]:
    """Offer the latest sessions, each with its title."""
    return list(_offered(context, _SESSIONS, incomplete))


def complete_projects(context: typer.Context, incomplete: str) -> list[tuple[str, str]]:
    """Offer projects by any part of their name."""
    return list(_offered(context, _PROJECTS, incomplete))


def complete_models(context: typer.Context, incomplete: str) -> list[tuple[str, str]]:
    """Offer the models that were used."""
    return list(_offered(context, _MODELS, incomplete))


def complete_tools(context: typer.Context, incomplete: str) -> list[tuple[str, str]]:
    """Offer the tools that were called."""
    return list(_offered(context, _TOOLS, incomplete))


def _offered(context: typer.Context, query: str, incomplete: str) -> Iterator[tuple[str, str]]:
    """Ask the index; whatever is wrong with it, the shell has no place to say so."""
    # completion is asked for by the shell alone: the commands need none of this
    from ccindex.render.words import preview  # noqa: PLC0415
    from ccindex.store.db import reading  # noqa: PLC0415
    from ccindex.store.location import database_path  # noqa: PLC0415

    try:
        with reading(database_path(context.params.get("db"))) as connection:
            rows = connection.execute(query, {"start": incomplete, "most": _MOST}).fetchall()
    except (CcindexError, sqlite3.Error, OSError):
        return
    for name, said in rows:
        yield name, preview(said, 60)
