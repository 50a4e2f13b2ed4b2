"""Parsing of timestamps, and fast JSON functions compared with simple implementations."""

from datetime import UTC, datetime
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ccindex.read.json_values import (
    dumps,
    dumps_and_values,
    dumps_trimmed,
    dumps_without_images,
    instant,
    trim,
    values_in,
)

NINE = 1_772_355_600_000  # 2026-03-01T09:00:00Z


@pytest.mark.parametrize(
    ("text", "timestamp_ms"),
    [
        ("2026-03-01T09:00:00.000Z", NINE),
        ("2026-03-01T09:00:00Z", NINE),
        ("2026-03-01 09:00", NINE),
        ("2026-03-01T09:00:00", NINE),
        ("2026-03-01T10:00:05+01:00", NINE + 5_000),
        ("2026-03-01T03:30:08.5-05:30", NINE + 8_500),
        ("2026-03-01T10:00:00+0100", NINE),
        ("2026-03-01T09:00:06.999999Z", NINE + 6_999),
        ("2026-03-01T09:00:00.07Z", NINE + 70),
        ("1969-12-31T23:59:59.999Z", -1),
    ],
)
def test_every_documented_timestamp_format_is_parsed(text: str, timestamp_ms: int) -> None:
    assert instant(text) == timestamp_ms


@given(st.from_regex(r"[0-9]{4}-[01][0-9]-[0-3][0-9][T ][0-2][0-9]:[0-6][0-9]:[0-6][0-9][.][0-9]{3}Z", fullmatch=True))
def test_fast_path_agrees_with_the_general_parser(text: str) -> None:
    assert instant(text) == instant(text.removesuffix("Z") + "+00:00")


@pytest.mark.parametrize(
    "timestamp",
    [
        None,
        17,
        1_772_355_600_000.0,
        True,
        "",
        "2026-03-01",
        "2026-03-20514T18:00:01.000Z",
        "2026-02-30T00:00:00Z",
        "2026-03-01T24:00:00Z",
        "2026-03-01T09:60:00Z",
        "2026-03-01T09:00:60Z",
        "2026-03-01T09:00:00.Z",
        "2026-03-01T09:00:00+25:00",
        " 2026-03-01T09:00:00Z",
        "2026-03-01T09:00:00Z\n",
        "\u0662\u0660\u0662\u0666-03-01T09:00:00Z",
        "1772355600",
    ],
)
def test_any_other_timestamp_format_is_rejected(timestamp: object) -> None:
    assert instant(timestamp) is None


@given(st.datetimes(min_value=datetime(1900, 1, 1), max_value=datetime(2200, 1, 1)))  # noqa: DTZ001
def test_instant_agrees_with_the_standard_library(when: datetime) -> None:
    exact = (when.replace(tzinfo=UTC) - datetime(1970, 1, 1, tzinfo=UTC)) // (datetime.resolution * 1000)
    assert instant(when.isoformat()) == exact


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
def test_dumps_trimmed_is_equal_to_trim_followed_by_dumps(value: Any) -> None:
    assert dumps_trimmed(value, max_chars=500) == dumps(trim(value, max_chars=500))


def test_value_that_needs_no_trimming_is_not_copied() -> None:
    value = [{"a": [number, "x y" * 150]} for number in range(10)]
    with patch("ccindex.read.json_values.trim", side_effect=trim) as copy:
        assert dumps_trimmed(value, max_chars=500) == dumps(value)
        assert not copy.called
        dumps_trimmed([*value, "x y" * 200], max_chars=500)
        assert copy.called


@given(VALUES)
def test_dumps_and_values_returns_the_results_of_the_two_separate_functions(value: Any) -> None:
    assert dumps_and_values(value) == (dumps_without_images(value), values_in(dumps_without_images(value)))


@pytest.mark.parametrize("depth", [1, 198, 199, 200, 201, 202, 253, 254, 255, 300])
def test_all_functions_have_the_same_depth_limit(depth: int) -> None:
    value = nested(depth)
    assert dumps_trimmed(value, max_chars=500) == dumps(trim(value, max_chars=500))
    assert dumps_and_values(value) == (dumps_without_images(value), values_in(dumps_without_images(value)))
