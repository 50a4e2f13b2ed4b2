"""What became of background tasks: notifications that Claude Code queues and puts into the talk, answers to asking."""

import re
from collections.abc import Iterator
from typing import Any

from ccindex.model.facts import Notice

from .values import string

_NOTIFICATION = "<task-notification"
_NOTIFICATIONS = (_NOTIFICATION, "<bash-notification", "<agent-notification")
_RESULT = re.compile(r"<result>.*?(?:</result>|\Z)", re.DOTALL)  # what the task said may hold anything
_TASK = re.compile(r"<task-id>([^<]*)</task-id>")
_STATUS = re.compile(r"<status>([^<]*)</status>")


def is_notification(text: str) -> bool:
    """The words are not a person's but tell of a background task."""
    return text.startswith(_NOTIFICATIONS)


def notices_of(text: str, result: Any) -> tuple[Notice, ...]:
    """Give the tasks that an entry's words tell of, and the one its `toolUseResult` does."""
    told = tuple(_notified(text)) if is_notification(text) else ()
    task = result.get("task") if type(result) is dict else None
    return (*told, *_asked(task)) if type(task) is dict else told


def _notified(text: str) -> Iterator[Notice]:
    for part in _RESULT.sub("", text).split(_NOTIFICATION)[1:]:
        task, status = _TASK.search(part), _STATUS.search(part)
        if task and status and task[1].strip() and status[1].strip():
            yield Notice(task[1].strip(), status[1].strip())


def _asked(task: dict[str, Any]) -> Iterator[Notice]:
    task_id, status = string(task.get("task_id")), string(task.get("status"))
    if task_id is not None and status is not None:
        yield Notice(task_id, status)
