"""Lists of instants and durations as JSON arrays; no table changes, but an upgrade makes all rows again."""

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Change no table: the rows of totals are made from the archive afterwards, like all others."""
