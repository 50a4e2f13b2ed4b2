"""Responses are assembled from the entries that recorded them, and their cost is estimated from list prices."""

from datetime import UTC, date, datetime, time
from decimal import Decimal
from itertools import permutations
from typing import Any

import genai_prices
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ccindex.facts.responses import (
    UNPRICED,
    Response,
    ResponseFragment,
    Usage,
    combine_fragments,
    estimate_cost,
    list_prices,
)
from tests.making.transcripts import MODEL

_NOTHING = ResponseFragment(1, 1, 0, 0, "claude-x", None, None, None, None, None, None, None)


def part(entry: int = 1, **values: Any) -> ResponseFragment:
    return _NOTHING._replace(entry=entry, timestamp_ms=entry * 1000, **values)


def test_single_entry_is_whole_response() -> None:
    only = part(7, session=3, input_tokens=1, output_tokens=2, cache_read_tokens=4, stop_reason="end_turn")
    assert combine_fragments([only]) == Response(7, 3, 7000, "claude-x", 1, Usage(1, 2, 0, 0, 4), 1)


def test_fullest_snapshot_is_used_instead_of_first_or_sum() -> None:
    first = part(1, input_tokens=100, output_tokens=1, cache_read_tokens=9)
    fullest = part(2, input_tokens=5, output_tokens=40, model="claude-y")
    last = part(3, input_tokens=200, output_tokens=3)
    for some in permutations((first, fullest, last)):
        response = combine_fragments(some)
        assert (response.usage, response.model, response.entry_count) == (Usage(5, 40, 0, 0, 0), "claude-y", 3)


def test_last_of_equally_full_snapshots_is_used() -> None:
    same = [part(n, input_tokens=n, output_tokens=8) for n in (1, 2, 3)]
    assert combine_fragments(same).usage == Usage(3, 8, 0, 0, 0)
    assert combine_fragments([part(1, input_tokens=1), part(2, input_tokens=2)]).usage == Usage(2, 0, 0, 0, 0)


def test_response_belongs_to_earliest_entry_outside_sidechains() -> None:
    parts = [part(1, session=1, is_sidechain=1), part(2, session=2), part(3, session=3)]
    assert combine_fragments(parts)[:3] == (2, 2, 2000)
    sidechain = [part(4, session=4, is_sidechain=1), part(5, session=5, is_sidechain=1)]
    assert combine_fragments(sidechain)[:3] == (4, 4, 4000)


def test_response_is_final_if_any_part_has_a_stop_reason() -> None:
    assert combine_fragments([part(1), part(2)]).is_final == 0
    assert combine_fragments([part(1, stop_reason="tool_use", output_tokens=1), part(2, output_tokens=9)]).is_final == 1


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
    ids=["split", "no split", "partial split", "zero split", "split below total", "no total", "zero total", "nothing"],
)
def test_cache_writes_without_lifetime_count_as_five_minute_writes(
    total: int | None, short: int | None, long: int | None, usage: tuple[int, int]
) -> None:
    counted = combine_fragments(
        [part(cache_creation_tokens=total, cache_creation_5m_tokens=short, cache_creation_1h_tokens=long)]
    ).usage
    assert (counted.cache_write_5m, counted.cache_write_1h) == usage


def test_negative_token_counts_are_zero() -> None:
    negative = part(input_tokens=-3, output_tokens=-1, cache_read_tokens=-9, cache_creation_tokens=-5)
    assert combine_fragments([negative]).usage == Usage(0, 0, 0, 0, 0)


def test_all_input_includes_cache_reads_and_writes() -> None:
    assert Usage(1, 1000, 20, 300, 4000).all_input == 4321


MODELS = (
    *("claude-3-haiku-20240307", "claude-3-5-haiku-20241022", "claude-3-opus-20240229", "claude-3-7-sonnet-20250219"),
    *("claude-sonnet-4-20250514", "claude-opus-4-1", "claude-sonnet-4-5-20250929", "claude-haiku-4-5-20251001"),
    *("claude-opus-4-5-20251101", "claude-opus-4-6", "claude-sonnet-4-6"),
)
TIERED = ("claude-sonnet-4-5-20250929", "claude-opus-4-6", "claude-sonnet-4-6")
SONNET_4 = "claude-sonnet-4-20250514"  # the library has no long-context price for this model
DAYS = st.dates(date(2024, 3, 1), date(2026, 12, 31))
_COUNTS = st.one_of(st.integers(0, 3), st.integers(0, 60_000), st.integers(199_990, 200_010), st.integers(0, 10**6))


def library_price(usage: Usage, model: str, day: date) -> Decimal:
    """Return the price that the library calculates."""
    library_usage = genai_prices.Usage(
        input_tokens=usage.all_input,
        output_tokens=usage.output,
        cache_read_tokens=usage.cache_read,
        cache_write_tokens=usage.cache_write_5m + usage.cache_write_1h,
        cache_write_1h_tokens=usage.cache_write_1h,
    )
    noon = datetime.combine(day, time(12), UTC)
    price = genai_prices.calc_price(library_usage, model, provider_id="anthropic", genai_request_timestamp=noon)
    return price.total_price


def dollars(usage: Usage, model: str, day: date) -> Decimal:
    nanodollars = estimate_cost(usage, list_prices(model, day.isoformat()))
    assert nanodollars is not None
    return Decimal(nanodollars) / 10**9


@settings(max_examples=300, derandomize=True, database=None, deadline=None)
@given(st.builds(Usage, _COUNTS, _COUNTS, _COUNTS, _COUNTS, _COUNTS), st.sampled_from(MODELS), DAYS)
@example(Usage(200_000, 9, 0, 0, 0), TIERED[0], date(2026, 3, 1))
@example(Usage(200_001, 9, 0, 0, 0), TIERED[0], date(2026, 3, 1))
@example(Usage(1, 9, 50_000, 50_000, 99_999), TIERED[1], date(2026, 3, 1))
@example(Usage(2, 9, 50_000, 50_000, 99_999), TIERED[1], date(2026, 3, 1))
@example(Usage(0, 10**6, 0, 0, 0), TIERED[2], date(2026, 3, 1))
@example(Usage(0, 0, 0, 0, 0), MODELS[0], date(2026, 3, 1))
def test_cost_agrees_with_library(usage: Usage, model: str, day: date) -> None:
    # Sonnet 4 and 4.5 have the same long-context price, but the library has that price only for 4.5
    is_long = model == SONNET_4 and usage.all_input > 200_000 and day >= date(2025, 8, 12)
    assert dollars(usage, model, day) == library_price(usage, TIERED[0] if is_long else model, day)


@pytest.mark.parametrize(
    "model", [SONNET_4, "us.anthropic.claude-sonnet-4-20250514-v1:0", f"{SONNET_4}[1m]", TIERED[0]]
)
@pytest.mark.parametrize(
    ("kind", "price"),
    [("input", "6"), ("output", "22.5"), ("cache_write_5m", "7.5"), ("cache_write_1h", "12"), ("cache_read", "0.6")],
)
def test_prompt_over_200_000_tokens_has_the_long_context_price(model: str, kind: str, price: str) -> None:
    prompt, empty = Usage(0, 0, 0, 0, 200_001), Usage(0, 0, 0, 0, 0)
    more = prompt._replace(**{kind: getattr(prompt, kind) + 1_000_000})
    day = date(2025, 10, 1)
    assert dollars(more, model, day) - dollars(prompt, model, day) == Decimal(price)
    assert dollars(empty._replace(input=200_000), model, day) == Decimal("0.6")


def test_sonnet_4_long_context_price_starts_on_the_announcement_day() -> None:
    long = Usage(1_000_000, 0, 0, 0, 0)
    days = (date(2025, 8, 11), date(2025, 8, 12))
    assert [dollars(long, SONNET_4, day) for day in days] == [Decimal(3), Decimal(6)]


@pytest.mark.parametrize(
    ("model", "below", "above"),
    [(TIERED[0], "0.6015", "0.1222575"), (TIERED[1], "1.0025", "0.2037625"), (TIERED[2], "0.6015", "0.1222575")],
)
def test_long_context_price_applies_to_all_tokens_of_a_response(model: str, below: str, above: str) -> None:
    day = date(2026, 3, 1)
    assert [tier.above for tier in list_prices(model, day.isoformat())] == [0, 200_000]
    assert dollars(Usage(200_000, 100, 0, 0, 0), model, day) == Decimal(below)
    # cache reads and writes count as input
    assert dollars(Usage(0, 100, 1, 0, 200_000), model, day) == Decimal(above)


@pytest.mark.parametrize("model", MODELS)
def test_one_hour_cache_write_costs_twice_the_input_price(model: str) -> None:
    for tier in list_prices(model, "2026-03-01"):
        assert tier.input is not None
        assert tier.cache_write_1h == pytest.approx(2 * tier.input)
    assert dollars(Usage(0, 0, 0, 1_000, 0), model, date(2026, 3, 1)) == 2 * dollars(
        Usage(1_000, 0, 0, 0, 0), model, date(2026, 3, 1)
    )


@pytest.mark.parametrize("model", [None, "", "no-such-model", "claude", "anthropic.", "\0", "x" * 10_000])
def test_unknown_model_has_no_price(model: str | None) -> None:
    assert list_prices(model, "2026-03-01") == UNPRICED
    assert estimate_cost(Usage(1, 1, 1, 1, 1), UNPRICED) is None


@pytest.mark.parametrize(
    ("spelled", "model"),
    [
        ("us.anthropic.claude-sonnet-4-20250514-v1:0", "claude-sonnet-4-20250514"),
        ("anthropic.claude-opus-4-1-20250805-v1:0", "claude-opus-4-1-20250805"),
        ("global.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-sonnet-4-5-20250929"),
        ("eu.anthropic.claude-opus-4-6-v1", "claude-opus-4-6"),
        ("claude-opus-4-1@20250805", "claude-opus-4-1-20250805"),
        ("claude-sonnet-4-5@20250929", "claude-sonnet-4-5-20250929"),
        ("anthropic/claude-haiku-4-5-20251001", "claude-haiku-4-5-20251001"),
        ("claude-sonnet-4-5-20250929[1m]", "claude-sonnet-4-5-20250929"),
        (
            "arn:aws:bedrock:us-east-1:1:inference-profile/us.anthropic.claude-haiku-4-5-20251001-v1:0",
            "claude-haiku-4-5",
        ),
    ],
)
def test_vendor_spellings_of_a_model_have_the_same_price(spelled: str, model: str) -> None:
    prices = list_prices(model, "2026-03-01")
    assert prices != UNPRICED
    assert list_prices(spelled, "2026-03-01") == prices


@pytest.mark.parametrize("day", ["0001-01-01", "9999-12-31", "292278994-08-17", ""])
def test_day_outside_the_supported_range_has_a_price(day: str) -> None:
    assert list_prices(MODEL, day)[0].input == 3.0
