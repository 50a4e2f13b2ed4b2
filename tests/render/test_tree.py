"""Trees of lines, trees of entries and timelines, formatted as text."""

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len

from ccindex.query.graph_queries import load_rows_with_blocks, load_tree
from ccindex.query.ids import Target
from ccindex.query.line_tree import LineTree, TreeLine, load_line_tree
from ccindex.query.timeline import TimelineBlock, TimelineEntry, load_timeline
from ccindex.query.titles import load_labelled_lines
from ccindex.render.tree import graph_tree_lines, timeline_lines, tree_lines
from ccindex.secrets.masking import mask, no_mask
from ccindex.store.connection import reading
from tests.making.example_indexes import make_example, make_hostile
from tests.making.files import write
from tests.making.indexes import index
from tests.making.transcripts import assistant, text_block, tool_result, tool_use, user

LONG = 50_000
AGENT: dict[str, Any] = {"isSidechain": True, "agentId": "a1b2"}


# Trees of entries


def prompt(uuid: str, parent: str | None, second: int, *content: str | dict[str, Any], **keys: Any) -> str:
    return user(uuid, second, *(content or [f"say {uuid}"]), parent=parent, **keys)


def reply(uuid: str, parent: str, second: int, *blocks: dict[str, Any], **keys: Any) -> str:
    return assistant(uuid, second, *(blocks or [text_block(uuid)]), parent=parent, **keys)


def call(name: str) -> dict[str, Any]:
    return tool_use(name, "Bash", command=f"run {name}")


def draw_tree(db: Path, target: Target, width: int | None = None, **files: Iterable[str]) -> list[str]:
    """Index files, passed as name=lines, and return the lines of the tree."""
    for name, lines in files.items():
        write(db.parent / "p" / "-w" / f"{name}.jsonl", *lines)
    index(db, db.parent / "p")
    with reading(db) as connection:
        rows = load_rows_with_blocks(connection, load_tree(connection, target))
        styled_lines = graph_tree_lines(rows, width=width, mask=mask)
        return ["".join(text for _, text in line.spans).rstrip() for line in styled_lines]


def test_branches_are_marked_and_single_children_are_not_indented(db: Path) -> None:
    assert draw_tree(
        db,
        Target("session", "s1"),
        s1=[
            *(prompt("u1", None, 1), reply("a1", "u1", 2)),
            *(prompt("u2", "a1", 3), reply("a2", "u2", 4)),
            *(prompt("u3", "a1", 5), reply("a3", "u3", 6), prompt("u4", "a3", 7), prompt("u5", "a3", 8)),
        ],
    ) == [
        "user       u1  say u1",
        "assistant  a1  a1",
        "├─ user       u2  say u2  [ABANDONED]",
        "│  assistant  a2  a2",
        "└─ user       u3  say u3  [ACTIVE]",
        "   assistant  a3  a3",
        "   ├─ user       u4  say u4  [ABANDONED]",
        "   └─ user       u5  say u5  [ACTIVE]",
    ]


def test_all_branches_below_an_abandoned_branch_are_abandoned(db: Path) -> None:
    text = draw_tree(
        db,
        Target("session", "s1"),
        s1=[
            prompt("u1", None, 1),
            prompt("u2", "u1", 2),
            prompt("u3", "u2", 3),
            prompt("u4", "u2", 4),
            prompt("u5", "u1", 5),
        ],
    )
    assert [line.split()[-1] for line in text[1:]] == ["[ABANDONED]"] * 3 + ["[ACTIVE]"]


def test_stitched_fork_has_no_marks_and_continues_at_the_same_indentation(db: Path) -> None:
    assert draw_tree(
        db,
        Target("session", "s1"),
        s1=[
            *(prompt("u1", None, 1), reply("a1", "u1", 2, call("t1"))),
            *(prompt("r1", "a1", 3, tool_result("t1", "fine")), reply("a2", "a1", 4, call("t2"))),
            *(prompt("r2", "a2", 5, tool_result("t2", "fine")), reply("a3", "r2", 6)),
        ],
    ) == [
        "user       u1  say u1",
        "assistant  a1  Bash: run t1",
        "├─ user       r1  ok Bash: fine",
        "assistant  a2  Bash: run t2",
        "user       r2  ok Bash: fine",
        "assistant  a3  a3",
    ]


def test_agents_other_sessions_replays_and_unusual_roots_are_noted(db: Path) -> None:
    s1 = [
        *(prompt("u1", None, 1), prompt("g1", "u1", 2, **AGENT), reply("g2", "g1", 3, **AGENT)),
        *(prompt("u2", "u1", 4, "again"), prompt("u3", "u1", 4, "again"), prompt("w1", "lost", 9)),
    ]
    s2 = [prompt("v1", "u2", 6, sessionId="s2")]
    assert draw_tree(db, Target("session", "s1"), s1=s1, s2=s2) == [
        "user       u1  say u1",
        "├─ user       g1  (agent a1b2) say g1",
        "│  assistant  g2  g2",
        "├─ user       u3  (set aside: replay) again",
        "user       u2  again",
        "",
        "user       w1  (orphan) say w1",
    ]
    assert draw_tree(db, Target("entry", "u2")) == ["user       u2  again", "└─ user       v1  (session s2) say v1"]


def test_secrets_are_masked_before_text_is_cut(db: Path) -> None:
    secret = "ghp_" + "aZ3x" * 9
    [text] = draw_tree(db, Target("session", "s1"), width=40, s1=[prompt("u1", None, 1, f"take {secret} please")])
    assert text == "user       u1  take ghp_… please"


@pytest.mark.parametrize("width", [40, 60, 120])
def test_entry_tree_fits_the_width(db: Path, width: int) -> None:
    nested = [prompt("g0", None, 0, type="x" * 300)]
    for at in range(1, 40):
        keys: dict[str, Any] = {"isSidechain": True, "agentId": "word-" * 20 + str(at)}
        nested += [prompt(f"g{at}", f"g{at - 1}", at, "漢字 " * 60, **keys), prompt(f"h{at}", f"g{at - 1}", at, **keys)]
    text = draw_tree(db, Target("session", "s1"), width, s1=nested)
    assert len(text) == 79
    assert max(map(cell_len, text)) <= width


@pytest.mark.parametrize("width", [None, 40, 80])
def test_long_chain_is_not_indented(db: Path, width: int | None) -> None:
    links = zip(range(LONG), [None, *range(LONG)], strict=False)
    chain = (prompt(f"u{at}", None if parent is None else f"u{parent}", 0) for at, parent in links)
    text = draw_tree(db, Target("session", "s1"), width, s1=chain)
    assert len(text) == LONG
    assert {line[:4] for line in text} == {"user"}


@pytest.mark.parametrize(("width", "max_width"), [(None, 200), (60, 60)])
def test_deep_nesting_is_shown_as_a_depth_number(db: Path, width: int | None, max_width: int) -> None:
    links = zip(range(1_500), [None, *range(1_500)], strict=False)
    nested = (
        prompt(f"g{at}", None if parent is None else f"g{parent}", 0, isSidechain=True, agentId=f"k{at}")
        for at, parent in links
    )
    text = draw_tree(db, Target("session", "s1"), width, s1=nested)
    assert len(text) == 1_500
    assert max(map(cell_len, text)) <= max_width
    assert text[-1].startswith("(1,498 deep)    └─ user       g1499")


# Trees of lines


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    """A connection to an empty index, which has no titles."""
    (tmp_path / "p").mkdir()
    index(tmp_path / "x.db", tmp_path / "p")
    with closing(sqlite3.connect(tmp_path / "x.db")) as connection:
        yield connection


def row(number: int, **keys: object) -> TreeLine:
    line = TreeLine(number, None, f"l{number}", 1, "s", "trunk", None, 2, 1, None, None, None, f"u{number}", None, None)
    return line._replace(**keys)  # type: ignore[arg-type]


def texts(connection: sqlite3.Connection, tree: LineTree, width: int | None = None) -> list[str]:
    lines = tree_lines(load_labelled_lines(connection, tree), width=width, mask=no_mask)
    return ["".join(text for _, text in line.spans) for line in lines]


def test_vertical_lines_end_at_the_last_child(empty: sqlite3.Connection) -> None:
    tree = LineTree({number: row(number) for number in range(1, 8)}, [1, 7], {1: [2, 4], 2: [3], 4: [5, 6]})
    assert [text.removesuffix("  2 entries") for text in texts(empty, tree)] == [
        "l1",
        "├─ l2",
        "│  └─ l3",
        "└─ l4",
        "   ├─ l5",
        "   └─ l6",
        "l7",
    ]


def test_tree_can_have_any_depth(empty: sqlite3.Connection) -> None:
    depth = 1_500
    tree = LineTree({n: row(n) for n in range(depth)}, [0], {n: [n + 1] for n in range(depth - 1)})
    assert len(texts(empty, tree)) == depth


def test_lines_show_where_they_start_and_whether_they_are_abandoned(tmp_path: Path) -> None:
    with reading(make_example(tmp_path)) as connection:
        shown = texts(connection, load_line_tree(connection, "main"))
    starts = ["main", "├─ main#agent-g1", "├─ main@p2", "└─ main@p3", "   └─ next"]
    assert all(text.startswith(f"{start}  ") for start, text in zip(starts, shown, strict=True))
    assert [text.endswith("abandoned") for text in shown] == [False, False, True, False, False]
    assert all(f"from {uuid}" in text for uuid, text in zip(("r1", "a2", "a2", "a4"), shown[1:], strict=True))


def test_control_characters_are_escaped_in_a_tree(tmp_path: Path) -> None:
    with reading(make_hostile(tmp_path)) as connection:
        tree = load_line_tree(connection)
        shown = texts(connection, tree, 80)
    assert len(shown) == len(tree.lines)
    assert all(character.isprintable() for text in shown for character in text)


# Timelines


def timeline_entry(at: datetime | int | None, **keys: object) -> TimelineEntry:
    ms = int(at.timestamp() * 1000) if isinstance(at, datetime) else at
    entry = TimelineEntry(1, "12345678-9", ms, None, "prompt", "user", None, None, "s", "trunk", 1)
    return entry._replace(**keys)  # type: ignore[arg-type]


def text_blocks(text: str) -> tuple[TimelineBlock, ...]:
    return (TimelineBlock("text", text, None, None, None),)


def timeline(*entries: TimelineEntry) -> list[str]:
    return list(timeline_lines((entry._replace(blocks=text_blocks("hello")) for entry in entries), mask=no_mask))


def march(day: int, hour: int, minute: int, second: int = 0) -> datetime:
    return datetime(2026, 3, day, hour, minute, second, tzinfo=UTC)


def test_every_day_has_a_heading() -> None:
    lines = timeline(
        timeline_entry(march(14, 23, 59, 59)),
        timeline_entry(march(15, 0, 0, 1)),
        timeline_entry(march(15, 0, 0, 2)),
        timeline_entry(None),
    )
    assert [text for text in lines if text.startswith("==")] == [
        "== 2026-03-14 ==",
        "== 2026-03-15 ==",
        "== no timestamp ==",
    ]
    assert lines[1] == "23:59:59            main      prompt          12345678  hello"
    assert lines[-1] == "                    main      prompt          12345678  hello"


@pytest.mark.parametrize(
    ("seconds", "gap"),
    [
        (0, ""),
        (59, ""),
        (60, "+1 min"),
        (3_599, "+59 min"),
        (3_600, "+1.0 h"),
        (86_399, "+24.0 h"),
        (129_600, "+1.5 d"),
    ],
)
def test_gap_of_at_least_a_minute_is_shown(seconds: int, gap: str) -> None:
    start = 1_773_400_000_000
    last = timeline(timeline_entry(start), timeline_entry(start + seconds * 1000))[-1]
    assert last[10:18].strip() == gap


def test_timeline_shows_thread_kind_and_marks() -> None:
    lines = timeline(
        timeline_entry(0, agent_id="agent-0123456789", kind="side", type="progress", subtype="hook_progress"),
        timeline_entry(0, kind="side", type="system"),
        timeline_entry(0, set_aside="replay", is_active=0),
        timeline_entry(0, is_active=0),
    )
    assert [text[20:] for text in lines[1:]] == [
        "agent-0123456789  hook_progress   12345678  hello",
        "main      system          12345678  hello",
        "main      prompt          12345678  [set aside: replay] hello",
        "main      prompt          12345678  [abandoned] hello",
    ]


@pytest.mark.parametrize(
    ("parts", "shown"),
    [
        ([TimelineBlock("tool_use", '{"command":"ls"}', "Bash", "ls  -l\n/tmp", None)], "Bash: ls -l /tmp"),
        ([TimelineBlock("tool_result", "all\nis well", "Bash", None, None)], "ok Bash: all is well"),
        ([TimelineBlock("tool_result", "", "Bash", None, 1)], "error Bash"),
        ([TimelineBlock("tool_result", "x", None, None, 0)], "ok unknown tool: x"),
        ([TimelineBlock("thinking", "", None, None, None)], "(thinking)"),
        ([TimelineBlock("image", None, None, None, None)], "[image]"),
        ([*text_blocks("Look:"), TimelineBlock("tool_use", "{}", "Read", "/a", None)], "Look: · Read: /a"),
        (text_blocks("x" * 400), "x" * 99 + "…"),
        ([], ""),
    ],
)
def test_entry_is_summarised_on_one_line(parts: list[TimelineBlock], shown: str) -> None:
    assert list(timeline_lines([timeline_entry(0)._replace(blocks=tuple(parts))], mask=no_mask))[1][56:] == shown


def test_time_outside_the_supported_range_is_shown_as_recorded() -> None:
    assert timeline(timeline_entry(10**17))[0] == "== 100000000000000000 =="


def test_timeline_contains_a_session_and_its_agents_in_time_order(tmp_path: Path) -> None:
    with reading(make_example(tmp_path)) as connection:
        shown = {name: list(timeline_lines(load_timeline(connection, name), mask=no_mask)) for name in ("main", "twin")}
    assert shown["main"] == [
        "== 2026-03-01 ==",
        "09:00:01            main      prompt          p1        say p1",
        "09:00:02            main      assistant       a1        Task: look around",
        "09:00:03            g1        prompt          q1        say q1",
        "09:00:04            g1        assistant       b1        reply b1",
        "09:00:05            main      result          r1        ok Task: all is well",
        "09:00:06            main      assistant       a2        reply a2",
        "09:00:07            main      prompt          p2        [abandoned] say p2",
        "09:00:08            main      assistant       a3        [abandoned] reply a3",
        "09:15:00  +14 min   main      prompt          p3        say p3",
        "09:15:01            main      assistant       a4        reply a4",
    ]
    assert shown["twin"][3:] == [
        "09:00:22            main      prompt          w2        again",
        "09:00:22            main      prompt          w4        [set aside: replay] again",
        "09:00:23            main      assistant       w3        reply w3",
        "09:00:24            main      assistant       w5        [set aside: replay] reply w5",
        "== no timestamp ==",
        "                    main      prompt          w6        say w6",
    ]


def test_control_characters_are_escaped_in_a_timeline(tmp_path: Path) -> None:
    db = make_hostile(tmp_path)
    with reading(db) as connection:
        [(session, count)] = connection.execute("select session_id, entry_count from v1_sessions").fetchall()
        lines = list(timeline_lines(load_timeline(connection, session), mask=no_mask))
    assert len(lines) == count + 1
    assert all(character.isprintable() for text in lines for character in text)
