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
from ccindex.model.spawned import Journal, Reply, Spawned
from ccindex.store.rows import Row, insert_into
from ccindex.store.sql_files import encode_ids, load

_NODE_COLUMNS = len(Node._fields)
_PLACED_COLUMNS = _NODE_COLUMNS + 8
# as plain strings, because Enum members compare more slowly
_ASSISTANT, _BOUNDARY, _PROMPT, _RESULT = map(str, (Kind.ASSISTANT, Kind.BOUNDARY, Kind.PROMPT, Kind.RESULT))
_USER_KINDS = frozenset({_PROMPT, _RESULT})


class EntryReader:
    """Runs statements on some of a family's entries; entries are known by their index in time order."""

    def __init__(self, connection: sqlite3.Connection, sessions: Sequence[int], nodes: Sequence[Node]) -> None:
        self.connection = connection
        self.sessions = json.dumps(sessions)
        self.nodes = nodes
        self.index_of = {node.entry: index for index, node in enumerate(nodes)}

    def rows(self, statement: str, indexes: Iterable[int]) -> list[Row]:
        """Run a statement on some entries; replace the entry in its first column by the index, and sort by that."""
        entries = [self.nodes[index].entry for index in indexes]
        if not entries:
            return []
        found = self.connection.execute(load(statement), {"entries": json.dumps(entries)})
        return sorted(
            ((self.index_of[entry], *rest) for entry, *rest in found),
            key=itemgetter(0),  # stable: within an entry as the statement orders them
        )

    def grouped(self, statement: str, indexes: Iterable[int]) -> dict[int, tuple[Any, ...]]:
        """Run a statement with two columns; return the values of the second by index."""
        found: defaultdict[int, list[Any]] = defaultdict(list)
        for index, value in self.rows(statement, indexes):
            found[index].append(value)
        return {index: tuple(values) for index, values in found.items()}

    def texts(self, prompts: Iterable[int]) -> dict[int, str]:
        """Return the texts of some prompts."""
        return {index: text or "" for index, text in self.rows("derive/texts", prompts)}


@dataclass(frozen=True, slots=True)
class LoadedFamily:
    """A family, a reader of its entries, and the stored placements in time order, all None where there is none."""

    sessions: tuple[int, ...]
    family: Family
    reader: EntryReader
    stored: Sequence[Row]
    models: Mapping[int, frozenset[str]]
    has_queue_operations: bool  # now, or when queued words were last derived


def load_family(connection: sqlite3.Connection, families: Sequence[int]) -> LoadedFamily:
    """Read the sessions of some families as those of one."""
    find = "select s.session from json_each(?) j cross join sessions s on s.family = j.value order by s.session"
    sessions = tuple(session for (session,) in connection.execute(find, (json.dumps(families),)))
    found = connection.execute(load("derive/nodes"), {"sessions": json.dumps(sessions)}).fetchall()
    reader = EntryReader(connection, sessions, [Node._make(row[:_NODE_COLUMNS]) for row in found])
    models: defaultdict[int, set[str]] = defaultdict(set)
    for session, model in {(node.session, row[-1]) for node, row in zip(reader.nodes, found, strict=True)}:
        if model is not None:
            models[session].add(model)
    progress = [
        Naming(index, agent, (call,))
        for index, (call, agent) in enumerate(map(itemgetter(-3, -2), found))
        if call is not None and agent is not None
    ]
    return LoadedFamily(
        sessions,
        _load_links(reader, progress),
        reader,
        [row[_NODE_COLUMNS:_PLACED_COLUMNS] for row in found],
        {session: frozenset(names) for session, names in models.items()},
        connection.execute(load("derive/queue_sessions"), {"sessions": reader.sessions}).fetchone() is not None,
    )


def _load_links(reader: EntryReader, progress: list[Naming]) -> Family:
    """Read what links the entries of a family."""
    connection, nodes, index_of = reader.connection, reader.nodes, reader.index_of
    kinds = [node.kind for node in nodes]
    users = [index for index, kind in enumerate(kinds) if kind in _USER_KINDS]
    assistants = [index for index, kind in enumerate(kinds) if kind == _ASSISTANT]
    boundaries = [index for index, kind in enumerate(kinds) if kind == _BOUNDARY]
    callers = _among(reader, assistants, "select entry from tool_uses where name in ('Task', 'Agent') limit ?")
    calls = [parse_call(*row) for row in reader.rows("derive/calls", callers)]
    agent_sources = sorted({node.source for node in nodes if node.is_agent})
    given = {"sessions": reader.sessions, "sources": json.dumps(agent_sources)}
    sidecars = [Sidecar(*row) for row in connection.execute(load("derive/sidecars"), given)]
    outcomes, runs = _load_outcomes(reader, users)
    call_ids = {sidecar.tool_use_id for sidecar in sidecars} | {call.tool_use_id for call in calls}
    call_ids.update(call for naming in (*progress, *runs) for call in naming.tool_use_ids)
    answers_of, calls_of = _load_holders(reader, call_ids - {None}) if call_ids else ({}, {})
    mentioning = _among(reader, users, "select entry from agent_mentions limit ?")
    named = connection.execute(load("derive/named_entries"), given).fetchall()
    sources = {node.source for node in nodes}.union(row[5] for row in named)
    find = "select s.id from json_each(?) j cross join sources s on s.id = j.value order by s.path"
    ranks = {source: rank for rank, (source,) in enumerate(connection.execute(find, (json.dumps(list(sources)),)))}
    find = "select i.id, i.session_id from json_each(?) j cross join session_ids i on i.id = j.value"
    return Family(
        nodes=nodes,
        session_ids=dict(connection.execute(find, (reader.sessions,)).fetchall()),
        source_ranks=ranks,
        logical=_load_logical_parents(reader, boundaries) if boundaries else {},
        forked=[
            Forked(index, index_of.get(original, NONE), _session_number(connection, session_id))
            for index, original, session_id in reader.rows("derive/forked", range(len(nodes)))
        ],
        sidecars=sidecars,
        calls=calls,
        outcomes=outcomes,
        mentions=[
            Naming(index, agent, () if call is None else (call,))
            for index, agent, call in reader.rows("derive/mentions", mentioning)
        ],
        progress=progress,
        runs=runs,
        leaves=_last_leaves(reader, named, ranks) if named else {},
        contexts=_fork_contexts(reader, named) if named else {},
        answers_of=answers_of,
        calls_of=calls_of,
    )


def _among(reader: EntryReader, indexes: list[int], find: str) -> list[int]:
    """Return those entries that a statement finds in the whole index; all of them if it finds as many or more."""
    found = reader.connection.execute(find, (len(indexes),)).fetchall()
    if len(found) == len(indexes):
        return indexes
    wanted = {reader.index_of[entry] for (entry,) in found if entry in reader.index_of}
    return [index for index in indexes if index in wanted]


def _load_outcomes(reader: EntryReader, users: Sequence[int]) -> tuple[list[Naming], list[Naming]]:
    """Read results that name an agent, or the entry's own agent id outside agent files; and those of workflow runs."""
    named = reader.rows("derive/outcomes", users)
    for index in users:
        node = reader.nodes[index]
        if node.own_agent_id is not None and not node.is_agent:
            named.append((index, node.own_agent_id, None))
    answers = reader.grouped("derive/answers", sorted({index for index, *_ in named})) if named else {}
    agents, runs = [], []
    for index, agent, run in named:
        if index in answers:
            calls = tuple(call for call in answers[index] if call is not None)
            if agent is not None:
                agents.append(Naming(index, agent, calls))
            if run is not None:
                runs.append(Naming(index, run, calls))
    return sorted(set(agents)), runs


def _load_holders(
    reader: EntryReader, calls: set[Any]
) -> tuple[dict[str, tuple[int, ...]], dict[str, tuple[int, ...]]]:
    """Read the entries that answer each call, and those that hold it, by time."""
    answers: defaultdict[str, list[int]] = defaultdict(list)
    holders: defaultdict[str, list[int]] = defaultdict(list)
    given = {"calls": encode_ids(calls), "sessions": reader.sessions}
    for call, entry, is_answer in reader.connection.execute(load("derive/holders"), given):
        index = reader.index_of.get(entry, NONE)
        if index == NONE:
            continue
        kind = reader.nodes[index].kind
        if is_answer and kind in _USER_KINDS:
            answers[call].append(index)
        elif not is_answer and kind == _ASSISTANT:
            holders[call].append(index)
    return (
        {call: tuple(sorted(indexes)) for call, indexes in answers.items()},
        {call: tuple(sorted(indexes)) for call, indexes in holders.items()},
    )


def _load_logical_parents(reader: EntryReader, boundaries: Sequence[int]) -> dict[int, tuple[int, ...]]:
    """Read the entries of the family that compact boundaries name to go on from."""
    named: defaultdict[int, list[int]] = defaultdict(list)
    for index, _, entry in reader.rows("derive/preserved", boundaries):
        if entry in reader.index_of:
            named[index].append(reader.index_of[entry])
    return {index: tuple(targets) for index, targets in named.items()}


def _session_number(connection: sqlite3.Connection, session_id: str | None) -> int | None:
    """Return the number of a session that an entry names, whether or not anything claims it yet."""
    if session_id is None:
        return None
    connection.execute(insert_into("session_ids", verb="insert or ignore"), (session_id,))
    find = "select id from session_ids where session_id = ?"
    return int(connection.execute(find, (session_id,)).fetchone()[0])


def _last_leaves(reader: EntryReader, named: Iterable[Row], ranks: Mapping[int, int]) -> dict[int, LeafRecord]:
    """Return the last `last-prompt` record of every session."""
    found: dict[int, LeafRecord] = {}
    for type_, session, _, entry, at, source, generation, offset in named:
        if type_ == "last-prompt" and entry in reader.index_of:
            record = LeafRecord(reader.index_of[entry], (at, ranks[source], generation, offset))
            if session not in found or found[session].time < record.time:
                found[session] = record
    return found


def _fork_contexts(reader: EntryReader, named: Iterable[Row]) -> dict[tuple[int, str], list[int]]:
    """Return the entries that the `fork-context-ref` records of every agent name, in file order."""
    found: defaultdict[tuple[int, str], list[int]] = defaultdict(list)
    for type_, session, agent_id, entry, *_ in named:
        if type_ == "fork-context-ref" and agent_id is not None and entry in reader.index_of:
            found[session, agent_id].append(reader.index_of[entry])
    return found


def load_hints(reader: EntryReader, prompts: Mapping[int, Sequence[int]], roots: Iterable[int]) -> AgentHints:
    """Read the first text of every agent thread, given its prompts by time, and the agent files that hold its root."""
    files: defaultdict[int, list[AgentFile]] = defaultdict(list)
    for root, agent_id, source in reader.rows("derive/agent_files", roots):
        files[root].append(AgentFile(agent_id, source))
    told: dict[int, tuple[int, str]] = {}
    waiting, start, size = prompts, 0, 1
    while waiting:  # reads twice as many prompts per thread in every round
        texts = reader.texts(index for own in waiting.values() for index in own[start : start + size])
        for thread, own in waiting.items():
            first = next((index for index in own[start : start + size] if texts[index]), NONE)
            if first != NONE:
                told[thread] = (first, texts[first])
        start, size = start + size, size * 2
        waiting = {thread: own for thread, own in waiting.items() if thread not in told and start < len(own)}
    return AgentHints(told=told, files={root: tuple(found) for root, found in files.items()})


def load_fork_contents(
    reader: EntryReader, siblings: Mapping[int, Sequence[int]], compared: Iterable[int]
) -> ForkContents:
    """Read what forks are decided by; `compared`: assistant entries whose texts and tool_use ids are compared."""
    nodes = reader.nodes
    callers = [parent for parent in siblings if nodes[parent].kind == _ASSISTANT]
    children = [index for group in siblings.values() for index in group]
    prompts: defaultdict[tuple[int, int], list[int]] = defaultdict(list)  # siblings of one instant may be repeated
    for parent, group in siblings.items():
        for index in group:
            if nodes[index].kind == _PROMPT:
                prompts[parent, nodes[index].at].append(index)
    contents: defaultdict[int, set[bytes]] = defaultdict(set)
    for index, is_text, content in reader.rows("derive/response_contents", compared):
        contents[index].add(digest(content, is_text=bool(is_text)))
    return ForkContents(
        uses={index: frozenset(calls) for index, calls in reader.grouped("derive/uses", callers).items()},
        answers=reader.grouped("derive/answers", (index for index in children if nodes[index].kind == _RESULT)),
        texts=reader.texts(index for same in prompts.values() if len(same) > 1 for index in same),
        contents={index: frozenset(keys) for index, keys in contents.items()},
    )


def load_titles(reader: EntryReader) -> dict[int, str]:
    """Read the titles of the family's sessions."""
    connection, nodes = reader.connection, reader.nodes
    leaves = connection.execute("select leaf from records where leaf is not null limit ?", (len(nodes),)).fetchall()
    entries = [node.entry for node in nodes]
    if len(leaves) < len(nodes):  # the whole index names fewer entries than the family has
        named = {leaf for (leaf,) in leaves}
        entries = [node.entry for node in nodes if node.uuid in named]
    given = {"sessions": reader.sessions, "entries": json.dumps(entries)}
    return dict(connection.execute(load("derive/titles"), given).fetchall())


def load_spawned(reader: EntryReader, calls: Iterable[str], agents: Iterable[str], *, workflows: bool) -> Spawned:
    """Read what the family records of some calls and some agents."""
    connection, index_of, nodes = reader.connection, reader.index_of, reader.nodes
    found = Spawned()
    given = {"sessions": reader.sessions, "calls": encode_ids(calls), "tasks": encode_ids(agents)}
    for entry, call, *rest in connection.execute(load("derive/calls_by_id"), given):
        if entry in index_of:
            index = index_of[entry]
            found.calls.add(call, nodes[index].session, parse_call(index, call, *rest))
    for entry, call, *rest in connection.execute(load("derive/replies"), given):
        if entry in index_of:
            index = index_of[entry]
            found.replies.add(call, nodes[index].session, Reply(index, call, *rest))
    for session, agent_id, status in connection.execute(load("derive/notices"), given):
        found.notices.setdefault((session, agent_id), []).append(status)
    if workflows:
        for session, run, agent_id, *state in connection.execute(load("derive/journals"), given):
            found.journals[session, run, agent_id] = Journal(*state)
    return found


def parse_call(index: int, tool_use_id: str | None, text: str, is_spawn: int) -> Call:
    """Return a call with those of its inputs that describe an agent and are texts."""
    try:
        asked = json.loads(text)
    except (ValueError, RecursionError):  # too deep to be compared
        asked = None
    if not isinstance(asked, dict):
        return Call(index, tool_use_id, is_spawn=bool(is_spawn))
    prompt = asked.get("prompt")
    name, agent_type, team = (
        value if isinstance(value, str) and value else None
        for value in (asked.get("name"), asked.get("subagent_type"), asked.get("team_name"))
    )
    return Call(
        index,
        tool_use_id,
        prompt if isinstance(prompt, str) else None,
        name,
        agent_type,
        team,
        asked.get("run_in_background") in (True, "true"),  # 1 equals True
        bool(is_spawn),
    )
