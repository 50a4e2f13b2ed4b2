"""The order in which the entries of a session, a line or a path are read."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from ccindex.query.export import load_entries
from ccindex.query.ids import Target
from ccindex.query.line_tree import load_line_tree
from ccindex.query.reading_order import ReadingOrder
from ccindex.store.connection import reading
from tests.making.files import write
from tests.making.indexes import index, rebuild
from tests.making.transcripts import at, line


def chain(uuids: str, session: str, parent: str | None, start: int) -> list[str]:
    lines = []
    for number, uuid in enumerate(uuids):
        lines.append(line(uuid, parent=parent, sessionId=session, timestamp=at(start + number)))
        parent = uuid
    return lines


@pytest.fixture
def three(db: Path, project: Path) -> Iterator[sqlite3.Connection]:
    """A session, a second one that continues it, and a third one that forks it in the middle."""
    write(project / "s1.jsonl", *chain("abcdefg", "s1", None, 0))
    write(project / "s2.jsonl", *chain("hij", "s2", "g", 20))
    write(project / "s3.jsonl", *chain("klm", "s3", "e", 30))
    index(db, project)
    with reading(db) as connection:
        yield connection


def test_line_is_read_before_its_child_lines_in_time_order(three: sqlite3.Connection) -> None:
    tree = load_line_tree(three)
    assert [(line.line_id, depth) for line, depth, _ in tree.walk()] == [("s1", 0), ("s2", 1), ("s3", 1)]
    sessions = [Target("session", line.session_id) for line, _, _ in tree.walk()]
    read = [entry["uuid"] for session in sessions for entry in load_entries(three, session)]
    assert "".join(read) == "abcdefghijklm"


def test_inline_child_lines_are_read_where_they_start(three: sqlite3.Connection) -> None:
    read = [entry["uuid"] for entry in load_entries(three, Target("session", "s1"), ReadingOrder(inline=True))]
    assert "".join(read) == "abcdeklmfghij"


def test_path_follows_every_line_to_the_start_of_the_next(three: sqlite3.Connection) -> None:
    assert "".join(entry["uuid"] for entry in load_entries(three, Target("path", "path-m"))) == "abcdeklm"
    assert "".join(entry["uuid"] for entry in load_entries(three, Target("path", "path-j"))) == "abcdefghij"


def test_set_aside_entries_are_read_in_time_order(db: Path, project: Path) -> None:
    same = {"message": {"role": "user", "content": "once more"}, "timestamp": at(5)}
    write(
        project / "s1.jsonl",
        *chain("ab", "s1", None, 0),
        line("c", parent="b", **same),
        line("d", parent="c", timestamp=at(6)),
        line("e", parent="b", **same),
    )
    index(db, project)
    with reading(db) as connection:
        read = [(entry["uuid"], entry["set_aside"]) for entry in load_entries(connection, Target("line", "s1"))]
    assert read == [("a", None), ("b", None), ("c", None), ("e", "replay"), ("d", None)]


def test_reader_sees_a_consistent_snapshot(db: Path, project: Path) -> None:
    path = write(project / "s1.jsonl", *chain("abc", "s1", None, 0))
    index(db, project)
    with reading(db) as connection:
        read = load_entries(connection, Target("session", "s1"))
        assert next(read)["uuid"] == "a"
        write(path, *chain("xyz", "s1", None, 0))
        index(db, project)
        rebuild(db)
        assert "".join(entry["uuid"] for entry in read) == "bc"
