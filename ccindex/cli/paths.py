"""`ccindex paths`: the conversation paths through a session, or those of the graph as it was written."""

import sqlite3
from collections.abc import Iterator
from typing import Annotated, Any

import typer

from ccindex.query.ids import session_named
from ccindex.query.paths import PathRow, conversation_paths, conversation_uuids, last_words, recorded_graph
from ccindex.query.titles import plain_words
from ccindex.render.words import flat, preview, short

from .opened import opened
from .options import Csv, Db, Json, Raw, TheSession
from .output import remark, say_lines, show_csv, show_json_list
from .tables import Column, show_table

_PREVIEW = 100
_COLUMNS = (
    Column("path", style="cyan"),
    Column("status"),
    Column("entries"),
    Column("compactions", since=110),
    Column("fork", since=90),
    Column("session"),
    Column("ends with", is_flexible=True),
)


def paths(
    *,
    session: TheSession,
    recorded: Annotated[bool, typer.Option("--recorded", help="Root-to-leaf chains of the graph as written.")] = False,
    active: Annotated[bool, typer.Option("--active", help="Only those that were gone on with.")] = False,
    agents: Annotated[bool, typer.Option("--agents", help="Those of subagents too.")] = False,
    uuids: Annotated[bool, typer.Option("--uuids", help="With the entries of each.")] = False,
    raw: Raw = False,
    csv: Csv = False,
    db: Db = None,
    json: Json = False,
) -> None:
    """List the conversation paths that run through a session.

    These are the paths through at least one entry that is recorded in it, owned or copied.

    Examples:
      ccindex paths --session 51ea
      ccindex paths --session 51ea --active --uuids --json
      ccindex paths --session 51ea --recorded --agents
    """
    with opened(db, exact=json or csv or raw) as connection:
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
        elif csv:
            columns = (*PathRow._fields, "uuids") if uuids else PathRow._fields
            show_csv(columns, ((*path, " ".join(entries(path))) if uuids else path for path in wanted))
        elif uuids:
            say_lines(flat(line) for path in wanted for line in _listed(path, entries(path)))
        elif wanted:
            show_table(_COLUMNS, [_cells(connection, path) for path in wanted], raw=raw)
        else:
            remark("nothing found; --agents lists the paths of subagents")


def _cells(connection: sqlite3.Connection, path: PathRow) -> list[Any]:
    said = last_words(connection, path)
    return [
        f"path-{short(path.leaf_uuid)}",
        path.status,
        path.entry_count,
        path.compaction_count or None,
        short(path.fork_uuid),
        short(path.session_id),
        preview(plain_words(said), _PREVIEW),
    ]


def _listed(path: PathRow, uuids: list[str]) -> Iterator[str]:
    """A path's own line, and its entries below it."""
    yield f"path {path.number} of {path.session_id}, {path.status}, {path.entry_count:,} entries"
    for uuid in uuids:
        yield f"  {uuid}"
