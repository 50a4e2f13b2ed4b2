"""Notices of background tasks: notifications in prompts, results and the queue, and answers about task output."""

import subprocess
import sys
from typing import Any

import pytest

from ccindex.model.recorded import Notice
from ccindex.read.entry_parser import parse
from ccindex.read.tool_outcomes import is_notification, notices_of, parted

COMPLETED = Notice("a1b2", "completed", "task", 'Agent "look <status>failed</status> around" completed', "All is well.")
TOLD = """<task-notification>
<task-id>a1b2</task-id>
<tool-use-id>toolu_1</tool-use-id>
<status>completed</status>
<summary>Agent "look <status>failed</status> around" completed</summary>
<result>All is well.</result>
</task-notification>
Full transcript available at: /tmp/a1b2.output"""


def told(**keys: Any) -> tuple[Notice, ...]:
    parsed = parse(keys)
    return parsed.notices if parsed.entry is None else parsed.entry.notices


def test_a_notification_names_its_task_and_what_became_of_it() -> None:
    assert notices_of(TOLD, None) == (COMPLETED,)
    assert notices_of("<task-notification><task-id> b </task-id>\n<status>\nkilled </status>", None) == (
        Notice("b", "killed"),
    )


@pytest.mark.parametrize(
    ("tag", "name", "kind"),
    [("bash", "shell-id", "shell"), ("agent", "agent-id", "agent")],
)
def test_older_notifications_name_shells_and_agents(tag: str, name: str, kind: str) -> None:
    text = (
        f"<{tag}-notification>\n<{name}>bb6abe4</{name}>\n<output-file>/tmp/bb6abe4.output</output-file>\n"
        '<status>failed</status>\n<summary>"Start" failed with exit code 1.</summary>\n'
        f"Read the output file to retrieve the output.\n</{tag}-notification>"
    )
    assert notices_of(text, None) == (Notice("bb6abe4", "failed", kind, '"Start" failed with exit code 1.'),)
    assert notices_of(f"\n  {text}", None) == notices_of(text, None)
    assert is_notification(text)


def test_a_report_may_hold_the_tags_of_its_own_notification() -> None:
    report = "It wrote `</result>` and <b>bold</b>, then </task-notification> twice."
    text = TOLD.replace("All is well.", report)
    assert notices_of(text, None) == (COMPLETED._replace(result=report),)
    assert parted(text).reports == (report,)
    assert parted(text).rest == TOLD.replace("<result>All is well.</result>", "")


@pytest.mark.parametrize(
    "keys",
    [
        {"uuid": "u1", "type": "user", "message": {"content": TOLD}},
        {"uuid": "u1", "type": "user", "message": {"content": [{"type": "text", "text": TOLD}]}},
        {"uuid": "u1", "type": "user", "message": {"content": TOLD}, "isMeta": True},
        {"uuid": "u1", "type": "attachment", "attachment": {"type": "queued_command", "prompt": TOLD}},
        {"uuid": "u1", "type": "attachment", "attachment": {"prompt": [{"type": "text", "text": TOLD}]}},
        {"type": "queue-operation", "operation": "enqueue", "content": TOLD},
    ],
    ids=["words", "blocks", "meta", "attachment", "attached blocks", "queue"],
)
def test_it_is_found_wherever_it_stands(keys: dict[str, Any]) -> None:
    assert told(**keys) == (COMPLETED,)


def test_several_may_come_at_once() -> None:
    other = TOLD.replace("a1b2", "c3").replace(">completed<", ">failed<", 1)
    assert notices_of(f"{TOLD}\n{other}", None) == (
        COMPLETED,
        COMPLETED._replace(task_id="c3", status="failed"),
    )


@pytest.mark.parametrize(
    "text",
    [
        f"I saw this: {TOLD}",
        "<task-notification><task-id>a</task-id></task-notification>",
        "<task-notification><status>completed</status></task-notification>",
        "<task-notification><task-id></task-id><status>completed</status>",
        "<task-notification><task-id>a<status>completed</status>",
        "<task-notification>",
        "",
    ],
    ids=["quoted by a person", "no status", "no task", "empty", "unclosed", "nothing", "no words"],
)
def test_what_says_less_says_nothing(text: str) -> None:
    assert notices_of(text, None) == ()


def test_what_the_task_itself_said_is_no_notice() -> None:
    inner = "<task-notification><task-id>other</task-id><status>failed</status></task-notification>"
    report = f"The log holds {inner} twice."
    assert notices_of(TOLD.replace("All is well.", report), None) == (COMPLETED._replace(result=report),)


def test_a_status_that_only_the_task_speaks_of_is_none() -> None:
    text = "<task-notification><task-id>a</task-id><result><status>failed</status></result></task-notification>"
    assert notices_of(text, None) == ()


@pytest.mark.parametrize(
    ("result", "notices"),
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
def test_asking_for_a_tasks_output_tells_of_it_too(result: Any, notices: tuple[Notice, ...]) -> None:
    assert notices_of("", result) == notices
    block = {"type": "tool_result", "tool_use_id": "t1", "content": "out"}
    assert told(uuid="u1", type="user", message={"content": [block]}, toolUseResult=result) == notices


def test_a_result_that_begins_like_a_notification_tells_of_the_task() -> None:
    block = {"type": "tool_result", "tool_use_id": "t1", "content": TOLD}
    assert told(uuid="u1", type="user", message={"content": [block]}) == (COMPLETED,)


def test_a_notification_full_of_blanks_is_read_in_no_time() -> None:
    script = (
        "from ccindex.read.tool_outcomes import notices_of\n"
        "for start in ('<task-id>', '<task-id>a', '<task-id>a</task-id><status>'):\n"
        "    assert notices_of('<task-notification>' + start + ' ' * 100_000 + 'x', None) == ()\n"
    )
    # a process of its own, which can be stopped
    assert subprocess.run([sys.executable, "-c", script], check=False, timeout=10).returncode == 0
