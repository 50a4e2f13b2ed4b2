"""Read and write the case files in tests/conformance, which contain transcripts and their expected graphs."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from .large_cases import LARGE_CASES

FOLDER = Path(__file__).resolve().parents[1] / "conformance"

_HEADER = re.compile(rb"^=== (.+)\n", re.MULTILINE)
_NO_NEWLINE = ", no newline at end"
_EXPECTED = "expected.json"


@dataclass(frozen=True)
class Case:
    """A small project, a description of it, and its expected graph."""

    name: str
    about: str
    files: dict[str, bytes]
    expected: dict[str, Any]

    def write(self, folder: Path) -> Path:
        """Write the transcripts under a folder; return the folder."""
        for name, data in self.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        return folder


@cache
def all_cases() -> tuple[Case, ...]:
    """Return all cases, sorted by name."""
    read = [parse(path.stem, path.read_bytes()) for path in FOLDER.glob("*.case")]
    generated = [Case(name, *generate()) for name, generate in LARGE_CASES.items()]
    return tuple(sorted(read + generated, key=lambda case: case.name))


def parse(name: str, data: bytes) -> Case:
    """Parse a case file."""
    about, *sections = _HEADER.split(data)
    files = dict(_file(*pair) for pair in zip(sections[::2], sections[1::2], strict=True))
    expected = json.loads(files.pop(_EXPECTED))
    return Case(name, about.decode().removesuffix("\n"), files, expected)


def dump(case: Case) -> bytes:
    """Return the bytes of a case file."""
    parts = [f"{case.about}\n".encode()]
    for name, data in sorted(case.files.items()):
        if _HEADER.search(data):
            raise ValueError(f"{case.name}: {name} has a line that starts with '=== ', which is reserved for headers")
        is_complete = data.endswith(b"\n") or not data
        parts += [f"=== {name}{'' if is_complete else _NO_NEWLINE}\n".encode(), data, b"" if is_complete else b"\n"]
    return b"".join([*parts, f"=== {_EXPECTED}\n".encode(), "\n".join(_json_lines(case.expected)).encode(), b"\n"])


def _file(header: bytes, data: bytes) -> tuple[str, bytes]:
    name = header.decode()
    if name.endswith(_NO_NEWLINE):
        return name.removesuffix(_NO_NEWLINE), data.removesuffix(b"\n")
    return name, data


def _json_lines(value: dict[str, Any]) -> Iterator[str]:
    """Format an expected graph as JSON with one line per key and per inner key, which is more compact than `indent`."""
    yield "{"
    for number, (key, item) in enumerate(sorted(value.items()), 1):
        comma = "," if number < len(value) else ""
        if not isinstance(item, dict) or not item:
            yield f" {json.dumps(key)}: {json.dumps(item)}{comma}"
            continue
        yield f" {json.dumps(key)}: {{"
        rows = [f"  {json.dumps(inner)}: {json.dumps(item[inner], sort_keys=True)}" for inner in sorted(item)]
        yield ",\n".join(rows)
        yield f" }}{comma}"
    yield "}"
