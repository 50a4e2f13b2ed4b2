"""Ids that occur in many families: a search within one family finds the same rows of that family as a search by id."""

from pathlib import Path

import pytest

from ccindex.store.connection import changing
from ccindex.store.sql_files import encode_ids, load
from tests.making.hostile_graphs import write_graph
from tests.making.indexes import index

_LIMIT = "20000"  # if the given ids have at least this many rows, a statement searches only the given sessions


@pytest.mark.parametrize(
    ("shape", "statement", "entry"),
    [
        ("one_call_apart", "entries_by_call_id", 1),
        ("one_call_apart", "calls_by_id", 0),
        ("one_call_apart", "results_by_id", 0),
        ("notices", "task_notices", None),
    ],
)
def test_search_by_id_and_search_by_family_find_the_same_rows(
    tmp_path: Path, db: Path, shape: str, statement: str, entry: int | None
) -> None:
    write_graph(tmp_path / "projects", shape, 60, files=3, seed=1)
    index(db, tmp_path / "projects")
    query = load(f"derive/{statement}")
    ids = encode_ids(["t0", "a0"])
    params = {"sessions": "[2, 3, 5]", "calls": ids, "tasks": ids}
    assert _LIMIT in query
    with changing(db, create=False) as connection:
        sessions = dict(
            connection.execute("select e.id, o.session from entries e join occurrences o on o.entry = e.id")
        )

        def in_family(row: tuple[int, ...]) -> bool:
            return (row[0] if entry is None else sessions[row[entry]]) in (2, 3, 5)

        by_id = connection.execute(query, params).fetchall()
        by_family = connection.execute(query.replace(_LIMIT, "0"), params).fetchall()
    assert len(by_family) < len(by_id)
    assert by_family == [row for row in by_id if in_family(row)] != []
