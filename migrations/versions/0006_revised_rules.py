"""Change tables for revised rules: retries, records that refer to entries, queued words, iterations, session moves."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Upgrade the schema; the rows of these tables are rebuilt from the archive afterwards."""
    op.drop_table("places")
    op.create_table(
        "places",
        sa.Column("entry", sa.Integer(), nullable=False),
        sa.Column("thread", sa.Integer(), nullable=False),
        sa.Column("line", sa.Integer(), nullable=True),
        sa.Column("position", sa.Integer(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("fork", sa.Integer(), nullable=True),
        sa.Column("parent", sa.Integer(), nullable=True),
        sa.Column("fork_line", sa.Integer(), nullable=True),
        sa.CheckConstraint("reason in ('replay', 'structural')", name="ck_places_reason"),
        sa.CheckConstraint(
            "(line is null) = (position is null) and (line is null) = (reason is not null) "
            "and (line is null) = (fork_line is not null) and (line is not null or fork is not null)",
            name="ck_places_accounted",
        ),
        sa.ForeignKeyConstraint(["entry"], ["entries.id"], name="fk_places_entry"),
        sa.ForeignKeyConstraint(["fork"], ["entries.id"], name="fk_places_fork"),
        sa.ForeignKeyConstraint(["fork_line"], ["lines.id"], name="fk_places_fork_line"),
        sa.ForeignKeyConstraint(["line"], ["lines.id"], name="fk_places_line"),
        sa.ForeignKeyConstraint(["parent"], ["entries.id"], name="fk_places_parent"),
        sa.ForeignKeyConstraint(["thread"], ["threads.id"], name="fk_places_thread"),
        sa.PrimaryKeyConstraint("entry", name="pk_places"),
        sqlite_strict=True,
    )
    op.create_index("ix_places_fork", "places", ["fork"], sqlite_where=sa.text("fork is not null"))
    op.create_index("ix_places_line", "places", ["line", "position"], sqlite_where=sa.text("line is not null"))
    op.create_index("ix_places_parent", "places", ["parent"], sqlite_where=sa.text("parent is not null"))
    op.drop_table("notices")
    op.create_table(
        "notices",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("entry", sa.Integer(), nullable=True),
        sa.Column("record", sa.Integer(), nullable=True),
        sa.Column("task_id", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("summary", sa.Text(), nullable=True),
        sa.Column("result", sa.Text(), nullable=True),
        sa.CheckConstraint("(entry is null) <> (record is null)", name="ck_notices_told_by"),
        sa.CheckConstraint("kind in ('task', 'shell', 'agent')", name="ck_notices_kind"),
        sa.ForeignKeyConstraint(["entry"], ["entries.id"], name="fk_notices_entry"),
        sa.ForeignKeyConstraint(["record"], ["occurrences.id"], name="fk_notices_record"),
        sa.PrimaryKeyConstraint("id", name="pk_notices"),
        sqlite_strict=True,
    )
    op.create_index("ix_notices_entry", "notices", ["entry"])
    op.create_index("ix_notices_record", "notices", ["record"])
    op.create_index("ix_notices_task_id", "notices", ["task_id"])
    op.drop_table("junctions")
    op.create_table(
        "junctions",
        sa.Column("entry", sa.Integer(), nullable=False),
        sa.Column("target", sa.Integer(), nullable=False),
        sa.Column("thread", sa.Integer(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.CheckConstraint("kind in ('resume', 'fork', 'rewind', 'retry', 'agent')", name="ck_junctions_kind"),
        sa.ForeignKeyConstraint(["entry"], ["entries.id"], name="fk_junctions_entry"),
        sa.ForeignKeyConstraint(["target"], ["lines.id"], name="fk_junctions_target"),
        sa.ForeignKeyConstraint(["thread"], ["threads.id"], name="fk_junctions_thread"),
        sa.PrimaryKeyConstraint("entry", "target", name="pk_junctions"),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )
    op.create_index("ix_junctions_target", "junctions", ["target"])
    op.create_index("ix_junctions_thread", "junctions", ["thread"])
    op.drop_index("ix_occurrences_titles", "occurrences")
    op.create_index("ix_occurrences_records", "occurrences", ["session", "type"], sqlite_where=sa.text("entry is null"))
    op.add_column("messages", sa.Column("has_plain_text", sa.Integer(), nullable=True))
    op.create_table(
        "iterations",
        sa.Column("entry", sa.Integer(), nullable=False),
        sa.Column("idx", sa.Integer(), nullable=False),
        sa.Column("type", sa.Text(), nullable=True),
        sa.Column("model", sa.Text(), nullable=True),
        sa.Column("input_tokens", sa.Integer(), nullable=True),
        sa.Column("output_tokens", sa.Integer(), nullable=True),
        sa.Column("cache_creation_tokens", sa.Integer(), nullable=True),
        sa.Column("cache_creation_5m_tokens", sa.Integer(), nullable=True),
        sa.Column("cache_creation_1h_tokens", sa.Integer(), nullable=True),
        sa.Column("cache_read_tokens", sa.Integer(), nullable=True),
        sa.Column("response", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["entry"], ["entries.id"], name="fk_iterations_entry"),
        sa.PrimaryKeyConstraint("entry", "idx", name="pk_iterations"),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )
    op.create_index("ix_iterations_response", "iterations", ["response"])
    # the path becomes part of the key, because a call can refer to several files
    op.drop_table("touches")
    op.create_table(
        "touches",
        sa.Column("entry", sa.Integer(), nullable=False),
        sa.Column("idx", sa.Integer(), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("operation", sa.Text(), nullable=False),
        sa.CheckConstraint("operation in ('read', 'write', 'edit', 'notebook', 'search')", name="ck_touches_operation"),
        sa.ForeignKeyConstraint(["entry"], ["entries.id"], name="fk_touches_entry"),
        sa.PrimaryKeyConstraint("entry", "idx", "path", name="pk_touches"),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )
    op.create_index("ix_touches_path", "touches", ["path"])
    op.add_column("responses", sa.Column("parent", sa.Text(), nullable=True))
    op.add_column("tool_outcomes", sa.Column("denial_kind", sa.Text(), nullable=True))
    op.add_column("sessions", sa.Column("first_words", sa.Text(), nullable=True))
    op.add_column("sessions", sa.Column("worktree", sa.Text(), nullable=True))
    op.add_column("sessions", sa.Column("relocated_from", sa.Text(), nullable=True))
    op.add_column("sessions", sa.Column("relocated_to", sa.Text(), nullable=True))
    op.add_column("sessions", sa.Column("teleported_from", sa.Text(), nullable=True))
    # the default is only needed until the existing rows are rebuilt
    op.add_column("conflicts", sa.Column("severity", sa.Text(), nullable=False, server_default="warning"))
    op.drop_index("ix_occurrences_entry", "occurrences")
    op.create_index("ix_occurrences_entry", "occurrences", ["entry", "session"])
    op.create_table(
        "queued_words",
        sa.Column("occurrence", sa.Integer(), nullable=False),
        sa.Column("session", sa.Integer(), nullable=False),
        sa.Column("entry", sa.Integer(), nullable=True),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("at", sa.Integer(), nullable=False),
        sa.Column("removed_by", sa.Text(), nullable=False),
        sa.Column("removed_at", sa.Integer(), nullable=False),
        sa.Column("is_before", sa.Integer(), nullable=False),
        sa.CheckConstraint("removed_by in ('remove', 'popAll')", name="ck_queued_words_removed_by"),
        sa.ForeignKeyConstraint(["occurrence"], ["occurrences.id"], name="fk_queued_words_occurrence"),
        sa.ForeignKeyConstraint(["session"], ["session_ids.id"], name="fk_queued_words_session"),
        sa.ForeignKeyConstraint(["entry"], ["entries.id"], name="fk_queued_words_entry"),
        sa.PrimaryKeyConstraint("occurrence", name="pk_queued_words"),
        sqlite_strict=True,
    )
    op.create_index("ix_queued_words_session", "queued_words", ["session"])
    op.create_index("ix_queued_words_entry", "queued_words", ["entry"])
