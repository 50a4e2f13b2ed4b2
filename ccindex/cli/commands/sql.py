"""`ccindex sql`: run a read-only query and print the result as a table, JSON or CSV."""

import re
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Annotated

import typer

from ccindex.cli.completion import complete_examples
from ccindex.cli.options import MAX_ROWS, Csv, Db, Json, Raw, choose_limit
from ccindex.cli.output import (
    choose_mask,
    open_index,
    print_csv,
    print_json,
    print_lines,
    print_message,
    print_table,
    terminal_width,
)
from ccindex.errors import CannotRead
from ccindex.query.sql import View, bounded_rows, run_query, views
from ccindex.render.tables import Column
from ccindex.render.text import wrap_with_label
from ccindex.secrets.masking import no_mask
from ccindex.store.sql_files import load, names, sentence

_TABLE_ROWS = 500  # default of --limit for tables


def sql(
    query: Annotated[
        str | None,
        typer.Argument(
            metavar="QUERY",
            help="One SQL statement, the path of a .sql file, or - for stdin. With --schema: part of a view's name.",
            show_default=False,
        ),
    ] = None,
    *,
    schema: Annotated[bool, typer.Option("--schema", help="Describe all views and their columns.")] = False,
    example: Annotated[
        str | None,
        typer.Option(
            "--example",
            metavar="NAME",
            help="Run the example query NAME.",
            show_default=False,
            autocompletion=complete_examples,
        ),
    ] = None,
    examples: Annotated[bool, typer.Option("--examples", help="List the example queries.")] = False,
    param: Annotated[
        list[str] | None,
        typer.Option(
            "--param",
            "-p",
            metavar="NAME=VALUE",
            help="Set the value of :NAME in the query. Can be repeated.",
            show_default=False,
        ),
    ] = None,
    raw: Raw = False,
    csv: Csv = False,
    limit: Annotated[
        int | None,
        typer.Option(
            "--limit",
            metavar="N",
            min=0,
            max=MAX_ROWS,
            help="Show at most N rows. 0 shows all rows. Default: 500 in tables, all in JSON and CSV.",
            show_default=False,
        ),
    ] = None,
    timeout: Annotated[
        float,
        typer.Option("--timeout", metavar="SECONDS", min=0, help="Stop the query after SECONDS. 0 means no limit."),
    ] = 60,
    db: Db = None,
    json: Json = False,
) -> None:
    """Run a read-only SQL query, or describe the views.

    Examples:
      ccindex sql "select project, count(*) from v1_entries group by project"
      ccindex sql report.sql -p session=51ea40b0-7088-4482-b231-74d06cde3e3a --csv
      ccindex sql --schema tool
      ccindex sql --example cost_per_month
    """
    values = dict(map(_parse_parameter, param or ()))
    if examples:
        _list_examples(json=json, csv=csv)
        return
    if sum((example is not None, query is not None and not schema, schema)) != 1:
        raise typer.BadParameter("specify exactly one of a query, --example, --examples and --schema")
    with open_index(db) as connection:
        if schema:
            matches = [view for view in views(connection) if (query or "").lower() in view.name]
            if not matches:
                raise typer.BadParameter(f"no view has {query!r} in its name; ccindex sql --schema lists all views")
            _show_schema(matches, json=json)
            return
        text = _load_example(example) if example is not None else _read_query(query or "")
        columns, rows = run_query(connection, text, values, seconds=timeout or None)
        shown = islice(rows, choose_limit(limit, is_table=not (json or csv), table_rows=_TABLE_ROWS))
        if json:
            print_json({"columns": columns, "rows": list(bounded_rows(shown))})
        elif csv:
            print_csv(columns, shown)
        else:
            print_table(columns, bounded_rows(shown), mask=choose_mask(raw=raw))
            if limit is None and next(rows, None) is not None:
                print_message(f"showing only the first {_TABLE_ROWS} rows; --limit 0 shows all")


def _read_query(query: str) -> str:
    """Return the SQL statement: the argument itself, or the content of a file or stdin."""
    if query == "-":
        return sys.stdin.read()
    if not query.lower().endswith(".sql") or (query.split() != [query] and not Path(query).is_file()):
        return query
    try:
        return Path(query).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CannotRead(query, getattr(error, "strerror", None) or error) from error


def _parse_parameter(text: str) -> tuple[str, str | float]:
    """Return a name and its value. A numeric value becomes a number, because in SQLite 1000 is not equal to '1000'."""
    name, separator, value = text.partition("=")
    if not separator or not name:
        raise typer.BadParameter(f"{text!r} is not of the form NAME=VALUE")
    if re.fullmatch(r"-?\d{1,18}", value):
        return name, int(value)
    return name, float(value) if re.fullmatch(r"-?\d+\.\d+", value) else value


def _load_example(name: str) -> str:
    if name not in names("examples"):
        raise typer.BadParameter(f"no example is named {name!r}; ccindex sql --examples lists them all")
    return load(f"examples/{name}")


def _list_examples(*, json: bool, csv: bool) -> None:
    examples = [(name, sentence(f"examples/{name}")) for name in names("examples")]
    if json:
        print_json({"examples": [{"name": name, "sentence": description} for name, description in examples]})
    elif csv:
        print_csv(("name", "sentence"), examples)
    else:
        print_table(("example", Column("description", is_flexible=True)), examples, mask=no_mask)


def _show_schema(matches: list[View], *, json: bool) -> None:
    if json:
        listed = [
            {
                "name": view.name,
                "sentence": view.sentence,
                "columns": [{"name": name, "remark": remark or None} for name, remark in view.columns.items()],
            }
            for view in matches
        ]
        print_json({"views": listed})
    else:
        print_lines(line for view in matches for line in _view_lines(view))


def _view_lines(view: View) -> Iterator[str]:
    """Yield the declaration of a view as SQL, with comments."""
    width = terminal_width()
    yield from wrap_with_label("-- ", view.sentence, width, below="-- ")
    yield f"create view {view.name} ("
    columns = list(view.columns)
    space = max(map(len, columns)) + 1
    for name in columns:
        comma = "," if name != columns[-1] else ""
        start = f"    {name + comma:<{space}}  "
        remark = view.columns[name]
        below = f"{' ' * len(start)}-- "
        yield from wrap_with_label(f"{start}-- ", remark, width, below=below) if remark else (start.rstrip(),)
    yield ");"
    yield ""
