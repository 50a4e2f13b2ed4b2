"""Takes a folder of transcripts and a time zone, gives responses and tokens per local day.

Only the files are read and nothing of ccindex is used, so that its figures can be compared with these.
"""

import json
from collections import defaultdict
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo


class DayCount(NamedTuple):
    """What the responses of one day took."""

    responses: int
    input_tokens: int
    output_tokens: int
    cache_creation_tokens: int
    cache_read_tokens: int


class _Recorded(NamedTuple):
    """A JSON object of a file and its time: instant in milliseconds, path, byte offset."""

    time: tuple[int, str, int]
    value: dict[str, Any]


class _Snapshot(NamedTuple):
    """What one entry recorded of a response."""

    time: tuple[int, str, int]
    is_sidechain: bool
    usage: dict[str, Any]


def count_local_days(folder: Path, zone: str) -> dict[str, DayCount]:
    """Count the responses of all transcripts below a folder, by the date that their instants have in a zone."""
    days: defaultdict[str, list[int]] = defaultdict(lambda: [0] * len(DayCount._fields))
    for instant, usage in _responses(folder):
        moment = datetime.fromtimestamp(instant / 1000, UTC).astimezone(ZoneInfo(zone))
        for place, amount in enumerate((1, *_tokens(usage))):
            days[moment.date().isoformat()][place] += amount
    return {day: DayCount(*counts) for day, counts in sorted(days.items())}


def _responses(folder: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Give the instant and the usage of every response."""
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
    holder = entry if entry.get("type") == "assistant" else _object(_object(entry.get("data")).get("message"))
    message = _object(holder.get("message"))
    is_answer = holder.get("type") == "assistant" and message.get("model") != "<synthetic>"
    if uuid is None or not is_answer or _flag(entry.get("isApiErrorMessage")):
        return
    key = _text(message.get("id")) or _text(holder.get("requestId")) or uuid
    groups[key].append(_Snapshot(recorded.time, _flag(entry.get("isSidechain")), _object(message.get("usage"))))


def _objects(path: Path) -> Iterator[_Recorded]:
    """Give the objects of a file; one without a timestamp has that of the nearest before it, else the nearest after."""
    offset, found = 0, []
    with path.open("rb") as file:
        for line in file:
            found += [(offset + start, value) for start, value in _values(line)]
            offset += len(line)
    instants = [_instant(value.get("timestamp")) for _, value in found]
    latest = next((instant for instant in instants if instant is not None), 0)
    for (start, value), instant in zip(found, instants, strict=True):
        latest = latest if instant is None else instant
        yield _Recorded((latest, str(path), start), value)


def _values(line: bytes) -> Iterator[tuple[int, dict[str, Any]]]:
    """Give the objects on a line, usually one, each with its place in bytes."""
    text = line.decode("utf-8", "replace")
    at = 0
    while (at := text.find("{", at)) >= 0:
        try:
            value, end = json.JSONDecoder().raw_decode(text, at)
        except ValueError:
            return
        yield len(text[:at].encode()), value
        at = end


def _fullest(usages: list[tuple[tuple[int, str, int], dict[str, Any]]]) -> dict[str, Any]:
    """The usage with the greatest number of output tokens, of several the last by time."""
    return max(usages, key=lambda item: (_count(item[1].get("output_tokens")), item[0]))[1]


def _other_models(usage: dict[str, Any]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Give the iterations that another model made, which are responses of their own, by index."""
    iterations = usage.get("iterations")
    for index, item in enumerate(iterations if isinstance(iterations, list) else ()):
        iteration = _object(item)
        kind, model = _text(iteration.get("type")), _text(iteration.get("model"))
        if kind not in (None, "message") and model not in (None, "<synthetic>"):
            yield index, iteration


def _tokens(usage: dict[str, Any]) -> tuple[int, int, int, int]:
    """Input, output, cache creation and cache read; a split by lifetimes may say more than the total."""
    split = _object(usage.get("cache_creation"))
    lifetimes = _count(split.get("ephemeral_5m_input_tokens")) + _count(split.get("ephemeral_1h_input_tokens"))
    return (
        _count(usage.get("input_tokens")),
        _count(usage.get("output_tokens")),
        max(_count(usage.get("cache_creation_input_tokens")), lifetimes),
        _count(usage.get("cache_read_input_tokens")),
    )


def _instant(stamp: object) -> int | None:
    """UTC milliseconds of a timestamp."""
    try:
        moment = datetime.fromisoformat(stamp) if isinstance(stamp, str) else None
    except ValueError:
        return None
    if moment is None:
        return None
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    seconds = int(aware.replace(microsecond=0).timestamp())
    return seconds * 1000 + moment.microsecond // 1000


def _object(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def _count(value: object) -> int:
    return max(value, 0) if isinstance(value, int) and not isinstance(value, bool) else 0


def _flag(value: object) -> bool:
    return value in (True, 1, "true")
