"""Resolving exact ids, prefixes, and the short line ids that tables show."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from ccindex.errors import AmbiguousPrefix, GhostEntry, NoSuchId
from ccindex.query.ids import Target, resolve_entry, resolve_id, resolve_session
from ccindex.render.text import short_line
from ccindex.store.connection import reading
from tests.making.files import write
from tests.making.indexes import ask, broken, index
from tests.making.transcripts import agent_file, line

FIRST = "51ea40b0-7088-4482-b231-74d06cde3e3a"
SECOND = "dd78d3f8-0000-4000-8000-000000000000"
AGENT = "a618e9fa2cd669b2e"


def entry_line(uuid: str, parent: str | None, second: int, session: str, **keys: object) -> str:
    return line(uuid, parent=parent, second=second, sessionId=session, **keys)


def branched(session: str, *children: str, start: int = 0) -> list[str]:
    """Return the lines of a session with one branch per child."""
    root = f"root-{session}"
    rows = [entry_line(child, root, start + 1 + index, session) for index, child in enumerate(children)]
    return [entry_line(root, None, start, session), *rows]


@pytest.fixture
def connection(db: Path, project: Path) -> Iterator[sqlite3.Connection]:
    write(project / "a.jsonl", *branched(FIRST, "2cb4e296-51c2-46cc", "2cb9e296-51c2-46cc", "b4224606-8cbb-4eb5"))
    write(project / "b.jsonl", *branched(SECOND, "11111111-1111", "22222222-2222"))
    inside: dict[str, object] = {"isSidechain": True, "agentId": AGENT}
    agent_file(
        project,
        AGENT,
        entry_line("k1", None, 10, SECOND, **inside),
        entry_line("k2k2k2k2-k2k2", "k1", 11, SECOND, **inside),
        entry_line("k3k3k3k3-k3k3", "k1", 12, SECOND, **inside),
        session=SECOND,
    )
    other: dict[str, object] = {"isSidechain": True, "agentId": "a7"}
    agent_file(project, "a7", entry_line("l1", None, 13, SECOND, **other), session=SECOND)
    index(db, project)
    assert broken(db) == {}
    with reading(db) as opened:
        yield opened


@pytest.mark.parametrize(
    ("prefix", "line_id"),
    [
        ("51ea40b0@2cb4e296", f"{FIRST}@2cb4e296-51c"),
        ("51ea@2cb4", f"{FIRST}@2cb4e296-51c"),
        ("5@b", f"{FIRST}@b4224606-8cb"),
        (f"{FIRST}@2cb4", f"{FIRST}@2cb4e296-51c"),
        (f"{FIRST}@2cb4e296-51c", f"{FIRST}@2cb4e296-51c"),
        ("dd78#agent-a6", f"{SECOND}#agent-{AGENT}"),
        ("dd78#agent-a7", f"{SECOND}#agent-a7"),
        ("dd78d3f8#agent-a618e9fa@k2k2k2k2", f"{SECOND}#agent-{AGENT}@k2k2k2k2-k2k"),
        ("d#agent-a6@k3", f"{SECOND}#agent-{AGENT}@k3k3k3k3-k3k"),
    ],
)
def test_every_part_of_a_line_id_can_be_a_prefix(connection: sqlite3.Connection, prefix: str, line_id: str) -> None:
    assert resolve_id(connection, prefix) == Target("line", line_id)


@pytest.mark.parametrize(
    ("prefix", "matches"),
    [
        ("51ea@2cb", [f"{FIRST}@2cb4e296-51c", f"{FIRST}@2cb9e296-51c"]),
        ("dd78#agent-a", [f"{SECOND}#agent-{AGENT}", f"{SECOND}#agent-a7"]),
        ("dd78#agent-a6@k", [f"{SECOND}#agent-{AGENT}@k2k2k2k2-k2k", f"{SECOND}#agent-{AGENT}@k3k3k3k3-k3k"]),
        ("dd78@", [f"{SECOND}@11111111-111", f"{SECOND}@22222222-222"]),
    ],
)
def test_ambiguous_prefix_lists_the_matching_lines(
    connection: sqlite3.Connection, prefix: str, matches: list[str]
) -> None:
    with pytest.raises(AmbiguousPrefix) as caught:
        resolve_id(connection, prefix)
    assert str(caught.value).splitlines() == [
        f"several lines have ids starting with {prefix!r}; specify one of them:",
        *(f"  {match}" for match in matches),
    ]


@pytest.mark.parametrize(
    "prefix",
    [
        "51ea@zz",
        "zz@2cb4",
        "51ea@2cb4@x",
        "@2cb4",
        "#agent-a6",
        "dd78#agent-x",
        "dd78@a6",
        "51ea#2cb4",
        "51ea@2CB4",
        "%@2",
    ],
)
def test_prefix_that_matches_no_line_is_an_error(connection: sqlite3.Connection, prefix: str) -> None:
    with pytest.raises(NoSuchId):
        resolve_id(connection, prefix)


def test_id_shared_by_session_and_trunk_resolves_to_the_session(connection: sqlite3.Connection) -> None:
    assert resolve_id(connection, "51ea") == Target("session", FIRST)


def test_at_most_ten_matches_are_listed(db: Path, project: Path) -> None:
    write(project / "a.jsonl", *branched("session", *(f"child{number:02}" for number in range(15))))
    index(db, project)
    with reading(db) as connection, pytest.raises(AmbiguousPrefix) as caught:
        resolve_id(connection, "sess@child")
    lines = str(caught.value).splitlines()
    assert (len(lines), lines[-1]) == (12, "  …")


def test_exact_id_wins_over_longer_ids_and_over_parts(db: Path, project: Path) -> None:
    write(project / "a.jsonl", *branched("ab", "x1", "x2"))
    # sessions whose ids look like line ids
    write(project / "b.jsonl", entry_line("v1", None, 20, "ab@x"), entry_line("v2", None, 21, "a@x1"))
    write(project / "c.jsonl", entry_line("w1", None, 22, "q#agent-z"), entry_line("w2", None, 23, "q#agent-zz"))
    index(db, project)
    with reading(db) as connection:
        assert resolve_id(connection, "ab@x") == Target("session", "ab@x")
        assert resolve_id(connection, "a@x1") == Target("session", "a@x1")
        assert resolve_id(connection, "ab@x1") == Target("line", "ab@x1")
        assert resolve_id(connection, "q#agent-z") == Target("session", "q#agent-z")
        with pytest.raises(AmbiguousPrefix):
            resolve_id(connection, "q#")


def test_exact_id_of_any_kind_wins_over_a_prefix_of_another(db: Path, project: Path) -> None:
    write(project / "a.jsonl", *branched("ab", "x1", "x2"))
    write(project / "b.jsonl", entry_line("abc", None, 20, "ab@x1-and-more"), entry_line("cd", None, 21, "cdef"))
    index(db, project)
    with reading(db) as connection:
        assert resolve_id(connection, "ab@x1") == Target("line", "ab@x1")
        assert resolve_id(connection, "cd") == Target("entry", "cd")
        assert resolve_id(connection, "cde") == Target("session", "cdef")


@pytest.mark.parametrize(
    "session", ["long-name-of-a-session@home", "long-name#agent-of-session", "@", "a@b@c", "#agent-x"]
)
def test_lines_resolve_even_if_the_session_id_contains_separators(db: Path, project: Path, session: str) -> None:
    write(project / "a.jsonl", *branched(session, "child-number-one", "other-child-two"))
    index(db, project)
    with reading(db) as connection:
        for (line_id,) in ask(db, "select line_id from v1_lines"):
            assert resolve_id(connection, line_id).id == line_id
        assert resolve_id(connection, f"{session}@child") == Target("line", f"{session}@child-number")


def test_every_line_resolves_by_its_short_id(connection: sqlite3.Connection) -> None:
    lines = [line_id for (line_id,) in connection.execute("select line_id from v1_lines").fetchall()]
    assert len(lines) == 11
    for line_id in lines:
        assert resolve_id(connection, short_line(line_id)).id == line_id


def test_nested_branch_resolves_by_its_short_id(db: Path, project: Path) -> None:
    children = ["2cb4e296-51c2-46cc", "b4224606-8cbb-4eb5"]
    inner = [
        entry_line(f"{name}-3333", children[1], 10 + index, FIRST)
        for index, name in enumerate(("11111111", "22222222"))
    ]
    write(project / "a.jsonl", *branched(FIRST, *children), *inner)
    index(db, project)
    with reading(db) as connection:
        lines = [line_id for (line_id,) in ask(db, "select line_id from v1_lines")]
        assert f"{FIRST}@b4224606-8cb@11111111-333" in lines
        for line_id in lines:
            assert resolve_id(connection, short_line(line_id)).id == line_id


def test_nested_branch_resolves_by_all_its_parts(db: Path, project: Path) -> None:
    write(
        project / "a.jsonl",
        *branched(FIRST, "aaaaaaaa-aaaa", "bbbbbbbb-bbbb"),
        entry_line("cccccccc-cccc", "bbbbbbbb-bbbb", 10, FIRST),
        entry_line("dddddddd-dddd", "bbbbbbbb-bbbb", 11, FIRST),
    )
    index(db, project)
    with reading(db) as connection:
        assert resolve_id(connection, "51ea@b@d") == Target("line", f"{FIRST}@bbbbbbbb-bbb@dddddddd-ddd")
        assert resolve_id(connection, "51ea@b") == Target("line", f"{FIRST}@bbbbbbbb-bbb")


def test_line_with_branches_resolves_by_the_id_in_the_tree(db: Path, project: Path) -> None:
    write(
        project / "s1.jsonl",
        line("u1", sessionId="deep-session", timestamp="2026-03-01T09:00:00.000Z"),
        *(
            line(
                f"{name}-{level}-abcdefgh",
                parent=parent,
                sessionId="deep-session",
                timestamp=f"2026-03-01T09:0{at}:00Z",
            )
            for name, level, parent, at in (
                ("left", 1, "u1", 1),
                ("rite", 1, "u1", 2),
                ("left", 2, "rite-1-abcdefgh", 3),
                ("rite", 2, "rite-1-abcdefgh", 4),
            )
        ),
    )
    index(db, project)
    with reading(db) as connection:
        lines = [line_id for (line_id,) in connection.execute("select line_id from v1_lines order by 1")]
        assert len(lines) == 5
        for line_id in lines[1:]:
            assert resolve_id(connection, short_line(line_id)) == Target("line", line_id)


def test_exact_id_wins_and_prefix_must_be_unambiguous(db: Path, project: Path) -> None:
    write(project / "x.jsonl", line("abc", sessionId="s1"), line("abcd", parent="ghost", sessionId="s11"))
    index(db, project)
    with reading(db) as connection:
        assert resolve_session(connection, "s1") == "s1"
        assert resolve_entry(connection, "abc") == "abc"
        assert resolve_id(connection, "s11") == Target("session", "s11")
        assert resolve_id(connection, "abcd") == Target("entry", "abcd")
        assert resolve_id(connection, "path-abcd") == Target("path", "path-abcd")
        message = "several entries have ids starting with 'ab'; specify one of them:\n  abc\n  abcd"
        with pytest.raises(AmbiguousPrefix, match=message):
            resolve_entry(connection, "ab")
        with pytest.raises(AmbiguousPrefix, match="several sessions have ids starting with 's'"):
            resolve_id(connection, "s")
        with pytest.raises(NoSuchId, match="no session in this index has an id starting with 'abc'"):
            resolve_session(connection, "abc")
        with pytest.raises(NoSuchId, match="no session, line, entry or path"):
            resolve_id(connection, "")
        with pytest.raises(GhostEntry, match="no indexed transcript contains 'ghost'; one entry refers to it"):
            resolve_entry(connection, "ghost")
