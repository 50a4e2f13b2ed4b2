"""Get the doctor's advice on an index, with a fixed current time."""

from pathlib import Path

from ccindex.query.doctor import DiskSpace, DoctorContext, advice
from ccindex.read.discovery import DEFAULT_RETENTION_DAYS, Retention
from ccindex.store.connection import reading
from tests.making.transcripts import START_MS

NOW = START_MS
AMPLE_SPACE = DiskSpace(index=1_000, archive=100, recorded=500, unused=0)


def doctor_context(db: Path, *, ran: int | None = NOW, days: int = DEFAULT_RETENTION_DAYS) -> DoctorContext:
    """Return the doctor's context for an index: the time of its last run and Claude Code's retention period."""
    return DoctorContext(NOW, ran, Retention(days, None), db)


def advice_on(db: Path, context: DoctorContext | None = None, space: DiskSpace = AMPLE_SPACE) -> list[str]:
    """Return the advice on an index."""
    with reading(db) as connection:
        return list(advice(connection, context or doctor_context(db), space))
