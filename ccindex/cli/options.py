"""Define options that several commands share, and parse dates, time zones and filters from them."""

import inspect
import os
import re
import sqlite3
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from datetime import UTC, datetime, timedelta, tzinfo
from functools import wraps
from typing import Annotated, Any

import typer

from ccindex.cli.completion import complete_models, complete_projects, complete_sessions, complete_tools
from ccindex.query.ids import resolve_session
from ccindex.query.lists import Filters


class SystemZone(tzinfo):
    """The C library's time zone, for systems and TZ values without a zone name."""

    def fromutc(self, dt: datetime) -> datetime:
        """Return the local time for a time in UTC."""
        return dt.replace(tzinfo=UTC).astimezone().replace(tzinfo=self)

    def utcoffset(self, dt: datetime | None) -> timedelta | None:
        """Return the UTC offset at a local time."""
        return None if dt is None else dt.replace(tzinfo=None).astimezone().utcoffset()

    def dst(self, _: datetime | None) -> timedelta | None:
        """Return None: the offset already includes daylight saving time."""
        return None

    def tzname(self, dt: datetime | None) -> str | None:
        """Return the zone abbreviation at a local time."""
        return "local" if dt is None else dt.replace(tzinfo=None).astimezone().tzname()


def local_zone() -> tzinfo:
    """Return the time zone specified by TZ, or the system's time zone."""
    name = os.environ.get("TZ", "").removeprefix(":") or os.path.realpath("/etc/localtime").partition("zoneinfo/")[2]
    if name in ("", "UTC", "Etc/UTC"):
        return UTC
    return _zone_info(name) or SystemZone()


def named_zone(name: str) -> tzinfo:
    """Return the time zone for a name that the user typed."""
    zone = _zone_info(name)
    if zone is None:
        raise typer.BadParameter(f"{name!r} is not a time zone; try Europe/Berlin or UTC")
    return zone


def _zone_info(name: str) -> tzinfo | None:
    """Return the time zone with this name, or None if it does not exist."""
    from zoneinfo import ZoneInfo  # noqa: PLC0415 - takes 2 ms; commands without dates do not need it

    try:
        return ZoneInfo(name)
    except (ValueError, OSError, KeyError):
        return None


def zone_name(zone: tzinfo) -> str:
    """Return the name of a time zone."""
    return getattr(zone, "key", None) or str(zone.tzname(None))


MAX_ROWS = 1_000_000_000  # largest value of --limit


def list_choices(choices: Iterable[str]) -> str:
    """Return the choices of an option for its help text: "a, b or c"."""
    *others, last = choices
    return f"{', '.join(others)} or {last}"


Db = Annotated[
    str | None,
    typer.Option(
        "--db",
        metavar="FILE",
        help="Path or sqlite:/// URL of the index. Default: $CCINDEX_DB, or a file in your data folder.",
        show_default=False,
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
Raw = Annotated[bool, typer.Option("--raw", help="Do not mask secrets.")]
Csv = Annotated[bool, typer.Option("--csv", help="Print comma-separated values with a header row.")]

Project = Annotated[
    str | None,
    typer.Option(
        "--project",
        metavar="TEXT",
        help="Only projects whose name contains TEXT. A path selects the project of that folder.",
        show_default=False,
        autocompletion=complete_projects,
    ),
]
Session = Annotated[
    str | None,
    typer.Option(
        "--session",
        metavar="ID",
        help="Only this session. A prefix of its id is enough.",
        show_default=False,
        autocompletion=complete_sessions,
    ),
]
RequiredSession = Annotated[
    str,
    typer.Option(
        "--session",
        metavar="ID",
        help="The session. A prefix of its id is enough.",
        show_default=False,
        autocompletion=complete_sessions,
    ),
]
Model = Annotated[
    str | None,
    typer.Option(
        "--model",
        metavar="TEXT",
        help="Only models whose name contains TEXT.",
        show_default=False,
        autocompletion=complete_models,
    ),
]
Tool = Annotated[
    str | None,
    typer.Option(
        "--tool",
        metavar="NAME",
        help="Only sessions, entries and calls that involve the tool NAME. * matches any text.",
        show_default=False,
        autocompletion=complete_tools,
    ),
]
Since = Annotated[
    str | None,
    typer.Option(
        "--since",
        metavar="DATE",
        help="Only from DATE onwards, in local time: 2026-02-01, 2026-02-01T09:30, today, yesterday, 12h, 7d, 4w, 6m, "
        "1y.",
        show_default=False,
    ),
]
Until = Annotated[
    str | None,
    typer.Option(
        "--until",
        metavar="DATE",
        help="Only before DATE. Accepts the same formats as --since.",
        show_default=False,
    ),
]
Tz = Annotated[
    str | None,
    typer.Option("--tz", metavar="NAME", help="Time zone for days and dates. Default: local time.", show_default=False),
]
Utc = Annotated[bool, typer.Option("--utc", help="Use UTC for days and dates.")]
Limit = Annotated[
    int | None,
    typer.Option(
        "--limit",
        metavar="N",
        min=0,
        max=MAX_ROWS,
        help="Show at most N rows. 0 shows all rows. Default: 50 in tables, all in JSON and CSV.",
        show_default=False,
    ),
]


_AGO = re.compile(r"(\d{1,5})\s*([hdwmy])")
_HOURS = {"h": 1, "d": 24, "w": 7 * 24, "m": 30 * 24, "y": 365 * 24}
_DAYS = {"today": 0, "yesterday": 1}


def parse_date(text: str | None, zone: tzinfo | None = None) -> int | None:
    """Parse a date and return it in milliseconds since the Unix epoch.

    The text can be `2026-02-01`, `2026-02-01T09:30`, `today`, `yesterday`, or `7d` for 7 days ago. The units are h, d,
    w, m (30 days) and y (365 days). Dates without an offset are in the given time zone, by default in local time.
    """
    if text is None:
        return None
    parsed = _parse_datetime(text.strip(), datetime.now(zone or local_zone()))
    if parsed is None:
        raise typer.BadParameter(f"{text!r} is not a date; try 2026-02-01, yesterday or 7d")
    return int(parsed.timestamp() * 1000)


def _parse_datetime(text: str, now: datetime) -> datetime | None:
    if text.lower() in _DAYS:
        midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
        return midnight - timedelta(days=_DAYS[text.lower()])
    ago = _AGO.fullmatch(text.lower())
    try:
        if ago:
            return now - timedelta(hours=int(ago[1]) * _HOURS[ago[2]])
        parsed = datetime.fromisoformat(text)
        return parsed if parsed.tzinfo else _require_offset(parsed.replace(tzinfo=now.tzinfo))
    except (ValueError, OverflowError):
        return None


def _require_offset(local_time: datetime) -> datetime:
    """Return the argument; raise ValueError or OverflowError if its UTC time is out of range."""
    local_time.timestamp()
    return local_time


TABLE_ROWS = 50  # default of --limit for tables


@dataclass(frozen=True, slots=True, kw_only=True)
class FilterOptions:
    """The values of the filter options, as typed."""

    project: Project = None
    session: Session = None
    model: Model = None
    tool: Tool = None
    since: Since = None
    until: Until = None


def add_filter_options(function: Callable[..., None]) -> Callable[..., None]:
    """Add all filter options to a command, which receives them as `options` after the dates have been checked."""
    parameters = [
        inspect.Parameter(field.name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=field.type)
        for field in fields(FilterOptions)
    ]

    @wraps(function)
    def command(**arguments: Any) -> None:
        options = FilterOptions(**{parameter.name: arguments.pop(parameter.name) for parameter in parameters})
        for date in (options.since, options.until):
            parse_date(date)  # reports an invalid date before the index is opened
        function(options=options, **arguments)

    own = inspect.signature(function)
    before = [parameter for name, parameter in own.parameters.items() if name not in ("options", *_LAST_OPTIONS)]
    after = [own.parameters[name] for name in _LAST_OPTIONS if name in own.parameters]
    command.__signature__ = own.replace(parameters=[*before, *parameters, *after])  # type: ignore[attr-defined]
    command.__annotations__ = {item.name: item.annotation for item in (*before, *parameters, *after)}
    return command


# options that --help lists after the filters
_LAST_OPTIONS = ("limit", "csv", "db", "json")


def resolve_filters(
    connection: sqlite3.Connection, options: FilterOptions, *, limit: int | None = None, zone: tzinfo | None = None
) -> Filters:
    """Return the filters, with the full session id and with parsed dates. `zone` defaults to local time."""
    return Filters(
        project=None if options.project is None else project_folder_name(options.project),
        session_id=None if options.session is None else resolve_session(connection, options.session),
        model=options.model,
        tool=options.tool,
        since=parse_date(options.since, zone),
        until=parse_date(options.until, zone),
        limit=limit or None,
    )


def choose_limit(requested: int | None, *, is_table: bool, table_rows: int = TABLE_ROWS) -> int | None:
    """Return the maximum number of rows, or None for all: the value of --limit, or the format's default."""
    if requested is None:
        return table_rows if is_table else None
    return requested or None


def project_folder_name(project: str) -> str:
    """Return the project name for a path, or any other text unchanged.

    Claude Code derives the name by replacing every character of the path except letters and digits with a dash.
    """
    if "/" not in project and project not in (".", "..", "~"):
        return project
    return re.sub(r"[^A-Za-z0-9]", "-", os.path.realpath(os.path.expanduser(project)))
