"""Values as text: short ids, times, sizes, safe characters, styled pieces, wrapping."""

import re
import textwrap
from dataclasses import dataclass
from datetime import UTC, datetime

from ccindex.model.graph import AGENT, parts_of

_SHORT = 8
# what a terminal would act on instead of showing; tab and newline may stand
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_HEXADECIMAL = re.compile("[0-9a-f]*")
_SPOKEN = 24  # characters of an agent's id that has words in it: its beginning is that of others too

_MINUTE, _HOUR, _DAY = 60, 3600, 86_400
_RECENT = 14 * _DAY  # beyond that a date says more


def printable(text: str) -> str:
    """Text with control characters shown as escapes, so that data cannot drive the terminal."""
    return _CONTROL.sub(_escaped, text)


def escaped_in_json(text: str) -> str:
    """A JSON document that says the same without such characters: they can only stand in its strings."""
    return _CONTROL.sub(lambda found: f"\\u{ord(found.group()):04x}", text)


def _escaped(found: re.Match[str]) -> str:
    return f"\\x{ord(found.group()):02x}" if ord(found.group()) < 0x100 else f"\\u{ord(found.group()):04x}"


def flat(text: str) -> str:
    """Text on one line, so that an id cannot pretend to be several."""
    return printable(text).replace("\n", "⏎").replace("\t", " ")


def preview(text: str, most: int) -> str:
    """The beginning of a text on one line, blanks run together."""
    start = text.lstrip()
    words = " ".join(printable(start[: most * 4]).split())
    return words if len(words) <= most and len(start) <= most * 4 else words[: most - 1].rstrip() + "…"


def cells(text: str) -> int:
    """How many columns of a terminal a text takes."""
    if text.isascii():
        return len(text)
    # rich knows, and is loaded where something is not plain ASCII
    from rich.cells import cell_len  # noqa: PLC0415

    return cell_len(text)


def chopped(text: str, room: int) -> list[str]:
    """A text in pieces that each fit, wherever that parts it."""
    from rich.cells import chop_cells  # noqa: PLC0415 - as above

    return chop_cells(text, room)


def short(uuid: str | None) -> str | None:
    """An id cut to what a table has room for; it can be typed like that again."""
    return uuid and uuid[:_SHORT]


def short_agent(agent_id: str | None) -> str | None:
    """A subagent's id cut to what tells it from others."""
    return agent_id and (short(agent_id) if _HEXADECIMAL.fullmatch(agent_id) else agent_id[:_SPOKEN])


def short_line(line_id: str) -> str:
    """A line's id with each of its parts cut; it can be typed like that again."""
    session, *rest = parts_of(line_id)
    cut = (
        sign + str(short_agent(part) if sign == AGENT else short(part))
        for sign, part in zip(rest[::2], rest[1::2], strict=True)
    )
    return f"{short(session)}{''.join(cut)}"


def count(number: int, one: str, many: str | None = None) -> str:
    """A number with its noun."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def ago(at_ms: int | None, now_ms: int) -> str:
    """An instant as a person would say it: how long ago if that is recent, else its day."""
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
    """An instant as date and time in UTC."""
    return _clock(at_ms, "minutes")


def second(at_ms: int | None) -> str:
    """An instant as date and time in UTC, with seconds."""
    return _clock(at_ms, "seconds")


def _clock(at_ms: int | None, precision: str) -> str:
    if not at_ms:  # 0 stands for an instant that nothing recorded tells
        return ""
    try:
        moment = datetime.fromtimestamp(at_ms / 1000, UTC)
    except (ValueError, OverflowError, OSError):  # a recorded year that no calendar has
        return str(at_ms)
    return moment.replace(tzinfo=None).isoformat(" ", precision)


def duration(ms: float | None) -> str:
    """A span of time in the unit that fits."""
    if ms is None:
        return ""
    # a unit is taken as soon as its number is 1.0 when rounded
    for size, unit, before in ((_DAY, "d", 23.95 / 24), (_HOUR, "h", 59.95 / 60), (_MINUTE, "min", 59.95 / 60)):
        if abs(ms) >= size * 1000 * before:
            return f"{ms / 1000 / size:.1f} {unit}"
    return f"{ms / 1000:.1f} s" if abs(ms) >= 999.5 else f"{round(ms)} ms"


def size(number: int) -> str:
    """Bytes in the unit that fits."""
    if number < 1000:
        return f"{number} B"
    amount, unit = float(number), ""
    for unit in ("kB", "MB", "GB", "TB"):  # noqa: B007
        amount /= 1000
        if amount < 999.5:
            break
    return f"{amount:.1f} {unit}"


def amount(number: int | None) -> str:
    """A number of tokens in three digits or so."""
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
    """An estimate in US dollars, with cents, and more of them where there is little."""
    if usd is None:
        return ""
    return f"${usd:,.2f}" if usd == 0 or abs(usd) >= 0.99995 else f"${usd:.4f}"


def project_name(project: str | None) -> str:
    """The end of a project's name, which is the path of its folder with every odd sign as a dash."""
    if not project:
        return ""
    for start in ("-home-", "-Users-", "-root-"):
        if project.startswith(start):
            _, _, rest = project.removeprefix(start).partition("-") if start != "-root-" else ("", "", project[6:])
            return rest or project
    return project


@dataclass(frozen=True, slots=True)
class Styled:
    """Pairs of style and text; a style is rich's, such as `bold cyan`, and '' is none."""

    spans: tuple[tuple[str, str], ...]


def styled(style: str, text: str) -> Styled:
    """A line in one style."""
    return Styled(((style, text),))


_LONG = 20_000  # beyond which textwrap takes its time: it copies the rest for every line
_NARROWEST = 20
_WORD = re.compile(r"\s*\S+\s*")


def wrapped(line: str, room: int | None) -> list[str]:
    """Lines of at most so many columns; what follows the first is indented as that is."""
    if room is None or cells(line) <= room:
        return [line]
    lead = line[: len(line) - len(line.lstrip())][: room // 2]
    if line.isascii() and len(line) < _LONG:
        return textwrap.wrap(line, room, subsequent_indent=lead, break_on_hyphens=False) or [""]
    return _by_cells(line, room, lead)


def hanging(label: str, text: str, width: int | None, *, below: str | None = None) -> list[str]:
    """A label and a text beside it, what does not fit below the text's beginning; `below`: behind that, not blanks."""
    room = None if width is None else max(width - cells(label), _NARROWEST)
    first, *more = wrapped(text, room)
    start = " " * cells(label) if below is None else below
    return [label + first, *(start + line for line in more)]


def _by_cells(line: str, room: int, lead: str) -> list[str]:
    """Lines of words whose signs may take two columns each, or none."""
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
