"""Compactions, titles, summaries, first prompts, todo lists, plans and commands in the views."""

from pathlib import Path
from typing import Any

import pytest

from tests.making.files import append, write
from tests.making.indexes import ask, differences_from_clean, index, one
from tests.making.transcripts import agent_file, assistant, at, line, record, text_block, tool_result, tool_use, user

BOUNDARY: dict[str, Any] = {"type": "system", "subtype": "compact_boundary", "message": None}


@pytest.mark.parametrize(
    ("metadata", "label"),
    [
        ({"trigger": "auto", "preTokens": 115_999}, "Conversation compacted (115k tokens) • 2026-04-14 09:09:28"),
        ({"preTokens": 1_000}, "Conversation compacted (1k tokens) • 2026-04-14 09:09:28"),
        ({"preTokens": 999}, "Conversation compacted (999 tokens) • 2026-04-14 09:09:28"),
        ({"preTokens": 0}, "Conversation compacted (0 tokens) • 2026-04-14 09:09:28"),
        ({"preTokens": "many"}, "Conversation compacted • 2026-04-14 09:09:28"),
        ({"preTokens": None}, "Conversation compacted • 2026-04-14 09:09:28"),
        (None, "Conversation compacted • 2026-04-14 09:09:28"),
        ("text", "Conversation compacted • 2026-04-14 09:09:28"),
    ],
)
def test_compaction_is_labelled_with_its_tokens_and_the_time_of_its_summary(
    db: Path, project: Path, metadata: Any, label: str
) -> None:
    write(
        project / "s1.jsonl",
        user("u1", 0, "go"),
        line("b1", timestamp="2026-04-14T09:00:00Z", compactMetadata=metadata, **BOUNDARY),
        user("c1", 0, "What was", parent="b1", isCompactSummary=True, timestamp="2026-04-14T11:09:28.900+02:00"),
    )
    index(db, project)
    assert one(db, "select label from v1_compactions") == label


def test_compaction_has_its_logical_parent_and_its_summary(db: Path, project: Path) -> None:
    metadata = {"trigger": "manual", "preTokens": 5, "postTokens": 2}
    write(
        project / "s1.jsonl",
        user("u1", 0, "go"),
        line("b1", timestamp=at(1), logicalParentUuid="u1", compactMetadata=metadata, **BOUNDARY),
        user("c0", 2, "not this", parent="b1"),
        user("c2", 9, "a later one", parent="b1", isCompactSummary=True),
        user("c1", 3, "What was", parent="b1", isCompactSummary=True),
        line("b2", timestamp=at(20), **BOUNDARY),
        line("b3", timestamp=at(30), parent="c1", type="compact_prelude", message=None),
        line("c3", timestamp=at(31), parent="b3", type="compact_recap", message={"content": "What was before"}),
    )
    index(db, project)
    find = (
        "select uuid, session_id, trigger, pre_tokens, post_tokens, logical_parent_uuid, summary_uuid, timestamp from "
    )
    assert ask(db, f"{find} v1_compactions order by 1") == [
        ("b1", "s1", "manual", 5, 2, "u1", "c1", at(1)),
        ("b2", "s1", None, None, None, None, None, at(20)),
        ("b3", "s1", None, None, None, None, "c3", at(30)),
    ]
    assert (
        one(db, "select label from v1_compactions where uuid = 'b3'") == "Conversation compacted • 2026-03-01 09:00:31"
    )
    assert one(db, "select compaction_count from v1_sessions") == 3


def title(db: Path, session: str = "s1") -> Any:
    return one(db, "select title from v1_sessions where session_id = ?", session)


def test_custom_title_is_preferred_to_generated_title_and_to_summary(db: Path, project: Path) -> None:
    path = write(project / "s1.jsonl", user("u1", 5, "go"))
    index(db, project)
    assert title(db) is None
    for added, expected in (
        (record(type="last-prompt", lastPrompt="go"), None),
        (record(type="agent-name", agentName="a name"), None),
        (record(type="summary", summary="in short", leafUuid="u1"), "in short"),
        (record(type="ai-title", aiTitle="made", timestamp=at(5)), "made"),
        (record(type="summary", summary="in short again", leafUuid="u1"), "made"),
        (record(type="ai-title", aiTitle="made later", timestamp=at(6)), "made later"),
        (record(type="ai-title", aiTitle="made before", timestamp=at(4)), "made later"),
        (record(type="ai-title", aiTitle="", timestamp=at(9)), "made later"),
        (record(type="custom-title", customTitle="given"), "given"),
        (record(type="ai-title", aiTitle="made last", timestamp=at(9)), "given"),
        (record(type="custom-title", customTitle="given again", timestamp=at(1)), "given again"),
    ):
        append(path, added + "\n")
        index(db, project)
        assert title(db) == expected, added
    assert differences_from_clean(db, project) == {}


def test_summary_belongs_to_the_session_of_its_leaf(db: Path, project: Path) -> None:
    write(
        project / "s1.jsonl",
        record(type="summary", summary="of the other", leafUuid="u2"),
        record(type="summary", summary="of nobody yet", leafUuid="u9"),
        user("u1", 0, "go"),
        record(type="ai-title", aiTitle="own"),
    )
    write(project / "s2.jsonl", user("u2", 5, "go", sessionId="s2"))
    index(db, project)
    find = "select session_id, leaf_uuid, text, kind, line_no from v1_summaries order by line_no"
    assert ask(db, find) == [
        ("s2", "u2", "of the other", "summary", 1),
        (None, "u9", "of nobody yet", "summary", 2),
        ("s1", None, "own", "ai-title", 4),
    ]
    assert (title(db), title(db, "s2")) == ("own", "of the other")
    write(project / "s3.jsonl", user("u9", 9, "late", sessionId="s3"))
    index(db, project)
    assert ask(db, find)[1] == ("s3", "u9", "of nobody yet", "summary", 2)
    assert title(db, "s3") == "of nobody yet"
    assert differences_from_clean(db, project) == {}


def test_title_with_a_leaf_belongs_to_the_session_of_the_leaf(db: Path, project: Path) -> None:
    write(project / "s1.jsonl", user("u1", 0, "go"), record(type="custom-title", customTitle="given", leafUuid="u2"))
    write(
        project / "s2.jsonl",
        user("u2", 5, "go", sessionId="s2"),
        record(type="ai-title", aiTitle="made", sessionId="s2"),
    )
    index(db, project)
    assert ask(db, "select session_id, text from v1_summaries where kind = 'custom-title'") == [("s2", "given")]
    assert (title(db), title(db, "s2")) == (None, "given")


@pytest.mark.parametrize(
    ("lines", "prompt"),
    [
        ([user("u1", 1, "first"), user("u2", 2, "second", parent="u1")], "first"),
        ([user("u2", 2, "second"), user("u1", 1, "first")], "first"),
        ([user("u1", 1, text_block("first"), {"type": "image"}, text_block("words"))], "first\nwords"),
        ([user("u0", 0, "<command-name>/clear</command-name>"), user("u1", 1, "first", parent="u0")], "first"),
        ([user("u0", 0, "Caveat: The messages below"), user("u1", 1, "first", parent="u0")], "first"),
        ([user("u0", 0, "<bash-input>ls</bash-input>"), user("u1", 1, "first", parent="u0")], "first"),
        ([user("u0", 0, "[Request interrupted by user]"), user("u1", 1, "first", parent="u0")], "first"),
        ([user("u0", 0, "put in", isMeta=True), user("u1", 1, "first", parent="u0")], "first"),
        ([user("u0", 0, "What was", isCompactSummary=True), user("u1", 1, "first", parent="u0")], "first"),
        ([user("u0", 0, "a spawner's", isSidechain=True), user("u1", 1, "first")], "first"),
        ([user("u0", 0, tool_result("t1")), user("u1", 1, "first", parent="u0")], "first"),
        ([assistant("a1", 0, text_block("hello"))], None),
    ],
)
def test_first_prompt_is_the_first_typed_prompt_that_is_not_a_command(
    db: Path, project: Path, lines: list[str], prompt: str | None
) -> None:
    write(project / "s1.jsonl", *lines)
    index(db, project)
    assert one(db, "select first_prompt from v1_sessions") == prompt


def test_todo_list_is_the_last_one_written(db: Path, project: Path) -> None:
    def todo(content: str, status: str) -> dict[str, str]:
        return {"content": content, "status": status, "activeForm": f"doing {content}"}

    def writes(uuid: str, second: int, todos: Any, **keys: Any) -> str:
        return assistant(uuid, second, tool_use(f"t-{uuid}", "TodoWrite", todos=todos), **keys)

    write(
        project / "s1.jsonl",
        writes("a1", 1, [todo("one", "in_progress"), todo("two", "pending"), todo("three", "pending")]),
        writes("a3", 9, [todo("one", "completed"), todo("two", "in_progress")], parent="a1"),
        writes("a2", 5, [todo("old", "pending")], parent="a3"),
        writes("a4", 10, "not a list", parent="a2"),
    )
    agent_file(project, "g1", writes("k1", 3, [todo("its own", "pending")], isSidechain=True))
    index(db, project)
    find = "select agent_id, idx, content, status, active_form, uuid, timestamp from v1_todos order by agent_id, idx"
    assert ask(db, find) == [
        (None, 0, "one", "completed", "doing one", "a3", at(9)),
        (None, 1, "two", "in_progress", "doing two", "a3", at(9)),
        ("g1", 0, "its own", "pending", "doing its own", "k1", at(3)),
    ]


def test_task_list_combines_creations_and_updates(db: Path, project: Path) -> None:
    creations = [
        tool_use(f"c{n}", "TaskCreate", subject=f"task {n}", description="long", activeForm=f"doing {n}")
        for n in (1, 2, 3)
    ]
    lines = [assistant("a1", 1, *creations, tool_use("c4", "TaskCreate", subject="without a result"))]
    parent = "a1"
    for n in (1, 2, 3):
        outcome = {"task": {"id": str(n), "subject": f"task {n}"}}
        lines.append(user(f"r{n}", 1 + n, tool_result(f"c{n}"), parent=parent, toolUseResult=outcome))
        parent = f"r{n}"
    updates: list[tuple[dict[str, str], dict[str, Any]]] = [
        ({"taskId": "1", "status": "in_progress"}, {}),
        ({"taskId": "1", "status": "completed"}, {}),
        ({"taskId": "2", "status": "completed"}, {"is_error": True}),
        ({"taskId": "3", "status": "deleted", "subject": "task three"}, {}),
    ]
    for n, (update, keys) in enumerate(updates):
        lines.append(assistant(f"b{n}", 10 + 2 * n, tool_use(f"d{n}", "TaskUpdate", **update), parent=parent))
        lines.append(user(f"q{n}", 11 + 2 * n, tool_result(f"d{n}", **keys), parent=f"b{n}"))
        parent = f"q{n}"
    write(
        project / "s1.jsonl",
        *lines,
        assistant("b9", 30, tool_use("d9", "TaskUpdate", taskId="2", status="deleted"), parent=parent),
    )
    index(db, project)
    assert ask(db, "select idx, task_id, content, status, active_form from v1_todos order by 1") == [
        (0, "1", "task 1", "completed", "doing 1"),
        (1, "2", "task 2", "pending", "doing 2"),
        (2, "3", "task three", "deleted", "doing 3"),
    ]


def test_plans_have_their_approval_status(db: Path, project: Path) -> None:
    approved = "User has approved your plan.\n\n## Approved Plan:\n# Do it\nnow"
    write(
        project / "s1.jsonl",
        user("u0", 0, "Implement the following plan", planContent="# Given"),
        assistant("a1", 1, tool_use("t1", "ExitPlanMode", plan="# One")),
        user("r1", 2, tool_result("t1", approved), parent="a1"),
        assistant("a2", 3, tool_use("t2", "ExitPlanMode"), parent="r1"),
        user("r2", 4, tool_result("t2", approved), parent="a2", toolUseResult={"plan": "# Other", "filePath": "/p.md"}),
        assistant("a3", 5, tool_use("t3", "exit_plan_mode", plan="# Three"), parent="r2"),
        user("r3", 6, tool_result("t3", "The user doesn't want to proceed", is_error=True), parent="a3"),
        assistant("a4", 7, tool_use("t4", "ExitPlanMode", plan="# Four"), parent="r3"),
        assistant("a5", 8, {"type": "tool_use", "name": "ExitPlanMode", "input": {"plan": "# Five"}}, parent="a4"),
    )
    index(db, project)
    assert ask(db, "select uuid, tool_use_id, text, status, file_path, line_id from v1_plans order by 1") == [
        ("a1", "t1", "# One", "approved", None, "s1"),
        ("a2", "t2", "# Do it\nnow", "approved", "/p.md", "s1"),
        ("a3", "t3", "# Three", "rejected", None, "s1"),
        ("a4", "t4", "# Four", "pending", None, "s1"),
        ("a5", None, "# Five", "pending", None, "s1"),
        ("u0", None, "# Given", "given", None, "s1"),
    ]


def test_commands_are_parsed(db: Path, project: Path) -> None:
    full = (
        "<command-message>review</command-message>\n<command-name>/review</command-name>\n"
        "<command-args>PR 7 </command-args>"
    )
    local = (
        "<command-name>/model</command-name>\n<command-message>model</command-message>\n<command-args></command-args>"
    )
    write(
        project / "s1.jsonl",
        user("c1", 1, full),
        user("c2", 2, "<command-name> /clear </command-name>", parent="c1"),
        user("o2", 3, "<local-command-stdout>(no content)</local-command-stdout>", parent="c2"),
        user("c3", 4, "<bash-input>ls -l</bash-input>", parent="o2"),
        user("o3", 5, "<bash-stdout>x</bash-stdout>", parent="c3"),
        line("c4", timestamp=at(6), parent="o3", type="system", subtype="local_command", content=local, message=None),
        user("c5", 7, "<command-message>unfinished", parent="c4"),
        user("u6", 8, "what does <command-name>/x</command-name> do?", parent="c5"),
    )
    index(db, project)
    assert ask(db, "select uuid, kind, name, arguments, output, timestamp from v1_commands order by 1") == [
        ("c1", "slash", "/review", "PR 7", None, at(1)),
        ("c2", "slash", "/clear", None, "(no content)", at(2)),
        ("c3", "shell", "!", "ls -l", "x", at(4)),
        ("c4", "slash", "/model", None, None, at(6)),
    ]
