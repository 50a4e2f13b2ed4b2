"""Late and changed data gives the same index as data that was there from the start."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from itertools import permutations, zip_longest
from pathlib import Path
from typing import Any

import pytest

from tests.making.commands import run_json
from tests.making.files import append, write
from tests.making.indexes import ask, broken, differences_from_clean, everything, index, one, terms
from tests.making.transcripts import (
    MODEL,
    agent_file,
    assistant,
    at,
    progress,
    record,
    task_notification,
    text_block,
    thinking_block,
    token_usage,
    tool_result,
    tool_use,
    user,
)

SIDECHAIN: dict[str, Any] = {"isSidechain": True}
ABOUT_GENERATIONS = ("v1_occurrences", "v1_sources", "v1_diagnostics")


def add(path: Path, *lines: str) -> None:
    append(path, "".join(text + "\n" for text in lines))


def test_later_result_completes_the_pair(db: Path, project: Path) -> None:
    find = "select status, result_uuid, duration_ms, delayed from v1_tool_pairs"
    path = write(project / "s1.jsonl", assistant("a1", 1, tool_use("t1", "Edit", file_path="/a")))
    index(db, project)
    assert ask(db, find) == [("pending", None, None, 0)]
    agent_file(project, "g1", user("k1", 3, tool_result("t1"), **SIDECHAIN))
    index(db, project)
    assert ask(db, find) == [("paired", "k1", 2_000, 0)]
    add(path, assistant("a2", 4, thinking_block("hm"), parent="a1"))
    add(path, user("r1", 9, tool_result("t1", is_error=True), parent="a2"))
    index(db, project)
    assert ask(db, find) == [("paired", "r1", 8_000, 1)]
    assert ask(db, "select is_error from v1_file_touches") == [(1,)]
    assert differences_from_clean(db, project) == {}


def test_call_that_arrives_after_its_result_completes_the_pair(db: Path, project: Path) -> None:
    write(project / "s1.jsonl", user("r1", 5, tool_result("t1"), toolUseResult={"agentId": "g1"}))
    index(db, project)
    assert ask(db, "select status from v1_tool_pairs") == [("orphan_result",)]
    write(project / "also.jsonl", assistant("a1", 1, tool_use("t1", "Task", subagent_type="late", prompt="x")))
    index(db, project)
    assert ask(db, "select status, name, duration_ms from v1_tool_pairs") == [("paired", "Task", 4_000)]
    assert ask(db, "select agent_id, name, prompt from v1_agents") == [("g1", "late", "x")]
    assert differences_from_clean(db, project) == {}


def test_fuller_snapshot_replaces_the_others(db: Path, project: Path) -> None:
    find = "select uuid, session_id, model, output_tokens, usage_final from v1_responses"

    def part(uuid: str, second: int, output: int, **keys: Any) -> str:
        return assistant(
            uuid, second, message={"id": "m1", "usage": token_usage(output=output)} | keys.pop("more", {}), **keys
        )

    path = agent_file(project, "g1", part("k1", 2, 5, **SIDECHAIN))
    index(db, project)
    assert ask(db, find) == [("k1", "s1", MODEL, 5, 0)]
    add(path, part("k2", 3, 50, parent="k1", more={"model": "claude-opus-4-6"}, **SIDECHAIN))
    index(db, project)
    assert ask(db, find) == [("k1", "s1", "claude-opus-4-6", 50, 0)]
    write(project / "s2.jsonl", part("a1", 9, 1, sessionId="s2", more={"stop_reason": "end_turn"}))
    index(db, project)
    assert ask(db, find) == [("a1", "s2", "claude-opus-4-6", 50, 1)]
    assert ask(db, "select model, day from v1_prices where above_input_tokens = 0") == [
        ("claude-opus-4-6", "2026-03-01")
    ]
    assert differences_from_clean(db, project) == {}


def rich_entry(name: str, **keys: Any) -> str:
    """Return an entry with text, thinking and a tool call, all of which contain `name`."""
    unusual = "lone \ud83d nul \0 NFD u\u0308ber 東京 ﬁne"
    blocks = [
        text_block(f"answer{name} {unusual}"),
        thinking_block(f"thought{name}"),
        tool_use(f"t-{name}", "Read", file_path=f"/{name}"),
    ]
    message = {"id": f"m-{name}", "usage": token_usage(output=len(name))}
    return assistant("a1", 1, *blocks, message=message, **keys)


def test_content_of_the_previous_owner_is_removed(db: Path, project: Path) -> None:
    write(project / "late.jsonl", rich_entry("late", sessionId="late", timestamp=at(50)))
    write(project / "n.jsonl", user("n1", 51, task_notification("g-late", "failed"), sessionId="late"))
    index(db, project)
    write(project / "early.jsonl", rich_entry("early", sessionId="early", parent="p"))
    write(project / "n0.jsonl", user("n1", 1, task_notification("g-early", "failed"), sessionId="early"))
    index(db, project)
    assert ask(db, "select tool_use_id, session_id, path from v1_tool_pairs") == [("t-early", "early", "/early")]
    assert ask(db, "select message_id, session_id, output_tokens from v1_responses") == [("m-early", "early", 5)]
    assert ask(db, "select path from v1_file_touches") == [("/early",)]
    assert ask(db, "select task_id from v1_task_notices") == [("g-early",)]
    all_terms = {term for term, _ in terms(db)}
    assert {"answerearly", "thoughtearly", "uber", "東", "fine"} <= all_terms
    assert not [term for term in all_terms if "late" in term]
    assert differences_from_clean(db, project) == {}
    assert broken(db) == {}


def test_identical_copy_can_move_an_entry_to_another_session(db: Path, project: Path) -> None:
    shared = rich_entry("same", sessionId=None)
    answers = user("r1", 2, tool_result("t-same"), sessionId="z", parent="a1")
    write(project / "z.jsonl", shared, answers)
    index(db, project)
    assert ask(db, "select session_id, status from v1_tool_pairs") == [("z", "paired")]
    write(project / "b.jsonl", user("b0", 0, "earlier", sessionId="b"), shared)
    index(db, project)
    assert ask(db, "select session_id, status from v1_tool_pairs order by 1") == [
        ("b", "pending"),
        ("z", "orphan_result"),
    ]
    assert ask(db, "select session_id, est_cost_usd from v1_sessions order by 1") == [("b", 0.00006), ("z", 0.0)]
    assert differences_from_clean(db, project) == {}


def test_rewritten_source_replaces_its_content(db: Path, project: Path) -> None:
    path = write(
        project / "s1.jsonl", rich_entry("before"), user("r1", 2, tool_result("t-before", "oldwords"), parent="a1")
    )
    index(db, project)
    write(path, rich_entry("after"), user("r1", 3, tool_result("t-after", "newwords"), parent="a1"))
    index(db, project)
    assert ask(db, "select tool_use_id, duration_ms from v1_tool_pairs") == [("t-after", 2_000)]
    assert ask(db, "select message_id from v1_responses") == [("m-after",)]
    assert ask(db, "select path from v1_file_touches") == [("/after",)]
    assert not [term for term, _ in terms(db) if "before" in term or term == "oldwords"]
    assert differences_from_clean(db, project, ignore=ABOUT_GENERATIONS) == {}
    assert broken(db) == {}


def test_entries_missing_from_a_rewritten_source_are_kept(db: Path, project: Path) -> None:
    path = write(
        project / "s1.jsonl",
        assistant("a1", 1, tool_use("t1", "Task", prompt="x"), message={"usage": token_usage(output=9)}),
        user("r1", 2, tool_result("t1", "sunflower"), parent="a1", toolUseResult={"agentId": "g1", "isAsync": True}),
        record(type="queue-operation", content=task_notification("g1", "killed"), timestamp=at(3)),
    )
    index(db, project)
    write(path, user("u1", 5, "another start"))
    index(db, project)
    assert ask(db, "select status from v1_tool_pairs") == [("paired",)]
    assert ask(db, "select agent_id, status from v1_agents") == [("g1", "interrupted")]
    assert [uuid for term, uuid in terms(db) if term == "sunflower"] == ["r1"]
    assert differences_from_clean(db, project, ignore=everything(db)) == {}


def test_later_sidecar_identifies_the_agent(db: Path, project: Path) -> None:
    find = "select name, kind, depth, spawn_uuid, rule, status from v1_agents"
    write(
        project / "s1.jsonl", assistant("a1", 1, tool_use("t1", "Task", prompt="x"), tool_use("t2", "Task", prompt="y"))
    )
    agent_file(project, "g1", user("k1", 2, "z", **SIDECHAIN))
    index(db, project)
    assert ask(db, find) == [("unknown", "unknown", None, None, None, "unknown")]
    sidecar = project / "s1" / "subagents" / "agent-g1.meta.json"
    write(sidecar, json.dumps({"agentType": "scout"}))
    index(db, project)
    assert ask(db, find) == [("scout", "unknown", None, None, None, "unknown")]
    write(sidecar, json.dumps({"agentType": "scout", "toolUseId": "t2", "name": "amy"}))
    index(db, project)
    assert ask(db, find) == [("scout", "teammate", 1, "a1", "sidecar", "running")]
    assert differences_from_clean(db, project, ignore=ABOUT_GENERATIONS) == {}


def test_agent_file_can_arrive_after_all_references_to_it(db: Path, project: Path) -> None:
    inner = {"id": "m1", "model": MODEL, "usage": token_usage(output=3), "content": [text_block("wisteria")]}
    write(
        project / "s1.jsonl",
        assistant("a1", 1, tool_use("t1", "Task", prompt="x")),
        progress("p1", 2, "g1", "t1", parent="a1", wrapped={"type": "assistant", "message": inner}),
    )
    index(db, project)
    find = "select line_id, entry_count, responses, output_tokens from v1_agents"
    assert ask(db, find) == [(None, 0, 1, 3)]
    agent_file(
        project,
        "g1",
        assistant("k1", 2, text_block("wisteria"), message={"id": "m1", "usage": token_usage(output=8)}, **SIDECHAIN),
    )
    index(db, project)
    assert ask(db, find) == [("s1#agent-g1", 1, 1, 8)]
    assert differences_from_clean(db, project) == {}


def test_notice_moves_to_the_session_recorded_on_a_later_line(db: Path, project: Path) -> None:
    launched = {"isAsync": True, "status": "async_launched", "agentId": "g1"}
    write(
        project / "s1.jsonl",
        assistant("a1", 1, tool_use("t1", "Task")),
        user("r1", 2, tool_result("t1"), parent="a1", toolUseResult=launched),
    )
    path = write(
        project / "more.jsonl", json.dumps({"type": "queue-operation", "content": task_notification("g1", "failed")})
    )
    index(db, project)
    assert one(db, "select status from v1_agents") == "running"
    add(path, user("u9", 9, "on"))
    index(db, project)
    assert one(db, "select status from v1_agents") == "failed"
    assert differences_from_clean(db, project) == {}


def test_response_without_a_timestamp_is_priced_by_its_inherited_timestamp(db: Path, project: Path) -> None:
    path = write(project / "s1.jsonl", assistant("a1", 0, message={"usage": token_usage(output=9)}, timestamp=None))
    index(db, project)
    assert ask(db, "select distinct day from v1_prices") == [("1970-01-01",)]
    add(path, user("u1", 3, "on", parent="a1"))
    index(db, project)
    assert ask(db, "select distinct day from v1_prices") == [("2026-03-01",)]
    assert differences_from_clean(db, project) == {}


def linked_files() -> dict[str, list[str]]:
    """Return files that refer to one another in every possible way."""
    inner = {"id": "m-k1", "model": MODEL, "usage": token_usage(output=3), "content": [text_block("wisteria")]}
    call = [tool_use("t1", "Task", prompt="look", run_in_background=True), tool_use("t2", "Read", file_path="/a")]
    return {
        "s1.jsonl": [
            record(type="summary", summary="of two", leafUuid="b1", timestamp=None, sessionId=None),
            user("u1", 0, "go"),
            assistant("a1", 1, *call, parent="u1", message={"usage": token_usage(output=2)}),
            progress("p1", 2, "g1", "t1", parent="a1", wrapped={"type": "assistant", "message": inner}),
            user("r2", 3, tool_result("t2", "plumage"), parent="a1"),
            user("r1", 4, tool_result("t1"), parent="r2", toolUseResult={"isAsync": True, "runId": "wf_1"}),
            record(type="queue-operation", content=task_notification("g1", "killed"), timestamp=at(8)),
        ],
        "s2.jsonl": [
            assistant(
                "a1", 1, *call, parent=None, message={"usage": token_usage(output=90)}, sessionId="s2", timestamp=at(5)
            ),
            user("b1", 6, "resumed", parent="r1", sessionId="s2"),
            assistant(
                "b2", 7, tool_use("t1", "Bash", command="x"), parent="b1", sessionId="s2", message={"model": "unknown"}
            ),
            record(type="custom-title", customTitle="given", sessionId="s2"),
        ],
        "s1/subagents/agent-g1.jsonl": [
            user("k0", 2, "look", **SIDECHAIN),
            assistant(
                "k1", 3, text_block("wisteria"), parent="k0", message={"usage": token_usage(output=30)}, **SIDECHAIN
            ),
            user("n1", 9, task_notification("g1", "completed"), parent="k1", **SIDECHAIN),
        ],
        "s1/subagents/agent-g1.meta.json": [json.dumps({"agentType": "scout", "toolUseId": "t1"})],
        "s1/subagents/workflows/wf_1/agent-w1.jsonl": [
            user("w1", 5, "work", **SIDECHAIN),
            assistant("w2", 6, tool_use("t3", "Grep", path="/"), parent="w1", **SIDECHAIN),
        ],
        "s1/subagents/workflows/wf_1/journal.jsonl": [
            '{"type":"started","agentId":"w1"}',
            '{"type":"result","agentId":"w1","result":1}',
        ],
        "s1/workflows/wf_1.json": [json.dumps({"status": "failed", "workflowName": "audit"})],
    }


def interleaved_lines(order: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Yield the lines of all files, one line of each file in turn."""
    files = linked_files()
    for row in zip_longest(*(files[name] for name in order)):
        yield from ((name, text) for name, text in zip(order, row, strict=True) if text is not None)


@pytest.mark.parametrize("turn", range(4))
def test_files_in_any_order_give_the_same_index(db: Path, project: Path, turn: int) -> None:
    for name in list(permutations(linked_files()))[turn * 1_237]:
        write(project / name, *linked_files()[name])
        index(db, project)
    assert differences_from_clean(db, project) == {}
    assert broken(db) == {}


@pytest.mark.parametrize("turn", range(3))
def test_files_that_grow_in_parallel_give_the_same_index(db: Path, project: Path, turn: int) -> None:
    for name, text in interleaved_lines(list(permutations(linked_files()))[turn * 1_511]):
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        add(project / name, text)
        index(db, project)
    assert differences_from_clean(db, project) == {}
    assert broken(db) == {}


def test_repricing_recomputes_all_costs(db: Path, project: Path) -> None:
    for name, lines in linked_files().items():
        write(project / name, *lines)
    index(db, project)
    before = everything(db)
    with closing(sqlite3.connect(db)) as connection, connection:
        connection.execute("update model_prices set output = 1000")
        connection.execute("update responses set cost_nanousd = 7")
    assert everything(db) != before
    assert run_json("db", "reprice", "--db", db) == {"responses": 4}
    assert everything(db) == before


def test_new_price_with_another_version_of_the_price_library_recomputes_all_costs(db: Path, project: Path) -> None:
    usage = token_usage(read=10, output=20)
    write(project / "s1.jsonl", assistant("a1", 1, text_block("x"), message={"id": "m1", "usage": usage}))
    index(db, project)
    with closing(sqlite3.connect(db)) as connection, connection:
        connection.execute("update meta set value = '0.0.0' where key = 'prices_version'")
        connection.execute("update model_prices set output = 1000")
        connection.execute("update responses set cost_nanousd = 7")
        connection.execute("update usage_totals set cost_nanousd = 7")
    days_later = 200_000
    write(project / "s2.jsonl", assistant("b1", days_later, text_block("y"), message={"id": "m2", "usage": usage}))
    index(db, project)
    assert differences_from_clean(db, project) == {}
