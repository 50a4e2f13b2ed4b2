"""Options of commands, the filters they make, dates as users write them, and their time zone."""

import inspect
import os
import re
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass, fields
from datetime import UTC, datetime, timedelta, tzinfo
from functools import wraps
from typing import Annotated, Any

import typer

from ccindex.cli.completion import complete_models, complete_projects, complete_sessions, complete_tools
from ccindex.query.ids import resolve_session
from ccindex.query.lists import Filters


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
    name = os.environ.get("TZ", "").removeprefix(":") or os.path.realpath("/etc/localtime").partition("zoneinfo/")[2]
    if name in ("", "UTC", "Etc/UTC"):
        return UTC
    return _zone_info(name) or SystemZone()


def named_zone(name: str) -> tzinfo:
    """Return the zone that the user named."""
    zone = _zone_info(name)
    if zone is None:
        raise typer.BadParameter(f"{name!r} is no time zone; try Europe/Berlin or UTC")
    return zone


def _zone_info(name: str) -> tzinfo | None:
    """Return the zone that has a name; None: there is none."""
    from zoneinfo import ZoneInfo  # noqa: PLC0415 - 2 ms; commands without dates or days do not need it

    try:
        return ZoneInfo(name)
    except (ValueError, OSError, KeyError):
        return None


def zone_name(zone: tzinfo) -> str:
    """Return the name of a zone."""
    return getattr(zone, "key", None) or str(zone.tzname(None))


MAX_ROWS = 1_000_000_000  # that --limit accepts

Db = Annotated[
    str | None,
    typer.Option(
        "--db",
        help="The index: a path or sqlite:/// address. Default: $CCINDEX_DB, else in the user's data folder.",
        show_default=False,
    ),
]
Json = Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")]
Raw = Annotated[bool, typer.Option("--raw", help="Do not mask secrets.")]
Csv = Annotated[bool, typer.Option("--csv", help="Comma-separated values with a header.")]

Project = Annotated[
    str | None,
    typer.Option(
        "--project",
        metavar="TEXT",
        help="Of projects whose name holds this; a path is taken as Claude Code names its folder.",
        show_default=False,
        autocompletion=complete_projects,
    ),
]
Session = Annotated[
    str | None,
    typer.Option(
        "--session",
        metavar="ID",
        help="Of this session; the beginning of its id will do.",
        show_default=False,
        autocompletion=complete_sessions,
    ),
]
TheSession = Annotated[
    str,
    typer.Option(
        "--session",
        metavar="ID",
        help="The session; the beginning of its id will do.",
        show_default=False,
        autocompletion=complete_sessions,
    ),
]
Model = Annotated[
    str | None,
    typer.Option(
        "--model",
        metavar="TEXT",
        help="Of models whose name holds this.",
        show_default=False,
        autocompletion=complete_models,
    ),
]
Tool = Annotated[
    str | None,
    typer.Option(
        "--tool",
        metavar="NAME",
        help="With calls of this tool; * stands for anything.",
        show_default=False,
        autocompletion=complete_tools,
    ),
]
Since = Annotated[
    str | None,
    typer.Option(
        "--since",
        metavar="DATE",
        help="From then on, in local time: 2026-02-01, 2026-02-01T09:30, today, yesterday, 12h, 7d, 4w, 6m, 1y.",
        show_default=False,
    ),
]
Until = Annotated[
    str | None, typer.Option("--until", metavar="DATE", help="Before then, in the same words.", show_default=False)
]
Tz = Annotated[
    str | None,
    typer.Option(
        "--tz", metavar="NAME", help="Time zone of days and dates. Default: the local one.", show_default=False
    ),
]
Utc = Annotated[bool, typer.Option("--utc", help="Days and dates in UTC.")]
Limit = Annotated[
    int | None,
    typer.Option(
        "--limit",
        metavar="N",
        min=0,
        max=MAX_ROWS,
        help="At most so many, the latest or most telling; 0: all. Default: 50 for people, all in JSON and CSV.",
        show_default=False,
    ),
]


_AGO = re.compile(r"(\d{1,5})\s*([hdwmy])")
_HOURS = {"h": 1, "d": 24, "w": 7 * 24, "m": 30 * 24, "y": 365 * 24}
_DAYS = {"today": 0, "yesterday": 1}


def instant_of(text: str | None, zone: tzinfo | None = None) -> int | None:
    """Return the UTC ms of `2026-02-01`, `2026-02-01T09:30`, `today`, `yesterday`, or `7d` ago (h, d, w, m, y).

    Days and times without an offset are those of a time zone, the local one unless another is given.
    """
    if text is None:
        return None
    moment = _moment(text.strip(), datetime.now(zone or local_zone()))
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
        return found if found.tzinfo else _valid(found.replace(tzinfo=now.tzinfo))
    except (ValueError, OverflowError):
        return None


def _valid(moment: datetime) -> datetime:
    """Return a moment whose offset is known; the first and last hours of the calendar may have none."""
    moment.timestamp()
    return moment


TABLE_ROWS = 50  # shown unless --limit says otherwise


@dataclass(frozen=True, slots=True, kw_only=True)
class FilterOptions:
    """Filters as the user typed them."""

    project: Project = None
    session: Session = None
    model: Model = None
    tool: Tool = None
    since: Since = None
    until: Until = None


def takes_filters(function: Callable[..., None]) -> Callable[..., None]:
    """Add the options of all filters to a command, which receives them as `options`, with valid dates."""
    parameters = [
        inspect.Parameter(field.name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=field.type)
        for field in fields(FilterOptions)
    ]

    @wraps(function)
    def command(**given: Any) -> None:
        options = FilterOptions(**{parameter.name: given.pop(parameter.name) for parameter in parameters})
        for date in (options.since, options.until):
            instant_of(date)  # before any index is opened
        function(options=options, **given)

    own = inspect.signature(function)
    before = [parameter for name, parameter in own.parameters.items() if name not in ("options", *_LAST)]
    after = [own.parameters[name] for name in _LAST if name in own.parameters]
    command.__signature__ = own.replace(parameters=[*before, *parameters, *after])  # type: ignore[attr-defined]
    command.__annotations__ = {item.name: item.annotation for item in (*before, *parameters, *after)}
    return command


# options after the filters, in every command
_LAST = ("limit", "csv", "db", "json")


def filters_of(
    connection: sqlite3.Connection, options: FilterOptions, *, limit: int | None = None, zone: tzinfo | None = None
) -> Filters:
    """Return filters with the id of the session and the instants of the dates; `zone`: of the dates, else local."""
    return Filters(
        project=None if options.project is None else folder_name(options.project),
        session_id=None if options.session is None else resolve_session(connection, options.session),
        model=options.model,
        tool=options.tool,
        since=instant_of(options.since, zone),
        until=instant_of(options.until, zone),
        limit=limit or None,
    )


def limit_of(given: int | None, *, is_table: bool, most: int = TABLE_ROWS) -> int | None:
    """Return how many rows to load: as given, else a page for people and all (None) for programs."""
    if given is None:
        return most if is_table else None
    return given or None


def folder_name(project: str) -> str:
    """Return a path as Claude Code names its folder: every character but letters and digits as a dash."""
    if "/" not in project and project not in (".", "..", "~"):
        return project
    return re.sub(r"[^A-Za-z0-9]", "-", os.path.realpath(os.path.expanduser(project)))
