"""`doctor` reports every violated invariant, and gives advice only when there is a reason."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from ccindex.query.doctor import Check, DiskSpace, check_index, disk_space, last_change
from ccindex.store.connection import changing, reading
from ccindex.store.sql_files import names
from tests.making.advice import NOW, advice_on, doctor_context
from tests.making.files import write
from tests.making.indexes import ask, index
from tests.making.transcripts import assistant, line, queue_operation, tool_use

# for each invariant, a statement that violates it
VIOLATIONS = {
    "agents_have_one_row": "delete from agents",
    "calls_have_one_pair": "delete from tool_pairs",
    "entries_are_searchable": "insert into entries_fts (entries_fts) values ('delete-all')",
    "responses_are_counted_once": "update responses set entry_count = 9",
    "archive_has_no_gaps": "update extents set start = start + 1",
    "content_belongs_to_entries": "insert into blocks (entry, idx, byte_size) values (999, 0, 0)",
    "current_is_latest": "update occurrences set is_current = 0",
    "derived_references_exist": "update placements set thread = 99",
    "entries_have_one_owner": "update occurrences set is_owner = 0 where entry = 1",
    "entries_have_one_placement": "delete from placements where entry = 1",
    "extents_are_whole_chunks": "update chunks set raw_size = raw_size + 1",
    "forgotten_data_is_absent": "insert into tombstones values ('session', 's1', '2026-03-01')",
    "lines_form_a_forest": "update lines set parent = id",
    "line_parents_match_attachments": "update lines set attachment = 1",
    "sort_columns_match_entries": "update sessions set last_timestamp_ms = 0",
    "links_stay_in_the_family": "update sessions set family = session",
    "objects_are_archived": "update occurrences set length = 99999",
    "occurrences_have_one_entry": "update entries set occurrence = null where id = 1",
    "parents_are_recorded_or_repaired": "update placements set effective_parent = null",
    "parents_do_not_cycle": "update placements set effective_parent = entry",
    "paths_end_where_lines_end": "update paths set leaf = root",
    "positions_are_dense": "update placements set position = position + 1",
    "records_match_occurrences": "delete from records",
    "roots_have_no_parent_in_their_thread": "delete from roots",
    "session_ids_have_sessions": "delete from sessions",
    "set_aside_entries_have_a_fork": (
        "update placements set line = null, position = null, set_aside_reason = 'replay', fork = 1"
    ),
    "queued_words_were_queued": "update queued_words set session = 99",
    "usage_totals_match_facts": "update usage_totals set entries = entries + 1",
}


@pytest.fixture
def sample_index(db: Path, project: Path) -> Path:
    call = assistant("a1", 0, tool_use("t1", "Bash", command="ls"), parent="u2", message={"model": None})
    records = [queue_operation("enqueue", 0, "and then?"), queue_operation("remove", 0)]
    write(project / "s1.jsonl", line("u1"), '{"type":"mode"}', line("u2", parent="u1"), call, *records)
    write(project / "s2.jsonl", line("u3", parent="u2", sessionId="s2"))
    write(project / "s1" / "subagents" / "agent-k.jsonl", line("g1", isSidechain=True, agentId="k"))
    index(db, project)
    return db


def checks(db: Path) -> dict[str, Check]:
    with reading(db) as connection:
        return {check.name: check for check in check_index(connection)}


def test_consistent_index_passes_every_check(sample_index: Path) -> None:
    found = checks(sample_index)
    assert [name for name, check in found.items() if not check.ok] == []
    assert found["entries"].detail == "entries on a line or set aside: 5"
    assert set(names("check")) < set(found)


def test_every_invariant_has_a_violation_to_test() -> None:
    assert set(VIOLATIONS) == set(names("check"))


@pytest.mark.parametrize("name", sorted(VIOLATIONS))
def test_violated_invariant_is_reported(sample_index: Path, name: str) -> None:
    with changing(sample_index, create=False) as connection:
        connection.execute(VIOLATIONS[name])
    assert not checks(sample_index)[name].ok


@pytest.mark.parametrize(
    "change",
    [
        "update usage_totals set responses = responses + 1",
        "update usage_totals set output_tokens = 7",
        "update usage_totals set cost_nanousd = 7",
        "update usage_totals set spans = '[1,2]'",
        "delete from usage_totals",
        "insert into usage_totals select * from usage_totals",
        "update tool_totals set calls = 9",
        "update tool_totals set ok = 9",
        "update tool_totals set durations_ms = '[5]'",
        "update tool_totals set last_timestamp_ms = 0",
        "update tool_totals set first_timestamp_ms = 0",
        "update tool_totals set name = 'Read'",
        "delete from tool_totals",
        "insert into tool_totals select * from tool_totals",
    ],
)
def test_wrong_totals_are_reported(sample_index: Path, change: str) -> None:
    with changing(sample_index, create=False) as connection:
        connection.execute(change)
    assert not checks(sample_index)["usage_totals_match_facts"].ok


@pytest.mark.parametrize(
    "change",
    [
        "update sessions set project = null",
        "update sessions set first_timestamp_ms = 0",
        "update tool_pairs set timestamp_ms = null",
    ],
)
def test_wrong_sort_column_is_reported(sample_index: Path, change: str) -> None:
    with changing(sample_index, create=False) as connection:
        connection.execute(change)
    assert not checks(sample_index)["sort_columns_match_entries"].ok


@pytest.mark.parametrize(
    ("kind", "name"),
    [("session", "s1"), ("session", "s2"), ("session", "broken"), ("project", "-w"), ("file", "{}"), ("leaf", "u1")],
)
def test_remains_of_forgotten_data_are_reported(sample_index: Path, project: Path, kind: str, name: str) -> None:
    broken = write(project / "broken.jsonl", "no JSON")
    write(project / "s3.jsonl", '{"type":"summary","leafUuid":"u1","summary":"of it"}')
    index(sample_index, project)
    with changing(sample_index, create=False) as connection:
        connection.execute("insert into tombstones values (?, ?, '2026-03-01')", (kind, name.format(broken)))
    assert not checks(sample_index)["forgotten_data_is_absent"].ok


def test_flipped_bit_in_the_archive_is_reported_with_its_file(sample_index: Path) -> None:
    with changing(sample_index, create=False) as connection:
        (data,) = connection.execute("select data from chunks").fetchone()
        flipped = data[:40] + bytes([data[40] ^ 1]) + data[41:]
        connection.execute("update chunks set data = ?", (flipped,))
    found = checks(sample_index)["archive"]
    assert not found.ok
    assert "s1.jsonl" in found.detail


DAY = 86_400_000


@pytest.fixture
def consistent(db: Path, project: Path) -> Path:
    write(project / "s1.jsonl", line("u1"), assistant("a1", 1, parent="u1"))
    index(db, project)
    return db


def test_consistent_index_needs_no_advice(consistent: Path) -> None:
    assert advice_on(consistent) == []


def test_empty_index_needs_no_advice(db: Path, project: Path) -> None:
    index(db, project)
    assert advice_on(db) == []


@pytest.mark.parametrize(
    ("ran", "days", "text"),
    [
        (None, 30, "time of the last ccindex ingest is unknown"),
        (NOW, 30, None),
        (NOW + DAY, 30, None),  # the clock was set back
        (NOW - DAY, 30, None),
        (NOW - DAY - 1, 30, "more than a day ago"),
        (NOW - 30 * DAY, 30, "more than a day ago"),
        (NOW - 30 * DAY - 1, 30, "more than 30 days ago"),
        (NOW - 30 * DAY - 1, 60, "more than a day ago"),
        (NOW - 7 * DAY - 1, 7, "more than 7 days ago"),
        (NOW - DAY - 1, 1, "more than a day ago, and Claude Code deletes transcripts after a day"),
        (NOW - 1, 0, "more than 0 days ago"),
    ],
)
def test_last_run_long_ago_is_reported(consistent: Path, ran: int | None, days: int, text: str | None) -> None:
    steps = advice_on(consistent, doctor_context(consistent, ran=ran, days=days))
    assert len(steps) == (text is not None)
    assert not steps or (text or "") in steps[0]
    assert not steps or "cron or a hook" in steps[0]


@pytest.mark.parametrize("status", ["ok", "failed", "interrupted", "running"])
def test_unfinished_run_is_reported(consistent: Path, status: str) -> None:
    _change(consistent, "update ingest_runs set status = ?", status)
    steps = advice_on(consistent)
    assert len(steps) == (status in ("failed", "interrupted"))
    assert not steps or f"{status}; to continue it, run: ccindex ingest" in steps[0]
    with reading(consistent) as connection:
        found = last_change(connection)
        assert found is not None
        assert found.status == status


def test_only_the_last_run_is_considered(consistent: Path, project: Path) -> None:
    _change(consistent, "update ingest_runs set status = 'failed'")
    write(project / "s2.jsonl", line("v1", sessionId="s2"))
    index(consistent, project)
    assert advice_on(consistent) == []


def test_backup_is_advised_for_deleted_transcripts(consistent: Path, project: Path) -> None:
    (project / "s1.jsonl").unlink()
    index(consistent, project)
    [step] = advice_on(consistent)
    assert step.startswith("1 file exists only in this index; back up the index")
    assert f'sqlite3 {consistent} ".backup ccindex-backup.db"' in step


def test_malformed_lines_unknown_models_and_unknown_types_are_reported(db: Path, project: Path) -> None:
    unpriced_entry = assistant("a1", 1, message={"model": "homemade-1", "usage": {"output_tokens": 1}})
    write(project / "s1.jsonl", "not json", "{", unpriced_entry, line("x1", type="never-heard-of"))
    index(db, project)
    malformed, unpriced, newer = advice_on(db)
    assert malformed.startswith("check the lines that are not JSON objects")
    assert malformed.endswith(": 2")
    assert unpriced.startswith("update genai-prices")
    assert unpriced.endswith(": 1")
    assert "db reprice" in unpriced
    assert newer.startswith("update ccindex")
    assert newer.endswith(f": {ask(db, 'select count(*) from v1_drift')[0][0]}")


def test_unreadable_files_are_reported(db: Path, project: Path) -> None:
    (project / "s1.jsonl").mkdir()
    write(project / "s2.jsonl", line("u1", sessionId="s2"))
    index(db, project)
    assert ask(db, "select count(*) from v1_diagnostics where kind = 'unreadable'") == [(0,)]
    assert advice_on(db) == []
    _change(db, "insert into diagnostics (kind, severity, detail) values ('unreadable', 'warning', 'x')")
    [step] = advice_on(db)
    assert step.startswith("fix the permissions")


@pytest.mark.parametrize(("unused", "is_reported"), [(0, False), (250, False), (251, True), (1_000, True)])
def test_unused_space_is_reported(consistent: Path, unused: int, *, is_reported: bool) -> None:
    steps = advice_on(consistent, space=DiskSpace(1_000, 1, 1, unused))
    assert len(steps) == is_reported
    assert not steps or steps[0].startswith(
        f"{unused:,} bytes of the index are unused; to free them, run: ccindex db vacuum"
    )


def test_most_urgent_advice_comes_first(consistent: Path, project: Path) -> None:
    write(project / "s2.jsonl", "not json")
    (project / "s1.jsonl").unlink()
    index(consistent, project)
    _change(consistent, "update ingest_runs set status = 'failed'")
    steps = advice_on(consistent, doctor_context(consistent, ran=None), DiskSpace(1_000, 1, 1, 900))
    starts = ["the time of", "the last run that", "1 file exists", "check the lines", "900 bytes"]
    assert [step.startswith(start) for step, start in zip(steps, starts, strict=True)] == [True] * 5


def test_disk_space_is_the_size_of_the_file_and_its_wal(consistent: Path) -> None:
    with reading(consistent) as connection:
        space = disk_space(connection, consistent)
    files = [consistent, consistent.with_name(consistent.name + "-wal")]
    assert space.index == sum(path.stat().st_size for path in files if path.exists())
    [(packed, recorded)] = ask(consistent, "select sum(length(data)), sum(raw_size) from chunks")
    assert (space.archive, space.recorded, space.unused) == (packed, recorded, 0)
    assert space.recorded == ask(consistent, "select sum(size) from v1_sources")[0][0]


def _change(db: Path, query: str, *values: str) -> None:
    with closing(sqlite3.connect(db)) as connection, connection:
        connection.execute(query, values)
