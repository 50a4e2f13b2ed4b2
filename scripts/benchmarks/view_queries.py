"""Queries on the public views that people write: lookups by a column, and left joins on the keys that views share."""

from collections.abc import Iterator
from typing import NamedTuple

# by view: the columns that the view is filtered by
FILTERS = {
    "v1_agents": "agent_id session_id spawn_uuid tool_use_id",
    "v1_blocks": "uuid tool_use_id tool_name type",
    "v1_compactions": "uuid session_id",
    "v1_edges": "child_uuid parent_uuid",
    "v1_entries": "uuid session_id line_id parent_uuid message_id tool_use_id agent_id project source_path type kind "
    "timestamp timestamp_ms",
    "v1_file_touches": "uuid session_id line_id tool_use_id path timestamp_ms",
    "v1_forks": "uuid session_id line_id",
    "v1_junctions": "uuid line_id target_line_id",
    "v1_line_entries": "uuid line_id",
    "v1_lines": "line_id session_id kind",
    "v1_messages": "uuid message_id",
    "v1_occurrences": "uuid session_id source_path type timestamp_ms",
    "v1_paths": "path_id session_id leaf_uuid",
    "v1_progress": "uuid tool_use_id",
    "v1_prompts": "uuid session_id project timestamp_ms",
    "v1_records": "session_id source_path type",
    "v1_responses": "message_id session_id uuid project model timestamp_ms",
    "v1_sessions": "session_id project last_timestamp_ms",
    "v1_set_aside": "uuid session_id fork_uuid",
    "v1_sources": "path project",
    "v1_summaries": "session_id leaf_uuid kind",
    "v1_system_events": "uuid subtype",
    "v1_tool_outcomes": "uuid tool_use_id",
    "v1_tool_pairs": "tool_use_id session_id use_uuid result_uuid message_id line_id name timestamp timestamp_ms",
}
# by column of a view with one row per key: the columns of other views that it is joined with
JOINS = {
    "v1_compactions.uuid": "v1_entries.uuid v1_entries.parent_uuid v1_blocks.uuid v1_edges.child_uuid "
    "v1_edges.parent_uuid v1_file_touches.uuid v1_forks.uuid v1_junctions.uuid v1_line_entries.uuid "
    "v1_messages.uuid v1_occurrences.uuid v1_paths.leaf_uuid v1_progress.uuid v1_prompts.uuid v1_responses.uuid "
    "v1_roots.uuid v1_set_aside.uuid v1_set_aside.fork_uuid v1_system_events.uuid v1_tool_outcomes.uuid "
    "v1_tool_pairs.use_uuid v1_tool_pairs.result_uuid v1_agents.spawn_uuid v1_attachments.uuid",
    "v1_sessions.session_id": "v1_entries.session_id v1_agents.session_id v1_compactions.session_id "
    "v1_file_touches.session_id v1_forks.session_id v1_lines.session_id v1_occurrences.session_id "
    "v1_paths.session_id v1_prompts.session_id v1_records.session_id v1_responses.session_id "
    "v1_sessions.parent_session_id v1_set_aside.session_id v1_summaries.session_id v1_tool_pairs.session_id",
    "v1_lines.line_id": "v1_entries.line_id v1_agents.line_id v1_compactions.line_id v1_file_touches.line_id "
    "v1_forks.line_id v1_junctions.line_id v1_junctions.target_line_id v1_line_entries.line_id "
    "v1_lines.parent_line_id v1_paths.line_id v1_tool_pairs.line_id",
    "v1_responses.message_id": "v1_entries.message_id v1_messages.message_id v1_responses.message_id "
    "v1_tool_pairs.message_id",
    "v1_agents.tool_use_id": "v1_entries.tool_use_id v1_blocks.tool_use_id v1_file_touches.tool_use_id "
    "v1_progress.tool_use_id v1_progress.parent_tool_use_id v1_tool_outcomes.tool_use_id v1_tool_pairs.tool_use_id",
    "v1_agents.agent_id": "v1_agents.agent_id v1_entries.agent_id v1_file_touches.agent_id v1_progress.agent_id "
    "v1_responses.agent_id v1_tool_outcomes.agent_id v1_tool_pairs.agent_id",
    "v1_sources.path": "v1_entries.source_path v1_diagnostics.source_path v1_occurrences.source_path "
    "v1_prompts.source_path v1_records.source_path v1_summaries.source_path",
    "v1_projects.project": "v1_entries.project v1_prompts.project v1_responses.project v1_sessions.project "
    "v1_sources.project",
}
_FEW = "(select distinct {column} as k from {view} where {column} is not null limit 5)"


class ViewQuery(NamedTuple):
    """A query with at most one parameter, `value`; `sample` selects a value that occurs in the index."""

    name: str
    sql: str
    sample: str | None


def view_queries() -> Iterator[ViewQuery]:
    """Yield all queries."""
    for view, columns in FILTERS.items():
        for column in columns.split():
            operator = ">=" if "timestamp" in column else "="
            sample = f"select {column} from {view} where {column} is not null limit 1 offset 3"  # noqa: S608
            sql = f"select * from {view} where {column} {operator} :value limit 1000"  # noqa: S608
            yield ViewQuery(f"{view}.{column}", sql, sample)
    for left, rights in JOINS.items():
        left_view, left_column = left.split(".")
        few = _FEW.format(view=left_view, column=left_column)
        for right in rights.split():
            view, column = right.split(".")
            join = f"left join {view} r on r.{column} = l.{left_column}"
            grouped = f"select l.{left_column}, count(r.{column}) from {left_view} l {join} group by 1"  # noqa: S608
            yield ViewQuery(f"{left} to {right}", grouped, None)
            filtered = f"select r.* from {few} l left join {view} r on r.{column} = l.k"  # noqa: S608
            yield ViewQuery(f"few {left} to {right}", filtered, None)
