"""`ccindex sql`: a read-only query on the views, as table, JSON or CSV."""

import sys
from itertools import islice
from typing import Annotated

import typer

from ccindex.query.sql import select
from ccindex.store.db import reading
from ccindex.store.location import database_path

from .options import Db, Json
from .output import complain, show_csv, show_json, show_table


def sql(
    query: Annotated[
        str, typer.Argument(help="One SQL statement, or - to read it from stdin; the views are named v1_*.")
    ],
    *,
    csv: Annotated[bool, typer.Option("--csv", help="Comma-separated values with a header.")] = False,
    limit: Annotated[int, typer.Option("--limit", min=0, help="Rows shown in a table; 0: all.")] = 500,
    db: Db = None,
    json: Json = False,
) -> None:
    """Run a read-only query.

    For example: ccindex sql "select project, count(*) from v1_entries group by project"
    """
    with reading(database_path(db)) as connection:
        columns, rows = select(connection, sys.stdin.read() if query == "-" else query)
        if json:
            show_json({"columns": columns, "rows": list(rows)})
        elif csv:
            show_csv(columns, rows)
        else:
            shown = list(islice(rows, limit)) if limit else list(rows)
            show_table(columns, shown)
            if limit and next(rows, None) is not None:
                complain(f"only the first {limit:,} rows are shown; --limit 0 shows all")
