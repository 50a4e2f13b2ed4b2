"""Tests that scripts/sample is consistent and small, and has an example of every feature shown in the documentation."""

from pathlib import Path

from tests.docs.conftest import DELETED_PROJECT
from tests.making.folders import SAMPLE
from tests.making.indexes import ask, broken, diagnostics, findings, index, one


def test_sample_is_consistent_and_has_no_unexpected_diagnostics(tmp_path: Path) -> None:
    db = tmp_path / "x.db"
    report = index(db, SAMPLE)
    assert report.malformed_lines == 0
    assert broken(db) == {}
    assert ask(db, "select * from v1_drift") == []
    assert diagnostics(db) == []
    assert {kind for kind, _ in findings(db)} == {"orphan-parent", "unexpected-root"}  # the sample has one ghost


FEATURES = [
    ("a rewind", "select 1 from v1_entries where is_typed = 1 group by parent_uuid having count(*) > 1"),
    ("a copy", "select 1 from v1_occurrences where uuid is not null and is_owner = 0"),
    ("a ghost", "select 1 from v1_edges where state = 'ghost'"),
    ("a compaction", "select 1 from v1_system_events where compact_pre_tokens > 0"),
    ("a compact summary", "select 1 from v1_entries where is_compact_summary = 1"),
    ("a subagent", "select 1 from v1_sidecars a join v1_entries e on e.agent_id = a.agent_id"),
    (
        "an edit with added and removed lines",
        "select 1 from v1_tool_outcomes where lines_added > 0 and lines_removed > 0",
    ),
    ("a failed command", "select 1 from v1_tool_outcomes where exit_code = 1"),
    (
        "tool output in a separate file",
        "select 1 from v1_sources s join v1_tool_outcomes o on s.size = o.persisted_size",
    ),
    ("a summary", "select 1 from v1_summaries where kind = 'summary' and session_id is not null"),
    ("a queued prompt", "select 1 from v1_queue_operations where operation = 'enqueue'"),
    ("a snapshot", "select 1 from v1_file_snapshots"),
    (
        "an attachment of a recent version",
        "select 1 from v1_attachments join v1_entries using (uuid) where version like '2.1.1__'",
    ),
    (
        "token usage with an hour of caching",
        "select 1 from v1_messages where output_tokens > 0 and cache_creation_1h_tokens > 0",
    ),
    ("a response in several entries", "select 1 from v1_responses where entry_count > 1 and usage_final = 1"),
    (
        "three models with prices",
        "select 1 where (select count(distinct model) from v1_usage where est_cost_usd > 0) = 3",
    ),
    ("a named subagent", "select 1 from v1_agents where name = 'general-purpose' and status = 'completed'"),
    ("a pending call", "select 1 from v1_tool_pairs where status = 'pending' and command is not null"),
    ("a batch of calls", "select 1 from v1_tool_pairs where batch_size > 1"),
    ("a failed MCP call", "select 1 from v1_tool_pairs where mcp_server = 'units' and is_error = 1"),
    ("a slash command with output", "select 1 from v1_commands where name = '/model' and output is not null"),
    ("a rejected plan and an approved one", "select 1 where (select count(distinct status) from v1_plans) = 2"),
    ("completed and open todos", "select 1 where (select count(distinct status) from v1_todos) = 2"),
    (
        "a file written on an abandoned branch",
        "select 1 from v1_file_touches where operation = 'write' and on_active_path = 0",
    ),
]


def test_sample_contains_every_feature(sample: Path) -> None:
    assert [feature for feature, query in FEATURES if not ask(sample, query)] == []


def test_sample_is_small() -> None:
    assert sum(path.stat().st_size for path in SAMPLE.rglob("*") if path.is_file()) < 100_000


def test_deleted_project_stays_in_the_index(sample: Path) -> None:
    assert one(sample, "select count(*) from v1_entries where project = ?", DELETED_PROJECT) == 7
