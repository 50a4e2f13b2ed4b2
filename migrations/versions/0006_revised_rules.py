"""Revised rules: an index that tells the sessions of a uuid's copies."""

from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Extend the index of copies by their session."""
    op.drop_index("ix_occurrences_entry", "occurrences")
    op.create_index("ix_occurrences_entry", "occurrences", ["entry", "session"])
