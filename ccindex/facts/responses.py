"""API responses from the entries that recorded parts of them, with list prices and cost."""

import re
from collections.abc import Sequence
from datetime import UTC, date, datetime, time
from functools import cache
from typing import Any, NamedTuple


class Usage(NamedTuple):
    """Tokens of one response."""

    input: int
    output: int
    cache_write_5m: int
    cache_write_1h: int
    cache_read: int

    @property
    def all_input(self) -> int:
        """Everything the model read, which decides on long-context prices."""
        return self.input + self.cache_write_5m + self.cache_write_1h + self.cache_read


class Part(NamedTuple):
    """An entry that recorded a response, or a snapshot of it; None: not recorded."""

    entry: int
    session: int
    at: int
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
    """A response: the entry it belongs to, and what it took."""

    entry: int
    session: int
    at: int
    model: str | None
    entry_count: int
    usage: Usage
    is_final: int

    def at_home_of(self, other: "Response") -> "Response":
        """The same response, belonging to the entry of another: the one it took part in."""
        return self._replace(entry=other.entry, session=other.session, at=other.at)


def response_of(parts: Sequence[Part]) -> Response:
    """Put a response's parts, given by time, together."""
    first, *others = parts
    if not others:
        is_final = int(first.stop_reason is not None)
        return Response(first.entry, first.session, first.at, first.model, 1, _usage(first), is_final)
    home = next((part for part in parts if not part.is_sidechain), first)
    fullest, most = first, _count(first.output_tokens)
    for part in others:  # the greatest, and of several equal ones the last
        if (count := _count(part.output_tokens)) >= most:
            fullest, most = part, count
    is_final = int(any(part.stop_reason is not None for part in parts))
    model = next((part.model for part in (fullest, *reversed(parts)) if part.model is not None), None)
    return Response(home.entry, home.session, home.at, model, len(parts), _usage(fullest), is_final)


def _usage(part: Part) -> Usage:
    """Tokens as recorded; cache creation whose lifetime was not recorded is of the short kind."""
    long = _count(part.cache_creation_1h_tokens)
    short = max(_count(part.cache_creation_5m_tokens), _count(part.cache_creation_tokens) - long)
    return Usage(_count(part.input_tokens), _count(part.output_tokens), short, long, _count(part.cache_read_tokens))


def _count(tokens: int | None) -> int:
    return tokens if tokens is not None and tokens > 0 else 0


_MILLION = 1_000_000  # a price for a million tokens is so many millionths of it for one
_MOST = 2**63 - 1  # that SQLite holds
# as Bedrock, Vertex and routers write it: us.anthropic.claude-sonnet-4-20250514-v1:0, claude-opus-4@20250514
_VENDOR = re.compile(r"^.*anthropic[./]")
_SUFFIX = re.compile(r"(-v\d+(:\d+)?)?(\[\w+\])?$")


class Rates(NamedTuple):
    """US dollars for a million tokens, for responses that read more than so many tokens; None: no price is known."""

    above: int
    input: float | None
    output: float | None
    cache_read: float | None
    cache_write_5m: float | None
    cache_write_1h: float | None


UNPRICED = (Rates(0, None, None, None, None, None),)


class LongContext(NamedTuple):
    """The tier of a model with a long context window, and the first day it holds (YYYY-MM-DD)."""

    since: str
    rates: Rates


# What the library lacks, by its id of the model. Change ADDED_ON with it, so that stored prices are replaced.
ADDED_ON = "2026-11-16"
# Source: Anthropic's list prices for the 1M token context window (docs.anthropic.com, "Pricing", "Long context
# pricing"), announced on 2025-08-12. All tokens of a response cost this if its prompt has more than 200,000 tokens:
# input, cache reads and cache writes together.
LONG_CONTEXT = {
    model: LongContext(
        "2025-08-12",
        Rates(200_000, input=6.0, output=22.5, cache_read=0.6, cache_write_5m=7.5, cache_write_1h=12.0),
    )
    # of the latter the library has the same tier; it stands here so that both follow one rule
    for model in ("claude-sonnet-4-0", "claude-sonnet-4-5")
}


def list_prices(model: str | None, day: str) -> tuple[Rates, ...]:
    """The rates of a model on a day (YYYY-MM-DD), the highest tier last."""
    found = _look_up(model, day)
    if found is None:
        return UNPRICED
    prices = found.model_price
    tiers = {0} | {tier.start for price in vars(prices).values() for tier in getattr(price, "tiers", ())}
    rates = tuple(_rates(prices, above) for above in sorted(tiers))
    added = LONG_CONTEXT.get(found.model.id)
    if added is None or added.rates.above in tiers or day < added.since:
        return rates
    return (*rates, added.rates)


def prices_version() -> str:
    """Which prices these are: the library's and those added to it."""
    from genai_prices import __version__  # noqa: PLC0415 - see _look_up

    return f"{__version__}+{ADDED_ON}"


def cost(usage: Usage, rates: Sequence[Rates]) -> int | None:
    """What a response took, in billionths of a US dollar; None: no price is known.

    A whole number, so that a sum does not depend on the order in which it is taken.
    """
    holds = rates[0]
    for tier in rates[1:]:
        if usage.all_input > tier.above:
            holds = tier
    if holds.input is None:
        return None
    read, wrote, cached, short, long = _fine(holds)
    fine = (
        usage.input * read
        + usage.output * wrote
        + usage.cache_read * cached
        + usage.cache_write_5m * short
        + usage.cache_write_1h * long
    )
    return min(round(fine / 1_000), _MOST)


@cache
def _fine(rates: Rates) -> tuple[int, ...]:
    """Prices of one token in millionths of a millionth of a US dollar, in the order of the fields."""
    return tuple(round((price or 0.0) * _MILLION) for price in rates[1:])


def _look_up(model: str | None, day: str) -> Any:
    """Find a model with its prices: Anthropic's first, then anyone's."""
    from genai_prices import Usage as NoUsage  # noqa: PLC0415 - a quarter of a second, which only new days need
    from genai_prices import calc_price  # noqa: PLC0415

    if not model:
        return None
    noon = datetime.combine(_date(day), time(12), UTC)
    for name in dict.fromkeys((model, _plain(model))):
        for provider in ("anthropic", None):
            try:
                found = calc_price(NoUsage(), name, provider_id=provider, genai_request_timestamp=noon)
            except LookupError:
                continue
            return found
    return None


def _date(day: str) -> date:
    try:
        return date.fromisoformat(day)
    except ValueError:  # a stamp beyond the calendar, which prices do not depend on
        return date(1970, 1, 1)


def _plain(model: str) -> str:
    return _SUFFIX.sub("", _VENDOR.sub("", model).replace("@", "-"), count=1)


def _rates(found: Any, above: int) -> Rates:
    """The prices of one tier; tokens that have no price of their own cost what the kind above them does."""
    read = _price(found.input_mtok, above)
    write = _price(found.cache_write_mtok, above)
    long = _price(found.cache_write_1h_mtok, above)
    if long is None:  # by Anthropic's list twice the price of reading; others know no such thing
        long = read if write is None else 2 * (read or 0.0)
    return Rates(
        above,
        read or 0.0,
        _price(found.output_mtok, above) or 0.0,
        _first(_price(found.cache_read_mtok, above), read),
        _first(write, read),
        long or 0.0,
    )


def _price(price: Any, above: int) -> float | None:
    """One price in a tier; the tiers of a price are in ascending order."""
    if price is None:
        return None
    holds = getattr(price, "base", price)
    for tier in getattr(price, "tiers", ()):
        if above >= tier.start:
            holds = tier.price
    return float(holds)


def _first(price: float | None, other: float | None) -> float:
    return next((value for value in (price, other) if value is not None), 0.0)
