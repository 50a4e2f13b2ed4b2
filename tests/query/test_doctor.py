from pathlib import Path

import pytest

from ccindex.query.doctor import Check, examine
from ccindex.store.connection import changing, reading
from ccindex.store.sql_files import names
from tests.making.files import write
from tests.making.indexes import index
from tests.making.transcripts import assistant, line, queue_operation, tool_use

# one way to break each invariant
BREAKS = {
    "agents_have_one_row": "delete from agents",
    "calls_have_one_pair": "delete from tool_pairs",
    "entries_are_searchable": "insert into entries_fts (entries_fts) values ('delete-all')",
    "responses_are_counted_once": "update responses set entry_count = 9",
    "archive_leaves_no_gap": "update extents set start = start + 1",
    "content_belongs_to_entries": "insert into blocks (entry, idx, byte_size) values (999, 0, 0)",
    "current_is_latest": "update occurrences set is_current = 0",
    "derived_rows_refer_to_rows": "update placements set thread = 99",
    "entries_have_one_owner": "update occurrences set is_owner = 0 where entry = 1",
    "entries_have_one_place": "delete from placements where entry = 1",
    "extents_are_whole_chunks": "update chunks set raw_size = raw_size + 1",
    "forgotten_stays_away": "insert into tombstones values ('session', 's1', '2026-03-01')",
    "lines_form_a_forest": "update lines set parent = id",
    "lines_hang_where_they_attach": "update lines set attachment = 1",
    "lists_are_in_order": "update sessions set last_at = 0",
    "links_stay_in_the_family": "update sessions set family = session",
    "objects_lie_in_the_archive": "update occurrences set length = 99999",
    "occurrences_have_one_entry": "update entries set occurrence = null where id = 1",
    "parents_are_recorded_or_repaired": "update placements set effective_parent = null",
    "parents_do_not_cycle": "update placements set effective_parent = entry",
    "paths_end_lines": "update paths set leaf = root",
    "positions_are_dense": "update placements set position = position + 1",
    "records_match_occurrences": "delete from records",
    "roots_have_no_parent_in_their_thread": "delete from roots",
    "sessions_are_claimed": "delete from sessions",
    "set_aside_by_a_ruling": (
        "update placements set line = null, position = null, set_aside_reason = 'replay', fork = 1"
    ),
    "queued_words_were_queued": "update queued_words set session = 99",
    "usage_is_what_facts_come_to": "update usage_totals set entries = entries + 1",
}


@pytest.fixture
def made(db: Path, project: Path) -> Path:
    call = assistant("a1", 0, tool_use("t1", "Bash", command="ls"), parent="u2", message={"model": None})
    records = [queue_operation("enqueue", 0, "and then?"), queue_operation("remove", 0)]
    write(project / "s1.jsonl", line("u1"), '{"type":"mode"}', line("u2", parent="u1"), call, *records)
    write(project / "s2.jsonl", line("u3", parent="u2", sessionId="s2"))
    write(project / "s1" / "subagents" / "agent-k.jsonl", line("g1", isSidechain=True, agentId="k"))
    index(db, project)
    return db


def checks(db: Path) -> dict[str, Check]:
    with reading(db) as connection:
        return {check.name: check for check in examine(connection)}


def test_a_sound_index_passes_every_check(made: Path) -> None:
    found = checks(made)
    assert [name for name, check in found.items() if not check.ok] == []
    assert found["entries"].detail == "5 on lines or set aside with a reason"
    assert set(names("check")) < set(found)


def test_every_invariant_has_a_way_to_break_it() -> None:
    assert set(BREAKS) == set(names("check"))


@pytest.mark.parametrize("name", sorted(BREAKS))
def test_a_broken_invariant_is_noticed(made: Path, name: str) -> None:
    with changing(made, create=False) as connection:
        connection.execute(BREAKS[name])
    assert not checks(made)[name].ok


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
        "update tool_totals set durations = '[5]'",
        "update tool_totals set last_at = 0",
        "update tool_totals set first_at = 0",
        "update tool_totals set name = 'Read'",
        "delete from tool_totals",
        "insert into tool_totals select * from tool_totals",
    ],
)
def test_whatever_was_counted_wrong_is_noticed(made: Path, change: str) -> None:
    with changing(made, create=False) as connection:
        connection.execute(change)
    assert not checks(made)["usage_is_what_facts_come_to"].ok


@pytest.mark.parametrize(
    "change",
    [
        "update sessions set project = null",
        "update sessions set first_at = 0",
        "update tool_pairs set timestamp_ms = null",
    ],
)
def test_a_list_out_of_order_is_noticed(made: Path, change: str) -> None:
    with changing(made, create=False) as connection:
        connection.execute(change)
    assert not checks(made)["lists_are_in_order"].ok


@pytest.mark.parametrize(
    ("kind", "name"),
    [("session", "s1"), ("session", "s2"), ("session", "broken"), ("project", "-w"), ("file", "{}"), ("leaf", "u1")],
)
def test_whatever_is_left_of_the_forgotten_is_noticed(made: Path, project: Path, kind: str, name: str) -> None:
    broken = write(project / "broken.jsonl", "no JSON")
    write(project / "s3.jsonl", '{"type":"summary","leafUuid":"u1","summary":"of it"}')
    index(made, project)
    with changing(made, create=False) as connection:
        connection.execute("insert into tombstones values (?, ?, '2026-03-01')", (kind, name.format(broken)))
    assert not checks(made)["forgotten_stays_away"].ok


def test_a_flipped_bit_in_the_archive_is_noticed_and_named(made: Path) -> None:
    with changing(made, create=False) as connection:
        (data,) = connection.execute("select data from chunks").fetchone()
        flipped = data[:40] + bytes([data[40] ^ 1]) + data[41:]
        connection.execute("update chunks set data = ?", (flipped,))
    found = checks(made)["archive"]
    assert not found.ok
    assert "s1.jsonl" in found.detail
