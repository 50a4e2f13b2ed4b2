"""Measure `ccindex ingest` for a corpus: first run, no changes, one new line, one new session, and the floor."""

import json
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from transcripts.entries import EntryMaker
from transcripts.workday import one_session

from .homes import Home, session_files
from .process import Cost, best, require_success, run
from .results import Ingest

_MINIMAL_INDEXER = str(Path(__file__).with_name("minimal_indexer.py"))
_SESSION_BYTES = 1 << 20
_SESSION_START_SECONDS = 10_000_000.0  # later than all other generated entries


def measure_floor(home: Home, repeat: int) -> Cost:
    """Measure the minimal indexer, a lower bound for the cost of any indexer in Python."""
    costs = []
    for _ in range(repeat):
        home.delete_index()
        command = [sys.executable, _MINIMAL_INDEXER, str(home.projects), str(home.db)]
        costs.append(require_success(run(command, folder=home.folder, environment=home.environment)).cost)
    home.delete_index()
    return best(costs)


def measure_cold(home: Home, repeat: int) -> Ingest:
    """Measure a run that indexes all files into a new index."""
    return _measure_runs(home, [home.delete_index] * repeat)


def measure_unchanged(home: Home, repeat: int) -> Ingest:
    """Measure a run on unchanged files."""
    return _measure_runs(home, [lambda: None] * repeat)


def measure_appended(home: Home, repeat: int) -> Ingest:
    """Measure a run after a line was appended to the largest session."""
    return _measure_runs(home, [partial(_append_line, home, number) for number in range(repeat)])


def measure_new_session(home: Home, repeat: int) -> Ingest:
    """Measure a run after a new session of one megabyte was written."""
    return _measure_runs(home, [partial(_add_session, home, number) for number in range(repeat)])


def largest_session(home: Home) -> Path:
    """Return the transcript of the largest session."""
    return max(session_files(home.projects), key=lambda path: (path.stat().st_size, path))


def _measure_runs(home: Home, preparations: Sequence[Callable[[], None]]) -> Ingest:
    """Run one ingest after each preparation. The phases are those of the fastest run."""
    runs = []
    for prepare in preparations:
        prepare()
        before = home.index_state() if home.db.exists() else None
        completed, report = home.ingest()
        runs.append((completed.cost, report, home.index_state() != before))
    _, fastest, _ = min(runs, key=lambda run: run[0].seconds)
    return Ingest(
        best([cost for cost, _, _ in runs]),
        max(report["bytes_read"] for _, report, _ in runs),
        any(has_written for _, _, has_written in runs),
        fastest.get("phases", {}),
    )


def _append_line(home: Home, number: int) -> None:
    path = largest_session(home)
    data = path.read_bytes()
    last = next(value for value in map(_decode_object, reversed(data.splitlines())) if "uuid" in value)
    line = {
        "type": "user",
        "uuid": EntryMaker(number).uuid("appended"),
        "parentUuid": last["uuid"],
        "sessionId": last.get("sessionId", path.stem),
        "timestamp": last.get("timestamp"),
        "message": {"role": "user", "content": "one more line"},
    }
    with path.open("ab") as file:
        file.write(b"" if data.endswith(b"\n") else b"\n")
        file.write(json.dumps(line).encode() + b"\n")


def _decode_object(line: bytes) -> dict[str, str]:
    """Return the JSON object in a line, or an empty object if there is none."""
    try:
        value = json.loads(line)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _add_session(home: Home, number: int) -> None:
    maker = EntryMaker(number)
    files = one_session(maker, f"new{number}", min_chars=_SESSION_BYTES, start=_SESSION_START_SECONDS)
    for name, lines in files:
        path = home.projects / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
