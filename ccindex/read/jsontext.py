"""Values of unknown shape to JSON text that any SQL client can read, and that holds no image."""

from typing import Any

import orjson

# SQLite's JSON functions stop at a depth of 1,000, orjson's writer at 254.
_MAX_DEPTH = 200
_BASE64 = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=-_")
_BIG = 2**63


def dumps(value: Any) -> str:
    """Any value as JSON text, whole."""
    try:
        return orjson.dumps(value).decode()
    except TypeError:  # nested too deeply, or an integer too large
        return orjson.dumps(trimmed(value, longest=None)).decode()


def payload(value: dict[str, Any]) -> str:
    """Give a record's JSON, whole but for images; written anew, so that no key stands twice."""
    text = dumps(value)
    return text if "base64" not in text else dumps(trimmed(value, longest=None))


def trimmed(root: Any, *, longest: int | None) -> Any:
    """Copy a value without images, with texts cut at `longest` and depth at what SQL can read."""
    box: list[Any] = []
    todo: list[tuple[Any, Any, Any, int]] = [(root, box, None, 0)]
    while todo:
        value, into, key, depth = todo.pop()
        made: Any = value
        if isinstance(value, str):
            made = _text(value, longest)
        elif isinstance(value, int) and not -_BIG <= value < _BIG:
            made = float(value)
        elif isinstance(value, dict):
            made = None if depth >= _MAX_DEPTH else {}
            if made is not None:
                todo.extend((item, made, name, depth + 1) for name, item in reversed(value.items()))
        elif isinstance(value, list):
            made = None if depth >= _MAX_DEPTH else [None] * len(value)
            if made is not None:
                todo.extend((item, made, place, depth + 1) for place, item in enumerate(value))
        if key is None:
            box.append(made)
        else:
            into[key] = made
    return box[0]


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
