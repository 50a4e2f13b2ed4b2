"""JSON values narrowed to column types, timestamps as instants, and values as JSON text."""

import re
from datetime import UTC, datetime
from functools import lru_cache
from math import isfinite
from typing import Any

import orjson


def string(value: Any) -> str | None:
    """A string that is not empty."""
    return value if type(value) is str and value else None


def integer(value: Any) -> int | None:
    """A whole number that SQLite can hold."""
    if type(value) is float and value.is_integer():
        value = int(value)
    return value if type(value) is int and -(2**63) <= value < 2**63 else None  # True is of another type


def flag(value: Any) -> int:
    """1 if true, 1 or "true"; else 0."""
    if value is None or value is False:
        return 0
    return 1 if value is True or value in ("true", 1) else 0


def flag_or_none(value: Any) -> int | None:
    """Like `flag`, with None for a flag that is not there."""
    return None if value is None else flag(value)


def mapping(value: Any) -> dict[str, Any]:
    """A JSON object, or an empty one."""
    return value if type(value) is dict else {}


def size(text: str) -> int:
    """Bytes of a text in UTF-8."""
    return len(text) if text.isascii() else len(text.encode())


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


# SQLite's JSON functions stop at a depth of 1,000, orjson's writer at 254.
_MAX_DEPTH = 200
_BASE64 = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=-_")
_BIG = 2**63
_SURE = 400  # in fewer bytes is no text to cut, no image, and no depth of more than `_MAX_DEPTH`


def dumps(value: Any) -> str:
    """Any value as JSON text, whole."""
    try:
        return orjson.dumps(value).decode()
    except TypeError:  # nested too deeply, or an integer too large
        return orjson.dumps(trimmed(value, longest=None)).decode()


def clipped(value: Any, *, longest: int) -> str:
    """Give a value's JSON as `trimmed` leaves it, which most values are anyway."""
    assert longest >= _SURE
    try:
        text = orjson.dumps(value, option=orjson.OPT_STRICT_INTEGER)
    except TypeError:  # nested too deeply, or an integer that may be too large
        text = b""
    return text.decode() if 0 < len(text) < _SURE else dumps(trimmed(value, longest=longest))


def whole(value: Any) -> str:
    """Give a value's JSON, all but images; written anew, so that no key stands twice."""
    text = dumps(value)
    return text if "base64" not in text else dumps(trimmed(value, longest=None))


def whole_and_values(value: Any) -> tuple[str, str]:
    """Give what `whole` makes of a value and what `values_in` finds in that, which need not be read again for it."""
    try:
        text = orjson.dumps(value).decode()
    except TypeError:
        text = ""
    if text and "base64" not in text:
        return text, _values(value)
    text = whole(value)  # not quite the same value
    return text, values_in(text)


def values_in(text: str) -> str:
    """The strings and numbers in some JSON, a line each; keys, which every object of a kind repeats, left out."""
    return _values(orjson.loads(text))


def _values(root: Any) -> str:
    leaves: list[str] = []
    todo = [root]
    while todo:
        value = todo.pop()
        if isinstance(value, str):
            leaves.append(value)
        elif isinstance(value, dict):
            todo.extend(reversed(value.values()))
        elif isinstance(value, list):
            todo.extend(reversed(value))
        elif value is not None and not isinstance(value, bool) and isfinite(value):  # what is not, JSON knows as null
            leaves.append(str(value))
    return "\n".join(leaves)


def trimmed(root: Any, *, longest: int | None) -> Any:
    """Copy a value without images, with texts cut at `longest` and depth at what SQL can read."""
    top: list[Any] = []
    todo: list[Any] = [(iter([(None, root)]), top)]
    while todo:
        items, into = todo[-1]
        for name, value in items:
            made = _begun(value, is_deep=len(todo) > _MAX_DEPTH, longest=longest)
            if isinstance(into, dict):
                into[name] = made
            else:
                into.append(made)
            if isinstance(value, dict | list) and made is not None:
                pairs = value.items() if isinstance(value, dict) else ((None, item) for item in value)
                todo.append((iter(pairs), made))
                break
        else:
            todo.pop()
    return top[0]


def _begun(value: Any, *, is_deep: bool, longest: int | None) -> Any:
    """Copy a scalar; give an empty container for a container, or None if it lies too deep."""
    if isinstance(value, str):
        return _text(value, longest)
    if isinstance(value, int) and not -_BIG <= value < _BIG:
        return float(value)
    if isinstance(value, dict | list):
        return None if is_deep else type(value)()
    return value


def _text(text: str, longest: int | None) -> str | None:
    if len(text) >= 512 and is_base64(text):
        return None
    if longest is not None and len(text) > longest:
        return text[:longest] + "…"
    return text


def is_base64(text: str) -> bool:
    """Tell an encoded image from prose by how it begins."""
    head = text[:512]
    if head.startswith("data:"):
        head = head.partition(",")[2]
    return head.isascii() and _BASE64.issuperset(head.encode())
