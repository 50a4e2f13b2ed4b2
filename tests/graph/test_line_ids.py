"""A line id is the id of the line it leaves and a part of its own."""

from ccindex.graph.line_ids import Name, line_ids


def test_a_line_id_is_that_of_the_line_it_leaves_and_its_own_part() -> None:
    top = Name("s")
    left, right = Name("l", top), Name("r", top)
    below = Name("x", right)
    assert list(map(str, (top, left, below))) == ["s", "s@l", "s@r@x"]
    # names without a line of their own are only parts of others
    assert sorted(line_ids([below, left])) == [(0, "s@r@x"), (1, "s@l")]
