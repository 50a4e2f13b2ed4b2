"""JSON objects that a strict parser refuses, or that are nested too deeply for it."""

import json
import re
from collections.abc import Callable
from enum import Enum, auto
from typing import Any, NamedTuple

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


MAX_DEPTH = 200

_TOKEN = re.compile(
    r"[ \t\r\n]*(?:(?P<open>[{\[])|(?P<close>[}\]])|(?P<comma>,)|(?P<colon>:)"
    r'|(?P<string>"[^"\\]*(?:\\.[^"\\]*)*")'
    r"|(?P<scalar>-?(?:[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|Infinity)|NaN|true|false|null))",
    re.DOTALL,
)


def is_deep(value: Any) -> bool:
    """Whether a value has containers below MAX_DEPTH others."""
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
    """What may come next."""

    VALUE = auto()
    FIRST_VALUE = auto()  # or the end of the list
    KEY = auto()
    FIRST_KEY = auto()  # or the end of the object
    COLON = auto()
    COMMA = auto()  # or the end of either


_VALUE = frozenset({_Next.VALUE, _Next.FIRST_VALUE})
_KEY = frozenset({_Next.KEY, _Next.FIRST_KEY})
_END = frozenset({_Next.FIRST_VALUE, _Next.FIRST_KEY, _Next.COMMA})


class _Refused(ValueError):
    """The text is no JSON here."""


class DeepReader:
    """Reads one object or list from a text; `scalar` decodes a string, number or constant."""

    def __init__(self, text: str, scalar: Callable[[str], Any]) -> None:
        self._text = text
        self._scalar = scalar
        self._containers: list[Any] = []
        self._keys: list[str] = []
        self._starts: list[int] = []
        self._next = _Next.VALUE
        self._whole: Any = None

    def read(self, start: int) -> tuple[Any, int] | None:
        """Return the value that begins at `start` and where it ends, or None if there is none."""
        steps: dict[str | None, Callable[[str, int, int], None]] = {
            "open": self._open,
            "close": self._close,
            "comma": self._comma,
            "colon": self._colon,
            "string": self._string,
            "scalar": self._plain,
        }
        position = start
        while self._whole is None:
            token = _TOKEN.match(self._text, position)
            if token is None or token.lastgroup is None:
                return None
            position = token.end()
            try:
                steps[token.lastgroup](token[token.lastgroup], token.start(token.lastgroup), position)
            except ValueError:
                return None
        return self._whole, position

    def _require(self, expected: frozenset[_Next]) -> None:
        if self._next not in expected:
            raise _Refused

    def _open(self, mark: str, start: int, _end: int) -> None:
        self._require(_VALUE)
        self._containers.append({} if mark == "{" else [])
        self._keys.append("")
        self._starts.append(start)
        self._next = _Next.FIRST_KEY if mark == "{" else _Next.FIRST_VALUE

    def _close(self, mark: str, _start: int, end: int) -> None:
        self._require(_END)
        if isinstance(self._containers[-1], dict) != (mark == "}"):
            raise _Refused
        value, begun = self._containers.pop(), self._starts.pop()
        self._keys.pop()
        if not self._containers:
            self._whole = value
        elif len(self._containers) == MAX_DEPTH:
            self._put(self._text[begun:end])
        else:
            self._put(value)

    def _comma(self, _mark: str, _start: int, _end: int) -> None:
        self._require(frozenset({_Next.COMMA}))
        self._next = _Next.KEY if isinstance(self._containers[-1], dict) else _Next.VALUE

    def _colon(self, _mark: str, _start: int, _end: int) -> None:
        self._require(frozenset({_Next.COLON}))
        self._next = _Next.VALUE

    def _string(self, token: str, start: int, end: int) -> None:
        if self._next in _KEY:
            self._keys[-1] = self._scalar(token)
            self._next = _Next.COLON
        else:
            self._plain(token, start, end)

    def _plain(self, token: str, _start: int, _end: int) -> None:
        self._require(_VALUE)
        if not self._containers:
            raise _Refused
        self._put(self._scalar(token))

    def _put(self, value: Any) -> None:
        self._next = _Next.COMMA
        if len(self._containers) > MAX_DEPTH:
            return  # a container above it stands as text
        if isinstance(self._containers[-1], dict):
            self._containers[-1][self._keys[-1]] = value
        else:
            self._containers[-1].append(value)
