"""Generate docs/views.md, the reference for all views and their columns, from the comments in sql/views."""

import tempfile
from pathlib import Path

from ccindex.query.sql import View, views
from ccindex.store.connection import changing
from documentation.markdown import GENERATED_NOTE, code_block, link, table, wrap

INTRODUCTION = """\
# Views

{note}

The views are the public interface of an index. Their names start with `v1_`. New versions of ccindex may add views and
columns, but never rename or remove any. The tables behind the views may change in any version.

Conventions:

- The ids of sessions, entries, messages, calls and subagents are those that Claude Code recorded. ccindex creates the
  ids of threads, lines, paths and runs, and of subagents that were recorded without an id (by version 1).
- Timestamps are text, as recorded. `timestamp_ms`, `first_timestamp_ms` and `last_timestamp_ms` give the same times in
  milliseconds since 1970 (UTC); use them for sorting and arithmetic. Most other columns whose names end in `_ms` are
  durations.
- Columns whose names end in `_at` are times recorded by ccindex, in UTC.
- Days are UTC days.
- Booleans are 0 and 1. A missing value is NULL. JSON values are text; use SQLite's JSON functions to read them.
- `est_cost_usd` is an [estimate](concepts.md#responses-and-costs).

`ccindex sql --schema` prints the same reference, and `ccindex sql --schema TEXT` only the views whose names contain
TEXT. [Examples](examples.md) shows queries on these views; [clients](clients.md) shows how to use them from other
programs.

"""


def views_page() -> str:
    """Return the page: a table of all views, and one heading per view with its columns."""
    with tempfile.TemporaryDirectory() as folder, changing(Path(folder) / "empty.db", create=True) as connection:
        all_views = views(connection)
    overview = table(["view", "rows"], ((link(view.name), view.sentence) for view in all_views))
    return INTRODUCTION.format(note=GENERATED_NOTE) + overview + "".join(map(_section, all_views))


def _section(view: View) -> str:
    indent = max(map(len, view.columns)) + 2
    rows = [
        wrap(f"{column:<{indent}}{remark}".rstrip(), hanging_indent=" " * indent)
        for column, remark in view.columns.items()
    ]
    columns = code_block("\n".join(rows))
    return f"\n## {view.name}\n\n{wrap(view.sentence)}\n\n{columns}"
