"""Columns for facts outside the conversation: denials, worktrees, moves, compactions, hooks and file touches."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.making.files import append, write
from tests.making.indexes import ask, broken, differences_from_clean, index, one
from tests.making.transcripts import assistant, at, line, record, tool_result, tool_use, user

MOVES = "select worktree, relocated_from, relocated_to, teleported_from from v1_sessions where session_id = 's1'"


@pytest.mark.parametrize(
    "tool_use_result", [None, "Error: denied", {"status": "x"}, ["x"]], ids=["none", "text", "dict", "list"]
)
def test_denial_kind_is_recorded_for_the_denied_call(db: Path, project: Path, tool_use_result: Any) -> None:
    keys = {} if tool_use_result is None else {"toolUseResult": tool_use_result}
    write(
        project / "s1.jsonl",
        assistant("a1", 1, tool_use("t1", "Bash", command="ls"), tool_use("t2", "Bash", command="ls")),
        user("r1", 2, tool_result("t1", "no", is_error=True), toolDenialKind="user-rejected", parent="a1", **keys),
        user("r2", 3, tool_result("t2"), parent="r1"),
    )
    index(db, project)
    assert ask(db, "select tool_use_id, denial_kind from v1_tool_pairs order by 1") == [
        ("t1", "user-rejected"),
        ("t2", None),
    ]


def worktree(second: int, path: str | None, **keys: Any) -> str:
    session = None if path is None else {"worktreePath": path, "worktreeName": "x", "originalCwd": "/w"}
    return record(type="worktree-state", worktreeSession=session, timestamp=at(second), **keys)


def test_session_has_the_worktree_of_its_latest_record(db: Path, project: Path) -> None:
    path = write(project / "s1.jsonl", user("u1", 0, "go"))
    index(db, project)
    assert ask(db, MOVES) == [(None, None, None, None)]
    for second, worktree_path in ((1, "/w/a"), (2, "/w/b"), (3, None)):
        append(path, worktree(second, worktree_path) + "\n")
        index(db, project)
        assert one(db, "select worktree from v1_sessions") == worktree_path
        assert differences_from_clean(db, project) == {}
    # the latest record by time counts, not the last one in the file
    append(path, worktree(0, "/w/c") + "\n")
    index(db, project)
    assert one(db, "select worktree from v1_sessions") is None
    write(path, user("u1", 0, "go"), worktree(1, "/w/d"))
    index(db, project)
    assert one(db, "select worktree from v1_sessions") == "/w/d"
    assert broken(db) == {}


@pytest.mark.parametrize(
    "value", ["x", 7, [], {}, {"worktreePath": 7}, {"worktreePath": ""}, {"worktreePath": {"a": 1}}]
)
def test_malformed_worktree_is_ignored(db: Path, project: Path, value: Any) -> None:
    write(project / "s1.jsonl", user("u1", 0, "go"), record(type="worktree-state", worktreeSession=value))
    index(db, project)
    assert ask(db, MOVES) == [(None, None, None, None)]


def test_worktree_without_path_is_shown_by_name(db: Path, project: Path) -> None:
    named = record(type="worktree-state", worktreeSession={"worktreeName": "net-v1"})
    write(project / "s1.jsonl", user("u1", 0, "go"), named)
    index(db, project)
    assert one(db, "select worktree from v1_sessions") == "net-v1"


def test_relocated_session_has_old_and_new_folder(db: Path, project: Path) -> None:
    moved = json.dumps({"type": "relocated", "relocatedCwd": "/repo", "sessionId": "s1"})
    path = write(
        project / "s1.jsonl",
        user("u1", 0, "go", cwd="/first"),
        user("u2", 1, "on", cwd="/repo/.claude/worktrees/x", parent="u1"),
        user("k1", 2, "aside", cwd="/agent", isSidechain=True, agentId="k"),
        moved,
        user("u3", 3, "on", cwd="/repo", parent="u2"),
    )
    index(db, project)
    assert ask(db, MOVES) == [(None, "/repo/.claude/worktrees/x", "/repo", None)]
    append(path, moved + "\n")  # Claude Code repeats the record
    index(db, project)
    assert ask(db, MOVES) == [(None, "/repo/.claude/worktrees/x", "/repo", None)]
    append(path, json.dumps({"type": "relocated", "relocatedCwd": "/else", "sessionId": "s1"}) + "\n")
    index(db, project)
    assert ask(db, MOVES) == [(None, "/repo", "/else", None)]
    assert differences_from_clean(db, project) == {}


def test_old_folder_of_a_relocated_session_can_be_unknown(db: Path, project: Path) -> None:
    moved = record(type="relocated", relocatedCwd="/w")
    write(project / "s1.jsonl", user("u1", 1, "go", cwd="/w"), moved)
    index(db, project)
    assert ask(db, MOVES) == [(None, None, "/w", None)]


def test_teleported_session_has_the_id_of_its_remote_session(db: Path, project: Path) -> None:
    fetched = record(type="teleported-from", remoteSessionId="session_01", messageCount=3)
    write(project / "s1.jsonl", fetched, user("u1", 1, "go"))
    write(project / "s2.jsonl", user("u2", 1, "go", sessionId="s2"))
    index(db, project)
    assert ask(db, "select session_id, teleported_from from v1_sessions order by 1") == [
        ("s1", "session_01"),
        ("s2", None),
    ]


def test_compaction_has_duration_and_dropped_tokens(db: Path, project: Path) -> None:
    def boundary(uuid: str, **metadata: Any) -> str:
        return line(
            uuid,
            type="system",
            subtype="compact_boundary",
            message=None,
            compactMetadata={"trigger": "auto", **metadata},
        )

    write(
        project / "s1.jsonl",
        boundary("c1", preTokens=516_172, postTokens=11_046, durationMs=33_382, cumulativeDroppedTokens=505_126),
        boundary("c2", preTokens=156_326),
        boundary("c3", durationMs="long", cumulativeDroppedTokens=1.5),
        boundary("c4", durationMs=5.0, cumulativeDroppedTokens=0),
    )
    index(db, project)
    assert ask(db, "select uuid, post_tokens, duration_ms, dropped_tokens from v1_compactions order by 1") == [
        ("c1", 11_046, 33_382, 505_126),
        ("c2", None, None, None),
        ("c3", None, None, None),
        ("c4", None, 5, 0),
    ]


def test_hook_attachments_have_command_and_response(db: Path, project: Path) -> None:
    def attachment(uuid: str, type_: str, **keys: Any) -> str:
        return line(uuid, type="attachment", message=None, attachment={"type": type_, **keys})

    stop = {"hookName": "Stop", "hookEvent": "Stop"}
    response = {"systemMessage": "noted"}
    write(
        project / "s1.jsonl",
        attachment("h1", "async_hook_response", **stop, response=response, stdout="out", stderr="", exitCode=0),
        attachment("h2", "hook_non_blocking_error", **stop, command="lint", stdout="", stderr="bad", exitCode=127),
        attachment(
            "h3", "hook_blocking_error", **stop, blockingError={"blockingError": "audit first", "command": "check"}
        ),
        attachment("h4", "structured_output", data={"answer": 42}),
        attachment("h5", "hook_success", **stop, stdout="fine", exitCode=0),
    )
    index(db, project)
    columns = "hook_event, command, exit_code, stdout, hook_response, hook_error, structured_output"
    assert ask(db, f"select uuid, {columns} from v1_attachments order by 1") == [
        ("h1", "Stop", None, 0, "out", '{"systemMessage":"noted"}', None, None),
        ("h2", "Stop", "lint", 127, "", None, "bad", None),
        ("h3", "Stop", "check", None, None, None, "audit first", None),
        ("h4", None, None, None, None, None, None, '{"answer":42}'),
        ("h5", "Stop", None, 0, "fine", None, None, None),
    ]
    assert ask(db, "select distinct session_id, timestamp from v1_attachments") == [("s1", at(0))]


def test_file_tools_of_mcp_servers_create_file_touches(db: Path, project: Path) -> None:
    write(
        project / "s1.jsonl",
        assistant(
            "a1",
            1,
            tool_use("t1", "mcp__acp__Edit", file_path="/w/a.py"),
            tool_use("t2", "mcp__filesystem__move_file", source="/w/b", destination="/w/c"),
            tool_use("t3", "mcp__filesystem__list_allowed_directories"),
        ),
        user("r1", 2, tool_result("t1"), tool_result("t2", "denied", is_error=True), parent="a1"),
    )
    index(db, project)
    assert ask(db, "select path, operation, tool_use_id, is_error from v1_file_touches order by 1") == [
        ("/w/a.py", "edit", "t1", 0),
        ("/w/b", "write", "t2", 1),
        ("/w/c", "write", "t2", 1),
    ]
    assert broken(db) == {}
