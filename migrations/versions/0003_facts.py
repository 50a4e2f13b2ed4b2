"""Create the full-text table and the tables for files, notices, tool pairs, responses, prices, agents and conflicts."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Upgrade the schema by one revision."""
    op.create_table(
        "rates",
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("day", sa.Text(), nullable=False),
        sa.Column("above", sa.Integer(), nullable=False),
        sa.Column("input", sa.REAL(), nullable=True),
        sa.Column("output", sa.REAL(), nullable=True),
        sa.Column("cache_read", sa.REAL(), nullable=True),
        sa.Column("cache_write_5m", sa.REAL(), nullable=True),
        sa.Column("cache_write_1h", sa.REAL(), nullable=True),
        sa.PrimaryKeyConstraint("model", "day", "above", name="pk_rates"),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )
    op.create_table(
        "agents",
        sa.Column("session", sa.Integer(), nullable=False),
        sa.Column("agent_id", sa.Text(), nullable=False),
        sa.Column("thread", sa.Integer(), nullable=True),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("depth", sa.Integer(), nullable=True),
        sa.Column("parent_agent_id", sa.Text(), nullable=True),
        sa.Column("spawn", sa.Integer(), nullable=True),
        sa.Column("rule", sa.Text(), nullable=True),
        sa.Column("tool_use_id", sa.Text(), nullable=True),
        sa.Column("call", sa.Integer(), nullable=True),
        sa.Column("result", sa.Integer(), nullable=True),
        sa.Column("told", sa.Integer(), nullable=True),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("entry_count", sa.Integer(), nullable=False),
        sa.Column("first_entry", sa.Integer(), nullable=True),
        sa.Column("last_entry", sa.Integer(), nullable=True),
        sa.Column("workflow_run", sa.Text(), nullable=True),
        sa.CheckConstraint("kind in ('task', 'async', 'teammate', 'workflow', 'unknown')", name="ck_agents_kind"),
        sa.CheckConstraint(
            "status in ('completed', 'failed', 'interrupted', 'running', 'unknown')", name="ck_agents_status"
        ),
        sa.ForeignKeyConstraint(["call"], ["entries.id"], name="fk_agents_call"),
        sa.ForeignKeyConstraint(["first_entry"], ["entries.id"], name="fk_agents_first_entry"),
        sa.ForeignKeyConstraint(["last_entry"], ["entries.id"], name="fk_agents_last_entry"),
        sa.ForeignKeyConstraint(["result"], ["entries.id"], name="fk_agents_result"),
        sa.ForeignKeyConstraint(["session"], ["session_ids.id"], name="fk_agents_session"),
        sa.ForeignKeyConstraint(["spawn"], ["entries.id"], name="fk_agents_spawn"),
        sa.ForeignKeyConstraint(["thread"], ["threads.id"], name="fk_agents_thread"),
        sa.ForeignKeyConstraint(["told"], ["entries.id"], name="fk_agents_told"),
        sa.PrimaryKeyConstraint("session", "agent_id", name="pk_agents"),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )
    op.create_index("ix_agents_thread", "agents", ["thread"], unique=False)
    op.create_index("ix_agents_tool_use_id", "agents", ["tool_use_id"], unique=False)

    op.create_table(
        "conflicts",
        sa.Column("entry", sa.Integer(), nullable=False),
        sa.Column("keys", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["entry"], ["entries.id"], name="fk_conflicts_entry"),
        sa.PrimaryKeyConstraint("entry", name="pk_conflicts"),
        sqlite_strict=True,
    )
    op.create_table(
        "responses",
        sa.Column("response", sa.Text(), nullable=False),
        sa.Column("entry", sa.Integer(), nullable=False),
        sa.Column("session", sa.Integer(), nullable=False),
        sa.Column("at", sa.Integer(), nullable=False),
        sa.Column("model", sa.Text(), nullable=True),
        sa.Column("entry_count", sa.Integer(), nullable=False),
        sa.Column("input_tokens", sa.Integer(), nullable=False),
        sa.Column("output_tokens", sa.Integer(), nullable=False),
        sa.Column("cache_creation_5m_tokens", sa.Integer(), nullable=False),
        sa.Column("cache_creation_1h_tokens", sa.Integer(), nullable=False),
        sa.Column("cache_read_tokens", sa.Integer(), nullable=False),
        sa.Column("is_final", sa.Integer(), nullable=False),
        sa.Column("cost", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(["entry"], ["entries.id"], name="fk_responses_entry"),
        sa.ForeignKeyConstraint(["session"], ["session_ids.id"], name="fk_responses_session"),
        sa.PrimaryKeyConstraint("response", name="pk_responses"),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )
    op.create_index("ix_responses_session", "responses", ["session"], unique=False)

    op.create_table(
        "tool_pairs",
        sa.Column("tool_use_id", sa.Text(), nullable=False),
        sa.Column("session", sa.Integer(), nullable=False),
        sa.Column("use", sa.Integer(), nullable=True),
        sa.Column("use_idx", sa.Integer(), nullable=True),
        sa.Column("result", sa.Integer(), nullable=True),
        sa.Column("result_idx", sa.Integer(), nullable=True),
        sa.CheckConstraint("use is not null or result is not null", name="ck_tool_pairs_something"),
        sa.ForeignKeyConstraint(["result"], ["entries.id"], name="fk_tool_pairs_result"),
        sa.ForeignKeyConstraint(["session"], ["session_ids.id"], name="fk_tool_pairs_session"),
        sa.ForeignKeyConstraint(["use"], ["entries.id"], name="fk_tool_pairs_use"),
        sa.PrimaryKeyConstraint("tool_use_id", "session", name="pk_tool_pairs"),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )
    op.create_index(
        "ix_tool_pairs_result", "tool_pairs", ["result"], unique=False, sqlite_where=sa.text("result is not null")
    )
    op.create_index("ix_tool_pairs_session", "tool_pairs", ["session"], unique=False)

    op.create_table(
        "touches",
        sa.Column("entry", sa.Integer(), nullable=False),
        sa.Column("idx", sa.Integer(), nullable=False),
        sa.Column("operation", sa.Text(), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.CheckConstraint("operation in ('read', 'write', 'edit', 'notebook', 'search')", name="ck_touches_operation"),
        sa.ForeignKeyConstraint(["entry"], ["entries.id"], name="fk_touches_entry"),
        sa.PrimaryKeyConstraint("entry", "idx", name="pk_touches"),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )
    op.create_index("ix_touches_path", "touches", ["path"], unique=False)

    op.create_table(
        "notices",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("entry", sa.Integer(), nullable=True),
        sa.Column("record", sa.Integer(), nullable=True),
        sa.Column("task_id", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.CheckConstraint("(entry is null) <> (record is null)", name="ck_notices_told_by"),
        sa.ForeignKeyConstraint(["entry"], ["entries.id"], name="fk_notices_entry"),
        sa.ForeignKeyConstraint(["record"], ["occurrences.id"], name="fk_notices_record"),
        sa.PrimaryKeyConstraint("id", name="pk_notices"),
        sqlite_strict=True,
    )
    op.create_index("ix_notices_entry", "notices", ["entry"], unique=False)
    op.create_index("ix_notices_record", "notices", ["record"], unique=False)
    op.create_index("ix_notices_task_id", "notices", ["task_id"], unique=False)

    op.add_column("entries", sa.Column("form", sa.Text(), nullable=True))

    op.add_column("messages", sa.Column("response", sa.Text(), nullable=True))
    op.drop_index("ix_messages_message_id")
    op.create_index("ix_messages_response", "messages", ["response"], unique=False)

    op.create_index("ix_tool_uses_name", "tool_uses", ["name"], unique=False)
    op.execute(
        "create virtual table search using fts5(prompt, answer, thinking, input, result, other, content = '', "
        """tokenize = "unicode61 remove_diacritics 2")"""
    )
