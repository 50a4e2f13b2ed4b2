"""The work to build a graph is almost linear: bytecode instructions are counted at sizes n and 4n for many shapes."""

import sys
from collections.abc import Callable, Iterable
from types import FrameType
from typing import Any, NamedTuple, ParamSpec, TypeVar

import pytest

from ccindex.graph.build import FamilyGraph, build_graph
from ccindex.graph.parents import link
from ccindex.graph.subtrees import compared_entries
from ccindex.graph.threads import outline
from tests.making.dag.grammar import read
from tests.making.dag.values import Facts

_P = ParamSpec("_P")
_T = TypeVar("_T")

N = 250
MAX_GROWTH = 4.6  # from n to 4n: 4 if work is linear, about 5 if all of it is n log n, 16 if it is quadratic


class InstructionCounter:
    """Runs functions and counts the bytecode instructions they execute."""

    def __init__(self) -> None:
        self.count = 0

    def run(self, function: Callable[_P, _T], *values: _P.args, **named: _P.kwargs) -> _T:
        previous = sys.gettrace()
        sys.settrace(self._on_call)
        try:
            return function(*values, **named)
        finally:
            sys.settrace(previous)

    def _on_call(self, frame: FrameType, event: str, _: Any) -> Any:  # noqa: ARG002 - the signature settrace requires
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        return self._on_opcode

    def _on_opcode(self, _: FrameType, event: str, __: Any) -> Any:
        if event == "opcode":
            self.count += 1
        return self._on_opcode


def work(text: str) -> tuple[int, FamilyGraph]:
    """Build the described graph; return the number of instructions executed, excluding parsing, and the graph."""
    facts, counter = Facts(read(text)), InstructionCounter()
    threads = counter.run(outline, facts.family())
    links = counter.run(link, threads, facts.hints(threads))
    counter.run(compared_entries, links)
    built_graph = counter.run(build_graph, links, facts.contents(links))
    return counter.count, built_graph


def lines(texts: Iterable[str]) -> str:
    return "\n".join(texts)


def nested_rewinds(n: int) -> str:
    """n rewinds, each on the last branch of the previous one."""
    return lines(["u0 -> a0", *(f"a{i} -> u{i}x\na{i} -> u{i + 1} -> a{i + 1}" for i in range(n))])


def nested_retries(n: int) -> str:
    return lines(["u0", *(f"u{i} -> a{i}x\nu{i} -> a{i} -> u{i + 1}" for i in range(n))])


def retries(n: int) -> str:
    """n answers to one prompt."""
    return lines(["u0", *(f"u0 -> a{i} -> u{i}x" for i in range(n))])


def roots_recorded_again(n: int) -> str:
    """n parentless roots that record the same history."""
    return lines(f'u{i} -> a{i}=m1"yes" -> u{i}x' for i in range(n))


def roots_with_overlapping_history(n: int) -> str:
    """n roots, each with the end of the previous root's history and one more entry."""
    return lines(
        f"u{i} -> " + " -> ".join(f'a{i}x{j}=m{j}"yes {j}"' for j in range(max(0, i - 3), i + 1)) for i in range(n)
    )


def roots_with_one_response(n: int) -> str:
    """n roots that share one response; none of the roots repeats the history of another."""
    return lines(f'u{i} -> a{i}=m"yes" -> a{i}x=m{i}' for i in range(n))


def cuts(n: int) -> str:
    """n boundaries that cut one segment, from its start to its end."""
    chain = " -> ".join(f"a{i}@{10 * i}" for i in range(1, n + 1))
    return lines(["u0 -> " + chain, *(f"b{i}@{10 * i + 5} ~> a{i}\nb{i} -> u{i}x@{10 * i + 6}$" for i in range(1, n))])


def cuts_from_the_end(n: int) -> str:
    """n boundaries that cut one segment, from its end to its start, all earlier than its talk."""
    chain = " -> ".join(f"a{i}@{100 * n + i}" for i in range(1, n + 1))
    return lines(["u0 -> " + chain, *(f"b{i} ~> a{n - i}\nb{i} -> u{i}x$" for i in range(1, n))])


def boundaries_without_logical_parent(n: int) -> str:
    return lines(["u0 -> a0", *(f"b{i} -> u{i}x$" for i in range(n))])


def agents_by_name(n: int) -> str:
    """n agents with the same prompt and different names, in a different order than their calls."""
    calls = (f'a0 -> a{i}x[t{i}:Task/n{i}]"go"' for i in range(n))
    return lines(["u0 -> a0", *calls, *(f'agent k{i}/n{i * 7 % n}: u{i}x"go"' for i in range(n))])


def agents_by_wrong_names(n: int) -> str:
    """n agents with the same prompt, whose names match no call."""
    calls = (f'a0 -> a{i}x[t{i}:Task/m{i}]"go"' for i in range(n))
    return lines(["u0 -> a0", *calls, *(f'agent k{i}/n{i}: u{i}x"go"' for i in range(n))])


def agents_half_by_name(n: int) -> str:
    calls = (f'a0 -> a{i}x[t{i}:Task]"go"' for i in range(n))
    return lines(["u0 -> a0", *calls, *(f'agent k{i}{"/ann" if i % 2 else ""}: u{i}x"go"' for i in range(n))])


def agents_that_pass_on_their_prompt(n: int) -> str:
    """n agents with the same prompt, each calling another agent with that prompt."""
    return lines(["u0 -> a0", *(f'agent k{i}: u{i}x"go" -> a{i}x[t{i}:Task]"go"' for i in range(n))])


def agents_of_one_call_id(n: int) -> str:
    """n agents whose sidecars contain the same call id; every agent's thread has a call with that id."""
    threads = [f"agent k{i}: u{i}x -> a{i}x[t0:Task]" for i in range(n)]
    return lines(["u0 -> a0", *threads, *(f"a{i}x => agent k{i}: u{i}y" for i in range(n))])


def files_of_one_agent(n: int) -> str:
    """n agent files, each with a sidecar and a copy of the same root."""
    copies = (f"a0 => agent j{i}: copy u1" for i in range(n))
    return lines(["u0 -> a0[t0:Task] -> r0[t0]", "agent k: u1 -> a1 -> u2", *copies])


def agents_of_one_file(n: int) -> str:
    """n agents whose roots also occur in one other agent file."""
    agents = [f"agent k{i}: u{i}x -> a{i}x -> u{i}y" for i in range(n)]
    return lines(["u0 -> a0[t0] -> r0[t0]!z", *agents, *(f"agent z: copy u{i}x" for i in range(n))])


def commands_under_one_caveat(n: int) -> str:
    return lines(["n0", *(f"n0 -> c{i} -> c{i}x# -> u{i} -> a{i}" for i in range(n))])


def late_commands(n: int) -> str:
    return lines(["u0 -> a0 -> u1@1 -> a1@2", *(f"a0 -> c{i} -> c{i}x#" for i in range(n))])


def parallel_calls(n: int) -> str:
    """One entry with n calls and an answer to every result."""
    calls = " ".join(f"t{i}" for i in range(n))
    return lines([f"u0 -> a0[{calls}]", *(f"a0 -> r{i}[t{i}] -> a{i}x" for i in range(n)), "a0 -> a0y"])


def parallel_calls_in_a_chain(n: int) -> str:
    return lines(["u0 -> a0[t0]", *(f"a{i} -> r{i}[t{i}] -> a{i}x\na{i} -> a{i + 1}[t{i + 1}]" for i in range(n))])


def late_blocks(n: int) -> str:
    """A chain of n results, each followed by a block of the first response and by another answer."""
    results = (f"r{i} -> a{i}x=m\nr{i} -> a{i}y\nr{i} -> r{i + 1}[t0]" for i in range(n))
    return lines(["u0 -> a0[t0]=m -> r0[t0]", *results])


def history_recorded_again(n: int) -> str:
    """n nested forks; at each fork, an answer was recorded twice."""
    return lines(["u0", *(f'u{i} -> a{i}x=m{i}"yes"\nu{i} -> a{i}=m{i}"yes" -> u{i + 1}' for i in range(n))])


def history_with_one_more_response(n: int) -> str:
    """n nested forks; at each fork, the shorter history has one response that the longer one does not."""
    return lines(["u0", *(f'u{i} -> a{i}x=m"yes" -> a{i}y\nu{i} -> a{i}=m"yes" -> u{i + 1}' for i in range(n))])


def leaf_records_of_sessions(n: int) -> str:
    """n nested rewinds, and n sessions with a rewind and a record that refers to the deepest leaf."""
    sessions = (f"s{i}: a0 -> u{i}y\ns{i}: a0 -> u{i}z\ns{i}: leaf a{n}" for i in range(n))
    return lines([nested_rewinds(n), *sessions])


class Shape(NamedTuple):
    """A shape, with the rungs, line count and set-aside count that are expected if it is generated correctly."""

    text: Callable[[int], str]
    rungs: set[str]
    line_count: int
    aside_count: int = 0
    n: int = N


SHAPES = [
    Shape(nested_rewinds, {"rewind"}, 1001, n=500),
    Shape(nested_retries, {"rewind"}, 1001, n=500),
    Shape(retries, {"rewind"}, N + 1),
    Shape(roots_recorded_again, set(), 1, 3 * (N - 1)),
    Shape(roots_with_overlapping_history, set(), 1, 9),
    Shape(roots_with_one_response, set(), 1),
    Shape(cuts, set(), 1),
    Shape(cuts_from_the_end, set(), 1),
    Shape(boundaries_without_logical_parent, set(), 1),
    Shape(agents_by_name, {"rewind"}, 2 * N + 1),
    Shape(agents_by_wrong_names, {"rewind"}, 2 * N + 1),
    Shape(agents_half_by_name, {"rewind"}, 2 * N + 1),
    Shape(agents_that_pass_on_their_prompt, set(), N + 1),
    Shape(agents_of_one_call_id, set(), N + 1),
    Shape(files_of_one_agent, set(), 2),
    Shape(agents_of_one_file, set(), N + 1),
    Shape(commands_under_one_caveat, {"continuation"}, 1),
    Shape(late_commands, {"side_branches"}, 1),
    Shape(parallel_calls, {"parallel_calls"}, 1),
    Shape(parallel_calls_in_a_chain, {"parallel_calls"}, 1),
    Shape(late_blocks, {"parallel_calls", "structural_results"}, 1),
    Shape(history_recorded_again, {"replay"}, 1, N),
    Shape(history_with_one_more_response, {"rewind"}, 2 * N + 1),
    Shape(leaf_records_of_sessions, {"rewind"}, 4 * N + 1),
]


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.text.__name__)
def test_work_grows_almost_linearly(shape: Shape) -> None:
    work(shape.text(shape.n))  # Python 3.12 and 3.13 report no opcodes for the first traced call of a function
    few, built_graph = work(shape.text(shape.n))
    assert {ruled.ruling.rung for ruled in built_graph.placement.ruled} == shape.rungs
    assert (len(built_graph.forest.lines), len(built_graph.placement.aside)) == (shape.line_count, shape.aside_count)
    many, _ = work(shape.text(4 * shape.n))
    assert many <= MAX_GROWTH * few, f"{few:,} instructions for {shape.n}, {many:,} for {4 * shape.n}"


def test_counter_detects_quadratic_work() -> None:
    def compare_all(n: int) -> int:
        return sum(one < other for one in range(n) for other in range(n))

    few, many = InstructionCounter(), InstructionCounter()
    InstructionCounter().run(compare_all, 10)
    few.run(compare_all, 10)
    many.run(compare_all, 40)
    assert many.count > 2 * MAX_GROWTH * few.count
