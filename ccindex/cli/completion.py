"""The beginning of a word to the ids and names in the index that the shell offers."""

import re
import sqlite3
from collections.abc import Iterable

import typer

from ccindex.errors import CcindexError

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


def complete_graph_queries(incomplete: str) -> list[tuple[str, str]]:
    """Offer the queries of `graph`."""
    # only completion needs this
    from ccindex.query.graph_queries import GraphQuery  # noqa: PLC0415

    return [(query.value, "") for query in GraphQuery if query.startswith(incomplete)]


def complete_graph_ids(context: typer.Context, incomplete: str) -> list[tuple[str, str]]:
    """Offer sessions, entries or both, as the query before accepts them."""
    # only completion needs this
    from ccindex.query.graph_queries import GraphQuery, id_kinds  # noqa: PLC0415

    query = context.params.get("query")
    kinds = id_kinds(GraphQuery(query)) if query in list(GraphQuery) else ()
    sessions = complete_sessions(context, incomplete) if "session" in kinds else []
    return sessions + (complete_entries(context, incomplete) if "entry" in kinds else [])


def complete_projects(context: typer.Context, incomplete: str) -> list[tuple[str, str]]:
    """Offer projects by the end of their name: the whole name starts with a dash, like an option."""
    # only completion needs this
    from ccindex.render.text import project_name  # noqa: PLC0415

    names = [project_name(name).lstrip("-") for name, _ in _query(context, _PROJECTS, "")]
    parts = [part for name in names for part in (name, *_ends(name))]
    return _with_prefix(parts, incomplete)


def complete_models(context: typer.Context, incomplete: str) -> list[tuple[str, str]]:
    """Offer the models that were used, with or without `claude-`."""
    names = [name for name, _ in _query(context, _MODELS, "")]
    return _with_prefix([*names, *(name.removeprefix("claude-") for name in names)], incomplete)


def complete_tools(context: typer.Context, incomplete: str) -> list[tuple[str, str]]:
    """Offer the tools that were called."""
    return _with_prefix([name for name, _ in _query(context, _TOOLS, "")], incomplete)


def complete_examples(incomplete: str) -> list[tuple[str, str]]:
    """Offer the example queries, each with its sentence."""
    # only completion needs this
    from ccindex.store.sql_files import names, sentence  # noqa: PLC0415

    return [(name, sentence(f"examples/{name}")) for name in names("examples") if name.startswith(incomplete)]


def _ends(name: str) -> list[str]:
    """Return what follows each dash in a name."""
    return [name[place + 1 :] for place, sign in enumerate(name) if sign == "-"]


def _with_prefix(names: Iterable[str], incomplete: str) -> list[tuple[str, str]]:
    """Return names with the prefix in any case, which is kept as it was typed: the shell drops all others."""
    found = (name for name in names if name and name.lower().startswith(incomplete.lower()))
    return [(incomplete + name[len(incomplete) :], "") for name in dict.fromkeys(found)][:_MAX_OFFERS]


def _query(context: typer.Context, query: str, start: str) -> list[tuple[str, str]]:
    """Return names and titles from the index, none if it cannot be read: the shell cannot show errors."""
    # only completion needs this
    from ccindex.cli.output import open_index  # noqa: PLC0415
    from ccindex.render.text import preview  # noqa: PLC0415
    from ccindex.secrets.masking import mask  # noqa: PLC0415

    try:
        with open_index(context.params.get("db")) as connection:
            rows = connection.execute(query, {"start": start, "most": _MAX_OFFERS}).fetchall()
    except (CcindexError, sqlite3.Error, OSError):
        return []
    return [(name, preview(mask(title), _TITLE_CHARS)) for name, title in rows if _TYPABLE.fullmatch(name)]
