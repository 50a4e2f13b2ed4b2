"""Assemble API responses from the entries that contain parts of them, and compute their cost from list prices."""

import re
from collections.abc import Sequence
from datetime import UTC, date, datetime, time
from functools import cache
from typing import Any, NamedTuple

from ccindex.model.usage_rows import MAX_INTEGER


class Usage(NamedTuple):
    """The token counts of one response."""

    input: int
    output: int
    cache_write_5m: int
    cache_write_1h: int
    cache_read: int

    @property
    def all_input(self) -> int:
        """The number of tokens in the prompt, which determines whether long-context prices apply."""
        return self.input + self.cache_write_5m + self.cache_write_1h + self.cache_read


class ResponseFragment(NamedTuple):
    """An entry that contains a response or a snapshot of one; fields that were not recorded are None."""

    entry: int
    session: int
    timestamp_ms: int
    is_sidechain: int
    model: str | None
    stop_reason: str | None
    input_tokens: int | None
    output_tokens: int | None
    cache_creation_tokens: int | None
    cache_creation_5m_tokens: int | None
    cache_creation_1h_tokens: int | None
    cache_read_tokens: int | None


class Response(NamedTuple):
    """A response: the entry it belongs to, and its usage."""

    entry: int
    session: int
    timestamp_ms: int
    model: str | None
    entry_count: int
    usage: Usage
    is_final: int

    def with_entry_of(self, other: "Response") -> "Response":
        """Return a copy that belongs to the same entry as `other`, the response that contains this one."""
        return self._replace(entry=other.entry, session=other.session, timestamp_ms=other.timestamp_ms)


def combine_fragments(parts: Sequence[ResponseFragment]) -> Response:
    """Combine the parts of a response, given in time order (rule: fullest_snapshot, response_owner)."""
    first, *others = parts
    if not others:
        is_final = int(first.stop_reason is not None)
        return Response(first.entry, first.session, first.timestamp_ms, first.model, 1, _usage(first), is_final)
    home = next((part for part in parts if not part.is_sidechain), first)
    fullest, max_count, model, is_final = first, _count(first.output_tokens), first.model, first.stop_reason is not None
    for part in others:  # find the last part with the largest number of output tokens
        if (count := _count(part.output_tokens)) >= max_count:
            fullest, max_count = part, count
        if part.model is not None:
            model = part.model
        if part.stop_reason is not None:
            is_final = True
    if fullest.model is not None:
        model = fullest.model
    usage = _usage(fullest)
    return Response(home.entry, home.session, home.timestamp_ms, model, len(parts), usage, int(is_final))


def _usage(part: ResponseFragment) -> Usage:
    """Return the recorded token counts; cache writes without a recorded lifetime count as five-minute writes."""
    long = _count(part.cache_creation_1h_tokens)
    short = max(_count(part.cache_creation_5m_tokens), _count(part.cache_creation_tokens) - long)
    return Usage(_count(part.input_tokens), _count(part.output_tokens), short, long, _count(part.cache_read_tokens))


def _count(tokens: int | None) -> int:
    return tokens if tokens is not None and tokens > 0 else 0


_MILLION = 1_000_000  # prices are per million tokens
# Bedrock, Vertex and routers use names such as us.anthropic.claude-sonnet-4-20250514-v1:0 and claude-opus-4@20250514.
_VENDOR = re.compile(r"^.*anthropic[./]")
_SUFFIX = re.compile(r"(-v\d+(:\d+)?)?(\[\w+\])?$")


class Rates(NamedTuple):
    """US dollars per million tokens, for responses with more than `above` input tokens; None: the price is unknown."""

    above: int
    input: float | None
    output: float | None
    cache_read: float | None
    cache_write_5m: float | None
    cache_write_1h: float | None


UNPRICED = (Rates(0, None, None, None, None, None),)


class LongContext(NamedTuple):
    """The long-context tier of a model, and the first day it applies (YYYY-MM-DD)."""

    since: str
    rates: Rates


# Prices that genai_prices lacks, by the model id that it uses. Change ADDED_ON whenever they change, so that stored
# prices are replaced.
ADDED_ON = "2026-11-16"
# Source: Anthropic's list prices for the 1M token context window (docs.anthropic.com, "Pricing", "Long context
# pricing"), announced on 2025-08-12. These prices apply to all tokens of a response if its prompt, which includes cache
# reads and cache writes, has more than 200,000 tokens.
LONG_CONTEXT = {
    model: LongContext(
        "2025-08-12",
        Rates(200_000, input=6.0, output=22.5, cache_read=0.6, cache_write_5m=7.5, cache_write_1h=12.0),
    )
    # genai_prices already has this tier for the second model, which is listed so that both are treated alike
    for model in ("claude-sonnet-4-0", "claude-sonnet-4-5")
}


def list_prices(model: str | None, day: str) -> tuple[Rates, ...]:
    """Return the rates of a model on a day (YYYY-MM-DD), the highest tier last (rule: list_price)."""
    match = _look_up(model, day)
    if match is None:
        return UNPRICED
    prices = match.model_price
    tiers = {0} | {tier.start for price in vars(prices).values() for tier in getattr(price, "tiers", ())}
    rates = tuple(_rates(prices, above) for above in sorted(tiers))
    added = LONG_CONTEXT.get(match.model.id)
    if added is None or added.rates.above in tiers or day < added.since:
        return rates
    return (*rates, added.rates)


def prices_version() -> str:
    """Return the version of genai_prices, followed by the date of the prices added here."""
    from genai_prices import __version__  # noqa: PLC0415 - see _look_up

    return f"{__version__}+{ADDED_ON}"


def estimate_cost(usage: Usage, rates: Sequence[Rates]) -> int | None:
    """Return the cost of a response in billionths of a US dollar, or None if the price is unknown (rule: list_price).

    The cost is an integer, so that sums do not depend on the order of summation.
    """
    applicable = rates[0]
    for tier in rates[1:]:
        if usage.all_input > tier.above:
            applicable = tier
    if applicable.input is None:
        return None
    input_price, output_price, cache_read_price, short_write_price, long_write_price = _token_prices(applicable)
    trillionths = (
        usage.input * input_price
        + usage.output * output_price
        + usage.cache_read * cache_read_price
        + usage.cache_write_5m * short_write_price
        + usage.cache_write_1h * long_write_price
    )
    return min(round(trillionths / 1_000), MAX_INTEGER)


@cache
def _token_prices(rates: Rates) -> tuple[int, ...]:
    """Return the prices of one token in trillionths of a US dollar, in the order of the fields of `Rates`."""
    return tuple(round((price or 0.0) * _MILLION) for price in rates[1:])


def _look_up(model: str | None, day: str) -> Any:
    """Find a model with its prices, first among Anthropic's models, then among the models of all providers."""
    from genai_prices import Usage as NoUsage  # noqa: PLC0415 - takes 250 ms to load, needed only for new days
    from genai_prices import calc_price  # noqa: PLC0415

    if not model:
        return None
    noon = datetime.combine(_date(day), time(12), UTC)
    for name in dict.fromkeys((model, _base_name(model))):
        for provider in ("anthropic", None):
            try:
                match = calc_price(NoUsage(), name, provider_id=provider, genai_request_timestamp=noon)
            except LookupError:
                continue
            return match
    return None


def _date(day: str) -> date:
    try:
        return date.fromisoformat(day)
    except ValueError:  # a date out of range is treated as 1970-01-01
        return date(1970, 1, 1)


def _base_name(model: str) -> str:
    return _SUFFIX.sub("", _VENDOR.sub("", model).replace("@", "-"), count=1)


def _rates(prices: Any, above: int) -> Rates:
    """Return the prices of one tier. Missing cache prices are derived from the input price."""
    input_price = _price(prices.input_mtok, above)
    short_write = _price(prices.cache_write_mtok, above)
    long_write = _price(prices.cache_write_1h_mtok, above)
    if long_write is None:  # twice the input price in Anthropic's list; other providers have no such price
        long_write = input_price if short_write is None else 2 * (input_price or 0.0)
    return Rates(
        above,
        input_price or 0.0,
        _price(prices.output_mtok, above) or 0.0,
        _first(_price(prices.cache_read_mtok, above), input_price),
        _first(short_write, input_price),
        long_write or 0.0,
    )


def _price(price: Any, above: int) -> float | None:
    """Return a price in one tier; the tiers of a price are in ascending order."""
    if price is None:
        return None
    applicable = getattr(price, "base", price)
    for tier in getattr(price, "tiers", ()):
        if above >= tier.start:
            applicable = tier.price
    return float(applicable)


def _first(price: float | None, other: float | None) -> float:
    return next((value for value in (price, other) if value is not None), 0.0)
