"""Background tasks and their outcome, read from notifications and from answers of the task tools."""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from ccindex.model.facts import Notice

from .values import string

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
