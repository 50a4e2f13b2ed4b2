import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from ccindex.query.line_tree import LineTree, TreeLine, load_line_tree
from ccindex.query.titles import load_labelled_lines
from ccindex.render.tree import tree_lines
from ccindex.secrets.masking import no_mask
from ccindex.store.connection import reading
from tests.making.example_indexes import make_hostile, make_world
from tests.making.indexes import index


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    """An index in which no title is found."""
    (tmp_path / "p").mkdir()
    index(tmp_path / "x.db", tmp_path / "p")
    with closing(sqlite3.connect(tmp_path / "x.db")) as connection:
        yield connection


def row(number: int, **keys: object) -> TreeLine:
    made = TreeLine(number, None, f"l{number}", 1, "s", "trunk", None, 2, 1, None, None, None, f"u{number}", None, None)
    return made._replace(**keys)  # type: ignore[arg-type]


def texts(connection: sqlite3.Connection, tree: LineTree, width: int | None = None) -> list[str]:
    lines = tree_lines(load_labelled_lines(connection, tree), width=width, mask=no_mask)
    return ["".join(text for _, text in line.spans) for line in lines]


def test_rulers_go_down_to_the_last_child_only(empty: sqlite3.Connection) -> None:
    tree = LineTree({number: row(number) for number in range(1, 8)}, [1, 7], {1: [2, 4], 2: [3], 4: [5, 6]})
    assert [text.removesuffix("  2 entries") for text in texts(empty, tree)] == [
        "l1",
        "├─ l2",
        "│  └─ l3",
        "└─ l4",
        "   ├─ l5",
        "   └─ l6",
        "l7",
    ]


def test_a_tree_of_any_depth_is_drawn(empty: sqlite3.Connection) -> None:
    depth = 1_500
    tree = LineTree({n: row(n) for n in range(depth)}, [0], {n: [n + 1] for n in range(depth - 1)})
    assert len(texts(empty, tree)) == depth


def test_lines_say_where_they_leave_and_what_became_of_them(tmp_path: Path) -> None:
    with reading(make_world(tmp_path)) as connection:
        shown = texts(connection, load_line_tree(connection, "main"))
    starts = ["main", "├─ main#agent-g1", "├─ main@p2", "└─ main@p3", "   └─ next"]
    assert all(text.startswith(f"{start}  ") for start, text in zip(starts, shown, strict=True))
    assert [text.endswith("abandoned") for text in shown] == [False, False, True, False, False]
    assert all(f"from {uuid}" in text for uuid, text in zip(("r1", "a2", "a2", "a4"), shown[1:], strict=True))


def test_nothing_recorded_breaks_a_line_or_drives_a_terminal(tmp_path: Path) -> None:
    with reading(make_hostile(tmp_path)) as connection:
        tree = load_line_tree(connection)
        shown = texts(connection, tree, 80)
    assert len(shown) == len(tree.lines)
    assert all(sign.isprintable() for text in shown for sign in text)
