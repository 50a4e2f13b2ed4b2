"""`ccindex tree` and `paths`: show the tree of lines, and list conversation paths."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Annotated, Any

import typer

from ccindex.cli.options import (
    MAX_ROWS,
    Csv,
    Db,
    FilterOptions,
    Json,
    Raw,
    RequiredSession,
    add_filter_options,
    choose_limit,
    resolve_filters,
)
from ccindex.cli.output import (
    choose_mask,
    open_index,
    print_csv,
    print_json_list,
    print_lines,
    print_message,
    print_nested_json,
    print_note,
    print_styled,
    print_table,
    terminal_width,
)
from ccindex.query.ids import resolve_session
from ccindex.query.line_tree import LineTree, TreeLine, load_line_tree
from ccindex.query.lists import SESSIONS, Filters, list_rows
from ccindex.query.paths import PathRow, conversation_paths, conversation_uuids, last_texts, recorded_graph
from ccindex.query.titles import load_labelled_lines
from ccindex.read.text_tags import strip_tags
from ccindex.render.tables import Column
from ccindex.render.text import format_count, one_line, preview, short_id
from ccindex.render.tree import tree_lines
from ccindex.secrets.masking import Mask
from ccindex.store.connection import Connection

_TREE_COLUMNS = ("line_id", "session_id", "kind", "attachment_uuid", "entry_count")


@add_filter_options
def tree(
    *,
    options: FilterOptions,
    raw: Raw = False,
    limit: Annotated[
        int | None,
        typer.Option(
            "--limit",
            metavar="N",
            min=0,
            max=MAX_ROWS,
            help="Show only the latest N trees; 0 shows all. Default: 50, or all with --json.",
            show_default=False,
        ),
    ] = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """Show sessions, branches and subagents as a tree.

    Every tree that contains a matching session is shown in full, including sessions that do not match.

    Examples:
      ccindex tree --session 51ea
      ccindex tree --project recipe-box --since 30d
    """
    with open_index(db) as connection:
        max_trees = choose_limit(limit, is_table=not json)
        filters = resolve_filters(connection, options)
        trees = _matching_trees(connection, load_line_tree(connection, filters.session_id), filters)
        is_cut = max_trees is not None and len(trees.roots) > max_trees
        trees = replace(trees, roots=trees.roots[-max_trees:]) if max_trees is not None and is_cut else trees
        if json:
            print_nested_json("roots", trees.roots, trees.children, lambda number: _node(trees.lines[number]))
        else:
            lines = load_labelled_lines(connection, trees)
            print_styled(tree_lines(lines, width=terminal_width(), mask=choose_mask(raw=raw)))
            if not trees.roots:
                print_note("nothing found")
    if is_cut and limit is None:
        print_message(f"showing only the latest {max_trees} trees; --limit 0 shows all")


def _matching_trees(connection: Connection, tree: LineTree, filters: Filters) -> LineTree:
    """Return the trees with at least one session that matches the filters."""
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
    Column("compactions", min_terminal=110),
    Column("fork", min_terminal=90),
    Column("session"),
    Column("ends with", is_flexible=True),
)


def paths(
    *,
    session: RequiredSession,
    recorded: Annotated[
        bool, typer.Option("--recorded", help="List root-to-leaf chains of recorded parents instead.")
    ] = False,
    active: Annotated[bool, typer.Option("--active", help="List only active paths.")] = False,
    agents: Annotated[bool, typer.Option("--agents", help="Include subagent paths.")] = False,
    uuids: Annotated[bool, typer.Option("--uuids", help="List the uuids of the entries on each path.")] = False,
    raw: Raw = False,
    csv: Csv = False,
    db: Db = None,
    json: Json = False,
) -> None:
    """List the conversation paths through a session.

    A path is listed if the session owns at least one of its entries or has a copy of one.

    Examples:
      ccindex paths --session 51ea
      ccindex paths --session 51ea --active --uuids --json
      ccindex paths --session 51ea --recorded --agents
    """
    with open_index(db) as connection:
        session_id = resolve_session(connection, session)
        graph = recorded_graph(connection, session_id, agents=agents) if recorded else None
        all_paths = graph.paths() if graph else conversation_paths(connection, session_id, agents=agents)
        selected = [path for path in all_paths if path.status == "active" or not active]

        def entries(path: PathRow) -> list[str]:
            return graph.uuids(path.leaf_uuid) if graph else conversation_uuids(connection, path)

        if json:
            documents = (path._asdict() | ({"uuids": entries(path)} if uuids else {}) for path in selected)
            mode = "recorded" if recorded else "conversation"
            print_json_list({"session_id": session_id, "mode": mode}, "paths", documents)
        elif csv:
            columns = (*PathRow._fields, "uuids") if uuids else PathRow._fields
            print_csv(columns, ((*path, " ".join(entries(path))) if uuids else path for path in selected))
        elif uuids:
            print_lines(one_line(line) for path in selected for line in _path_lines(path, entries(path)))
        elif selected:
            mask, texts = choose_mask(raw=raw), last_texts(connection, selected)
            rows = [_cells(path, texts.get(path.leaf_uuid, ""), mask) for path in selected]
            print_table(_PATH_COLUMNS, rows, mask=mask)
        else:
            print_note("nothing found" if agents else "nothing found; --agents includes subagent paths")


def _cells(path: PathRow, last_text: str, mask: Mask) -> list[Any]:
    return [
        f"path-{short_id(path.leaf_uuid)}",
        path.status,
        path.entry_count,
        path.compaction_count or None,
        short_id(path.fork_uuid),
        short_id(path.session_id),
        preview(mask(strip_tags(last_text)), _PREVIEW_CHARS),
    ]


def _path_lines(path: PathRow, uuids: list[str]) -> Iterator[str]:
    entries = format_count(path.entry_count, "entry", "entries")
    yield f"path {path.number} in session {path.session_id}, {path.status}, {entries}"
    for uuid in uuids:
        yield f"  {uuid}"
