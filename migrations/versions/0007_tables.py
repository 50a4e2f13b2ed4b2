"""Rename tables and columns by dropping the tables that can be rebuilt from the archive and creating them again."""

from pathlib import Path

from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

_REBUILT = (
    "agents blocks conflicts contexts details drift edges entries findings forks iterations junctions lines mentions "
    "messages notices occurrences paths places queued_words ranks records repairs responses roots search session_ids "
    "sessions sidecars threads tool_outcomes tool_pairs tool_results tool_uses tool_usage touches usage"
).split()
_COPIED = {"runs": "ingest_runs", "forgotten": "tombstones", "rates": "model_prices"}


def upgrade() -> None:
    """Replace the tables; rows that are not copied are rebuilt from the archive afterwards."""
    execute = op.get_bind().exec_driver_sql
    for table in _REBUILT:
        execute(f"drop table {table}")
    for statement in Path(__file__).with_suffix(".sql").read_text(encoding="utf-8").split(";\n"):
        if statement:
            execute(statement)
    # earlier versions kept this key until the rows were rebuilt, which now happens in the same transaction
    execute("delete from meta where key = 'upgraded_from'")
    for old, new in _COPIED.items():
        execute(f"insert into {new} select * from {old}")  # noqa: S608 - fixed table names
        execute(f"drop table {old}")
