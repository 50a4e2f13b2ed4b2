"""What a transcript tells of the entries it is given: each once, results with their calls, lines where they leave."""

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
from tests.reference.transcripts import folders

S1 = Target("session", "s1")
SKIPPED, AFTER, INSIDE = (
    ReadingOrder(AgentPlacement.SKIPPED),
    ReadingOrder(AgentPlacement.AFTER),
    ReadingOrder(AgentPlacement.INSIDE),
)
INLINE = ReadingOrder(inline=True)
MANNERS = [SKIPPED, AFTER, INSIDE, INLINE]
DEEP = 2_000


def of_agent(agent_id: str, **keys: Any) -> dict[str, Any]:
    return {"isSidechain": True, "agentId": agent_id, **keys}


def events(
    db: Path, named: Target = S1, manner: ReadingOrder = SKIPPED, *, everything: bool = False
) -> list[TranscriptItem]:
    with reading(db) as connection:
        return list(load_transcript(connection, named, manner, everything=everything))


def told(db: Path, named: Target = S1, manner: ReadingOrder = SKIPPED, *, everything: bool = False) -> list[str]:
    """The events in short: `== line`, an entry, `-> line`, `left out: n`, each with a bar for each line entered."""
    return [_short(event) for event in events(db, named, manner, everything=everything)]


def _short(event: TranscriptItem) -> str:
    if isinstance(event, HiddenEntries):
        return f"left out: {event.count}"
    if isinstance(event, MoreExits):
        return f"{event.count} more"
    bars = "| " * event.depth
    if isinstance(event, LineStart):
        return f"{bars}== {event.line.line_id}{' again' if event.is_return else ''}"
    if isinstance(event, LineExit):
        return f"{bars}-> {event.line.line_id} {event.kind}"
    return f"{bars}{event.uuid}{f' ({event.set_aside})' if event.set_aside else ''}"


def said(db: Path, uuid: str, named: Target = S1, manner: ReadingOrder = SKIPPED) -> TranscriptEntry:
    [found] = [
        event
        for event in events(db, named, manner, everything=True)
        if isinstance(event, TranscriptEntry) and event.uuid == uuid
    ]
    return found


def answers(db: Path, uuid: str, named: Target = S1, manner: ReadingOrder = SKIPPED) -> list[str | None]:
    """What an entry's calls were answered with."""
    return [
        part.answer and part.answer.text for part in said(db, uuid, named, manner).blocks if part.type == "tool_use"
    ]


def texts(parts: tuple[ContentBlock, ...]) -> list[str | None]:
    return [part.text for part in parts]


@pytest.fixture
def rewound(db: Path, project: Path) -> Path:
    """A session with an agent, an agent within that, and two branches, gone on with by s2 and forked by s3."""
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


def test_agents_are_skipped_and_only_named_where_they_leave(rewound: Path) -> None:
    assert told(rewound, manner=SKIPPED) == [
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


def test_agents_come_after_the_line_that_they_leave(rewound: Path) -> None:
    assert told(rewound, manner=AFTER)[7:14] == [
        "== s1#agent-g1",
        "k1",
        "k2",
        "-> s1#agent-g2 agent",
        "k4",
        "== s1#agent-g2",
        "l1",
    ]


def test_agents_are_entered_where_they_were_called_and_left_again(rewound: Path) -> None:
    assert told(rewound, manner=INSIDE)[:16] == [
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


def test_several_agents_that_leave_from_one_entry_are_entered_there_by_time(db: Path, project: Path) -> None:
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
    found = [event for event in told(db, manner=INSIDE) if "==" not in event]
    assert found == ["u1", "a1", "| k-g2", "| k-g1", "| k-g3", "a2"]
    assert told(db, manner=INLINE) == told(db, manner=INSIDE)
    assert [event for event in told(db) if "->" in event] == [
        f"-> s1#agent-{name} agent" for name in ("g2", "g1", "g3")
    ]


def test_inline_enters_all_that_leaves_other_sessions_too(rewound: Path) -> None:
    found = told(rewound, manner=INLINE)
    assert not [event for event in found if "->" in event]
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


def test_an_agent_asked_for_by_name_is_read_whatever_becomes_of_others(rewound: Path) -> None:
    named = Target("line", "s1#agent-g1")
    assert told(rewound, named, SKIPPED) == ["== s1#agent-g1", "k1", "k2", "-> s1#agent-g2 agent", "k4"]
    assert told(rewound, named, AFTER) == told(rewound, named, SKIPPED)
    assert told(rewound, named, INSIDE)[3:6] == ["| == s1#agent-g2", "| l1", "| l2"]
    assert told(rewound, named, INLINE) == told(rewound, named, INSIDE)


def test_a_path_is_told_along_its_lines_with_agents_inside_or_only_named(rewound: Path) -> None:
    found = told(rewound, Target("path", "path-a3"), SKIPPED)
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
    assert told(rewound, Target("path", "path-a3"), AFTER) == found
    inside = told(rewound, Target("path", "path-a3"), INSIDE)
    assert inside[3] == "| == s1#agent-g1"
    assert inside[-5:] == found[-5:]


def test_inline_along_a_path_either_enters_an_agent_or_names_it(rewound: Path) -> None:
    found = told(rewound, Target("path", "path-a3"), INLINE)
    assert [event for event in found if "s1#agent-g1" in event]
    assert [event for event in found if "s1@p3" in event]


def test_an_entry_stands_alone_with_all_of_itself_and_what_leaves_from_it(rewound: Path) -> None:
    for manner in MANNERS:
        assert told(rewound, Target("entry", "r1"), manner) == ["r1", "-> s1#agent-g1 agent"]
        assert told(rewound, Target("entry", "a2"), manner) == ["a2", "-> s1@p2 rewind", "-> s1@p3 rewind"]
    assert texts(said(rewound, "r1", Target("entry", "r1")).blocks) == ["all is well"]
    assert answers(rewound, "a1", Target("entry", "a1")) == ["all is well"]


def test_what_leaves_from_a_result_told_with_its_call_is_still_announced(rewound: Path) -> None:
    found = events(rewound)
    assert "r1" not in told(rewound)
    [agent] = [event for event in found if isinstance(event, LineExit) and event.kind == "agent"]
    assert (agent.line.first_uuid, agent.agent and agent.agent.name) == ("k1", "scout")
    assert one(rewound, "select attachment_uuid from v1_lines where line_id = 's1#agent-g1'") == "r1"


def test_every_junction_is_announced_once_with_its_kind(rewound: Path) -> None:
    found = [
        (event.line.line_id, event.kind)
        for session in ("s1", "s2", "s3")
        for event in events(rewound, Target("session", session), AFTER)
        if isinstance(event, LineExit)
    ]
    assert sorted(found) == sorted(ask(rewound, "select target_line_id, kind from v1_junctions"))


def test_a_line_says_where_it_goes_on_from(rewound: Path) -> None:
    for session, relation, at_uuid in (("s2", "continues", "a4"), ("s3", "forks", "p3")):
        [begins] = [event for event in events(rewound, Target("session", session)) if isinstance(event, LineStart)]
        assert (begins.line.relation, begins.line.parent_session_id, begins.line.attachment_uuid) == (
            relation,
            "s1",
            at_uuid,
        )


def test_in_agents_the_prompts_are_the_callers_words(rewound: Path) -> None:
    who = {event.uuid: speaker(event) for event in events(rewound, manner=INSIDE) if isinstance(event, TranscriptEntry)}
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


def test_an_entry_beside_the_talk_is_counted_and_what_leaves_from_it_announced(db: Path, project: Path) -> None:
    write(
        project / "s1.jsonl",
        user("u1", 0, "go"),
        assistant("a1", 1, tool_use("t1", "Task", prompt="look"), parent="u1"),
        progress("p1", 2, "g1", "t1", parent="a1"),
        user("x1", 9, "left", parent="p1"),
        user("x2", 10, "right", parent="p1"),
    )
    index(db, project)
    assert told(db) == [
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
    assert told(db, everything=True)[3] == "p1"
    assert "left out" not in " ".join(told(db, everything=True))
    assert told(db, Target("entry", "p1"))[0] == "p1"


def test_a_session_that_takes_up_this_one_midway_is_announced(db: Path, project: Path) -> None:
    write(project / "s1.jsonl", user("u1", 0, "go"), assistant("a1", 1, text_block("on"), parent="u1"))
    write(
        project / "s2.jsonl",
        user("x1", 2, "new", sessionId="s2"),
        user("x2", 3, "as there", parent="a1", sessionId="s2"),
    )
    index(db, project)
    assert ask(db, "select uuid, target_line_id, kind from v1_junctions") == [("a1", "s2", "resume")]
    assert told(db) == ["== s1", "u1", "a1", "-> s2 resume"]


def test_a_result_is_told_with_its_call_however_late_it_came(db: Path, project: Path) -> None:
    write(
        project / "s1.jsonl",
        user("u1", 0, "go"),
        assistant("a1", 1, tool_use("t1", "Bash"), parent="u1"),
        assistant("a2", 2, text_block("meanwhile"), parent="a1"),
        user("r1", 61, tool_result("t1", "late", is_error=True), parent="a2"),
    )
    index(db, project)
    assert one(db, "select delayed from v1_tool_pairs") == 1
    assert told(db) == ["== s1", "u1", "a1", "a2"]
    [call] = said(db, "a1").blocks
    assert call.answer is not None
    assert (call.answer.text, call.answer.outcome, call.answer.duration_ms) == ("late", "error", 60_000)


def test_parallel_calls_have_each_their_own_result(db: Path, project: Path) -> None:
    write(
        project / "s1.jsonl",
        user("u1", 0, "go"),
        assistant("a1", 1, tool_use("t1", "Bash"), tool_use("t2", "Read"), tool_use("t3", "LS"), parent="u1"),
        user("r2", 2, tool_result("t2", "two"), parent="a1"),
        user("r1", 3, tool_result("t1", "one"), tool_result("t9", "who asked?"), parent="r2"),
    )
    index(db, project)
    assert answers(db, "a1") == ["one", "two", None]
    assert told(db) == ["== s1", "u1", "a1", "r1"]
    assert texts(said(db, "r1").blocks) == ["who asked?"]


def test_a_result_on_a_branch_is_told_with_its_call_on_the_line(db: Path, project: Path) -> None:
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
    assert "r1" not in told(db)
    branch = Target("line", lines["r1"])  # where the call is not
    assert told(db, branch) == [f"== {lines['r1']}", "r1", "a2"]
    assert texts(said(db, "r1", branch).blocks) == ["one"]


def test_a_result_that_was_set_aside_is_told_with_its_call_and_so_marked(db: Path, project: Path) -> None:
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
    [call] = said(db, "g1").blocks
    assert call.answer is not None
    assert (call.answer.text, call.answer.set_aside) == ("read", "replay")


def test_a_result_without_a_call_stands_alone(db: Path, project: Path) -> None:
    write(project / "s1.jsonl", user("u1", 0, "go"), user("r1", 1, tool_result("t9", "who asked?"), parent="u1"))
    index(db, project)
    assert told(db) == ["== s1", "u1", "r1"]
    assert texts(said(db, "r1").blocks) == ["who asked?"]
    assert speaker(said(db, "r1")) == "Tool result"


def test_only_one_of_several_results_is_folded_the_others_stand(db: Path, project: Path) -> None:
    write(
        project / "s1.jsonl",
        user("u1", 0, "go"),
        assistant("a1", 1, tool_use("t1", "Bash"), parent="u1"),
        user("r1", 2, tool_result("t1", "first"), parent="a1"),
        user("r2", 3, tool_result("t1", "second"), parent="r1"),
    )
    index(db, project)
    assert answers(db, "a1") == ["first"]
    assert told(db) == ["== s1", "u1", "a1", "r2"]


def test_a_second_result_for_a_call_in_the_same_entry_is_not_lost(db: Path, project: Path) -> None:
    write(
        project / "s1.jsonl",
        user("u1", 0, "go"),
        assistant("a1", 1, tool_use("t1", "Bash"), parent="u1"),
        user("r1", 2, tool_result("t1", "first"), tool_result("t1", "second"), parent="a1"),
    )
    index(db, project)
    parts = [part for event in events(db) if isinstance(event, TranscriptEntry) for part in event.blocks]
    assert "second" in texts(tuple(parts))


def test_a_result_that_stands_before_its_call_is_told_once(db: Path, project: Path) -> None:
    write(
        project / "s1.jsonl",
        user("u1", 0, "go"),
        user("r1", 1, tool_result("t1", "early"), parent="u1"),
        assistant("a1", 2, tool_use("t1", "Bash"), parent="r1"),
    )
    index(db, project)
    parts = [part for event in events(db) if isinstance(event, TranscriptEntry) for part in event.blocks]
    told_texts = [*texts(tuple(parts)), *(part.answer.text for part in parts if part.answer)]
    assert told_texts.count("early") == 1


@pytest.mark.parametrize("everything", [False, True])
def test_an_answer_without_content_is_told_or_counted(db: Path, project: Path, *, everything: bool) -> None:
    write(project / "s1.jsonl", user("u1", 0, "go"), assistant("a1", 1, parent="u1"))
    index(db, project)
    assert told(db, everything=everything)[-1] in ("a1", "left out: 1")


def replayed(project: Path) -> None:
    """The same prompt twice at one instant, the copy with talk and a hook below it."""
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


def test_talk_that_was_set_aside_is_told_in_its_place_and_marked(db: Path, project: Path) -> None:
    replayed(project)
    index(db, project)
    assert told(db) == ["== s1", "u1", "a1", "w1", "x1 (replay)", "w2", "x2 (replay)", "u2", "left out: 1"]
    assert told(db, everything=True)[4:8] == ["x1 (replay)", "w2", "x2 (replay)", "x3 (replay)"]
    with reading(db) as connection:
        for everything, count in ((True, 1), (False, 0)):
            entries = load_entries(connection, S1, everything=everything)
            assert [entry["uuid"] for entry in entries].count("x3") == count


def test_a_compaction_is_labelled_as_its_view_has_it(db: Path, project: Path) -> None:
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
        event.uuid: event.label
        for event in events(db)
        if isinstance(event, TranscriptEntry) and event.label is not None
    }
    assert labels == dict(ask(db, "select uuid, label from v1_compactions"))
    assert labels["b1"] == "Conversation compacted (115k tokens) • 2026-03-01 09:00:06"
    assert labels["b2"] == "Conversation compacted • 2026-03-01 09:00:09"
    assert speaker(said(db, "y1")) == "Summary"


def test_a_session_that_owns_nothing_is_told_by_its_copies(db: Path, project: Path) -> None:
    write(project / "s1.jsonl", user("u1", 0, "go"), user("u2", 1, "on", parent="u1"), user("u3", 2, "x", parent="u2"))
    write(project / "s2.jsonl", user("u1", 0, "go", sessionId="s2"), user("u2", 1, "on", parent="u1", sessionId="s2"))
    index(db, project)
    for manner in MANNERS:
        assert told(db, Target("session", "s2"), manner) == ["== s1", "u1", "u2"]


def test_a_session_of_agents_alone_is_told_even_where_agents_are_skipped(db: Path, project: Path) -> None:
    agent_file(project, "g1", user("k1", 0, "look", **of_agent("g1")))
    index(db, project)
    for manner in MANNERS:
        assert told(db, S1, manner) == ["== s1#agent-g1", "k1"]


def test_agents_that_nobody_is_known_to_have_called_are_named_at_the_end(db: Path, project: Path) -> None:
    write(project / "s1.jsonl", user("u1", 5, "go"), user("u2", 6, "on", parent="u1"))
    write(project / "s2.jsonl", user("v1", 7, "go", sessionId="s2"))
    agent_file(project, "g1", user("k1", 0, "look", **of_agent("g1")))
    index(db, project)
    assert told(db) == ["== s1", "u1", "u2", "-> s1#agent-g1 unlinked"]
    assert told(db, Target("path", "path-u2")) == told(db)
    assert told(db, Target("line", "s1")) == told(db)[:3]
    assert told(db, Target("session", "s2")) == ["== s2", "v1"]
    assert told(db, manner=AFTER) == ["== s1#agent-g1", "k1", "== s1", "u1", "u2"]


def test_an_agent_of_which_nothing_is_known_has_no_name(db: Path, project: Path) -> None:
    agent_file(
        project, "g1", user("k1", 0, "look", **of_agent("g1")), assistant("k2", 1, text_block("x"), **of_agent("g1"))
    )
    index(db, project)
    assert speaker(said(db, "k2")) == "Agent"


def test_recorded_bytes_come_back_as_they_stand_in_the_file(db: Path, project: Path) -> None:
    odd = user("u1", 0, "é \u2028 😀").replace(", ", ",  ").encode()
    crlf = user("u2", 1, "x", parent="u1").encode() + b"\r"
    path = write(project / "s1.jsonl", odd, crlf, user("u3", 2, "y") + user("u4", 3, "z"))
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


def test_agents_inside_one_another_to_any_depth_are_told(db: Path, project: Path) -> None:
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
    found = events(db, manner=INSIDE)
    assert [event.uuid for event in found if isinstance(event, TranscriptEntry)][-1] == f"c{DEEP}"
    assert max(event.depth for event in found if not isinstance(event, HiddenEntries)) == DEEP
    assert sum(isinstance(event, TranscriptEntry) for event in found) == 2 * DEEP + 2


@examples(25)
@given(folders())
def test_every_entry_is_read_once_or_left_out_and_counted(files: dict[str, bytes]) -> None:
    with tempfile.TemporaryDirectory() as name:
        root, db = Path(name).resolve() / "p", Path(name) / "x.db"
        write_all(root, files)
        index(db, root)
        for (session,) in ask(db, "select session_id from v1_sessions where entry_count > 0"):
            _is_accounted_for(db, Target("session", session))


def _is_accounted_for(db: Path, named: Target) -> None:
    owned = Counter(
        uuid
        for (uuid,) in ask(
            db,
            "select e.uuid from v1_line_entries e join v1_lines l on l.line_id = e.line_id where l.session_id = ? "
            "union all select uuid from v1_set_aside where session_id = ?",
            named.id,
            named.id,
        )
    )
    assert set(owned.values()) == {1}
    with reading(db) as connection:
        read = Counter(entry["uuid"] for entry in load_entries(connection, named, AFTER))
        assert read == owned
        inside, inline = (
            Counter(entry["uuid"] for entry in load_entries(connection, named, manner)) for manner in (INSIDE, INLINE)
        )
        assert set(inside.values()) == set(inline.values()) == {1}
        assert set(owned) <= set(inside) <= set(inline)
        placed = {uuid for (uuid,) in ask(db, "select uuid from v1_line_entries")}
        assert set(inside) & placed == _entered(db, named.id)
        talk = {entry["uuid"] for entry in load_entries(connection, named, AFTER, everything=False)}
        read_on = [entry for entry in load_entries(connection, named, AFTER) if not _is_beside(entry)]
        assert talk == {entry["uuid"] for entry in read_on}
    _tells_all(db, named, owned)


def _entered(db: Path, session: str) -> set[str]:
    """Entries on the session's lines, on agents' lines that hang on these, and so on."""
    lines = ask(db, "select line_id, parent_line_id, session_id, kind from v1_lines")
    wanted = {line_id for line_id, _, owner, _ in lines if owner == session}
    while more := {i for i, above, _, kind in lines if above in wanted and kind.startswith("agent")} - wanted:
        wanted |= more
    return {uuid for line_id, uuid in ask(db, "select line_id, uuid from v1_line_entries") if line_id in wanted}


def _is_beside(entry: dict[str, Any]) -> bool:
    return entry["set_aside"] is not None and entry["kind"] not in CONVERSATION_KINDS and not entry["is_typed"]


def _tells_all(db: Path, named: Target, owned: Counter[str]) -> None:
    """What is told, told with a call, or counted makes up all that the session owns."""
    for everything in (False, True):
        found = events(db, named, AFTER, everything=everything)
        spoken = Counter(event.uuid for event in found if isinstance(event, TranscriptEntry))
        assert set(spoken.values()) <= {1}
        assert set(spoken) <= set(owned)
        left_out = sum(event.count for event in found if isinstance(event, HiddenEntries))
        assert left_out == 0 or not everything
        silent = len(owned) - len(spoken) - left_out
        folded, empty = _silent(db, set(owned) - set(spoken))
        assert folded <= silent <= folded + empty
        begun = [event.line.line_id for event in found if isinstance(event, LineStart)]
        assert len(begun) == len(set(begun))


def _silent(db: Path, uuids: set[str]) -> tuple[int, int]:
    """How many of entries are results, to be told with their calls; and how many are empty answers."""
    query = (
        "select e.kind, count(b.uuid) from v1_entries e "
        "left join v1_blocks b on b.uuid = e.uuid where e.uuid in (select value from json_each(?)) group by e.uuid"
    )
    rows = ask(db, query, json.dumps(sorted(uuids)))
    return sum(kind == "result" for kind, _ in rows), sum(row == ("assistant", 0) for row in rows)


def test_of_very_many_branches_some_are_named_and_the_rest_counted(db: Path, project: Path) -> None:
    branches = [user(f"b{number:02}", 10 + number, f"branch {number}", parent="a1") for number in range(25)]
    write(project / "s1.jsonl", user("u1", 0, "go"), assistant("a1", 1, text_block("yes"), parent="u1"), *branches)
    index(db, project)
    found = told(db)
    assert [event for event in found if event.startswith("-> ")] == [f"-> s1@b{n:02} rewind" for n in range(20)]
    assert "5 more" in found


def test_agents_that_are_entered_are_not_counted_as_left(db: Path, project: Path) -> None:
    calls = [tool_use(f"t{number}", "Task", prompt=f"errand {number}") for number in range(22)]
    outcomes = [tool_result(f"t{number}", "done") for number in range(22)]
    write(project / "s1.jsonl", user("u1", 0, "go"), assistant("a1", 1, *calls, parent="u1"), user("r1", 90, *outcomes))
    for number in range(22):
        agent_file(project, f"k{number:02}", user(f"g{number}", 2 + number, f"errand {number}"))
    index(db, project)
    spawned = ask(db, "select uuid, count(*) from v1_junctions where kind = 'agent' group by uuid having count(*) > 20")
    assert spawned
    assert not [event for event in told(db, manner=INSIDE) if event.endswith("more")]
    assert [event for event in told(db) if event.endswith("more")] == ["2 more"]
