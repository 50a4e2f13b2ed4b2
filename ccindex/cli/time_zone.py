"""The time zone that dates and days are in: the local one, or one that the user names."""

import os
from datetime import UTC, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo

import typer

_UNKNOWN = (ValueError, OSError, KeyError)  # what ZoneInfo raises for a name that it does not know


class SystemZone(tzinfo):
    """The zone of the C library, for systems and values of TZ whose zone has no name."""

    def fromutc(self, moment: datetime) -> datetime:
        """Return the local time of a moment in UTC."""
        return moment.replace(tzinfo=UTC).astimezone().replace(tzinfo=self)

    def utcoffset(self, moment: datetime | None) -> timedelta | None:
        """Return the offset of a local time."""
        return None if moment is None else moment.replace(tzinfo=None).astimezone().utcoffset()

    def dst(self, _: datetime | None) -> timedelta | None:
        """Return None: the C library's daylight saving time is part of the offset."""
        return None

    def tzname(self, moment: datetime | None) -> str | None:
        """Return the abbreviation at a local time."""
        return "local" if moment is None else moment.replace(tzinfo=None).astimezone().tzname()


def local_zone() -> tzinfo:
    """Return the zone that TZ names, else the system's."""
    name = os.environ.get("TZ", "").removeprefix(":")
    try:
        return ZoneInfo(name or os.path.realpath("/etc/localtime").partition("zoneinfo/")[2] or "UTC")
    except _UNKNOWN:
        return SystemZone()


def named_zone(name: str) -> tzinfo:
    """Return the zone that the user named."""
    try:
        return ZoneInfo(name)
    except _UNKNOWN as error:
        raise typer.BadParameter(f"{name!r} is no time zone; try Europe/Berlin or UTC") from error


def zone_name(zone: tzinfo) -> str:
    """Return the name of a zone."""
    return zone.key or "local" if isinstance(zone, ZoneInfo) else str(zone.tzname(None))
