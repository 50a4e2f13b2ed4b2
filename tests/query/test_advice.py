"""Each piece of advice is given exactly when there is a reason for it."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from ccindex.query.doctor import DiskSpace, disk_space, last_change
from ccindex.store.connection import reading
from tests.making.advice import NOW, advice_on, around
from tests.making.files import write
from tests.making.indexes import ask, index
from tests.making.transcripts import assistant, line

DAY = 86_400_000


@pytest.fixture
def sound(db: Path, project: Path) -> Path:
    write(project / "s1.jsonl", line("u1"), assistant("a1", 1, parent="u1"))
    index(db, project)
    return db


def test_where_all_is_well_there_is_no_advice(sound: Path) -> None:
    assert advice_on(sound) == []


def test_an_empty_index_is_well(db: Path, project: Path) -> None:
    index(db, project)
    assert advice_on(db) == []


@pytest.mark.parametrize(
    ("ran", "days", "told"),
    [
        (None, 30, "nothing says when"),
        (NOW, 30, None),
        (NOW + DAY, 30, None),  # a clock that was put back
        (NOW - DAY, 30, None),
        (NOW - DAY - 1, 30, "more than a day ago"),
        (NOW - 30 * DAY, 30, "more than a day ago"),
        (NOW - 30 * DAY - 1, 30, "more than 30 days ago"),
        (NOW - 30 * DAY - 1, 60, "more than a day ago"),
        (NOW - 7 * DAY - 1, 7, "more than 7 days ago"),
        (NOW - DAY - 1, 1, "more than 1 days ago"),
        (NOW - 1, 0, "more than 0 days ago"),
    ],
)
def test_a_run_too_long_ago_is_told(sound: Path, ran: int | None, days: int, told: str | None) -> None:
    steps = advice_on(sound, around(sound, ran=ran, days=days))
    assert len(steps) == (told is not None)
    assert not steps or (told or "") in steps[0]
    assert not steps or "cron or a hook" in steps[0]


@pytest.mark.parametrize("status", ["ok", "failed", "interrupted", "running"])
def test_a_run_that_did_not_come_to_its_end_is_told(sound: Path, status: str) -> None:
    _change(sound, "update ingest_runs set status = ?", status)
    steps = advice_on(sound)
    assert len(steps) == (status in ("failed", "interrupted"))
    assert not steps or f"was {status}: run ccindex ingest again" in steps[0]
    with reading(sound) as connection:
        found = last_change(connection)
        assert found is not None
        assert found.status == status


def test_only_the_last_run_counts(sound: Path, project: Path) -> None:
    _change(sound, "update ingest_runs set status = 'failed'")
    write(project / "s2.jsonl", line("v1", sessionId="s2"))
    index(sound, project)
    assert advice_on(sound) == []


def test_transcripts_that_only_the_index_has_are_to_be_backed_up(sound: Path, project: Path) -> None:
    (project / "s1.jsonl").unlink()
    index(sound, project)
    [step] = advice_on(sound)
    assert step.startswith("1 file is only in this index: back it up")
    assert f'sqlite3 {sound} ".backup ccindex-backup.db"' in step


def test_malformed_lines_unknown_models_and_types_are_told(db: Path, project: Path) -> None:
    odd = assistant("a1", 1, message={"model": "odd", "usage": {"output_tokens": 1}})
    write(project / "s1.jsonl", "not json", "{", odd, line("x1", type="never-heard-of"))
    index(db, project)
    malformed, unpriced, newer = advice_on(db)
    assert malformed.startswith("lines that are no JSON object")
    assert malformed.endswith(": 2")
    assert unpriced.startswith("update genai-prices")
    assert unpriced.endswith(": 1")
    assert "db reprice" in unpriced
    assert newer.startswith("update ccindex")
    assert newer.endswith(f": {ask(db, 'select count(*) from v1_drift')[0][0]}")


def test_what_could_not_be_read_is_told(db: Path, project: Path) -> None:
    (project / "s1.jsonl").mkdir()
    write(project / "s2.jsonl", line("u1", sessionId="s2"))
    index(db, project)
    assert ask(db, "select count(*) from v1_diagnostics where kind = 'unreadable'") == [(0,)]
    assert advice_on(db) == []
    _change(db, "insert into diagnostics (kind, severity, detail) values ('unreadable', 'warning', 'x')")
    [step] = advice_on(db)
    assert step.startswith("make readable what could not be read")


@pytest.mark.parametrize(("unused", "is_told"), [(0, False), (250, False), (251, True), (1_000, True)])
def test_much_room_not_in_use_is_told(sound: Path, unused: int, *, is_told: bool) -> None:
    steps = advice_on(sound, room=DiskSpace(1_000, 1, 1, unused))
    assert len(steps) == is_told
    assert not steps or steps[0].startswith(f"{unused:,} bytes of the index are not in use; ccindex db vacuum")


def test_the_most_pressing_comes_first(sound: Path, project: Path) -> None:
    write(project / "s2.jsonl", "not json")
    (project / "s1.jsonl").unlink()
    index(sound, project)
    _change(sound, "update ingest_runs set status = 'failed'")
    steps = advice_on(sound, around(sound, ran=None), DiskSpace(1_000, 1, 1, 900))
    starts = ["nothing says", "the last run that", "1 file is", "lines that", "900 bytes"]
    assert [step.startswith(start) for step, start in zip(steps, starts, strict=True)] == [True] * 5


def test_the_room_is_what_the_file_and_its_log_take(sound: Path) -> None:
    with reading(sound) as connection:
        room = disk_space(connection, sound)
    files = [sound, sound.with_name(sound.name + "-wal")]
    assert room.index == sum(path.stat().st_size for path in files if path.exists())
    [(packed, recorded)] = ask(sound, "select sum(length(data)), sum(raw_size) from chunks")
    assert (room.archive, room.recorded, room.unused) == (packed, recorded, 0)
    assert room.recorded == ask(sound, "select sum(size) from v1_sources")[0][0]


def _change(db: Path, query: str, *values: str) -> None:
    with closing(sqlite3.connect(db)) as connection, connection:
        connection.execute(query, values)
