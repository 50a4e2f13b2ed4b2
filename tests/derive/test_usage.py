"""Usage: every response is counted once, with its fullest snapshot, at the list price of its day."""

from pathlib import Path
from typing import Any

import pytest

from tests.making.files import append, write
from tests.making.indexes import ask, broken, index, one
from tests.making.transcripts import MODEL, agent_file, assistant, at, text_block, token_usage, tool_use, user

SIDECHAIN: dict[str, Any] = {"isSidechain": True}
TOKENS = "input_tokens, output_tokens, cache_creation_5m_tokens, cache_creation_1h_tokens, cache_read_tokens"


def test_every_kind_of_token_has_its_price(db: Path, project: Path) -> None:
    # 3, 15, 3.75, 6 and 0.30 dollars per million tokens
    usage = token_usage(read=1_000, output=1_000, short=1_000, long=1_000, cached=1_000)
    write(
        project / "s1.jsonl",
        assistant("a1", 1, message={"usage": usage, "stop_reason": "end_turn"}, requestId="q1"),
        assistant("a2", 2, message={"usage": token_usage(read=1, cached=200_000)}, parent="a1"),
        assistant("a3", 3, message={"usage": {"cache_creation_input_tokens": 1_000}}, parent="a2"),
    )
    index(db, project)
    assert ask(db, f"select message_id, {TOKENS}, usage_final, est_cost_usd from v1_responses order by 1") == [
        ("m-a1", 1_000, 1_000, 1_000, 1_000, 1_000, 1, pytest.approx(0.02805, abs=1e-12)),
        (
            "m-a2",
            1,
            0,
            0,
            0,
            200_000,
            0,
            pytest.approx(0.120006, abs=1e-12),
        ),  # above 200,000 input tokens the price doubles
        ("m-a3", 0, 0, 1_000, 0, 0, 0, pytest.approx(0.00375, abs=1e-12)),
    ]
    assert ask(db, "select request_id, session_id, agent_id, model, timestamp, uuid from v1_responses limit 1") == [
        ("q1", "s1", None, MODEL, at(1), "a1")
    ]


def test_response_is_counted_once_with_its_fullest_usage(db: Path, project: Path) -> None:
    same_id = {"id": "m1"}
    write(
        project / "s1.jsonl",
        user("u1", 0, "go"),
        assistant("a1", 1, text_block("I"), message=same_id | {"usage": token_usage(read=9, output=1)}, parent="u1"),
        assistant(
            "a2", 2, tool_use("t1", "Bash"), message=same_id | {"usage": token_usage(read=9, output=80)}, parent="a1"
        ),
        assistant("a3", 3, tool_use("t2", "Bash"), message=same_id | {"stop_reason": "tool_use"}, parent="a2"),
    )
    index(db, project)
    assert ask(db, f"select message_id, entry_count, timestamp, {TOKENS}, usage_final from v1_responses") == [
        ("m1", 3, at(1), 9, 80, 0, 0, 0, 1)
    ]


def test_response_without_a_message_id_is_identified_by_its_request_or_entry(db: Path, project: Path) -> None:
    none = {"id": None}
    write(
        project / "s1.jsonl",
        assistant("a1", 1, message=none, requestId="q1"),
        assistant("a2", 2, message=none, requestId="q1", parent="a1"),
        assistant("a3", 3, message=none, parent="a2"),
    )
    index(db, project)
    assert ask(db, "select message_id, request_id, entry_count from v1_responses order by 1") == [
        ("a3", None, 1),
        ("q1", "q1", 2),
    ]


def test_synthetic_and_error_messages_are_not_responses(db: Path, project: Path) -> None:
    write(
        project / "s1.jsonl",
        assistant("a1", 1, message={"model": "<synthetic>", "usage": token_usage(output=5)}),
        assistant("a2", 2, message={"usage": token_usage(output=5)}, isApiErrorMessage=True, parent="a1"),
    )
    index(db, project)
    assert ask(db, "select * from v1_responses") == []
    assert ask(db, "select est_cost_usd from v1_sessions") == [(0.0,)]
    assert ask(db, "select est_cost_usd from v1_projects") == [(0.0,)]
    assert ask(db, "select kind from v1_diagnostics where kind = 'unknown-model'") == []


def test_copies_and_sidechain_replays_are_not_counted_again(db: Path, project: Path) -> None:
    message = {"id": "m1", "usage": token_usage(output=10)}
    write(
        project / "s1.jsonl",
        user("u1", 0, "go"),
        assistant("b1", 1, text_block("aside"), message=message, requestId="q2", agentId="g1", **SIDECHAIN),
        assistant("a1", 2, text_block("hi"), message=message, requestId="q1", parent="u1"),
    )
    copied = assistant("a1", 2, text_block("hi"), message=message, requestId="q1", sessionId="s2", parent="u1")
    write(project / "s2.jsonl", copied, user("u2", 5, "on", sessionId="s2", parent="a1"))
    index(db, project)
    find = (
        "select message_id, request_id, session_id, agent_id, timestamp, entry_count, output_tokens from v1_responses"
    )
    assert ask(db, find) == [("m1", "q1", "s1", None, at(2), 2, 10)]
    assert ask(db, "select session_id, est_cost_usd from v1_sessions order by 1") == [("s1", 0.00015), ("s2", 0.0)]


def test_response_recorded_only_by_agents_belongs_to_the_earliest_entry(db: Path, project: Path) -> None:
    message = {"id": "m1", "usage": token_usage(output=10)}
    for second, agent in ((5, "g1"), (3, "g2")):
        agent_file(project, agent, assistant(f"k-{agent}", second, message=message, **SIDECHAIN))
    index(db, project)
    assert ask(db, "select agent_id, uuid, entry_count from v1_responses") == [("g2", "k-g2", 2)]


def test_model_without_a_price_is_reported_once_per_session(db: Path, project: Path) -> None:
    for session, models in (("s1", ("unknown", "unknown", MODEL)), ("s2", ("unknown", None))):
        lines = [
            assistant(
                f"{session}-{n}", n, sessionId=session, message={"model": model, "usage": token_usage(output=1_000)}
            )
            for n, model in enumerate(models)
        ]
        write(project / f"{session}.jsonl", *lines)
    index(db, project)
    assert ask(db, "select session_id, est_cost_usd from v1_sessions order by 1") == [("s1", 0.015), ("s2", None)]
    assert ask(db, "select est_cost_usd from v1_responses where model is null or model = 'unknown'") == [(None,)] * 4
    find = "select uuid, kind, severity, detail from v1_diagnostics where kind glob '*-model' order by 1"
    assert ask(db, find) == [
        ("s1-0", "unknown-model", "warning", "unknown, 2 responses"),
        ("s2-0", "unknown-model", "warning", "unknown, 1 response"),
        ("s2-1", "missing-model", "info", "1 response"),
    ]
    assert ask(db, "select est_cost_usd from v1_projects") == [(0.015,)]
    assert broken(db) == {}


def test_sums_in_all_views_agree(db: Path, project: Path, tmp_path: Path) -> None:
    other = tmp_path / "projects" / "-other"
    write(
        project / "s1.jsonl",
        user("u1", 0, "go"),
        assistant("a1", 1, message={"usage": token_usage(read=100, output=7, short=3, long=4, cached=5)}, parent="u1"),
        assistant("a2", 2, message={"usage": token_usage(output=1), "model": "claude-opus-4-6"}, parent="a1"),
        assistant(
            "a3", 3, message={"usage": token_usage(output=2)}, parent="a2", timestamp="2026-03-01T23:30:00-01:00"
        ),
    )
    agent_file(project, "g1", assistant("k1", 4, message={"usage": token_usage(output=30)}, **SIDECHAIN))
    write(
        other / "s2.jsonl", assistant("b1", 1, message={"usage": token_usage(output=500)}, sessionId="s2", cwd="/other")
    )
    index(db, tmp_path / "projects")
    columns = "day, model, project, session_id, agent_id, responses, input_tokens, output_tokens"
    more = "cache_creation_tokens, cache_read_tokens, round(est_cost_usd * 1e6, 3), unpriced_responses"
    assert ask(db, f"select {columns}, {more} from v1_usage order by 1, 3 desc, 2, 5") == [
        ("2026-03-01", "claude-opus-4-6", "-w", "s1", None, 1, 0, 1, 0, 0, 25.0, 0),
        ("2026-03-01", MODEL, "-w", "s1", None, 1, 100, 7, 7, 5, 441.75, 0),
        ("2026-03-01", MODEL, "-w", "s1", "g1", 1, 0, 30, 0, 0, 450.0, 0),
        ("2026-03-01", MODEL, "-other", "s2", None, 1, 0, 500, 0, 0, 7500.0, 0),
        ("2026-03-02", MODEL, "-w", "s1", None, 1, 0, 2, 0, 0, 30.0, 0),
    ]
    shown = "project, cwd, session_count, entry_count, first_timestamp, last_timestamp, round(est_cost_usd * 1e6, 3)"
    assert ask(db, f"select {shown} from v1_projects order by 1") == [
        ("-other", "/other", 1, 1, at(1), at(1), 7500.0),
        ("-w", "/w", 1, 5, at(0), "2026-03-01T23:30:00-01:00", 946.75),
    ]
    for view in ("v1_usage", "v1_responses", "v1_sessions", "v1_projects"):
        assert one(db, f"select round(sum(est_cost_usd) * 1e6, 3) from {view}") == 8446.75, view


def test_project_without_entries_has_a_row(db: Path, project: Path) -> None:
    write(project / "s1.jsonl", '{"type":"mode","sessionId":"s1"}')
    index(db, project)
    assert ask(
        db, "select project, cwd, session_count, entry_count, first_timestamp, est_cost_usd from v1_projects"
    ) == [("-w", None, 0, 0, None, 0.0)]


def test_huge_token_counts_do_not_overflow(db: Path, project: Path) -> None:
    path = write(project / "s1.jsonl", user("u1", 0, "go"))
    for n, model in enumerate((MODEL, MODEL, "unknown", "unknown")):
        usage = {"output_tokens": 2**62, "cache_creation_input_tokens": 2**62}
        append(path, assistant(f"a{n}", n, message={"model": model, "usage": usage}) + "\n")
        assert index(db, project).status == "ok"
    for view in ("v1_responses", "v1_usage", "v1_sessions", "v1_projects", "v1_agents"):
        assert ask(db, f"select count(*), sum(est_cost_usd is null) from {view}") is not None, view
    assert one(db, "select count(*) from v1_entries") == 5


def test_costs_of_many_expensive_responses_can_be_summed(db: Path, project: Path) -> None:
    usage = {"output_tokens": 500_000_000_000}  # seven and a half million dollars
    write(project / "s1.jsonl", *(assistant(f"a{n}", n, message={"usage": usage}) for n in range(3)))
    index(db, project)
    for view in ("v1_responses", "v1_usage", "v1_sessions", "v1_projects"):
        assert one(db, f"select sum(est_cost_usd) from {view}") == pytest.approx(22_500_000), view


def test_last_second_before_1970_belongs_to_the_previous_day(db: Path, project: Path) -> None:
    write(project / "s1.jsonl", assistant("a1", 0, timestamp="1969-12-31T23:59:59.500Z"))
    index(db, project)
    for view in ("v1_responses", "v1_usage", "v1_prices where above_input_tokens = 0"):
        assert ask(db, f"select day from {view}") == [("1969-12-31",)], view
