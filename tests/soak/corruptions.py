"""Corrupt transcripts in the ways that crashes, editors and other programs do."""

import json
import math
from typing import Any

from tests.making.random_files import encoded
from tests.reference.random_choices import RandomChoices

_GARBAGE = [
    *[b"garbage", b'{"uuid":"u1",', b"}", b"[1,2]", b'"text"', b"42", b"null", b"\xff\xfe\xfd", b"\0\0\0", b"," * 300],
    *[b'{"uuid":"u1"}}', b'{"a" 1}', b"{'a':1}", b'{"a":01}', b"\xc3", b"[" * 2_000, b"{" * 2_000, b'{"a":"\\ud83d'],
]
_BLANK = [b"", b"  ", b"\t", b"\r", b"\xef\xbb\xbf", b"\xef\xbb\xbf \xef\xbb\xbf"]
_BETWEEN = [b"", b"", b" ", b"\t \r", b"\xef\xbb\xbf"]
_UNUSUAL_VALUES: list[Any] = [
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
# keys that determine an entry's position, thread, session or kind, and a few others
_KEYS = ["message", "timestamp", "parentUuid", "sessionId", "type", "agentId", "isSidechain", "cwd", "version", "zeta"]


def corrupt(rng: RandomChoices, data: bytes) -> bytes:
    """Return the bytes of a transcript with up to three corrupt lines and sometimes an unusual ending."""
    lines = data.splitlines()
    for _ in range(rng.pick([0, 0, 0, 1, 1, 2, 3])):
        lines = _corrupt_line(rng, lines)
    ends = b"\r\n" if rng.chance(5) else b"\n"
    whole = b"".join(line + (b"\r\n" if rng.chance(1) else ends) for line in lines)
    whole = b"\xef\xbb\xbf" + whole if rng.chance(4) else whole
    return _tail(rng, whole, lines)


def _corrupt_line(rng: RandomChoices, lines: list[bytes]) -> list[bytes]:
    index = rng.number(0, max(0, len(lines) - 1))
    before, line, after = lines[:index], lines[index : index + 1], lines[index + 1 :]
    form = rng.pick(["garbage", "blank", "joined", "suffix", "value", "value", "value", "repeat", "long key"])
    if not line or form in ("garbage", "blank"):
        return [*before, rng.pick(_GARBAGE if form == "garbage" else _BLANK), *line, *after]
    if form == "joined":
        return [*before, rng.pick(_BETWEEN).join([*line, *after[:1]]), *after[1:]]
    if form == "suffix":
        return [*before, line[0] + rng.pick(_BETWEEN) + rng.pick(_GARBAGE), *after]
    if form == "repeat":
        # a compaction can write earlier entries again
        start = rng.number(0, index)
        return [*lines, *lines[start : index + 1]]
    return [*before, _change_value(rng, line[0]), *after]


def _change_value(rng: RandomChoices, line: bytes) -> bytes:
    """Return a line with one unexpected value."""
    if any(deep in line for deep in _DEEP):
        return line  # the nesting depth that Python's parser supports depends on the call stack
    try:
        value = json.loads(line)
    except ValueError:
        return line
    if not isinstance(value, dict):
        return line
    unusual = rng.pick(_UNUSUAL_VALUES)
    key = rng.pick([*_KEYS, "deep\ud83d"])
    message = value.get("message")
    if key == "message" and isinstance(message, dict) and rng.chance(70):
        return encoded(value | {"message": message | {rng.pick(["content", "id", "usage", "model"]): unusual}})
    return encoded(value | {key: unusual})


def _tail(rng: RandomChoices, whole: bytes, lines: list[bytes]) -> bytes:
    """Return the content with a random ending: unchanged, without a newline, or with a partial line or blank bytes."""
    roll = rng.number(0, 99)
    if roll < 75 or not lines:
        return whole
    if roll < 85:
        return whole.rstrip(b"\r\n")
    if roll < 95:
        return whole + lines[-1][: rng.number(0, len(lines[-1]))]
    return whole + rng.pick(_BLANK)


def earlier_content(rng: RandomChoices, data: bytes) -> bytes:
    """Return content that a file could have had before it was rewritten."""
    lines = data.splitlines(keepends=True)
    if not lines:
        return b'{"type":"user","uuid":"before","message":{"content":"was here"}}\n'
    index, offset = rng.number(0, len(lines) - 1), rng.number(0, len(data) - 1)
    flipped = bytes([data[offset] ^ rng.pick([1, 32])])
    changed = _change_value(rng, lines[index].rstrip(b"\r\n")) + b"\n"
    removed_entry = b'{"type":"user","uuid":"back","parentUuid":"e1","message":{"content":"removed"}}\n'
    return rng.pick(
        [
            b"".join(lines[index + 1 :]),
            b"".join([*lines[:index], *lines[index + 1 :]]),
            b"".join([*lines[:index], changed, *lines[index + 1 :]]),
            b"".join(rng.shuffled(lines)),
            data[:offset] + flipped + data[offset + 1 :],
            data[:offset] + b'{"torn',
            data + removed_entry,
        ]
    )
