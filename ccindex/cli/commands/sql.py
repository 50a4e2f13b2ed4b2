"""`ccindex sql`: a read-only query on the views, as table, JSON or CSV."""

import re
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Annotated

import typer

from ccindex.cli.completion import complete_examples
from ccindex.cli.options import MAX_ROWS, Csv, Db, Json, Raw, limit_of
from ccindex.cli.output import (
    complain,
    mask_for,
    open_index,
    say_lines,
    show_csv,
    show_json,
    show_table,
    terminal_width,
)
from ccindex.errors import CannotRead
from ccindex.query.sql import View, bounded_rows, run_query, views
from ccindex.render.tables import Column
from ccindex.render.text import hanging
from ccindex.secrets.masking import no_mask
from ccindex.store.sql_files import load, names, sentence

_TABLE_ROWS = 500  # shown unless --limit says otherwise


def sql(
    query: Annotated[
        str | None,
        typer.Argument(
            help="One SQL statement, a file that ends in .sql, or - for stdin; with --schema, a part of a view's name.",
            show_default=False,
        ),
    ] = None,
    *,
    schema: Annotated[bool, typer.Option("--schema", help="Print the views with what their columns mean.")] = False,
    example: Annotated[
        str | None,
        typer.Option(
            "--example",
            metavar="NAME",
            help="Run an example.",
            show_default=False,
            autocompletion=complete_examples,
        ),
    ] = None,
    examples: Annotated[bool, typer.Option("--examples", help="List the examples.")] = False,
    param: Annotated[
        list[str] | None,
        typer.Option("--param", "-p", metavar="NAME=VALUE", help="Value of :NAME in the query.", show_default=False),
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
            help="At most so many rows; 0: all. Default: 500 in a table, all in JSON and CSV.",
            show_default=False,
        ),
    ] = None,
    timeout: Annotated[
        float, typer.Option("--timeout", metavar="SECONDS", min=0, help="Give up after so long; 0: never.")
    ] = 60,
    db: Db = None,
    json: Json = False,
) -> None:
    """Run a read-only query, or print the views.

    Examples:
      ccindex sql "select project, count(*) from v1_entries group by project"
      ccindex sql report.sql -p session=51ea40b0-7088-4482-b231-74d06cde3e3a --csv
      ccindex sql --schema tool
      ccindex sql --example cost_per_month
    """
    values = dict(map(_value, param or ()))
    if examples:
        _list_examples(json=json, csv=csv)
        return
    if sum((example is not None, query is not None and not schema, schema)) != 1:
        raise typer.BadParameter("give a query, or --example, or --schema")
    with open_index(db) as connection:
        if schema:
            found = [view for view in views(connection) if (query or "").lower() in view.name]
            if not found:
                raise typer.BadParameter(f"no view's name holds {query!r}; ccindex sql --schema lists all")
            _show_schema(found, json=json)
            return
        text = _example(example) if example is not None else _text(query or "")
        columns, rows = run_query(connection, text, values, seconds=timeout or None)
        shown = islice(rows, limit_of(limit, is_table=not (json or csv), most=_TABLE_ROWS))
        if json:
            show_json({"columns": columns, "rows": list(bounded_rows(shown))})
        elif csv:
            show_csv(columns, shown)
        else:
            show_table(columns, bounded_rows(shown), mask=mask_for(raw=raw))
            if limit is None and next(rows, None) is not None:
                complain(f"only the first {_TABLE_ROWS} rows are shown; --limit 0 shows all")


def _text(query: str) -> str:
    """Return the statement: as typed, from a file, or from stdin."""
    if query == "-":
        return sys.stdin.read()
    if not query.lower().endswith(".sql") or (query.split() != [query] and not Path(query).is_file()):
        return query
    try:
        return Path(query).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CannotRead(query, getattr(error, "strerror", None) or error) from error


def _value(given: str) -> tuple[str, str | float]:
    """Return a name and its value, as a number if it looks like one: to SQLite 1000 is not '1000'."""
    name, sign, value = given.partition("=")
    if not sign or not name:
        raise typer.BadParameter(f"{given!r} is no NAME=VALUE")
    if re.fullmatch(r"-?\d{1,18}", value):
        return name, int(value)
    return name, float(value) if re.fullmatch(r"-?\d+\.\d+", value) else value


def _example(name: str) -> str:
    if name not in names("examples"):
        raise typer.BadParameter(f"no example is called {name!r}; ccindex sql --examples lists them")
    return load(f"examples/{name}")


def _list_examples(*, json: bool, csv: bool) -> None:
    examples = [(name, sentence(f"examples/{name}")) for name in names("examples")]
    if json:
        show_json({"examples": [{"name": name, "sentence": says} for name, says in examples]})
    elif csv:
        show_csv(("name", "sentence"), examples)
    else:
        show_table(("example", Column("what it gives", is_flexible=True)), examples, mask=no_mask)


def _show_schema(found: list[View], *, json: bool) -> None:
    if json:
        listed = [
            {
                "name": view.name,
                "sentence": view.sentence,
                "columns": [{"name": name, "remark": remark or None} for name, remark in view.columns.items()],
            }
            for view in found
        ]
        show_json({"views": listed})
    else:
        say_lines(line for view in found for line in _described(view))


def _described(view: View) -> Iterator[str]:
    """Yield a view as SQL would declare it, with its comments."""
    width = terminal_width()
    yield from hanging("-- ", view.sentence, width, below="-- ")
    yield f"create view {view.name} ("
    names_ = list(view.columns)
    space = max(map(len, names_)) + 1
    for name in names_:
        comma = "," if name != names_[-1] else ""
        start = f"    {name + comma:<{space}}  "
        remark = view.columns[name]
        below = f"{' ' * len(start)}-- "
        yield from hanging(f"{start}-- ", remark, width, below=below) if remark else (start.rstrip(),)
    yield ");"
    yield ""
