"""A response out of the entries that recorded it: whose it is, and how much it took."""

from itertools import permutations
from typing import Any

import pytest

from ccindex.facts.responses import Part, Response, Usage, response_of

_NOTHING = Part(1, 1, 0, 0, "claude-x", None, None, None, None, None, None, None)


def part(entry: int = 1, **values: Any) -> Part:
    return _NOTHING._replace(entry=entry, at=entry * 1000, **values)


def test_one_entry_is_the_whole_response() -> None:
    only = part(7, session=3, input_tokens=1, output_tokens=2, cache_read_tokens=4, stop_reason="end_turn")
    assert response_of([only]) == Response(7, 3, 7000, "claude-x", 1, Usage(1, 2, 0, 0, 4), 1)


def test_the_fullest_snapshot_counts_not_the_first_nor_the_sum() -> None:
    first = part(1, input_tokens=100, output_tokens=1, cache_read_tokens=9)
    fullest = part(2, input_tokens=5, output_tokens=40, model="claude-y")
    last = part(3, input_tokens=200, output_tokens=3)
    for some in permutations((first, fullest, last)):
        found = response_of(some)
        assert (found.usage, found.model, found.entry_count) == (Usage(5, 40, 0, 0, 0), "claude-y", 3)


def test_of_equally_full_snapshots_the_last_counts() -> None:
    same = [part(n, input_tokens=n, output_tokens=8) for n in (1, 2, 3)]
    assert response_of(same).usage == Usage(3, 8, 0, 0, 0)
    assert response_of([part(1, input_tokens=1), part(2, input_tokens=2)]).usage == Usage(2, 0, 0, 0, 0)


def test_it_belongs_to_the_earliest_entry_that_is_no_sidechain() -> None:
    parts = [part(1, session=1, is_sidechain=1), part(2, session=2), part(3, session=3)]
    assert response_of(parts)[:3] == (2, 2, 2000)
    aside = [part(4, session=4, is_sidechain=1), part(5, session=5, is_sidechain=1)]
    assert response_of(aside)[:3] == (4, 4, 4000)


def test_it_is_final_when_any_part_tells_why_it_stopped() -> None:
    assert response_of([part(1), part(2)]).is_final == 0
    assert response_of([part(1, stop_reason="tool_use", output_tokens=1), part(2, output_tokens=9)]).is_final == 1


@pytest.mark.parametrize(
    ("total", "short", "long", "usage"),
    [
        (50, 20, 30, (20, 30)),
        (50, None, None, (50, 0)),
        (50, None, 30, (20, 30)),
        (50, 0, 0, (50, 0)),
        (50, 10, 30, (20, 30)),
        (None, 20, 30, (20, 30)),
        (0, 20, 30, (20, 30)),
        (None, None, None, (0, 0)),
    ],
    ids=["split", "no split", "half a split", "empty", "too little", "no total", "no sum", "nothing"],
)
def test_cache_writes_without_a_lifetime_are_of_the_short_kind(
    total: int | None, short: int | None, long: int | None, usage: tuple[int, int]
) -> None:
    found = response_of(
        [part(cache_creation_tokens=total, cache_creation_5m_tokens=short, cache_creation_1h_tokens=long)]
    ).usage
    assert (found.cache_write_5m, found.cache_write_1h) == usage


def test_tokens_below_none_are_none() -> None:
    odd = part(input_tokens=-3, output_tokens=-1, cache_read_tokens=-9, cache_creation_tokens=-5)
    assert response_of([odd]).usage == Usage(0, 0, 0, 0, 0)


def test_all_that_the_model_read_is_its_input() -> None:
    assert Usage(1, 1000, 20, 300, 4000).all_input == 4321
