"""Parse `toolUseResult` values and task notifications into rows of call outcomes and notices about tasks."""

import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from ccindex.model.events import Row
from ccindex.model.recorded import Notice, ToolOutcome
from ccindex.read.json_values import dumps_trimmed, flag_or_none, integer, mapping, string, utf8_size

_EXIT_CODE = re.compile(r"(?:Error: )?Exit code (-?[0-9]{1,9})\b")
_MAX_FACTS_CHARS = 500
# Keys of strings that are also in the result block or the file, and of lists that can be very long.
_BULKY_KEYS = frozenset(
    "stdout stderr content file originalFile originalFileContents oldString newString structuredPatch edits "
    "filenames results prompt result output".split()
)
# Keys that are not stored as facts: the bulky ones, and those whose values are stored elsewhere.
_OMITTED_KEYS = _BULKY_KEYS | frozenset(
    "status interrupted agentId agent_id runId filePath numFiles numLines totalTokens totalToolUseCount isAsync "
    "backgroundTaskId persistedOutputPath persistedOutputSize usage".split()
)


def _bytes(text: Any) -> int | None:
    return utf8_size(text) if isinstance(text, str) else None


_AT = {name: index for index, name in enumerate(("entry", *ToolOutcome._fields))}
_STATUS_AT, _EXIT_CODE_AT = _AT["status"], _AT["exit_code"]
_NOTHING = ToolOutcome()
# by key: the index and the converter of a column with the value of this key alone
_CONVERTED: dict[str, tuple[int, Callable[[Any], str | int | None]]] = {
    "status": (_AT["status"], string),
    "interrupted": (_AT["is_interrupted"], flag_or_none),
    "runId": (_AT["workflow_run"], string),
    "numFiles": (_AT["num_files"], integer),
    "stdout": (_AT["stdout_bytes"], _bytes),
    "stderr": (_AT["stderr_bytes"], _bytes),
    "totalTokens": (_AT["total_tokens"], integer),
    "totalToolUseCount": (_AT["total_tool_uses"], integer),
    "isAsync": (_AT["is_async"], flag_or_none),
    "backgroundTaskId": (_AT["background_task_id"], string),
    "persistedOutputPath": (_AT["persisted_path"], string),
    "persistedOutputSize": (_AT["persisted_size"], integer),
}
# keys of columns whose value is taken from one of several keys, or computed
_COMBINED_KEYS = frozenset(
    "exitCode task totalDurationMs durationMs durationSeconds agentId agent_id filePath file structuredPatch "
    "numLines".split()
)


def outcome_row(entry: int, result: Any, error_text: str | None, denial_kind: str | None) -> Row | None:
    """Return the row of a `toolUseResult`. If it is a string, only a status and an exit code are read from it.

    `error_text` is the text of a failed result. The exit code is read from it if there is no `toolUseResult`.
    `denial_kind` is the reason why the call was not allowed (`toolDenialKind` of the entry).
    """
    row: list[Any] = [entry, *_NOTHING]
    if type(result) is dict:
        _fill(row, result)
    elif result is None:
        match = _EXIT_CODE.match(error_text) if error_text else None
        if match is None and denial_kind is None:
            return None
        row[_EXIT_CODE_AT] = _code(match)
    elif type(result) is str:
        row[_STATUS_AT] = "error" if result.startswith("Error") else None
        row[_EXIT_CODE_AT] = _code(_EXIT_CODE.match(result))
    row[-1] = denial_kind
    return tuple(row)


def _fill(row: list[Any], result: dict[str, Any]) -> None:
    """Set the columns for the keys of a `toolUseResult`."""
    facts = {}
    for key, value in result.items():
        if key in _CONVERTED:
            index, convert = _CONVERTED[key]
            row[index] = convert(value)
        if key not in _OMITTED_KEYS:
            facts[key] = value
    if facts:
        row[_AT["facts"]] = dumps_trimmed(facts, max_chars=_MAX_FACTS_CHARS)
    if _COMBINED_KEYS.isdisjoint(result):
        return
    get = result.get
    file, task = mapping(get("file")), mapping(get("task"))
    row[_EXIT_CODE_AT] = _first_integer(get("exitCode"), task.get("exitCode"))
    row[_AT["duration_ms"]] = _duration(result)
    row[_AT["agent_id"]] = string(get("agentId")) or string(get("agent_id"))
    row[_AT["file_path"]] = string(get("filePath")) or string(file.get("filePath"))
    row[_AT["lines_added"]], row[_AT["lines_removed"]] = _count_patch_lines(get("structuredPatch"))
    row[_AT["num_lines"]] = _first_integer(get("numLines"), file.get("numLines"))


def _code(match: re.Match[str] | None) -> int | None:
    return int(match.group(1)) if match else None


def _first_integer(first: Any, second: Any) -> int | None:
    number = integer(first)
    return integer(second) if number is None else number


def _duration(result: dict[str, Any]) -> int | None:
    """Return the recorded duration in milliseconds, if any. Some tools, such as web search, record seconds."""
    in_ms = _first_integer(result.get("totalDurationMs"), result.get("durationMs"))
    if in_ms is not None:
        return in_ms
    seconds = result.get("durationSeconds")
    return int(seconds * 1000) if isinstance(seconds, float | int) and abs(seconds) < 1e12 else None


def _count_patch_lines(hunks: Any) -> tuple[int | None, int | None]:
    """Count the lines that a structured patch adds and removes."""
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
# A report may contain any text, so `</result>` ends it only before another tag or at the end of the text.
_PARTS = re.compile(
    r"<(task|bash|agent)-notification\b"
    r"|<result>(.*?)(?:</result>(?=\s*(?:</?[a-z][a-z-]*>|\Z))|(?=</(?:task|bash|agent)-notification>\s*\Z)|\Z)",
    re.DOTALL,
)
_ID = re.compile(r"<(?:task|shell|agent)-id>([^<]*)</(?:task|shell|agent)-id>")
_STATUS = re.compile(r"<status>([^<]*)</status>")
_SUMMARY = re.compile(r"<summary>(.*?)</summary>", re.DOTALL)
_KINDS = {"task": "task", "bash": "shell", "agent": "agent"}


class NotificationParts(NamedTuple):
    """The text of a notification without its reports, and the reports."""

    rest: str
    reports: tuple[str, ...]


def is_notification(text: str) -> bool:
    """Return whether the text is a notification about a background task rather than text that a person typed."""
    first = text[:1]
    if first != "<":  # true for nearly all text
        return first.isspace() and text.lstrip().startswith(_NOTIFICATIONS)
    return text.startswith(_NOTIFICATIONS)


def parse_notices(text: str, result: Any) -> tuple[Notice, ...]:
    """Return the notices in `text` if it is a notification, and the notice in `result` if that contains a task."""
    notified = tuple(_notification_notices(text)) if is_notification(text) else ()
    task = result.get("task") if type(result) is dict else None
    return (*notified, *_task_notice(task)) if type(task) is dict else notified


def split_reports(text: str) -> NotificationParts:
    """Separate the agents' reports from the rest of a notification."""
    matches = [match for match in _PARTS.finditer(text) if match[2] is not None]
    pieces, position = [], 0
    for match in matches:
        pieces.append(text[position : match.start()])
        position = match.end()
    reports = (match[2].strip() for match in matches)
    return NotificationParts("".join((*pieces, text[position:])), tuple(filter(None, reports)))


def _notification_notices(text: str) -> Iterator[Notice]:
    kind, pieces, report, position = "", [], None, 0
    for match in _PARTS.finditer(text):
        if match[1] is None:
            pieces.append(text[position : match.start()])
            report = report or match[2].strip() or None
        else:
            yield from _notice(kind, "".join((*pieces, text[position : match.start()])), report)
            kind, pieces, report = match[1], [], None
        position = match.end()
    yield from _notice(kind, "".join((*pieces, text[position:])), report)


def _notice(kind: str, text: str, report: str | None) -> Iterator[Notice]:
    task, status = _ID.search(text), _STATUS.search(text)
    if kind and task and status and task[1].strip() and status[1].strip():
        summary = _SUMMARY.search(text)
        yield Notice(task[1].strip(), status[1].strip(), _KINDS[kind], (summary and summary[1].strip()) or None, report)


def _task_notice(task: dict[str, Any]) -> Iterator[Notice]:
    task_id, status = string(task.get("task_id")), string(task.get("status"))
    if task_id is not None and status is not None:
        yield Notice(task_id, status)
