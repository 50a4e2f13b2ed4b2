"""`ccindex paths`: the conversation paths through a session, or those of the graph as it was written."""

from collections.abc import Iterator
from typing import Annotated, Any

import typer

from ccindex.query.ids import session_named
from ccindex.query.paths import PathRow, conversation_paths, conversation_uuids, recorded_graph
from ccindex.store.db import reading
from ccindex.store.location import database_path

from .options import Db, Json
from .output import flat, say_lines, short, show_json_list, show_table

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

        def entries(path: PathRow) -> list[str]:
            return written.uuids(path.leaf_uuid) if written else conversation_uuids(connection, path)

        if json:
            told = (path._asdict() | ({"uuids": entries(path)} if uuids else {}) for path in wanted)
            mode = "recorded" if recorded else "conversation"
            show_json_list({"session_id": session_id, "mode": mode}, "paths", told)
        elif uuids:
            say_lines(flat(line) for path in wanted for line in _listed(path, entries(path)))
        else:
            show_table(_COLUMNS, map(_cells, wanted))


def _cells(path: PathRow) -> list[Any]:
    ids = (path.leaf_uuid, path.fork_uuid, path.session_id)
    return [path.number, path.status, path.entry_count, path.compaction_count, *map(short, ids)]


def _listed(path: PathRow, uuids: list[str]) -> Iterator[str]:
    """A path's own line, and its entries below it."""
    yield f"path {path.number} of {path.session_id}, {path.status}, {path.entry_count:,} entries"
    for uuid in uuids:
        yield f"  {uuid}"
