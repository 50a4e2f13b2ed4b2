"""Line ids extend the id of the parent line."""

from ccindex.graph.line_ids import LineName, line_ids


def test_line_id_is_the_parent_id_followed_by_its_own_part() -> None:
    top = LineName("s")
    left, right = LineName("l", top), LineName("r", top)
    below = LineName("x", right)
    assert list(map(str, (top, left, below))) == ["s", "s@l", "s@r@x"]
    # a name that was not passed occurs only as part of another id
    assert sorted(line_ids([below, left])) == [(0, "s@r@x"), (1, "s@l")]
