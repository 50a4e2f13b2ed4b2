"""Every view starts with its documented columns, in the documented order. Further columns may follow."""

from pathlib import Path

import pytest

from ccindex.store.connection import changing
from tests.making.indexes import ask

COLUMNS = {
    "v1_projects": "project cwd session_count entry_count first_timestamp last_timestamp est_cost_usd",
    "v1_tool_pairs": "tool_use_id session_id name use_uuid result_uuid status is_error duration_ms line_id delayed",
    "v1_responses": "message_id request_id session_id agent_id model timestamp entry_count input_tokens output_tokens "
    "cache_creation_5m_tokens cache_creation_1h_tokens cache_read_tokens usage_final est_cost_usd",
    "v1_agents": "agent_id session_id line_id name kind depth parent_agent_id spawn_uuid tool_use_id prompt status "
    "entry_count first_timestamp last_timestamp",
    "v1_compactions": "uuid session_id line_id trigger pre_tokens post_tokens logical_parent_uuid summary_uuid "
    "timestamp",
    "v1_summaries": "session_id leaf_uuid text kind source_path line_no",
    "v1_file_touches": "path operation tool_use_id uuid session_id line_id timestamp on_active_path",
    "v1_diagnostics": "kind severity session_id uuid source_path line_no detail",
    "v1_sessions": "session_id project cwd title first_prompt parent_session_id attachment_uuid relation "
    "first_timestamp last_timestamp entry_count line_count branch_count agent_count compaction_count model_names "
    "est_cost_usd",
}


@pytest.mark.parametrize("view", COLUMNS)
def test_view_starts_with_its_documented_columns(db: Path, view: str) -> None:
    with changing(db, create=True):
        pass
    expected = COLUMNS[view].split()
    assert [column[1] for column in ask(db, f"pragma table_info({view})")][: len(expected)] == expected
