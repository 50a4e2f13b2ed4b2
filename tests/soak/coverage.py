"""Values that the generated projects must produce in the views, by the query that returns them."""

from ccindex.graph.ladder import RUNG_NUMBERS

# verdicts of the rungs that do not stitch
_VERDICTS = {"continuation": ["continued"], "replay": ["replay"], "rewind": ["rewind", "retry"]}

# maps a query to the values that it must return at least once across all seeds; tuples if it has several columns
REQUIRED_VALUES: dict[str, tuple[object, ...]] = {
    "select rung, verdict from v1_forks": (
        *((number, "stitched") for name, number in RUNG_NUMBERS.items() if name not in _VERDICTS),
        *((RUNG_NUMBERS[name], verdict) for name, verdicts in _VERDICTS.items() for verdict in verdicts),
    ),
    "select kind, expected from v1_roots": (
        *(("start", 1), ("start", 0), ("compact_boundary", 1), ("local_command", 1), ("hook", 1), ("agent", 1)),
        *(("resume", 1), ("orphan", 0), ("orphan", 1), ("cycle_cut", 0)),
    ),
    "select kind from v1_junctions": ("resume", "fork", "rewind", "retry", "agent"),
    "select kind from v1_lines": ("trunk", "branch", "agent", "agent_branch"),
    "select is_active from v1_lines": (0, 1),
    "select reason from v1_set_aside": ("replay", "structural"),
    "select kind from v1_agents": ("task", "async", "teammate", "workflow", "unknown"),
    "select status from v1_agents": ("completed", "failed", "interrupted", "running", "unknown"),
    "select rule from v1_agents": (
        *("sidecar", "workflow", "result", "mention", "progress", "prompt", "recorded", None),
    ),
    "select depth from v1_agents": (1, 2, None),
    "select entry_count = 0 from v1_agents": (0, 1),
    "select kind, state from v1_edges": (
        *(
            ("parent", "resolved"),
            ("parent", "ghost"),
            ("parent", "cut"),
            ("logical", "resolved"),
            ("logical", "ghost"),
        ),
        *(("spawn", "resolved"), ("spawn", "cut"), ("forked_from", "resolved"), ("forked_from", "ghost")),
    ),
    "select relation from v1_sessions": ("root", "continues", "forks"),
    "select status from v1_paths": ("active", "abandoned"),
    "select status, delayed from v1_tool_pairs": (("paired", 0), ("paired", 1), ("pending", 0), ("orphan_result", 0)),
    "select is_error from v1_tool_pairs": (0, 1, None),
    "select usage_final from v1_responses": (0, 1),
    "select operation from v1_file_touches": ("read", "write", "edit", "notebook", "search"),
    "select type from v1_records": (
        *("summary", "ai-title", "custom-title", "last-prompt", "agent-name", "queue-operation", "permission-mode"),
        *("mode", "pr-link", "bridge-session", "atis-latch", "tag", "agent-setting", "file-history-snapshot"),
        *("file-history-delta", "started", "result", "record-of-tomorrow", None),
    ),
    "select kind from v1_summaries": ("summary", "ai-title", "custom-title", "last-prompt", "agent-name"),
    "select operation from v1_queue_operations": ("enqueue", "dequeue", "remove", "popAll"),
    "select status from v1_task_notices": ("completed", "failed", "killed", "running"),
    "select status from v1_workflows": ("completed", "failed", "killed", None),
    "select type from v1_entries": (
        *("user", "assistant", "system", "progress", "attachment", "human", "tool_result", "compact_prelude"),
        *("compact_recap", "never-heard-of", None),
    ),
    "select kind from v1_entries": ("assistant", "result", "prompt", "boundary", "side"),
    "select form from v1_entries": (
        *("typed", "slash_command", "shell_command", "caveat", "command_output", "interrupt", "notification"),
        *("injected", "compact_summary", "teammate_message", "hook", "local_command"),
    ),
    "select subtype from v1_entries where type = 'system'": (
        *("compact_boundary", "local_command", "informational", "turn_duration", "away_summary", "api_error"),
        *("microcompact_boundary", "stop_hook_summary", "bridge_status", "scheduled_task_fire", "brand_new"),
    ),
    "select subtype from v1_entries where type = 'progress'": (
        *("agent_progress", "hook_progress", "bash_progress", "mcp_progress", "waiting_for_task", "unheard_progress"),
    ),
    "select subtype from v1_entries where type = 'attachment'": (
        *("hook_success", "queued_command", "task_reminder", "deferred_tools_delta", "skill_listing", "plan_mode"),
        *("edited_text_file", "teammate_mailbox", "never_attached"),
    ),
    "select type from v1_blocks": (
        *("text", "thinking", "tool_use", "tool_result", "image", "redacted_thinking", "server_tool_use", "document"),
        "new_block",
    ),
    "select role from v1_sources": ("session", "agent", "journal", "run", "sidecar", "tool_result"),
    "select kind from v1_drift": ("type", "subtype", "key", "block", "progress", "attachment"),
    "select trigger from v1_compactions": ("auto", "manual", None),
    "select project from v1_sources": ("-p", "-q"),
}
