"""Rename columns whose names did not show their unit or meaning."""

from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

_RENAMED = (
    ("agents", "told", "first_prompt"),
    ("generations", "last_at", "last_timestamp_ms"),
    ("generations", "malformed", "malformed_lines"),
    ("generations", "saw_crlf", "has_crlf"),
    ("model_prices", "above", "above_input_tokens"),
    ("queued_words", "removed_at", "removed_ms"),
    ("responses", "cost", "cost_nanousd"),
    ("session_ranks", "first_at", "first_timestamp_ms"),
    ("session_ranks", "first_own_at", "first_own_timestamp_ms"),
    ("sessions", "first_at", "first_timestamp_ms"),
    ("sessions", "first_words", "first_prompt_text"),
    ("sessions", "last_at", "last_timestamp_ms"),
    ("tool_totals", "durations", "durations_ms"),
    ("tool_totals", "first_at", "first_timestamp_ms"),
    ("tool_totals", "flagged", "error_results"),
    ("tool_totals", "last_at", "last_timestamp_ms"),
    ("usage_totals", "priced", "priced_responses"),
)
_INDEXES = (
    "drop index ix_drift_what",
    "create unique index ix_drift_unknown on drift (source, generation, kind, name, type, version)",
    "drop index ix_occurrences_place",
    "create unique index ix_occurrences_location on occurrences (source, generation, offset)",
    "drop index ix_sessions_last_at",
    "create index ix_sessions_last_timestamp_ms on sessions (last_timestamp_ms)",
)


def upgrade() -> None:
    """Rename the columns, and the indexes that are named after a renamed column or have an unclear name."""
    execute = op.get_bind().exec_driver_sql
    for table, old, new in _RENAMED:
        execute(f"alter table {table} rename column {old} to {new}")
    for statement in _INDEXES:
        execute(statement)
