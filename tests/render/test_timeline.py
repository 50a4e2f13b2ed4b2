from datetime import UTC, datetime
from pathlib import Path

import pytest

from ccindex.query.timeline import TimelineBlock, TimelineEntry, load_timeline
from ccindex.render.tree import timeline_lines
from ccindex.secrets.masking import no_mask
from ccindex.store.connection import reading
from tests.making.example_indexes import make_hostile, make_world


def moment(at: datetime | int | None, **keys: object) -> TimelineEntry:
    ms = int(at.timestamp() * 1000) if isinstance(at, datetime) else at
    made = TimelineEntry(1, "12345678-9", ms, None, "prompt", "user", None, None, "s", "trunk", 1)
    return made._replace(**keys)  # type: ignore[arg-type]


def said(text: str) -> tuple[TimelineBlock, ...]:
    return (TimelineBlock("text", text, None, None, None),)


def drawn(*moments: TimelineEntry) -> list[str]:
    return list(timeline_lines((each._replace(blocks=said("hello")) for each in moments), mask=no_mask))


def march(day: int, hour: int, minute: int, second: int = 0) -> datetime:
    return datetime(2026, 3, day, hour, minute, second, tzinfo=UTC)


def test_a_day_is_told_when_it_changes() -> None:
    lines = drawn(moment(march(14, 23, 59, 59)), moment(march(15, 0, 0, 1)), moment(march(15, 0, 0, 2)), moment(None))
    assert [text for text in lines if text.startswith("==")] == [
        "== 2026-03-14 ==",
        "== 2026-03-15 ==",
        "== no time ==",
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
def test_a_gap_is_told_from_a_minute_on(seconds: int, gap: str) -> None:
    start = 1_773_400_000_000
    last = drawn(moment(start), moment(start + seconds * 1000))[-1]
    assert last[10:18].strip() == gap


def test_threads_kinds_and_marks() -> None:
    lines = drawn(
        moment(0, agent_id="agent-0123456789", kind="side", type="progress", subtype="hook_progress"),
        moment(0, kind="side", type="system"),
        moment(0, set_aside="replay", is_active=0),
        moment(0, is_active=0),
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
        ([TimelineBlock("tool_result", "x", None, None, 0)], "ok a tool: x"),
        ([TimelineBlock("thinking", "", None, None, None)], "(thinking)"),
        ([TimelineBlock("image", None, None, None, None)], "[image]"),
        ([*said("Look:"), TimelineBlock("tool_use", "{}", "Read", "/a", None)], "Look: · Read: /a"),
        (said("x" * 400), "x" * 99 + "…"),
        ([], ""),
    ],
)
def test_what_an_entry_says_in_a_few_words(parts: list[TimelineBlock], shown: str) -> None:
    assert list(timeline_lines([moment(0)._replace(blocks=tuple(parts))], mask=no_mask))[1][56:] == shown


def test_an_instant_that_no_calendar_has_is_shown_as_it_is() -> None:
    assert drawn(moment(10**17))[0] == "== 100000000000000000 =="


def test_a_session_and_its_agents_by_time(tmp_path: Path) -> None:
    with reading(make_world(tmp_path)) as connection:
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
        "== no time ==",
        "                    main      prompt          w6        say w6",
    ]


def test_nothing_recorded_breaks_a_line_or_drives_a_terminal(tmp_path: Path) -> None:
    db = make_hostile(tmp_path)
    with reading(db) as connection:
        [(session, count)] = connection.execute("select session_id, entry_count from v1_sessions").fetchall()
        lines = list(timeline_lines(load_timeline(connection, session), mask=no_mask))
    assert len(lines) == count + 1
    assert all(sign.isprintable() for text in lines for sign in text)
