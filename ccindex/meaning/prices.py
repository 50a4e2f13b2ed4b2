"""List prices of models by the day, from the data that comes with genai-prices; nothing is fetched."""

import re
from collections.abc import Sequence
from datetime import UTC, date, datetime, time
from functools import cache
from typing import Any, NamedTuple

from .responses import Usage

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


def list_prices(model: str | None, day: str) -> tuple[Rates, ...]:
    """The rates of a model on a day (YYYY-MM-DD), the highest tier last."""
    found = _look_up(model, day)
    if found is None:
        return UNPRICED
    tiers = {0} | {tier.start for price in vars(found).values() for tier in getattr(price, "tiers", ())}
    return tuple(_rates(found, above) for above in sorted(tiers))


def prices_version() -> str:
    """Which prices these are."""
    from genai_prices import __version__  # noqa: PLC0415 - see _look_up

    return __version__


def load_prices() -> None:
    """Load the library, which takes a quarter of a second, before it is needed."""
    from genai_prices import calc_price  # noqa: F401, PLC0415


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
    """Find a model's prices: Anthropic's first, then anyone's."""
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
            return found.model_price
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
