"""Create the tables for forgotten names, and for the byte ranges that are blanked out in the archive."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Upgrade the schema by one revision."""
    op.create_table(
        "redactions",
        sa.Column("source", sa.Integer(), nullable=False),
        sa.Column("generation", sa.Integer(), nullable=False),
        sa.Column("start", sa.Integer(), nullable=False),
        sa.Column("length", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["source"], ["sources.id"], name="fk_redactions_source"),
        sa.PrimaryKeyConstraint("source", "generation", "start", name="pk_redactions"),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )
    op.create_table(
        "forgotten",
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("forgotten_at", sa.Text(), nullable=False),
        sa.CheckConstraint("kind in ('session', 'project', 'file', 'leaf')", name="ck_forgotten_kind"),
        sa.PrimaryKeyConstraint("kind", "name", name="pk_forgotten"),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )
