"""One occurrence of an entry is elected its owner, and the views show the owner's content."""

from itertools import permutations
from pathlib import Path

import pytest

from tests.making.files import append, write
from tests.making.indexes import ask, broken, everything, index, one
from tests.making.transcripts import assistant, line, text_block, tool_use, user_message

EARLY, LATE = "2026-03-01T09:00:00.000Z", "2026-03-01T10:00:00.000Z"


def owner(db: Path, uuid: str) -> tuple[str, str, str | None, str]:
    [row] = ask(db, "select session_id, source_path, recorded_parent_uuid, text from v1_entries where uuid = ?", uuid)
    session, path, parent, text = row
    return session, Path(path).name, parent, text


def test_earliest_session_owns_a_copied_uuid_regardless_of_file_order(db: Path, project: Path) -> None:
    first = write(project / "z.jsonl", line("u1", sessionId="old", message=user_message("old"), timestamp=EARLY))
    second = write(
        project / "a.jsonl",
        line("u1", sessionId="new", message=user_message("new"), timestamp=LATE),
        line("u2", sessionId="new", timestamp=LATE),
    )
    for number, order in enumerate(permutations([first, second])):
        other_db = db.with_name(f"{number}.db")
        for path in order:
            index(other_db, path)
        assert owner(other_db, "u1") == ("old", "z.jsonl", None, "old")
        assert ask(other_db, "select session_id, is_owner from v1_occurrences where uuid = 'u1' order by 1") == [
            ("new", 0),
            ("old", 1),
        ]
        assert broken(other_db) == {}


def test_copies_with_equal_timestamps_belong_to_the_session_whose_own_entries_start_earliest(
    db: Path, project: Path
) -> None:
    # a fork rewrites sessionId in its copies and keeps the timestamps, so all timestamps are equal
    write(project / "a.jsonl", line("u1", sessionId="a"), line("u9", sessionId="a", timestamp=LATE))
    write(project / "b.jsonl", line("u1", sessionId="b"), line("u8", sessionId="b", timestamp="2026-03-01T09:30:00Z"))
    write(project / "c.jsonl", line("u1", sessionId="c"))
    index(db, project)
    assert owner(db, "u1")[0] == "b"


def test_copy_without_the_parent_is_not_the_owner(db: Path, project: Path) -> None:
    write(
        project / "a.jsonl",
        line("u2", message=user_message("bare")),
        line("u2", parent="u1", message=user_message("linked")),
    )
    index(db, project)
    assert owner(db, "u2") == ("s1", "a.jsonl", "u1", "linked")


def test_session_file_is_preferred_to_agent_files(db: Path, project: Path) -> None:
    write(project / "agent-x.jsonl", line("u1", message=user_message("agent")))
    write(project / "s1.jsonl", line("u1", message=user_message("session")))
    index(db, project)
    assert owner(db, "u1")[3] == "session"


def test_path_and_offset_break_ties(db: Path, project: Path) -> None:
    write(project / "b.jsonl", line("u1", message=user_message("b")))
    write(
        project / "a.jsonl",
        line("u0"),
        line("u1", message=user_message("first")),
        line("u1", message=user_message("second")),
    )
    index(db, project)
    assert owner(db, "u1")[3] == "first"


def test_all_views_show_the_content_of_the_owner(db: Path, project: Path) -> None:
    def call(name: str, timestamp: str) -> str:
        return assistant(
            "a1",
            0,
            tool_use(f"t-{name}", name),
            text_block(name),
            parent=f"p-{name}",
            sessionId=name,
            timestamp=timestamp,
            message={"id": f"m-{name}", "model": "x", "usage": {"output_tokens": 1}},
            forkedFrom={"messageUuid": f"f-{name}"},
        )

    write(project / "late.jsonl", call("late", LATE))
    index(db, project)
    first = one(db, "select revision from v1_entries where uuid = 'a1'")
    write(project / "early.jsonl", call("early", EARLY))
    index(db, project)
    assert owner(db, "a1") == ("early", "early.jsonl", "p-early", "{}\nearly")
    assert ask(db, "select tool_name, tool_use_id from v1_blocks where type = 'tool_use'") == [("early", "t-early")]
    assert ask(db, "select message_id from v1_messages") == [("m-early",)]
    assert ask(db, "select parent_uuid, kind, state from v1_edges order by kind") == [
        ("f-early", "forked_from", "ghost"),
        ("p-early", "parent", "ghost"),
    ]
    assert one(db, "select revision from v1_entries where uuid = 'a1'") > first
    assert broken(db) == {}


def test_session_with_a_new_earlier_entry_becomes_the_owner(db: Path, project: Path) -> None:
    write(project / "a.jsonl", line("u1", sessionId="a", timestamp=EARLY, message=user_message("a")))
    path = write(project / "b.jsonl", line("u1", sessionId="b", timestamp=LATE, message=user_message("b")))
    index(db, project)
    assert owner(db, "u1")[0] == "a"
    append(path, line("b0", sessionId="b", timestamp="2026-01-01T00:00:00Z") + "\n")
    index(db, project)
    assert owner(db, "u1")[0] == "b"


def test_ghost_becomes_an_entry_when_it_arrives(db: Path, project: Path) -> None:
    path = write(project / "s1.jsonl", line("u2", parent="u1"))
    index(db, project)
    assert ask(db, "select child_uuid, parent_uuid, state from v1_edges") == [("u2", "u1", "ghost")]
    assert ask(db, "select uuid, recorded_parent_uuid, parent_uuid from v1_entries") == [("u2", "u1", None)]
    append(path, line("u1") + "\n")
    index(db, project)
    assert ask(db, "select child_uuid, parent_uuid, state from v1_edges") == [("u2", "u1", "resolved")]
    assert one(db, "select parent_uuid from v1_entries where uuid = 'u2'") == "u1"
    assert broken(db) == {}


@pytest.mark.parametrize("cut", [0, 1, 2, 3])
def test_timestamps_and_sessions_are_inherited_from_the_nearest_object(db: Path, project: Path, cut: int) -> None:
    lines = [
        '{"type":"summary","summary":"x","leafUuid":"u1"}',
        line("u0", sessionId="", timestamp=None),
        line("u1", timestamp=LATE),
        line("u2", sessionId=7, timestamp="2026-03-20514T18:00:01.000Z"),
    ]
    path = write(project / "file.jsonl", *lines[:cut])
    index(db, project)
    append(path, "".join(text + "\n" for text in lines[cut:]))
    index(db, project)
    instant = 1_772_359_200_000
    assert ask(db, "select uuid, session_id, timestamp_ms, is_stamped from v1_occurrences order by line_no") == [
        (None, "s1", instant, 0),
        ("u0", "s1", instant, 0),
        ("u1", "s1", instant, 1),
        ("u2", "s1", instant, 0),
    ]
    assert ask(db, "select uuid, timestamp, timestamp_ms from v1_entries where uuid = 'u2'") == [
        ("u2", "2026-03-20514T18:00:01.000Z", instant)
    ]
    assert broken(db) == {}


def test_session_of_a_file_without_session_ids_is_named_after_the_file(db: Path, project: Path) -> None:
    write(project / "lonely.jsonl", line("l1", sessionId=None, timestamp=None))
    index(db, project)
    assert ask(db, "select session_id, timestamp, timestamp_ms from v1_entries") == [("lonely", None, 0)]


def test_session_comes_from_the_name_of_the_session_folder(db: Path, project: Path) -> None:
    write(
        project / "s7" / "subagents" / "agent-a.jsonl",
        line("g1", sessionId=None),
        line("g2", sessionId="other"),
        line("g3", sessionId=None),
    )
    index(db, project)
    assert ask(db, "select uuid, session_id from v1_entries order by 1") == [
        ("g1", "s7"),
        ("g2", "other"),
        ("g3", "s7"),
    ]


def test_ids_with_lone_surrogates_stay_distinct(db: Path, project: Path) -> None:
    lines = [line(f"u{end}").replace(end, code) for end, code in [("A", "\\ud83d"), ("B", "\\ud83e")]]
    write(project / "s1.jsonl", *lines)
    index(db, project)
    assert ask(db, "select uuid, text from v1_entries order by 1") == [
        ("u\\ud83d", "say u\ufffd"),
        ("u\\ud83e", "say u\ufffd"),
    ]


def test_file_order_does_not_affect_any_row(db: Path, project: Path) -> None:
    for number in range(4):
        stamps = (EARLY, LATE) if number % 2 else (LATE, EARLY)
        write(
            project / f"s{number}.jsonl",
            *(
                line(
                    f"u{n}",
                    parent=f"u{n - 1}" if n else None,
                    sessionId=f"s{number}",
                    timestamp=stamps[n % 2],
                    slug=str(number),
                )
                for n in range(number, 4)
            ),
        )
    paths = sorted(project.iterdir())
    index(db, project)
    expected = everything(db)
    for number, order in enumerate(permutations(paths)):
        if number % 5 == 0:
            other_db = db.with_name(f"{number}.db")
            for path in order:
                index(other_db, path)
            assert everything(other_db) == expected
