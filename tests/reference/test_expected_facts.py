"""The reference implementation derives the facts that were worked out by hand for small projects."""

from pathlib import Path
from typing import Any

from tests.making.files import write
from tests.making.transcripts import assistant, at, line, text_block, thinking_block, tool_result, tool_use, user

from .expected_facts import expected_facts

_LABEL = "Conversation compacted"


def test_result_is_paired_with_the_first_call_in_its_thread(tmp_path: Path) -> None:
    write(
        tmp_path / "s1.jsonl",
        user("u1", 0, text_block("go")),
        assistant("a1", 1, tool_use("t1", "Bash"), tool_use("t2", "Read"), parent="u1"),
        assistant("a2", 2, thinking_block("hm"), parent="a1"),
        user("r1", 4, tool_result("t1", is_error="true"), parent="a2"),
        user("r2", 5, tool_result("t1"), tool_result("t9"), parent="r1"),
        user("r3", 8, tool_result("t5"), tool_result("t6"), parent="r2"),
    )
    write(
        tmp_path / "agent-g.jsonl",
        assistant("k1", 7, tool_use("t5", "Grep"), tool_use("t6", "LS"), isSidechain=True, agentId="g"),
        user("k2", 9, tool_result("t5"), parent="k1", isSidechain=True, agentId="g"),
    )
    facts = expected_facts(tmp_path)
    assert sorted(facts["tool_pairs"]) == [
        ["t1", "s1", "Bash", "a1", "r1", "paired", 1, 3000, "s1", 1],
        ["t2", "s1", "Read", "a1", None, "pending", None, None, "s1", 0],
        ["t5", "s1", "Grep", "k1", "k2", "paired", 0, 2000, "s1#agent-g", 0],
        ["t6", "s1", "LS", "k1", "r3", "paired", 0, 1000, "s1#agent-g", 0],
        ["t9", "s1", None, None, "r2", "orphan_result", 0, None, "s1", 0],
    ]
    assert sorted(facts["extra_results"]) == [["s1", "r2"], ["s1", "r3"]]


def test_response_is_counted_once_with_its_fullest_snapshot(tmp_path: Path) -> None:
    split = {"ephemeral_5m_input_tokens": 10, "ephemeral_1h_input_tokens": 30}
    full = {"input_tokens": 3, "output_tokens": 9, "cache_creation_input_tokens": 50, "cache_creation": split}
    inner = {"id": "m2", "model": "claude-y", "usage": {"output_tokens": 4.0, "cache_read_input_tokens": -1}}
    wrapped = {"type": "assistant", "message": inner, "requestId": "q2"}
    progress = {"type": "agent_progress", "agentId": "h", "message": wrapped}
    write(
        tmp_path / "s1.jsonl",
        assistant("a1", 1, isSidechain=True, requestId="q0", message={"id": "m1", "usage": {"output_tokens": 8}}),
        assistant("a2", 2, requestId="q1", message={"id": "m1", "usage": full, "model": "claude-x"}),
        assistant("a3", 3, message={"id": "m1", "stop_reason": "end_turn", "usage": {"output_tokens": 2}}),
        line("p1", timestamp=at(4), type="progress", data=progress),
        assistant("a4", 5, message={"id": None, "model": None}, requestId="q3", isSidechain=True, agentId="g"),
        assistant("a5", 6, message={"model": "<synthetic>"}),
        assistant("a6", 7, isApiErrorMessage=True),
        line("a7", timestamp="never", type="assistant", message="words", isSidechain=True),
    )
    assert sorted(expected_facts(tmp_path)["responses"]) == [
        ["a7", None, "s1", "a7", None, "never", 1, 0, 0, 0, 0, 0, 0],
        ["m1", "q1", "s1", None, "claude-x", at(2), 3, 3, 9, 20, 30, 0, 1],
        ["m2", "q2", "s1", "h", "claude-y", at(4), 1, 0, 4, 0, 0, 0, 0],
        ["q3", "q3", "s1", "g", None, at(5), 1, 0, 0, 0, 0, 0, 0],
    ]


def test_iteration_of_another_model_is_a_separate_response(tmp_path: Path) -> None:
    iterations = [
        {"type": "message", "cache_creation": {"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": 30}},
        {"type": "advisor_message", "model": "claude-z", "input_tokens": 7, "output_tokens": 8},
        {"type": "message", "cache_creation": {"ephemeral_5m_input_tokens": 5, "ephemeral_1h_input_tokens": 15}},
        {"type": "advisor_message", "output_tokens": 99},
    ]
    usage = {"output_tokens": 9, "cache_creation_input_tokens": 50, "iterations": iterations}
    split = {"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": 30}
    write(
        tmp_path / "s1.jsonl",
        assistant("a1", 1, message={"id": "m1", "model": "claude-x", "usage": {"output_tokens": 1}}),
        assistant("a2", 2, message={"id": "m1", "model": "claude-x", "usage": {**usage, "cache_creation": split}}),
        assistant("a3", 3, message={"id": "m2", "model": "claude-x", "usage": {**usage, "iterations": "none"}}),
    )
    assert sorted(expected_facts(tmp_path)["responses"]) == [
        ["m1", None, "s1", None, "claude-x", at(1), 2, 0, 9, 5, 45, 0, 0],
        ["m1#1", None, "s1", None, "claude-z", at(1), 1, 7, 8, 0, 0, 0, 0],
        ["m2", None, "s1", None, "claude-x", at(3), 1, 0, 9, 50, 0, 0, 0],
    ]


def test_agents_have_a_row_with_or_without_a_thread(tmp_path: Path) -> None:
    progress = {"type": "agent_progress", "agentId": "g4"}
    write(
        tmp_path / "s1.jsonl",
        user("u1", 0, text_block("go")),
        assistant(
            "a1", 1, tool_use("t0", "Bash"), tool_use("t1", "Task", subagent_type="scout", prompt="Look"), parent="u1"
        ),
        user("r1", 5, tool_result("t0"), tool_result("t1"), parent="a1", toolUseResult={"agentId": "g1"}),
        assistant("a2", 6, tool_use("t3", "Task", name="amy"), tool_use("t4", "Task"), parent="r1"),
        user("r3", 7, tool_result("t3", "done\nagentId: g3 (to resume)"), parent="a2"),
        line("p4", parent="r3", timestamp=at(8), type="progress", data=progress, parentToolUseID="t4"),
        user("k9", 9, text_block("alone"), isSidechain=True),
        user("k5", 9, text_block("With  it"), isSidechain=True, agentId="g5", parent="a5"),
        assistant(
            "a5", 9, tool_use("t5", "Task", prompt="without"), tool_use("t6", "Task", prompt="with it"), parent="p4"
        ),
    )
    below = tmp_path / "s1" / "subagents"
    write(
        below / "agent-g1.jsonl",
        user("k1", 2, text_block("Look"), isSidechain=True),
        assistant("k2", 3, tool_use("t2", "Agent", run_in_background=1), parent="k1", isSidechain=True),
        user("k3", 4, tool_result("t2"), parent="k2", isSidechain=True),
    )
    write(below / "agent-g2.jsonl", user("j1", 4, text_block("Dig"), isSidechain=True))
    write(below / "agent-g2.meta.json", '{"toolUseId": "t2", "agentType": "digger"}')
    write(below / "workflows" / "w1" / "agent-g6.jsonl", user("w1", 9, text_block("Work"), isSidechain=True))
    assert sorted(expected_facts(tmp_path)["agents"]) == [
        ["g1", "s1", "s1#agent-g1", "scout", "task", 1, None, "r1", "t1", "Look", 3],
        ["g2", "s1", "s1#agent-g2", "digger", "async", 2, "g1", "k3", "t2", "Dig", 1],
        ["g3", "s1", None, "unknown", "teammate", 1, None, "r3", "t3", None, 0],
        ["g4", "s1", None, "unknown", "task", 1, None, "a2", "t4", None, 0],
        ["g5", "s1", "s1#agent-g5", "unknown", "task", 1, None, "a5", "t6", "with it", 1],
        ["g6", "s1", "s1#agent-g6", "unknown", "workflow", None, None, None, None, "Work", 1],
        ["k9", "s1", "s1#agent-k9", "unknown", "unknown", None, None, None, None, "alone", 1],
    ]


def test_compaction_has_its_summary_and_a_label(tmp_path: Path) -> None:
    boundary = {"type": "system", "subtype": "compact_boundary", "message": None}
    about = {"trigger": "auto", "preTokens": 115_999, "postTokens": 7.5}
    write(
        tmp_path / "s1.jsonl",
        user("u1", 0, text_block("go")),
        line("b1", timestamp=at(1), logicalParentUuid="u1", compactMetadata=about, **boundary),
        user("c0", 2, text_block("no summary"), parent="b1"),
        user("c1", 3, text_block("What was"), parent="b1", isCompactSummary=True),
        line("b2", timestamp="2026-03-01T23:30:00-01:00", compactMetadata={"preTokens": 999}, **boundary),
        line("b3", timestamp=at(5), **boundary),
    )
    late = "2026-03-01T23:30:00-01:00"
    assert sorted(expected_facts(tmp_path)["compactions"]) == [
        [
            "b1",
            "s1",
            "s1",
            "auto",
            115_999,
            None,
            "u1",
            "c1",
            at(1),
            f"{_LABEL} (115k tokens) • 2026-03-01 09:00:03",
        ],
        ["b2", "s1", "s1", None, 999, None, None, None, late, f"{_LABEL} (999 tokens) • 2026-03-02 00:30:00"],
        ["b3", "s1", "s1", None, None, None, None, None, at(5), f"{_LABEL} • 2026-03-01 09:00:05"],
    ]


def test_file_touches_are_marked_if_they_are_on_the_active_path(tmp_path: Path) -> None:
    write(
        tmp_path / "s1.jsonl",
        user("u0", 0, text_block("go")),
        user("u1", 1, text_block("this"), parent="u0"),
        assistant("a1", 2, tool_use("t1", "Read", file_path="/a"), tool_use("t2", "Grep", pattern="x"), parent="u1"),
        user("u2", 3, text_block("or that"), parent="u0"),
        assistant("a2", 4, tool_use("t3", "NotebookEdit", notebook_path="/n", file_path="/no"), parent="u2"),
        assistant("a3", 5, tool_use("t4", "MultiEdit", file_path="/a"), tool_use("t5", "LS", path="/"), parent="a2"),
    )
    assert sorted(expected_facts(tmp_path)["file_touches"]) == [
        ["/", "search", "t5", "a3", "s1", "s1@u2", at(5), 1],
        ["/a", "edit", "t4", "a3", "s1", "s1@u2", at(5), 1],
        ["/a", "read", "t1", "a1", "s1", "s1@u1", at(2), 0],
        ["/n", "notebook", "t3", "a2", "s1", "s1@u2", at(4), 1],
    ]


def test_first_prompt_is_the_first_typed_text_of_the_trunk(tmp_path: Path) -> None:
    write(
        tmp_path / "s1.jsonl",
        user("u0", 0, text_block("<command-name>/clear</command-name>")),
        user("u1", 1, text_block("an agent's"), isSidechain=True),
        user("u3", 3, text_block("second"), parent="u0"),
        user("u2", 2, text_block("first"), text_block("words"), parent="u0"),
        user("u4", 1, text_block("meta"), parent="u0", isMeta=True),
    )
    write(tmp_path / "s2.jsonl", assistant("a1", 0, text_block("hello"), sessionId="s2"))
    assert expected_facts(tmp_path)["prompts"] == {"s1": "first\nwords", "s2": None}


def test_title_is_the_last_title_of_the_preferred_kind(tmp_path: Path) -> None:
    def titled(**keys: Any) -> str:
        return line(parent=None, message=None, **{"timestamp": None, **keys})

    write(
        tmp_path / "s1.jsonl",
        user("u1", 5, text_block("go")),
        titled(type="ai-title", aiTitle="late", timestamp=at(9)),
        titled(type="ai-title", aiTitle="early", timestamp=at(8)),
        titled(type="ai-title", aiTitle="", timestamp=at(9)),
        titled(type="custom-title", customTitle="of a leaf", leafUuid="u1"),
        titled(type="summary", summary="of another", leafUuid="u2"),
    )
    write(tmp_path / "s2.jsonl", user("u2", 5, text_block("go"), sessionId="s2"))
    write(
        tmp_path / "s3.jsonl",
        user("u3", 5, text_block("go"), sessionId="s3"),
        titled(type="summary", summary="gone", leafUuid="u9", sessionId="s3"),
    )
    assert expected_facts(tmp_path)["titles"] == {"s1": "of a leaf", "s2": "of another", "s3": None}
