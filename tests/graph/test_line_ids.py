"""Line ids extend the id of the parent line."""

from ccindex.graph.line_ids import Name, line_ids


def test_line_id_is_parent_id_and_own_part() -> None:
    top = Name("s")
    left, right = Name("l", top), Name("r", top)
    below = Name("x", right)
    assert list(map(str, (top, left, below))) == ["s", "s@l", "s@r@x"]
    # names without a line occur only as parts of other ids
    assert sorted(line_ids([below, left])) == [(0, "s@r@x"), (1, "s@l")]
