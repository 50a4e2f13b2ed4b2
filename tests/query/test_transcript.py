"""Transcripts show every entry once, results with their calls, and lines where they start."""

import json
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from ccindex.query.export import load_entries
from ccindex.query.ids import Target
from ccindex.query.reading_order import AgentPlacement, ReadingOrder
from ccindex.query.transcript import (
    CONVERSATION_KINDS,
    ContentBlock,
    HiddenEntries,
    LineExit,
    LineStart,
    MoreExits,
    TranscriptEntry,
    TranscriptItem,
    load_transcript,
)
from ccindex.render.phrases import speaker
from ccindex.store.connection import reading
from tests.making.files import write, write_all
from tests.making.hypothesis_settings import examples
from tests.making.indexes import ask, broken, index, one
from tests.making.transcripts import agent_file, assistant, at, line, progress, text_block, tool_result, tool_use, user
from tests.reference.random_projects import projects

S1 = Target("session", "s1")
SKIPPED, AFTER, INSIDE = (
    ReadingOrder(AgentPlacement.SKIPPED),
    ReadingOrder(AgentPlacement.AFTER),
    ReadingOrder(AgentPlacement.INSIDE),
)
INLINE = ReadingOrder(inline=True)
ORDERS = [SKIPPED, AFTER, INSIDE, INLINE]
DEEP = 2_000


def of_agent(agent_id: str, **keys: Any) -> dict[str, Any]:
    return {"isSidechain": True, "agentId": agent_id, **keys}


def load_items(
    db: Path, target: Target = S1, order: ReadingOrder = SKIPPED, *, everything: bool = False
) -> list[TranscriptItem]:
    with reading(db) as connection:
        return list(load_transcript(connection, target, order, everything=everything))


def outline(db: Path, target: Target = S1, order: ReadingOrder = SKIPPED, *, everything: bool = False) -> list[str]:
    """Return every item in short form: `== line`, a uuid, `-> line` or `left out: n`, after one bar per level."""
    return [_short(item) for item in load_items(db, target, order, everything=everything)]


def _short(item: TranscriptItem) -> str:
    if isinstance(item, HiddenEntries):
        return f"left out: {item.count}"
    if isinstance(item, MoreExits):
        return f"{item.count} more"
    bars = "| " * item.depth
    if isinstance(item, LineStart):
        return f"{bars}== {item.line.line_id}{' again' if item.is_return else ''}"
    if isinstance(item, LineExit):
        return f"{bars}-> {item.line.line_id} {item.kind}"
    return f"{bars}{item.uuid}{f' ({item.set_aside})' if item.set_aside else ''}"


def find_entry(db: Path, uuid: str, target: Target = S1, order: ReadingOrder = SKIPPED) -> TranscriptEntry:
    [found] = [
        item
        for item in load_items(db, target, order, everything=True)
        if isinstance(item, TranscriptEntry) and item.uuid == uuid
    ]
    return found


def answers(db: Path, uuid: str, target: Target = S1, order: ReadingOrder = SKIPPED) -> list[str | None]:
    """Return the text of the results of the given entry's calls."""
    return [
        part.result and part.result.text
        for part in find_entry(db, uuid, target, order).blocks
        if part.type == "tool_use"
    ]


def texts(parts: tuple[ContentBlock, ...]) -> list[str | None]:
    return [part.text for part in parts]


@pytest.fixture
def rewound(db: Path, project: Path) -> Path:
    """A session with nested agents and two branches. Session s2 continues it, and s3 forks it."""
    write(
        project / "s1.jsonl",
        user("u1", 0, "go"),
        assistant("a1", 1, tool_use("t1", "Task", subagent_type="scout", prompt="look"), parent="u1"),
        user("r1", 20, tool_result("t1", "all is well"), parent="a1", toolUseResult={"agentId": "g1"}),
        assistant("a2", 21, text_block("done"), parent="r1"),
        user("p2", 22, "left", parent="a2"),
        assistant("a3", 23, text_block("so be it"), parent="p2"),
        user("p3", 24, "right", parent="a2"),
        assistant("a4", 25, text_block("better"), parent="p3"),
    )
    inner = tool_use("t2", "Task", subagent_type="digger", prompt="dig")
    agent_file(
        project,
        "g1",
        user("k1", 2, "look", **of_agent("g1")),
        assistant("k2", 3, inner, parent="k1", **of_agent("g1")),
        user("k3", 10, tool_result("t2", "dug"), parent="k2", toolUseResult={"agentId": "g2"}, **of_agent("g1")),
        assistant("k4", 11, text_block("all is well"), parent="k3", **of_agent("g1")),
    )
    agent_file(
        project,
        "g2",
        user("l1", 4, "dig", **of_agent("g2")),
        assistant("l2", 5, text_block("dug"), parent="l1", **of_agent("g2")),
    )
    write(project / "s2.jsonl", user("n1", 40, "more", parent="a4", sessionId="s2"))
    write(project / "s3.jsonl", user("f1", 50, "else", parent="p3", sessionId="s3"))
    index(db, project)
    assert broken(db) == {}
    return db


def test_skipped_agents_are_announced_where_they_start(rewound: Path) -> None:
    assert outline(rewound, order=SKIPPED) == [
        "== s1",
        "u1",
        "a1",
        "-> s1#agent-g1 agent",
        "a2",
        "-> s1@p2 rewind",
        "-> s1@p3 rewind",
        "== s1@p2",
        "p2",
        "a3",
        "== s1@p3",
        "p3",
        "-> s3 fork",
        "a4",
        "-> s2 resume",
    ]


def test_agents_are_shown_after_the_line_that_called_them(rewound: Path) -> None:
    assert outline(rewound, order=AFTER)[7:14] == [
        "== s1#agent-g1",
        "k1",
        "k2",
        "-> s1#agent-g2 agent",
        "k4",
        "== s1#agent-g2",
        "l1",
    ]


def test_agents_are_shown_inside_the_line_that_called_them(rewound: Path) -> None:
    assert outline(rewound, order=INSIDE)[:16] == [
        "== s1",
        "u1",
        "a1",
        "| == s1#agent-g1",
        "| k1",
        "| k2",
        "| | == s1#agent-g2",
        "| | l1",
        "| | l2",
        "| == s1#agent-g1 again",
        "| k4",
        "== s1 again",
        "a2",
        "-> s1@p2 rewind",
        "-> s1@p3 rewind",
        "== s1@p2",
    ]


def test_agents_called_by_one_entry_are_shown_there_in_time_order(db: Path, project: Path) -> None:
    write(
        project / "s1.jsonl",
        user("u1", 0, "go"),
        assistant("a1", 1, tool_use("t1", "Task"), tool_use("t2", "Task"), tool_use("t3", "Task"), parent="u1"),
        user("r1", 20, tool_result("t1"), tool_result("t2"), tool_result("t3"), parent="a1"),
        assistant("a2", 21, text_block("done"), parent="r1"),
    )
    for agent_id, second, tool in (("g3", 5, "t3"), ("g1", 4, "t1"), ("g2", 3, "t2")):
        opening = user(f"k-{agent_id}", second, "look", **of_agent(agent_id))
        agent_file(project, agent_id, opening, sidecar={"agentType": "scout", "toolUseId": tool})
    index(db, project)
    assert ask(db, "select distinct spawn_uuid from v1_agents") == [("r1",)]
    found = [item for item in outline(db, order=INSIDE) if "==" not in item]
    assert found == ["u1", "a1", "| k-g2", "| k-g1", "| k-g3", "a2"]
    assert outline(db, order=INLINE) == outline(db, order=INSIDE)
    assert [item for item in outline(db) if "->" in item] == [
        f"-> s1#agent-{name} agent" for name in ("g2", "g1", "g3")
    ]


def test_inline_shows_all_lines_including_those_of_other_sessions(rewound: Path) -> None:
    found = outline(rewound, order=INLINE)
    assert not [item for item in found if "->" in item]
    assert found[-9:] == [
        "| a3",
        "| == s1@p3",
        "| p3",
        "| | == s3",
        "| | f1",
        "| == s1@p3 again",
        "| a4",
        "| | == s2",
        "| | n1",
    ]


def test_requested_agent_is_shown_even_if_agents_are_skipped(rewound: Path) -> None:
    target = Target("line", "s1#agent-g1")
    assert outline(rewound, target, SKIPPED) == ["== s1#agent-g1", "k1", "k2", "-> s1#agent-g2 agent", "k4"]
    assert outline(rewound, target, AFTER) == outline(rewound, target, SKIPPED)
    assert outline(rewound, target, INSIDE)[3:6] == ["| == s1#agent-g2", "| l1", "| l2"]
    assert outline(rewound, target, INLINE) == outline(rewound, target, INSIDE)


def test_path_follows_its_lines_and_shows_or_announces_agents(rewound: Path) -> None:
    found = outline(rewound, Target("path", "path-a3"), SKIPPED)
    assert found == [
        "== s1",
        "u1",
        "a1",
        "-> s1#agent-g1 agent",
        "a2",
        "-> s1@p2 rewind",
        "-> s1@p3 rewind",
        "== s1@p2",
        "p2",
        "a3",
    ]
    assert outline(rewound, Target("path", "path-a3"), AFTER) == found
    inside = outline(rewound, Target("path", "path-a3"), INSIDE)
    assert inside[3] == "| == s1#agent-g1"
    assert inside[-5:] == found[-5:]


def test_inline_path_shows_or_announces_agents_and_branches(rewound: Path) -> None:
    found = outline(rewound, Target("path", "path-a3"), INLINE)
    assert [item for item in found if "s1#agent-g1" in item]
    assert [item for item in found if "s1@p3" in item]


def test_single_entry_is_shown_with_all_blocks_and_exits(rewound: Path) -> None:
    for order in ORDERS:
        assert outline(rewound, Target("entry", "r1"), order) == ["r1", "-> s1#agent-g1 agent"]
        assert outline(rewound, Target("entry", "a2"), order) == ["a2", "-> s1@p2 rewind", "-> s1@p3 rewind"]
    assert texts(find_entry(rewound, "r1", Target("entry", "r1")).blocks) == ["all is well"]
    assert answers(rewound, "a1", Target("entry", "a1")) == ["all is well"]


def test_line_attached_to_a_result_that_is_shown_with_its_call_is_announced(rewound: Path) -> None:
    found = load_items(rewound)
    assert "r1" not in outline(rewound)
    [agent] = [item for item in found if isinstance(item, LineExit) and item.kind == "agent"]
    assert (agent.line.first_uuid, agent.agent and agent.agent.name) == ("k1", "scout")
    assert one(rewound, "select attachment_uuid from v1_lines where line_id = 's1#agent-g1'") == "r1"


def test_every_junction_is_announced_once_with_its_kind(rewound: Path) -> None:
    found = [
        (item.line.line_id, item.kind)
        for session in ("s1", "s2", "s3")
        for item in load_items(rewound, Target("session", session), AFTER)
        if isinstance(item, LineExit)
    ]
    assert sorted(found) == sorted(ask(rewound, "select target_line_id, kind from v1_junctions"))


def test_line_start_refers_to_the_line_it_continues(rewound: Path) -> None:
    for session, relation, at_uuid in (("s2", "continues", "a4"), ("s3", "forks", "p3")):
        [begins] = [item for item in load_items(rewound, Target("session", session)) if isinstance(item, LineStart)]
        assert (begins.line.relation, begins.line.parent_session_id, begins.line.attachment_uuid) == (
            relation,
            "s1",
            at_uuid,
        )


def test_prompts_of_agents_are_attributed_to_their_callers(rewound: Path) -> None:
    who = {item.uuid: speaker(item) for item in load_items(rewound, order=INSIDE) if isinstance(item, TranscriptEntry)}
    assert who == {
        "u1": "You",
        "a1": "Claude",
        "k1": "Claude",
        "k2": "Agent scout",
        "l1": "Agent scout",
        "l2": "Agent digger",
        "k4": "Agent scout",
        "a2": "Claude",
        "p2": "You",
        "a3": "Claude",
        "p3": "You",
        "a4": "Claude",
    }


def test_entry_outside_the_conversation_is_counted_and_its_exits_are_announced(db: Path, project: Path) -> None:
    write(
        project / "s1.jsonl",
        user("u1", 0, "go"),
        assistant("a1", 1, tool_use("t1", "Task", prompt="look"), parent="u1"),
        progress("p1", 2, "g1", "t1", parent="a1"),
        user("x1", 9, "left", parent="p1"),
        user("x2", 10, "right", parent="p1"),
    )
    index(db, project)
    assert outline(db) == [
        "== s1",
        "u1",
        "a1",
        "-> s1@x1 rewind",
        "-> s1@x2 rewind",
        "== s1@x1",
        "x1",
        "== s1@x2",
        "x2",
        "left out: 1",
    ]
    assert outline(db, everything=True)[3] == "p1"
    assert "left out" not in " ".join(outline(db, everything=True))
    assert outline(db, Target("entry", "p1"))[0] == "p1"


def test_session_that_starts_inside_this_one_is_announced(db: Path, project: Path) -> None:
    write(project / "s1.jsonl", user("u1", 0, "go"), assistant("a1", 1, text_block("on"), parent="u1"))
    write(
        project / "s2.jsonl",
        user("x1", 2, "new", sessionId="s2"),
        user("x2", 3, "as there", parent="a1", sessionId="s2"),
    )
    index(db, project)
    assert ask(db, "select uuid, target_line_id, kind from v1_junctions") == [("a1", "s2", "resume")]
    assert outline(db) == ["== s1", "u1", "a1", "-> s2 resume"]


def test_late_result_is_shown_with_its_call(db: Path, project: Path) -> None:
    write(
        project / "s1.jsonl",
        user("u1", 0, "go"),
        assistant("a1", 1, tool_use("t1", "Bash"), parent="u1"),
        assistant("a2", 2, text_block("meanwhile"), parent="a1"),
        user("r1", 61, tool_result("t1", "late", is_error=True), parent="a2"),
    )
    index(db, project)
    assert one(db, "select delayed from v1_tool_pairs") == 1
    assert outline(db) == ["== s1", "u1", "a1", "a2"]
    [call] = find_entry(db, "a1").blocks
    assert call.result is not None
    assert (call.result.text, call.result.outcome, call.result.duration_ms) == ("late", "error", 60_000)


def test_parallel_calls_have_their_own_results(db: Path, project: Path) -> None:
    write(
        project / "s1.jsonl",
        user("u1", 0, "go"),
        assistant("a1", 1, tool_use("t1", "Bash"), tool_use("t2", "Read"), tool_use("t3", "LS"), parent="u1"),
        user("r2", 2, tool_result("t2", "two"), parent="a1"),
        user("r1", 3, tool_result("t1", "one"), tool_result("t9", "who asked?"), parent="r2"),
    )
    index(db, project)
    assert answers(db, "a1") == ["one", "two", None]
    assert outline(db) == ["== s1", "u1", "a1", "r1"]
    assert texts(find_entry(db, "r1").blocks) == ["who asked?"]


def test_result_on_a_branch_is_shown_with_its_call_on_the_line(db: Path, project: Path) -> None:
    write(
        project / "s1.jsonl",
        user("u1", 0, "go"),
        assistant("a1", 1, tool_use("t1", "Bash"), parent="u1"),
        user("r1", 2, tool_result("t1", "one"), parent="a1"),
        assistant("a2", 3, text_block("seen"), parent="r1"),
        user("p1", 4, "not that", parent="a1"),
        assistant("a3", 5, text_block("well"), parent="p1"),
    )
    index(db, project)
    lines = dict(ask(db, "select uuid, line_id from v1_entries"))
    assert lines["r1"] != lines["a1"]
    assert answers(db, "a1") == ["one"]
    assert "r1" not in outline(db)
    branch = Target("line", lines["r1"])  # this line does not contain the call
    assert outline(db, branch) == [f"== {lines['r1']}", "r1", "a2"]
    assert texts(find_entry(db, "r1", branch).blocks) == ["one"]


def test_set_aside_result_is_marked_and_shown_with_its_call(db: Path, project: Path) -> None:
    write(
        project / "s1.jsonl",
        user("u1", 0, "go"),
        assistant("g1", 5, tool_use("t1", "Read"), parent="u1"),
        user("r1", 6, tool_result("t1", "read"), parent="g1"),
        assistant("g2", 5, tool_use("t2", "Read"), parent="u1"),
        user("r2", 7, tool_result("t2", "read again"), parent="g2"),
    )
    index(db, project)
    assert ask(db, "select uuid, reason from v1_set_aside order by uuid") == [("g1", "replay"), ("r1", "replay")]
    [call] = find_entry(db, "g1").blocks
    assert call.result is not None
    assert (call.result.text, call.result.set_aside) == ("read", "replay")


def test_result_without_a_call_is_shown_on_its_own(db: Path, project: Path) -> None:
    write(project / "s1.jsonl", user("u1", 0, "go"), user("r1", 1, tool_result("t9", "who asked?"), parent="u1"))
    index(db, project)
    assert outline(db) == ["== s1", "u1", "r1"]
    assert texts(find_entry(db, "r1").blocks) == ["who asked?"]
    assert speaker(find_entry(db, "r1")) == "Tool result"


def test_further_results_of_a_call_are_shown_on_their_own(db: Path, project: Path) -> None:
    write(
        project / "s1.jsonl",
        user("u1", 0, "go"),
        assistant("a1", 1, tool_use("t1", "Bash"), parent="u1"),
        user("r1", 2, tool_result("t1", "first"), parent="a1"),
        user("r2", 3, tool_result("t1", "second"), parent="r1"),
    )
    index(db, project)
    assert answers(db, "a1") == ["first"]
    assert outline(db) == ["== s1", "u1", "a1", "r2"]


def test_second_result_of_a_call_in_the_same_entry_is_shown(db: Path, project: Path) -> None:
    write(
        project / "s1.jsonl",
        user("u1", 0, "go"),
        assistant("a1", 1, tool_use("t1", "Bash"), parent="u1"),
        user("r1", 2, tool_result("t1", "first"), tool_result("t1", "second"), parent="a1"),
    )
    index(db, project)
    parts = [part for item in load_items(db) if isinstance(item, TranscriptEntry) for part in item.blocks]
    assert "second" in texts(tuple(parts))


def test_result_before_its_call_is_shown_once(db: Path, project: Path) -> None:
    write(
        project / "s1.jsonl",
        user("u1", 0, "go"),
        user("r1", 1, tool_result("t1", "early"), parent="u1"),
        assistant("a1", 2, tool_use("t1", "Bash"), parent="r1"),
    )
    index(db, project)
    parts = [part for item in load_items(db) if isinstance(item, TranscriptEntry) for part in item.blocks]
    shown_texts = [*texts(tuple(parts)), *(part.result.text for part in parts if part.result)]
    assert shown_texts.count("early") == 1


@pytest.mark.parametrize("everything", [False, True])
def test_response_without_content_is_shown_or_counted(db: Path, project: Path, *, everything: bool) -> None:
    write(project / "s1.jsonl", user("u1", 0, "go"), assistant("a1", 1, parent="u1"))
    index(db, project)
    assert outline(db, everything=everything)[-1] in ("a1", "left out: 1")


def write_replay(project: Path) -> None:
    """Write a prompt twice, with the same timestamp. Both are answered; the second one also has a progress entry."""
    again = {"message": {"role": "user", "content": "once more"}, "timestamp": at(5)}
    write(
        project / "s1.jsonl",
        user("u1", 0, "go"),
        assistant("a1", 1, text_block("on"), parent="u1"),
        line("w1", parent="a1", **again),
        assistant("w2", 6, text_block("here"), parent="w1"),
        line("x1", parent="a1", **again),
        assistant("x2", 7, text_block("there"), parent="x1"),
        progress("x3", 8, "g9", "t9", parent="x2"),
        user("u2", 9, "thanks", parent="w2"),
    )


def test_set_aside_talk_entries_are_marked_and_shown_in_time_order(db: Path, project: Path) -> None:
    write_replay(project)
    index(db, project)
    assert outline(db) == ["== s1", "u1", "a1", "w1", "x1 (replay)", "w2", "x2 (replay)", "u2", "left out: 1"]
    assert outline(db, everything=True)[4:8] == ["x1 (replay)", "w2", "x2 (replay)", "x3 (replay)"]
    with reading(db) as connection:
        for everything, count in ((True, 1), (False, 0)):
            entries = load_entries(connection, S1, everything=everything)
            assert [entry["uuid"] for entry in entries].count("x3") == count


def test_compaction_has_the_label_from_the_view(db: Path, project: Path) -> None:
    compact = {"type": "system", "subtype": "compact_boundary", "message": None, "content": "Conversation compacted"}
    write(
        project / "s1.jsonl",
        user("u1", 0, "go"),
        line("b1", timestamp=at(5), logicalParentUuid="u1", compactMetadata={"preTokens": 115_999}, **compact),
        user("y1", 6, "so far", parent="b1", isCompactSummary=True),
        line("b2", timestamp=at(9), logicalParentUuid="y1", **compact),
    )
    index(db, project)
    labels = {
        item.uuid: item.label for item in load_items(db) if isinstance(item, TranscriptEntry) and item.label is not None
    }
    assert labels == dict(ask(db, "select uuid, label from v1_compactions"))
    assert labels["b1"] == "Conversation compacted (115k tokens) • 2026-03-01 09:00:06"
    assert labels["b2"] == "Conversation compacted • 2026-03-01 09:00:09"
    assert speaker(find_entry(db, "y1")) == "Summary"


def test_session_that_owns_no_entries_shows_its_copies(db: Path, project: Path) -> None:
    write(project / "s1.jsonl", user("u1", 0, "go"), user("u2", 1, "on", parent="u1"), user("u3", 2, "x", parent="u2"))
    write(project / "s2.jsonl", user("u1", 0, "go", sessionId="s2"), user("u2", 1, "on", parent="u1", sessionId="s2"))
    index(db, project)
    for order in ORDERS:
        assert outline(db, Target("session", "s2"), order) == ["== s1", "u1", "u2"]


def test_session_with_only_agents_is_shown_even_if_agents_are_skipped(db: Path, project: Path) -> None:
    agent_file(project, "g1", user("k1", 0, "look", **of_agent("g1")))
    index(db, project)
    for order in ORDERS:
        assert outline(db, S1, order) == ["== s1#agent-g1", "k1"]


def test_agents_without_a_known_call_are_announced_at_the_end(db: Path, project: Path) -> None:
    write(project / "s1.jsonl", user("u1", 5, "go"), user("u2", 6, "on", parent="u1"))
    write(project / "s2.jsonl", user("v1", 7, "go", sessionId="s2"))
    agent_file(project, "g1", user("k1", 0, "look", **of_agent("g1")))
    index(db, project)
    assert outline(db) == ["== s1", "u1", "u2", "-> s1#agent-g1 unlinked"]
    assert outline(db, Target("path", "path-u2")) == outline(db)
    assert outline(db, Target("line", "s1")) == outline(db)[:3]
    assert outline(db, Target("session", "s2")) == ["== s2", "v1"]
    assert outline(db, order=AFTER) == ["== s1#agent-g1", "k1", "== s1", "u1", "u2"]


def test_unknown_agent_has_no_name(db: Path, project: Path) -> None:
    agent_file(
        project, "g1", user("k1", 0, "look", **of_agent("g1")), assistant("k2", 1, text_block("x"), **of_agent("g1"))
    )
    index(db, project)
    assert speaker(find_entry(db, "k2")) == "Agent"


def test_raw_bytes_match_the_file(db: Path, project: Path) -> None:
    spaced = user("u1", 0, "é \u2028 😀").replace(", ", ",  ").encode()
    crlf = user("u2", 1, "x", parent="u1").encode() + b"\r"
    path = write(project / "s1.jsonl", spaced, crlf, user("u3", 2, "y") + user("u4", 3, "z"))
    index(db, project)
    lines = path.read_bytes().split(b"\n")
    with reading(db) as connection:
        raw = {entry["uuid"]: entry["raw"] for entry in load_entries(connection, S1, with_raw=True)}
    assert raw["u1"] == lines[0]
    assert raw["u2"] == lines[1].rstrip(b"\r")
    assert raw["u3"] + raw["u4"] == lines[2]
    path.unlink()
    index(db, project)
    with reading(db) as connection:
        assert [entry["raw"] for entry in load_entries(connection, S1, with_raw=True)] == list(raw.values())


def test_deeply_nested_agents_are_shown(db: Path, project: Path) -> None:
    rows = [user("u0", 0, "go"), assistant("c0", 0, tool_use("t0", "Task"), parent="u0")]
    write(project / "s1.jsonl", *rows)
    for number in range(DEEP):
        keys = of_agent(f"g{number}", timestamp=at(number % 3_000))
        agent_file(
            project,
            f"g{number}",
            user(f"k{number}", 0, "look", **keys),
            assistant(f"c{number + 1}", 0, tool_use(f"t{number + 1}", "Task"), parent=f"k{number}", **keys),
            sidecar={"agentType": "scout", "toolUseId": f"t{number}"},
        )
    index(db, project)
    assert one(db, "select max(depth) from v1_agents") == DEEP
    found = load_items(db, order=INSIDE)
    assert [item.uuid for item in found if isinstance(item, TranscriptEntry)][-1] == f"c{DEEP}"
    assert max(item.depth for item in found if not isinstance(item, HiddenEntries)) == DEEP
    assert sum(isinstance(item, TranscriptEntry) for item in found) == 2 * DEEP + 2


@examples(25)
@given(projects())
def test_every_entry_is_shown_once_or_counted_as_hidden(files: dict[str, bytes]) -> None:
    with tempfile.TemporaryDirectory() as name:
        root, db = Path(name).resolve() / "p", Path(name) / "x.db"
        write_all(root, files)
        index(db, root)
        sessions = ask(db, "select session_id from v1_sessions where entry_count > 0")
        checked = sum(_check_session(db, Target("session", session)) for (session,) in sessions)
        assert checked == one(db, "select count(*) from v1_entries") > 0


def _check_session(db: Path, target: Target) -> int:
    """Check that every entry of a session is read, and return the number of entries."""
    owned = Counter(
        uuid
        for (uuid,) in ask(
            db,
            "select e.uuid from v1_line_entries e join v1_lines l on l.line_id = e.line_id where l.session_id = ? "
            "union all select uuid from v1_set_aside where session_id = ?",
            target.id,
            target.id,
        )
    )
    assert set(owned.values()) == {1}
    with reading(db) as connection:
        read = Counter(entry["uuid"] for entry in load_entries(connection, target, AFTER))
        assert read == owned
        inside, inline = (
            Counter(entry["uuid"] for entry in load_entries(connection, target, order)) for order in (INSIDE, INLINE)
        )
        assert set(inside.values()) == set(inline.values()) == {1}
        assert set(owned) <= set(inside) <= set(inline)
        placed = {uuid for (uuid,) in ask(db, "select uuid from v1_line_entries")}
        assert set(inside) & placed == _entered(db, target.id)
        talk = {entry["uuid"] for entry in load_entries(connection, target, AFTER, everything=False)}
        included = [entry for entry in load_entries(connection, target, AFTER) if not _is_hidden(entry)]
        assert talk == {entry["uuid"] for entry in included}
    _check_items(db, target, owned)
    return len(owned)


def _entered(db: Path, session: str) -> set[str]:
    """Return the entries on a session's lines and on the agent lines below them."""
    lines = ask(db, "select line_id, parent_line_id, session_id, kind from v1_lines")
    entered = {line_id for line_id, _, owner, _ in lines if owner == session}
    while more := {i for i, above, _, kind in lines if above in entered and kind.startswith("agent")} - entered:
        entered |= more
    return {uuid for line_id, uuid in ask(db, "select line_id, uuid from v1_line_entries") if line_id in entered}


def _is_hidden(entry: dict[str, Any]) -> bool:
    return entry["set_aside"] is not None and entry["kind"] not in CONVERSATION_KINDS and not entry["is_typed"]


def _check_items(db: Path, target: Target, owned: Counter[str]) -> None:
    """Check that every entry of a session is shown, shown with a call, or counted as hidden."""
    for everything in (False, True):
        found = load_items(db, target, AFTER, everything=everything)
        shown = Counter(item.uuid for item in found if isinstance(item, TranscriptEntry))
        assert set(shown.values()) <= {1}
        assert set(shown) <= set(owned)
        left_out = sum(item.count for item in found if isinstance(item, HiddenEntries))
        assert left_out == 0 or not everything
        remaining = len(owned) - len(shown) - left_out
        folded, empty = _count_not_shown(db, set(owned) - set(shown))
        assert folded <= remaining <= folded + empty
        started = [item.line.line_id for item in found if isinstance(item, LineStart)]
        assert len(started) == len(set(started))


def _count_not_shown(db: Path, uuids: set[str]) -> tuple[int, int]:
    """Count the given entries that are not shown on their own: results (shown with their calls), empty responses."""
    query = (
        "select e.kind, count(b.uuid) from v1_entries e "
        "left join v1_blocks b on b.uuid = e.uuid where e.uuid in (select value from json_each(?)) group by e.uuid"
    )
    rows = ask(db, query, json.dumps(sorted(uuids)))
    return sum(kind == "result" for kind, _ in rows), sum(row == ("assistant", 0) for row in rows)


def test_only_the_first_few_of_many_branches_are_announced(db: Path, project: Path) -> None:
    branches = [user(f"b{number:02}", 10 + number, f"branch {number}", parent="a1") for number in range(25)]
    write(project / "s1.jsonl", user("u1", 0, "go"), assistant("a1", 1, text_block("yes"), parent="u1"), *branches)
    index(db, project)
    found = outline(db)
    assert [item for item in found if item.startswith("-> ")] == [f"-> s1@b{n:02} rewind" for n in range(20)]
    assert "5 more" in found


def test_agents_shown_in_place_are_not_counted_as_exits(db: Path, project: Path) -> None:
    calls = [tool_use(f"t{number}", "Task", prompt=f"errand {number}") for number in range(22)]
    outcomes = [tool_result(f"t{number}", "done") for number in range(22)]
    write(project / "s1.jsonl", user("u1", 0, "go"), assistant("a1", 1, *calls, parent="u1"), user("r1", 90, *outcomes))
    for number in range(22):
        agent_file(project, f"k{number:02}", user(f"g{number}", 2 + number, f"errand {number}"))
    index(db, project)
    spawned = ask(db, "select uuid, count(*) from v1_junctions where kind = 'agent' group by uuid having count(*) > 20")
    assert spawned
    assert not [item for item in outline(db, order=INSIDE) if item.endswith("more")]
    assert [item for item in outline(db) if item.endswith("more")] == ["2 more"]
