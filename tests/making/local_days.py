"""Count responses and tokens per local day in a folder of transcripts.

This module does not use ccindex, so its counts are an independent check of the counts that ccindex reports.
"""

import json
from collections import defaultdict
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo


class DayCount(NamedTuple):
    """The number of responses on one day, and their tokens."""

    responses: int
    input_tokens: int
    output_tokens: int
    cache_creation_tokens: int
    cache_read_tokens: int


class _Recorded(NamedTuple):
    """A JSON object and its sort key: timestamp in milliseconds since the Unix epoch, path, byte offset."""

    time: tuple[int, str, int]
    value: dict[str, Any]


class _Snapshot(NamedTuple):
    """The usage of a response as recorded by one entry."""

    time: tuple[int, str, int]
    is_sidechain: bool
    usage: dict[str, Any]


def count_local_days(folder: Path, zone: str) -> dict[str, DayCount]:
    """Count the responses in all transcripts under a folder, by local date in the given time zone."""
    days: defaultdict[str, list[int]] = defaultdict(lambda: [0] * len(DayCount._fields))
    for instant, usage in _responses(folder):
        local = datetime.fromtimestamp(instant / 1000, UTC).astimezone(ZoneInfo(zone))
        for index, amount in enumerate((1, *_tokens(usage))):
            days[local.date().isoformat()][index] += amount
    return {day: DayCount(*counts) for day, counts in sorted(days.items())}


def _responses(folder: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the timestamp, in milliseconds, and the usage of every response."""
    groups: defaultdict[str, list[_Snapshot]] = defaultdict(list)
    for path in sorted(folder.rglob("*.jsonl")):
        if "tool-results" not in path.parts:
            for recorded in _objects(path):
                _add_snapshot(groups, recorded)
    for key, snapshots in list(groups.items()):
        own = [snapshot for snapshot in snapshots if not snapshot.is_sidechain]
        instant = min(snapshot.time for snapshot in own or snapshots)[0]
        yield instant, _fullest([(snapshot.time, snapshot.usage) for snapshot in snapshots])
        others: defaultdict[int, list[tuple[tuple[int, str, int], dict[str, Any]]]] = defaultdict(list)
        for snapshot in snapshots:
            for index, usage in _other_models(snapshot.usage):
                others[index].append((snapshot.time, usage))
        for index, usages in others.items():
            if f"{key}#{index}" not in groups:
                yield instant, _fullest(usages)


def _add_snapshot(groups: dict[str, list[_Snapshot]], recorded: _Recorded) -> None:
    entry = recorded.value
    uuid = _text(entry.get("uuid"))
    wrapper = entry if entry.get("type") == "assistant" else _object(_object(entry.get("data")).get("message"))
    message = _object(wrapper.get("message"))
    is_answer = wrapper.get("type") == "assistant" and message.get("model") != "<synthetic>"
    if uuid is None or not is_answer or _flag(entry.get("isApiErrorMessage")):
        return
    key = _text(message.get("id")) or _text(wrapper.get("requestId")) or uuid
    groups[key].append(_Snapshot(recorded.time, _flag(entry.get("isSidechain")), _object(message.get("usage"))))


def _objects(path: Path) -> Iterator[_Recorded]:
    """Yield the objects of a file.

    An object without a timestamp gets the timestamp of the nearest object before it that has one, or of the nearest
    object after it if there is none.
    """
    offset, objects = 0, []
    with path.open("rb") as file:
        for line in file:
            objects += [(offset + start, value) for start, value in _values(line)]
            offset += len(line)
    instants = [_instant(value.get("timestamp")) for _, value in objects]
    latest = next((instant for instant in instants if instant is not None), 0)
    for (start, value), instant in zip(objects, instants, strict=True):
        latest = latest if instant is None else instant
        yield _Recorded((latest, str(path), start), value)


def _values(line: bytes) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the objects on a line, usually one, each with its byte offset."""
    text = line.decode("utf-8", "replace")
    start = 0
    while (start := text.find("{", start)) >= 0:
        try:
            value, end = json.JSONDecoder().raw_decode(text, start)
        except ValueError:
            return
        yield len(text[:start].encode()), value
        start = end


def _fullest(usages: list[tuple[tuple[int, str, int], dict[str, Any]]]) -> dict[str, Any]:
    """Return the usage with the most output tokens; if several have the same number, return the latest."""
    return max(usages, key=lambda item: (_count(item[1].get("output_tokens")), item[0]))[1]


def _other_models(usage: dict[str, Any]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield (index, iteration) pairs for iterations by another model, which are separate responses."""
    iterations = usage.get("iterations")
    for index, item in enumerate(iterations if isinstance(iterations, list) else ()):
        iteration = _object(item)
        kind, model = _text(iteration.get("type")), _text(iteration.get("model"))
        if kind not in (None, "message") and model not in (None, "<synthetic>"):
            yield index, iteration


def _tokens(usage: dict[str, Any]) -> tuple[int, int, int, int]:
    """Return input, output, cache creation (the larger of the total and the sum by lifetime) and cache read tokens."""
    split = _object(usage.get("cache_creation"))
    lifetimes = _count(split.get("ephemeral_5m_input_tokens")) + _count(split.get("ephemeral_1h_input_tokens"))
    return (
        _count(usage.get("input_tokens")),
        _count(usage.get("output_tokens")),
        max(_count(usage.get("cache_creation_input_tokens")), lifetimes),
        _count(usage.get("cache_read_input_tokens")),
    )


def _instant(timestamp: object) -> int | None:
    """Convert a timestamp to milliseconds since the Unix epoch; return None if it cannot be parsed."""
    try:
        parsed = datetime.fromisoformat(timestamp) if isinstance(timestamp, str) else None
    except ValueError:
        return None
    if parsed is None:
        return None
    aware = parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)
    seconds = int(aware.replace(microsecond=0).timestamp())
    return seconds * 1000 + parsed.microsecond // 1000


def _object(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def _count(value: object) -> int:
    return max(value, 0) if isinstance(value, int) and not isinstance(value, bool) else 0


def _flag(value: object) -> bool:
    return value in (True, 1, "true")
