"""A corpus to what indexing it costs: the floor, all of it, nothing new, one more line, one more session."""

import json
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from transcripts.day import session_of
from transcripts.entries import Maker

from .places import Place, sessions
from .process import Cost, best, must, run
from .results import Ingest

_FLOOR = str(Path(__file__).with_name("floor.py"))
_SESSION = 1 << 20  # bytes
_LATE = 10_000_000.0  # seconds after the beginning of what is made up


def floor(place: Place, repeat: int) -> Cost:
    """What the least costs that an index could do."""
    costs = []
    for _ in range(repeat):
        place.clear()
        command = [sys.executable, _FLOOR, str(place.projects), str(place.db)]
        costs.append(must(run(command, folder=place.home, environment=place.environment)).cost)
    place.clear()
    return best(costs)


def cold(place: Place, repeat: int) -> Ingest:
    """Index everything, into no index."""
    return _repeated(place, [place.clear] * repeat)


def unchanged(place: Place, repeat: int) -> Ingest:
    """Run again when nothing is new."""
    return _repeated(place, [lambda: None] * repeat)


def appended(place: Place, repeat: int) -> Ingest:
    """Run after a line was appended to the largest session."""
    return _repeated(place, [partial(_append, place, number) for number in range(repeat)])


def new_session(place: Place, repeat: int) -> Ingest:
    """Run after a session of a megabyte was written."""
    return _repeated(place, [partial(_add_session, place, number) for number in range(repeat)])


def largest(place: Place) -> Path:
    """The file of the largest session."""
    return max(sessions(place.projects), key=lambda path: (path.stat().st_size, path))


def _repeated(place: Place, preparations: Sequence[Callable[[], None]]) -> Ingest:
    """Run after each preparation; the phases are those of the quickest run."""
    runs = []
    for prepare in preparations:
        prepare()
        before = place.state() if place.db.exists() else None
        done, report = place.ingest()
        runs.append((done.cost, report, place.state() != before))
    _, quickest, _ = min(runs, key=lambda run: run[0].seconds)
    return Ingest(
        best([cost for cost, _, _ in runs]),
        max(report["bytes_read"] for _, report, _ in runs),
        any(has_written for _, _, has_written in runs),
        quickest.get("phases", {}),
    )


def _append(place: Place, number: int) -> None:
    path = largest(place)
    data = path.read_bytes()
    last = next(value for value in map(_decoded, reversed(data.splitlines())) if "uuid" in value)
    line = {
        "type": "user",
        "uuid": Maker(number).uuid("appended"),
        "parentUuid": last["uuid"],
        "sessionId": last.get("sessionId", path.stem),
        "timestamp": last.get("timestamp"),
        "message": {"role": "user", "content": "one more line"},
    }
    with path.open("ab") as file:
        file.write(b"" if data.endswith(b"\n") else b"\n")
        file.write(json.dumps(line).encode() + b"\n")


def _decoded(line: bytes) -> dict[str, str]:
    try:
        value = json.loads(line)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _add_session(place: Place, number: int) -> None:
    for name, lines in session_of(Maker(number), f"new{number}", size=_SESSION, at=_LATE):
        path = place.projects / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
