"""The time that filters ask for, as whole days, which are counted in the index, and what is left of others."""

from typing import NamedTuple

from ccindex.model.usage import DAY_MS, MOST


class Rest(NamedTuple):
    """A part of one day, from an instant on and before another."""

    day: int
    since: int
    until: int


class Days(NamedTuple):
    """Whole days from the first on and before the end, parts of others, and whether entries without an instant pass."""

    first: int
    end: int
    rest: tuple[Rest, ...]
    undated: bool


def days_between(since: int | None, until: int | None) -> Days:
    """Cut the time between two instants at midnight."""
    start, stop = -MOST if since is None else since, MOST if until is None else until
    # rounded up, and down; without a limit, more days than there are
    first, end = -(-start // DAY_MS), stop // DAY_MS
    pieces = [(start, stop)] if first > end else [(start, first * DAY_MS), (end * DAY_MS, stop)]
    given = [(low, high) for low, high in pieces if low < high and low != -MOST and high != MOST]
    rest = tuple(Rest(low // DAY_MS, low, high) for low, high in given)
    # an instant of 0 is that of a file without any; whoever reads a part of that day finds those entries there
    undated = start <= 0 < stop and not any(low <= 0 < high for low, high in given)
    return Days(first, end, rest, undated)
