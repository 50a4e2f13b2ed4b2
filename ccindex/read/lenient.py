"""The object that begins at a place in a text which a strict parser refused, or None if there is none even so."""

import json
import re
from typing import Any, NamedTuple

from .deep import DeepReader, is_deep

# Keys whose strings name things: two of them must not fall together when a surrogate is replaced.
_ID_KEYS = frozenset(
    "uuid parentUuid logicalParentUuid sessionId session_id agentId agent_id id tool_use_id toolUseId toolUseID "
    "parentToolUseID sourceToolUseID sourceToolAssistantUUID requestId messageId messageUuid leafUuid promptId "
    "runId headUuid tailUuid uuids".split()
)
_SURROGATE = re.compile("[\ud800-\udfff]")


class Lenient(NamedTuple):
    """An object, where it ends in the text, and what is odd about it."""

    value: dict[str, Any]
    end: int
    why: str


def decode(data: bytes) -> str:
    """Bytes as text, those that are no UTF-8 as lone surrogates, so that `encode` gives them back."""
    return data.decode("utf-8", "surrogateescape")


def encode(text: str) -> bytes:
    """Undo `decode`."""
    return text.encode("utf-8", "surrogateescape")


def object_at(text: str, start: int) -> Lenient | None:
    """Read the object that begins at `start`; what follows it is not looked at."""
    why = "not strict JSON"
    try:
        value, end = _DECODER.raw_decode(text, start)
    except RecursionError:
        value, end = None, start
    except ValueError:
        return None
    # how deep the decoder gets depends on who called it, so all that is deep takes the same other way
    if value is None or is_deep(value):
        deep = DeepReader(text, _DECODER.decode).read(start)
        if deep is None:
            return None
        value, end = deep
        why = "nested too deeply"
    if not isinstance(value, dict):
        return None
    if _SURROGATE.search(text, start, end):
        why = "not UTF-8"
    clean = _without_surrogates(value)
    if clean.changed and why == "not strict JSON":
        why = "a lone surrogate"
    return Lenient(clean.value, end, why)


def _integer(digits: str) -> int | float:
    # int() refuses more than 4,300 digits, and no column holds more than 19
    return int(digits) if len(digits) <= 20 else float(digits)


_DECODER = json.JSONDecoder(strict=False, parse_int=_integer)


class _Clean(NamedTuple):
    value: dict[str, Any]
    changed: bool


def _without_surrogates(root: dict[str, Any]) -> _Clean:
    """Replace lone surrogates: in texts by U+FFFD, in ids by their escape."""
    changed = False

    def mend(text: str, *, is_id: bool) -> str:
        nonlocal changed
        if _SURROGATE.search(text) is None:
            return text
        changed = True
        return _SURROGATE.sub(_escape if is_id else "\ufffd", text)

    clean: dict[str, Any] = {}
    todo: list[tuple[Any, Any, bool]] = [(root, clean, False)]
    while todo:
        old, new, is_id = todo.pop()
        pairs = old.items() if isinstance(old, dict) else enumerate(old)
        for key, value in pairs:
            name = mend(key, is_id=False) if isinstance(key, str) else None
            names_things = is_id if name is None else name in _ID_KEYS
            made: Any = value
            if isinstance(value, str):
                made = mend(value, is_id=names_things)
            elif isinstance(value, dict):
                made = {}
                todo.append((value, made, False))
            elif isinstance(value, list):
                made = []
                todo.append((value, made, names_things))
            if name is None:
                new.append(made)
            else:
                new[name] = made
    return _Clean(clean, changed)


def _escape(found: re.Match[str]) -> str:
    return f"\\u{ord(found.group()):04x}"
