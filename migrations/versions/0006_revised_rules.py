"""Iterations of other models, several files of a call, denials, where sessions were moved, how copies differ."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the index one step forward."""
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
    # a call can name several files; recorded rows are made anew anyway
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
    op.add_column("sessions", sa.Column("worktree", sa.Text(), nullable=True))
    op.add_column("sessions", sa.Column("relocated_from", sa.Text(), nullable=True))
    op.add_column("sessions", sa.Column("relocated_to", sa.Text(), nullable=True))
    op.add_column("sessions", sa.Column("teleported_from", sa.Text(), nullable=True))
    op.create_index(
        "ix_occurrences_moves",
        "occurrences",
        ["session"],
        sqlite_where=sa.text("type in ('worktree-state', 'relocated', 'teleported-from') and entry is null"),
    )
    # rows of older rules are made anew
    op.add_column("conflicts", sa.Column("severity", sa.Text(), nullable=False, server_default="warning"))
