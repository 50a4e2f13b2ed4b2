"""Read a folder of transcripts: occurrences with their timestamps and sessions, and sidecars (rule: time_order)."""

import json
import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import Any

_STAMP = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?(?:Z|([+-])(\d\d)(?::?(\d\d))?)?", re.ASCII
)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_BOM = "\ufeff"


@dataclass
class Occurrence:
    """One JSON object at one byte offset (rule: entry_or_record)."""

    value: dict[str, Any]
    path: str
    offset: int
    own_instant: int | None
    instant: int = 0
    session: str = ""

    @cached_property
    def uuid(self) -> str | None:
        return as_text(self.value.get("uuid"))

    @property
    def seq(self) -> tuple[str, int]:
        return self.path, self.offset

    @property
    def time(self) -> tuple[int, str, int]:
        return (self.instant, self.path, self.offset)

    @cached_property
    def file_agent(self) -> str | None:
        """The agent id in the file name; None for a session's file."""
        stem = Path(self.path).stem
        return stem.removeprefix("agent-") if stem.startswith("agent-") else None

    @cached_property
    def run(self) -> str | None:
        """The workflow run whose folder contains the file, or None."""
        folders = Path(self.path).parts[:-1]
        return folders[-1] if folders[-3:-1] == ("subagents", "workflows") else None


@dataclass
class Sidecar:
    """The content of an agent's `.meta.json` file, and its path."""

    path: str
    agent: str
    session: str | None
    value: dict[str, Any]


def as_text(value: Any) -> str | None:
    """Return the value if it is a non-empty string, otherwise None."""
    return value if isinstance(value, str) and value else None


def as_object(value: Any) -> dict[str, Any]:
    """Return the value if it is a JSON object, otherwise an empty object."""
    return value if isinstance(value, dict) else {}


def as_count(value: Any) -> int | None:
    """Return the value if it is a 64-bit whole number, with negative numbers clamped to 0; otherwise None."""
    is_whole = (isinstance(value, int) and not isinstance(value, bool)) or (
        isinstance(value, float) and value.is_integer()
    )
    return max(int(value), 0) if is_whole and -(2**63) <= value < 2**63 else None


def is_set(value: Any) -> bool:
    """Return whether a flag is set: true, 1 or "true" (rule: flag)."""
    return value in (1, "true")  # True equals 1


def read_occurrences(folder: Path) -> list[Occurrence]:
    """Read every transcript under a folder (rule: transcript_file)."""
    found = []
    for path in sorted(folder.resolve().rglob("*.jsonl")):
        if "tool-results" in _closest_folders(path):
            continue
        objects = _objects(path)
        _set_instants(objects)
        _set_sessions(path, objects)
        found += objects
    return found


def read_sidecars(folder: Path) -> list[Sidecar]:
    """Read every agent's sidecar under a folder, sorted by path."""
    found = []
    for path in sorted(folder.resolve().rglob("agent-*.meta.json"), key=str):
        if "tool-results" in _closest_folders(path):
            continue
        agent = path.name.removeprefix("agent-").removesuffix(".meta.json")
        value = as_object(json.loads(path.read_bytes()))
        found.append(Sidecar(str(path), agent, _folder_session(path), value))
    return found


def instant_of(stamp: Any) -> int | None:
    """Convert a timestamp to milliseconds since the Unix epoch; return None if it is invalid (rule: instant)."""
    form = _STAMP.fullmatch(stamp) if isinstance(stamp, str) else None
    if form is None:
        return None
    year, month, day, hour, minute, second, fraction, sign, off_hours, off_minutes = form.groups()
    try:
        moment = datetime(int(year), int(month), int(day), int(hour), int(minute), int(second or 0), tzinfo=UTC)
    except ValueError:
        return None
    if int(off_hours or 0) > 23 or int(off_minutes or 0) > 59:
        return None
    passed = (moment - _EPOCH) // timedelta(milliseconds=1) + int((fraction or "0")[:3].ljust(3, "0"))
    offset = (int(off_hours or 0) * 60 + int(off_minutes or 0)) * 60_000
    return passed + offset if sign == "-" else passed - offset


def _objects(path: Path) -> list[Occurrence]:
    """Read the objects of a file, possibly several per line. Other text is skipped up to the end of its line."""
    found = []
    offset = 0
    decoder = json.JSONDecoder()
    for raw in path.read_bytes().split(b"\n"):
        text = raw.decode("utf-8", "surrogateescape")
        here = 0
        while here < len(text):
            if text[here] in " \t\r" + _BOM:
                here += 1
                continue
            try:
                value, end = decoder.raw_decode(text, here)
            except json.JSONDecodeError:
                break
            if not isinstance(value, dict):
                break
            at = offset + len(text[:here].encode("utf-8", "surrogateescape"))
            found.append(Occurrence(value, str(path), at, instant_of(value.get("timestamp"))))
            here = end
        offset += len(raw) + 1
    return found


def _set_instants(objects: list[Occurrence]) -> None:
    instants = _filled([item.own_instant for item in objects])
    for item, instant in zip(objects, instants, strict=True):
        item.instant = instant or 0


def _set_sessions(path: Path, objects: list[Occurrence]) -> None:
    own = [as_text(item.value.get("sessionId")) for item in objects]
    nearest = _filled(own)
    for index, item in enumerate(objects):
        item.session = own[index] or _folder_session(path) or nearest[index] or path.stem


def _filled(values: list[Any]) -> list[Any]:
    """Replace every None with the last value before it or, at the start, the first value (rule: inherited_instant)."""
    last = next((value for value in values if value is not None), None)
    found = []
    for value in values:
        last = last if value is None else value
        found.append(last)
    return found


def _folder_session(path: Path) -> str | None:
    """Return the session id from a folder `<sessionId>/subagents` above a file (rule: claimed_session)."""
    folders = path.parts[:-1]
    if "subagents" not in _closest_folders(path):
        return None
    place = max(index for index, name in enumerate(folders) if name == "subagents")
    return folders[place - 1] if place > 1 else None


def _closest_folders(path: Path) -> tuple[str, ...]:
    """Return the folders that determine the role of a file (rule: transcript_file)."""
    return path.parts[:-1][-4:]
