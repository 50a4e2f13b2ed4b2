"""`ccindex tree`: lines, branches and agents, and where each leaves the other."""

from typing import Annotated

import typer

from ccindex.query.forest import LineRow, Tree, forest
from ccindex.query.ids import session_named
from ccindex.store.db import reading
from ccindex.store.location import database_path

from .options import Db, Json
from .output import flat, say_lines, show_nested_json

_COLUMNS = ("line_id", "session_id", "kind", "attachment_uuid", "entry_count")


def tree(
    *,
    session: Annotated[
        str | None,
        typer.Option("--session", help="Only the trees that hold entries of this session.", show_default=False),
    ] = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """Show how sessions, branches and agents hang together."""
    with reading(database_path(db)) as connection:
        found = forest(connection, session_named(connection, session) if session is not None else None)
    if json:
        show_nested_json("roots", found.roots, found.children, lambda number: _told(found.lines[number]))
    else:
        say_lines(_drawn(found))


def _told(line: LineRow) -> dict[str, object]:
    return {column: getattr(line, column) for column in _COLUMNS} | {"is_active": line.is_active}


def _drawn(found: Tree) -> list[str]:
    """One line of text a line, with rulers down to its children."""
    drawn = []
    rulers: list[str] = []
    for line, depth, is_last in found.downwards():
        del rulers[max(depth - 1, 0) :]
        corner = ("└─ " if is_last else "├─ ") if depth else ""
        drawn.append("".join(rulers) + corner + _described(line))
        if depth:
            rulers.append("   " if is_last else "│  ")
    return drawn


def _described(line: LineRow) -> str:
    entries = "1 entry" if line.entry_count == 1 else f"{line.entry_count:,} entries"
    parts = [line.line_id, line.kind.replace("_", " "), entries]
    if line.attachment_uuid is not None:
        parts.append(f"from {line.attachment_uuid}")
    if line.first_timestamp is not None:
        parts.append(line.first_timestamp)
    if not line.is_active:
        parts.append("abandoned")
    return flat("  ".join(parts))
