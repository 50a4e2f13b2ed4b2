"""Store lists of timestamps and durations as JSON arrays; the tables do not change, but their rows are rebuilt."""

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Change nothing; the rows are rebuilt after every upgrade."""
