"""Totals of usage: merged totals equal those of all entries together."""

import random
from itertools import pairwise

import pytest

from ccindex.facts.usage_totals import EntryGroup, UsageTotals, usage_rows

HOUR = 3_600_000


def test_spans_of_several_sessions_come_to_what_their_entries_in_one_list_do() -> None:
    dice = random.Random(7)  # noqa: S311 - a game
    for _ in range(200):
        instants = [dice.randrange(0, 40) * 100_000 for _ in range(dice.randrange(1, 12))]
        one, several = UsageTotals(), [UsageTotals() for _ in range(3)]
        for at in instants:
            [row] = usage_rows([EntryGroup(1, None, None, at, at, 1)], [])
            one.add(row)
            dice.choice(several).add(row)
        ordered = sorted(instants)
        gaps = [later - earlier for earlier, later in pairwise(ordered)]
        merged = UsageTotals()
        for part in several:
            merged.merge(part)
        assert one.figures().active_hours == merged.figures().active_hours
        assert one.figures().active_hours * HOUR == pytest.approx(sum(gap for gap in gaps if gap <= 600_000))
