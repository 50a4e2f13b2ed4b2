"""The quick ways to JSON text say what the patient ones say."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ccindex.read.json_values import clipped, dumps, trimmed, values_in, whole, whole_and_values

LEAVES = (
    st.none()
    | st.booleans()
    | st.floats()
    | st.integers(-(2**66), 2**66)
    | st.sampled_from([2**53, 2**63 - 1, 2**63, 2**64 - 1, 2**64, -(2**63)])
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
    | st.sampled_from(["A" * 600, "x y" * 200, "base64", "é" * 200, '"' * 199])
)
VALUES = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("abc", max_size=2), inner, max_size=4)
)


def nested(depth: int) -> Any:
    value: Any = "x"
    for level in range(depth):
        value = [value] if level % 2 else {"a": value}
    return value


@given(VALUES)
def test_clipped_text_is_what_is_left_after_trimming(value: Any) -> None:
    assert clipped(value, longest=500) == dumps(trimmed(value, longest=500))


@given(VALUES)
def test_the_values_of_a_call_are_those_of_its_text(value: Any) -> None:
    assert whole_and_values(value) == (whole(value), values_in(whole(value)))


@pytest.mark.parametrize("depth", [1, 198, 199, 200, 201, 202, 253, 254, 255, 300])
def test_depth_is_cut_alike_by_all_of_them(depth: int) -> None:
    value = nested(depth)
    assert clipped(value, longest=500) == dumps(trimmed(value, longest=500))
    assert whole_and_values(value) == (whole(value), values_in(whole(value)))
