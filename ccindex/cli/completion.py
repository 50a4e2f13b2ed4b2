"""Shell completion for ids and names in the index."""

import re
import sqlite3
from collections.abc import Iterable

import typer

from ccindex.cli.output import open_index
from ccindex.errors import CcindexError
from ccindex.render.text import preview, project_name
from ccindex.secrets.masking import mask
from ccindex.store.sql_files import names as sql_file_names
from ccindex.store.sql_files import sentence

_MAX_COMPLETIONS = 50
_TITLE_CHARS = 60
_TYPABLE = re.compile(r"[\w.:@#*/+-]+")  # names that need no quoting; the shell inserts completions verbatim

_SESSIONS = (
    "select session_id, coalesce(title, first_prompt, '') from v1_sessions "
    "where substr(session_id, 1, length(:start)) = :start order by last_timestamp_ms desc, session_id limit :max_rows"
)
_ENTRIES = (
    "select uuid, '' from entries where uuid >= :start and uuid < :start || char(1114111) and occurrence is not null "
    "order by 1 limit :max_rows"
)
_PROJECTS = "select project, '' from v1_projects order by last_timestamp desc, project"
_MODELS = "select distinct model, '' from responses where model is not null order by 1"
_TOOLS = "select distinct name, '' from tool_uses where name is not null order by 1"


def complete_sessions(context: typer.Context, incomplete: str) -> list[tuple[str, str]]:
    """Complete session ids, latest session first, with titles."""
    return _query(context, _SESSIONS, incomplete)


def complete_entries(context: typer.Context, incomplete: str) -> list[tuple[str, str]]:
    """Complete entry uuids. Return nothing for an empty prefix."""
    return _query(context, _ENTRIES, incomplete) if incomplete else []


def complete_projects(context: typer.Context, incomplete: str) -> list[tuple[str, str]]:
    """Complete project names without their leading dash, which would look like an option."""
    projects = [project_name(name).lstrip("-") for name, _ in _query(context, _PROJECTS, "")]
    parts = [part for name in projects for part in (name, *_dash_suffixes(name))]
    return _with_prefix(parts, incomplete)


def complete_models(context: typer.Context, incomplete: str) -> list[tuple[str, str]]:
    """Complete model names, with or without `claude-`."""
    models = [name for name, _ in _query(context, _MODELS, "")]
    return _with_prefix([*models, *(name.removeprefix("claude-") for name in models)], incomplete)


def complete_tools(context: typer.Context, incomplete: str) -> list[tuple[str, str]]:
    """Complete the names of tools that were called."""
    return _with_prefix([name for name, _ in _query(context, _TOOLS, "")], incomplete)


def complete_examples(incomplete: str) -> list[tuple[str, str]]:
    """Complete the names of example queries, with their descriptions."""
    return [(name, sentence(f"examples/{name}")) for name in sql_file_names("examples") if name.startswith(incomplete)]


def _dash_suffixes(name: str) -> list[str]:
    """Return the text after each dash in a name."""
    return [name[index + 1 :] for index, character in enumerate(name) if character == "-"]


def _with_prefix(names: Iterable[str], incomplete: str) -> list[tuple[str, str]]:
    """Return names that start with the prefix, ignoring case.

    The prefix is returned as typed because the shell drops completions that do not start with it.
    """
    matches = (name for name in names if name and name.lower().startswith(incomplete.lower()))
    return [(incomplete + name[len(incomplete) :], "") for name in dict.fromkeys(matches)][:_MAX_COMPLETIONS]


def _query(context: typer.Context, query: str, start: str) -> list[tuple[str, str]]:
    """Return names and titles from the index, or nothing if it cannot be read: the shell cannot show errors."""
    try:
        with open_index(context.params.get("db")) as connection:
            rows = connection.execute(query, {"start": start, "max_rows": _MAX_COMPLETIONS}).fetchall()
    except (CcindexError, sqlite3.Error, OSError):
        return []
    return [(name, preview(mask(title), _TITLE_CHARS)) for name, title in rows if _TYPABLE.fullmatch(name)]
