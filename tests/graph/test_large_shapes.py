"""Large shapes: nothing recurses over data, and every fork is ruled on once."""

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
        at=index,
        is_stamped=1,
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


def built(nodes: list[Node], **more: Any) -> FamilyGraph:
    family = Family(nodes=nodes, session_ids={1: "s"}, source_ranks={1: 0}, **more)
    return build_graph(link(outline(family), AgentHints()), ForkContents())


@contextmanager
def shallow() -> Iterator[None]:
    """Leave little room on the stack, so that recursion over data fails."""
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
def rulings(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """Collect the number of children of every fork that is ruled on."""
    seen: list[int] = []

    def counting(fork: Fork) -> Ruling:
        seen.append(len(fork.children))
        return rule(fork)

    monkeypatch.setattr("ccindex.graph.placement.rule", counting)
    yield seen


def test_a_chain_of_200_000() -> None:
    nodes = [node(i, f"{'ua'[i % 2]}{i}", i - 1 if i else None) for i in range(200_000)]
    with shallow():
        made = built(nodes)
    [line] = made.forest.lines
    assert line.nodes == tuple(range(200_000))
    assert [path.entry_count for path in made.paths] == [200_000]


def test_one_parent_with_50_000_children(monkeypatch: pytest.MonkeyPatch) -> None:
    nodes = [node(0, "a0", None), *(node(i, f"u{i}", 0) for i in range(1, 50_001))]
    with shallow(), rulings(monkeypatch) as seen:
        made = built(nodes)
    assert seen == [50_000]
    assert len(made.forest.lines) == len(made.paths) + 1 == 50_001
    assert sum(line.is_active for line in made.forest.lines) == 2


def test_500_rewinds_one_inside_the_other() -> None:
    nodes = [node(0, "u0", None), node(1, "a0", 0)]
    at = 1
    for number in range(1, 501):
        first = len(nodes)
        nodes += [
            node(first, f"u{number}x", at),
            node(first + 1, f"u{number}", at),
            node(first + 2, f"a{number}", first + 1),
        ]
        at = first + 2
    with shallow():
        made = built(nodes)
    assert len(made.forest.lines) == 1_001
    deepest = max(made.forest.lines, key=lambda line: line.id.count("@"))
    assert deepest.id.count("@") == 500
    assert [path.entry_count for path in made.paths if made.forest.lines[path.line].is_active] == [2 + 2 * 500]


def test_2_000_agents_one_inside_the_other() -> None:
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
    holders = {call.tool_use_id: (call.node,) for call in calls}
    with shallow():
        made = built(nodes, calls=calls, sidecars=sidecars, calls_of=holders)
    assert [line.parent for line in made.forest.lines] == [-1, *range(2_000)]
    assert made.findings == []


def progress_chain() -> list[Node]:
    nodes = [node(0, "u0", None), node(1, "a0", 0)]
    at = 1
    for number in range(50_000):
        first = len(nodes)
        nodes += [node(first, f"p{number}", at), node(first + 1, f"p{number}x", at)]
        at = first
    return nodes


def test_a_progress_chain_of_50_000_with_leaves_and_no_talk_below(monkeypatch: pytest.MonkeyPatch) -> None:
    nodes = progress_chain()
    with shallow(), rulings(monkeypatch) as seen:
        made = built(nodes)
    assert seen == [2]  # both are inlined; forks below the first are not ruled on
    assert len(made.placement.aside) == 100_000 - 2


def test_a_progress_chain_of_50_000_with_leaves_and_an_answer_at_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    nodes = progress_chain()
    nodes.append(node(len(nodes), "a1", len(nodes) - 2))
    with shallow(), rulings(monkeypatch) as seen:
        made = built(nodes)
    assert seen == [2] * 50_000
    assert [len(line.nodes) for line in made.forest.lines] == [len(nodes)]
