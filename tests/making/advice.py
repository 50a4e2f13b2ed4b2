"""Advice on an index at a fixed time."""

from pathlib import Path

from ccindex.query.doctor import DiskSpace, DoctorContext, advice
from ccindex.read.discovery import DEFAULT_DAYS, Retention
from ccindex.store.connection import reading
from tests.making.transcripts import START_MS

NOW = START_MS
FINE = DiskSpace(index=1_000, archive=100, recorded=500, unused=0)


def around(db: Path, *, ran: int | None = NOW, days: int = DEFAULT_DAYS) -> DoctorContext:
    return DoctorContext(NOW, ran, Retention(days, None), db)


def advice_on(db: Path, surroundings: DoctorContext | None = None, room: DiskSpace = FINE) -> list[str]:
    with reading(db) as connection:
        return list(advice(connection, surroundings or around(db), room))
