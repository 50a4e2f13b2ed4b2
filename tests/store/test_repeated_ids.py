"""Ids that are repeated all over the index: statements that look at the family alone find what those by id find."""

from pathlib import Path

import pytest

from ccindex.store.connection import changing
from ccindex.store.sql_files import encode_ids, load
from tests.making.hostile_graphs import write_graph
from tests.making.indexes import index

_FEW = "20000"  # rows by id, up to which a statement takes them


@pytest.mark.parametrize(
    ("shape", "statement", "entry"),
    [
        ("one_call_apart", "holders", 1),
        ("one_call_apart", "calls_by_id", 0),
        ("one_call_apart", "replies", 0),
        ("notices", "notices", None),
    ],
)
def test_both_ways_find_the_same_in_a_family(
    tmp_path: Path, db: Path, shape: str, statement: str, entry: int | None
) -> None:
    write_graph(tmp_path / "projects", shape, 60, files=3, seed=1)
    index(db, tmp_path / "projects")
    query = load(f"derive/{statement}")
    ids = encode_ids(["t0", "a0"])
    given = {"sessions": "[2, 3, 5]", "calls": ids, "tasks": ids}
    assert _FEW in query
    with changing(db, create=False) as connection:
        sessions = dict(
            connection.execute("select e.id, o.session from entries e join occurrences o on o.entry = e.id")
        )

        def in_family(row: tuple[int, ...]) -> bool:
            return (row[0] if entry is None else sessions[row[entry]]) in (2, 3, 5)

        by_id = connection.execute(query, given).fetchall()
        by_family = connection.execute(query.replace(_FEW, "0"), given).fetchall()
    assert len(by_family) < len(by_id)
    assert by_family == [row for row in by_id if in_family(row)] != []
