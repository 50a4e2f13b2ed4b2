"""Notices about background tasks in prompts, tool results, queue operations and `toolUseResult` values."""

import subprocess
import sys
from typing import Any

import pytest

from ccindex.model.recorded import Notice
from ccindex.read.tool_outcomes import is_notification, parse_notices, split_reports
from tests.making.parsed_objects import parse_object

COMPLETED = Notice("a1b2", "completed", "task", 'Agent "look <status>failed</status> around" completed', "All is well.")
NOTIFICATION = """<task-notification>
<task-id>a1b2</task-id>
<tool-use-id>toolu_1</tool-use-id>
<status>completed</status>
<summary>Agent "look <status>failed</status> around" completed</summary>
<result>All is well.</result>
</task-notification>
Full transcript available at: /tmp/a1b2.output"""


def notices(**keys: Any) -> tuple[Notice, ...]:
    return parse_object(keys).notices


def test_notification_contains_the_task_and_its_status() -> None:
    assert parse_notices(NOTIFICATION, None) == (COMPLETED,)
    assert parse_notices("<task-notification><task-id> b </task-id>\n<status>\nkilled </status>", None) == (
        Notice("b", "killed"),
    )


@pytest.mark.parametrize(
    ("tag", "name", "kind"),
    [("bash", "shell-id", "shell"), ("agent", "agent-id", "agent")],
)
def test_older_shell_and_agent_notifications_are_parsed(tag: str, name: str, kind: str) -> None:
    text = (
        f"<{tag}-notification>\n<{name}>bb6abe4</{name}>\n<output-file>/tmp/bb6abe4.output</output-file>\n"
        '<status>failed</status>\n<summary>"Start" failed with exit code 1.</summary>\n'
        f"Read the output file to retrieve the output.\n</{tag}-notification>"
    )
    assert parse_notices(text, None) == (Notice("bb6abe4", "failed", kind, '"Start" failed with exit code 1.'),)
    assert parse_notices(f"\n  {text}", None) == parse_notices(text, None)
    assert is_notification(text)


def test_report_may_contain_the_tags_of_a_notification() -> None:
    report = "It wrote `</result>` and <b>bold</b>, then </task-notification> twice."
    text = NOTIFICATION.replace("All is well.", report)
    assert parse_notices(text, None) == (COMPLETED._replace(result=report),)
    assert split_reports(text).reports == (report,)
    assert split_reports(text).rest == NOTIFICATION.replace("<result>All is well.</result>", "")


@pytest.mark.parametrize(
    "keys",
    [
        {"uuid": "u1", "type": "user", "message": {"content": NOTIFICATION}},
        {"uuid": "u1", "type": "user", "message": {"content": [{"type": "text", "text": NOTIFICATION}]}},
        {"uuid": "u1", "type": "user", "message": {"content": NOTIFICATION}, "isMeta": True},
        {"uuid": "u1", "type": "attachment", "attachment": {"type": "queued_command", "prompt": NOTIFICATION}},
        {"uuid": "u1", "type": "attachment", "attachment": {"prompt": [{"type": "text", "text": NOTIFICATION}]}},
        {"type": "queue-operation", "operation": "enqueue", "content": NOTIFICATION},
    ],
    ids=["string", "blocks", "meta", "attachment", "attached blocks", "queue"],
)
def test_notification_is_found_in_every_kind_of_object(keys: dict[str, Any]) -> None:
    assert notices(**keys) == (COMPLETED,)


def test_several_notifications_in_one_text_are_parsed() -> None:
    other = NOTIFICATION.replace("a1b2", "c3").replace(">completed<", ">failed<", 1)
    assert parse_notices(f"{NOTIFICATION}\n{other}", None) == (
        COMPLETED,
        COMPLETED._replace(task_id="c3", status="failed"),
    )


@pytest.mark.parametrize(
    "text",
    [
        f"I saw this: {NOTIFICATION}",
        "<task-notification><task-id>a</task-id></task-notification>",
        "<task-notification><status>completed</status></task-notification>",
        "<task-notification><task-id></task-id><status>completed</status>",
        "<task-notification><task-id>a<status>completed</status>",
        "<task-notification>",
        "",
    ],
    ids=["quoted", "no status", "no task", "empty task", "unclosed", "only the tag", "empty text"],
)
def test_incomplete_notification_is_ignored(text: str) -> None:
    assert parse_notices(text, None) == ()


def test_notification_inside_a_report_is_ignored() -> None:
    inner = "<task-notification><task-id>other</task-id><status>failed</status></task-notification>"
    report = f"The log contains {inner} twice."
    assert parse_notices(NOTIFICATION.replace("All is well.", report), None) == (COMPLETED._replace(result=report),)


def test_status_inside_a_report_is_ignored() -> None:
    text = "<task-notification><task-id>a</task-id><result><status>failed</status></result></task-notification>"
    assert parse_notices(text, None) == ()


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        (
            {"retrieval_status": "success", "task": {"task_id": "b1", "status": "completed"}},
            (Notice("b1", "completed"),),
        ),
        ({"retrieval_status": "timeout", "task": {"task_id": "b1", "status": "running"}}, (Notice("b1", "running"),)),
        ({"task": {"id": "1", "subject": "a todo"}}, ()),
        ({"task": {"task_id": 7, "status": "completed"}}, ()),
        ({"task": {"task_id": "b1", "status": None}}, ()),
        ({"task": "b1"}, ()),
        ([{"task": {}}], ()),
        ("Error: no such task", ()),
        (None, ()),
    ],
)
def test_tool_use_result_about_a_task_is_a_notice(result: Any, expected: tuple[Notice, ...]) -> None:
    assert parse_notices("", result) == expected
    block = {"type": "tool_result", "tool_use_id": "t1", "content": "out"}
    assert notices(uuid="u1", type="user", message={"content": [block]}, toolUseResult=result) == expected


def test_tool_result_that_begins_with_a_notification_is_a_notice() -> None:
    block = {"type": "tool_result", "tool_use_id": "t1", "content": NOTIFICATION}
    assert notices(uuid="u1", type="user", message={"content": [block]}) == (COMPLETED,)


def test_notification_with_many_blanks_is_parsed_in_linear_time() -> None:
    script = (
        "from ccindex.read.tool_outcomes import parse_notices\n"
        "for start in ('<task-id>', '<task-id>a', '<task-id>a</task-id><status>'):\n"
        "    assert parse_notices('<task-notification>' + start + ' ' * 100_000 + 'x', None) == ()\n"
    )
    # in a separate process, because a running regular expression cannot be interrupted
    assert subprocess.run([sys.executable, "-c", script], check=False, timeout=10).returncode == 0
