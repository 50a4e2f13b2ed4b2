"""How the time that filters ask for is cut at midnight."""

import random
from itertools import pairwise

import pytest

from ccindex.facts.usage_totals import Entry, Tally
from ccindex.model.derived import DAY_MS, MOST
from ccindex.query.stats import Days, Rest, days_between

HOUR = 3_600_000
LAST = MOST // DAY_MS
FIRST = -LAST


def test_without_limits_all_days_are_whole() -> None:
    assert days_between(None, None) == Days(FIRST, LAST, (), undated=True)


def test_midnights_leave_nothing_over() -> None:
    assert days_between(2 * DAY_MS, 5 * DAY_MS) == Days(2, 5, (), undated=False)


def test_a_day_that_is_asked_for_in_part_is_read() -> None:
    early, late = Rest(2, 3 * DAY_MS - HOUR, 3 * DAY_MS), Rest(5, 5 * DAY_MS, 5 * DAY_MS + HOUR)
    assert days_between(early.since, late.until) == Days(3, 5, (early, late), undated=False)
    assert days_between(early.since, None) == Days(3, LAST, (early,), undated=False)


def test_hours_of_one_day_are_one_part() -> None:
    found = days_between(5 * DAY_MS + HOUR, 5 * DAY_MS + 2 * HOUR)
    assert found.rest == (Rest(5, 5 * DAY_MS + HOUR, 5 * DAY_MS + 2 * HOUR),)
    assert found.first > found.end


@pytest.mark.parametrize("since", [None, -DAY_MS, -5, 0, 1, DAY_MS, DAY_MS + 7])
@pytest.mark.parametrize("until", [None, -5, 0, 1, 7, DAY_MS, 2 * DAY_MS + 3])
def test_every_instant_is_counted_once_or_not_at_all(since: int | None, until: int | None) -> None:
    found = days_between(since, until)
    for at in (
        -2 * DAY_MS,
        -DAY_MS,
        -6,
        -5,
        -1,
        0,
        1,
        6,
        7,
        DAY_MS - 1,
        DAY_MS,
        DAY_MS + 7,
        2 * DAY_MS,
        2 * DAY_MS + 3,
    ):
        counted = found.undated if at == 0 else found.first <= at // DAY_MS < found.end
        read = sum(part.since <= at < part.until for part in found.rest)
        assert counted + read == ((since is None or at >= since) and (until is None or at < until)), at


def test_spans_of_several_sessions_come_to_what_their_entries_in_one_list_do() -> None:
    dice = random.Random(7)  # noqa: S311 - a game
    for _ in range(200):
        instants = [dice.randrange(0, 40) * 100_000 for _ in range(dice.randrange(1, 12))]
        one, several = Tally(), [Tally() for _ in range(3)]
        for at in instants:
            one.add(Entry(at, 1, None, None).used)
            dice.choice(several).add(Entry(at, 1, None, None).used)
        ordered = sorted(instants)
        gaps = [later - earlier for earlier, later in pairwise(ordered)]
        merged = Tally()
        for part in several:
            merged.merge(part)
        assert one.figures().active_hours == merged.figures().active_hours
        assert one.figures().active_hours * HOUR == pytest.approx(sum(gap for gap in gaps if gap <= 600_000))
