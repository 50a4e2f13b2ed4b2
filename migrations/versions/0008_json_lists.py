"""Store lists of instants and durations as JSON arrays; tables stay the same, but an upgrade rebuilds all rows."""

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Change no table; the rows of totals are rebuilt afterwards, like all others."""
