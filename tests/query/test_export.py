import json
import os
from pathlib import Path

import pytest

from ccindex.query.export import (
    ExportPage,
    file_name_part,
    pages_ending_in,
    pages_through,
    session_document,
    sessions_matching,
)
from ccindex.query.lists import Filters
from ccindex.store.connection import reading
from tests.making.example_indexes import make_hostile, make_world
from tests.making.files import append, write
from tests.making.indexes import ask, index
from tests.making.transcripts import line

UUID = "51ea40b0-7088-4482-b231-74d06cde3e3a"


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_world(tmp_path_factory.mktemp("world"))


@pytest.mark.parametrize("name", [UUID, "s1", "a.b_c-d", "-", "0" * 100, "_path", "x-0123456789a", "x-012345678"])
def test_an_id_that_no_disk_minds_stays_as_it_is(name: str) -> None:
    assert file_name_part(name) == name


ODD = [
    "",
    ".",
    "..",
    ".hidden",
    "../../x",
    ".._.._x",
    "/etc/passwd",
    "a/b",
    "a_b ",
    "a\\b",
    "a\0b",
    "a\nb",
    "a:b",
    "A",
    "a" * 101,
    "a" * 300,
    "a" * 300 + "b",
    UUID.upper(),
    "résumé",
    "re\u0301sume\u0301",
    "😀",
    "😃",
    "a\udcff",
    "s_path1",
    "s_path1_abandoned",
    "s_abandoned",
    file_name_part("A"),
    file_name_part("a/b"),
]


@pytest.mark.parametrize("name", ODD, ids=ascii)
def test_any_other_id_is_cut_and_told_apart_by_a_hash(name: str, tmp_path: Path) -> None:
    made = file_name_part(name)
    assert set(made) <= set("0123456789abcdefghijklmnopqrstuvwxyz._-")
    assert len(made) <= 91
    path = tmp_path / f"transcript_{made}.md"
    path.touch()
    assert os.listdir(tmp_path) == [path.name]


def test_no_two_ids_share_a_name_even_where_case_does_not_count() -> None:
    ids = [*ODD, "a_b", "a", "s", UUID, "x_y", "..x"]
    assert len({file_name_part(name).casefold() for name in ids}) == len(set(ids)) == len(ids)


def named(transcripts: list[ExportPage]) -> list[tuple[str, str]]:
    return [(each.path.leaf_uuid, each.file_name) for each in transcripts]


def test_the_paths_through_a_session_are_counted_by_time_of_their_leaves(world: Path) -> None:
    with reading(world) as connection:
        through = {name: pages_through(connection, name, agents=False) for name in ("main", "next", "twin")}
    assert named(through["main"]) == [
        ("a3", "transcript_main_path1_abandoned.md"),
        ("n2", "transcript_main_path2.md"),
    ]
    assert [(each.number, each.total, each.session_id) for each in through["main"]] == [(1, 2, "main"), (2, 2, "main")]
    assert named(through["next"]) == [("n2", "transcript_next.md")]
    assert named(through["twin"]) == [("w6", "transcript_twin.md")]


def test_of_many_sessions_every_path_is_exported_once_where_it_ends(world: Path) -> None:
    with reading(world) as connection:
        everything = sessions_matching(connection, Filters())
        assert everything == ["main", "next", "twin"]
        ending = pages_ending_in(connection, everything, agents=True)
        late = sessions_matching(connection, Filters(since=1_772_356_502_000))
    assert named(ending) == [
        ("a3", "transcript_main_path1_abandoned.md"),
        ("n2", "transcript_next.md"),
        ("w6", "transcript_twin.md"),
    ]
    assert sorted(each.path.path_id for each in ending) == [
        path_id for (path_id,) in ask(world, "select path_id from v1_paths order by 1")
    ]
    assert all(each.agents for each in ending)
    assert late == ["next"]


def test_a_session_of_many_paths_has_as_many_names(db: Path, project: Path) -> None:
    write(project / "s1.jsonl", line("u0"), *(line(f"u{n}", parent="u0") for n in range(1, 13)))
    index(db, project)
    with reading(db) as connection:
        through = pages_through(connection, "s1", agents=False)
        ending = pages_ending_in(connection, ["s1"], agents=False)
    assert through == ending
    assert [each.file_name for each in through] == [
        *(f"transcript_s1_path{n}_abandoned.md" for n in range(1, 12)),
        "transcript_s1_path12.md",
    ]


def lines_of(db: Path, session_id: str) -> list[str]:
    with reading(db) as connection:
        return list(session_document(connection, session_id))


def test_the_document_holds_what_the_views_say_of_the_session(world: Path) -> None:
    told = json.loads("\n".join(lines_of(world, "main")))
    assert list(told)[:5] == ["ccindex_version", "session", "lines", "paths", "entries"]
    assert told["session"]["session_id"] == "main"
    assert [each["line_id"] for each in told["lines"]] == ["main", "main#agent-g1", "main@p2", "main@p3"]
    assert [each["path_id"] for each in told["paths"]] == ["path-a3", "path-n2"]
    assert [each["uuid"] for each in told["entries"]] == "p1 a1 r1 a2 q1 b1 p2 a3 p3 a4".split()
    assert told["entries"][2]["blocks"][0]["text"] == "all is well"
    assert [(each["uuid"], each["target_line_id"]) for each in told["junctions"]] == [
        ("a2", "main@p2"),
        ("a2", "main@p3"),
        ("a4", "next"),
        ("r1", "main#agent-g1"),
    ]
    assert [each["agent_id"] for each in told["agents"]] == ["g1"]
    assert [each["uuid"] for each in told["forks"]] == ["a2"]
    twin = json.loads("\n".join(lines_of(world, "twin")))
    assert [(each["uuid"], each["set_aside"]) for each in twin["entries"] if each["set_aside"]] == [
        ("w4", "replay"),
        ("w5", "replay"),
    ]
    assert [each["uuid"] for each in twin["set_aside"]] == ["w4", "w5"]
    assert [each["text"] for each in twin["summaries"]] == ["Two of a kind"]


@pytest.mark.parametrize("session_id", ["main", "next", "twin"])
def test_every_row_and_column_of_its_views_is_in_the_document(world: Path, session_id: str) -> None:
    told = json.loads("\n".join(lines_of(world, session_id)))
    views = set(told) - {"ccindex_version", "session", "paths", "entries", "junctions"}
    for name in views:
        columns = [row[1] for row in ask(world, f"pragma table_info(v1_{name})")]
        rows = ask(world, f"select * from v1_{name} where session_id = ?", session_id)
        assert sorted(map(repr, rows)) == sorted(repr(tuple(row[c] for c in columns)) for row in told[name])
    columns = [row[1] for row in ask(world, "pragma table_info(v1_entries)") if row[1] != "revision"]
    for entry in told["entries"]:
        assert list(entry) == [*columns, "set_aside", "blocks"]


def test_every_row_stands_on_its_line(world: Path) -> None:
    lines = lines_of(world, "main")
    rows = [text for text in lines if text.startswith("{") and text != lines[0]]
    assert all(json.loads(text.removesuffix(",")) for text in rows)
    assert len(rows) > 20
    assert sum('"uuid": "p1"' in text for text in rows) == 1  # an entry and its blocks are one row


def test_a_hostile_session_is_told_as_it_is(tmp_path: Path) -> None:
    db = make_hostile(tmp_path)
    [(session, uuids)] = ask(db, "select session_id, json_group_array(uuid) from v1_entries")
    lines = lines_of(db, session)
    assert all("\n" not in text for text in lines)
    told = json.loads("\n".join(lines))
    assert sorted(each["uuid"] for each in told["entries"]) == sorted(json.loads(uuids))


def test_the_document_does_not_tell_in_how_many_runs_the_session_came_in(tmp_path: Path) -> None:
    path = write(tmp_path / "p" / "s1.jsonl", line("u1"), line("u2", parent="u1"))
    for number in range(3, 6):
        index(tmp_path / "many.db", tmp_path / "p")
        append(path, line(f"u{number}", parent=f"u{number - 1}") + "\n")
    for name in ("many.db", "once.db"):
        index(tmp_path / name, tmp_path / "p")
    assert lines_of(tmp_path / "many.db", "s1") == lines_of(tmp_path / "once.db", "s1")


def test_a_session_that_owns_nothing_is_told_by_its_copies(db: Path, project: Path) -> None:
    entry = line("u1")
    write(project / "s1.jsonl", entry)
    write(project / "s2.jsonl", line("u1", sessionId="s2"))
    index(db, project)
    told = json.loads("\n".join(lines_of(db, "s2")))
    assert told["session"]["entry_count"] == 0
    assert [(each["uuid"], each["session_id"]) for each in told["entries"]] == [("u1", "s1")]
