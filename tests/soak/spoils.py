"""Files of whole lines to the bytes that crashes, editors and other programs make of them."""

import json
import math
from typing import Any

from tests.making.random_files import encoded
from tests.reference.dice import Dice

_GARBAGE = [
    *[b"garbage", b'{"uuid":"u1",', b"}", b"[1,2]", b'"text"', b"42", b"null", b"\xff\xfe\xfd", b"\0\0\0", b"," * 300],
    *[b'{"uuid":"u1"}}', b'{"a" 1}', b"{'a':1}", b'{"a":01}', b"\xc3", b"[" * 2_000, b"{" * 2_000, b'{"a":"\\ud83d'],
]
_BLANK = [b"", b"  ", b"\t", b"\r", b"\xef\xbb\xbf", b"\xef\xbb\xbf \xef\xbb\xbf"]
_BETWEEN = [b"", b"", b" ", b"\t \r", b"\xef\xbb\xbf"]
_ODD: list[Any] = [
    *[None, True, 0, -1, 2**63, 10**30, 0.5, math.nan, math.inf, "@e400@", "@digits@", "@deep300@", "@deep985@"],
    *[
        "@deep2000@",
        "@deepest@",
        [],
        {},
        [[], {}],
        "x" * 600,
        "nul\0",
        "nul@nul@",
        "lone \ud83d",
        "bad @ff@",
        "tab@tab@",
    ],
]
_DEEP = (b"[[[[", b'{"a":[{"a":[')
# keys whose oddity may move an entry: to another place, thread, session or kind
_KEYS = ["message", "timestamp", "parentUuid", "sessionId", "type", "agentId", "isSidechain", "cwd", "version", "zeta"]


def spoiled(dice: Dice, data: bytes) -> bytes:
    """Bytes of a transcript with a few things gone wrong, or none."""
    lines = data.splitlines()
    for _ in range(dice.pick([0, 0, 0, 1, 1, 2, 3])):
        lines = _spoil(dice, lines)
    ends = b"\r\n" if dice.chance(5) else b"\n"
    whole = b"".join(line + (b"\r\n" if dice.chance(1) else ends) for line in lines)
    whole = b"\xef\xbb\xbf" + whole if dice.chance(4) else whole
    return _tail(dice, whole, lines)


def _spoil(dice: Dice, lines: list[bytes]) -> list[bytes]:
    place = dice.number(0, max(0, len(lines) - 1))
    before, here, after = lines[:place], lines[place : place + 1], lines[place + 1 :]
    form = dice.pick(["garbage", "blank", "joined", "rest", "odd", "odd", "odd", "twice", "long key"])
    if not here or form in ("garbage", "blank"):
        return [*before, dice.pick(_GARBAGE if form == "garbage" else _BLANK), *here, *after]
    if form == "joined":
        return [*before, dice.pick(_BETWEEN).join([*here, *after[:1]]), *after[1:]]
    if form == "rest":
        return [*before, here[0] + dice.pick(_BETWEEN) + dice.pick(_GARBAGE), *after]
    if form == "twice":
        # a compaction may write history once more
        start = dice.number(0, place)
        return [*lines, *lines[start : place + 1]]
    return [*before, _odd(dice, here[0]), *after]


def _odd(dice: Dice, line: bytes) -> bytes:
    """A line with one value that is none of those expected."""
    if any(deep in line for deep in _DEEP):
        return line  # how deep Python's own parser goes depends on who calls it
    try:
        value = json.loads(line)
    except ValueError:
        return line
    if not isinstance(value, dict):
        return line
    odd = dice.pick(_ODD)
    key = dice.pick([*_KEYS, "deep\ud83d"])
    message = value.get("message")
    if key == "message" and isinstance(message, dict) and dice.chance(70):
        return encoded(value | {"message": message | {dice.pick(["content", "id", "usage", "model"]): odd}})
    return encoded(value | {key: odd})


def _tail(dice: Dice, whole: bytes, lines: list[bytes]) -> bytes:
    """The end of a file: a newline, none, half a line, or nothing to speak of."""
    roll = dice.number(0, 99)
    if roll < 75 or not lines:
        return whole
    if roll < 85:
        return whole.rstrip(b"\r\n")
    if roll < 95:
        return whole + lines[-1][: dice.number(0, len(lines[-1]))]
    return whole + dice.pick(_BLANK)


def rewritten(dice: Dice, data: bytes) -> bytes:
    """What stood in a file before somebody made it what it is now."""
    lines = data.splitlines(keepends=True)
    if not lines:
        return b'{"type":"user","uuid":"before","message":{"content":"was here"}}\n'
    place, at = dice.number(0, len(lines) - 1), dice.number(0, len(data) - 1)
    flipped = bytes([data[at] ^ dice.pick([1, 32])])
    odd = _odd(dice, lines[place].rstrip(b"\r\n")) + b"\n"
    taken_back = b'{"type":"user","uuid":"back","parentUuid":"e1","message":{"content":"taken back"}}\n'
    return dice.pick(
        [
            b"".join(lines[place + 1 :]),
            b"".join([*lines[:place], *lines[place + 1 :]]),
            b"".join([*lines[:place], odd, *lines[place + 1 :]]),
            b"".join(dice.shuffled(lines)),
            data[:at] + flipped + data[at + 1 :],
            data[:at] + b'{"torn',
            data + taken_back,
        ]
    )
