from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ccindex.read.json_values import instant

NINE = 1_772_355_600_000  # 2026-03-01T09:00:00Z


@pytest.mark.parametrize(
    ("text", "at"),
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
def test_every_documented_form_is_an_instant(text: str, at: int) -> None:
    assert instant(text) == at


@given(st.from_regex(r"[0-9]{4}-[01][0-9]-[0-3][0-9][T ][0-2][0-9]:[0-6][0-9]:[0-6][0-9][.][0-9]{3}Z", fullmatch=True))
def test_the_usual_form_is_read_like_any_other(text: str) -> None:
    assert instant(text) == instant(text.removesuffix("Z") + "+00:00")


@pytest.mark.parametrize(
    "odd",
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
def test_any_other_form_is_unreadable(odd: object) -> None:
    assert instant(odd) is None


@given(st.datetimes(min_value=datetime(1900, 1, 1), max_value=datetime(2200, 1, 1)))  # noqa: DTZ001
def test_it_agrees_with_the_standard_library(when: datetime) -> None:
    exact = (when.replace(tzinfo=UTC) - datetime(1970, 1, 1, tzinfo=UTC)) // (datetime.resolution * 1000)
    assert instant(when.isoformat()) == exact
