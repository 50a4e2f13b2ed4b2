"""What the keys of an object tell, looked up by them."""

from ccindex.read.entry_parser import shape_of


def test_keys_without_a_column_go_to_the_details_in_their_order() -> None:
    shape = shape_of({"uuid": "u1", "requestId": "r", "type": "user", "data": {}})
    assert shape == (True, False, ("requestId", "data"))
    assert shape_of({"data": {}, "requestId": "r", "uuid": "u1"}).details == ("data", "requestId")


def test_a_key_never_heard_of_is_told_each_time() -> None:
    for _ in range(2):
        shape = shape_of({"uuid": "u1", "subtype": "x", "zeta": 1})
        assert (shape.is_known, shape.has_rare, shape.details) == (False, True, ("zeta",))
