"""Subagents: their names, kinds and parents, with and without a transcript."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.making.files import write
from tests.making.indexes import ask, broken, differences_from_clean, findings, index
from tests.making.transcripts import (
    MODEL,
    agent_file,
    assistant,
    at,
    line,
    progress,
    record,
    task_notification,
    text_block,
    token_usage,
    tool_result,
    tool_use,
    user,
)
from tests.reference.expected_facts import expected_facts

SIDECHAIN: dict[str, Any] = {"isSidechain": True}


def agent(db: Path, agent_id: str, columns: str) -> tuple[Any, ...]:
    [row] = ask(db, f"select {columns} from v1_agents where agent_id = ?", agent_id)
    return row


def test_task_agent_has_a_row_with_all_known_values(db: Path, project: Path) -> None:
    tool_input = {"subagent_type": "Explore", "prompt": "Look around", "description": "a look"}
    outcome = {
        "status": "completed",
        "agentId": "g1",
        "totalDurationMs": 7_000,
        "totalTokens": 99,
        "totalToolUseCount": 2,
    }
    write(
        project / "s1.jsonl",
        user("u1", 0, "go"),
        assistant("a1", 1, tool_use("t1", "Task", **tool_input), parent="u1"),
        user("r1", 9, tool_result("t1", "nothing there"), parent="a1", toolUseResult=outcome),
    )
    agent_file(
        project,
        "g1",
        user("k1", 2, "Look around", **SIDECHAIN),
        assistant(
            "k2",
            5,
            text_block("nothing there"),
            parent="k1",
            message={"usage": token_usage(read=10, output=5)},
            **SIDECHAIN,
        ),
        sidecar={"agentType": "explorer", "toolUseId": "t1", "description": "a look"},
    )
    index(db, project)
    assert agent(db, "g1", "session_id, line_id, name, kind, depth, parent_agent_id") == (
        *("s1", "s1#agent-g1", "Explore", "task", 1, None),
    )
    assert agent(db, "g1", "spawn_uuid, tool_use_id, prompt, status") == ("r1", "t1", "Look around", "completed")
    assert agent(db, "g1", "entry_count, first_timestamp, last_timestamp") == (2, at(2), at(5))
    assert agent(db, "g1", "call_uuid, result_uuid, rule, description") == ("a1", "r1", "sidecar", "a look")
    assert agent(db, "g1", "duration_ms, reported_tokens, reported_tool_uses") == (7_000, 99, 2)
    assert agent(db, "g1", "responses, input_tokens, output_tokens, est_cost_usd") == (1, 10, 5, 0.000105)
    assert broken(db) == {}


def test_name_comes_from_the_call_or_otherwise_from_the_sidecar(db: Path, project: Path) -> None:
    write(
        project / "s1.jsonl",
        assistant(
            "a1",
            1,
            *(
                tool_use(f"t{n}", "Agent", **tool_input)
                for n, tool_input in enumerate(({}, {"subagent_type": "own"}, {}))
            ),
        ),
    )
    agent_file(project, "g0", user("k0", 2, "a", **SIDECHAIN), sidecar={"toolUseId": "t0", "agentType": "from sidecar"})
    agent_file(project, "g1", user("k1", 2, "b", **SIDECHAIN), sidecar={"toolUseId": "t1", "agentType": "from sidecar"})
    agent_file(project, "g2", user("k2", 2, "c", **SIDECHAIN), sidecar={"toolUseId": "t2"})
    index(db, project)
    assert ask(db, "select agent_id, name, kind, spawn_uuid from v1_agents order by 1") == [
        ("g0", "from sidecar", "task", "a1"),
        ("g1", "own", "task", "a1"),
        ("g2", "unknown", "task", "a1"),
    ]


def test_name_comes_from_the_earliest_transcript_that_has_a_sidecar(db: Path, project: Path) -> None:
    write(project / "s1.jsonl", user("u1", 0, "go"))
    own: dict[str, Any] = SIDECHAIN | {"agentId": "g1"}
    agent_file(project, "g2", user("k3", 4, "c", parent="k2", **own), sidecar={"agentType": "late", "name": "amy"})
    agent_file(project, "g1", user("k1", 2, "a", **own))
    agent_file(project, "g3", user("k2", 3, "b", parent="k1", **own), sidecar={"agentType": "early"})
    index(db, project)
    assert ask(db, "select agent_id, name, kind from v1_agents") == [("g1", "early", "teammate")]
    assert [row[3:5] for row in expected_facts(project)["agents"]] == [["early", "teammate"]]


def test_agents_spawned_by_agents_are_one_level_deeper(db: Path, project: Path) -> None:
    write(project / "s1.jsonl", assistant("a1", 0, tool_use("t1", "Task", prompt="one")))
    for depth in (1, 2, 3):
        agent_file(
            project,
            f"g{depth}",
            user(f"k{depth}", depth * 10, "go on", **SIDECHAIN),
            assistant(
                f"l{depth}",
                depth * 10 + 1,
                tool_use(f"t{depth + 1}", "Task", prompt="go on"),
                parent=f"k{depth}",
                **SIDECHAIN,
            ),
            sidecar={"toolUseId": f"t{depth}", "agentType": "digger"},
        )
    index(db, project)
    assert ask(db, "select agent_id, depth, parent_agent_id, spawn_uuid, tool_use_id from v1_agents order by 1") == [
        ("g1", 1, None, "a1", "t1"),
        ("g2", 2, "g1", "l1", "t2"),
        ("g3", 3, "g2", "l2", "t3"),
    ]
    assert broken(db) == {}


def test_background_agent_is_async(db: Path, project: Path) -> None:
    launched = {"isAsync": True, "status": "async_launched", "agentId": "g2"}
    write(
        project / "s1.jsonl",
        assistant(
            "a1", 1, tool_use("t1", "Task", run_in_background=True), tool_use("t2", "Task"), tool_use("t3", "Task")
        ),
        user("r1", 2, tool_result("t1", "launched\nagentId: g1 (internal)"), parent="a1"),
        user("r2", 3, tool_result("t2", "launched"), parent="r1", toolUseResult=launched),
        user("r3", 4, tool_result("t3", "done"), parent="r2", toolUseResult={"agentId": "g3", "isAsync": False}),
    )
    index(db, project)
    assert ask(db, "select agent_id, kind, rule from v1_agents order by 1") == [
        ("g1", "async", "mention"),
        ("g2", "async", "result"),
        ("g3", "task", "result"),
    ]


def test_agent_with_a_name_or_a_team_is_a_teammate(db: Path, project: Path) -> None:
    spawned = {"status": "teammate_spawned", "agent_id": "amy@crew", "name": "amy", "team_name": "crew"}
    write(
        project / "s1.jsonl",
        assistant(
            "a1",
            1,
            tool_use("t1", "Task", name="amy", team_name="crew", prompt="Read the notes", run_in_background=True),
        ),
        user("r1", 2, tool_result("t1", "Spawned"), parent="a1", toolUseResult=spawned),
        assistant("a2", 3, tool_use("t2", "Task", team_name="crew", prompt="Write the notes"), parent="r1"),
    )
    message = '<teammate-message teammate_id="lead" summary="a > b">\nwrite the  notes\n</teammate-message>'
    agent_file(project, "g2", user("k2", 4, message, **SIDECHAIN))
    index(db, project)
    assert agent(db, "amy@crew", "kind, depth, teammate_name, spawn_uuid, status") == (
        "teammate",
        1,
        "amy",
        "r1",
        "running",
    )
    assert agent(db, "g2", "kind, depth, rule, spawn_uuid, prompt") == (
        "teammate",
        1,
        "prompt",
        "a2",
        "Write the notes",
    )


def test_workflow_agents_are_attached_to_their_run_and_get_their_status_from_the_journal(
    db: Path, project: Path
) -> None:
    write(
        project / "s1.jsonl",
        assistant("a1", 1, tool_use("t1", "Workflow", name="audit")),
        user(
            "r1",
            2,
            tool_result("t1", "started"),
            parent="a1",
            toolUseResult={"status": "async_launched", "runId": "wf_1"},
        ),
    )
    folder = project / "s1" / "subagents" / "workflows" / "wf_1"
    for name in ("done", "busy"):
        write(folder / f"agent-{name}.jsonl", user(f"k-{name}", 3, f"do {name}", agentId=name, **SIDECHAIN))
    write(
        folder / "journal.jsonl",
        *('{"type":"started","agentId":"done"}', '{"type":"started","agentId":"busy"}'),
        '{"type":"result","agentId":"done","result":{"found":3}}',
    )
    index(db, project)
    find = (
        "select agent_id, kind, depth, spawn_uuid, tool_use_id, prompt, status, workflow_run from v1_agents order by 1"
    )
    assert ask(db, find) == [
        ("busy", "workflow", 1, "r1", "t1", "do busy", "running", "wf_1"),
        ("done", "workflow", 1, "r1", "t1", "do done", "completed", "wf_1"),
    ]
    steps = [{"agentId": "done", "label": "first", "phaseTitle": "Find"}]
    run = {"workflowName": "audit", "status": "failed", "durationMs": 5, "workflowProgress": steps}
    write(project / "s1" / "workflows" / "wf_1.json", json.dumps(run))
    index(db, project)
    assert agent(db, "busy", "status, workflow_label, workflow_phase") == ("failed", None, None)
    assert agent(db, "done", "status, workflow_label, workflow_phase") == ("completed", "first", "Find")
    assert ask(db, "select workflow_run, name, status, agent_count, completed_count from v1_workflows") == [
        ("wf_1", "audit", "failed", 2, 1)
    ]
    assert differences_from_clean(db, project) == {}


@pytest.mark.parametrize(
    "steps", [["a word", 1, None, {"agentId": "w1", "label": "x"}], "a word", {"a": "word"}, 7, None]
)
def test_agents_of_a_malformed_run_file_still_have_rows(db: Path, project: Path, steps: Any) -> None:
    folder = project / "s1" / "subagents" / "workflows" / "wf_1"
    write(folder / "agent-w1.jsonl", user("k1", 1, "x", **SIDECHAIN))
    write(project / "s1" / "workflows" / "wf_1.json", json.dumps({"workflowProgress": steps}))
    index(db, project)
    assert agent(db, "w1", "kind, workflow_run") == ("workflow", "wf_1")
    assert ask(db, "select workflow_run, agent_count from v1_workflows") == [("wf_1", 1)]


def test_agent_known_only_from_progress_has_a_row_without_a_line(db: Path, project: Path) -> None:
    message = {"role": "user", "content": [text_block("Find the leak")]}
    write(
        project / "s1.jsonl",
        assistant(
            "a1", 1, tool_use("t1", "Task", subagent_type="finder", prompt="Find the leak"), tool_use("t2", "Task")
        ),
        progress("p1", 2, "g1", "t1", parent="a1", wrapped={"type": "user", "message": message}),
        progress("p2", 3, "g2", "t2", parent="p1"),
        user("r2", 4, tool_result("t2", "ok"), parent="p2"),
        progress("p3", 5, "g3", "gone", parent="r2"),
    )
    index(db, project)
    columns = "agent_id, line_id, name, kind, depth, spawn_uuid, tool_use_id, prompt, entry_count"
    assert ask(db, f"select {columns} from v1_agents order by 1") == [
        ("g1", None, "finder", "task", 1, "a1", "t1", "Find the leak", 0),
        ("g2", None, "unknown", "task", 1, "r2", "t2", None, 0),
        ("g3", None, "unknown", "unknown", None, None, "gone", None, 0),
    ]
    assert findings(db) == []


def test_agent_known_only_from_its_result_has_a_row(db: Path, project: Path) -> None:
    write(
        project / "s1.jsonl",
        assistant(
            "a1", 1, tool_use("t1", "Task", prompt="one"), tool_use("t2", "Task", prompt="two"), tool_use("t3", "Bash")
        ),
        user("r1", 2, tool_result("t1"), parent="a1", toolUseResult={"agentId": "g1", "status": "completed"}),
        user("r2", 3, tool_result("t2", "done\nagentId: g2 (for resuming)"), parent="r1"),
        user("r3", 4, tool_result("t3", "agentId: no-agent"), parent="r2"),  # shell output does not spawn agents
    )
    index(db, project)
    assert ask(db, "select agent_id, line_id, spawn_uuid, tool_use_id, prompt, status from v1_agents order by 1") == [
        ("g1", None, "r1", "t1", "one", "completed"),
        ("g2", None, "r2", "t2", "two", "completed"),
    ]


def test_sidechains_in_old_session_files_are_agents_named_after_their_roots(db: Path, project: Path) -> None:
    write(
        project / "s1.jsonl",
        user("u1", 0, "go"),
        assistant("a1", 1, tool_use("t1", "Task", subagent_type="old", prompt="Look  HERE"), parent="u1"),
        user("side-root-0000-1111", 2, "look here", **SIDECHAIN),
        assistant("b2", 3, text_block("found"), parent="side-root-0000-1111", **SIDECHAIN),
        user("r1", 4, tool_result("t1", "found"), parent="a1"),
    )
    index(db, project)
    assert ask(db, "select agent_id, line_id, name, kind, depth, spawn_uuid, rule, status from v1_agents") == [
        ("side-root-00", "s1#agent-side-root-00", "old", "task", 1, "r1", "prompt", "completed")
    ]


def test_call_of_an_agent_without_a_transcript_is_the_first_whose_result_mentions_it(db: Path, project: Path) -> None:
    write(
        project / "s1.jsonl",
        assistant("a1", 1, tool_use("t1", "Task", prompt="one"), tool_use("t2", "Task", prompt="two")),
        user("r1", 2, tool_result("t2", "agentId: g1"), tool_result("t1", "agentId: g1"), parent="a1"),
    )
    index(db, project)
    assert agent(db, "g1", "spawn_uuid, tool_use_id, rule, prompt") == ("r1", "t2", "mention", "two")


def test_unlinked_agent_has_no_depth_and_no_spawn_entry(db: Path, project: Path) -> None:
    write(project / "s1.jsonl", user("u1", 0, "go"))
    agent_file(project, "g1", user("k1", 2, "hello", **SIDECHAIN), sidecar={"agentType": "helper"})
    index(db, project)
    find = "name, kind, depth, parent_agent_id, spawn_uuid, tool_use_id, prompt, status, line_id"
    assert agent(db, "g1", find) == ("helper", "unknown", None, None, None, None, "hello", "unknown", "s1#agent-g1")
    assert ("unlinked-agent", "k1") in findings(db)


def test_same_agent_id_in_two_sessions_means_two_agents(db: Path, project: Path) -> None:
    for session in ("s1", "s2"):
        write(
            project / f"{session}.jsonl",
            assistant(f"a-{session}", 1, tool_use(f"t-{session}", "Task", prompt=session), sessionId=session),
            record(type="queue-operation", content=task_notification("g1", "failed"), sessionId="s2"),
        )
        side = {"toolUseId": f"t-{session}", "agentType": session}
        agent_file(
            project, "g1", user(f"k-{session}", 2, "x", sessionId=session, **SIDECHAIN), session=session, sidecar=side
        )
    index(db, project)
    assert ask(db, "select session_id, name, spawn_uuid, status from v1_agents order by 1") == [
        ("s1", "s1", "a-s1", "running"),
        ("s2", "s2", "a-s2", "failed"),
    ]


def test_usage_of_an_agent_is_counted_once_if_progress_entries_repeat_it(db: Path, project: Path) -> None:
    def wrapped(message_id: str, output: int) -> dict[str, Any]:
        usage = token_usage(read=100, output=output)
        return {"type": "assistant", "requestId": "q", "message": {"id": message_id, "model": MODEL, "usage": usage}}

    write(
        project / "s1.jsonl",
        assistant(
            "a1",
            1,
            tool_use("t1", "Task", prompt="x"),
            tool_use("t2", "Task"),
            message={"usage": token_usage(output=1_000)},
        ),
        progress("p1", 3, "g1", "t1", parent="a1", wrapped=wrapped("m1", 10)),
        progress("p2", 4, "g2", "t2", parent="p1", wrapped=wrapped("m2", 20)),
        progress("p3", 5, "g2", "t2", parent="p2", wrapped=wrapped("m2", 50)),
    )
    agent_file(
        project,
        "g1",
        line("k1", timestamp=at(2), **SIDECHAIN),
        assistant(
            "k2",
            3,
            text_block("a"),
            parent="k1",
            message={"id": "m1", "usage": token_usage(read=100, output=30)},
            **SIDECHAIN,
        ),
        assistant(
            "k3", 6, text_block("b"), parent="k2", message={"id": "m3", "usage": token_usage(output=7)}, **SIDECHAIN
        ),
        sidecar={"toolUseId": "t1"},
    )
    index(db, project)
    find = "select agent_id, responses, input_tokens, output_tokens, round(est_cost_usd, 9) from v1_agents order by 1"
    assert ask(db, find) == [("g1", 2, 100, 37, 0.000855), ("g2", 1, 100, 50, 0.00105)]
    assert ask(db, "select message_id, agent_id, entry_count, is_wrapped from v1_responses order by 1") == [
        ("m-a1", None, 1, 0),
        ("m1", "g1", 2, 1),
        ("m2", "g2", 2, 1),
        ("m3", "g1", 1, 0),
    ]
    assert ask(db, "select round(est_cost_usd, 9) from v1_sessions") == [(0.016905,)]
    assert broken(db) == {}
