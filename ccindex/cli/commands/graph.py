"""The command `graph`: queries on the graph of effective parents."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Annotated, Any, NamedTuple

import typer

from ccindex.cli.completion import complete_entries, complete_sessions
from ccindex.cli.options import MAX_ROWS, Csv, Db, Json, Raw, limit_of
from ccindex.cli.output import (
    complain,
    mask_for,
    moment,
    open_index,
    remark,
    say_lines,
    say_styled,
    show_csv,
    show_json_list,
    show_table,
    terminal_width,
)
from ccindex.query.entry_graph import Step
from ccindex.query.graph_queries import (
    MORE_COLUMNS,
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
from ccindex.render.text import flat, short, short_agent, short_line
from ccindex.render.tree import entry_type, graph_tree_lines, preview_text
from ccindex.secrets.masking import Mask, no_mask
from ccindex.store.connection import Connection

_TREE_COLUMNS = (*GraphRow._fields, "indent", "preview")


def complete_queries(incomplete: str) -> list[tuple[str, str]]:
    """Offer the queries."""
    return [(query.value, "") for query in GraphQuery if query.startswith(incomplete)]


def complete_ids(context: typer.Context, incomplete: str) -> list[tuple[str, str]]:
    """Offer sessions, entries or both, as the query before accepts them."""
    query = context.params.get("query")
    kinds = id_kinds(GraphQuery(query)) if query in list(GraphQuery) else ()
    sessions = complete_sessions(context, incomplete) if "session" in kinds else []
    return sessions + (complete_entries(context, incomplete) if "entry" in kinds else [])


def graph(
    query: Annotated[
        str,
        typer.Argument(metavar="QUERY", help="What to ask: see above.", autocompletion=complete_queries),
    ],
    wanted: Annotated[
        str,
        typer.Argument(
            metavar="ID",
            help="An entry or a session, or the beginning of its id.",
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
            help="At most so many rows, from the first; 0: all. Default: 50 in a table, else all.",
            show_default=False,
        ),
    ] = None,
    csv: Csv = False,
    db: Db = None,
    json: Json = False,
) -> None:
    """Query the graph of entries: parents, children, paths, roots.

    The parent of an entry is `v1_entries.parent_uuid`, which may be in another thread or session. Siblings and roots
    are in order of time.

    About an entry: `ancestors` (root first), `descendants` (depth first), `children`.

    About a session: `active-path` (from every start of the conversation along the branches that are active),
    `longest-path`, `main-thread` (entries outside subagents, by time), `sidechains` (subagents, by their first
    entries), `roots`, `branch-points` (several children in one thread, once per such thread), `is-linear` (there are
    none), `cycles` (of parents as recorded).

    About either: `depth-first`, `breadth-first`, `tree`. An entry is followed into other sessions, a session is not.

    In the tree a conversation goes on at the same indentation; branches, subagents and the side entries of a fork are
    indented. `[ACTIVE]` and `[ABANDONED]` mark the branches of a rewind or retry.

    Examples:
      ccindex graph tree 51ea40b0
      ccindex graph ancestors 2cb4e296 --json
      ccindex graph branch-points 51ea40b0
    """
    asked = _known(query)
    most = limit_of(limit, is_table=not (json or csv or asked is GraphQuery.TREE))
    with open_index(db) as connection:
        target = resolve_id(connection, wanted, id_kinds(asked))
        if json:
            rows = islice(_documents(connection, asked, target), most)
            show_json_list({"query": asked.value, "id": target.id}, "rows", rows)
        elif csv:
            rows = islice(_documents(connection, asked, target), most)
            show_csv(_columns(asked), (list(row.values()) for row in rows))
        else:
            _show_text(connection, asked, target, most, is_default=limit is None, mask=mask_for(raw=raw))


def _known(query: str) -> GraphQuery:
    try:
        return GraphQuery(query)
    except ValueError:
        raise typer.BadParameter(f"no query is called {query!r}; there are: {', '.join(GraphQuery)}") from None


def _columns(query: GraphQuery) -> Sequence[str]:
    if query is GraphQuery.IS_LINEAR:
        return ("session_id", "is_linear")
    return _TREE_COLUMNS if query is GraphQuery.TREE else (*GraphRow._fields, *MORE_COLUMNS.get(query, ()))


def _documents(connection: Connection, query: GraphQuery, target: Target) -> Iterator[dict[str, Any]]:
    """The rows for programs, exact."""
    if query is GraphQuery.IS_LINEAR:
        yield {"session_id": target.id, "is_linear": is_linear(connection, target)}
    elif query is GraphQuery.TREE:
        for step, row, blocks in load_rows_with_blocks(connection, load_tree(connection, target)):
            yield row._asdict() | {"indent": step.indent, "preview": preview_text(row, blocks, mask=no_mask)}
    else:
        columns = MORE_COLUMNS.get(query, ())
        for found, row in load_rows(connection, load_steps(connection, query, target)):
            yield row._asdict() | dict(zip(columns, found.more, strict=True))


def _show_text(
    connection: Connection, query: GraphQuery, target: Target, most: int | None, *, is_default: bool, mask: Mask
) -> None:
    if query is GraphQuery.IS_LINEAR:
        linear = is_linear(connection, target)
        session = flat(short(target.id) or "")
        say_lines([f"{session} is {'linear' if linear else 'not linear: see branch-points'}"])
    elif query is GraphQuery.TREE:
        steps = list(islice(load_tree(connection, target), most))
        rows = load_rows_with_blocks(connection, steps)
        say_styled(graph_tree_lines(rows, width=terminal_width(), mask=mask))
        if not steps:
            remark("nothing found")
    else:
        found = list(islice(load_steps(connection, query, target), None if most is None else most + 1))
        if found:
            _show_table(connection, query, found[:most], mask)
        else:
            remark("nothing found")
        if is_default and most is not None and len(found) > most:
            complain(f"only the first {most} rows are shown; --limit 0 shows all")


def _show_table(connection: Connection, query: GraphQuery, steps: Sequence[Step], mask: Mask) -> None:
    """Print a table without the columns in which no row has a value."""
    extra = _EXTRA_CELLS.get(query, ())
    columns = (*_FIRST_COLUMNS, *(cell.column for cell in extra), *_LAST_COLUMNS)
    table = [
        [
            row.depth,
            entry_type(row, mask=mask),
            short(row.uuid),
            *(cell.value(step, row) for cell in extra),
            short_agent(row.agent_id),
            moment(row.timestamp_ms),
            _state(row),
            preview_text(row, blocks, mask=mask),
        ]
        for step, row, blocks in load_rows_with_blocks(connection, steps)
    ]
    filled = [place for place in range(len(columns)) if any(row[place] not in (None, "") for row in table)]
    show_table([columns[place] for place in filled], [[row[place] for place in filled] for row in table], mask=mask)


def _state(row: GraphRow) -> str:
    return "set aside" if row.set_aside else "" if row.is_active else "abandoned"


class _Cell(NamedTuple):
    """A column of a query's table and how its value is found."""

    column: Column
    value: Callable[[Step, GraphRow], Any]


_FIRST_COLUMNS = (Column("depth"), Column("type"), Column("entry", style="cyan"))
_LAST_COLUMNS = (
    Column("agent"),
    Column("when", since=100, style="dim"),
    Column("state"),
    Column("text", is_flexible=True),
)
_EXTRA_CELLS: Mapping[GraphQuery, Sequence[_Cell]] = {
    GraphQuery.ROOTS: (
        _Cell(Column("root"), lambda _, row: row.root_kind and row.root_kind.replace("_", " ")),
        _Cell(Column("parent"), lambda _, row: short(row.parent_uuid)),
    ),
    GraphQuery.BRANCH_POINTS: (
        _Cell(Column("children"), lambda step, _: step.more[1]),
        _Cell(Column("verdict"), lambda step, _: step.more[3]),
        _Cell(Column("in thread", since=110), lambda step, _: short_line(str(step.more[0]))),
    ),
    GraphQuery.SIDECHAINS: (
        _Cell(Column("entries"), lambda step, _: step.more[1]),
        _Cell(Column("attached to"), lambda step, _: step.more[2] and short(str(step.more[2]))),
    ),
    GraphQuery.CYCLES: (
        _Cell(Column("cycle"), lambda step, _: step.more[0]),
        _Cell(Column("recorded parent"), lambda step, _: short(str(step.more[1]))),
    ),
}
