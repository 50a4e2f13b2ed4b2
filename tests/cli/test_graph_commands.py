"""The commands tree, paths, show and explain in real processes: output and exit codes."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ccindex.graph.ladder import RUNG_NUMBERS
from tests.making.commands import CCINDEX, ccindex, failure, run_json, tree_nodes
from tests.making.example_indexes import prompt, reply, task_call, task_result
from tests.making.files import write
from tests.making.indexes import ask, broken, index
from tests.making.transcripts import line, tool_use

TREE_KEYS = {"line_id", "session_id", "kind", "attachment_uuid", "entry_count", "children"}
REPLAY = f"rung {RUNG_NUMBERS['replay']}, replay (replay)"
REWIND = f"rung {RUNG_NUMBERS['rewind']} (rewound)"


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an index with a rewind, an agent, a resumed session, a replay and a ghost."""
    folder = tmp_path_factory.mktemp("example").resolve()
    project = folder / "projects" / "-w"
    write(
        project / "main.jsonl",
        prompt("p1", None, 1),
        task_call("a1", "p1", 2, "t1"),
        task_result("r1", "a1", 5, "t1", toolUseResult={"agentId": "g1"}),
        reply("a2", "r1", 6),
        prompt("p2", "a2", 7),
        reply("a3", "p2", 8),
        prompt("p3", "a2", 9),
        reply("a4", "p3", 10),
    )
    write(
        project / "main" / "subagents" / "agent-g1.jsonl",
        prompt("q1", None, 3, isSidechain=True, agentId="g1"),
        reply("b1", "q1", 4, isSidechain=True, agentId="g1"),
    )
    # Claude Code copies entries into the file of a resumed session
    write(
        project / "next.jsonl",
        prompt("p3", "a2", 9, "next"),
        reply("a4", "p3", 10, "next"),
        prompt("n1", "a4", 11, "next"),
        reply("n2", "n1", 12, "next"),
    )
    again = {"message": {"role": "user", "content": "again"}}
    write(
        project / "twin.jsonl",
        prompt("w0", "gone", 20, "twin"),
        reply("w1", "w0", 21, "twin"),
        prompt("w2", "w1", 22, "twin", **again),
        reply("w3", "w2", 24, "twin"),
        prompt("w4", "w1", 22, "twin", **again),
        reply("w5", "w4", 24, "twin"),
    )
    db = folder / "example.db"
    index(db, project)
    assert broken(db) == {}
    return db


def columns(db: Path, view: str) -> set[str]:
    return {row[1] for row in ask(db, f"pragma table_info({view})")}


def uuids(document: Any) -> list[str]:
    return [entry["uuid"] for entry in document["entries"]]


def test_tree_shows_every_line_below_its_parent(example: Path) -> None:
    assert ccindex("tree", "--db", example).stdout.splitlines() == [
        "main  say p1  4 entries, 2026-03-01",
        "├─ main#agent-g1  look around  2 entries, from r1",
        "├─ main@p2  say p2  branch, 2 entries, from a2, abandoned",
        "└─ main@p3  say p3  branch, 2 entries, from a2",
        "   └─ next  say n1  2 entries, continues from a4, 2026-03-01",
        "twin  say w0  4 entries, 2026-03-01",
    ]


def test_tree_json_nests_lines_below_their_parents(example: Path) -> None:
    document = run_json("tree", "--db", example)
    assert document.keys() == {"roots"}
    nodes = list(tree_nodes(document["roots"]))
    assert all(node.keys() == TREE_KEYS | {"is_active"} for node, _ in nodes)
    facts = ("line_id", "session_id", "kind", "attachment_uuid", "entry_count", "is_active")
    assert [(depth, *(node[name] for name in facts)) for node, depth in nodes] == [
        (0, "main", "main", "trunk", None, 4, 1),
        (1, "main#agent-g1", "main", "agent", "r1", 2, 1),
        (1, "main@p2", "main", "branch", "a2", 2, 0),
        (1, "main@p3", "main", "branch", "a2", 2, 1),
        (2, "next", "next", "trunk", "a4", 2, 1),
        (0, "twin", "twin", "trunk", None, 4, 1),
    ]


@pytest.mark.parametrize(("session", "roots"), [("main", ["main"]), ("next", ["main"]), ("tw", ["twin"])])
def test_tree_of_a_session_is_the_complete_tree_that_contains_it(example: Path, session: str, roots: list[str]) -> None:
    document = run_json("tree", "--session", session, "--db", example)
    assert [root["line_id"] for root in document["roots"]] == roots


def path_facts(document: Any) -> list[tuple[Any, ...]]:
    facts = ("leaf_uuid", "session_id", "number", "status", "root_uuid", "fork_uuid", "entry_count", "compaction_count")
    return [tuple(path[name] for name in facts) for path in document["paths"]]


ABANDONED = ("a3", "main", 1, "abandoned", "p1", "a2", 6, 0)
ACTIVE = ("n2", "next", 1, "active", "p1", "a2", 8, 0)
AGENTS = ("b1", "main", 1, "active", "p1", None, 5, 0)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--session", "main"], [ABANDONED, ACTIVE]),
        (["--session", "main", "--active"], [ACTIVE]),
        (["--session", "main", "--agents"], [ABANDONED, ACTIVE, AGENTS]),
        (["--session", "main", "--agents", "--active"], [ACTIVE, AGENTS]),
        (["--session", "next"], [ACTIVE]),
        (["--session", "twin"], [("w3", "twin", 1, "active", "w0", None, 4, 0)]),
    ],
)
def test_paths_lists_the_conversation_paths_of_a_session(
    example: Path, arguments: list[str], expected: list[tuple[Any, ...]]
) -> None:
    document = run_json("paths", *arguments, "--db", example)
    assert (document.keys(), document["session_id"], document["mode"]) == (
        {"session_id", "mode", "paths"},
        arguments[1],
        "conversation",
    )
    assert path_facts(document) == expected
    for path in document["paths"]:
        assert path.keys() == columns(example, "v1_paths") | {"is_agent"}
        assert path["path_id"] == f"path-{path['leaf_uuid']}"


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--session", "main"], [ABANDONED, ACTIVE]),
        # in the recorded graph, an agent's first entry is a root
        (["--session", "main", "--agents"], [("b1", "main", 1, "active", "q1", None, 2, 0), ("a3", "main", 2), ACTIVE]),
        # in the recorded graph, a replay is a fork like any other, and the last child in the file is active
        (
            ["--session", "twin"],
            [("w3", "twin", 1, "abandoned", "w0", "w1", 4, 0), ("w5", "twin", 2, "active", "w0", "w1", 4, 0)],
        ),
        (["--session", "twin", "--active"], [("w5", "twin", 2, "active", "w0", "w1", 4, 0)]),
    ],
)
def test_paths_with_recorded_follows_the_recorded_parents(
    example: Path, arguments: list[str], expected: list[tuple[Any, ...]]
) -> None:
    document = run_json("paths", *arguments, "--recorded", "--db", example)
    assert (document["session_id"], document["mode"]) == (arguments[1], "recorded")
    paths = path_facts(document)
    assert [facts[: len(path)] for facts, path in zip(paths, expected, strict=True)] == expected


def test_uuids_lists_the_entries_of_paths(example: Path) -> None:
    def chains(*arguments: str) -> list[list[str]]:
        return [path["uuids"] for path in run_json("paths", "--uuids", *arguments, "--db", example)["paths"]]

    to_a3, to_n2 = "p1 a1 r1 a2 p2 a3".split(), "p1 a1 r1 a2 p3 a4 n1 n2".split()
    assert chains("--session", "main", "--agents") == [to_a3, to_n2, "p1 a1 r1 q1 b1".split()]
    assert chains("--session", "main", "--recorded") == [to_a3, to_n2]
    assert chains("--session", "twin") == ["w0 w1 w2 w3".split()]
    assert chains("--session", "twin", "--recorded", "--active") == ["w0 w1 w4 w5".split()]
    table = ccindex("paths", "--session", "next", "--uuids", "--db", example).stdout
    assert table.split("\n") == ["path 1 in session next, active, 8 entries", *(f"  {uuid}" for uuid in to_n2), ""]


def test_paths_prints_one_table_row_per_path(example: Path) -> None:
    head, *rows = (text.split() for text in ccindex("paths", "--session", "main", "--db", example).stdout.splitlines())
    rows = [row for row in [head, *rows] if row and not row[0].startswith("─")]
    assert rows == [
        "path status entries compactions fork session ends with".split(),
        "path-a3 abandoned 6 a2 main reply a3".split(),
        "path-n2 active 8 a2 next reply n2".split(),
    ]


@pytest.mark.parametrize(
    ("item_id", "kind", "expected_id", "expected"),
    [
        ("main", "session", "main", "p1 a1 r1 a2 q1 b1 p2 a3 p3 a4"),
        ("nex", "session", "next", "n1 n2"),
        ("main@p3", "line", "main@p3", "p3 a4"),
        ("main#", "line", "main#agent-g1", "q1 b1"),
        ("a4", "entry", "a4", "a4"),
        ("w5", "entry", "w5", "w5"),
        ("path-n2", "path", "path-n2", "p1 a1 r1 a2 p3 a4 n1 n2"),
        ("path-a", "path", "path-a3", "p1 a1 r1 a2 p2 a3"),
        ("path-b1", "path", "path-b1", "p1 a1 r1 q1 b1"),
    ],
)
def test_show_accepts_every_kind_of_id(example: Path, item_id: str, kind: str, expected_id: str, expected: str) -> None:
    document = run_json("show", item_id, "--db", example)
    assert document.keys() == {"id", "kind", "entries"}
    assert (document["id"], document["kind"]) == (expected_id, kind)
    assert uuids(document) == expected.split()
    for entry in document["entries"]:
        assert entry.keys() == columns(example, "v1_entries") | {"set_aside", "blocks"}
        assert all(block.keys() == columns(example, "v1_blocks") for block in entry["blocks"])


@pytest.mark.parametrize(
    ("item_id", "expected"),
    [
        ("main", "p1 a1 r1 q1 b1 a2 p2 a3 p3 a4 n1 n2"),
        ("main@p3", "p3 a4 n1 n2"),
        ("main@p2", "p2 a3"),
        ("next", "n1 n2"),
    ],
)
def test_inline_shows_lines_where_they_start(example: Path, item_id: str, expected: str) -> None:
    assert uuids(run_json("show", item_id, "--inline", "--db", example)) == expected.split()


def test_set_aside_entries_are_shown_in_time_order_with_a_mark(example: Path) -> None:
    marked = [(entry["uuid"], entry["set_aside"]) for entry in run_json("show", "twin", "--db", example)["entries"]]
    assert marked == [
        ("w0", None),
        ("w1", None),
        ("w2", None),
        ("w4", "replay"),
        ("w3", None),
        ("w5", "replay"),
    ]
    assert run_json("show", "w5", "--db", example)["entries"][0]["set_aside"] == "replay"
    output = ccindex("show", "twin", "--db", example).stdout.splitlines()
    headings = [text for text in output if text.startswith(("You", "Claude"))]
    assert headings[2:] == [
        "You  2026-03-01 09:00:22  w2",
        "You  2026-03-01 09:00:22  w4  [set aside: replay]",
        "Claude  2026-03-01 09:00:24  w3  claude-x",
        "Claude  2026-03-01 09:00:24  w5  claude-x  [set aside: replay]",
    ]
    # a path through the fork shows the set-aside entries too
    assert uuids(run_json("show", "path-w3", "--db", example)) == "w0 w1 w2 w4 w3 w5".split()


def test_show_prints_a_readable_transcript(example: Path) -> None:
    shown = ccindex("show", "path-b1", "--db", example).stdout
    assert shown.split("\n\n") == [
        "== Session main • say p1\n   4 entries",
        "You  2026-03-01 09:00:01  p1\n  say p1",
        (
            "Claude  2026-03-01 09:00:02  a1\n  ● Task  look around\n    ⎿ all is well\n"
            "  ↳ Agent • g1 • look around (2 entries, completed)"
        ),
        "== Agent • g1 • look around\n   spawned at r1, 2 entries, completed",
        "Claude  2026-03-01 09:00:03  q1\n  say q1",
        "Agent  2026-03-01 09:00:04  b1  claude-x\n  reply b1\n",
    ]


def test_long_text_is_cut_unless_full_is_given(db: Path, project: Path) -> None:
    long = "x" * 240 + "y" * 1_500
    typed = "z" * 2_000
    text = f"{long}\ntwo\nthree\nfour\nfive\nsix"
    content = [{"type": "tool_result", "tool_use_id": "t1", "content": text}]
    write(
        project / "s1.jsonl",
        prompt("p1", None, 1, message={"role": "user", "content": typed}),
        task_call("a1", "p1", 2, "t1"),
        prompt("r1", "a1", 3, message={"role": "user", "content": content}),
    )
    index(db, project)
    cut = ccindex("show", "main", "--db", db).stdout
    assert typed in cut
    assert "    ⎿ " + "x" * 240 + "… (1,500 more characters, use --full)\n      two\n" in cut
    assert "      four\n      … 2 more lines (use --full)\n" in cut
    assert "five" not in cut
    for arguments in (["main", "--full"], ["r1"]):
        shown = ccindex("show", *arguments, "--db", db).stdout
        assert f"{long}\n      two\n      three\n      four\n      five\n      six\n" in shown, arguments
    assert run_json("show", "r1", "--db", db)["entries"][0]["blocks"][0]["text"] == text


def test_ambiguous_id_is_resolved_as_session_line_entry_or_path_in_this_order(db: Path, project: Path) -> None:
    write(project / "s.jsonl", prompt("s", None, 1, "s"), reply("a", "s", 2, "s"))
    write(
        project / "t.jsonl",
        prompt("t0", None, 3, "t"),
        prompt("t1", "t0", 4, "t"),
        prompt("t2", "t0", 5, "t"),
        prompt("t@t1", "t1", 6, "t"),  # an entry whose uuid is the id of a branch
        prompt("path-t2", "t2", 7, "t"),
        prompt("path-path-t2", "path-t2", 8, "t"),
    )
    index(db, project)
    assert {"t@t1", "t@t2"} <= {line_id for (line_id,) in ask(db, "select line_id from v1_lines")}
    assert ask(db, "select path_id from v1_paths where leaf_uuid = 'path-path-t2'") == [("path-path-path-t2",)]
    kinds = {
        item_id: run_json("show", item_id, "--db", db)["kind"] for item_id in ("s", "t", "t@t1", "path-path-t2", "t2")
    }
    assert kinds == {"s": "session", "t": "session", "t@t1": "line", "path-path-t2": "entry", "t2": "entry"}
    # an exact id of a later kind takes precedence over a prefix of an earlier kind
    assert run_json("show", "path-path-path-t2", "--db", db)["kind"] == "path"
    write(project / "a9.jsonl", prompt("z", None, 9, "a9"))
    index(db, project)
    assert run_json("show", "a", "--db", db)["kind"] == "entry"
    assert run_json("show", "a9", "--db", db)["kind"] == "session"


def test_session_without_a_trunk_is_shown_as_its_branches(db: Path, project: Path) -> None:
    write(project / "s1.jsonl", line("u1"))
    write(project / "s2.jsonl", prompt("v1", "u1", 1, "s2"), prompt("v2", "u1", 2, "s2"))
    index(db, project)
    assert uuids(run_json("show", "s2", "--db", db)) == ["v1", "v2"]
    assert [path["leaf_uuid"] for path in run_json("paths", "--session", "s2", "--db", db)["paths"]] == ["v1", "v2"]
    nodes = tree_nodes(run_json("tree", "--session", "s2", "--db", db)["roots"])
    assert [(node["line_id"], depth) for node, depth in nodes] == [("s1", 0), ("s2@v1", 1), ("s2@v2", 1)]


def test_explain_shows_why_an_entry_starts_a_branch(example: Path) -> None:
    main = ask(example, "select source_path from v1_entries where uuid = 'p2'")[0][0]
    assert ccindex("explain", "p2", "--db", example).stdout.splitlines() == [
        "entry    p2",
        "owner    it is the only occurrence",
        f"         * {main}:5 (session main)",
        "parent   a2: as recorded",
        "thread   main",
        f"fork     a2: {REWIND}",
        "         2 alternatives; a person went back to this entry and continued from here",
        "         ├─ * p2  prompt     2026-03-01 09:00:07  starts main@p2",
        "         └─   p3  prompt     2026-03-01 09:00:09  starts main@p3",
        "line     main@p2, position 0 of 2, abandoned",
    ]


@pytest.mark.parametrize(
    ("uuid", "output"),
    [
        ("p3", "chosen from 2 occurrences because its session started first"),
        (
            "q1",
            (
                "parent   r1: a subagent's first entry is attached where the subagent was spawned: "
                "the result contains the subagent's id"
            ),
        ),
        ("q1", "thread   main#agent-g1 (root: agent)"),
        ("n1", "thread   next (root: resume)"),
        ("w0", "parent   none: no indexed file contains the recorded parent (a ghost)"),
        ("w0", "         recorded: gone"),
        ("w5", f"fork     w1: {REPLAY}"),
        ("w5", "line     none: set aside (replay) by the ruling on w1 on twin"),
        ("w1", f"children w1: {REPLAY}"),
        ("a2", f"children a2: {REWIND}"),
    ],
)
def test_explain_describes_owner_parent_thread_fork_and_line(example: Path, uuid: str, output: str) -> None:
    lines = ccindex("explain", uuid, "--db", example).stdout.splitlines()
    assert output in [text.removeprefix("owner    ") for text in lines]


def test_explain_json_has_owner_parent_fork_and_line(example: Path) -> None:
    explanation = run_json("explain", "w5", "--db", example)
    assert explanation.keys() >= {"uuid", "occurrences", "parent", "fork", "line"}
    assert explanation["uuid"] == "w5"
    assert [copy["is_owner"] for copy in explanation["occurrences"]] == [1]
    assert (explanation["parent"]["parent_uuid"], explanation["parent"]["recorded_parent_uuid"]) == ("w4", "w4")
    fork = explanation["fork"]
    assert (fork["uuid"], fork["name"], fork["verdict"]) == ("w1", "replay", "replay")
    assert fork["rung"] == RUNG_NUMBERS["replay"]
    assert [(child["uuid"], child["set_aside"]) for child in fork["children"]] == [("w2", None), ("w4", "replay")]
    line_document = explanation["line"]
    assert (line_document["line_id"], line_document["position"], line_document["set_aside"]) == ("twin", None, "replay")

    explanation = run_json("explain", "p3", "--db", example)
    assert [(copy["session_id"], copy["is_owner"]) for copy in explanation["occurrences"]] == [("main", 1), ("next", 0)]
    assert explanation["line"]["line_id"] == "main@p3"

    explanation = run_json("explain", "p1", "--db", example)
    assert (explanation["fork"], explanation["rulings"], explanation["parent"]["parent_uuid"]) == (None, [], None)


@pytest.fixture(scope="module")
def similar_ids(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an index with sessions and entries whose ids share prefixes."""
    folder = tmp_path_factory.mktemp("alike").resolve()
    for number in (1, 2, 10, *range(100, 112)):
        write(folder / "p" / f"sess-{number}.jsonl", prompt(f"unit-{number}", None, number, f"sess-{number}"))
    write(folder / "p" / "odd.jsonl", prompt("unit%", None, 300, "odd_"), prompt("ghostly", "unseen", 301, "odd_"))
    db = folder / "alike.db"
    index(db, folder / "p")
    return db


@pytest.mark.parametrize(
    ("arguments", "key", "expected_id"),
    [
        (["paths", "--session", "sess-2"], "session_id", "sess-2"),
        (["paths", "--session", "sess-1"], "session_id", "sess-1"),  # an exact id, although it is a prefix of others
        (["paths", "--session", "sess-10"], "session_id", "sess-10"),
        (["paths", "--session", "odd"], "session_id", "odd_"),
        (["show", "sess-105"], "id", "sess-105"),
        (["show", "unit-1"], "id", "unit-1"),
        (["show", "unit-2"], "id", "unit-2"),
        (["explain", "unit-10"], "uuid", "unit-10"),
        (["explain", "unit%"], "uuid", "unit%"),
        (["explain", "g"], "uuid", "ghostly"),
    ],
)
def test_exact_id_and_unambiguous_prefix_are_accepted(
    similar_ids: Path, arguments: list[str], key: str, expected_id: str
) -> None:
    assert run_json(*arguments, "--db", similar_ids)[key] == expected_id


@pytest.mark.parametrize(
    ("arguments", "kind", "prefix", "matches"),
    [
        (["tree", "--session", "sess-11"], "sessions", "sess-11", ["sess-110", "sess-111"]),
        (["paths", "--session", "sess-11"], "sessions", "sess-11", ["sess-110", "sess-111"]),
        (["show", "sess-11"], "sessions", "sess-11", ["sess-110", "sess-111"]),
        (["show", "unit-11"], "entries", "unit-11", ["unit-110", "unit-111"]),
        (["explain", "unit-11"], "entries", "unit-11", ["unit-110", "unit-111"]),
        (
            ["explain", "unit-"],
            "entries",
            "unit-",
            ["unit-1", "unit-10", *(f"unit-{n}" for n in range(100, 108)), "…"],
        ),
    ],
)
def test_ambiguous_prefix_lists_the_matches(
    similar_ids: Path, arguments: list[str], kind: str, prefix: str, matches: list[str]
) -> None:
    listed = "".join(f"\n  {match}" for match in matches)
    output = f"ccindex: several {kind} have ids starting with '{prefix}'; specify one of them:{listed}\n"
    assert failure(*arguments, "--db", similar_ids) == (1, output)


@pytest.mark.parametrize(
    ("arguments", "output"),
    [
        (["tree", "--session", "nope"], "no session in this index has an id starting with 'nope'"),
        (["paths", "--session", "nope"], "no session in this index has an id starting with 'nope'"),
        (["paths", "--session", "sess%"], "no session in this index has an id starting with 'sess%'"),
        (["paths", "--session", "sess_1"], "no session in this index has an id starting with 'sess_1'"),
        (["paths", "--session", "SESS-1"], "no session in this index has an id starting with 'SESS-1'"),
        (["paths", "--session", ""], "no session in this index has an id starting with ''"),
        (["paths", "--session", "unit-1"], "no session in this index has an id starting with 'unit-1'"),
        (["show", "nope"], "no session, line, entry or path in this index has an id starting with 'nope'"),
        (["show", ""], "no session, line, entry or path in this index has an id starting with ''"),
        (["show", "path-nope"], "no session, line, entry or path in this index has an id starting with 'path-nope'"),
        (["explain", "nope"], "no entry in this index has an id starting with 'nope'"),
        (["explain", "sess-1"], "no entry in this index has an id starting with 'sess-1'"),
    ],
)
def test_unknown_id_gives_one_message(similar_ids: Path, arguments: list[str], output: str) -> None:
    message = f"ccindex: {output}; check the id, or run ccindex ingest if it is new\n"
    assert failure(*arguments, "--json", "--db", similar_ids) == (1, message)


def test_ghost_is_reported_as_never_seen(similar_ids: Path) -> None:
    code, output = failure("explain", "unseen", "--db", similar_ids)
    assert (code, output.count("\n")) == (1, 1)
    assert output.startswith("ccindex: no indexed transcript contains 'unseen'; one entry refers to it")


@pytest.mark.parametrize(
    "arguments",
    [
        ["tree", "extra"],
        ["tree", "--session"],
        ["paths"],
        ["paths", "sess-1"],
        ["paths", "--session", "sess-1", "--nonsense"],
        ["show"],
        ["show", "unit-1", "unit-2"],
        ["explain"],
        ["explain", "unit-1", "--full"],
    ],
    ids=" ".join,
)
def test_wrong_usage_exits_2(similar_ids: Path, arguments: list[str]) -> None:
    code, output = failure(*arguments, "--db", similar_ids)
    assert code == 2
    assert f"ccindex {arguments[0]}" in output


COMMANDS = [["tree"], ["tree", "--session", "x"], ["paths", "--session", "x"], ["show", "x"], ["explain", "x"]]


@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_missing_index_message_describes_the_next_step(tmp_path: Path, arguments: list[str]) -> None:
    code, output = failure(*arguments, "--db", tmp_path / "none.db")
    assert (code, output) == (
        1,
        f"ccindex: no index at '{tmp_path}/none.db'; create it with: ccindex ingest --db {tmp_path}/none.db\n",
    )
    assert list(tmp_path.iterdir()) == []


def test_empty_index_shows_nothing(db: Path, project: Path) -> None:
    index(db, project)
    result = ccindex("tree", "--db", db)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
    assert run_json("tree", "--db", db) == {"roots": []}
    for arguments in COMMANDS[1:]:
        code, output = failure(*arguments, "--db", db)
        assert (code, output.count("\n")) == (1, 1)
        assert "in this index has an id starting with 'x'" in output


DEPTH = 2_000


@pytest.fixture(scope="module")
def deep(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an index with nested agents, each spawned by the previous one."""
    folder = tmp_path_factory.mktemp("deep").resolve()
    sidechain = (
        prompt(f"u{n:04}", f"u{n - 1:04}", n, "deep", isSidechain=True, agentId=f"g{n:04}") for n in range(1, DEPTH + 1)
    )
    write(folder / "p" / "deep.jsonl", prompt("u0000", None, 0, "deep"), *sidechain)
    db = folder / "deep.db"
    index(db, folder / "p")
    return db


def test_very_deep_tree_is_printed_with_one_line_per_node(deep: Path) -> None:
    result = ccindex("tree", "--db", deep)
    assert (result.returncode, result.stderr) == (0, "")
    nodes = result.stdout.splitlines()
    assert len(nodes) == DEPTH + 1
    assert nodes[0].startswith("deep  ")
    assert nodes[-1].startswith("   " * (DEPTH - 1) + f"└─ deep#agent-g{DEPTH:04}  ")
    assert ", from u1999" in nodes[-1]


def test_very_deep_tree_is_printed_as_one_json_document(deep: Path) -> None:
    result = ccindex("tree", "--json", "--db", deep)
    assert (result.returncode, result.stderr) == (0, "")
    document = parse_deep_json(result.stdout)
    assert document.keys() == {"roots"}
    nodes = [(node["line_id"], depth) for node, depth in tree_nodes(document["roots"])]
    assert nodes == [("deep", 0), *((f"deep#agent-g{n:04}", n) for n in range(1, DEPTH + 1))]


def test_very_deep_tree_is_shown_in_order(deep: Path) -> None:
    expected = [f"u{n:04}" for n in range(DEPTH + 1)]
    assert uuids(run_json("show", "deep", "--db", deep)) == expected
    assert uuids(run_json("show", "deep", "--inline", "--db", deep)) == expected
    [trunk] = run_json("paths", "--session", "deep", "--db", deep)["paths"]
    assert trunk["entry_count"] == 1
    longest = run_json("paths", "--session", "deep", "--agents", "--uuids", "--db", deep)["paths"][-1]
    assert longest["uuids"] == expected
    assert run_json("explain", "u2000", "--db", deep)["line"]["line_id"] == "deep#agent-g2000"


_TOKEN = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"|-?\d+(?:\.\d+)?|true|false|null|[\[\]{}:,]')
_OPENING = {"]": "[", "}": "{"}


def parse_deep_json(text: str) -> Any:
    """Parse JSON of any depth. json.loads fails on deeply nested input."""
    stack: list[Any] = []  # punctuation as strings, values in one-element lists
    end = 0
    for token in _TOKEN.finditer(text):
        assert text[end : token.start()].strip() == ""
        end, word = token.end(), token[0]
        if word in "[{:,":
            stack.append(word)
        elif word in "]}":
            inside: list[Any] = []
            while stack[-1] != _OPENING[word]:
                inside.insert(0, stack.pop())
            stack[-1] = [build_list(inside) if word == "]" else build_dict(inside)]
        else:
            stack.append([json.loads(word)])
    assert text[end:].strip() == ""
    [[value]] = stack
    return value


def build_list(inside: list[Any]) -> list[Any]:
    assert not inside or len(inside) % 2 == 1
    assert all(mark == "," for mark in inside[1::2])
    return [value for [value] in inside[::2]]


def build_dict(inside: list[Any]) -> dict[str, Any]:
    assert not inside or len(inside) % 4 == 3
    assert all(mark == ":" for mark in inside[1::4])
    assert all(mark == "," for mark in inside[3::4])
    return {key: value for [key], [value] in zip(inside[::4], inside[2::4], strict=True)}


def test_deep_json_parser_agrees_with_json_loads() -> None:
    text = json.dumps({"a": [1, -2.5, None, True, 'x \\ " ]}:, é'], "b": {}, "c": [[], {"d": []}]})
    assert parse_deep_json(text) == json.loads(text)
    for wrong in ("[1,]", "[,1]", '{"a"}', '{"a":1,}', "[1 2]", "[1]]", "[1", "{]", "nul"):
        with pytest.raises((AssertionError, IndexError, ValueError)):
            parse_deep_json(wrong)


EVIL = "\x1b]0;owned\x07\x1b[31m\x9b\r"
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")


@pytest.fixture(scope="module")
def evil(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an index with control characters in every string."""
    folder = tmp_path_factory.mktemp("evil").resolve()
    session = f"s1{EVIL}"
    message = {"id": "m", "model": f"x{EVIL}", "content": [tool_use(f"t{EVIL}", f"Bash{EVIL}", command=EVIL)]}
    write(
        folder / "p" / "s1.jsonl",
        prompt(f"u1{EVIL}", None, 1, session, message={"role": "user", "content": f"look {EVIL}"}),
        reply(f"u2{EVIL}", f"u1{EVIL}", 2, session, message=message),
        prompt(f"u3{EVIL}", f"u2{EVIL}", 3, session),
        prompt(f"u4{EVIL}", f"u2{EVIL}", 4, session),
        prompt(f"u5{EVIL}", f"u4{EVIL}", 5, session, type="system", subtype=f"other{EVIL}"),
    )
    db = folder / "evil.db"
    index(db, folder / "p")
    return db


@pytest.mark.parametrize(
    "arguments",
    [
        ["tree"],
        ["paths", "--session", "s1", "--uuids"],
        ["paths", "--session", "s1", "--recorded"],
        ["show", "s1"],
        ["explain", "u2"],
        ["explain", "u3"],
    ],
    ids=" ".join,
)
def test_control_characters_in_data_do_not_reach_the_terminal(evil: Path, arguments: list[str]) -> None:
    result = ccindex(*arguments, "--db", evil)
    assert (result.returncode, result.stderr) == (0, "")
    assert "\\x1b]0;ow" in result.stdout  # ids are shortened in tables
    assert CONTROL.search(result.stdout) is None


def test_control_characters_are_escaped_in_messages_and_kept_in_json(evil: Path) -> None:
    code, output = failure("explain", "u", "--db", evil)
    assert (code, CONTROL.search(output)) == (1, None)
    code, output = failure("show", f"nope{EVIL}", "--db", evil)
    assert (code, CONTROL.search(output)) == (1, None)
    assert uuids(run_json("show", "u1", "--db", evil)) == [f"u1{EVIL}"]


@pytest.mark.parametrize(
    "arguments",
    [
        "tree",
        "tree --json",
        "show deep",
        "show deep --inline --json",
        "paths --session deep --agents --uuids",
        "paths --session deep --agents --uuids --json",
    ],
)
def test_closed_pipe_is_not_an_error(deep: Path, arguments: str) -> None:
    command = f"set -o pipefail; '{sys.executable}' -m ccindex {arguments} --db '{deep}' | head -c 10"
    result = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False, timeout=120)
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout


def test_commands_import_no_slow_modules(example: Path) -> None:
    for arguments in (["tree"], ["show", "main"], ["explain", "p1"], ["paths", "--session", "main", "--json"]):
        result = subprocess.run(
            [sys.executable, "-X", "importtime", *CCINDEX[1:], *arguments, "--db", str(example)],
            capture_output=True,
            text=True,
            check=True,
        )
        imported = set(re.findall(r"\|\s+(\w+)$", result.stderr, re.MULTILINE))
        assert "orjson" in imported
        assert imported.isdisjoint({"sqlalchemy", "alembic", "rich"}), arguments


def test_id_with_a_newline_is_shown_on_one_line(tmp_path: Path) -> None:
    message = {"role": "user", "content": "hello"}
    write(tmp_path / "p" / "s.jsonl", line("u1\nforged", sessionId="s1\nforged  trunk", message=message))
    db = tmp_path / "x.db"
    index(db, tmp_path / "p")
    for command in (["tree"], ["explain", "u1"], ["show", "s1"], ["paths", "--session", "s1", "--uuids"]):
        output = ccindex(*command, "--db", db).stdout
        assert "⏎" in output
        assert not any(text.startswith("forged") for text in output.splitlines()), command


def test_argument_that_is_not_utf8_matches_nothing(tmp_path: Path) -> None:
    write(tmp_path / "p" / "s.jsonl", line("u1"))
    db = tmp_path / "x.db"
    index(db, tmp_path / "p")
    for arguments in (["show", "\udcff"], ["explain", "\udcff"], ["tree", "--session", "\udcff"]):
        code, output = failure(*arguments, "--db", db)
        assert (code, output.count("\n")) == (1, 1), arguments


def test_session_that_owns_no_entries_shows_its_copies(tmp_path: Path) -> None:
    later = {"sessionId": "s2", "timestamp": "2026-03-02T09:00:00.000Z"}
    write(tmp_path / "p" / "s1.jsonl", line("u1"), line("u2", parent="u1"))
    write(tmp_path / "p" / "s2.jsonl", line("u2", parent="u1", **later))
    db = tmp_path / "x.db"
    index(db, tmp_path / "p")
    assert uuids(run_json("show", "s2", "--db", db)) == ["u2"]


def test_entries_set_aside_at_a_fork_in_another_session_are_shown_with_their_own_session(tmp_path: Path) -> None:
    same = {"sessionId": "s2", "timestamp": "2026-03-01T09:00:05.000Z", "message": {"role": "user", "content": "again"}}
    write(tmp_path / "p" / "s1.jsonl", line("a"), line("b", parent="a"))
    write(
        tmp_path / "p" / "s2.jsonl",
        line("x", parent="b", **same),
        line("x2", parent="x", sessionId="s2", timestamp="2026-03-01T09:00:07.000Z"),
        line("y", parent="b", **same),
        line("y2", parent="y", sessionId="s2", timestamp="2026-03-01T09:00:06.000Z"),
    )
    db = tmp_path / "x.db"
    index(db, tmp_path / "p")
    assert uuids(run_json("show", "s1", "--db", db)) == ["a", "b"]
    shown = run_json("show", "s2", "--db", db)["entries"]
    assert [(entry["uuid"], entry["set_aside"]) for entry in shown] == [
        ("x", None),
        ("y", "replay"),
        ("y2", "replay"),
        ("x2", None),
    ]
