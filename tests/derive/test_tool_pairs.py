"""Tool calls with their results, the files they touch, and diagnostics about both, in the views."""

import json
from pathlib import Path
from typing import Any

from tests.making.files import write
from tests.making.indexes import ask, broken, index, one
from tests.making.transcripts import (
    agent_file,
    assistant,
    at,
    line,
    text_block,
    thinking_block,
    tool_result,
    tool_use,
    user,
)

SIDECHAIN: dict[str, Any] = {"isSidechain": True}


def pairs(db: Path, columns: str) -> list[tuple[Any, ...]]:
    return ask(db, f"select tool_use_id, {columns} from v1_tool_pairs order by 1")


def diagnostics(db: Path, kind: str) -> list[tuple[Any, ...]]:
    return ask(db, "select uuid, severity, detail from v1_diagnostics where kind = ? order by 1", kind)


def test_call_and_its_result_are_a_pair(db: Path, project: Path) -> None:
    write(
        project / "s1.jsonl",
        user("u1", 0, "go"),
        assistant("a1", 1, tool_use("t1", "Bash", command="ls"), tool_use("t2", "Read"), parent="u1"),
        user("r1", 4, tool_result("t1", is_error=True), parent="a1", toolUseResult="Error: Exit code 2"),
        user("r3", 5, tool_result("t3"), parent="r1"),
    )
    index(db, project)
    assert pairs(db, "session_id, name, use_uuid, result_uuid, status, is_error, duration_ms, line_id") == [
        ("t1", "s1", "Bash", "a1", "r1", "paired", 1, 3_000, "s1"),
        ("t2", "s1", "Read", "a1", None, "pending", None, None, "s1"),
        ("t3", "s1", None, None, "r3", "orphan_result", 0, None, "s1"),
    ]
    assert pairs(db, "command, exit_code, timestamp, batch_size")[0] == ("t1", "ls", 2, at(1), 2)
    assert diagnostics(db, "orphan-result") == [("r3", "info", "t3")]
    assert broken(db) == {}


def test_first_of_several_results_is_used_and_the_others_are_reported(db: Path, project: Path) -> None:
    write(
        project / "s1.jsonl",
        assistant("a1", 1, tool_use("t1", "Bash")),
        user("r9", 9, tool_result("t1", "late"), parent="a1"),
        user("r2", 2, tool_result("t1", "first"), tool_result("t1", "again"), parent="r9"),
    )
    index(db, project)
    assert pairs(db, "result_uuid, duration_ms") == [("t1", "r2", 1_000)]
    assert diagnostics(db, "extra-result") == [("r2", "info", "t1"), ("r9", "info", "t1")]


def test_result_in_the_same_thread_is_preferred_to_results_in_other_threads(db: Path, project: Path) -> None:
    write(
        project / "s1.jsonl",
        user("u1", 0, "go"),
        user("r1", 3, tool_result("t1"), tool_result("t2"), parent="u1"),
    )
    agent_file(
        project,
        "g1",
        assistant("k1", 1, tool_use("t1", "Grep"), tool_use("t2", "Glob"), **SIDECHAIN),
        user("k2", 5, tool_result("t1"), parent="k1", **SIDECHAIN),
    )
    write(project / "s2.jsonl", user("x1", 2, tool_result("t2"), sessionId="s2"))
    index(db, project)
    assert pairs(db, "session_id, use_uuid, result_uuid, duration_ms, line_id, agent_id") == [
        ("t1", "s1", "k1", "k2", 4_000, "s1#agent-g1", "g1"),
        ("t2", "s1", "k1", "r1", 2_000, "s1#agent-g1", "g1"),
        ("t2", "s2", None, "x1", None, "s2", None),
    ]
    assert diagnostics(db, "extra-result") == [("r1", "info", "t1")]


def test_call_is_delayed_if_text_or_thinking_precedes_its_result(db: Path, project: Path) -> None:
    write(
        project / "s1.jsonl",
        assistant("a1", 1, tool_use("t1", "Bash"), text_block("said with it")),
        assistant("a2", 2, tool_use("t2", "Bash"), parent="a1", message={"id": "m-a1"}),
        user("r2", 3, tool_result("t2"), parent="a2"),
        assistant("a3", 4, thinking_block("hm"), parent="r2", message={"id": "m-a1"}),
        user("r1", 5, tool_result("t1"), parent="a3"),
        assistant("a4", 6, tool_use("t3", "Bash"), text_block(""), parent="r1"),
        assistant("a5", 7, tool_use("t4", "Bash"), parent="a4"),
        user("r3", 8, tool_result("t3"), parent="a5"),
        assistant("a6", 9, text_block("prose"), parent="r3"),
        user("r4", 10, tool_result("t4"), parent="a6"),
        assistant("a7", 11, tool_use("t5", "Bash"), parent="r4"),
        user("u8", 12, "text of a person", parent="a7"),
        user("r5", 13, tool_result("t5"), parent="u8"),
    )
    index(db, project)
    assert pairs(db, "delayed, interleaved, batch_size") == [
        ("t1", 1, 0, 2),  # another call and a thinking block from the same response come in between
        ("t2", 0, 0, 2),
        ("t3", 0, 1, 1),
        ("t4", 1, 0, 1),
        ("t5", 0, 0, 1),
    ]


def test_result_with_an_earlier_timestamp_than_its_call_has_a_negative_duration(db: Path, project: Path) -> None:
    write(
        project / "s1.jsonl", assistant("a1", 5, tool_use("t1", "Bash")), user("r1", 3, tool_result("t1"), parent="a1")
    )
    index(db, project)
    assert pairs(db, "status, duration_ms, delayed") == [("t1", "paired", -2_000, 0)]


def test_mcp_tool_names_are_split_into_server_and_tool(db: Path, project: Path) -> None:
    names = ("mcp__github__create_issue", "mcp__claude_ai_Slack__send__all", "mcp__odd", "Bash")
    write(project / "s1.jsonl", assistant("a1", 1, *(tool_use(f"t{n}", name) for n, name in enumerate(names))))
    index(db, project)
    assert pairs(db, "name, mcp_server, mcp_tool") == [
        ("t0", "mcp__github__create_issue", "github", "create_issue"),
        ("t1", "mcp__claude_ai_Slack__send__all", "claude_ai_Slack", "send__all"),
        ("t2", "mcp__odd", None, None),
        ("t3", "Bash", None, None),
    ]
    assert ask(
        db, "select name, mcp_server, calls, pending, sessions from v1_tools where mcp_server > '' order by 1"
    ) == [
        ("mcp__claude_ai_Slack__send__all", "claude_ai_Slack", 1, 1, 1),
        ("mcp__github__create_issue", "github", 1, 1, 1),
    ]


def test_tools_are_counted_with_errors_and_pending_calls(db: Path, project: Path) -> None:
    write(
        project / "s1.jsonl",
        assistant(
            "a1", 1, tool_use("t1", "Bash"), tool_use("t2", "Bash"), tool_use("t3", "Bash"), tool_use("t4", "Read")
        ),
        user("r1", 3, tool_result("t1", is_error=True), tool_result("t2"), parent="a1"),
        user("r2", 3, tool_result("t9"), parent="r1"),
    )
    index(db, project)
    assert ask(db, "select name, calls, errors, pending, mean_ms, max_ms from v1_tools order by 1") == [
        ("Bash", 3, 1, 1, 2_000, 2_000),
        ("Read", 1, 0, 1, None, None),
    ]


def test_call_whose_input_is_not_an_object_is_still_a_call(db: Path, project: Path) -> None:
    inputs: list[Any] = [None, "ls", ["ls"], 7, {"command": ["ls"], "file_path": {"a": 1}}]
    blocks = [{"type": "tool_use", "id": f"t{n}", "name": "Bash", "input": value} for n, value in enumerate(inputs)]
    write(project / "s1.jsonl", assistant("a1", 1, *blocks, {"type": "tool_use", "id": "t9"}))
    index(db, project)
    assert [(call, json.loads(text)) for call, text in pairs(db, "input")[:5]] == [
        (f"t{n}", value) for n, value in enumerate(inputs)
    ]
    assert one(db, "select count(*) from v1_tool_pairs where status = 'pending'") == 6
    assert broken(db) == {}


def test_file_touches_are_marked_if_they_are_on_the_active_path(db: Path, project: Path) -> None:
    patch = [{"lines": ["+new", "+new", "-old", " same"]}]
    write(
        project / "s1.jsonl",
        user("u0", 0, "go"),
        user("u1", 1, "this way", parent="u0"),
        assistant("a1", 2, tool_use("t1", "Write", file_path="/a"), parent="u1"),
        user("u2", 3, "or that way", parent="u0"),
        assistant("a2", 4, tool_use("t2", "Edit", file_path="/a"), tool_use("t3", "Grep", path="src"), parent="u2"),
        user("r2", 5, tool_result("t2"), parent="a2", toolUseResult={"filePath": "/a", "structuredPatch": patch}),
        assistant("a3", 6, tool_use("t4", "Read", file_path="/b"), parent="r2"),
        assistant(
            "a4", 6, tool_use("t5", "Read", file_path="/c"), parent="r2"
        ),  # set aside as a replay, because its timestamp equals that of a3
        user("u5", 7, "on", parent="a3"),
    )
    agent_file(project, "g1", assistant("k1", 8, tool_use("t6", "NotebookEdit", notebook_path="/n"), **SIDECHAIN))
    index(db, project)
    assert one(db, "select reason from v1_set_aside where uuid = 'a4'") == "replay"
    columns = "tool_use_id, path, operation, uuid, line_id, on_active_path, is_error, lines_added, lines_removed"
    assert ask(db, f"select {columns} from v1_file_touches order by 1") == [
        ("t1", "/a", "write", "a1", "s1@u1", 0, None, None, None),
        ("t2", "/a", "edit", "a2", "s1@u2", 1, 0, 2, 1),
        ("t3", "src", "search", "a2", "s1@u2", 1, None, None, None),
        ("t4", "/b", "read", "a3", "s1@u2", 1, None, None, None),
        ("t5", "/c", "read", "a4", None, 0, None, None, None),
        ("t6", "/n", "notebook", "k1", "s1#agent-g1", 1, None, None, None),
    ]
    assert ask(db, "select agent_id, cwd, timestamp, session_id from v1_file_touches where path = '/n'") == [
        ("g1", "/w", at(8), "s1")
    ]
    assert pairs(db, "line_id, set_aside")[4] == ("t5", None, "replay")


def test_copies_with_different_content_are_reported(db: Path, project: Path) -> None:
    def twice(uuid: str, first: dict[str, Any], then: dict[str, Any]) -> None:
        write(project / f"{uuid}-1.jsonl", line(uuid, **{"parent": "p", "sessionId": f"{uuid}-1"} | first))
        write(project / f"{uuid}-2.jsonl", line(uuid, **{"parent": "p", "sessionId": f"{uuid}-2"} | then))

    twice("same", {}, {"slug": "a-new-name", "session_id": "x"})
    twice("lost", {}, {"parent": None})
    twice("words", {"message": {"content": "one"}}, {"message": {"content": "two"}, "timestamp": at(9)})
    twice("moved", {}, {"parent": "q"})
    twice("more", {}, {"gitBranch": "main"})
    twice(
        "agent",
        {"agentId": "k"},
        {"cwd": "/elsewhere", "sessionKind": "bg", "entrypoint": "sdk-cli", "version": "2.1.201"},
    )
    twice("both", {"cwd": "/elsewhere"}, {"message": {"content": "two"}})
    twice("side", {"agentId": "k"}, {"isSidechain": True})
    write(project / "bytes.jsonl", line("bytes"), line("bytes").replace(", ", ","))
    index(db, project)
    assert diagnostics(db, "duplicate-uuid-differs") == [
        ("agent", "info", "agentId,cwd,entrypoint,sessionKind,version"),
        ("both", "warning", "cwd,message"),
        ("more", "info", "gitBranch"),
        ("moved", "warning", "parentUuid"),
        ("side", "warning", "agentId,isSidechain"),
        ("words", "warning", "message,timestamp"),
    ]


def test_copies_in_earlier_generations_are_not_compared(db: Path, project: Path) -> None:
    path = write(project / "s1.jsonl", line("u1", message={"content": "before"}), line("u2"))
    index(db, project)
    write(path, line("u1", message={"content": "after"}), line("u2"))
    index(db, project)
    assert diagnostics(db, "duplicate-uuid-differs") == []
    write(project / "s2.jsonl", line("u1", message={"content": "elsewhere"}, sessionId="s2"))
    index(db, project)
    assert diagnostics(db, "duplicate-uuid-differs") == [("u1", "warning", "message")]
    write(project / "s2.jsonl", line("u1", message={"content": "after"}, sessionId="s2"))
    index(db, project)
    assert diagnostics(db, "duplicate-uuid-differs") == []
