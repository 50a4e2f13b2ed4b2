"""Values of unknown shape to JSON text that any SQL client can read, and that holds no image."""

from math import isfinite
from typing import Any

import orjson

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
