"""Graph queries: small cases, random projects compared with plain Python, long chains, and query plans."""

import re
import tempfile
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given

from ccindex.query.entry_graph import Step as EntryStep
from ccindex.query.graph_queries import GraphQuery, GraphRow, is_linear, load_rows, load_steps, load_tree
from ccindex.query.ids import Target
from ccindex.store.connection import Connection, reading
from ccindex.store.sql_files import load
from tests.making.files import write
from tests.making.hypothesis_settings import examples
from tests.making.indexes import ask, index
from tests.making.transcripts import line
from tests.reference.random_projects import projects

LONG = 20_000
# statements that must not scan a table
INDEXED = """ancestors branch_points children graph_rows parent_threads session_graph sidechains
subtree_graph"""
AGENT = {"isSidechain": True, "agentId": "a"}
OTHER = {"isSidechain": True, "agentId": "b"}
LATER = {"sessionId": "s2"}

MakeIndex = Callable[..., Connection]


@pytest.fixture
def make_index(db: Path, project: Path) -> Iterator[MakeIndex]:
    """Return a function that indexes files, passed as name=lines, and opens the index."""
    with ExitStack() as stack:

        def make(**files: Iterable[str]) -> Connection:
            for name, lines in files.items():
                write(project / f"{name}.jsonl", *lines)
            index(db, project)
            return stack.enter_context(reading(db))

        yield make


def entry_line(uuid: str, parent: str | None = None, second: int = 0, **keys: Any) -> str:
    """Return an entry with a timestamp that is given in seconds."""
    return line(uuid, parent=parent, second=second, **keys)


class Step(NamedTuple):
    uuid: str
    depth: int


class Child(NamedTuple):
    uuid: str
    thread_id: str
    line_id: str | None


class Root(NamedTuple):
    uuid: str
    kind: str | None
    parent_uuid: str | None


class BranchPoint(NamedTuple):
    uuid: str
    thread_id: Any
    child_count: Any


class Sidechain(NamedTuple):
    thread_id: str
    first_uuid: str
    last_uuid: Any
    entry_count: Any
    attachment_uuid: Any
    depth: int


Result = list[tuple[EntryStep, GraphRow]]


def query_entry(connection: Connection, query: str, uuid: str) -> Result:
    """Run a graph query on the given entry and return its rows."""
    return list(load_rows(connection, load_steps(connection, GraphQuery(query), Target("entry", uuid))))


def query_session(connection: Connection, query: str, session_id: str) -> Result:
    """Run a graph query on the given session and return its rows."""
    return list(load_rows(connection, load_steps(connection, GraphQuery(query), Target("session", session_id))))


def to_steps(result: Result) -> list[Step]:
    return [Step(row.uuid, row.depth) for _, row in result]


def ancestors(connection: Connection, uuid: str) -> list[Step]:
    return to_steps(query_entry(connection, "ancestors", uuid))


def descendants(connection: Connection, uuid: str) -> list[Step]:
    return to_steps(query_entry(connection, "descendants", uuid))


def children(connection: Connection, uuid: str) -> list[Child]:
    found = query_entry(connection, "children", uuid)
    assert all(row.depth == 1 for _, row in found)
    return [Child(row.uuid, row.thread_id, row.line_id) for _, row in found]


def roots(connection: Connection, session_id: str) -> list[Root]:
    return [Root(row.uuid, row.root_kind, row.parent_uuid) for _, row in query_session(connection, "roots", session_id)]


def depth_first(connection: Connection, session_id: str) -> list[Step]:
    return to_steps(query_session(connection, "depth-first", session_id))


def breadth_first(connection: Connection, session_id: str) -> list[Step]:
    return to_steps(query_session(connection, "breadth-first", session_id))


def active_path(connection: Connection, session_id: str) -> list[str]:
    return [step.uuid for step in to_steps(query_session(connection, "active-path", session_id))]


def branch_points(connection: Connection, session_id: str) -> list[BranchPoint]:
    found = query_session(connection, "branch-points", session_id)
    return [BranchPoint(row.uuid, step.more[0], step.more[1]) for step, row in found]


def longest_path(connection: Connection, session_id: str) -> list[str]:
    found = to_steps(query_session(connection, "longest-path", session_id))
    assert [step.depth for step in found] == list(range(len(found)))
    return [step.uuid for step in found]


def sidechains(connection: Connection, session_id: str) -> list[Sidechain]:
    found = query_session(connection, "sidechains", session_id)
    return [Sidechain._make((row.thread_id, row.uuid, *step.more, row.depth)) for step, row in found]


def main_thread(connection: Connection, session_id: str) -> list[str]:
    return [step.uuid for step in to_steps(query_session(connection, "main-thread", session_id))]


def cycles(connection: Connection, session_id: str) -> list[list[str]]:
    """Return the cycles, each starting at its earliest member. Check that every row has its recorded parent."""
    found: list[list[str]] = []
    parents = {}
    for step, row in query_session(connection, "cycles", session_id):
        number, parents[row.uuid] = step.more
        if row.depth == 0:
            found.append([])
        assert (number, row.depth) == (len(found), len(found[-1]))
        found[-1].append(row.uuid)
    assert all(parents[child] == parent for cycle in found for child, parent in pairwise([*cycle, cycle[0]]))
    return found


def steps(text: str) -> list[Step]:
    """Parse steps in the form `uuid.depth`, such as `u1.0 u2.1`."""
    return [Step(uuid, int(depth)) for uuid, _, depth in (word.partition(".") for word in text.split())]


# r ─┬─ b ─── c
#    └─ a ─┬─ d
#          └─ e        by time, a precedes b and e precedes d; in the file, b and d come first
FORKS = [
    *(entry_line("r"), entry_line("b", "r", 5), entry_line("a", "r", 2)),
    *(entry_line("c", "b", 6), entry_line("d", "a", 8), entry_line("e", "a", 7)),
]


def test_ancestors_are_root_first_and_cross_sessions(make_index: MakeIndex) -> None:
    connection = make_index(
        s1=[entry_line("u1"), entry_line("u2", "u1", 1)],
        s2=[entry_line("v1", "u2", 2, **LATER), entry_line("v2", "v1", 3)],
    )
    assert ancestors(connection, "v2") == steps("u1.0 u2.1 v1.2")
    assert ancestors(connection, "u1") == []


def test_descendants_are_depth_first_with_siblings_in_time_order(make_index: MakeIndex) -> None:
    connection = make_index(s1=FORKS, s2=[entry_line("v1", "a", 9, **LATER), entry_line("v2", "v1", 10, **LATER)])
    assert descendants(connection, "r") == steps("a.1 e.2 d.2 v1.2 v2.3 b.1 c.2")
    assert descendants(connection, "a") == steps("e.1 d.1 v1.1 v2.2")
    assert descendants(connection, "c") == []


def test_siblings_with_the_same_timestamp_are_in_file_order(make_index: MakeIndex) -> None:
    later = [entry_line("z", "r", 1, **LATER), entry_line("y", "r", 1, **LATER)]
    connection = make_index(
        s2=later, s1=[entry_line("r"), entry_line("x", "r", 1), entry_line("below", "x"), entry_line("w", "r", 1)]
    )
    assert descendants(connection, "r") == steps("x.1 below.2 w.1 z.1 y.1")
    assert [child.uuid for child in children(connection, "r")] == ["x", "w", "z", "y"]


def test_entry_of_an_earlier_generation_precedes_its_replacement(make_index: MakeIndex) -> None:
    make_index(s1=[entry_line("r"), entry_line("filler", "r"), entry_line("x", "r", 1)])
    connection = make_index(s1=[entry_line("r"), entry_line("y", "r", 1)])
    assert [child.uuid for child in children(connection, "r")] == ["filler", "x", "y"]
    assert descendants(connection, "r") == steps("filler.1 x.1 y.1")
    assert active_path(connection, "s1") == ["r", "y"]


def test_children_have_their_threads_and_lines(make_index: MakeIndex) -> None:
    words = {"message": {"role": "user", "content": "the same"}}
    connection = make_index(
        s1=[
            entry_line("u1"),
            entry_line("u2", "u1", 2, **words),
            entry_line("u3", "u1", 2, **words),
            entry_line("g1", "u1", 1, **AGENT),
        ],
        s2=[entry_line("v1", "u1", 3, **LATER)],
    )
    assert children(connection, "u1") == [
        Child("g1", "s1#agent-a", "s1#agent-a"),
        Child("u2", "s1", "s1"),
        Child("u3", "s1", None),  # a replay
        Child("v1", "s2", "s2"),
    ]


def test_traversal_starts_at_the_roots_in_time_order_and_stays_in_the_session(make_index: MakeIndex) -> None:
    connection = make_index(
        s1=[*FORKS, entry_line("p", "lost", 1)],
        s2=[entry_line("v1", "a", 9, **LATER), entry_line("v2", "v1", 10, **LATER), entry_line("v3", None, 4, **LATER)],
    )
    assert depth_first(connection, "s1") == steps("r.0 a.1 e.2 d.2 b.1 c.2 p.0")
    assert breadth_first(connection, "s1") == steps("r.0 p.0 a.1 b.1 e.2 d.2 c.2")
    assert depth_first(connection, "s2") == steps("v3.0 v1.0 v2.1")
    assert roots(connection, "s1") == [Root("r", "start", None), Root("p", "orphan", None)]
    assert roots(connection, "s2") == [Root("v3", "start", None), Root("v1", "resume", "a")]


def test_root_of_an_attached_agent_is_not_a_root_of_the_session(make_index: MakeIndex) -> None:
    connection = make_index(
        s1=[entry_line("u1"), entry_line("g1", "u1", 1, **AGENT), entry_line("h1", None, 2, **OTHER)]
    )
    assert roots(connection, "s1") == [Root("u1", "start", None), Root("h1", "agent", None)]
    assert depth_first(connection, "s1") == steps("u1.0 g1.1 h1.0")


def test_session_that_continues_itself_through_another_has_two_roots(make_index: MakeIndex) -> None:
    connection = make_index(
        s1=[entry_line("u1"), entry_line("u2", "v1", 2), entry_line("u3", "u2", 3)],
        s2=[entry_line("v1", "u1", 1, **LATER)],
    )
    assert depth_first(connection, "s1") == steps("u1.0 u2.0 u3.1")
    assert longest_path(connection, "s1") == ["u2", "u3"]
    assert ancestors(connection, "u3") == steps("u1.0 v1.1 u2.2")


def test_active_child_is_the_last_in_file_order(make_index: MakeIndex) -> None:
    connection = make_index(s1=FORKS, s2=[entry_line("v1", "e", 9, **LATER)])
    assert active_path(connection, "s1") == ["r", "a", "e"]
    assert active_path(connection, "s2") == ["v1"]


def test_last_child_flagged_as_active_is_the_active_child(make_index: MakeIndex) -> None:
    flagged = {"is_active": True}
    connection = make_index(
        s1=[
            *(
                entry_line("r"),
                entry_line("a", "r", 1, **flagged),
                entry_line("b", "r", 2),
                entry_line("x", "a", 3, **flagged),
            ),
            *(
                entry_line("y", "a", 4, **flagged),
                entry_line("z", "a", 5, is_active=False),
                entry_line("g", "y", 6, **AGENT),
            ),
        ]
    )
    assert active_path(connection, "s1") == ["r", "a", "y"]


def test_entry_with_several_children_in_one_thread_is_a_branch_point(make_index: MakeIndex) -> None:
    connection = make_index(
        s1=[*FORKS, entry_line("g1", "c", 9, **AGENT), entry_line("f", "c", 10)],
        s2=[
            entry_line("v1", "r", 11, **LATER),
            entry_line("v2", "r", 12, **LATER),
            entry_line("v3", "v2", 13, **LATER),
        ],
    )
    assert branch_points(connection, "s1") == [
        BranchPoint("r", "s1", 2),
        BranchPoint("r", "s2", 2),
        BranchPoint("a", "s1", 2),
    ]
    assert not is_linear(connection, Target("session", "s1"))
    assert is_linear(connection, Target("session", "s2"))


def test_longest_path_with_the_earliest_leaf_is_chosen(make_index: MakeIndex) -> None:
    connection = make_index(
        s1=[*FORKS, entry_line("p", None, 1), entry_line("q", "p", 3), entry_line("g", "q", 7, **AGENT)]
    )
    assert longest_path(connection, "s1") == ["r", "b", "c"]


def test_sidechains_have_their_attachment_and_depth(make_index: MakeIndex) -> None:
    connection = make_index(
        s1=[
            *(entry_line("u1"), entry_line("u2", "u1", 9)),
            *(
                entry_line("g1", "u1", 3, **AGENT),
                entry_line("g2", "g1", 1, **AGENT),
                entry_line("g3", "g2", 5, **AGENT),
            ),
            *(entry_line("h1", "g3", 6, **OTHER), entry_line("k1", None, 2, isSidechain=True, agentId="c")),
        ],
        s2=[entry_line("w1", "h1", 7, isSidechain=True, agentId="d", **LATER), entry_line("w2", "lost", 8, **LATER)],
    )
    assert sidechains(connection, "s1") == [
        Sidechain("s1#agent-a", "g2", "g3", 3, "u1", 1),
        Sidechain("s1#agent-c", "k1", "k1", 1, None, 1),
        Sidechain("s1#agent-b", "h1", "h1", 1, "g3", 2),
    ]
    assert sidechains(connection, "s2") == [Sidechain("s2#agent-d", "w1", "w1", 1, "h1", 3)]
    assert main_thread(connection, "s1") == ["u1", "u2"]
    assert main_thread(connection, "s2") == ["w2"]


def test_earliest_of_threads_attached_to_each_other_is_the_root(make_index: MakeIndex) -> None:
    connection = make_index(
        s1=[
            *(entry_line("g1", "h2", 2, **AGENT), entry_line("g2", None, 3, **AGENT)),
            *(entry_line("h1", "g2", 1, **OTHER), entry_line("h2", None, 4, **OTHER)),
            entry_line("k1", "g1", 5, isSidechain=True, agentId="c"),
        ]
    )
    depths = {chain.thread_id: (chain.attachment_uuid, chain.depth) for chain in sidechains(connection, "s1")}
    assert depths == {"s1#agent-b": ("g2", 1), "s1#agent-a": ("h2", 2), "s1#agent-c": ("g1", 3)}


def test_cycles_start_at_their_earliest_member_and_follow_the_parents(make_index: MakeIndex) -> None:
    connection = make_index(
        s1=[
            *(entry_line("own", "own", 9), entry_line("tail", "c1", 0), entry_line("lone", "lost", 0)),
            *(entry_line("c3", "c2", 3), entry_line("c1", "c3", 1), entry_line("c2", "c1", 2)),
            entry_line("x", "y", 5),
        ],
        s2=[entry_line("y", "x", 4, **LATER)],
    )
    assert cycles(connection, "s1") == [["c1", "c3", "c2"], ["y", "x"], ["own"]]
    assert cycles(connection, "s2") == [["y", "x"]]


def test_unknown_id_returns_no_rows(make_index: MakeIndex) -> None:
    connection = make_index(s1=[entry_line("u1", "ghost")])
    for uuid in ("nobody", "ghost", "u", "s1"):
        assert [ask(connection, uuid) for ask in (ancestors, descendants, children)] == [[], [], []]
    for session_id in ("nobody", "s", "u1"):
        assert [ask(connection, session_id) for ask in SESSION_QUERIES.values()] == [[]] * len(SESSION_QUERIES)
        assert is_linear(connection, Target("session", session_id))


SESSION_QUERIES: dict[str, Callable[[Connection, str], list[Any]]] = {
    "roots": roots,
    "depth_first": depth_first,
    "breadth_first": breadth_first,
    "active_path": active_path,
    "branch_points": branch_points,
    "longest_path": longest_path,
    "sidechains": sidechains,
    "main_thread": main_thread,
    "cycles": cycles,
}


def draw(connection: Connection, target: Target) -> list[tuple[str, int, int]]:
    """Return the uuid, depth and indentation of every entry in the tree of the given target."""
    return [(row.uuid, row.depth, step.indent) for step, row in load_rows(connection, load_tree(connection, target))]


class Entry(NamedTuple):
    """An entry, with the view columns that the queries need."""

    uuid: str
    session: str
    parent: str | None
    recorded: str | None
    line: str | None
    thread: str
    timestamp_ms: int
    path: str
    offset: int
    active: int
    is_talk: int

    @property
    def time(self) -> tuple[int, str, int]:
        return (self.timestamp_ms, self.path, self.offset)


class PlainQueries:
    """The graph queries in plain Python, based on the parents in v1_entries."""

    def __init__(self, db: Path) -> None:
        rows = ask(
            db,
            "select e.uuid, e.session_id, e.parent_uuid, e.recorded_parent_uuid, e.line_id, "
            "coalesce(l.thread_id, a.thread_id), e.timestamp_ms, o.source_path, o.byte_offset, "
            "coalesce(l.is_active, 0), e.kind in ('assistant', 'result') or e.kind = 'prompt' and e.is_command = 0 "
            "from v1_entries e join v1_occurrences o on o.uuid = e.uuid and o.is_owner = 1 "
            "left join v1_lines l on l.line_id = e.line_id left join v1_set_aside a on a.uuid = e.uuid",
        )
        self.entries = sorted((Entry(*row) for row in rows), key=lambda entry: entry.time)
        self.by_uuid = {entry.uuid: entry for entry in self.entries}
        self.sessions = {entry.session for entry in self.entries}
        self.kinds = dict(ask(db, "select uuid, kind from v1_roots"))
        self.agents = {thread for (thread,) in ask(db, "select thread_id from v1_lines where kind like 'agent%'")}
        self.children_of: defaultdict[str | None, list[Entry]] = defaultdict(list)
        for entry in self.entries:
            self.children_of[entry.parent].append(entry)

    def ancestors(self, uuid: str) -> list[Step]:
        found: list[str] = []
        parent = self.by_uuid[uuid].parent
        while parent is not None:
            found.append(parent)
            parent = self.by_uuid[parent].parent
        return [Step(uuid, depth) for depth, uuid in enumerate(reversed(found))]

    def descendants(self, uuid: str) -> list[Step]:
        return self._walk([self.by_uuid[uuid]], self.sessions)[1:]

    def children(self, uuid: str) -> list[Child]:
        return [Child(child.uuid, child.thread, child.line) for child in self.children_of[uuid]]

    def roots(self, session: str) -> list[Root]:
        return [Root(entry.uuid, self.kinds[entry.uuid], entry.parent) for entry in self.roots_of(session)]

    def depth_first(self, session: str) -> list[Step]:
        return self._walk(self.roots_of(session), {session})

    def breadth_first(self, session: str) -> list[Step]:
        found = []
        queue = deque((entry, 0) for entry in self.roots_of(session))
        while queue:
            entry, depth = queue.popleft()
            found.append(Step(entry.uuid, depth))
            queue.extend((child, depth + 1) for child in self.children_of[entry.uuid] if child.session == session)
        return found

    def active_path(self, session: str) -> list[str]:
        found: list[str] = []
        roots = self.roots_of(session)
        talks = [root for root in roots if root.thread not in self.agents and self._latest(root)]
        for start in [root for root in talks if root.active] or talks[:1] or roots[:1]:
            entry: Entry | None = start
            while entry is not None:
                found.append(entry.uuid)
                entry = self.next(entry)
        return found

    def next(self, entry: Entry) -> Entry | None:
        """Return the child that continues the thread.

        A child on an active line is preferred, then a child on a new line, then the child with the latest talk entry.
        """
        own = [child for child in self.children_of[entry.uuid] if child.thread == entry.thread]
        return max(
            own,
            key=lambda child: (child.active, child.line != entry.line, self._latest(child), child.time),
            default=None,
        )

    def _latest(self, entry: Entry) -> tuple[Any, ...]:
        """Return the time of the latest talk entry in the same thread, at or below the given entry."""
        inside = [self.by_uuid[step.uuid] for step in self._walk([entry], {entry.session})]
        return max((each.time for each in inside if each.is_talk and self._is_connected(each, entry)), default=())

    def _is_connected(self, entry: Entry, top: Entry) -> bool:
        """Whether `top` is an ancestor, and the path up to it stays in its thread."""
        while entry != top and entry.thread == top.thread and entry.parent is not None:
            entry = self.by_uuid[entry.parent]
        return entry == top

    def tree(self, starts: list[Entry], sessions: set[str]) -> list[tuple[str, int, int]]:
        """Return the uuid, depth and indentation of the entries, in the order in which a tree shows them."""
        found = []
        stack = [(entry, 0, 0) for entry in reversed(starts)]
        while stack:
            entry, depth, indent = stack.pop()
            found.append((entry.uuid, depth, indent))
            own = [child for child in self.children_of[entry.uuid] if child.thread == entry.thread]
            after = self.next(entry)
            if after is not None and after.line != entry.line and len(own) > 1:
                after = None
            inside = [child for child in self.children_of[entry.uuid] if child.session in sessions]
            stack += [(after, depth + 1, indent)] if after is not None else []
            stack += [(child, depth + 1, indent + 1) for child in reversed(inside) if child != after]
        return found

    def branch_points(self, session: str) -> list[BranchPoint]:
        counts = Counter((child.parent, child.thread) for child in self.entries)
        return [
            BranchPoint(entry.uuid, thread, counts[entry.uuid, thread])
            for entry in self._entries_of(session)
            for thread in sorted({child.thread for child in self.children_of[entry.uuid]})
            if counts[entry.uuid, thread] > 1
        ]

    def longest_path(self, session: str) -> list[str]:
        chains = []
        for entry in self._entries_of(session):
            above = [self.by_uuid[step.uuid] for step in reversed(self.ancestors(entry.uuid))]
            inside = [
                up.uuid
                for number, up in enumerate(above)
                if {entry.session for entry in above[: number + 1]} == {session}
            ]
            chains.append((-len(inside), entry.time, [*reversed(inside), entry.uuid]))
        return min(chains)[2] if chains else []

    def sidechains(self, session: str) -> list[Sidechain]:
        found = []
        for thread in dict.fromkeys(entry.thread for entry in self._entries_of(session)):
            members = self._members[thread]
            if thread in self.agents:
                ends = (members[0].uuid, members[-1].uuid, len(members))
                found.append(Sidechain(thread, *ends, self._first_root(thread).parent, self._depth(thread)))
        return found

    def main_thread(self, session: str) -> list[str]:
        return [entry.uuid for entry in self._entries_of(session) if entry.thread not in self.agents]

    def cycles(self, session: str) -> list[list[str]]:
        found = []
        for entry in self.entries:
            chain = [entry.uuid]
            while (above := self.by_uuid[chain[-1]].recorded) in self.by_uuid and above not in chain:
                chain.append(str(above))
            if above == entry.uuid and entry.time == min(self.by_uuid[uuid].time for uuid in chain):
                found.append(chain)
        return [chain for chain in found if session in {self.by_uuid[uuid].session for uuid in chain}]

    def _entries_of(self, session: str) -> list[Entry]:
        return [entry for entry in self.entries if entry.session == session]

    def roots_of(self, session: str) -> list[Entry]:
        inside = {entry.uuid for entry in self._entries_of(session)}
        return [entry for entry in self._entries_of(session) if entry.parent not in inside]

    def _walk(self, starts: list[Entry], sessions: set[str]) -> list[Step]:
        found = []
        stack = [(entry, 0) for entry in reversed(starts)]
        while stack:
            entry, depth = stack.pop()
            found.append(Step(entry.uuid, depth))
            stack += [
                (child, depth + 1) for child in reversed(self.children_of[entry.uuid]) if child.session in sessions
            ]
        return found

    @cached_property
    def _members(self) -> dict[str, list[Entry]]:
        found = defaultdict(list)
        for entry in self.entries:
            found[entry.thread].append(entry)
        return found

    def _first_root(self, thread: str) -> Entry:
        inside = {entry.uuid for entry in self._members[thread]}
        return next(entry for entry in self._members[thread] if entry.parent not in inside)

    def _depth(self, thread: str) -> int:
        """Count the threads from the given one up to a root thread, or up to the earliest thread of a cycle."""
        chain = [thread]
        while (above := self._parent_thread(chain[-1])) is not None and above not in chain:
            chain.append(above)
        if above is None:
            return len(chain)
        cycle = chain[chain.index(above) :]
        return 1 + chain.index(min(cycle, key=lambda thread: self._first_root(thread).time))

    def _parent_thread(self, thread: str) -> str | None:
        parent = self._first_root(thread).parent
        above = self.by_uuid[parent].thread if parent else None
        return above if above in self.agents else None


@examples(25)
@given(projects())
def test_random_projects_match_a_plain_python_implementation(files: dict[str, bytes]) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        for path, data in files.items():
            write(folder / "projects" / "-w" / path, data, end="")
        db = folder / "x.db"
        index(db, folder / "projects")
        plain = PlainQueries(db)
        with reading(db) as connection:
            for uuid in plain.by_uuid:
                assert ancestors(connection, uuid) == plain.ancestors(uuid)
                assert descendants(connection, uuid) == plain.descendants(uuid)
                assert children(connection, uuid) == plain.children(uuid)
                expected = [Step(uuid, 0), *plain.descendants(uuid)]
                assert to_steps(query_entry(connection, "depth-first", uuid)) == expected
                assert sorted(to_steps(query_entry(connection, "breadth-first", uuid))) == sorted(expected)
                assert draw(connection, Target("entry", uuid)) == plain.tree([plain.by_uuid[uuid]], plain.sessions)
            for session in sorted({session for (session,) in ask(db, "select session_id from v1_sessions")}):
                for query, function in SESSION_QUERIES.items():
                    assert function(connection, session) == getattr(plain, query)(session), query
                assert draw(connection, Target("session", session)) == plain.tree(plain.roots_of(session), {session})
                assert is_linear(connection, Target("session", session)) == (plain.branch_points(session) == [])


def test_queries_handle_a_very_long_chain(make_index: MakeIndex) -> None:
    uuids = [f"u{number}" for number in range(LONG)]
    lines = [entry_line(uuid, parent) for uuid, parent in zip(uuids, [None, *uuids], strict=False)]
    connection = make_index(s1=lines, s2=[entry_line("own", "own", 1, **LATER)])
    walked = [Step(uuid, depth) for depth, uuid in enumerate(uuids)]
    assert ancestors(connection, uuids[-1]) == walked[:-1]
    assert descendants(connection, "u0") == walked[1:]
    assert children(connection, "u0") == [Child("u1", "s1", "s1")]
    assert depth_first(connection, "s1") == breadth_first(connection, "s1") == walked
    assert active_path(connection, "s1") == longest_path(connection, "s1") == main_thread(connection, "s1") == uuids
    assert [root.uuid for root in roots(connection, "s1")] == ["u0"]
    assert is_linear(connection, Target("session", "s1"))
    assert sidechains(connection, "s1") == []
    assert cycles(connection, "s2") == [["own"]]


def test_very_long_cycle_is_found_completely(make_index: MakeIndex) -> None:
    uuids = [f"u{number}" for number in range(LONG)]
    connection = make_index(
        s1=[entry_line(uuid, parent) for uuid, parent in zip(uuids, [uuids[-1], *uuids], strict=False)]
    )
    assert cycles(connection, "s1") == [["u0", *reversed(uuids[1:])]]
    assert longest_path(connection, "s1") == uuids


def test_deeply_nested_agents_have_the_right_depths(make_index: MakeIndex) -> None:
    uuids = [f"g{number}" for number in range(2000)]
    keys: list[dict[str, Any]] = [{"isSidechain": True, "agentId": uuid} for uuid in uuids]
    lines = [entry_line(uuid, parent, **key) for uuid, parent, key in zip(uuids, [None, *uuids], keys, strict=False)]
    found = sidechains(make_index(s1=lines), "s1")
    assert [chain.depth for chain in found] == list(range(1, 2001))


@pytest.mark.parametrize("name", INDEXED.split())
def test_statement_scans_no_table(make_index: MakeIndex, name: str) -> None:
    connection = make_index(s1=FORKS)
    statement = load(f"query/{name}")
    tables = {table for (table,) in connection.execute("select name from sqlite_schema where type = 'table'")}
    tables_by_alias = {alias: table for table, alias in re.findall(r"(?:from|join) (\w+) (\w+)", statement)}
    plan = connection.execute(f"explain query plan {statement}", {"uuid": "r", "session_id": "s1", "entries": "[1]"})
    scanned = {match.group(1) for *_, step in plan if (match := re.match(r"SCAN (\w+)", step))}
    assert {tables_by_alias.get(alias, alias) for alias in scanned} & tables == set()
