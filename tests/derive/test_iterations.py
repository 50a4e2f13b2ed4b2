"""Iterations of a response: their cache lifetimes, and iterations by other models such as an advisor."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from ccindex.store.sql_files import load
from tests.making.commands import run_json
from tests.making.files import append, write
from tests.making.indexes import ask, broken, differences_from_clean, index, one
from tests.making.transcripts import MODEL, agent_file, assistant, at, progress, text_block, token_usage, tool_use, user

ADVISOR = "claude-opus-4-5-20251101"  # 5 and 25 dollars per million input and output tokens
TOKENS = "input_tokens, output_tokens, cache_creation_5m_tokens, cache_creation_1h_tokens, cache_read_tokens"


def iterated(usage: dict[str, Any], *iterations: Any) -> dict[str, Any]:
    return usage | {"iterations": list(iterations)}


def part(**tokens: int) -> dict[str, Any]:
    return {"type": "message", **token_usage(**tokens)}


def advice(model: Any = ADVISOR, type_: Any = "advisor_message", **tokens: int) -> dict[str, Any]:
    return {"type": type_, "model": model, **token_usage(**tokens)}


def test_advisor_iteration_is_a_separate_response(db: Path, project: Path) -> None:
    usage = iterated(
        token_usage(read=4, output=30), part(read=2, output=10), advice(read=1_000, output=200), part(read=2, output=20)
    )
    write(
        project / "s1.jsonl",
        user("u1", 0, "go"),
        assistant("a1", 1, text_block("hm"), message={"id": "m1", "usage": token_usage(read=4, output=1)}, parent="u1"),
        assistant("a2", 2, text_block("done"), message={"id": "m1", "usage": usage}, requestId="q1", parent="a1"),
    )
    index(db, project)
    find = f"select message_id, parent_message_id, uuid, timestamp, model, entry_count, {TOKENS} from v1_responses"
    assert ask(db, find + " order by 1") == [
        ("m1", None, "a1", at(1), MODEL, 2, 4, 30, 0, 0, 0),
        ("m1#1", "m1", "a1", at(1), ADVISOR, 1, 1_000, 200, 0, 0, 0),
    ]
    assert one(db, "select est_cost_usd from v1_responses where message_id = 'm1#1'") == pytest.approx(0.01)
    usage_rows = ask(db, "select model, responses, input_tokens, output_tokens, est_cost_usd from v1_usage order by 1")
    assert usage_rows == [
        (ADVISOR, 1, 1_000, 200, pytest.approx(0.01)),
        (MODEL, 1, 4, 30, pytest.approx(0.000462)),
    ]
    assert one(db, "select est_cost_usd from v1_sessions") == pytest.approx(0.010462)
    totals = run_json("stats", "--db", db)["totals"]
    assert (totals["responses"], totals["input_tokens"], totals["output_tokens"]) == (2, 1_004, 230)
    assert broken(db) == {}
    assert differences_from_clean(db, project) == {}


@pytest.mark.parametrize(
    "iteration",
    [
        {"type": "message", "model": ADVISOR, "output_tokens": 5},
        {"type": "advisor_message", "output_tokens": 5},
        {"model": ADVISOR, "output_tokens": 5},
        advice("<synthetic>", output=5),
        advice(7, output=5),
        advice(type_=["advisor_message"], output=5),
        "advisor_message",
        None,
    ],
    ids=["message", "no model", "no type", "synthetic", "non-string model", "non-string type", "text", "null"],
)
def test_other_iterations_are_not_responses(db: Path, project: Path, iteration: Any) -> None:
    write(project / "s1.jsonl", assistant("a1", 1, message={"usage": iterated(token_usage(output=3), iteration)}))
    index(db, project)
    assert ask(db, "select message_id, output_tokens from v1_responses") == [("m-a1", 3)]


@pytest.mark.parametrize("value", [{}, [], "x", None, 5])
def test_malformed_iterations_are_ignored(db: Path, project: Path, value: Any) -> None:
    write(project / "s1.jsonl", assistant("a1", 1, message={"usage": token_usage(output=3) | {"iterations": value}}))
    index(db, project)
    assert ask(db, "select message_id, output_tokens from v1_responses") == [("m-a1", 3)]


def test_entries_that_are_not_responses_have_no_iterations(db: Path, project: Path) -> None:
    usage = iterated(token_usage(output=3), advice(output=5))
    write(
        project / "s1.jsonl",
        assistant("a1", 1, message={"model": "<synthetic>", "usage": usage}),
        assistant("a2", 2, message={"usage": usage}, isApiErrorMessage=True),
    )
    index(db, project)
    assert ask(db, "select * from v1_responses") == []


def test_iteration_without_a_message_id_is_named_after_its_response(db: Path, project: Path) -> None:
    usage = iterated(token_usage(output=3), advice(output=5))
    write(
        project / "s1.jsonl",
        assistant("a1", 1, message={"id": None, "usage": usage}, requestId="q1"),
        assistant("a2", 2, message={"id": None, "usage": usage}),
    )
    index(db, project)
    assert ask(db, "select message_id from v1_responses order by 1") == [("a2",), ("a2#0",), ("q1",), ("q1#0",)]


def test_fullest_of_several_snapshots_is_used(db: Path, project: Path) -> None:
    for second, output in ((1, 5), (2, 50), (3, 20)):
        usage = iterated(token_usage(output=9), part(output=9), advice(read=second, output=output))
        append(project / "s1.jsonl", assistant(f"a{second}", second, message={"id": "m1", "usage": usage}) + "\n")
    index(db, project)
    assert ask(db, "select message_id, entry_count, input_tokens, output_tokens from v1_responses order by 1") == [
        ("m1", 3, 0, 9),
        ("m1#1", 3, 2, 50),
    ]


def test_advisor_in_a_wrapped_subagent_message_is_counted(db: Path, project: Path) -> None:
    wrapped = {
        "type": "assistant",
        "timestamp": at(2),
        "message": {
            "id": "w1",
            "model": MODEL,
            "content": [],
            "usage": iterated(token_usage(output=3), advice(output=5)),
        },
    }
    write(
        project / "s1.jsonl",
        assistant("a1", 1, tool_use("t1", "Task", prompt="go")),
        progress("p1", 2, "g1", "t1", wrapped=wrapped, parent="a1"),
    )
    index(db, project)
    find = "select message_id, agent_id, output_tokens from v1_responses where agent_id = 'g1' order by 1"
    assert ask(db, find) == [("w1", "g1", 3), ("w1#0", "g1", 5)]
    assert broken(db) == {}


def test_iteration_belongs_to_the_entry_of_its_parent_response(db: Path, project: Path) -> None:
    usage = iterated(token_usage(output=3), advice(output=5))
    agent_file(project, "g1", assistant("k1", 5, message={"id": "m1", "usage": usage}, isSidechain=True))
    index(db, project)
    find = "select message_id, uuid, session_id, entry_count from v1_responses order by 1"
    assert ask(db, find) == [("m1", "k1", "s1", 1), ("m1#0", "k1", "s1", 1)]
    # an entry in a session file takes over the response and its iteration, although that entry has no iterations
    path = write(project / "s2.jsonl", assistant("a1", 9, message={"id": "m1"}, sessionId="s2"))
    index(db, project)
    assert ask(db, find) == [("m1", "a1", "s2", 2), ("m1#0", "a1", "s2", 1)]
    assert broken(db) == {}
    # after a rewrite, that entry is part of another response, and k1 is the owner of m1 again
    write(path, assistant("a1", 9, message={"id": "m2"}, sessionId="s2"))
    index(db, project)
    assert ask(db, find) == [("m1", "k1", "s1", 1), ("m1#0", "k1", "s1", 1), ("m2", "a1", "s2", 1)]
    assert broken(db) == {}
    assert differences_from_clean(db, project, ignore=("v1_occurrences", "v1_sources", "v1_diagnostics")) == {}


def test_iteration_removed_by_a_rewrite_is_deleted(db: Path, project: Path) -> None:
    usage = iterated(token_usage(output=3), advice(output=5), advice(output=7))
    path = write(project / "s1.jsonl", assistant("a1", 1, message={"usage": usage}))
    index(db, project)
    assert one(db, "select count(*) from v1_responses") == 3
    write(path, assistant("a1", 1, message={"usage": iterated(token_usage(output=3), advice(output=5))}))
    index(db, project)
    assert ask(db, "select message_id from v1_responses order by 1") == [("m-a1",), ("m-a1#0",)]
    assert one(db, "select sum(output_tokens) from v1_usage") == 8
    assert broken(db) == {}


def test_message_with_the_id_of_an_iteration_takes_precedence(db: Path, project: Path) -> None:
    usage = iterated(token_usage(output=3), advice(output=5))
    write(project / "s1.jsonl", assistant("a1", 1, message={"id": "m", "usage": usage}))
    index(db, project)
    path = write(project / "s2.jsonl", assistant("a2", 2, message={"id": "m#0", "usage": token_usage(output=8)}))
    index(db, project)
    find = "select message_id, uuid, parent_message_id, output_tokens from v1_responses order by 1"
    assert ask(db, find) == [("m", "a1", None, 3), ("m#0", "a2", None, 8)]
    assert broken(db) == {}
    write(path, assistant("a2", 2, message={"id": "other", "usage": token_usage(output=8)}))
    index(db, project)
    assert ask(db, find) == [("m", "a1", None, 3), ("m#0", "a1", "m", 5), ("other", "a2", None, 8)]
    assert broken(db) == {}


@pytest.mark.parametrize(
    ("total", "iterations", "split"),
    [
        (token_usage(short=10, long=20), [part(short=10, long=20)], (10, 20)),
        # the total gives lifetimes only for the tokens of the first iteration
        (token_usage(long=20) | {"cache_creation_input_tokens": 50}, [part(long=20), part(short=7, long=23)], (7, 43)),
        ({"cache_creation_input_tokens": 50}, [part(long=20), part(long=30)], (0, 50)),
        (token_usage() | {"cache_creation_input_tokens": 50}, [part(long=20), part(long=30)], (0, 50)),
        # tokens without a recorded lifetime count as short-lived
        ({"cache_creation_input_tokens": 50}, [part(long=20), {"type": "message"}], (30, 20)),
        ({"cache_creation_input_tokens": 50}, [], (50, 0)),
        # an advisor's tokens are not part of the total
        ({"cache_creation_input_tokens": 50}, [part(long=50), advice(long=99)], (0, 50)),
        # lifetimes that account for the whole total are not changed
        (token_usage(short=50), [part(long=20), part(long=30)], (50, 0)),
        ({}, [part(short=1), part(long=2)], (1, 2)),
    ],
    ids=["whole", "first only", "no split", "zeros", "rest", "none", "advisor", "split", "no total"],
)
def test_missing_cache_lifetimes_of_the_total_come_from_its_iterations(
    db: Path, project: Path, total: dict[str, Any], iterations: list[Any], split: tuple[int, int]
) -> None:
    write(project / "s1.jsonl", assistant("a1", 1, message={"usage": iterated(total, *iterations)}))
    index(db, project)
    find = "select cache_creation_5m_tokens, cache_creation_1h_tokens from v1_responses where message_id = 'm-a1'"
    assert ask(db, find) == [split]


def test_totals_of_paths_and_tools_include_the_advisor(db: Path, project: Path) -> None:
    usage = iterated(token_usage(output=3), part(output=3), advice(output=500))
    write(
        project / "s1.jsonl",
        user("u1", 0, "go"),
        assistant("a1", 1, tool_use("t1", "Bash", command="ls"), message={"usage": usage}, parent="u1"),
        assistant("a2", 2, text_block("done"), message={"usage": token_usage(output=1_000)}, parent="a1"),
    )
    index(db, project)
    totals = run_json("stats", "--tool", "Bash", "--db", db)["totals"]
    assert (totals["responses"], totals["output_tokens"]) == (2, 503)
    with closing(sqlite3.connect(db)) as connection:
        *_, responses, output, _ = connection.execute(load("query/path_totals"), {"leaf_uuid": "a2"}).fetchone()
    assert (responses, output) == (3, 1_503)
