"""Large graphs are built without recursion over data, and every fork is ruled on once."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from ccindex.graph.build import FamilyGraph, build_graph
from ccindex.graph.ladder import rule
from ccindex.graph.parents import link
from ccindex.graph.threads import outline
from ccindex.model.graph import AgentHints, Call, Family, Fork, ForkContents, Node, Ruling, Sidecar

KINDS = {"u": "prompt", "a": "assistant", "p": "side"}


def node(index: int, uuid: str, parent: int | None, agent: str | None = None) -> Node:
    return Node(
        entry=index,
        uuid=uuid,
        session=1,
        timestamp_ms=index,
        has_own_timestamp=1,
        source=1,
        generation=1,
        offset=index,
        kind=KINDS[uuid[0]],
        is_command=0,
        is_typed=int(uuid[0] == "u"),
        is_meta=0,
        is_compact_summary=0,
        is_active=None,
        is_local_command=0,
        is_agent=int(agent is not None),
        agent_id=agent,
        own_agent_id=agent,
        workflow_run=None,
        parent=parent,
        response=uuid if uuid[0] == "a" else None,
    )


def build(nodes: list[Node], **fields: Any) -> FamilyGraph:
    family = Family(nodes=nodes, session_ids={1: "s"}, source_ranks={1: 0}, **fields)
    return build_graph(link(outline(family), AgentHints()), ForkContents())


@contextmanager
def small_stack() -> Iterator[None]:
    """Lower the recursion limit, so that recursion over data fails."""
    limit = sys.getrecursionlimit()
    depth, frame = 0, sys._getframe()  # noqa: SLF001
    while frame.f_back is not None:
        depth, frame = depth + 1, frame.f_back
    sys.setrecursionlimit(depth + 60)
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)


@contextmanager
def recorded_child_counts(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """Record the number of children of every fork that is ruled on."""
    counts: list[int] = []

    def counting(fork: Fork) -> Ruling:
        counts.append(len(fork.children))
        return rule(fork)

    monkeypatch.setattr("ccindex.graph.placement.rule", counting)
    yield counts


def test_chain_of_200_000_entries_is_one_line() -> None:
    nodes = [node(i, f"{'ua'[i % 2]}{i}", i - 1 if i else None) for i in range(200_000)]
    with small_stack():
        built_graph = build(nodes)
    [line] = built_graph.forest.lines
    assert line.nodes == tuple(range(200_000))
    assert [path.entry_count for path in built_graph.paths] == [200_000]


def test_50_000_children_of_one_parent_need_one_ruling(monkeypatch: pytest.MonkeyPatch) -> None:
    nodes = [node(0, "a0", None), *(node(i, f"u{i}", 0) for i in range(1, 50_001))]
    with small_stack(), recorded_child_counts(monkeypatch) as counts:
        built_graph = build(nodes)
    assert counts == [50_000]
    assert len(built_graph.forest.lines) == len(built_graph.paths) + 1 == 50_001
    assert sum(line.is_active for line in built_graph.forest.lines) == 2


def test_500_nested_rewinds_give_nested_branches() -> None:
    nodes = [node(0, "u0", None), node(1, "a0", 0)]
    fork = 1
    for number in range(1, 501):
        first = len(nodes)
        nodes += [
            node(first, f"u{number}x", fork),
            node(first + 1, f"u{number}", fork),
            node(first + 2, f"a{number}", first + 1),
        ]
        fork = first + 2
    with small_stack():
        built_graph = build(nodes)
    assert len(built_graph.forest.lines) == 1_001
    deepest = max(built_graph.forest.lines, key=lambda line: line.id.count("@"))
    assert deepest.id.count("@") == 500
    assert [path.entry_count for path in built_graph.paths if built_graph.forest.lines[path.line].is_active] == [
        2 + 2 * 500
    ]


def test_2_000_nested_agents_each_attach_to_the_previous_one() -> None:
    nodes = [node(0, "u0", None), node(1, "a0", 0)]
    calls, sidecars = [Call(1, "t0", None, None)], []
    for number in range(2_000):
        first = len(nodes)
        nodes += [
            node(first, f"u{number + 1}", None, f"k{number}"),
            node(first + 1, f"a{number + 1}", first, f"k{number}"),
        ]
        calls.append(Call(first + 1, f"t{number + 1}", None, None))
        sidecars.append(Sidecar("s", f"k{number}", None, f"t{number}", None))
    calls_of = {call.tool_use_id: (call.node,) for call in calls}
    with small_stack():
        built_graph = build(nodes, calls=calls, sidecars=sidecars, calls_of=calls_of)
    assert [line.parent for line in built_graph.forest.lines] == [-1, *range(2_000)]
    assert built_graph.diagnostics == []


def progress_chain() -> list[Node]:
    nodes = [node(0, "u0", None), node(1, "a0", 0)]
    parent = 1
    for number in range(50_000):
        first = len(nodes)
        nodes += [node(first, f"p{number}", parent), node(first + 1, f"p{number}x", parent)]
        parent = first
    return nodes


def test_progress_chain_of_50_000_entries_without_talk_entries_is_set_aside(monkeypatch: pytest.MonkeyPatch) -> None:
    nodes = progress_chain()
    with small_stack(), recorded_child_counts(monkeypatch) as counts:
        built_graph = build(nodes)
    assert counts == [2]  # both children of the first fork are inlined, so the forks below it are not ruled on
    assert len(built_graph.placement.aside) == 100_000 - 2


def test_progress_chain_of_50_000_entries_with_a_final_answer_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    nodes = progress_chain()
    nodes.append(node(len(nodes), "a1", len(nodes) - 2))
    with small_stack(), recorded_child_counts(monkeypatch) as counts:
        built_graph = build(nodes)
    assert counts == [2] * 50_000
    assert [len(line.nodes) for line in built_graph.forest.lines] == [len(nodes)]
