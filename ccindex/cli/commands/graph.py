"""`ccindex graph`: queries on the graph of effective parents."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Annotated, Any, NamedTuple

import typer

from ccindex.cli.completion import complete_entries, complete_sessions
from ccindex.cli.options import MAX_ROWS, Csv, Db, Json, Raw, choose_limit
from ccindex.cli.output import (
    choose_mask,
    format_time,
    open_index,
    print_csv,
    print_json_list,
    print_lines,
    print_message,
    print_note,
    print_styled,
    print_table,
    terminal_width,
)
from ccindex.query.entry_graph import Step
from ccindex.query.graph_queries import (
    EXTRA_COLUMNS,
    GraphQuery,
    GraphRow,
    id_kinds,
    is_linear,
    load_rows,
    load_rows_with_blocks,
    load_steps,
    load_tree,
)
from ccindex.query.ids import Target, resolve_id
from ccindex.render.tables import Column
from ccindex.render.text import one_line, short_agent, short_id, short_line
from ccindex.render.tree import entry_type, graph_tree_lines, preview_text
from ccindex.secrets.masking import Mask, no_mask
from ccindex.store.connection import Connection

_TREE_COLUMNS = (*GraphRow._fields, "indent", "preview")


def complete_queries(incomplete: str) -> list[tuple[str, str]]:
    """Complete query names."""
    return [(query.value, "") for query in GraphQuery if query.startswith(incomplete)]


def complete_ids(context: typer.Context, incomplete: str) -> list[tuple[str, str]]:
    """Complete session ids, entry uuids or both, depending on what the query accepts."""
    query = context.params.get("query")
    kinds = id_kinds(GraphQuery(query)) if query in list(GraphQuery) else ()
    sessions = complete_sessions(context, incomplete) if "session" in kinds else []
    return sessions + (complete_entries(context, incomplete) if "entry" in kinds else [])


def graph(
    query: Annotated[
        str,
        typer.Argument(metavar="QUERY", help="One of the queries listed above.", autocompletion=complete_queries),
    ],
    item_id: Annotated[
        str,
        typer.Argument(
            metavar="ID",
            help="Id of an entry or a session, or a prefix of it.",
            autocompletion=complete_ids,
        ),
    ],
    *,
    raw: Raw = False,
    limit: Annotated[
        int | None,
        typer.Option(
            "--limit",
            metavar="N",
            min=0,
            max=MAX_ROWS,
            help="Show at most N rows. 0 shows all rows. Default: 50 in tables, otherwise all.",
            show_default=False,
        ),
    ] = None,
    csv: Csv = False,
    db: Db = None,
    json: Json = False,
) -> None:
    """Query the graph of entries: parents, children, paths and roots.

    The parent of an entry is `v1_entries.parent_uuid`. It can be in another thread or session. Siblings and roots are
    in time order.

    Queries on an entry: `ancestors` (root first), `descendants` (depth first), `children`.

    Queries on a session: `active-path` (from every active root of the conversation, along active branches),
    `longest-path`, `main-thread` (entries outside subagents, in time order), `sidechains` (the first entry of every
    subagent), `roots`, `branch-points` (entries with several children in one thread), `is-linear` (whether there are no
    branch points), `cycles` (among recorded parents).

    Queries on either: `depth-first`, `breadth-first`, `tree`. Starting from an entry, they follow links into other
    sessions; starting from a session, they do not.

    In the tree, a conversation continues at the same indentation. Branches, subagents and side entries of a fork are
    indented. `[ACTIVE]` and `[ABANDONED]` mark the branches of a rewind or retry.

    Examples:
      ccindex graph tree 51ea40b0
      ccindex graph ancestors 2cb4e296 --json
      ccindex graph branch-points 51ea40b0
    """
    graph_query = _parse_query(query)
    max_rows = choose_limit(limit, is_table=not (json or csv or graph_query is GraphQuery.TREE))
    with open_index(db) as connection:
        target = resolve_id(connection, item_id, id_kinds(graph_query))
        if json:
            rows = islice(_documents(connection, graph_query, target), max_rows)
            print_json_list({"query": graph_query.value, "id": target.id}, "rows", rows)
        elif csv:
            rows = islice(_documents(connection, graph_query, target), max_rows)
            print_csv(_columns(graph_query), (list(row.values()) for row in rows))
        else:
            _show_text(connection, graph_query, target, max_rows, is_default=limit is None, mask=choose_mask(raw=raw))


def _parse_query(query: str) -> GraphQuery:
    try:
        return GraphQuery(query)
    except ValueError:
        raise typer.BadParameter(f"{query!r} is not a query; choose from: {', '.join(GraphQuery)}") from None


def _columns(query: GraphQuery) -> Sequence[str]:
    if query is GraphQuery.IS_LINEAR:
        return ("session_id", "is_linear")
    return _TREE_COLUMNS if query is GraphQuery.TREE else (*GraphRow._fields, *EXTRA_COLUMNS.get(query, ()))


def _documents(connection: Connection, query: GraphQuery, target: Target) -> Iterator[dict[str, Any]]:
    """Yield rows for JSON and CSV, without masking."""
    if query is GraphQuery.IS_LINEAR:
        yield {"session_id": target.id, "is_linear": is_linear(connection, target)}
    elif query is GraphQuery.TREE:
        for tree_step, row, blocks in load_rows_with_blocks(connection, load_tree(connection, target)):
            yield row._asdict() | {"indent": tree_step.indent, "preview": preview_text(row, blocks, mask=no_mask)}
    else:
        columns = EXTRA_COLUMNS.get(query, ())
        for step, row in load_rows(connection, load_steps(connection, query, target)):
            yield row._asdict() | dict(zip(columns, step.more, strict=True))


def _show_text(
    connection: Connection, query: GraphQuery, target: Target, max_rows: int | None, *, is_default: bool, mask: Mask
) -> None:
    if query is GraphQuery.IS_LINEAR:
        linear = is_linear(connection, target)
        session = one_line(short_id(target.id) or "")
        print_lines([f"{session} is {'linear' if linear else 'not linear; branch-points lists its forks'}"])
    elif query is GraphQuery.TREE:
        tree_steps = list(islice(load_tree(connection, target), max_rows))
        rows = load_rows_with_blocks(connection, tree_steps)
        print_styled(graph_tree_lines(rows, width=terminal_width(), mask=mask))
        if not tree_steps:
            print_note("nothing found")
    else:
        steps = list(islice(load_steps(connection, query, target), None if max_rows is None else max_rows + 1))
        if steps:
            _show_table(connection, query, steps[:max_rows], mask)
        else:
            print_note("nothing found")
        if is_default and max_rows is not None and len(steps) > max_rows:
            print_message(f"showing only the first {max_rows} rows; --limit 0 shows all")


def _show_table(connection: Connection, query: GraphQuery, steps: Sequence[Step], mask: Mask) -> None:
    """Print a table, omitting columns that are empty in every row."""
    extra = _EXTRA_CELLS.get(query, ())
    columns = (*_FIRST_COLUMNS, *(cell.column for cell in extra), *_LAST_COLUMNS)
    table = [
        [
            row.depth,
            entry_type(row, mask=mask),
            short_id(row.uuid),
            *(cell.value(step, row) for cell in extra),
            short_agent(row.agent_id),
            format_time(row.timestamp_ms),
            _state(row),
            preview_text(row, blocks, mask=mask),
        ]
        for step, row, blocks in load_rows_with_blocks(connection, steps)
    ]
    filled = [index for index in range(len(columns)) if any(row[index] not in (None, "") for row in table)]
    print_table([columns[index] for index in filled], [[row[index] for index in filled] for row in table], mask=mask)


def _state(row: GraphRow) -> str:
    return "set aside" if row.set_aside else "" if row.is_active else "abandoned"


class _ExtraColumn(NamedTuple):
    """An extra column of a query's table, and the function that returns its value."""

    column: Column
    value: Callable[[Step, GraphRow], Any]


_FIRST_COLUMNS = (Column("depth"), Column("type"), Column("entry", style="cyan"))
_LAST_COLUMNS = (
    Column("agent"),
    Column("when", min_terminal=100, style="dim"),
    Column("state"),
    Column("text", is_flexible=True),
)
_EXTRA_CELLS: Mapping[GraphQuery, Sequence[_ExtraColumn]] = {
    GraphQuery.ROOTS: (
        _ExtraColumn(Column("root"), lambda _, row: row.root_kind and row.root_kind.replace("_", " ")),
        _ExtraColumn(Column("parent"), lambda _, row: short_id(row.parent_uuid)),
    ),
    GraphQuery.BRANCH_POINTS: (
        _ExtraColumn(Column("children"), lambda step, _: step.more[1]),
        _ExtraColumn(Column("verdict"), lambda step, _: step.more[3]),
        _ExtraColumn(Column("thread", min_terminal=110), lambda step, _: short_line(str(step.more[0]))),
    ),
    GraphQuery.SIDECHAINS: (
        _ExtraColumn(Column("entries"), lambda step, _: step.more[1]),
        _ExtraColumn(Column("attached to"), lambda step, _: step.more[2] and short_id(str(step.more[2]))),
    ),
    GraphQuery.CYCLES: (
        _ExtraColumn(Column("cycle"), lambda step, _: step.more[0]),
        _ExtraColumn(Column("recorded parent"), lambda step, _: short_id(str(step.more[1]))),
    ),
}
