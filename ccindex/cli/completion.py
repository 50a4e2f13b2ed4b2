"""The beginning of a word to the ids and names in the index that the shell offers."""

import re
import sqlite3
from collections.abc import Iterable

import typer

from ccindex.cli.output import open_index
from ccindex.errors import CcindexError
from ccindex.render.text import preview, project_name
from ccindex.secrets.masking import mask
from ccindex.store.sql_files import names, sentence

_MAX_OFFERS = 50
_TITLE_CHARS = 60
_TYPABLE = re.compile(r"[\w.:@#*/+-]+")  # needs no quotes: the shell puts offers on the command line as they are

_SESSIONS = (
    "select session_id, coalesce(title, first_prompt, '') from v1_sessions "
    "where substr(session_id, 1, length(:start)) = :start order by last_timestamp_ms desc, session_id limit :most"
)
_ENTRIES = (
    "select uuid, '' from entries where uuid >= :start and uuid < :start || char(1114111) and occurrence is not null "
    "order by 1 limit :most"
)
_PROJECTS = "select project, '' from v1_projects order by last_timestamp desc, project"
_MODELS = "select distinct model, '' from responses where model is not null order by 1"
_TOOLS = "select distinct name, '' from tool_uses where name is not null order by 1"


def complete_sessions(context: typer.Context, incomplete: str) -> list[tuple[str, str]]:
    """Offer the latest sessions, each with its title."""
    return _query(context, _SESSIONS, incomplete)


def complete_entries(context: typer.Context, incomplete: str) -> list[tuple[str, str]]:
    """Offer entries if the beginning of a uuid was typed."""
    return _query(context, _ENTRIES, incomplete) if incomplete else []


def complete_projects(context: typer.Context, incomplete: str) -> list[tuple[str, str]]:
    """Offer projects by the end of their name: the whole name starts with a dash, like an option."""
    projects = [project_name(name).lstrip("-") for name, _ in _query(context, _PROJECTS, "")]
    parts = [part for name in projects for part in (name, *_ends(name))]
    return _with_prefix(parts, incomplete)


def complete_models(context: typer.Context, incomplete: str) -> list[tuple[str, str]]:
    """Offer the models that were used, with or without `claude-`."""
    models = [name for name, _ in _query(context, _MODELS, "")]
    return _with_prefix([*models, *(name.removeprefix("claude-") for name in models)], incomplete)


def complete_tools(context: typer.Context, incomplete: str) -> list[tuple[str, str]]:
    """Offer the tools that were called."""
    return _with_prefix([name for name, _ in _query(context, _TOOLS, "")], incomplete)


def complete_examples(incomplete: str) -> list[tuple[str, str]]:
    """Offer the example queries, each with its sentence."""
    return [(name, sentence(f"examples/{name}")) for name in names("examples") if name.startswith(incomplete)]


def _ends(name: str) -> list[str]:
    """Return what follows each dash in a name."""
    return [name[place + 1 :] for place, sign in enumerate(name) if sign == "-"]


def _with_prefix(offers: Iterable[str], incomplete: str) -> list[tuple[str, str]]:
    """Return names with the prefix in any case, which is kept as it was typed: the shell drops all others."""
    found = (name for name in offers if name and name.lower().startswith(incomplete.lower()))
    return [(incomplete + name[len(incomplete) :], "") for name in dict.fromkeys(found)][:_MAX_OFFERS]


def _query(context: typer.Context, query: str, start: str) -> list[tuple[str, str]]:
    """Return names and titles from the index, none if it cannot be read: the shell cannot show errors."""
    try:
        with open_index(context.params.get("db")) as connection:
            rows = connection.execute(query, {"start": start, "most": _MAX_OFFERS}).fetchall()
    except (CcindexError, sqlite3.Error, OSError):
        return []
    return [(name, preview(mask(title), _TITLE_CHARS)) for name, title in rows if _TYPABLE.fullmatch(name)]
