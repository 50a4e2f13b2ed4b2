"""`ccindex tree` and `paths`: the lines of sessions, and the paths along them."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Annotated, Any

import typer

from ccindex.cli.options import (
    Csv,
    Db,
    FilterOptions,
    Json,
    Limit,
    Raw,
    TheSession,
    filters_of,
    limit_of,
    takes_filters,
)
from ccindex.cli.output import (
    complain,
    mask_for,
    open_index,
    remark,
    say_lines,
    say_styled,
    show_csv,
    show_json_list,
    show_nested_json,
    show_table,
    terminal_width,
)
from ccindex.query.ids import resolve_session
from ccindex.query.line_tree import LineTree, TreeLine, load_line_tree
from ccindex.query.lists import SESSIONS, Filters, list_rows
from ccindex.query.paths import PathRow, conversation_paths, conversation_uuids, last_words, recorded_graph
from ccindex.query.titles import load_labelled_lines
from ccindex.read.text_tags import plain_words
from ccindex.render.tables import Column
from ccindex.render.text import flat, preview, short
from ccindex.render.tree import tree_lines
from ccindex.secrets.masking import Mask
from ccindex.store.connection import Connection

_TREE_COLUMNS = ("line_id", "session_id", "kind", "attachment_uuid", "entry_count")


@takes_filters
def tree(
    *,
    options: FilterOptions,
    raw: Raw = False,
    limit: Limit = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """Show how sessions, branches and agents hang together.

    Trees are shown whole: with every session that hangs on one which the options ask for.

    Examples:
      ccindex tree --session 51ea
      ccindex tree --project recipe-box --since 30d
    """
    with open_index(db) as connection:
        most = limit_of(limit, is_table=not json)
        filters = filters_of(connection, options)
        found = _matching(connection, load_line_tree(connection, filters.session_id), filters)
        is_cut = most is not None and len(found.roots) > most
        found = replace(found, roots=found.roots[-most:]) if most is not None and is_cut else found
        if json:
            show_nested_json("roots", found.roots, found.children, lambda number: _node(found.lines[number]))
        else:
            lines = load_labelled_lines(connection, found)
            say_styled(tree_lines(lines, width=terminal_width(), mask=mask_for(raw=raw)))
            if not found.roots:
                remark("nothing found")
    if is_cut and limit is None:
        complain(f"only the latest {most} are shown; --limit 0 shows all")


def _matching(connection: Connection, tree: LineTree, filters: Filters) -> LineTree:
    """Return the trees that contain a session which matches the filters."""
    if replace(filters, session_id=None) == Filters():
        return tree
    sessions = {row["session_id"] for row in list_rows(connection, SESSIONS, filters)}
    if filters.session_id is not None:
        return tree if sessions else replace(tree, roots=[])
    roots = [root for root in tree.roots if any(node.line.session_id in sessions for node in tree.walk([root]))]
    return replace(tree, roots=roots)


def _node(line: TreeLine) -> dict[str, object]:
    return {column: getattr(line, column) for column in _TREE_COLUMNS} | {"is_active": line.is_active}


_PREVIEW_CHARS = 100
_PATH_COLUMNS = (
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
    with open_index(db) as connection:
        session_id = resolve_session(connection, session)
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
            say_lines(flat(line) for path in wanted for line in _path_lines(path, entries(path)))
        elif wanted:
            mask, said = mask_for(raw=raw), last_words(connection, wanted)
            rows = [_cells(path, said.get(path.leaf_uuid, ""), mask) for path in wanted]
            show_table(_PATH_COLUMNS, rows, mask=mask)
        else:
            remark("nothing found; --agents lists the paths of subagents")


def _cells(path: PathRow, said: str, mask: Mask) -> list[Any]:
    return [
        f"path-{short(path.leaf_uuid)}",
        path.status,
        path.entry_count,
        path.compaction_count or None,
        short(path.fork_uuid),
        short(path.session_id),
        preview(mask(plain_words(said)), _PREVIEW_CHARS),
    ]


def _path_lines(path: PathRow, uuids: list[str]) -> Iterator[str]:
    yield f"path {path.number} of {path.session_id}, {path.status}, {path.entry_count:,} entries"
    for uuid in uuids:
        yield f"  {uuid}"
