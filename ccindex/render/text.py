"""Values to text for people: short ids, times, sizes, escaped control characters, styled and wrapped lines."""

import re
import textwrap
from dataclasses import dataclass
from datetime import UTC, datetime

from ccindex.model.line_ids import AGENT, parts_of

_SHORT_CHARS = 8
# what a terminal acts on instead of showing it, except tab and newline
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_HEXADECIMAL = re.compile("[0-9a-f]*")
_NAME_CHARS = 24  # of an agent's id that has words in it: ids of several agents can start the same

_MINUTE, _HOUR, _DAY = 60, 3600, 86_400
_RECENT = 14 * _DAY  # seconds; for earlier times a date says more


def printable(text: str) -> str:
    """Return a text with control characters as escapes, so that data cannot control the terminal."""
    return _CONTROL.sub(_escaped, text)


def escaped_in_json(text: str) -> str:
    """Return an equal JSON document with control characters as escapes; they can only be in its strings."""
    return _CONTROL.sub(lambda found: f"\\u{ord(found.group()):04x}", text)


def _escaped(found: re.Match[str]) -> str:
    return f"\\x{ord(found.group()):02x}" if ord(found.group()) < 0x100 else f"\\u{ord(found.group()):04x}"


def flat(text: str) -> str:
    """Return a text on one line, so that an id cannot look like several."""
    return printable(text).replace("\n", "⏎").replace("\t", " ")


def preview(text: str, most: int) -> str:
    """Return the beginning of a text on one line, with runs of white space as one space."""
    start = text.lstrip()
    words = " ".join(printable(start[: most * 4]).split())
    return words if len(words) <= most and len(start) <= most * 4 else words[: most - 1].rstrip() + "…"


def cells(text: str) -> int:
    """Return the number of columns that a text takes on a terminal."""
    if text.isascii():
        return len(text)
    # rich knows the widths of characters; it is loaded only for texts that are not ASCII
    from rich.cells import cell_len  # noqa: PLC0415

    return cell_len(text)


def chopped(text: str, room: int) -> list[str]:
    """Return a text in pieces of at most so many columns, cut anywhere."""
    from rich.cells import chop_cells  # noqa: PLC0415 - as above

    return chop_cells(text, room)


def short(uuid: str | None) -> str | None:
    """Return the beginning of an id, which commands accept in place of the id."""
    return uuid and uuid[:_SHORT_CHARS]


def short_agent(agent_id: str | None) -> str | None:
    """Return as much of a subagent's id as distinguishes it from others."""
    return agent_id and (short(agent_id) if _HEXADECIMAL.fullmatch(agent_id) else agent_id[:_NAME_CHARS])


def short_line(line_id: str) -> str:
    """Return a line's id with each of its parts cut, which commands accept in place of the id."""
    session, *rest = parts_of(line_id)
    cut = (
        sign + str(short_agent(part) if sign == AGENT else short(part))
        for sign, part in zip(rest[::2], rest[1::2], strict=True)
    )
    return f"{short(session)}{''.join(cut)}"


def count(number: int, one: str, many: str | None = None) -> str:
    """Return a number with its noun."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def ago(at_ms: int | None, now_ms: int) -> str:
    """Return how long ago an instant was, or its day if that is not recent."""
    if not at_ms:
        return ""
    seconds = (now_ms - at_ms) // 1000
    if not 0 <= seconds < _RECENT:
        return minute(at_ms)[:10]
    for size, unit in ((_DAY, "day"), (_HOUR, "hour"), (_MINUTE, "minute")):
        if seconds >= size:
            return f"{count(seconds // size, unit)} ago"
    return "just now"


def minute(at_ms: int | None) -> str:
    """Return an instant as date and time in UTC, to the minute."""
    return _clock(at_ms, "minutes")


def second(at_ms: int | None) -> str:
    """Return an instant as date and time in UTC, to the second."""
    return _clock(at_ms, "seconds")


def _clock(at_ms: int | None, precision: str) -> str:
    if not at_ms:  # 0: not recorded
        return ""
    try:
        moment = datetime.fromtimestamp(at_ms / 1000, UTC)
    except (ValueError, OverflowError, OSError):  # a year that no calendar has
        return str(at_ms)
    return moment.replace(tzinfo=None).isoformat(" ", precision)


def duration(ms: float | None) -> str:
    """Return a duration in the unit that fits."""
    if ms is None:
        return ""
    # a unit is used as soon as its number rounds to 1.0
    for size, unit, before in ((_DAY, "d", 23.95 / 24), (_HOUR, "h", 59.95 / 60), (_MINUTE, "min", 59.95 / 60)):
        if abs(ms) >= size * 1000 * before:
            return f"{ms / 1000 / size:.1f} {unit}"
    return f"{ms / 1000:.1f} s" if abs(ms) >= 999.5 else f"{round(ms)} ms"


def size(number: int) -> str:
    """Return a number of bytes in the unit that fits."""
    if number < 1000:
        return f"{number} B"
    amount, unit = float(number), ""
    for unit in ("kB", "MB", "GB", "TB"):  # noqa: B007
        amount /= 1000
        if amount < 999.5:
            break
    return f"{amount:.1f} {unit}"


def amount(number: int | None) -> str:
    """Return a number of tokens in about three digits."""
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


def dollars(usd: float | None) -> str:
    """Return an estimate in US dollars, to the cent, below a dollar to a hundredth of it."""
    if usd is None:
        return ""
    return f"${usd:,.2f}" if usd == 0 or abs(usd) >= 0.99995 else f"${usd:.4f}"


def project_name(project: str | None) -> str:
    """Return the end of a project's name, which is the path of its folder with other characters as dashes."""
    if not project:
        return ""
    for start in ("-home-", "-Users-", "-root-"):
        if project.startswith(start):
            _, _, rest = project.removeprefix(start).partition("-") if start != "-root-" else ("", "", project[6:])
            return rest or project
    return project


@dataclass(frozen=True, slots=True)
class StyledLine:
    """A line as pairs of style and text; a style is one of rich's, such as `bold cyan`; '' is none."""

    spans: tuple[tuple[str, str], ...]


def styled(style: str, text: str) -> StyledLine:
    """Return a line in one style."""
    return StyledLine(((style, text),))


_LONG_CHARS = 20_000  # from which on textwrap is slow: it copies the rest for every line
_MIN_COLUMNS = 20
_WORD = re.compile(r"\s*\S+\s*")


def wrapped(line: str, room: int | None) -> list[str]:
    """Return a line as lines of at most so many columns, all with the indent of the first."""
    if room is None or cells(line) <= room:
        return [line]
    lead = line[: len(line) - len(line.lstrip())][: room // 2]
    if line.isascii() and len(line) < _LONG_CHARS:
        return textwrap.wrap(line, room, subsequent_indent=lead, break_on_hyphens=False) or [""]
    return _by_cells(line, room, lead)


def hanging(label: str, text: str, width: int | None, *, below: str | None = None) -> list[str]:
    """Return a label and a text beside it, wrapped lines below the text's beginning or after `below`."""
    room = None if width is None else max(width - cells(label), _MIN_COLUMNS)
    first, *more = wrapped(text, room)
    start = " " * cells(label) if below is None else below
    return [label + first, *(start + line for line in more)]


def _by_cells(line: str, room: int, lead: str) -> list[str]:
    """Wrap a line whose characters can take two columns, or none."""
    rows, row = [], ""
    for word in _WORD.findall(line):
        if cells(row + word.rstrip()) <= room:
            row += word
            continue
        *whole, last = chopped(word, room - len(lead))
        rows += [row.rstrip()] if row.strip() else []
        rows += [lead + piece for piece in whole]
        row = lead + last
    return [*rows, row.rstrip()]
