"""Create the recorded tables: sources, archive, occurrences, entries and their content."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Upgrade the schema by one revision."""
    op.create_table(
        "chunks",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("hash", sa.LargeBinary(), nullable=False),
        sa.Column("raw_size", sa.Integer(), nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_chunks"),
        sa.UniqueConstraint("hash", name="uq_chunks_hash"),
        sqlite_strict=True,
    )
    op.create_table(
        "contexts",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("cwd", sa.Text(), nullable=True),
        sa.Column("git_branch", sa.Text(), nullable=True),
        sa.Column("version", sa.Text(), nullable=True),
        sa.Column("user_type", sa.Text(), nullable=True),
        sa.Column("entrypoint", sa.Text(), nullable=True),
        sa.Column("slug", sa.Text(), nullable=True),
        sa.Column("team_name", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_contexts"),
        sqlite_strict=True,
    )
    op.create_table(
        "details",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("json", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_details"),
        sqlite_strict=True,
    )
    op.create_table(
        "meta",
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("key", name="pk_meta"),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )
    op.create_table(
        "runs",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("started_at", sa.Text(), nullable=False),
        sa.Column("finished_at", sa.Text(), nullable=True),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("files_seen", sa.Integer(), nullable=False),
        sa.Column("files_read", sa.Integer(), nullable=False),
        sa.Column("bytes_read", sa.Integer(), nullable=False),
        sa.Column("lines_read", sa.Integer(), nullable=False),
        sa.Column("entries_added", sa.Integer(), nullable=False),
        sa.Column("malformed_lines", sa.Integer(), nullable=False),
        sa.CheckConstraint("status in ('running', 'ok', 'interrupted', 'failed')", name="ck_runs_status"),
        sa.PrimaryKeyConstraint("id", name="pk_runs"),
        sqlite_strict=True,
    )
    op.create_table(
        "session_ids",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("session_id", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_session_ids"),
        sa.UniqueConstraint("session_id", name="uq_session_ids_session_id"),
        sqlite_strict=True,
    )
    op.create_table(
        "sources",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("raw_path", sa.LargeBinary(), nullable=True),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("project", sa.Text(), nullable=False),
        sa.Column("session_hint", sa.Text(), nullable=True),
        sa.Column("agent_id", sa.Text(), nullable=True),
        sa.Column("workflow_run", sa.Text(), nullable=True),
        sa.Column("generation", sa.Integer(), nullable=False),
        sa.Column("is_missing", sa.Integer(), nullable=False),
        sa.Column("first_indexed_at", sa.Text(), nullable=False),
        sa.CheckConstraint(
            "role in ('session', 'agent', 'journal', 'run', 'sidecar', 'tool_result')", name="ck_sources_role"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_sources"),
        sa.UniqueConstraint("path", name="uq_sources_path"),
        sqlite_strict=True,
    )
    op.create_table(
        "diagnostics",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("severity", sa.Text(), nullable=False),
        sa.Column("source", sa.Integer(), nullable=True),
        sa.Column("path", sa.Text(), nullable=True),
        sa.Column("generation", sa.Integer(), nullable=True),
        sa.Column("session_id", sa.Text(), nullable=True),
        sa.Column("line_no", sa.Integer(), nullable=True),
        sa.Column("offset", sa.Integer(), nullable=True),
        sa.Column("detail", sa.Text(), nullable=True),
        sa.CheckConstraint("severity in ('info', 'warning', 'error')", name="ck_diagnostics_severity"),
        sa.ForeignKeyConstraint(["source"], ["sources.id"], name="fk_diagnostics_source"),
        sa.PrimaryKeyConstraint("id", name="pk_diagnostics"),
        sqlite_strict=True,
    )
    op.create_index("ix_diagnostics_source", "diagnostics", ["source"], unique=False)

    op.create_table(
        "drift",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("source", sa.Integer(), nullable=False),
        sa.Column("generation", sa.Integer(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("type", sa.Text(), nullable=False),
        sa.Column("version", sa.Text(), nullable=False),
        sa.Column("count", sa.Integer(), nullable=False),
        sa.Column("line_no", sa.Integer(), nullable=False),
        sa.Column("offset", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["source"], ["sources.id"], name="fk_drift_source"),
        sa.PrimaryKeyConstraint("id", name="pk_drift"),
        sqlite_strict=True,
    )
    op.create_index("ix_drift_what", "drift", ["source", "generation", "kind", "name", "type", "version"], unique=True)

    op.create_table(
        "entries",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("uuid", sa.Text(), nullable=False),
        sa.Column("occurrence", sa.Integer(), nullable=True),
        sa.Column("hash", sa.Integer(), nullable=True),
        sa.Column("context", sa.Integer(), nullable=True),
        sa.Column("details", sa.Integer(), nullable=True),
        sa.Column("type", sa.Text(), nullable=True),
        sa.Column("subtype", sa.Text(), nullable=True),
        sa.Column("kind", sa.Text(), nullable=True),
        sa.Column("is_typed", sa.Integer(), nullable=False),
        sa.Column("is_command", sa.Integer(), nullable=False),
        sa.Column("is_sidechain", sa.Integer(), nullable=False),
        sa.Column("is_meta", sa.Integer(), nullable=False),
        sa.Column("is_compact_summary", sa.Integer(), nullable=False),
        sa.Column("is_api_error", sa.Integer(), nullable=False),
        sa.Column("is_active", sa.Integer(), nullable=True),
        sa.Column("timestamp", sa.Text(), nullable=True),
        sa.Column("agent_id", sa.Text(), nullable=True),
        sa.Column("named_agent_id", sa.Text(), nullable=True),
        sa.Column("tool_use_id", sa.Text(), nullable=True),
        sa.Column("parent_tool_use_id", sa.Text(), nullable=True),
        sa.Column("source_assistant_uuid", sa.Text(), nullable=True),
        sa.Column("text", sa.Text(), nullable=True),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.CheckConstraint("kind in ('assistant', 'result', 'prompt', 'boundary', 'side')", name="ck_entries_kind"),
        sa.CheckConstraint("occurrence is null or kind is not null", name="ck_entries_known"),
        sa.ForeignKeyConstraint(["context"], ["contexts.id"], name="fk_entries_context"),
        sa.ForeignKeyConstraint(["details"], ["details.id"], name="fk_entries_details"),
        sa.PrimaryKeyConstraint("id", name="pk_entries"),
        sa.UniqueConstraint("uuid", name="uq_entries_uuid"),
        sqlite_strict=True,
    )
    op.create_index("ix_entries_context", "entries", ["context"], unique=False)

    op.create_table(
        "extents",
        sa.Column("source", sa.Integer(), nullable=False),
        sa.Column("generation", sa.Integer(), nullable=False),
        sa.Column("start", sa.Integer(), nullable=False),
        sa.Column("length", sa.Integer(), nullable=False),
        sa.Column("chunk", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["chunk"], ["chunks.id"], name="fk_extents_chunk"),
        sa.ForeignKeyConstraint(["source"], ["sources.id"], name="fk_extents_source"),
        sa.PrimaryKeyConstraint("source", "generation", "start", name="pk_extents"),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )
    op.create_table(
        "generations",
        sa.Column("source", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("device", sa.Integer(), nullable=False),
        sa.Column("inode", sa.Integer(), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("mtime_ns", sa.Integer(), nullable=False),
        sa.Column("archived", sa.Integer(), nullable=False),
        sa.Column("offset", sa.Integer(), nullable=False),
        sa.Column("line_no", sa.Integer(), nullable=False),
        sa.Column("line_objects", sa.Integer(), nullable=False),
        sa.Column("malformed", sa.Integer(), nullable=False),
        sa.Column("saw_crlf", sa.Integer(), nullable=False),
        sa.Column("is_torn", sa.Integer(), nullable=False),
        sa.Column("last_at", sa.Integer(), nullable=True),
        sa.Column("last_session", sa.Text(), nullable=True),
        sa.Column("head_hash", sa.Integer(), nullable=False),
        sa.Column("tail_hash", sa.Integer(), nullable=False),
        sa.Column("last_indexed_at", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["source"], ["sources.id"], name="fk_generations_source"),
        sa.PrimaryKeyConstraint("source", "number", name="pk_generations"),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )
    op.create_table(
        "ranks",
        sa.Column("session", sa.Integer(), nullable=False),
        sa.Column("first_at", sa.Integer(), nullable=False),
        sa.Column("first_own_at", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(["session"], ["session_ids.id"], name="fk_ranks_session"),
        sa.PrimaryKeyConstraint("session", name="pk_ranks"),
        sqlite_strict=True,
    )
    op.create_table(
        "sidecars",
        sa.Column("source", sa.Integer(), nullable=False),
        sa.Column("agent_type", sa.Text(), nullable=True),
        sa.Column("description", sa.Text(), nullable=True),
        sa.Column("tool_use_id", sa.Text(), nullable=True),
        sa.Column("payload", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["source"], ["sources.id"], name="fk_sidecars_source"),
        sa.PrimaryKeyConstraint("source", name="pk_sidecars"),
        sqlite_strict=True,
    )
    op.create_index("ix_sidecars_tool_use_id", "sidecars", ["tool_use_id"], unique=False)

    op.create_table(
        "blocks",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("entry", sa.Integer(), nullable=False),
        sa.Column("idx", sa.Integer(), nullable=False),
        sa.Column("type", sa.Text(), nullable=True),
        sa.Column("text", sa.Text(), nullable=True),
        sa.Column("byte_size", sa.Integer(), nullable=False),
        sa.Column("media_type", sa.Text(), nullable=True),
        sa.Column("details", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["entry"], ["entries.id"], name="fk_blocks_entry"),
        sa.PrimaryKeyConstraint("id", name="pk_blocks"),
        sqlite_strict=True,
    )
    op.create_index("ix_blocks_entry", "blocks", ["entry", "idx"], unique=True)

    op.create_table(
        "edges",
        sa.Column("child", sa.Integer(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("parent", sa.Integer(), nullable=False),
        sa.CheckConstraint("kind in ('parent', 'logical', 'forked_from')", name="ck_edges_kind"),
        sa.ForeignKeyConstraint(["child"], ["entries.id"], name="fk_edges_child"),
        sa.ForeignKeyConstraint(["parent"], ["entries.id"], name="fk_edges_parent"),
        sa.PrimaryKeyConstraint("child", "kind", name="pk_edges"),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )
    op.create_index("ix_edges_parent", "edges", ["parent"], unique=False)

    op.create_table(
        "messages",
        sa.Column("entry", sa.Integer(), nullable=False),
        sa.Column("is_wrapped", sa.Integer(), nullable=False),
        sa.Column("message_id", sa.Text(), nullable=True),
        sa.Column("request_id", sa.Text(), nullable=True),
        sa.Column("model", sa.Text(), nullable=True),
        sa.Column("stop_reason", sa.Text(), nullable=True),
        sa.Column("timestamp", sa.Text(), nullable=True),
        sa.Column("input_tokens", sa.Integer(), nullable=True),
        sa.Column("output_tokens", sa.Integer(), nullable=True),
        sa.Column("cache_creation_tokens", sa.Integer(), nullable=True),
        sa.Column("cache_creation_5m_tokens", sa.Integer(), nullable=True),
        sa.Column("cache_creation_1h_tokens", sa.Integer(), nullable=True),
        sa.Column("cache_read_tokens", sa.Integer(), nullable=True),
        sa.Column("web_search_requests", sa.Integer(), nullable=True),
        sa.Column("web_fetch_requests", sa.Integer(), nullable=True),
        sa.Column("service_tier", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["entry"], ["entries.id"], name="fk_messages_entry"),
        sa.PrimaryKeyConstraint("entry", name="pk_messages"),
        sqlite_strict=True,
    )
    op.create_index("ix_messages_message_id", "messages", ["message_id"], unique=False)

    op.create_table(
        "occurrences",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("source", sa.Integer(), nullable=False),
        sa.Column("generation", sa.Integer(), nullable=False),
        sa.Column("line_no", sa.Integer(), nullable=False),
        sa.Column("offset", sa.Integer(), nullable=False),
        sa.Column("length", sa.Integer(), nullable=False),
        sa.Column("hash", sa.Integer(), nullable=False),
        sa.Column("entry", sa.Integer(), nullable=True),
        sa.Column("session", sa.Integer(), nullable=False),
        sa.Column("type", sa.Text(), nullable=True),
        sa.Column("at", sa.Integer(), nullable=False),
        sa.Column("is_stamped", sa.Integer(), nullable=False),
        sa.Column("has_parent", sa.Integer(), nullable=False),
        sa.Column("is_current", sa.Integer(), nullable=False),
        sa.Column("is_owner", sa.Integer(), nullable=False),
        sa.Column("is_copy", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["entry"], ["entries.id"], name="fk_occurrences_entry"),
        sa.ForeignKeyConstraint(["session"], ["session_ids.id"], name="fk_occurrences_session"),
        sa.ForeignKeyConstraint(["source"], ["sources.id"], name="fk_occurrences_source"),
        sa.PrimaryKeyConstraint("id", name="pk_occurrences"),
        sqlite_strict=True,
    )
    op.create_index("ix_occurrences_entry", "occurrences", ["entry"], unique=False)
    op.create_index("ix_occurrences_place", "occurrences", ["source", "generation", "offset"], unique=True)
    op.create_index("ix_occurrences_session", "occurrences", ["session", "at"], unique=False)
    op.create_index(
        "ix_occurrences_stale", "occurrences", ["source"], unique=False, sqlite_where=sa.text("is_current = 0")
    )

    op.create_table(
        "tool_outcomes",
        sa.Column("entry", sa.Integer(), nullable=False),
        sa.Column("status", sa.Text(), nullable=True),
        sa.Column("exit_code", sa.Integer(), nullable=True),
        sa.Column("is_interrupted", sa.Integer(), nullable=True),
        sa.Column("duration_ms", sa.Integer(), nullable=True),
        sa.Column("agent_id", sa.Text(), nullable=True),
        sa.Column("workflow_run", sa.Text(), nullable=True),
        sa.Column("file_path", sa.Text(), nullable=True),
        sa.Column("lines_added", sa.Integer(), nullable=True),
        sa.Column("lines_removed", sa.Integer(), nullable=True),
        sa.Column("num_files", sa.Integer(), nullable=True),
        sa.Column("num_lines", sa.Integer(), nullable=True),
        sa.Column("stdout_bytes", sa.Integer(), nullable=True),
        sa.Column("stderr_bytes", sa.Integer(), nullable=True),
        sa.Column("total_tokens", sa.Integer(), nullable=True),
        sa.Column("total_tool_uses", sa.Integer(), nullable=True),
        sa.Column("is_async", sa.Integer(), nullable=True),
        sa.Column("background_task_id", sa.Text(), nullable=True),
        sa.Column("persisted_path", sa.Text(), nullable=True),
        sa.Column("persisted_size", sa.Integer(), nullable=True),
        sa.Column("facts", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["entry"], ["entries.id"], name="fk_tool_outcomes_entry"),
        sa.PrimaryKeyConstraint("entry", name="pk_tool_outcomes"),
        sqlite_strict=True,
    )
    op.create_table(
        "tool_results",
        sa.Column("entry", sa.Integer(), nullable=False),
        sa.Column("idx", sa.Integer(), nullable=False),
        sa.Column("tool_use_id", sa.Text(), nullable=True),
        sa.Column("is_error", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(["entry"], ["entries.id"], name="fk_tool_results_entry"),
        sa.PrimaryKeyConstraint("entry", "idx", name="pk_tool_results"),
        sqlite_strict=True,
    )
    op.create_index("ix_tool_results_tool_use_id", "tool_results", ["tool_use_id"], unique=False)

    op.create_table(
        "tool_uses",
        sa.Column("entry", sa.Integer(), nullable=False),
        sa.Column("idx", sa.Integer(), nullable=False),
        sa.Column("tool_use_id", sa.Text(), nullable=True),
        sa.Column("name", sa.Text(), nullable=True),
        sa.Column("input", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["entry"], ["entries.id"], name="fk_tool_uses_entry"),
        sa.PrimaryKeyConstraint("entry", "idx", name="pk_tool_uses"),
        sqlite_strict=True,
    )
    op.create_index("ix_tool_uses_tool_use_id", "tool_uses", ["tool_use_id"], unique=False)

    op.create_table(
        "records",
        sa.Column("occurrence", sa.Integer(), nullable=False),
        sa.Column("timestamp", sa.Text(), nullable=True),
        sa.Column("payload", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["occurrence"], ["occurrences.id"], name="fk_records_occurrence"),
        sa.PrimaryKeyConstraint("occurrence", name="pk_records"),
        sqlite_strict=True,
    )
