"""Parse JSON objects that a strict parser rejects, or that are nested too deeply for it."""

import json
import re
from collections.abc import Callable
from enum import Enum, auto
from typing import Any, NamedTuple

# Keys whose values are ids. Different ids must stay different when lone surrogates are replaced.
_ID_KEYS = frozenset(
    "uuid parentUuid logicalParentUuid sessionId session_id agentId agent_id id tool_use_id toolUseId toolUseID "
    "parentToolUseID sourceToolUseID sourceToolAssistantUUID requestId messageId messageUuid leafUuid promptId "
    "runId headUuid tailUuid uuids".split()
)
_SURROGATE = re.compile("[\ud800-\udfff]")


class LenientObject(NamedTuple):
    """An object, its end offset in the text, and the reason why a strict parser rejects it."""

    value: dict[str, Any]
    end: int
    reason: str


def decode(data: bytes) -> str:
    """Decode UTF-8; invalid bytes become lone surrogates, which `encode` converts back."""
    return data.decode("utf-8", "surrogateescape")


def encode(text: str) -> bytes:
    """Undo `decode`."""
    return text.encode("utf-8", "surrogateescape")


def object_at(text: str, start: int) -> LenientObject | None:
    """Parse the object that begins at `start`, ignoring any text after it. Return None if there is no valid object."""
    reason = "not strict JSON"
    try:
        value, end = _DECODER.raw_decode(text, start)
    except RecursionError:
        value, end = None, start
    except ValueError:
        return None
    # DeepReader reads all deep objects, because the depth that the decoder supports depends on the call stack
    if value is None or is_deep(value):
        deep = DeepReader(text, _DECODER.decode).read(start)
        if deep is None:
            return None
        value, end = deep
        reason = "nested too deeply"
    if not isinstance(value, dict):
        return None
    if _SURROGATE.search(text, start, end):
        reason = "not UTF-8"
    clean = _replace_surrogates(value)
    if clean.changed and reason == "not strict JSON":
        reason = "a lone surrogate"
    return LenientObject(clean.value, end, reason)


def _integer(digits: str) -> int | float:
    # int() rejects more than 4,300 digits, and no column stores more than 19
    return int(digits) if len(digits) <= 20 else float(digits)


_DECODER = json.JSONDecoder(strict=False, parse_int=_integer)


class _Clean(NamedTuple):
    value: dict[str, Any]
    changed: bool


def _replace_surrogates(root: dict[str, Any]) -> _Clean:
    """Replace lone surrogates with U+FFFD in text, and with an escape sequence in ids."""
    changed = False

    def replace(text: str, *, is_id: bool) -> str:
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
            name = replace(key, is_id=False) if isinstance(key, str) else None
            holds_id = is_id if name is None else name in _ID_KEYS
            copy: Any = value
            if isinstance(value, str):
                copy = replace(value, is_id=holds_id)
            elif isinstance(value, dict):
                copy = {}
                todo.append((value, copy, False))
            elif isinstance(value, list):
                copy = []
                todo.append((value, copy, holds_id))
            if name is None:
                new.append(copy)
            else:
                new[name] = copy
    return _Clean(clean, changed)


def _escape(match: re.Match[str]) -> str:
    return f"\\u{ord(match.group()):04x}"


MAX_DEPTH = 200

_TOKEN = re.compile(
    r"[ \t\r\n]*(?:(?P<open>[{\[])|(?P<close>[}\]])|(?P<comma>,)|(?P<colon>:)"
    r'|(?P<string>"[^"\\]*(?:\\.[^"\\]*)*")'
    r"|(?P<scalar>-?(?:[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|Infinity)|NaN|true|false|null))",
    re.DOTALL,
)


def is_deep(value: Any) -> bool:
    """Return whether containers are nested more than MAX_DEPTH levels deep."""
    level = [value]
    for _ in range(MAX_DEPTH + 1):
        level = [inner for outer in level for inner in _contained(outer)]
        if not level:
            return False
    return True


def _contained(outer: Any) -> list[Any]:
    inner = outer.values() if isinstance(outer, dict) else outer
    return [item for item in inner if isinstance(item, dict | list)]


class _Next(Enum):
    """The kind of token that is expected next."""

    VALUE = auto()
    FIRST_VALUE = auto()  # or the end of the list
    KEY = auto()
    FIRST_KEY = auto()  # or the end of the object
    COLON = auto()
    COMMA = auto()  # or the end of the list or object


_VALUE = frozenset({_Next.VALUE, _Next.FIRST_VALUE})
_KEY = frozenset({_Next.KEY, _Next.FIRST_KEY})
_END = frozenset({_Next.FIRST_VALUE, _Next.FIRST_KEY, _Next.COMMA})


class _NotJson(ValueError):
    """The text is not JSON."""


class DeepReader:
    """Parses one object or list without recursion. `scalar` decodes a single string, number or constant.

    Containers nested deeper than MAX_DEPTH are kept as JSON text.
    """

    def __init__(self, text: str, scalar: Callable[[str], Any]) -> None:
        self._text = text
        self._scalar = scalar
        self._is_object = bytearray()  # by depth; one byte per level, because there can be millions of levels
        self._containers: list[Any] = []  # at most MAX_DEPTH
        self._keys: list[str] = []
        self._start = 0  # of the open container that is kept as text
        self._next = _Next.VALUE
        self._result: Any = None

    def read(self, start: int) -> tuple[Any, int] | None:
        """Return the value that begins at `start` and the offset of its end, or None if the text is not JSON."""
        steps: dict[str | None, Callable[[str, int, int], None]] = {
            "open": self._open,
            "close": self._close,
            "comma": self._comma,
            "colon": self._colon,
            "string": self._string,
            "scalar": self._add_scalar,
        }
        position = start
        while self._result is None:
            token = _TOKEN.match(self._text, position)
            if token is None or token.lastgroup is None:
                return None
            position = token.end()
            try:
                steps[token.lastgroup](token[token.lastgroup], token.start(token.lastgroup), position)
            except ValueError:
                return None
        return self._result, position

    def _require(self, expected: frozenset[_Next]) -> None:
        if self._next not in expected:
            raise _NotJson

    def _open(self, mark: str, start: int, _end: int) -> None:
        self._require(_VALUE)
        is_object = mark == "{"
        self._is_object.append(is_object)
        self._next = _Next.FIRST_KEY if is_object else _Next.FIRST_VALUE
        if len(self._is_object) <= MAX_DEPTH:
            self._containers.append({} if is_object else [])
            self._keys.append("")
        elif len(self._is_object) == MAX_DEPTH + 1:
            self._start = start

    def _close(self, mark: str, _start: int, end: int) -> None:
        self._require(_END)
        if self._is_object.pop() != (mark == "}"):
            raise _NotJson
        if len(self._is_object) > MAX_DEPTH:
            self._next = _Next.COMMA
        elif len(self._is_object) == MAX_DEPTH:
            self._add(self._text[self._start : end])
        elif self._is_object:
            self._keys.pop()
            self._add(self._containers.pop())
        else:
            self._result = self._containers.pop()

    def _comma(self, _mark: str, _start: int, _end: int) -> None:
        self._require(frozenset({_Next.COMMA}))
        self._next = _Next.KEY if self._is_object[-1] else _Next.VALUE

    def _colon(self, _mark: str, _start: int, _end: int) -> None:
        self._require(frozenset({_Next.COLON}))
        self._next = _Next.VALUE

    def _string(self, token: str, start: int, end: int) -> None:
        if self._next in _KEY:
            key = self._scalar(token)
            if len(self._is_object) <= MAX_DEPTH:
                self._keys[-1] = key
            self._next = _Next.COLON
        else:
            self._add_scalar(token, start, end)

    def _add_scalar(self, token: str, _start: int, _end: int) -> None:
        self._require(_VALUE)
        if not self._containers:
            raise _NotJson
        self._add(self._scalar(token))

    def _add(self, value: Any) -> None:
        self._next = _Next.COMMA
        if len(self._is_object) > MAX_DEPTH:
            return  # the value is inside a container that is kept as text
        if isinstance(self._containers[-1], dict):
            self._containers[-1][self._keys[-1]] = value
        else:
            self._containers[-1].append(value)
