"""The status of subagents: from the result of the call, a notification or an interrupt; otherwise `running`."""

from pathlib import Path
from typing import Any

import pytest

from tests.making.files import append, write
from tests.making.indexes import ask, differences_from_clean, index, one
from tests.making.transcripts import (
    START_MS,
    agent_file,
    assistant,
    at,
    progress,
    record,
    task_notification,
    text_block,
    tool_result,
    tool_use,
    user,
)

REJECTED = "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit)."
CANCELLED = "The user doesn't want to take this action right now. STOP what you are doing and wait for the user."
INTERRUPTED = "[Request interrupted by user]"
LAUNCHED = {"isAsync": True, "status": "async_launched", "agentId": "g1"}


def status(db: Path, project: Path, *lines: str) -> Any:
    """Index a session with the given lines and return the status of the agent spawned by call t1 in entry a1."""
    call = assistant("a1", 1, tool_use("t1", "Task", prompt="Look", run_in_background=True))
    write(project / "s1.jsonl", call, *lines)
    agent_file(project, "g1", user("k1", 2, "Look", isSidechain=True), sidecar={"toolUseId": "t1"})
    index(db, project)
    return one(db, "select status from v1_agents")


@pytest.mark.parametrize(
    ("block", "outcome", "expected"),
    [
        (tool_result("t1", "found"), None, "completed"),
        (tool_result("t1", "found", is_error=False), {"status": "completed", "agentId": "g1"}, "completed"),
        (tool_result("t1", "no such agent", is_error=True), "Error: no such agent", "failed"),
        (tool_result("t1", REJECTED, is_error=True), "Error: rejected", "interrupted"),
        (tool_result("t1", CANCELLED, is_error=True), "Error: cancelled", "interrupted"),
        (tool_result("t1", "[Request interrupted by user for tool use]", is_error=True), None, "interrupted"),
        (tool_result("t1", "so far"), {"agentId": "g1", "interrupted": True}, "interrupted"),
        (tool_result("t1", "so far"), {"agentId": "g1", "wasInterrupted": True}, "interrupted"),
        (tool_result("t1", "so far"), {"agentId": "g1", "status": "killed"}, "interrupted"),
        (tool_result("t1", "broke"), {"agentId": "g1", "status": "error"}, "failed"),
        (tool_result("t1", "launched"), LAUNCHED, "running"),
        (tool_result("t9", "another call's"), None, "running"),
    ],
)
def test_result_of_the_call_sets_the_status(db: Path, project: Path, block: Any, outcome: Any, expected: str) -> None:
    assert status(db, project, user("r1", 3, block, parent="a1", toolUseResult=outcome)) == expected


def test_agent_without_a_result_is_running(db: Path, project: Path) -> None:
    assert status(db, project) == "running"


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        ([user("i1", 3, INTERRUPTED, parent="a1")], "interrupted"),
        ([user("i1", 3, text_block("[Request interrupted by user for tool use]"), parent="a1")], "interrupted"),
        ([user("m1", 3, "reminder", parent="a1", isMeta=True), user("i1", 4, INTERRUPTED, parent="m1")], "interrupted"),
        ([assistant("a2", 3, text_block("hm"), parent="a1"), user("i1", 4, INTERRUPTED, parent="a2")], "interrupted"),
        ([user("u2", 3, "and now?", parent="a1")], "running"),
        ([user("u2", 3, "and now?", parent="a1"), user("i1", 4, INTERRUPTED, parent="u2")], "running"),
        (
            [user("r1", 3, tool_result("t1", "found"), parent="a1"), user("i1", 4, INTERRUPTED, parent="r1")],
            "completed",
        ),
    ],
    ids=["at once", "for the call", "after a reminder", "after text", "new prompt", "later turn", "after the result"],
)
def test_interrupting_the_turn_interrupts_the_agent(db: Path, project: Path, after: list[str], expected: str) -> None:
    assert status(db, project, *after) == expected


def test_interrupt_before_the_call_does_not_affect_the_agent(db: Path, project: Path) -> None:
    write(
        project / "s1.jsonl",
        user("i0", 0, INTERRUPTED),
        assistant("a1", 1, tool_use("t1", "Task", prompt="Look"), parent="i0"),
        progress("p1", 2, "g1", "t1", parent="a1"),
    )
    index(db, project)
    assert one(db, "select status from v1_agents") == "running"


@pytest.mark.parametrize(
    ("reported", "expected"),
    [
        ("completed", "completed"),
        ("failed", "failed"),
        ("error", "failed"),
        ("killed", "interrupted"),
        ("stopped", "interrupted"),
        ("running", "running"),
        ("some-new-status", "running"),
    ],
)
def test_notification_sets_the_status_of_a_background_agent(
    db: Path, project: Path, reported: str, expected: str
) -> None:
    launched = user("r1", 3, tool_result("t1", "launched"), parent="a1", toolUseResult=LAUNCHED)
    assert status(db, project, launched, user("n1", 9, task_notification("g1", reported), parent="r1")) == expected


@pytest.mark.parametrize(
    "notification",
    [
        user("n1", 9, task_notification("g1", "completed"), parent="r1"),
        record(
            type="queue-operation", operation="enqueue", content=task_notification("g1", "completed"), timestamp=at(9)
        ),
        user(
            *("n1", 9, tool_result("t2", "found")),
            parent="r1",
            toolUseResult={"retrieval_status": "success", "task": {"task_id": "g1", "status": "completed"}},
        ),
        user("n1", 9, task_notification("other", "failed") + "\n" + task_notification("g1", "completed"), parent="r1"),
    ],
    ids=["entry", "queue operation", "task output", "several in one entry"],
)
def test_late_notification_in_any_format_sets_the_status(db: Path, project: Path, notification: str) -> None:
    launched = user("r1", 3, tool_result("t1", "launched"), parent="a1", toolUseResult=LAUNCHED)
    assert status(db, project, launched) == "running"
    append(project / "s1.jsonl", notification + "\n")
    index(db, project)
    assert one(db, "select status from v1_agents") == "completed"
    assert differences_from_clean(db, project) == {}


def test_last_notification_is_chosen_by_time_not_by_file_order(db: Path, project: Path) -> None:
    lines = [
        user("r1", 3, tool_result("t1", "launched"), parent="a1", toolUseResult=LAUNCHED),
        user("n2", 8, task_notification("g1", "completed"), parent="r1"),
        user("n1", 5, task_notification("g1", "failed"), parent="r1"),
        record(type="queue-operation", content=task_notification("g1", "running"), timestamp=at(9)),
        record(type="queue-operation", content=task_notification("g2", "killed"), timestamp=at(9)),
    ]
    assert status(db, project, *lines) == "completed"


def test_notification_in_another_session_is_ignored(db: Path, project: Path) -> None:
    write(project / "s2.jsonl", user("n1", 9, task_notification("g1", "failed"), sessionId="s2"))
    launched = user("r1", 3, tool_result("t1", "launched"), parent="a1", toolUseResult=LAUNCHED)
    assert status(db, project, launched) == "running"


def test_every_notification_has_a_row(db: Path, project: Path) -> None:
    path = write(
        project / "s1.jsonl",
        user("n1", 5, task_notification("b1", "completed") + "\n" + task_notification("b2", "failed")),
        record(type="queue-operation", content=task_notification("b1", "completed"), timestamp=at(4)),
    )
    index(db, project)
    assert ask(db, "select task_id, status, uuid, timestamp_ms, line_no from v1_task_notices order by 3, 1") == [
        ("b1", "completed", None, START_MS + 4_000, 2),
        ("b1", "completed", "n1", START_MS + 5_000, 1),
        ("b2", "failed", "n1", START_MS + 5_000, 1),
    ]
    assert ask(db, "select distinct session_id, source_path from v1_task_notices") == [("s1", str(path))]
