"""Convert JSON values to column types, timestamps to milliseconds, and values to JSON text."""

import re
from datetime import UTC, datetime
from functools import lru_cache
from math import isfinite
from typing import Any

import orjson


def string(value: Any) -> str | None:
    """Return the value if it is a non-empty string, else None."""
    return value if type(value) is str and value else None


def integer(value: Any) -> int | None:
    """Return the value as an int if it is a whole number that SQLite can store, else None."""
    if type(value) is float and value.is_integer():
        value = int(value)
    return value if type(value) is int and -(2**63) <= value < 2**63 else None  # excludes True, whose type is bool


def flag(value: Any) -> int:
    """Return 1 for true, 1 and "true", else 0 (rule: flag)."""
    if value is None or value is False:
        return 0
    return 1 if value is True or value in ("true", 1) else 0


def flag_or_none(value: Any) -> int | None:
    """Return the result of `flag`, or None if the value is missing."""
    return None if value is None else flag(value)


def mapping(value: Any) -> dict[str, Any]:
    """Return the value if it is a JSON object, else an empty object."""
    return value if type(value) is dict else {}


def utf8_size(text: str) -> int:
    """Return the size of a string in UTF-8 bytes."""
    return len(text) if text.isascii() else len(text.encode())


# YYYY-MM-DD, T or a space, hh:mm, optional seconds and fraction, optional offset or Z
_TIMESTAMP = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})[T ]"
    r"([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:\.([0-9]+))?)?"
    r"(?:Z|([+-])([0-9]{2}):?([0-9]{2})?)?"
)
# whether a valid timestamp has the form that Claude Code writes
is_canonical = re.compile("....-..-..T..:..:..[.]...Z").fullmatch
_MINUTE_MS = 60_000
_DAY_MS = 86_400_000
# Claude Code writes 2026-02-06T00:52:40.159Z; the parts after the minute are "40." and "159Z".
_SECONDS = {f"{second:02}.": second * 1000 for second in range(60)}
_FRACTIONS = {f"{fraction:03}Z": fraction for fraction in range(1000)}


def instant(timestamp: object) -> int | None:
    """Convert a timestamp to milliseconds since the Unix epoch; return None if it is invalid (rule: instant).

    Fractions of a millisecond are dropped. A timestamp without an offset is taken as UTC.
    """
    if not isinstance(timestamp, str):
        return None
    second, fraction = _SECONDS.get(timestamp[17:20]), _FRACTIONS.get(timestamp[20:])
    if second is None or fraction is None:
        return _parse_instant(timestamp)
    minute = _minute_instant(timestamp[:17])
    return None if minute is None else minute + second + fraction


@lru_cache(maxsize=1024)
def _minute_instant(start: str) -> int | None:
    """Convert the beginning of a timestamp, up to the colon before the seconds, to milliseconds since the epoch."""
    return _parse_instant(start + "00Z")


def _parse_instant(timestamp: str) -> int | None:
    match = _TIMESTAMP.fullmatch(timestamp)
    if match is None:
        return None
    day, hour, minute, second, fraction, sign, off_hour, off_minute = match.groups()
    midnight = _midnight(day)
    if midnight is None or hour > "23" or minute > "59" or (second or "00") > "59":
        return None
    timestamp_ms = midnight + (int(hour) * 60 + int(minute)) * _MINUTE_MS + int(second or 0) * 1000
    if fraction:
        timestamp_ms += int(fraction[:3].ljust(3, "0"))
    if sign is None:
        return timestamp_ms
    if off_hour > "23" or (off_minute or "00") > "59":
        return None
    offset = (int(off_hour) * 60 + int(off_minute or 0)) * _MINUTE_MS
    return timestamp_ms - offset if sign == "+" else timestamp_ms + offset


@lru_cache(maxsize=1024)
def _midnight(day: str) -> int | None:
    try:
        date = datetime.strptime(day, "%Y-%m-%d").replace(tzinfo=UTC)
    except ValueError:
        return None
    return (date.toordinal() - 719_163) * _DAY_MS  # 719,163: the ordinal of 1970-01-01


# SQLite's JSON functions support a depth of 1,000, orjson.dumps a depth of 254.
_MAX_DEPTH = 200
_BASE64 = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=-_")
_INTEGER_LIMIT = 2**63
_MIN_TRIM_BYTES = 400  # shorter JSON cannot contain a string to cut, an image, or nesting beyond `_MAX_DEPTH`


def dumps(value: Any) -> str:
    """Return a value as JSON text. If orjson cannot encode the value, it is trimmed first."""
    try:
        return orjson.dumps(value).decode()
    except TypeError:  # nested too deeply, or an integer is too large
        return orjson.dumps(trim(value, max_chars=None)).decode()


def dumps_trimmed(value: Any, *, max_chars: int) -> str:
    """Trim a value and return it as JSON text. Short values are not trimmed, because `trim` would not change them."""
    assert max_chars >= _MIN_TRIM_BYTES
    try:
        text = orjson.dumps(value, option=orjson.OPT_STRICT_INTEGER)
    except TypeError:  # nested too deeply, or an integer is too large
        text = b""
    if text and (len(text) < _MIN_TRIM_BYTES or _is_trimmed(value, max_chars)):
        return text.decode()
    return dumps(trim(value, max_chars=max_chars))


def _is_trimmed(root: Any, max_chars: int) -> bool:
    """Return whether `trim` would not change a value without large integers. A copy of the value may be very large."""
    level: list[Any] = [[root]]
    for _ in range(_MAX_DEPTH + 1):
        inner = []
        for container in level:
            for value in container.values() if type(container) is dict else container:
                if type(value) is str:
                    if len(value) >= _MIN_TRIM_BYTES and _trim_text(value, max_chars) is not value:
                        return False
                elif type(value) is dict or type(value) is list:
                    inner.append(value)
        if not inner:
            return True
        level = inner
    return False


def dumps_without_images(value: Any) -> str:
    """Return the JSON text of a value without its images."""
    text = dumps(value)
    return text if "base64" not in text else dumps(trim(value, max_chars=None))


def dumps_and_values(value: Any) -> tuple[str, str]:
    """Return the text from `dumps_without_images`, and `values_in` of that text, usually without parsing the text."""
    try:
        text = orjson.dumps(value).decode()
    except TypeError:
        text = ""
    if text and "base64" not in text:
        return text, _values(value)
    text = dumps_without_images(value)  # parsed again, because its values can differ from those in `value`
    return text, values_in(text)


def values_in(text: str) -> str:
    """Return the strings and numbers in JSON text, one per line. Keys are omitted, because many objects share them."""
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
        elif value is not None and not isinstance(value, bool) and isfinite(value):  # inf and NaN become null in JSON
            leaves.append(str(value))
    return "\n".join(leaves)


def trim(root: Any, *, max_chars: int | None) -> Any:
    """Copy a value without images, cut long strings and deep nesting, and convert large integers to floats."""
    top: list[Any] = []
    todo: list[Any] = [(iter([(None, root)]), top)]
    while todo:
        items, target = todo[-1]
        for name, value in items:
            copy = _copy_shallow(value, is_deep=len(todo) > _MAX_DEPTH, max_chars=max_chars)
            if isinstance(target, dict):
                target[name] = copy
            else:
                target.append(copy)
            if isinstance(value, dict | list) and copy is not None:
                pairs = value.items() if isinstance(value, dict) else ((None, item) for item in value)
                todo.append((iter(pairs), copy))
                break
        else:
            todo.pop()
    return top[0]


def _copy_shallow(value: Any, *, is_deep: bool, max_chars: int | None) -> Any:
    """Return a trimmed scalar or an empty container of the same type. Omit images and containers that are too deep."""
    if isinstance(value, str):
        return _trim_text(value, max_chars)
    if isinstance(value, int) and not -_INTEGER_LIMIT <= value < _INTEGER_LIMIT:
        return float(value)
    if isinstance(value, dict | list):
        return None if is_deep else type(value)()
    return value


def _trim_text(text: str, max_chars: int | None) -> str | None:
    if len(text) >= 512 and is_base64(text):
        return None
    if max_chars is not None and len(text) > max_chars:
        return text[:max_chars] + "…"
    return text


def is_base64(text: str) -> bool:
    """Return whether the start of a string looks like base64 data rather than prose."""
    head = text[:512]
    if head.startswith("data:"):
        head = head.partition(",")[2]
    return head.isascii() and _BASE64.issuperset(head.encode())
