"""The text notation for graphs."""

import json
from typing import Any

import pytest

from ccindex.graph.build import FamilyGraph, build_graph
from ccindex.graph.ladder import RUNG_NUMBERS
from ccindex.model.graph import EntryKind, Node
from tests.making.dag import DagTextError, collect_outcome, format_outcome, graph, jsonl
from tests.making.dag.grammar import read


def nodes(text: str) -> dict[str, Node]:
    links, _ = graph(text)
    return {node.uuid: node for node in links.nodes}


def parents(text: str) -> dict[str, str | None]:
    return {name: entry.parent for name, entry in read(text).entries.items()}


def built_graph(text: str) -> FamilyGraph:
    return build_graph(*graph(text))


def lines(text: str, path: str = "s.jsonl") -> dict[str, dict[str, Any]]:
    written = [json.loads(line) for line in jsonl(text)[path].splitlines()]
    return {value["uuid"]: value for value in written}


def test_entry_in_chain_is_child_of_previous_entry() -> None:
    assert parents("u0 -> a1 -> u2") == {"u0": None, "a1": "u0", "u2": "a1"}


def test_bare_name_refers_to_declared_entry() -> None:
    assert parents("u0 -> a1 -> u2\n\n  a1 -> u3") == {"u0": None, "a1": "u0", "u2": "a1", "u3": "a1"}


def test_parent_may_follow_its_child_and_close_a_cycle() -> None:
    assert parents("u1 -> a2\nu0 -> u1") == {"u1": "u0", "a2": "u1", "u0": None}
    assert parents("a1 -> a2 -> a1\na3 -> a3") == {"a1": "a2", "a2": "a1", "a3": "a3"}


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("u1", EntryKind.PROMPT),
        ("c1", EntryKind.PROMPT),
        ("r1", EntryKind.RESULT),
        ("a1", EntryKind.ASSISTANT),
        ("b1", EntryKind.BOUNDARY),
        ("n1", EntryKind.PROMPT),
        ("q1", EntryKind.SIDE),
        ("s1", EntryKind.SIDE),
        ("h1", EntryKind.SIDE),
        ("p1", EntryKind.SIDE),
    ],
)
def test_first_letter_determines_the_kind(name: str, kind: EntryKind) -> None:
    assert nodes(name)[name].kind == kind


def test_commands_are_typed_unless_they_are_caveats_or_output() -> None:
    found = nodes("u1 -> u2# -> n3 -> c4 -> c5# -> u6$")
    assert [(node.is_command, node.is_typed) for node in found.values()] == [
        (0, 1),
        (0, 0),
        (1, 0),
        (1, 1),
        (1, 0),
        (0, 0),
    ]
    assert [node.is_caveat for node in found.values()] == [False, False, True, False, False, False]
    assert [node.is_compact_summary for node in found.values()] == [0, 0, 0, 0, 0, 1]


def test_start_of_text_determines_kind_of_prompt() -> None:
    found = nodes('u1"<system-reminder>x" -> c2"<user-memory-input>x" -> u3"[Request interrupted by user]"')
    assert [(node.is_command, node.is_typed, node.is_quiet) for node in found.values()] == [
        (0, 0, True),
        (1, 1, True),
        (0, 0, True),
    ]


def test_answer_is_a_separate_response_unless_a_response_is_given_or_it_is_synthetic() -> None:
    found = nodes("u0 -> a1 -> a2[t1]=m1 -> a3=m1@9 -> a4#")
    assert [node.response for node in found.values()] == [None, "msg_a1", "m1", None, "m1"]
    assert [node.uuid for node in found.values() if node.is_synthetic] == ["a4"]


def test_default_time_is_the_number_of_preceding_names() -> None:
    found = nodes("u0 -> a1*3 -> u2 -> a3@30\na1 -> a4")
    start = found["u0"].timestamp_ms
    seconds = {name: (node.timestamp_ms - start) / 1000 for name, node in found.items()}
    assert seconds == {"u0": 0, "a1": 1, "a1.2": 1.001, "a1.3": 1.002, "u2": 2, "a4": 4, "a3": 30}


def test_entry_without_a_timestamp_gets_one_from_a_neighbour_in_its_file() -> None:
    found = nodes("u0~ -> a1@5 -> u2~\ns2: u3@7\nu4~\ns3: u5~")
    timestamps = {name: (node.timestamp_ms, node.has_own_timestamp) for name, node in found.items()}
    instant = found["a1"].timestamp_ms
    assert timestamps == {
        "u5": (0, 0),
        "u0": (instant, 0),
        "a1": (instant, 1),
        "u2": (instant, 0),
        "u4": (instant, 0),
        "u3": (instant + 2000, 1),
    }


def test_nodes_are_ordered_by_time_then_by_file_and_offset() -> None:
    assert list(nodes("s2: u1@5\nagent k: u2@5\nu4@5\nu3@5\nu0@1")) == ["u0", "u4", "u3", "u2", "u1"]


def test_chain_continues_after_last_entry_of_a_run() -> None:
    assert parents("u0 -> a1*3 -> u2\na1.2 -> u3") == {
        "u0": None,
        "a1": "u0",
        "a1.2": "a1",
        "a1.3": "a1.2",
        "u2": "a1.3",
        "u3": "a1.2",
    }


def test_brackets_list_issued_or_answered_calls() -> None:
    links, contents = graph("u0 -> a1[t1 t2:Task/ann] -> r1[t1] -> u2[t2]")
    assert contents.uses == {1: frozenset({"t1", "t2"})}
    assert contents.answers == {2: ("t1",)}
    assert links.family.answers_of == {"t1": (2,), "t2": (3,)}
    assert [(call.tool_use_id, call.name) for call in links.family.calls] == [("t2", "ann")]
    assert nodes("u2[t2]")["u2"].kind == EntryKind.PROMPT


def test_exclamation_mark_makes_a_task_call_or_refers_to_an_agent() -> None:
    family = graph('a1! -> r1! -> r2!k -> p3[t1]!k -> r4"agentId: j"')[0].family
    assert [call.node for call in family.calls] == [0]
    assert [(mention.node, mention.agent_id) for mention in family.outcomes] == [(1, "xr1"), (2, "k")]
    assert family.progress[0].tool_use_ids == ("t1",)
    assert [(mention.node, mention.agent_id) for mention in family.mentions] == [(4, "j")]


def test_texts_differ_by_default() -> None:
    _, contents = graph("u0 -> u1\"once 'more'\" -> u2\"once 'more'\" -> c3")
    again = 'once "more"'
    assert list(contents.texts.values()) == ["say u0", again, again, "<command-name>/c3</command-name>"]


def test_contents_are_compared_if_entries_of_a_response_do_not_form_a_chain() -> None:
    assert graph('u0 -> a1=m1"yes" -> a2=m1"yes"')[1].contents == {}
    _, contents = graph('u0 -> a1[t1]=m1"yes"\nu0 -> a2=m1"yes"\nu0 -> a3[t1]=m1""\nu0 -> a4=m1""')
    assert {index: len(digests) for index, digests in contents.contents.items()} == {1: 2, 2: 1, 3: 1}
    assert contents.contents[1] == contents.contents[2] | contents.contents[3]


def test_prefix_sets_session_and_agent_of_new_entries() -> None:
    links, _ = graph("u0 -> a1\ns2: a1 -> u2 -> a3\ns: a3 -> u4\nagent k: u5\ns2 agent k: u6\nagent: u7 -> a8")
    threads = [links.threads[thread].id for thread in links.thread_of]
    assert threads == ["s", "s", "s2", "s2", "s", "s#agent-k", "s2#agent-k", "s#agent-u7", "s#agent-u7"]


def test_parent_missing_from_all_files_is_a_ghost() -> None:
    links, _ = graph("?x -> u1\n?x -> u2\n?y -> u3")
    assert list(links.ghosts) == [0, 1, 2]
    assert len(set(links.ghosts.values())) == 2


def test_boundary_refers_to_the_entries_it_continues() -> None:
    text = "u0 -> a1\nb2 ~> ?x, a1, u0, ?y, a1"
    assert graph(text)[0].family.logical == {2: (1, 0, 1)}
    value = lines(text)["b2"]
    assert value["logicalParentUuid"] == "x"
    assert value["compactMetadata"]["preservedSegment"] == {"tailUuid": "a1", "headUuid": "u0"}
    assert value["compactMetadata"]["preservedMessages"] == {"uuids": ["a1", "y"]}


def test_agent_has_a_file_and_a_sidecar() -> None:
    text = "u0 -> a1[t1:Task] => agent k/ann: u7 -> a8\nagent j: u9"
    files = jsonl(text)
    folder = "s/subagents"
    assert sorted(files) == ["s.jsonl", *(f"{folder}/agent-{name}" for name in ("j.jsonl", "k.jsonl", "k.meta.json"))]
    assert json.loads(files[f"{folder}/agent-k.meta.json"])["toolUseId"] == "t1"
    assert json.loads(files[f"{folder}/agent-k.meta.json"])["name"] == "ann"
    assert lines(text, f"{folder}/agent-k.jsonl")["u7"]["agentId"] == "k"
    [sidecar] = graph(text)[0].family.sidecars
    assert (sidecar.agent_id, sidecar.tool_use_id, sidecar.name) == ("k", "t1", "ann")


def test_leaf_record_refers_to_an_entry_and_has_the_time_of_the_previous_object() -> None:
    text = "u0 -> a1@5\nleaf a1\nleaf ?x\nu2@1"
    links, _ = graph(text)
    assert {session: record.leaf for session, record in links.family.leaves.items()} == {0: 2}
    [record] = links.family.leaves.values()
    assert links.family.time(2) < record.time == (links.nodes[2].timestamp_ms, 0, 1, 2)
    written = [json.loads(line) for line in jsonl(text)["s.jsonl"].splitlines()]
    assert [value["type"] for value in written] == ["user", "assistant", "last-prompt", "last-prompt", "user"]
    assert [value.get("leafUuid") for value in written] == [None, None, "a1", "x", None]


def test_context_record_refers_to_the_entry_an_agent_was_forked_from() -> None:
    text = "u0 -> a1\nagent k: context ?x\nagent k: context a1\nagent k: u7"
    links, _ = graph(text)
    assert links.family.fork_contexts == {(0, "k"): [1]}
    first, second, _ = (json.loads(line) for line in jsonl(text)["s/subagents/agent-k.jsonl"].splitlines())
    assert (first["parentLastUuid"], second["parentLastUuid"]) == ("x", "a1")
    assert second["type"] == "fork-context-ref"


def test_copy_is_in_another_agents_file() -> None:
    text = "u0 -> a1[t1:Task]\nagent k: u7 -> a8\na1 => agent j: copy u7"
    links, _ = graph(text)
    assert list(links.aliases.values()) == [("j", "k")]
    assert lines(text, "s/subagents/agent-j.jsonl")["u7"]["agentId"] == "j"
    assert lines(text, "s/subagents/agent-k.jsonl")["u7"]["agentId"] == "k"
    assert [sidecar.agent_id for sidecar in links.family.sidecars] == ["j"]


def test_transcripts_have_the_blocks_and_markers_in_the_notation() -> None:
    found = lines('u0 -> a1[t1]=m1"" -> a2=m1"" -> a3# -> n4 -> u5$ -> q6"more"')
    assert [block["type"] for block in found["a1"]["message"]["content"]] == ["tool_use"]
    assert [block["type"] for block in found["a2"]["message"]["content"]] == ["thinking"]
    assert found["a1"]["message"]["id"] == found["a2"]["message"]["id"] == "m1"
    assert found["a3"]["message"]["model"] == "<synthetic>"
    assert found["n4"]["isMeta"] is True
    assert found["n4"]["message"]["content"].startswith("<local-command-caveat>")
    assert found["u5"]["isCompactSummary"] is True
    assert found["q6"]["attachment"]["type"] == "queued_command"
    assert found["q6"]["attachment"]["prompt"] == "more"


def test_transcripts_have_the_calls_flags_and_parents_in_the_notation() -> None:
    found = lines('u0+ -> a1[t1:Task]"do it" -> r1[t1]!k -> u2[t1]~# -> c3#\nagent: u4')
    assert found["u0"]["is_active"] is True
    assert found["a1"]["parentUuid"] == "u0"
    assert found["a1"]["message"]["content"][1]["input"] == {"prompt": "do it"}
    assert found["r1"]["message"]["content"][0]["tool_use_id"] == "t1"
    assert found["r1"]["toolUseResult"] == {"agentId": "k"}
    assert [block["type"] for block in found["u2"]["message"]["content"]] == ["tool_result", "text"]
    assert found["u2"]["isMeta"] is True
    assert "timestamp" not in found["u2"]
    assert found["c3"]["message"]["content"] == "<local-command-stdout>c3</local-command-stdout>"
    assert found["u4"]["isSidechain"] is True


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("u0 -> a1\na1 -> x9", "line 2: “x9” is not an entry"),
        ("u0 -> -> a1", "line 1: “-> a1” is not an entry"),
        ("u0\n\nu0@5 -> a1", "line 3: u0 is already declared above"),
        ("u0 -> a1\nu2 -> a1", "line 2: a1 already has a parent"),
        ("u0 -> ?x", "line 1: “?x” is not an entry"),
        ("u1@5#~", "line 1: “u1@5#~” is not an entry"),
        ("u0!", "line 1: u0 cannot name an agent"),
        ("h0[t1]", "line 1: h0 cannot have calls"),
        ("a0[t1:]", "line 1: “t1:” is not a call"),
        ("u0 => agent k: u1", "line 1: u0 has no call for an agent"),
        ("a0[t1] => agent: u1", "line 1: => is not followed by an agent with an id"),
        ("u0\nu1 ~> u0", "line 2: u1 is not a boundary"),
        ("u0\nb1 ~> a2", "line 2: a2 is not declared above"),
        ("u0\nleaf a2", "line 2: a2 is not declared above"),
        ("u0\nagent k: leaf u0", "line 2: a leaf record does not belong in this file"),
        ("u0\ncontext u0", "line 2: a context record does not belong in this file"),
        ("u0\nagent k: copy u0", "line 2: only entries of another agent can be copied"),
        ("agent k: u0\nagent k: copy u0", "line 2: only entries of another agent can be copied"),
        ("u0=m1", "line 1: u0 cannot be part of a response"),
        ("a0$", "line 1: a0 cannot be a summary"),
        ("?x", "line 1: ?x has no child"),
    ],
)
def test_invalid_text_is_rejected_with_its_line_number(text: str, message: str) -> None:
    with pytest.raises(DagTextError) as error:
        read(text)
    assert str(error.value).startswith(message)


def test_outcome_is_formatted_in_the_same_notation() -> None:
    text = "u0 -> a1[t1] -> a2*22 -> u3\na1 -> r1[t1] -> h1\na1 -> u4 -> p5*3\nu4 -> a6\ns2: a6 -> u7"
    assert format_outcome(collect_outcome(built_graph(text))).splitlines() == [
        "active: s s2 s@u4",
        "aside p5.2..p5.3: structural at u4",
        "junction a1: s@a2 retry, s@r1 retry, s@u4 retry",
        "junction a6: s2 resume",
        "no diagnostic",
        "path abandoned: u0..h1 (4)",
        "path abandoned: u0..u3 (25)",
        "path active: u0..u7 (6)",
        "reads: u0 a1 a2*22 u3 r1 h1 u4 p5 a6 u7",
        "root u0: start",
        "root u7: resume",
        "rung 1 at u4",
        f"rung {RUNG_NUMBERS['rewind']} at a1: retry",
        "s2 < a6: u7",
        "s: u0 a1",
        "s@a2 < a1: a2*22 u3",
        "s@r1 < a1: r1 h1",
        "s@u4 < a1: u4 p5 a6",
        "session s2: continues s at a6",
    ]


def test_only_requested_kinds_of_facts_are_formatted() -> None:
    assert format_outcome(collect_outcome(built_graph("u0 -> a1")), ["rung"]) == "no rung\ns: u0 a1"
