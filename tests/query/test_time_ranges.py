"""How the time that filters accept is split into quarter hours."""

import pytest

from ccindex.model.usage_rows import MAX_INTEGER, QUARTER_HOUR_MS
from ccindex.query.stats import PartialQuarter, TimeRange, time_range

HOUR = 3_600_000
MINUTE = 60_000
LAST = MAX_INTEGER // QUARTER_HOUR_MS
FIRST = -LAST


def test_without_limits_all_quarter_hours_are_whole() -> None:
    assert time_range(None, None) == TimeRange(FIRST, LAST, (), undated=True)


def test_limits_on_quarter_hours_leave_no_parts() -> None:
    assert time_range(2 * QUARTER_HOUR_MS, 5 * QUARTER_HOUR_MS) == TimeRange(2, 5, (), undated=False)


def test_a_partial_quarter_hour_is_a_part() -> None:
    early, late = (
        PartialQuarter(2, 3 * QUARTER_HOUR_MS - MINUTE, 3 * QUARTER_HOUR_MS),
        PartialQuarter(5, 5 * QUARTER_HOUR_MS, 5 * QUARTER_HOUR_MS + MINUTE),
    )
    assert time_range(early.since, late.until) == TimeRange(3, 5, (early, late), undated=False)
    assert time_range(early.since, None) == TimeRange(3, LAST, (early,), undated=False)


def test_minutes_of_one_quarter_hour_are_one_part() -> None:
    found = time_range(5 * QUARTER_HOUR_MS + MINUTE, 5 * QUARTER_HOUR_MS + 2 * MINUTE)
    assert found.rest == (PartialQuarter(5, 5 * QUARTER_HOUR_MS + MINUTE, 5 * QUARTER_HOUR_MS + 2 * MINUTE),)
    assert found.first > found.end


@pytest.mark.parametrize("since", [None, -QUARTER_HOUR_MS, -5, 0, 1, QUARTER_HOUR_MS, QUARTER_HOUR_MS + 7])
@pytest.mark.parametrize("until", [None, -5, 0, 1, 7, QUARTER_HOUR_MS, 2 * QUARTER_HOUR_MS + 3])
def test_every_instant_is_counted_once_or_not_at_all(since: int | None, until: int | None) -> None:
    found = time_range(since, until)
    for at in (
        -2 * QUARTER_HOUR_MS,
        -QUARTER_HOUR_MS,
        -6,
        -5,
        -1,
        0,
        1,
        6,
        7,
        QUARTER_HOUR_MS - 1,
        QUARTER_HOUR_MS,
        QUARTER_HOUR_MS + 7,
        2 * QUARTER_HOUR_MS,
        2 * QUARTER_HOUR_MS + 3,
    ):
        counted = found.undated if at == 0 else found.first <= at // QUARTER_HOUR_MS < found.end
        read = sum(part.since <= at < part.until for part in found.rest)
        assert counted + read == ((since is None or at >= since) and (until is None or at < until)), at
