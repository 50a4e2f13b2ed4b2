"""DOT drawings of sessions: clusters, links, set-aside entries and hostile ids."""

import re
from pathlib import Path

import pytest

from ccindex.query.timeline import load_entries_by_line, load_links
from ccindex.render.dot import dot_lines
from ccindex.secrets.masking import no_mask
from ccindex.store.connection import reading
from tests.making.dot_parser import Attributes, DotGraph, parse_dot
from tests.making.example_indexes import HOSTILE, make_example, make_hostile
from tests.making.files import write
from tests.making.indexes import ask, index
from tests.making.transcripts import line


def graph(db: Path, session_id: str) -> DotGraph:
    with reading(db) as connection:
        entries, links = load_entries_by_line(connection, session_id), load_links(connection, session_id)
        return parse_dot(list(dot_lines(session_id, entries, links, mask=no_mask)))


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_example(tmp_path_factory.mktemp("example"))


def unquoted(edges: dict[tuple[str, str], Attributes]) -> dict[str, Attributes]:
    return {f"{above[1:-1]} {below[1:-1]}": looks for (above, below), looks in edges.items()}


def test_entries_are_in_the_clusters_of_their_lines(example: Path) -> None:
    drawn = graph(example, "main")
    assert drawn.name == '"main"'
    assert drawn.clusters == {
        '"cluster_main"': '"trunk main"',
        '"cluster_main#agent-g1"': '"agent main#agent-g1"',
        '"cluster_main@p2"': '"branch main@p2 (abandoned)"',
        '"cluster_main@p3"': '"branch main@p3"',
    }
    assert {node[1:-1]: cluster[9:-1] for node, cluster in drawn.members.items()} == {
        **dict.fromkeys("p1 a1 r1 a2".split(), "main"),
        **dict.fromkeys("q1 b1".split(), "main#agent-g1"),
        **dict.fromkeys("p2 a3".split(), "main@p2"),
        **dict.fromkeys("p3 a4".split(), "main@p3"),
    }
    assert drawn.nodes['"a1"'] == {"label": '"assistant a1\\nTask: look around"', "fillcolor": '"#b2df8a"'}
    assert drawn.nodes['"p1"']["fillcolor"] != drawn.nodes['"r1"']["fillcolor"]


def test_link_styles_show_the_kind_of_link(example: Path) -> None:
    assert unquoted(graph(example, "main").edges) == {
        **{chain: {} for chain in ("p1 a1", "a1 r1", "r1 a2", "a2 p2", "p2 a3", "a2 p3", "p3 a4", "q1 b1")},
        "r1 q1": {"style": "bold", "color": "blue"},
    }
    continuation = graph(example, "next")
    assert unquoted(continuation.edges) == {
        "a4 n1": {},
        "n1 c1": {"style": "dotted", "label": '"compacted"'},
        "c1 n2": {},
    }
    assert continuation.nodes['"a4"']["label"] == '"assistant a4\\nin main"'
    assert continuation.nodes['"a4"']["fillcolor"] == "grey92"
    assert continuation.members['"a4"'] == ""


def test_set_aside_and_missing_entries_are_dashed(example: Path) -> None:
    drawn = graph(example, "twin")
    dashed = {node for node, looks in drawn.nodes.items() if "dashed" in looks.get("style", "")}
    assert dashed == {'"w4"', '"w5"', '"gone"'}
    assert drawn.nodes['"gone"'] == {"label": '"missing\\ngone"', "shape": "ellipse", "style": "dashed"}
    assert drawn.members['"w4"'] == drawn.members['"w1"'] == '"cluster_twin"'
    assert {pair for pair, looks in unquoted(drawn.edges).items() if looks.get("style") == "dashed"} == {
        "w1 w4",
        "w4 w5",
    }


def test_hostile_ids_keep_the_syntax_valid_and_every_entry_has_its_own_node(tmp_path: Path) -> None:
    db = make_hostile(tmp_path)
    [(session, count)] = ask(db, "select session_id, entry_count from v1_sessions")
    drawn = graph(db, session)
    assert count == 2 * len(HOSTILE) + 4
    assert len(drawn.nodes) == count + 1  # plus the ghost
    assert len(drawn.edges) == 2 * len(HOSTILE)
    assert {node for pair in drawn.edges for node in pair} <= drawn.nodes.keys()
    labels = [looks["label"] for looks in drawn.nodes.values()]
    # a single backslash starts a Graphviz escape, and the only escape allowed is a line break
    assert all(re.fullmatch(r'"(?:[^\\"]|\\\\|\\"|\\n)*"', label) for label in labels)
    assert all(label.count("\\n") <= 1 for label in (re.sub(r"\\\\", "", text) for text in labels))
    assert not any(re.search(r"&(?!amp;)", label) for label in labels)


def test_cut_link_is_red_and_does_not_affect_the_layout(tmp_path: Path) -> None:
    write(tmp_path / "p" / "s1.jsonl", line("u1", parent="u2"), line("u2", parent="u1"))
    index(tmp_path / "x.db", tmp_path / "p")
    assert unquoted(graph(tmp_path / "x.db", "s1").edges) == {
        "u2 u1": {"color": "red", "label": '"cut"', "constraint": "false"},
        "u1 u2": {},
    }


def test_entry_set_aside_on_another_sessions_line_is_outside_all_clusters(tmp_path: Path) -> None:
    hook = {"type": "progress", "data": {"type": "hook_progress"}, "sessionId": "s2"}
    write(tmp_path / "p" / "s1.jsonl", line("u1"))
    write(
        tmp_path / "p" / "s2.jsonl",
        *(line(uuid, parent="u1", sessionId="s2") for uuid in ("v1", "v2")),
        line("h1", parent="u1", **hook),
        line("h2", parent="h1", **hook),
    )
    index(tmp_path / "x.db", tmp_path / "p")
    assert ask(tmp_path / "x.db", "select uuid, line_id from v1_set_aside") == [("h2", "s1")]
    drawn = graph(tmp_path / "x.db", "s2")
    assert drawn.members.pop('"h2"') == drawn.members.pop('"u1"') == ""
    assert drawn.members.keys() == {'"v1"', '"v2"', '"h1"'}
    assert all(cluster.startswith('"cluster_s2') for cluster in drawn.members.values())


def test_session_that_owns_no_entries_is_drawn_from_its_copies(tmp_path: Path) -> None:
    for name in ("s1", "s2"):
        write(tmp_path / "p" / f"{name}.jsonl", line("u1", sessionId=name), line("u2", parent="u1", sessionId=name))
    index(tmp_path / "x.db", tmp_path / "p")
    drawn = graph(tmp_path / "x.db", "s2")
    assert drawn.members == {'"u1"': '"cluster_s1"', '"u2"': '"cluster_s1"'}
    assert unquoted(drawn.edges) == {"u1 u2": {}}
