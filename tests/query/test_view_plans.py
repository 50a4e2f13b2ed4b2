"""SQLite uses indexes for queries on the views, and computes large columns only for the rows that it returns."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from operator import attrgetter
from typing import NamedTuple

import pytest

from benchmarks.view_queries import FILTERS, ViewQuery, view_queries
from ccindex.store.create import VIEWS
from ccindex.store.sql_files import load

# filters that SQLite answers with an index
INDEXED = {
    "v1_blocks": "uuid",
    "v1_compactions": "uuid session_id",
    "v1_edges": "child_uuid parent_uuid",
    "v1_entries": "uuid session_id source_path",
    "v1_file_touches": "uuid",
    "v1_forks": "uuid session_id line_id",
    "v1_junctions": "uuid target_line_id",
    "v1_line_entries": "uuid line_id",
    "v1_lines": "line_id session_id",
    "v1_messages": "uuid",
    "v1_occurrences": "uuid",
    "v1_paths": "leaf_uuid",
    "v1_progress": "uuid",
    "v1_prompts": "uuid session_id",
    "v1_records": "session_id",
    "v1_responses": "message_id session_id",
    "v1_sessions": "session_id last_timestamp_ms",
    "v1_set_aside": "uuid fork_uuid",
    "v1_sources": "path",
    "v1_system_events": "uuid",
    "v1_tool_outcomes": "uuid",
    "v1_tool_pairs": "tool_use_id session_id use_uuid result_uuid timestamp_ms",
}
# views with large columns, such as text and JSON, and the number of subqueries that compute these columns
LAZY = {
    "v1_blocks": 3,
    "v1_entries": 10,
    "v1_progress": 10,
    "v1_responses": 1,
    "v1_tool_outcomes": 1,
    "v1_tool_pairs": 10,
}
LARGE = {"entries", "occurrences", "blocks", "placements", "edges", "messages", "tool_uses", "tool_results"}


class Step(NamedTuple):
    """A step of a query plan; `parents` are the steps that contain it, from the outermost."""

    detail: str
    parents: tuple[str, ...]


@pytest.fixture(scope="module")
def empty() -> Iterator[sqlite3.Connection]:
    """An empty index: without statistics, a plan does not depend on the rows."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(load("schema"))
        for view in VIEWS:
            connection.execute(load(view))
        yield connection


def plan(connection: sqlite3.Connection, query: str) -> list[Step]:
    found: dict[int, Step] = {}
    for number, parent, _, detail in connection.execute(f"explain query plan {query}", {"value": None}):
        above = found.get(parent)
        found[number] = Step(detail, (*above.parents, above.detail) if above else ())
    return list(found.values())


def tables_by_alias(connection: sqlite3.Connection, view: str) -> dict[str, set[str]]:
    """Return the tables that a view and the internal view read, by alias."""
    tables = {name for (name,) in connection.execute("select name from sqlite_schema where type = 'table'")}
    words = f"{load(f'views/{view}')} {load('internal/owned_entries')}".split()
    aliases: dict[str, set[str]] = {}
    for word, table, alias in zip(words, words[1:], words[2:], strict=False):
        if word in ("from", "join") and table in tables:
            aliases.setdefault(alias, set()).add(table)
    return aliases


@pytest.mark.parametrize(
    ("view", "column"), [(view, column) for view, columns in INDEXED.items() for column in columns.split()]
)
def test_filter_on_an_indexed_column_scans_no_large_table(empty: sqlite3.Connection, view: str, column: str) -> None:
    operator = ">=" if "timestamp" in column else "="
    steps = plan(empty, f"select * from {view} where {column} {operator} :value")
    aliases = tables_by_alias(empty, view)
    scanned = [step.detail for step in steps if step.detail.startswith("SCAN ")]
    assert [detail for detail in scanned if aliases.get(detail.split()[1], set()) & LARGE] == []
    assert [step.detail for step in steps if "AUTOMATIC" in step.detail] == []


def test_every_indexed_filter_is_measured() -> None:
    assert {view: set(columns.split()) - set(FILTERS[view].split()) for view, columns in INDEXED.items()} == {
        view: set() for view in INDEXED
    }


# A view that joins tables is materialised if it is on the right side of a left join. SQLite then creates a temporary
# index on the key, unless the key is computed from other columns or does not have the affinity of text.
@pytest.mark.parametrize(
    "query",
    [query for query in view_queries() if query.name.startswith("v1_") and not query.sample],
    ids=attrgetter("name"),
)
def test_left_join_does_not_compare_every_row_with_every_row(empty: sqlite3.Connection, query: ViewQuery) -> None:
    joined = [step.detail for step in plan(empty, query.sql) if not step.parents and step.detail.endswith("LEFT-JOIN")]
    assert joined != []
    assert [detail for detail in joined if detail.startswith("SCAN ")] == []


@pytest.mark.parametrize("view", LAZY)
def test_left_join_computes_large_columns_only_for_the_rows_it_returns(empty: sqlite3.Connection, view: str) -> None:
    key = "use_uuid" if view == "v1_tool_pairs" else "uuid"
    steps = plan(empty, f"select r.* from v1_compactions l left join {view} r on r.{key} = l.uuid")
    materialised = [step.detail for step in steps if "MATERIALIZE k" in step.parents]
    assert materialised != []
    assert [detail for detail in materialised if detail.startswith("CO-ROUTINE")] == []
    computed = [step.detail for step in steps if step.detail.startswith("CORRELATED") and not step.parents]
    assert len(computed) >= LAZY[view]
