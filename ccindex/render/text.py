"""Format values for people: short ids, times, sizes, escaped control characters, styled and wrapped lines."""

import re
import textwrap
from dataclasses import dataclass
from datetime import UTC, datetime

from ccindex.model.line_ids import AGENT, split_line_id

_SHORT_CHARS = 8
# characters that a terminal interprets instead of displaying, except tab and newline
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_HEX_DIGITS = re.compile("[0-9a-f]*")
_AGENT_NAME_CHARS = 24  # agent ids that contain a name often share a prefix

_MINUTE, _HOUR, _DAY = 60, 3600, 86_400
_RECENT_SECONDS = 14 * _DAY  # older times are shown as dates


def escape_controls(text: str) -> str:
    """Escape control characters, so that data cannot control the terminal."""
    return _CONTROL.sub(_escaped, text)


def escape_controls_in_json(text: str) -> str:
    """Escape control characters in a JSON document. They occur only in its strings, so its value stays the same."""
    return _CONTROL.sub(lambda match: f"\\u{ord(match.group()):04x}", text)


def _escaped(match: re.Match[str]) -> str:
    code = ord(match.group())
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def one_line(text: str) -> str:
    """Return the text on one line, so that a value with line breaks cannot look like several values."""
    return escape_controls(text).replace("\n", "⏎").replace("\t", " ")


def preview(text: str, max_chars: int) -> str:
    """Return the start of the text on one line, with white space collapsed."""
    start = text.lstrip()
    line = " ".join(escape_controls(start[: max_chars * 4]).split())
    return line if len(line) <= max_chars and len(start) <= max_chars * 4 else line[: max_chars - 1].rstrip() + "…"


def cell_width(text: str) -> int:
    """Return the number of columns that the text occupies on a terminal."""
    if text.isascii():
        return len(text)
    # rich has a table of character widths; it is loaded only when needed
    from rich.cells import cell_len  # noqa: PLC0415

    return cell_len(text)


def chop(text: str, width: int) -> list[str]:
    """Split text into pieces of at most `width` columns, ignoring word boundaries."""
    from rich.cells import chop_cells  # noqa: PLC0415 - loaded only when needed

    return chop_cells(text, width)


def short_id(uuid: str | None) -> str | None:
    """Return a short prefix of an id. Commands accept it in place of the full id."""
    return uuid and uuid[:_SHORT_CHARS]


def short_agent(agent_id: str | None) -> str | None:
    """Return a short prefix of a subagent's id. It is longer if the id contains a name."""
    return agent_id and (short_id(agent_id) if _HEX_DIGITS.fullmatch(agent_id) else agent_id[:_AGENT_NAME_CHARS])


def short_line(line_id: str) -> str:
    """Return a line id with every part shortened. Commands accept it in place of the full id."""
    session, *parts = split_line_id(line_id)
    shortened = (
        separator + str(short_agent(part) if separator == AGENT else short_id(part))
        for separator, part in zip(parts[::2], parts[1::2], strict=True)
    )
    return f"{short_id(session)}{''.join(shortened)}"


def format_count(number: int, singular: str, plural: str | None = None) -> str:
    """Return a number followed by a noun in the singular or plural."""
    return f"{number:,} {singular if number == 1 else plural or singular + 's'}"


def format_age(timestamp_ms: int | None, now_ms: int) -> str:
    """Return the age of a timestamp, or its date if it is not recent."""
    if not timestamp_ms:
        return ""
    seconds = (now_ms - timestamp_ms) // 1000
    if not 0 <= seconds < _RECENT_SECONDS:
        return format_minute(timestamp_ms)[:10]
    for unit_seconds, unit in ((_DAY, "day"), (_HOUR, "hour"), (_MINUTE, "minute")):
        if seconds >= unit_seconds:
            return f"{format_count(seconds // unit_seconds, unit)} ago"
    return "just now"


def format_minute(timestamp_ms: int | None) -> str:
    """Return the date and time in UTC, to the minute."""
    return _clock(timestamp_ms, "minutes")


def format_second(timestamp_ms: int | None) -> str:
    """Return the date and time in UTC, to the second."""
    return _clock(timestamp_ms, "seconds")


def _clock(timestamp_ms: int | None, precision: str) -> str:
    if not timestamp_ms:  # 0: not recorded
        return ""
    try:
        time = datetime.fromtimestamp(timestamp_ms / 1000, UTC)
    except (ValueError, OverflowError, OSError):  # outside the range of datetime
        return str(timestamp_ms)
    return time.replace(tzinfo=None).isoformat(" ", precision)


def format_duration(ms: float | None) -> str:
    """Return a duration in a suitable unit."""
    if ms is None:
        return ""
    # the thresholds are just below 1.0, so that 59.97 min is shown as 1.0 h instead of 60.0 min
    for unit_seconds, unit, threshold in (
        (_DAY, "d", 23.95 / 24),
        (_HOUR, "h", 59.95 / 60),
        (_MINUTE, "min", 59.95 / 60),
    ):
        if abs(ms) >= unit_seconds * 1000 * threshold:
            return f"{ms / 1000 / unit_seconds:.1f} {unit}"
    return f"{ms / 1000:.1f} s" if abs(ms) >= 999.5 else f"{round(ms)} ms"


def format_size(number: int) -> str:
    """Return a number of bytes in a suitable unit."""
    if number < 1000:
        return f"{number} B"
    value, unit = float(number), ""
    for unit in ("kB", "MB", "GB", "TB"):  # noqa: B007
        value /= 1000
        if value < 999.5:
            break
    return f"{value:.1f} {unit}"


def format_tokens(number: int | None) -> str:
    """Return a number of tokens, rounded to about three digits if it is large."""
    if number is None:
        return ""
    if abs(number) < 10_000:
        return f"{number:,}"
    shown, unit = float(number), ""
    for unit in ("k", "M", "G", "T"):  # noqa: B007
        shown /= 1000
        if abs(shown) < 999.5:
            break
    return f"{shown:.1f}{unit}" if abs(shown) < 99.95 else f"{shown:.0f}{unit}"


def format_dollars(usd: float | None) -> str:
    """Format an amount in US dollars, with four decimal places if it is below one dollar."""
    if usd is None:
        return ""
    return f"${usd:,.2f}" if usd == 0 or abs(usd) >= 0.99995 else f"${usd:.4f}"


def project_name(project: str | None) -> str:
    """Return a project name (a path with dashes instead of slashes) without the home folder."""
    if not project:
        return ""
    for start in ("-home-", "-Users-", "-root-"):
        if project.startswith(start):
            _, _, name = project.removeprefix(start).partition("-") if start != "-root-" else ("", "", project[6:])
            return name or project
    return project


@dataclass(frozen=True, slots=True)
class StyledLine:
    """A line as (style, text) pairs. A style is a rich style such as `bold cyan`, or empty."""

    spans: tuple[tuple[str, str], ...]


def styled_line(style: str, text: str) -> StyledLine:
    """Return a line in one style."""
    return StyledLine(((style, text),))


_LONG_CHARS = 20_000  # textwrap is slow for longer lines, because it copies the remaining text for every output line
_MIN_COLUMNS = 20
_WORD = re.compile(r"\s*\S+\s*")


def wrap(line: str, width: int | None) -> list[str]:
    """Wrap a line to a width. All resulting lines have the indent of the first."""
    if width is None or cell_width(line) <= width:
        return [line]
    indent = line[: len(line) - len(line.lstrip())][: width // 2]
    if line.isascii() and len(line) < _LONG_CHARS:
        return textwrap.wrap(line, width, subsequent_indent=indent, break_on_hyphens=False) or [""]
    return _wrap_cells(line, width, indent)


def wrap_with_label(label: str, text: str, width: int | None, *, below: str | None = None) -> list[str]:
    """Return a label followed by text. Further lines are aligned with the text, or start with `below`."""
    room = None if width is None else max(width - cell_width(label), _MIN_COLUMNS)
    first, *more = wrap(text, room)
    prefix = " " * cell_width(label) if below is None else below
    return [label + first, *(prefix + line for line in more)]


def _wrap_cells(line: str, width: int, indent: str) -> list[str]:
    """Wrap a line that may contain zero-width or double-width characters."""
    rows, row = [], ""
    for word in _WORD.findall(line):
        if cell_width(row + word.rstrip()) <= width:
            row += word
            continue
        *whole, last = chop(word, width - len(indent))
        rows += [row.rstrip()] if row.strip() else []
        rows += [indent + piece for piece in whole]
        row = indent + last
    return [*rows, row.rstrip()]
