"""A recorded timestamp to its instant in UTC milliseconds, or None where it has none that can be read."""

import re
from datetime import UTC, datetime
from functools import lru_cache

# YYYY-MM-DD, T or a blank, hh:mm, perhaps seconds and a fraction, perhaps an offset or Z
_FORM = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})[T ]"
    r"([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:\.([0-9]+))?)?"
    r"(?:Z|([+-])([0-9]{2}):?([0-9]{2})?)?"
)
_MINUTE = 60_000
_DAY = 86_400_000
# Of the one form that Claude Code writes, 2026-02-06T00:52:40.159Z, what follows the minute: "40." and "159Z".
_SECONDS = {f"{second:02}.": second * 1000 for second in range(60)}
_FRACTIONS = {f"{fraction:03}Z": fraction for fraction in range(1000)}


def instant(timestamp: object) -> int | None:
    """Milliseconds since the epoch; finer digits are cut off, no zone means UTC."""
    if not isinstance(timestamp, str):
        return None
    second, fraction = _SECONDS.get(timestamp[17:20]), _FRACTIONS.get(timestamp[20:])
    if second is None or fraction is None:
        return _any_instant(timestamp)
    minute = _minute(timestamp[:17])
    return None if minute is None else minute + second + fraction


@lru_cache(maxsize=1024)
def _minute(start: str) -> int | None:
    """The instant of a timestamp up to and with the colon before its seconds."""
    return _any_instant(start + "00Z")


def _any_instant(timestamp: str) -> int | None:
    form = _FORM.fullmatch(timestamp)
    if form is None:
        return None
    day, hour, minute, second, fraction, sign, off_hour, off_minute = form.groups()
    midnight = _midnight(day)
    if midnight is None or hour > "23" or minute > "59" or (second or "00") > "59":
        return None
    at = midnight + (int(hour) * 60 + int(minute)) * _MINUTE + int(second or 0) * 1000
    if fraction:
        at += int(fraction[:3].ljust(3, "0"))
    if sign is None:
        return at
    if off_hour > "23" or (off_minute or "00") > "59":
        return None
    offset = (int(off_hour) * 60 + int(off_minute or 0)) * _MINUTE
    return at - offset if sign == "+" else at + offset


@lru_cache(maxsize=1024)
def _midnight(day: str) -> int | None:
    try:
        date = datetime.strptime(day, "%Y-%m-%d").replace(tzinfo=UTC)
    except ValueError:
        return None
    return (date.toordinal() - 719_163) * _DAY  # 719,163: the ordinal of 1970-01-01
