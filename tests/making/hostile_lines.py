"""Generate fuzzed transcripts: files with hostile names and hostile lines."""

import json
import os
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.making.hostile_texts import ESCAPES, IDS, TEXTS
from tests.making.wrong_values import SHAPES, WRONG, paths_of, with_value

_FIELDS = ("uuid", "parentUuid", "sessionId", "agentId", "cwd", "gitBranch", "timestamp", "version", "slug", "type")
_RAW = (
    *(b"\x00", b"\x1b[2J", b"\xff\xfe", b"\xc2\x9b31m", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\r", b"\xf4\x90\x80\x80"),
    *(b"{", b"}", b"[", b"]", b'"', b"\\", b",", b":", b"null", b"1e400", b"9" * 5_000, b"-0", b"NaN", b"\n"),
)
_PATHS = (
    *("{p}/{s}.jsonl", "{p}/{s}.jsonl", "{p}/{s}.jsonl", "{p}/{s}/subagents/agent-{a}.jsonl", "{p}/agent-{a}.jsonl"),
    *("{p}/{s}/subagents/agent-{a}.meta.json", "{p}/{s}/workflows/{a}.json", "{p}/{s}/subagents/workflows/{a}.json"),
    *("{p}/{s}/subagents/workflows/{a}/agent-{s}.jsonl", "{p}/{s}/subagents/workflows/{a}/journal.jsonl"),
    *("{p}/{s}/subagents/workflows/{a}/agent-{s}.meta.json", "{p}/{s}/tool-results/{a}.txt"),
)


def write_lines(root: Path, rng: random.Random, lines: int) -> dict[bytes, bytes]:
    """Write files with hostile names and a total of `lines` hostile lines; return the content of every file."""
    contents: dict[bytes, bytes] = {}
    while lines > 0:
        name = _name(rng)
        count = min(rng.randint(1, 120), lines) if name.endswith(b".jsonl") else 1
        lines -= count
        data = b"\n".join(hostile_lines(rng, count)) + (b"" if rng.random() < 0.1 else b"\n")
        path = os.path.join(os.fsencode(root), name)
        try:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as file:
                file.write(data)
        except OSError:  # names that conflict with each other, or that the file system rejects
            continue
        contents[path] = data
    return contents


def _name(rng: random.Random) -> bytes:
    """Return a relative path whose components most file systems accept."""
    parts = {key: _component(rng, "-w" if key == "p" else f"{key}1") for key in "psa"}
    path = rng.choice(_PATHS).encode()
    for key, value in parts.items():
        path = path.replace(b"{%s}" % key.encode(), value)
    return path


def _component(rng: random.Random, usual: str) -> bytes:
    if rng.random() < 0.6:
        return usual.encode()
    if rng.random() < 0.1:
        return b"caf\xe9\x9b\xff"
    hostile = rng.choice(TEXTS).replace("/", "_").replace("\0", "").encode()[:200]
    return hostile if hostile not in (b"", b".", b"..") else b"dots"


def hostile_lines(rng: random.Random, count: int) -> Iterator[bytes]:
    """Yield lines with hostile values and ids, some of them corrupted; no line contains a newline."""
    previous = b"{}"
    for _ in range(count):
        line = _mutated(_object(rng), previous, rng)
        yield line.replace(b"\n", b" ")
        previous = line


def _object(rng: random.Random) -> bytes:
    """Return an object of a random type with a few wrong values."""
    value: Any = dict(rng.choice(SHAPES))
    for name in _FIELDS:
        if name in value and rng.random() < 0.25:
            value[name] = rng.choice(TEXTS) if rng.random() < 0.4 else f"{name[0]}{rng.randint(0, 40)}"
    replacements = {}
    for number in range(rng.choice((0, 1, 1, 2, 5))):
        mark = f"@{number}@"
        value = with_value(value, rng.choice(paths_of(value)), mark)
        replacements[mark] = rng.choice(WRONG) if rng.random() < 0.5 else _string(rng)
    text = json.dumps(value, ensure_ascii=rng.random() < 0.5).encode("utf-8", "surrogatepass")
    for mark, wrong in replacements.items():
        text = text.replace(f'"{mark}"'.encode(), wrong)
    if rng.random() < 0.05:  # repeat a key with another value
        text = text[:-1] + b',"%s":%s}' % (rng.choice(_FIELDS).encode(), rng.choice(WRONG))
    return text


def _string(rng: random.Random) -> bytes:
    """Return a hostile string as JSON: either properly escaped, or raw and possibly invalid."""
    text = rng.choice(ESCAPES if rng.random() < 0.6 else IDS)
    if rng.random() < 0.2:
        return b'"' + text.replace("\\", "").replace('"', "").encode() + b'"'
    return json.dumps(text, ensure_ascii=rng.random() < 0.5).encode()


def _mutated(line: bytes, previous: bytes, rng: random.Random) -> bytes:
    """Return the line, sometimes with bytes changed, inserted, removed, repeated, or copied from the previous line."""
    if rng.random() < 0.6:
        return line
    for _ in range(rng.randint(1, 4)):
        start, end = sorted((rng.randrange(len(line) + 1), rng.randrange(len(line) + 1)))
        kind = rng.randrange(7)
        if kind == 0 and start < len(line):
            line = line[:start] + bytes((line[start] ^ (1 << rng.randrange(8)),)) + line[start + 1 :]
        elif kind == 1:
            line = line[:start] + rng.choice(_RAW) + line[start:]
        elif kind == 2:
            line = line[:start] + line[end:] if end - start < 200 else line[:start] + line[start + 3 :]
        elif kind == 3:
            line = line[:start]
        elif kind == 4:
            line = line[:end] + line[start:]
        elif kind == 5:
            line = previous[: rng.randrange(len(previous) + 1)] + line[start:]
        else:
            line = line + rng.choice((b"", b" ", b"\r", b",")) + previous
    return line[: 1 << 20]
