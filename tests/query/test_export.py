"""Names of exported files, and the JSON document of a session."""

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
from tests.making.example_indexes import make_example, make_hostile
from tests.making.files import append, write
from tests.making.indexes import ask, index
from tests.making.transcripts import line

UUID = "51ea40b0-7088-4482-b231-74d06cde3e3a"


@pytest.fixture(scope="module")
def branched(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_example(tmp_path_factory.mktemp("branched"))


@pytest.mark.parametrize("name", [UUID, "s1", "a.b_c-d", "-", "0" * 100, "_path", "x-0123456789a", "x-012345678"])
def test_id_that_every_file_system_accepts_is_unchanged(name: str) -> None:
    assert file_name_part(name) == name


UNSAFE = [
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


@pytest.mark.parametrize("name", UNSAFE, ids=ascii)
def test_unsafe_ids_are_shortened_and_get_a_hash(name: str, tmp_path: Path) -> None:
    part = file_name_part(name)
    assert set(part) <= set("0123456789abcdefghijklmnopqrstuvwxyz._-")
    assert len(part) <= 91
    path = tmp_path / f"transcript_{part}.md"
    path.touch()
    assert os.listdir(tmp_path) == [path.name]


def test_file_names_are_unique_even_if_case_is_ignored() -> None:
    ids = [*UNSAFE, "a_b", "a", "s", UUID, "x_y", "..x"]
    assert len({file_name_part(name).casefold() for name in ids}) == len(set(ids)) == len(ids)


def leaves_and_names(pages: list[ExportPage]) -> list[tuple[str, str]]:
    return [(page.path.leaf_uuid, page.file_name) for page in pages]


def test_paths_through_a_session_are_numbered_by_time_of_their_leaves(branched: Path) -> None:
    with reading(branched) as connection:
        through = {name: pages_through(connection, name, agents=False) for name in ("main", "next", "twin")}
    assert leaves_and_names(through["main"]) == [
        ("a3", "transcript_main_path1_abandoned.md"),
        ("n2", "transcript_main_path2.md"),
    ]
    assert [(row.number, row.total, row.session_id) for row in through["main"]] == [(1, 2, "main"), (2, 2, "main")]
    assert leaves_and_names(through["next"]) == [("n2", "transcript_next.md")]
    assert leaves_and_names(through["twin"]) == [("w6", "transcript_twin.md")]


def test_every_path_is_exported_once_in_the_session_where_it_ends(branched: Path) -> None:
    with reading(branched) as connection:
        everything = sessions_matching(connection, Filters())
        assert everything == ["main", "next", "twin"]
        ending = pages_ending_in(connection, everything, agents=True)
        late = sessions_matching(connection, Filters(since=1_772_356_502_000))
    assert leaves_and_names(ending) == [
        ("a3", "transcript_main_path1_abandoned.md"),
        ("n2", "transcript_next.md"),
        ("w6", "transcript_twin.md"),
    ]
    assert sorted(row.path.path_id for row in ending) == [
        path_id for (path_id,) in ask(branched, "select path_id from v1_paths order by 1")
    ]
    assert all(row.agents for row in ending)
    assert late == ["next"]


def test_every_path_of_a_session_has_its_own_name(db: Path, project: Path) -> None:
    write(project / "s1.jsonl", line("u0"), *(line(f"u{n}", parent="u0") for n in range(1, 13)))
    index(db, project)
    with reading(db) as connection:
        through = pages_through(connection, "s1", agents=False)
        ending = pages_ending_in(connection, ["s1"], agents=False)
    assert through == ending
    assert [row.file_name for row in through] == [
        *(f"transcript_s1_path{n}_abandoned.md" for n in range(1, 12)),
        "transcript_s1_path12.md",
    ]


def document_lines(db: Path, session_id: str) -> list[str]:
    with reading(db) as connection:
        return list(session_document(connection, session_id))


def test_document_contains_the_rows_of_the_session(branched: Path) -> None:
    document = json.loads("\n".join(document_lines(branched, "main")))
    assert list(document)[:5] == ["ccindex_version", "session", "lines", "paths", "entries"]
    assert document["session"]["session_id"] == "main"
    assert [row["line_id"] for row in document["lines"]] == ["main", "main#agent-g1", "main@p2", "main@p3"]
    assert [row["path_id"] for row in document["paths"]] == ["path-a3", "path-n2"]
    assert [row["uuid"] for row in document["entries"]] == "p1 a1 r1 a2 q1 b1 p2 a3 p3 a4".split()
    assert document["entries"][2]["blocks"][0]["text"] == "all is well"
    assert [(row["uuid"], row["target_line_id"]) for row in document["junctions"]] == [
        ("a2", "main@p2"),
        ("a2", "main@p3"),
        ("a4", "next"),
        ("r1", "main#agent-g1"),
    ]
    assert [row["agent_id"] for row in document["agents"]] == ["g1"]
    assert [row["uuid"] for row in document["forks"]] == ["a2"]
    twin = json.loads("\n".join(document_lines(branched, "twin")))
    assert [(row["uuid"], row["set_aside"]) for row in twin["entries"] if row["set_aside"]] == [
        ("w4", "replay"),
        ("w5", "replay"),
    ]
    assert [row["uuid"] for row in twin["set_aside"]] == ["w4", "w5"]
    assert [row["text"] for row in twin["summaries"]] == ["Two of a kind"]


@pytest.mark.parametrize("session_id", ["main", "next", "twin"])
def test_document_contains_every_row_and_column_of_its_views(branched: Path, session_id: str) -> None:
    document = json.loads("\n".join(document_lines(branched, session_id)))
    views = set(document) - {"ccindex_version", "session", "paths", "entries", "junctions"}
    for name in views:
        columns = [row[1] for row in ask(branched, f"pragma table_info(v1_{name})")]
        rows = ask(branched, f"select * from v1_{name} where session_id = ?", session_id)
        assert sorted(map(repr, rows)) == sorted(repr(tuple(row[c] for c in columns)) for row in document[name])
    columns = [row[1] for row in ask(branched, "pragma table_info(v1_entries)") if row[1] != "revision"]
    for entry in document["entries"]:
        assert list(entry) == [*columns, "set_aside", "blocks"]


def test_every_row_is_on_its_own_line(branched: Path) -> None:
    lines = document_lines(branched, "main")
    rows = [text for text in lines if text.startswith("{") and text != lines[0]]
    assert all(json.loads(text.removesuffix(",")) for text in rows)
    assert len(rows) > 20
    assert sum('"uuid": "p1"' in text for text in rows) == 1  # an entry and its blocks form one row


def test_hostile_session_is_exported_unchanged(tmp_path: Path) -> None:
    db = make_hostile(tmp_path)
    [(session, uuids)] = ask(db, "select session_id, json_group_array(uuid) from v1_entries")
    lines = document_lines(db, session)
    assert all("\n" not in text for text in lines)
    document = json.loads("\n".join(lines))
    assert sorted(row["uuid"] for row in document["entries"]) == sorted(json.loads(uuids))


def test_document_does_not_depend_on_the_number_of_ingest_runs(tmp_path: Path) -> None:
    path = write(tmp_path / "p" / "s1.jsonl", line("u1"), line("u2", parent="u1"))
    for number in range(3, 6):
        index(tmp_path / "many.db", tmp_path / "p")
        append(path, line(f"u{number}", parent=f"u{number - 1}") + "\n")
    for name in ("many.db", "once.db"):
        index(tmp_path / name, tmp_path / "p")
    assert document_lines(tmp_path / "many.db", "s1") == document_lines(tmp_path / "once.db", "s1")


def test_session_that_owns_no_entries_is_exported_with_its_copies(db: Path, project: Path) -> None:
    entry = line("u1")
    write(project / "s1.jsonl", entry)
    write(project / "s2.jsonl", line("u1", sessionId="s2"))
    index(db, project)
    document = json.loads("\n".join(document_lines(db, "s2")))
    assert document["session"]["entry_count"] == 0
    assert [(row["uuid"], row["session_id"]) for row in document["entries"]] == [("u1", "s1")]
