"""Merging partial usage totals gives the same result as totalling all entries at once."""

import random
from itertools import pairwise

import pytest

from ccindex.facts.usage_totals import EntryGroup, UsageTotals, sum_usage

HOUR_MS = 3_600_000


def test_merged_totals_have_same_active_hours_as_single_total() -> None:
    rng = random.Random(7)  # noqa: S311 - not for cryptography
    for _ in range(200):
        instants = [rng.randrange(0, 40) * 100_000 for _ in range(rng.randrange(1, 12))]
        single, several = UsageTotals(), [UsageTotals() for _ in range(3)]
        for instant in instants:
            [row] = sum_usage([EntryGroup(1, None, None, instant, instant, 1)], [])
            single.add(row)
            rng.choice(several).add(row)
        ordered = sorted(instants)
        gaps = [later - earlier for earlier, later in pairwise(ordered)]
        merged = UsageTotals()
        for totals in several:
            merged.merge(totals)
        assert single.figures().active_hours == merged.figures().active_hours
        assert single.figures().active_hours * HOUR_MS == pytest.approx(sum(gap for gap in gaps if gap <= 600_000))
