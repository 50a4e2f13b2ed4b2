"""Trees of lines and the order they are read in; what an id means; why an entry is where it is."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ccindex.errors import AmbiguousPrefix, NothingNamed, OnlyNamed
from ccindex.query.explain import explain
from ccindex.query.export import load_entries
from ccindex.query.ids import Target, resolve_entry, resolve_id, resolve_session
from ccindex.query.line_tree import load_line_tree
from ccindex.query.reading_order import ReadingOrder
from ccindex.store.connection import reading
from tests.making.files import write
from tests.making.indexes import index, rebuild
from tests.making.transcripts import assistant, at, line, tool_result, tool_use, user


def chain(uuids: str, session: str, parent: str | None, start: int) -> list[str]:
    lines = []
    for number, uuid in enumerate(uuids):
        lines.append(line(uuid, parent=parent, sessionId=session, timestamp=at(start + number)))
        parent = uuid
    return lines


@pytest.fixture
def three(db: Path, project: Path) -> Iterator[sqlite3.Connection]:
    """One session that a second continues from its end and a third forks from its middle."""
    write(project / "s1.jsonl", *chain("abcdefg", "s1", None, 0))
    write(project / "s2.jsonl", *chain("hij", "s2", "g", 20))
    write(project / "s3.jsonl", *chain("klm", "s3", "e", 30))
    index(db, project)
    with reading(db) as connection:
        yield connection


def test_a_line_is_read_whole_then_its_children_by_time(three: sqlite3.Connection) -> None:
    found = load_line_tree(three)
    assert [(line.line_id, depth) for line, depth, _ in found.walk()] == [("s1", 0), ("s2", 1), ("s3", 1)]
    sessions = [Target("session", line.session_id) for line, _, _ in found.walk()]
    read = [entry["uuid"] for session in sessions for entry in load_entries(three, session)]
    assert "".join(read) == "abcdefghijklm"


def test_inline_enters_a_child_where_it_leaves(three: sqlite3.Connection) -> None:
    read = [entry["uuid"] for entry in load_entries(three, Target("session", "s1"), ReadingOrder(inline=True))]
    assert "".join(read) == "abcdeklmfghij"


def test_a_path_follows_each_line_to_where_the_next_one_leaves(three: sqlite3.Connection) -> None:
    assert "".join(entry["uuid"] for entry in load_entries(three, Target("path", "path-m"))) == "abcdeklm"
    assert "".join(entry["uuid"] for entry in load_entries(three, Target("path", "path-j"))) == "abcdefghij"


def test_entries_that_were_set_aside_are_read_in_their_place_in_time(db: Path, project: Path) -> None:
    words = {"message": {"role": "user", "content": "once more"}, "timestamp": at(5)}
    write(
        project / "s1.jsonl",
        *chain("ab", "s1", None, 0),
        line("c", parent="b", **words),
        line("d", parent="c", timestamp=at(6)),
        line("e", parent="b", **words),
    )
    index(db, project)
    with reading(db) as connection:
        read = [(entry["uuid"], entry["set_aside"]) for entry in load_entries(connection, Target("line", "s1"))]
    assert read == [("a", None), ("b", None), ("c", None), ("e", "replay"), ("d", None)]


def test_an_exact_id_wins_and_a_prefix_must_leave_no_doubt(db: Path, project: Path) -> None:
    write(project / "x.jsonl", line("abc", sessionId="s1"), line("abcd", parent="ghost", sessionId="s11"))
    index(db, project)
    with reading(db) as connection:
        assert resolve_session(connection, "s1") == "s1"
        assert resolve_entry(connection, "abc") == "abc"
        assert resolve_id(connection, "s11") == Target("session", "s11")
        assert resolve_id(connection, "abcd") == Target("entry", "abcd")
        assert resolve_id(connection, "path-abcd") == Target("path", "path-abcd")
        with pytest.raises(AmbiguousPrefix, match="several entries begin with 'ab'; name one of them:\n  abc\n  abcd"):
            resolve_entry(connection, "ab")
        with pytest.raises(AmbiguousPrefix, match="several sessions begin with 's'"):
            resolve_id(connection, "s")
        with pytest.raises(NothingNamed, match="no session in this index begins with 'abc'"):
            resolve_session(connection, "abc")
        with pytest.raises(NothingNamed, match="no session, line, entry or path"):
            resolve_id(connection, "")
        with pytest.raises(OnlyNamed, match="no transcript holds 'ghost' yet; one entry names it"):
            resolve_entry(connection, "ghost")


def test_the_owner_of_a_copied_entry_is_explained_by_what_decided(db: Path, project: Path) -> None:
    later = {"sessionId": "s2", "timestamp": at(50)}
    write(project / "s1.jsonl", line("u1"))
    write(project / "s2.jsonl", line("u1", **later), line("u2", parent="u1", **later))
    index(db, project)
    with reading(db) as connection:
        told = explain(connection, "u1")
        assert [(copy.session_id, copy.is_owner, copy.same_bytes) for copy in told.occurrences] == [
            ("s1", 1, 1),
            ("s2", 0, 0),
        ]
        assert told.owned_because.endswith("its session is the earliest that claims the uuid")
        assert (told.line.line_id, told.line.position) == ("s1", 0)
        assert told.fork is None
        child = explain(connection, "u2")
    assert (child.owned_because, child.parent.reason) == ("it is the only copy", "as recorded")
    assert (child.parent.parent_uuid, child.parent.root_kind) == ("u1", "resume")


def test_a_fork_is_explained_with_all_its_children(db: Path, project: Path) -> None:
    write(
        project / "s1.jsonl",
        *chain("ab", "s1", None, 0),
        line("p", parent="b", type="progress", timestamp=at(5)),
        line("c", parent="b", timestamp=at(6)),
        line("d", parent="b", timestamp=at(7)),
    )
    index(db, project)
    with reading(db) as connection:
        told = explain(connection, "c")
        above = explain(connection, "b")
    assert told.fork is not None
    assert (told.fork.uuid, told.fork.rung, told.fork.name, told.fork.verdict) == ("b", 7, "rewind", "rewind")
    assert [(child.uuid, child.line_id, child.starts_line) for child in told.fork.children] == [
        ("p", "s1", 0),
        ("c", "s1@c", 1),
        ("d", "s1@d", 1),
    ]
    assert [ruled.uuid for ruled in above.rulings] == ["b"]
    assert above.fork is None


def test_among_agent_files_the_fullest_owns_and_a_helpers_comes_last(db: Path, project: Path) -> None:
    keys: dict[str, Any] = {"isSidechain": True, "agentId": "k"}
    folder = project / "s1" / "subagents"
    write(folder / "agent-a.jsonl", line("g1", timestamp=at(0), **keys))
    write(
        folder / "agent-b.jsonl", line("g1", timestamp=at(0), **keys), line("g2", parent="g1", timestamp=at(1), **keys)
    )
    many = [line(f"h{number}", timestamp=at(number + 2), **keys) for number in range(3)]
    write(folder / "agent-acompact-0.jsonl", line("g1", timestamp=at(0), **keys), *many)
    index(db, project)
    with reading(db) as connection:
        told = explain(connection, "g1")
    copies = [(Path(copy.source_path).stem, copy.is_owner, copy.is_helper_file) for copy in told.occurrences]
    assert copies == [("agent-b", 1, 0), ("agent-a", 0, 0), ("agent-acompact-0", 0, 1)]
    assert "holds the most entries" in told.owned_because


def test_an_entry_inlined_with_a_parallel_call_names_the_fork_that_did_it(db: Path, project: Path) -> None:
    write(
        project / "s1.jsonl",
        assistant("a", 0, tool_use("t0", "Bash")),
        assistant("g", 1, tool_use("t1", "Bash"), parent="a"),
        assistant("g2", 2, tool_use("t2", "Task"), parent="g"),
        user("u", 3, tool_result("t0"), parent="a"),
        line("v", parent="u", second=4),
    )
    index(db, project)
    with reading(db) as connection:
        told = explain(connection, "g2")
    assert told.fork is not None
    assert (told.fork.uuid, told.fork.name, told.line.position) == ("a", "parallel_calls", 2)


def test_what_one_command_says_is_true_of_one_moment(db: Path, project: Path) -> None:
    path = write(project / "s1.jsonl", *chain("abc", "s1", None, 0))
    index(db, project)
    with reading(db) as connection:
        read = load_entries(connection, Target("session", "s1"))
        assert next(read)["uuid"] == "a"
        write(path, *chain("xyz", "s1", None, 0))
        index(db, project)
        rebuild(db)
        assert "".join(entry["uuid"] for entry in read) == "bc"
