"""Fuzzed transcripts: files with hostile names and lines."""

import json
import os
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.making.hostile_texts import ESCAPES, IDS, TEXTS
from tests.making.wrong_values import SHAPES, WRONG, paths_of, with_value

_NAMED = ("uuid", "parentUuid", "sessionId", "agentId", "cwd", "gitBranch", "timestamp", "version", "slug", "type")
_RAW = (
    *(b"\x00", b"\x1b[2J", b"\xff\xfe", b"\xc2\x9b31m", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\r", b"\xf4\x90\x80\x80"),
    *(b"{", b"}", b"[", b"]", b'"', b"\\", b",", b":", b"null", b"1e400", b"9" * 5_000, b"-0", b"NaN", b"\n"),
)
_PLACES = (
    *("{p}/{s}.jsonl", "{p}/{s}.jsonl", "{p}/{s}.jsonl", "{p}/{s}/subagents/agent-{a}.jsonl", "{p}/agent-{a}.jsonl"),
    *("{p}/{s}/subagents/agent-{a}.meta.json", "{p}/{s}/workflows/{a}.json", "{p}/{s}/subagents/workflows/{a}.json"),
    *("{p}/{s}/subagents/workflows/{a}/agent-{s}.jsonl", "{p}/{s}/subagents/workflows/{a}/journal.jsonl"),
    *("{p}/{s}/subagents/workflows/{a}/agent-{s}.meta.json", "{p}/{s}/tool-results/{a}.txt"),
)


def write_lines(root: Path, chance: random.Random, lines: int) -> dict[bytes, bytes]:
    """Write files with hostile names and `lines` hostile lines in all; return the content of every file."""
    made: dict[bytes, bytes] = {}
    while lines > 0:
        name = _name(chance)
        count = min(chance.randint(1, 120), lines) if name.endswith(b".jsonl") else 1
        lines -= count
        data = b"\n".join(hostile_lines(chance, count)) + (b"" if chance.random() < 0.1 else b"\n")
        path = os.path.join(os.fsencode(root), name)
        try:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as file:
                file.write(data)
        except OSError:  # names that exclude each other, or that this file system refuses
            continue
        made[path] = data
    return made


def _name(chance: random.Random) -> bytes:
    """A path below the root with names that a file system accepts."""
    parts = {key: _component(chance, "-w" if key == "p" else f"{key}1") for key in "psa"}
    place = chance.choice(_PLACES).encode()
    for key, value in parts.items():
        place = place.replace(b"{%s}" % key.encode(), value)
    return place


def _component(chance: random.Random, plain: str) -> bytes:
    if chance.random() < 0.6:
        return plain.encode()
    if chance.random() < 0.1:
        return b"caf\xe9\x9b\xff"
    odd = chance.choice(TEXTS).replace("/", "_").replace("\0", "").encode()[:200]
    return odd if odd not in (b"", b".", b"..") else b"dots"


def hostile_lines(chance: random.Random, count: int) -> Iterator[bytes]:
    """Yield lines with odd values and ids, some of them broken as bytes; none contains a newline."""
    before = b"{}"
    for _ in range(count):
        line = _mutated(_object(chance), before, chance)
        yield line.replace(b"\n", b" ")
        before = line


def _object(chance: random.Random) -> bytes:
    """An object of a random shape with a few wrong values."""
    value: Any = dict(chance.choice(SHAPES))
    for name in _NAMED:
        if name in value and chance.random() < 0.25:
            value[name] = chance.choice(TEXTS) if chance.random() < 0.4 else f"{name[0]}{chance.randint(0, 40)}"
    marks = {}
    for number in range(chance.choice((0, 1, 1, 2, 5))):
        mark = f"@{number}@"
        value = with_value(value, chance.choice(paths_of(value)), mark)
        marks[mark] = chance.choice(WRONG) if chance.random() < 0.5 else _string(chance)
    # a copy, because parts of the shapes are shared
    text = json.dumps(value, ensure_ascii=chance.random() < 0.5).encode("utf-8", "surrogatepass")
    for mark, wrong in marks.items():
        text = text.replace(f'"{mark}"'.encode(), wrong)
    if chance.random() < 0.05:  # a repeated key with another value
        text = text[:-1] + b',"%s":%s}' % (chance.choice(_NAMED).encode(), chance.choice(WRONG))
    return text


def _string(chance: random.Random) -> bytes:
    """A hostile string as JSON, escaped, or raw and perhaps invalid."""
    text = chance.choice(ESCAPES if chance.random() < 0.6 else IDS)
    if chance.random() < 0.2:
        return b'"' + text.replace("\\", "").replace('"', "").encode() + b'"'
    return json.dumps(text, ensure_ascii=chance.random() < 0.5).encode()


def _mutated(line: bytes, before: bytes, chance: random.Random) -> bytes:
    """The same bytes, or some of them changed, cut, repeated, or mixed with the line before."""
    if chance.random() < 0.6:
        return line
    for _ in range(chance.randint(1, 4)):
        at, to = sorted((chance.randrange(len(line) + 1), chance.randrange(len(line) + 1)))
        kind = chance.randrange(7)
        if kind == 0 and at < len(line):
            line = line[:at] + bytes((line[at] ^ (1 << chance.randrange(8)),)) + line[at + 1 :]
        elif kind == 1:
            line = line[:at] + chance.choice(_RAW) + line[at:]
        elif kind == 2:
            line = line[:at] + line[to:] if to - at < 200 else line[:at] + line[at + 3 :]
        elif kind == 3:
            line = line[:at]
        elif kind == 4:
            line = line[:to] + line[at:]
        elif kind == 5:
            line = before[: chance.randrange(len(before) + 1)] + line[at:]
        else:
            line = line + chance.choice((b"", b" ", b"\r", b",")) + before
    return line[: 1 << 20]
