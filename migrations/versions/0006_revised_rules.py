"""Notices with summary and report, queued words that no entry holds, junctions of retries."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the index one step forward; every row of these tables is made again from the archive."""
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
    op.create_index(
        "ix_occurrences_queue",
        "occurrences",
        ["session"],
        sqlite_where=sa.text("type = 'queue-operation' and entry is null"),
    )
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
    op.create_index("ix_junctions_thread", "junctions", ["thread"])
    op.create_index("ix_junctions_target", "junctions", ["target"])
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
