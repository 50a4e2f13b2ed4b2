"""Generate many files, copies of entries and files, and lines that contain no entry."""

import json
from collections.abc import Iterator

from .entries import EntryMaker, format_timestamp
from .graph_shapes import File, turns

_COPIED_ENTRIES = 20


def families(make: EntryMaker, size: int) -> Iterator[File]:
    """Yield unrelated sessions of ten entries each."""
    for number in range(size):
        yield make.session_file(f"s{number}"), turns(make, f"s{number}-", 10, session=f"s{number}")


def files(make: EntryMaker, size: int) -> Iterator[File]:
    """Yield unrelated sessions of one entry each."""
    for number in range(size):
        yield make.session_file(f"s{number}"), [make.prompt(f"u{number}", None, number, session=f"s{number}")]


def copies(make: EntryMaker, size: int) -> Iterator[File]:
    """Yield many copies of one session file under different names."""
    lines = turns(make, "u", _COPIED_ENTRIES)
    for number in range(size):
        yield make.session_file(f"s{number}"), lines


def one_uuid(make: EntryMaker, size: int) -> Iterator[File]:
    """Yield many files, each with one entry; all entries have the same uuid."""
    for number in range(size):
        yield make.session_file(f"s{number}"), [make.prompt("u0", None, number, session=f"s{number}")]


def resumes(make: EntryMaker, size: int) -> Iterator[File]:
    """Yield many sessions, each of which resumes the previous one."""
    for number in range(size):
        yield make.session_file(f"s{number}"), _turn(make, number)


def resumes_copied(make: EntryMaker, size: int) -> Iterator[File]:
    """Yield the same as `resumes`, but every file begins with copies of the complete history."""
    history: list[str] = []
    for number in range(size):
        if number:
            old, new = (f'"sessionId":"{make.uuid(f"s{session}")}"' for session in (number - 1, number))
            history = [line.replace(old, new) for line in history]
        history += _turn(make, number)
        yield make.session_file(f"s{number}"), history


def records(make: EntryMaker, size: int) -> Iterator[File]:
    """Yield a session with many records: queue operations, snapshots and titles."""
    session = make.uuid("s1")
    lines = turns(make, "u", 2)
    for number in range(size):
        timestamp = format_timestamp(number + 2)
        operation = "enqueue" if number % 8 == 0 else "remove"
        record = (
            {"type": "queue-operation", "operation": operation, "content": f"words {number // 8}"},
            {"type": "file-history-snapshot", "messageId": make.uuid("u0"), "snapshot": {}, "isSnapshotUpdate": False},
            {"type": "ai-title", "aiTitle": f"title {number}"},
            {"type": "last-prompt", "lastPrompt": "say u0", "leafUuid": make.uuid("u1")},
        )[number % 4]
        lines.append(json.dumps(record | {"sessionId": session, "timestamp": timestamp}))
    yield make.session_file("s1"), lines


def summaries(make: EntryMaker, size: int) -> Iterator[File]:
    """Yield a session with many summaries of the same leaf."""
    leaf = make.uuid("u1")
    lines = [json.dumps({"type": "summary", "summary": f"words {number}", "leafUuid": leaf}) for number in range(size)]
    yield make.session_file("s1"), [*turns(make, "u", 2), *lines]


def malformed(make: EntryMaker, size: int) -> Iterator[File]:
    """Yield a session with many lines that are not JSON."""
    yield make.session_file("s1"), [*turns(make, "u", 2), *(f'{{"uuid": {number}, nothing' for number in range(size))]


def _turn(make: EntryMaker, number: int) -> list[str]:
    """Return a prompt and its answer in a session of their own, after those of the previous number."""
    parent, keys = f"a{number - 1}" if number else None, {"session": f"s{number}"}
    prompt = make.prompt(f"u{number}", parent, 2 * number, **keys)
    return [prompt, make.answer(f"a{number}", f"u{number}", 2 * number + 1, **keys)]
