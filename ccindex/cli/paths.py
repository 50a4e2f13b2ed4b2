"""`ccindex paths`: the conversation paths through a session, or those of the graph as it was written."""

from typing import Annotated, Any

import typer

from ccindex.query.ids import session_named
from ccindex.query.paths import PathRow, conversation_paths, conversation_uuids, recorded_graph
from ccindex.store.db import reading
from ccindex.store.location import database_path

from .options import Db, Json
from .output import short, show_json, show_table

_COLUMNS = ("number", "status", "entry_count", "compaction_count", "leaf_uuid", "fork_uuid", "session_id")


def paths(
    *,
    session: Annotated[str, typer.Option("--session", help="The session, or the beginning of its id.")],
    recorded: Annotated[bool, typer.Option("--recorded", help="Root-to-leaf chains of the graph as written.")] = False,
    active: Annotated[bool, typer.Option("--active", help="Only those that were gone on with.")] = False,
    agents: Annotated[bool, typer.Option("--agents", help="Those of subagents too.")] = False,
    uuids: Annotated[bool, typer.Option("--uuids", help="With the entries of each.")] = False,
    db: Db = None,
    json: Json = False,
) -> None:
    """List the paths that run through at least one entry recorded in a session."""
    with reading(database_path(db)) as connection:
        session_id = session_named(connection, session)
        written = recorded_graph(connection, session_id, agents=agents) if recorded else None
        found = written.paths() if written else conversation_paths(connection, session_id, agents=agents)
        wanted = [path for path in found if path.status == "active" or not active]
        entries: dict[str, list[str]] = {}
        if uuids:
            for path in wanted:
                chain = written.uuids(path.leaf_uuid) if written else conversation_uuids(connection, path)
                entries[path.path_id] = chain
    if json:
        mode = "recorded" if recorded else "conversation"
        told = [_told(path, entries) for path in wanted]
        show_json({"session_id": session_id, "mode": mode, "paths": told})
    else:
        columns = (*_COLUMNS, "uuids") if uuids else _COLUMNS
        show_table(columns, (_cells(path, entries) for path in wanted))


def _told(path: PathRow, entries: dict[str, list[str]]) -> dict[str, Any]:
    uuids = {"uuids": entries[path.path_id]} if path.path_id in entries else {}
    return path._asdict() | uuids


def _cells(path: PathRow, entries: dict[str, list[str]]) -> list[Any]:
    ids = (path.leaf_uuid, path.fork_uuid, path.session_id)
    cells = [path.number, path.status, path.entry_count, path.compaction_count, *map(short, ids)]
    return [*cells, " ".join(f"{uuid:.8}" for uuid in entries[path.path_id])] if path.path_id in entries else cells
