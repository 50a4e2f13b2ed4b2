"""Splitting a filter's time range into quarter hours."""

import pytest

from ccindex.model.usage_rows import MAX_INTEGER, QUARTER_HOUR_MS
from ccindex.query.stats import PartialQuarter, TimeRange, split_time_range

HOUR = 3_600_000
MINUTE = 60_000
LAST = MAX_INTEGER // QUARTER_HOUR_MS
FIRST = -LAST


def test_unlimited_range_has_only_whole_quarter_hours() -> None:
    assert split_time_range(None, None) == TimeRange(FIRST, LAST, (), undated=True)


def test_limits_at_quarter_hours_give_no_partial_quarter_hours() -> None:
    assert split_time_range(2 * QUARTER_HOUR_MS, 5 * QUARTER_HOUR_MS) == TimeRange(2, 5, (), undated=False)


def test_limits_inside_quarter_hours_give_partial_quarter_hours() -> None:
    early, late = (
        PartialQuarter(2, 3 * QUARTER_HOUR_MS - MINUTE, 3 * QUARTER_HOUR_MS),
        PartialQuarter(5, 5 * QUARTER_HOUR_MS, 5 * QUARTER_HOUR_MS + MINUTE),
    )
    assert split_time_range(early.since, late.until) == TimeRange(3, 5, (early, late), undated=False)
    assert split_time_range(early.since, None) == TimeRange(3, LAST, (early,), undated=False)


def test_range_inside_one_quarter_hour_has_one_partial_quarter_hour() -> None:
    range_ = split_time_range(5 * QUARTER_HOUR_MS + MINUTE, 5 * QUARTER_HOUR_MS + 2 * MINUTE)
    assert range_.partial == (PartialQuarter(5, 5 * QUARTER_HOUR_MS + MINUTE, 5 * QUARTER_HOUR_MS + 2 * MINUTE),)
    assert range_.first > range_.end


@pytest.mark.parametrize("since", [None, -QUARTER_HOUR_MS, -5, 0, 1, QUARTER_HOUR_MS, QUARTER_HOUR_MS + 7])
@pytest.mark.parametrize("until", [None, -5, 0, 1, 7, QUARTER_HOUR_MS, 2 * QUARTER_HOUR_MS + 3])
def test_every_timestamp_in_the_range_is_counted_exactly_once(since: int | None, until: int | None) -> None:
    range_ = split_time_range(since, until)
    for instant in (
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
        counted = range_.undated if instant == 0 else range_.first <= instant // QUARTER_HOUR_MS < range_.end
        read = sum(part.since <= instant < part.until for part in range_.partial)
        assert counted + read == ((since is None or instant >= since) and (until is None or instant < until)), instant
