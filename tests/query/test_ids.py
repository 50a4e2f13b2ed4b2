"""Ids as users type them: exact ids, prefixes, and the short ids of lines that tables show."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from ccindex.errors import AmbiguousPrefix, NothingNamed, OnlyNamed
from ccindex.query.ids import Target, resolve_entry, resolve_id, resolve_session
from ccindex.render.text import short_line
from ccindex.store.connection import reading
from tests.making.files import write
from tests.making.indexes import ask, broken, index
from tests.making.transcripts import agent_file, line

FIRST = "51ea40b0-7088-4482-b231-74d06cde3e3a"
SECOND = "dd78d3f8-0000-4000-8000-000000000000"
AGENT = "a618e9fa2cd669b2e"


def says(uuid: str, parent: str | None, second: int, session: str, **keys: object) -> str:
    return line(uuid, parent=parent, second=second, sessionId=session, **keys)


def rewound(session: str, *children: str, start: int = 0) -> list[str]:
    """A session with a branch for each child."""
    root = f"root-{session}"
    rows = [says(child, root, start + 1 + place, session) for place, child in enumerate(children)]
    return [says(root, None, start, session), *rows]


@pytest.fixture
def connection(db: Path, project: Path) -> Iterator[sqlite3.Connection]:
    write(project / "a.jsonl", *rewound(FIRST, "2cb4e296-51c2-46cc", "2cb9e296-51c2-46cc", "b4224606-8cbb-4eb5"))
    write(project / "b.jsonl", *rewound(SECOND, "11111111-1111", "22222222-2222"))
    inside: dict[str, object] = {"isSidechain": True, "agentId": AGENT}
    agent_file(
        project,
        AGENT,
        says("k1", None, 10, SECOND, **inside),
        says("k2k2k2k2-k2k2", "k1", 11, SECOND, **inside),
        says("k3k3k3k3-k3k3", "k1", 12, SECOND, **inside),
        session=SECOND,
    )
    other: dict[str, object] = {"isSidechain": True, "agentId": "a7"}
    agent_file(project, "a7", says("l1", None, 13, SECOND, **other), session=SECOND)
    index(db, project)
    assert broken(db) == {}
    with reading(db) as opened:
        yield opened


@pytest.mark.parametrize(
    ("wanted", "line_id"),
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
def test_each_part_of_a_lines_id_may_be_cut(connection: sqlite3.Connection, wanted: str, line_id: str) -> None:
    assert resolve_id(connection, wanted) == Target("line", line_id)


@pytest.mark.parametrize(
    ("wanted", "matches"),
    [
        ("51ea@2cb", [f"{FIRST}@2cb4e296-51c", f"{FIRST}@2cb9e296-51c"]),
        ("dd78#agent-a", [f"{SECOND}#agent-{AGENT}", f"{SECOND}#agent-a7"]),
        ("dd78#agent-a6@k", [f"{SECOND}#agent-{AGENT}@k2k2k2k2-k2k", f"{SECOND}#agent-{AGENT}@k3k3k3k3-k3k"]),
        ("dd78@", [f"{SECOND}@11111111-111", f"{SECOND}@22222222-222"]),
    ],
)
def test_what_leaves_a_doubt_lists_the_lines_there_are(
    connection: sqlite3.Connection, wanted: str, matches: list[str]
) -> None:
    with pytest.raises(AmbiguousPrefix) as caught:
        resolve_id(connection, wanted)
    assert str(caught.value).splitlines() == [
        f"several lines begin with {wanted!r}; name one of them:",
        *(f"  {match}" for match in matches),
    ]


@pytest.mark.parametrize(
    "wanted",
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
def test_what_no_line_is_called_names_nothing(connection: sqlite3.Connection, wanted: str) -> None:
    with pytest.raises(NothingNamed):
        resolve_id(connection, wanted)


def test_a_session_and_its_trunk_share_an_id_and_the_session_is_meant(connection: sqlite3.Connection) -> None:
    assert resolve_id(connection, "51ea") == Target("session", FIRST)


def test_many_matches_are_listed_as_far_as_ten(db: Path, project: Path) -> None:
    write(project / "a.jsonl", *rewound("session", *(f"child{number:02}" for number in range(15))))
    index(db, project)
    with reading(db) as connection, pytest.raises(AmbiguousPrefix) as caught:
        resolve_id(connection, "sess@child")
    told = str(caught.value).splitlines()
    assert (len(told), told[-1]) == (12, "  …")


def test_an_exact_id_wins_over_longer_ones_and_over_parts(db: Path, project: Path) -> None:
    write(project / "a.jsonl", *rewound("ab", "x1", "x2"))
    # sessions whose own ids look like those of lines
    write(project / "b.jsonl", says("v1", None, 20, "ab@x"), says("v2", None, 21, "a@x1"))
    write(project / "c.jsonl", says("w1", None, 22, "q#agent-z"), says("w2", None, 23, "q#agent-zz"))
    index(db, project)
    with reading(db) as connection:
        assert resolve_id(connection, "ab@x") == Target("session", "ab@x")
        assert resolve_id(connection, "a@x1") == Target("session", "a@x1")
        assert resolve_id(connection, "ab@x1") == Target("line", "ab@x1")
        assert resolve_id(connection, "q#agent-z") == Target("session", "q#agent-z")
        with pytest.raises(AmbiguousPrefix):
            resolve_id(connection, "q#")


def test_an_exact_id_of_any_kind_wins_over_the_beginning_of_another(db: Path, project: Path) -> None:
    write(project / "a.jsonl", *rewound("ab", "x1", "x2"))
    write(project / "b.jsonl", says("abc", None, 20, "ab@x1-and-more"), says("cd", None, 21, "cdef"))
    index(db, project)
    with reading(db) as connection:
        assert resolve_id(connection, "ab@x1") == Target("line", "ab@x1")
        assert resolve_id(connection, "cd") == Target("entry", "cd")
        assert resolve_id(connection, "cde") == Target("session", "cdef")


@pytest.mark.parametrize(
    "session", ["long-name-of-a-session@home", "long-name#agent-of-session", "@", "a@b@c", "#agent-x"]
)
def test_sessions_whose_ids_hold_the_signs_of_lines_have_lines_that_can_be_named(
    db: Path, project: Path, session: str
) -> None:
    write(project / "a.jsonl", *rewound(session, "child-number-one", "other-child-two"))
    index(db, project)
    with reading(db) as connection:
        for (line_id,) in ask(db, "select line_id from v1_lines"):
            assert resolve_id(connection, line_id).id == line_id
        assert resolve_id(connection, f"{session}@child") == Target("line", f"{session}@child-number")


def test_every_line_can_be_named_as_tables_show_it(connection: sqlite3.Connection) -> None:
    lines = [line_id for (line_id,) in connection.execute("select line_id from v1_lines").fetchall()]
    assert len(lines) == 11
    for line_id in lines:
        assert resolve_id(connection, short_line(line_id)).id == line_id


def test_a_branch_of_a_branch_can_be_named_as_tables_show_it(db: Path, project: Path) -> None:
    children = ["2cb4e296-51c2-46cc", "b4224606-8cbb-4eb5"]
    inner = [
        says(f"{name}-3333", children[1], 10 + place, FIRST) for place, name in enumerate(("11111111", "22222222"))
    ]
    write(project / "a.jsonl", *rewound(FIRST, *children), *inner)
    index(db, project)
    with reading(db) as connection:
        lines = [line_id for (line_id,) in ask(db, "select line_id from v1_lines")]
        assert f"{FIRST}@b4224606-8cb@11111111-333" in lines
        for line_id in lines:
            assert resolve_id(connection, short_line(line_id)).id == line_id


def test_a_branch_of_a_branch_can_be_named_by_all_its_parts(db: Path, project: Path) -> None:
    write(
        project / "a.jsonl",
        *rewound(FIRST, "aaaaaaaa-aaaa", "bbbbbbbb-bbbb"),
        says("cccccccc-cccc", "bbbbbbbb-bbbb", 10, FIRST),
        says("dddddddd-dddd", "bbbbbbbb-bbbb", 11, FIRST),
    )
    index(db, project)
    with reading(db) as connection:
        assert resolve_id(connection, "51ea@b@d") == Target("line", f"{FIRST}@bbbbbbbb-bbb@dddddddd-ddd")
        assert resolve_id(connection, "51ea@b") == Target("line", f"{FIRST}@bbbbbbbb-bbb")


def test_a_line_with_branches_of_its_own_is_named_as_the_tree_shows_it(db: Path, project: Path) -> None:
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
