"""Store usage totals and the columns that lists are sorted by, so that queries need not compute them."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Upgrade the schema by one revision."""
    op.create_table(
        "usage",
        sa.Column("session", sa.Integer(), nullable=False),
        sa.Column("day", sa.Integer(), nullable=True),
        sa.Column("agent_id", sa.Text(), nullable=True),
        sa.Column("model", sa.Text(), nullable=True),
        sa.Column("entries", sa.Integer(), nullable=False),
        sa.Column("spans", sa.Text(), nullable=False),
        sa.Column("responses", sa.Integer(), nullable=False),
        sa.Column("input_tokens", sa.Integer(), nullable=False),
        sa.Column("output_tokens", sa.Integer(), nullable=False),
        sa.Column("cache_creation_tokens", sa.Integer(), nullable=False),
        sa.Column("cache_read_tokens", sa.Integer(), nullable=False),
        sa.Column("priced", sa.Integer(), nullable=False),
        sa.Column("dollars", sa.Integer(), nullable=False),
        sa.Column("billionths", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["session"], ["session_ids.id"], name="fk_usage_session"),
        sqlite_strict=True,
    )
    op.create_index("ix_usage_session", "usage", ["session"])
    op.create_table(
        "tool_usage",
        sa.Column("session", sa.Integer(), nullable=False),
        sa.Column("day", sa.Integer(), nullable=True),
        sa.Column("agent_id", sa.Text(), nullable=True),
        sa.Column("model", sa.Text(), nullable=True),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("calls", sa.Integer(), nullable=False),
        sa.Column("answered", sa.Integer(), nullable=False),
        sa.Column("failed", sa.Integer(), nullable=False),
        sa.Column("refused", sa.Integer(), nullable=False),
        sa.Column("rejections", sa.Integer(), nullable=False),
        sa.Column("errors", sa.Integer(), nullable=False),
        sa.Column("durations", sa.Text(), nullable=False),
        sa.Column("first_at", sa.Integer(), nullable=False),
        sa.Column("last_at", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["session"], ["session_ids.id"], name="fk_tool_usage_session"),
        sqlite_strict=True,
    )
    op.create_index("ix_tool_usage_session", "tool_usage", ["session"])
    op.add_column("sessions", sa.Column("project", sa.Text(), nullable=True))
    op.add_column("sessions", sa.Column("first_at", sa.Integer(), nullable=True))
    op.add_column("sessions", sa.Column("last_at", sa.Integer(), nullable=True))
    op.create_index("ix_sessions_last_at", "sessions", ["last_at"])
    op.add_column("tool_pairs", sa.Column("at", sa.Integer(), nullable=True))
    op.create_index("ix_tool_pairs_at", "tool_pairs", ["at"])
