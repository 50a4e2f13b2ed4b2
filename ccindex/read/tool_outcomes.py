"""`toolUseResult` and task notifications to facts about tool calls and background tasks."""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from ccindex.model.recorded import Notice, Outcome
from ccindex.read.json_values import clipped, flag_or_none, integer, mapping, size, string

_EXIT_CODE = re.compile(r"(?:Error: )?Exit code (-?[0-9]{1,9})\b")
_LONGEST = 500
# Texts that the result block or the file itself holds too, and lists that can be as long as a tree of files.
_BULKY = frozenset(
    "stdout stderr content file originalFile originalFileContents oldString newString structuredPatch edits "
    "filenames results prompt result output".split()
)
# These, and keys with a column of their own.
_PLACED = _BULKY | frozenset(
    "status interrupted agentId agent_id runId filePath numFiles numLines totalTokens totalToolUseCount isAsync "
    "backgroundTaskId persistedOutputPath persistedOutputSize usage".split()
)


def outcome_of(result: Any, failed: str | None, denial_kind: str | None = None) -> Outcome | None:
    """Read a dict in full; of a string, which is an error's text, only the exit code, as of what a call failed with.

    `denial_kind`: why the call was not allowed (`toolDenialKind` of the entry).
    """
    found = _recorded(result, failed)
    return found if denial_kind is None else (found or Outcome())._replace(denial_kind=denial_kind)


def _recorded(result: Any, failed: str | None) -> Outcome | None:
    if result is None:
        code = _EXIT_CODE.match(failed) if failed else None
        return Outcome(exit_code=_code(code)) if code else None
    if isinstance(result, str):
        code = _EXIT_CODE.match(result)
        return Outcome(status="error" if result.startswith("Error") else None, exit_code=_code(code))
    return _outcome(result) if isinstance(result, dict) else Outcome()


def _outcome(result: dict[str, Any]) -> Outcome:
    get = result.get
    file, task = mapping(get("file")), mapping(get("task"))
    added, removed = _patch(get("structuredPatch"))
    facts = {key: value for key, value in result.items() if key not in _PLACED}
    return Outcome(
        string(get("status")),
        _first_integer(get("exitCode"), task.get("exitCode")),
        flag_or_none(get("interrupted")),
        _duration(result),
        string(get("agentId")) or string(get("agent_id")),
        string(get("runId")),
        string(get("filePath")) or string(file.get("filePath")),
        added,
        removed,
        integer(get("numFiles")),
        _first_integer(get("numLines"), file.get("numLines")),
        _bytes(get("stdout")),
        _bytes(get("stderr")),
        integer(get("totalTokens")),
        integer(get("totalToolUseCount")),
        flag_or_none(get("isAsync")),
        string(get("backgroundTaskId")),
        string(get("persistedOutputPath")),
        integer(get("persistedOutputSize")),
        clipped(facts, longest=_LONGEST) if facts else None,
    )


def _code(found: re.Match[str] | None) -> int | None:
    return int(found.group(1)) if found else None


def _first_integer(first: Any, second: Any) -> int | None:
    number = integer(first)
    return integer(second) if number is None else number


def _bytes(text: Any) -> int | None:
    return size(text) if isinstance(text, str) else None


def _duration(result: dict[str, Any]) -> int | None:
    """Milliseconds, which searches and agents record as such and web searches in seconds."""
    in_ms = _first_integer(result.get("totalDurationMs"), result.get("durationMs"))
    if in_ms is not None:
        return in_ms
    seconds = result.get("durationSeconds")
    return int(seconds * 1000) if isinstance(seconds, float | int) and abs(seconds) < 1e12 else None


def _patch(hunks: Any) -> tuple[int | None, int | None]:
    """Lines added and removed by a structured patch."""
    if not isinstance(hunks, list):
        return None, None
    marks = [
        line[:1]
        for hunk in hunks
        if isinstance(hunk, dict) and isinstance(hunk.get("lines"), list)
        for line in hunk["lines"]
        if isinstance(line, str)
    ]
    return marks.count("+"), marks.count("-")


_NOTIFICATIONS = ("<task-notification", "<bash-notification", "<agent-notification")
# The report may contain any text. It ends before another tag or the end of the notification.
_PARTS = re.compile(
    r"<(task|bash|agent)-notification\b"
    r"|<result>(.*?)(?:</result>(?=\s*(?:</?[a-z][a-z-]*>|\Z))|(?=</(?:task|bash|agent)-notification>\s*\Z)|\Z)",
    re.DOTALL,
)
_ID = re.compile(r"<(?:task|shell|agent)-id>([^<]*)</(?:task|shell|agent)-id>")
_STATUS = re.compile(r"<status>([^<]*)</status>")
_SUMMARY = re.compile(r"<summary>(.*?)</summary>", re.DOTALL)
_KINDS = {"task": "task", "bash": "shell", "agent": "agent"}


class Parted(NamedTuple):
    """A notification's text: the reports it carries, and the text without them."""

    rest: str
    reports: tuple[str, ...]


def is_notification(text: str) -> bool:
    """Whether a text is a notification about a background task, not a person's words."""
    first = text[:1]
    if first != "<":  # as nearly every text
        return first.isspace() and text.lstrip().startswith(_NOTIFICATIONS)
    return text.startswith(_NOTIFICATIONS)


def notices_of(text: str, result: Any) -> tuple[Notice, ...]:
    """Return the tasks that a notification names, and the one that a `toolUseResult` names."""
    notified = tuple(_notified(text)) if is_notification(text) else ()
    task = result.get("task") if type(result) is dict else None
    return (*notified, *_asked(task)) if type(task) is dict else notified


def parted(text: str) -> Parted:
    """Separate the reports of agents from the rest of a notification."""
    found = [match for match in _PARTS.finditer(text) if match[2] is not None]
    pieces, place = [], 0
    for match in found:
        pieces.append(text[place : match.start()])
        place = match.end()
    reports = (match[2].strip() for match in found)
    return Parted("".join((*pieces, text[place:])), tuple(filter(None, reports)))


def _notified(text: str) -> Iterator[Notice]:
    kind, pieces, report, place = "", [], None, 0
    for match in _PARTS.finditer(text):
        if match[1] is None:
            pieces.append(text[place : match.start()])
            report = report or match[2].strip() or None
        else:
            yield from _notice(kind, "".join((*pieces, text[place : match.start()])), report)
            kind, pieces, report = match[1], [], None
        place = match.end()
    yield from _notice(kind, "".join((*pieces, text[place:])), report)


def _notice(kind: str, text: str, report: str | None) -> Iterator[Notice]:
    task, status = _ID.search(text), _STATUS.search(text)
    if kind and task and status and task[1].strip() and status[1].strip():
        summary = _SUMMARY.search(text)
        yield Notice(task[1].strip(), status[1].strip(), _KINDS[kind], (summary and summary[1].strip()) or None, report)


def _asked(task: dict[str, Any]) -> Iterator[Notice]:
    task_id, status = string(task.get("task_id")), string(task.get("status"))
    if task_id is not None and status is not None:
        yield Notice(task_id, status)
