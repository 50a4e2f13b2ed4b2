"""A family's rows to the values that the graph is built from."""

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

from ccindex.chunks import digest
from ccindex.model.graph import (
    NONE,
    AgentFile,
    AgentHints,
    Call,
    Family,
    ForkContents,
    Forked,
    Kind,
    LeafRecord,
    Naming,
    Node,
    Sidecar,
)
from ccindex.store.sql_files import load
from ccindex.store.temporary import fill

_NODE = len(Node._fields)
_PLACED = _NODE + 8
_USERS = frozenset({Kind.PROMPT, Kind.RESULT})
_ASSISTANT, _BOUNDARY, _RESULT = Kind.ASSISTANT, Kind.BOUNDARY, Kind.RESULT


@dataclass(frozen=True, slots=True)
class Loaded:
    """A family, with what is shown of its entries so far.

    `stored`: the rows of places, by entry; all None where there is none.
    """

    sessions: tuple[int, ...]
    family: Family
    index_of: Mapping[int, int]
    stored: Sequence[tuple[Any, ...]]
    models: Mapping[int, frozenset[str]]


def load_family(connection: sqlite3.Connection, numbers: Sequence[int]) -> Loaded:
    """Read the entries of some families as those of one, by time, and all that says how they hang together."""
    find = "select s.session from json_each(?) j cross join sessions s on s.family = j.value order by s.session"
    rows = connection.execute(find, (json.dumps(numbers),))
    sessions = tuple(session for (session,) in rows)
    fill(connection, "family", sessions)
    found = connection.execute(load("derive/nodes")).fetchall()
    nodes = [Node._make(row[:_NODE]) for row in found]
    models: defaultdict[int, set[str]] = defaultdict(set)
    for session, model in {(node.session, row[-1]) for node, row in zip(nodes, found, strict=True)}:
        if model is not None:
            models[session].add(model)
    named = [
        Naming(index, agent, (call,))
        for index, (call, agent) in enumerate(map(itemgetter(-3, -2), found))
        if call is not None and agent is not None
    ]
    index_of = {node.entry: index for index, node in enumerate(nodes)}
    family = Reader(connection, nodes, index_of).family(sessions, named)
    stored = [row[_NODE:_PLACED] for row in found]
    return Loaded(sessions, family, index_of, stored, {key: frozenset(value) for key, value in models.items()})


def load_hints(
    connection: sqlite3.Connection,
    loaded: Loaded,
    prompts: Mapping[int, Sequence[int]],
    roots: Iterable[int],
) -> AgentHints:
    """Read the first words of agent threads, whose prompts are given by time, and the files that hold their roots."""
    reader = Reader(connection, loaded.family.nodes, loaded.index_of)
    files: defaultdict[int, list[AgentFile]] = defaultdict(list)
    for root, agent_id, source in reader.rows("derive/agent_files", roots):
        files[root].append(AgentFile(agent_id, source))
    return AgentHints(told=_first_words(reader, prompts), files={root: tuple(found) for root, found in files.items()})


def load_fork_contents(
    connection: sqlite3.Connection, loaded: Loaded, siblings: Mapping[int, Sequence[int]], compared: Iterable[int]
) -> ForkContents:
    """Read what is compared at forks; `compared`: assistant entries whose texts and tool_use ids are."""
    nodes = loaded.family.nodes
    reader = Reader(connection, nodes, loaded.index_of)
    callers = [parent for parent in siblings if nodes[parent].kind == _ASSISTANT]
    children = [index for group in siblings.values() for index in group]
    uses = reader.grouped("derive/uses", callers)
    repeated = [index for group in siblings.values() for index in _of_one_instant(nodes, group)]
    return ForkContents(
        uses={index: frozenset(calls) for index, calls in uses.items()},
        answers=reader.grouped("derive/answers", (index for index in children if nodes[index].kind == _RESULT)),
        texts=reader.texts(repeated),
        contents=reader.contents(compared),
    )


def _first_words(reader: "Reader", prompts: Mapping[int, Sequence[int]]) -> dict[int, tuple[int, str]]:
    """Find the earliest prompt of every thread that has words, reading twice as many per thread in every round."""
    found: dict[int, tuple[int, str]] = {}
    waiting, start, size = prompts, 0, 1
    while waiting:
        texts = reader.texts(index for own in waiting.values() for index in own[start : start + size])
        for thread, own in waiting.items():
            first = next((index for index in own[start : start + size] if texts[index]), NONE)
            if first != NONE:
                found[thread] = (first, texts[first])
        start, size = start + size, size * 2
        waiting = {thread: own for thread, own in waiting.items() if thread not in found and start < len(own)}
    return found


def load_titles(connection: sqlite3.Connection, loaded: Loaded) -> dict[int, str]:
    """Read what the family's sessions are called; temp.family holds them still."""
    nodes = loaded.family.nodes
    leaves = connection.execute("select leaf from records where leaf is not null limit ?", (len(nodes),)).fetchall()
    if len(leaves) < len(nodes):  # fewer are named than there are to ask about
        named = {leaf for (leaf,) in leaves}
        entries = [node.entry for node in nodes if node.uuid in named]
    else:
        entries = [node.entry for node in nodes]
    return dict(connection.execute(load("derive/titles"), {"entries": json.dumps(entries)}).fetchall())


def _of_one_instant(nodes: Sequence[Node], group: Sequence[int]) -> list[int]:
    """Prompts that may repeat one another."""
    by_instant: defaultdict[int, list[int]] = defaultdict(list)
    for index in group:
        if nodes[index].kind == Kind.PROMPT:
            by_instant[nodes[index].at].append(index)
    return [index for prompts in by_instant.values() if len(prompts) > 1 for index in prompts]


class Reader:
    """Runs statements on some of a family's entries, and gives entries back by their place in time."""

    def __init__(self, connection: sqlite3.Connection, nodes: Sequence[Node], index_of: Mapping[int, int]) -> None:
        self._connection = connection
        self._nodes = nodes
        self._index_of = index_of

    def rows(self, name: str, indexes: Iterable[int]) -> list[tuple[Any, ...]]:
        """Run a statement on some entries; the first column of what it gives is an entry."""
        entries = json.dumps([self._nodes[index].entry for index in indexes])
        if entries == "[]":
            return []
        found = self._connection.execute(load(name), {"entries": entries})
        return sorted(
            ((self._index_of[entry], *rest) for entry, *rest in found),
            key=lambda row: row[0],  # stable: within an entry as the statement orders them
        )

    def grouped(self, name: str, indexes: Iterable[int]) -> dict[int, tuple[Any, ...]]:
        """Run a statement of two columns; give the second by entry."""
        found: defaultdict[int, list[Any]] = defaultdict(list)
        for index, value in self.rows(name, indexes):
            found[index].append(value)
        return {index: tuple(values) for index, values in found.items()}

    def contents(self, indexes: Iterable[int]) -> dict[int, frozenset[bytes]]:
        """Read digests of the texts and tool_use ids of assistant entries."""
        found: defaultdict[int, set[bytes]] = defaultdict(set)
        for index, is_text, content in self.rows("derive/response_contents", indexes):
            found[index].add(digest(content, is_text=bool(is_text)))
        return {index: frozenset(keys) for index, keys in found.items()}

    def texts(self, prompts: Iterable[int]) -> dict[int, str]:
        """Read the words of some prompts."""
        return {index: text or "" for index, text in self.rows("derive/texts", prompts)}

    def family(self, sessions: Sequence[int], progress: list[Naming]) -> Family:
        """Read what links a family's entries."""
        nodes = self._nodes
        kinds = [node.kind for node in nodes]
        users = [index for index, kind in enumerate(kinds) if kind in _USERS]
        assistants = [index for index, kind in enumerate(kinds) if kind == _ASSISTANT]
        callers = self._among(assistants, "select entry from tool_uses where name in ('Task', 'Agent') limit ?")
        calls = [call_of(*row) for row in self.rows("derive/calls", callers)]
        sidecars = self._sidecars()
        outcomes, runs = self._outcomes(users)
        wanted = {sidecar.tool_use_id for sidecar in sidecars} | {call.tool_use_id for call in calls}
        wanted.update(call for naming in (*progress, *runs) for call in naming.tool_use_ids)
        answers_of, calls_of = self._holders(wanted - {None})
        speakers = self._among(users, "select entry from agent_mentions limit ?")
        named = self._connection.execute(load("derive/named_entries")).fetchall()
        ranks = self._source_ranks(row[5] for row in named)
        return Family(
            nodes=nodes,
            session_ids=self._session_ids(sessions),
            source_ranks=ranks,
            logical=self._logical(),
            forked=[
                Forked(index, self._index_of.get(original, NONE), self._session(session_id))
                for index, original, session_id in self.rows("derive/forked", range(len(nodes)))
            ],
            sidecars=sidecars,
            calls=calls,
            outcomes=outcomes,
            mentions=[
                Naming(index, agent, () if call is None else (call,))
                for index, agent, call in self.rows("derive/mentions", speakers)
            ],
            progress=progress,
            runs=runs,
            leaves=self._leaves(named, ranks),
            contexts=self._contexts(named),
            answers_of=answers_of,
            calls_of=calls_of,
        )

    def _among(self, indexes: list[int], find: str) -> list[int]:
        """Those entries that a statement gives of the whole index, if it gives fewer than these; else all of these."""
        found = self._connection.execute(find, (len(indexes),)).fetchall()
        if len(found) == len(indexes):
            return indexes
        given = {self._index_of[entry] for (entry,) in found if entry in self._index_of}
        return [index for index in indexes if index in given]

    def _outcomes(self, users: Sequence[int]) -> tuple[list[Naming], list[Naming]]:
        """Results that name an agent, with the entry's own agent id where that is no thread's; and a workflow run."""
        nodes = self._nodes
        said = self.rows("derive/outcomes", users)
        own = [(index, nodes[index].own_agent_id, None) for index in users if not nodes[index].is_agent]
        own = [row for row in own if row[1] is not None]
        answers = self.grouped("derive/answers", sorted({index for index, *_ in (*said, *own)}))
        agents, runs = [], []
        for index, agent, run in (*said, *own):
            if index in answers:
                calls = tuple(call for call in answers[index] if call is not None)
                if agent is not None:
                    agents.append(Naming(index, agent, calls))
                if run is not None:
                    runs.append(Naming(index, run, calls))
        return sorted(set(agents)), runs

    def _logical(self) -> dict[int, tuple[int, ...]]:
        """What boundaries name to go on from, as far as it was seen."""
        named: defaultdict[int, list[int]] = defaultdict(list)
        boundaries = (index for index, node in enumerate(self._nodes) if node.kind == _BOUNDARY)
        for index, _, entry in self.rows("derive/preserved", boundaries):
            if entry in self._index_of:
                named[index].append(self._index_of[entry])
        return {index: tuple(targets) for index, targets in named.items()}

    def _sidecars(self) -> list[Sidecar]:
        sources = json.dumps(sorted({node.source for node in self._nodes if node.is_agent}))
        return [Sidecar(*row) for row in self._connection.execute(load("derive/sidecars"), {"sources": sources})]

    def _holders(self, calls: set[Any]) -> tuple[dict[str, tuple[int, ...]], dict[str, tuple[int, ...]]]:
        """Who answers each call and who holds it, by time."""
        answers: defaultdict[str, list[int]] = defaultdict(list)
        holders: defaultdict[str, list[int]] = defaultdict(list)
        fill(self._connection, "wanted", calls)
        for call, entry, is_answer in self._connection.execute(load("derive/holders")):
            index = self._index_of.get(entry, NONE)
            if index == NONE:
                continue
            kind = self._nodes[index].kind
            if is_answer and kind in _USERS:
                answers[call].append(index)
            elif not is_answer and kind == _ASSISTANT:
                holders[call].append(index)
        return (
            {call: tuple(sorted(indexes)) for call, indexes in answers.items()},
            {call: tuple(sorted(indexes)) for call, indexes in holders.items()},
        )

    def _session(self, session_id: str | None) -> int | None:
        """The number of a session that an entry names, whether or not anything claims it yet."""
        if session_id is None:
            return None
        self._connection.execute("insert or ignore into session_ids (session_id) values (?)", (session_id,))
        find = "select id from session_ids where session_id = ?"
        return int(self._connection.execute(find, (session_id,)).fetchone()[0])

    def _session_ids(self, sessions: Sequence[int]) -> dict[int, str]:
        find = "select i.id, i.session_id from json_each(?) j cross join session_ids i on i.id = j.value"
        return dict(self._connection.execute(find, (json.dumps(list(sessions)),)).fetchall())

    def _leaves(self, named: Iterable[tuple[Any, ...]], ranks: Mapping[int, int]) -> dict[int, LeafRecord]:
        """The last `last-prompt` record of every session."""
        found: dict[int, LeafRecord] = {}
        for type_, session, _, entry, at, source, generation, offset in named:
            if type_ == "last-prompt" and entry in self._index_of:
                record = LeafRecord(self._index_of[entry], (at, ranks[source], generation, offset))
                if session not in found or found[session].time < record.time:
                    found[session] = record
        return found

    def _contexts(self, named: Iterable[tuple[Any, ...]]) -> dict[tuple[int, str], list[int]]:
        """The entries that the `fork-context-ref` records of every agent name, in order of the files."""
        found: defaultdict[tuple[int, str], list[int]] = defaultdict(list)
        for type_, session, agent_id, entry, *_ in named:
            if type_ == "fork-context-ref" and agent_id is not None and entry in self._index_of:
                found[session, agent_id].append(self._index_of[entry])
        return found

    def _source_ranks(self, others: Iterable[int]) -> dict[int, int]:
        sources = json.dumps(sorted({node.source for node in self._nodes}.union(others)))
        find = "select s.id from json_each(?) j cross join sources s on s.id = j.value order by s.path"
        return {source: rank for rank, (source,) in enumerate(self._connection.execute(find, (sources,)))}


def call_of(index: int, tool_use_id: str | None, text: str, is_spawn: int) -> Call:
    """A call with what its input asks for, as far as that has such texts."""
    try:
        asked = json.loads(text)
    except (ValueError, RecursionError):  # too deep to be compared
        asked = None
    if not isinstance(asked, dict):
        return Call(index, tool_use_id, is_spawn=bool(is_spawn))
    prompt = asked.get("prompt")
    return Call(
        index,
        tool_use_id,
        prompt if isinstance(prompt, str) else None,
        _text(asked.get("name")),
        _text(asked.get("subagent_type")),
        _text(asked.get("team_name")),
        asked.get("run_in_background") in (True, "true"),  # 1 equals True
        bool(is_spawn),
    )


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None
