"""Dates as people type them."""

import re
from datetime import UTC, datetime, timedelta

import typer

_AGO = re.compile(r"(\d{1,5})\s*([hdwmy])")
_HOURS = {"h": 1, "d": 24, "w": 7 * 24, "m": 30 * 24, "y": 365 * 24}
_DAYS = {"today": 0, "yesterday": 1}


def instant_of(text: str | None) -> int | None:
    """UTC milliseconds of `2026-02-01`, `2026-02-01T09:30`, `today`, `yesterday`, or `7d` ago (h, d, w, m, y)."""
    if text is None:
        return None
    moment = _moment(text.strip(), datetime.now(UTC))
    if moment is None:
        raise typer.BadParameter(f"{text!r} is no date; try 2026-02-01, yesterday or 7d")
    return int(moment.timestamp() * 1000)


def _moment(text: str, now: datetime) -> datetime | None:
    if text.lower() in _DAYS:
        midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
        return midnight - timedelta(days=_DAYS[text.lower()])
    ago = _AGO.fullmatch(text.lower())
    try:
        if ago:
            return now - timedelta(hours=int(ago[1]) * _HOURS[ago[2]])
        found = datetime.fromisoformat(text)
    except (ValueError, OverflowError):
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)
