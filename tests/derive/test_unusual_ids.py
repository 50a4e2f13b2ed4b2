"""Ids that contain NUL, are very long or share a long prefix stay intact in tables and commands."""

import json
import sqlite3
import tracemalloc
from contextlib import closing
from pathlib import Path

import pytest

from ccindex.graph.line_ids import LineName, line_ids
from ccindex.query.lists import Filters
from ccindex.query.stats import By, count_by
from ccindex.store.connection import changing, transaction
from ccindex.store.families import FamilyWriter
from tests.making.files import write
from tests.making.in_process import misbehaviour, run
from tests.making.indexes import ask, broken, index, rebuild
from tests.making.transcripts import Object, assistant_entry, entry, progress_entry, result_entry, tool_use


def call(tool_id: str) -> Object:
    return tool_use(tool_id, "Task", prompt="look")


def put(folder: Path, *objects: Object) -> Path:
    """Create an index of one file with the given objects."""
    write(folder / "projects" / "-w" / "s1.jsonl", *map(json.dumps, objects))
    index(folder / "x.db", folder / "projects")
    return folder / "x.db"


def test_calls_with_ids_that_differ_after_a_nul_have_separate_pairs(tmp_path: Path) -> None:
    objects = []
    for number, tool_id in enumerate(("t\0a", "t\0b", "t") * 2):
        objects.append(assistant_entry(f"a{number}", None, 2 * number, call(tool_id)))
        objects.append(result_entry(f"r{number}", f"a{number}", 2 * number + 1, tool_id))
    db = put(tmp_path, *objects)
    pairs = ask(db, "select tool_use_id, use_uuid, result_uuid from v1_tool_pairs order by 1")
    assert pairs == [("t", "a2", "r2"), ("t\0a", "a0", "r0"), ("t\0b", "a1", "r1")]
    assert broken(db) == {}
    rebuild(db)
    assert ask(db, "select tool_use_id, use_uuid, result_uuid from v1_tool_pairs order by 1") == pairs


def test_sessions_with_ids_that_differ_after_a_nul_are_counted_separately(tmp_path: Path) -> None:
    message = {"role": "user", "content": "first words"}
    db = put(tmp_path, *(entry(name, None, 0, sessionId=name, message=message) for name in ("s\0a", "s\0b", "s")))
    with closing(sqlite3.connect(db)) as connection:
        rows = count_by(connection, By.SESSION, Filters()).rows
    assert sorted(str(row.keys[0]) for row in rows) == ["s", "s\0a", "s\0b"]
    assert {row.keys[1] for row in rows} == {"first words"}


@pytest.mark.parametrize(
    "arguments", [["stats", "--by", "session"], ["tree"], ["sessions"], ["agents"], ["tools"], ["doctor"]]
)
@pytest.mark.parametrize("form", [[], ["--json"]])
def test_commands_accept_ids_with_nul(tmp_path: Path, arguments: list[str], form: list[str]) -> None:
    db = put(
        tmp_path,
        assistant_entry("u\0a", None, 0, call("t\0a"), sessionId="s\0a"),
        progress_entry("u\0b", "u\0a", 1, "t\0a", "k\0a", sessionId="s\0a"),
        entry("u\0c", None, 2, sessionId="s\0a", isSidechain=True, agentId="k\0a"),
    )
    result = run([arguments[0], "--db", str(db), *arguments[1:], *form], tmp_path)
    assert misbehaviour(result, human=not form) is None
    assert result.code == 0


def test_nested_line_ids_are_never_all_in_memory_at_once(db: Path, tmp_path: Path) -> None:
    names = [LineName("s")]
    for number in range(2_000):
        names.append(LineName(f"{number:012}", names[-1]))
    index(db, tmp_path)  # creates an empty index
    rows = ((number + 1, 1, line_id, "branch", None, None, None, 1, 1, 1, 1) for number, line_id in line_ids(names))
    with changing(db, create=False) as connection, transaction(connection):
        writer = FamilyWriter(connection, [])
        tracemalloc.start()
        try:
            writer.assign_line_ids([1] * len(names), line_ids(names))
            writer.write_lines(rows)
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        (total,) = connection.execute("select sum(length(line_id)) from lines").fetchone()
    assert total == sum(1 + 13 * depth for depth in range(2_001))  # 26 MB
    assert peak < 3_000_000


def test_second_run_does_not_write_unchanged_lines(tmp_path: Path) -> None:
    objects = [entry("u0", None, 0), assistant_entry("a0", "u0", 1)]
    for number in range(1, 30):
        objects.append(entry(f"left{number}", f"a{number - 1}", 3 * number))
        objects.append(entry(f"right{number}", f"a{number - 1}", 3 * number + 1))
        objects.append(assistant_entry(f"a{number}", f"right{number}", 3 * number + 2))
    db = put(tmp_path, *objects)
    before = ask(db, "select * from lines order by id")
    assert len(before) == 59
    write(tmp_path / "projects" / "-w" / "s9.jsonl", json.dumps(entry("v0", "a29", 200, sessionId="s9")))
    with closing(sqlite3.connect(db)) as connection, connection:
        connection.execute(
            "create trigger written after insert on lines when new.line_id like 's1%' "
            "begin select raise(abort, 'written again'); end"
        )
    index(db, tmp_path / "projects")
    assert ask(db, "select * from lines where line_id like 's1%' order by id") == before
    assert ask(db, "select parent_line_id is not null from v1_lines where line_id = 's9'") == [(1,)]
