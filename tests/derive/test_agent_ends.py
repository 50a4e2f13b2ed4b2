"""What became of subagents: told by the call's result, by notifications, by the person, or not yet."""

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
    """What became of the agent that t1, called by a1 at second 1, spawned at second 2."""
    call = assistant("a1", 1, tool_use("t1", "Task", prompt="Look", run_in_background=True))
    write(project / "s1.jsonl", call, *lines)
    agent_file(project, "g1", user("k1", 2, "Look", isSidechain=True), sidecar={"toolUseId": "t1"})
    index(db, project)
    return one(db, "select status from v1_agents")


@pytest.mark.parametrize(
    ("block", "outcome", "ended"),
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
def test_the_calls_result_tells(db: Path, project: Path, block: Any, outcome: Any, ended: str) -> None:
    assert status(db, project, user("r1", 3, block, parent="a1", toolUseResult=outcome)) == ended


def test_without_a_result_it_is_under_way(db: Path, project: Path) -> None:
    assert status(db, project) == "running"


@pytest.mark.parametrize(
    ("after", "ended"),
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
    ids=["at once", "for the call", "behind a reminder", "behind prose", "went on", "another turn", "answered before"],
)
def test_a_person_who_interrupts_the_turn_interrupts_the_agent(
    db: Path, project: Path, after: list[str], ended: str
) -> None:
    assert status(db, project, *after) == ended


def test_an_interrupt_before_the_call_is_not_of_it(db: Path, project: Path) -> None:
    write(
        project / "s1.jsonl",
        user("i0", 0, INTERRUPTED),
        assistant("a1", 1, tool_use("t1", "Task", prompt="Look"), parent="i0"),
        progress("p1", 2, "g1", "t1", parent="a1"),
    )
    index(db, project)
    assert one(db, "select status from v1_agents") == "running"


@pytest.mark.parametrize(
    ("told", "ended"),
    [
        ("completed", "completed"),
        ("failed", "failed"),
        ("error", "failed"),
        ("killed", "interrupted"),
        ("stopped", "interrupted"),
        ("running", "running"),
        ("some-new-word", "running"),
    ],
)
def test_a_notification_tells_what_became_of_one_in_the_background(
    db: Path, project: Path, told: str, ended: str
) -> None:
    launched = user("r1", 3, tool_result("t1", "launched"), parent="a1", toolUseResult=LAUNCHED)
    assert status(db, project, launched, user("n1", 9, task_notification("g1", told), parent="r1")) == ended


@pytest.mark.parametrize(
    "tells",
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
    ids=["in the talk", "in the queue alone", "asked for", "with others"],
)
def test_it_may_be_told_in_several_ways_and_late(db: Path, project: Path, tells: str) -> None:
    launched = user("r1", 3, tool_result("t1", "launched"), parent="a1", toolUseResult=LAUNCHED)
    assert status(db, project, launched) == "running"
    append(project / "s1.jsonl", tells + "\n")
    index(db, project)
    assert one(db, "select status from v1_agents") == "completed"
    assert differences_from_clean(db, project) == {}


def test_the_last_word_counts_by_time_not_by_place(db: Path, project: Path) -> None:
    lines = [
        user("r1", 3, tool_result("t1", "launched"), parent="a1", toolUseResult=LAUNCHED),
        user("n2", 8, task_notification("g1", "completed"), parent="r1"),
        user("n1", 5, task_notification("g1", "failed"), parent="r1"),
        record(type="queue-operation", content=task_notification("g1", "running"), timestamp=at(9)),
        record(type="queue-operation", content=task_notification("g2", "killed"), timestamp=at(9)),
    ]
    assert status(db, project, *lines) == "completed"


def test_what_another_session_was_told_is_not_of_this_agent(db: Path, project: Path) -> None:
    write(project / "s2.jsonl", user("n1", 9, task_notification("g1", "failed"), sessionId="s2"))
    launched = user("r1", 3, tool_result("t1", "launched"), parent="a1", toolUseResult=LAUNCHED)
    assert status(db, project, launched) == "running"


def test_every_time_that_something_was_told_has_a_row(db: Path, project: Path) -> None:
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
