"""Read a family's rows as the values that its graph is built from."""

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

from ccindex.chunks import digest_text_or_id
from ccindex.model.agent_records import AgentRecords, CallResult, Journal
from ccindex.model.graph import (
    NONE,
    AgentFile,
    AgentHints,
    AgentMention,
    Call,
    EntryKind,
    Family,
    ForkContents,
    ForkedCopy,
    LeafRecord,
    Node,
    Sidecar,
)
from ccindex.store.entry_reader import EntryReader
from ccindex.store.rows import Row, insert_into
from ccindex.store.sql_files import encode_ids, load

_NODE_COLUMNS, _SESSION = len(Node._fields), Node._fields.index("session")
# plain strings, because Enum members compare more slowly
_ASSISTANT, _BOUNDARY = str(EntryKind.ASSISTANT), str(EntryKind.BOUNDARY)
_PROMPT, _RESULT = str(EntryKind.PROMPT), str(EntryKind.RESULT)
_USER_KINDS = frozenset({_PROMPT, _RESULT})


@dataclass(frozen=True, slots=True)
class LoadedFamily:
    """A family, the reader of its entries, the stored placements by entry, and the models of each session."""

    sessions: tuple[int, ...]
    family: Family
    reader: EntryReader
    stored: Mapping[int, Row]
    models: Mapping[int, frozenset[str]]
    has_queue_operations: bool  # or queued text from an earlier derivation


def load_family(connection: sqlite3.Connection, families: Sequence[int], *, are_placed: bool) -> LoadedFamily:
    """Read the given families as one family; `are_placed`: whether any of its entries may have a stored placement."""
    find = "select s.session from json_each(?) j cross join sessions s on s.family = j.value order by s.session"
    sessions = tuple(session for (session,) in connection.execute(find, (json.dumps(families),)))
    rows = connection.execute(load("derive/graph_nodes"), {"sessions": json.dumps(sessions)}).fetchall()
    reader = EntryReader(connection, sessions, [Node._make(row[:_NODE_COLUMNS]) for row in rows])
    models: defaultdict[int, set[str]] = defaultdict(set)
    for session, model in set(map(itemgetter(_SESSION, -1), rows)):
        if model is not None:
            models[session].add(model)
    progress = [
        AgentMention(index, agent, (call,))
        for index, (call, agent) in enumerate(map(itemgetter(-3, -2), rows))
        if call is not None and agent is not None
    ]
    return LoadedFamily(
        sessions,
        _load_links(reader, progress),
        reader,
        _load_placements(reader) if are_placed else {},
        {session: frozenset(names) for session, names in models.items()},
        connection.execute(load("derive/sessions_with_queues"), {"sessions": reader.sessions}).fetchone() is not None,
    )


def _load_placements(reader: EntryReader) -> dict[int, Row]:
    """Return the stored placements of a family's entries, by entry."""
    params = {"entries": json.dumps(list(reader.index_of))}
    return {row[0]: row for row in reader.connection.execute(load("derive/stored_placements"), params)}


def _load_links(reader: EntryReader, progress: list[AgentMention]) -> Family:
    """Read the links between the entries of a family."""
    connection, nodes, index_of = reader.connection, reader.nodes, reader.index_of
    kinds = [node.kind for node in nodes]
    users = [index for index, kind in enumerate(kinds) if kind in _USER_KINDS]
    assistants = [index for index, kind in enumerate(kinds) if kind == _ASSISTANT]
    boundaries = [index for index, kind in enumerate(kinds) if kind == _BOUNDARY]
    callers = _filter_found(reader, assistants, "select entry from tool_uses where name in ('Task', 'Agent') limit ?")
    calls = [parse_call(*row) for row in reader.rows("derive/spawn_calls", callers)]
    agent_sources = sorted({node.source for node in nodes if node.is_agent})
    params = {"sessions": reader.sessions, "sources": json.dumps(agent_sources)}
    sidecars = [Sidecar(*row) for row in connection.execute(load("derive/sidecars"), params)]
    outcomes, runs = _load_outcomes(reader, users)
    call_ids = {sidecar.tool_use_id for sidecar in sidecars} | {call.tool_use_id for call in calls}
    call_ids.update(call for naming in (*progress, *runs) for call in naming.tool_use_ids)
    answers_of, calls_of = _load_call_entries(reader, call_ids - {None}) if call_ids else ({}, {})
    mentioning = _filter_found(reader, users, "select entry from agent_mentions limit ?")
    named = connection.execute(load("derive/entries_named_by_records"), params).fetchall()
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
            ForkedCopy(index, index_of.get(original, NONE), _get_session(connection, session_id))
            for index, original, session_id in reader.rows("derive/fork_origins", range(len(nodes)))
        ],
        sidecars=sidecars,
        calls=calls,
        outcomes=outcomes,
        mentions=[
            AgentMention(index, agent, () if call is None else (call,))
            for index, agent, call in reader.rows("derive/agent_mentions", mentioning)
        ],
        progress=progress,
        runs=runs,
        leaves=_last_leaves(reader, named, ranks) if named else {},
        fork_contexts=_fork_contexts(reader, named) if named else {},
        answers_of=answers_of,
        calls_of=calls_of,
    )


def _filter_found(reader: EntryReader, indexes: list[int], find: str) -> list[int]:
    """Keep the entries that a statement finds in the whole index; keep all if the statement reaches its limit."""
    rows = reader.connection.execute(find, (len(indexes),)).fetchall()
    if len(rows) == len(indexes):
        return indexes
    matches = {reader.index_of[entry] for (entry,) in rows if entry in reader.index_of}
    return [index for index in indexes if index in matches]


def _load_outcomes(reader: EntryReader, users: Sequence[int]) -> tuple[list[AgentMention], list[AgentMention]]:
    """Read the agents and workflow runs that tool results refer to, in the result or in the entry's own agent id."""
    named = reader.rows("derive/agents_in_results", users)
    for index in users:
        node = reader.nodes[index]
        if node.own_agent_id is not None and not node.is_agent:
            named.append((index, node.own_agent_id, None))
    answers = reader.grouped("derive/answered_call_ids", sorted({index for index, *_ in named})) if named else {}
    agents, runs = [], []
    for index, agent, run in named:
        if index in answers:
            calls = tuple(call for call in answers[index] if call is not None)
            if agent is not None:
                agents.append(AgentMention(index, agent, calls))
            if run is not None:
                runs.append(AgentMention(index, run, calls))
    return sorted(set(agents)), runs


def _load_call_entries(
    reader: EntryReader, calls: set[Any]
) -> tuple[dict[str, tuple[int, ...]], dict[str, tuple[int, ...]]]:
    """Return, by call id, the entries that answer the call and the entries that contain it, both in time order."""
    answers: defaultdict[str, list[int]] = defaultdict(list)
    containing: defaultdict[str, list[int]] = defaultdict(list)
    params = {"calls": encode_ids(calls), "sessions": reader.sessions}
    for call, entry, is_answer in reader.connection.execute(load("derive/entries_by_call_id"), params):
        index = reader.index_of.get(entry, NONE)
        if index == NONE:
            continue
        kind = reader.nodes[index].kind
        if is_answer and kind in _USER_KINDS:
            answers[call].append(index)
        elif not is_answer and kind == _ASSISTANT:
            containing[call].append(index)
    return (
        {call: tuple(sorted(indexes)) for call, indexes in answers.items()},
        {call: tuple(sorted(indexes)) for call, indexes in containing.items()},
    )


def _load_logical_parents(reader: EntryReader, boundaries: Sequence[int]) -> dict[int, tuple[int, ...]]:
    """Read the entries of the family that compact boundaries continue from, in order of preference."""
    parents: defaultdict[int, list[int]] = defaultdict(list)
    for index, _, entry in reader.rows("derive/logical_parents", boundaries):
        if entry in reader.index_of:
            parents[index].append(reader.index_of[entry])
    return {index: tuple(targets) for index, targets in parents.items()}


def _get_session(connection: sqlite3.Connection, session_id: str | None) -> int | None:
    """Return the row id of a session id; add the session id if it is not stored yet."""
    if session_id is None:
        return None
    connection.execute(insert_into("session_ids", verb="insert or ignore"), (session_id,))
    find = "select id from session_ids where session_id = ?"
    return int(connection.execute(find, (session_id,)).fetchone()[0])


def _last_leaves(reader: EntryReader, named: Iterable[Row], ranks: Mapping[int, int]) -> dict[int, LeafRecord]:
    """Return, by session, the last `last-prompt` record whose leaf is an entry of the family."""
    leaves: dict[int, LeafRecord] = {}
    for type_, session, _, entry, timestamp_ms, source, generation, offset in named:
        if type_ == "last-prompt" and entry in reader.index_of:
            record = LeafRecord(reader.index_of[entry], (timestamp_ms, ranks[source], generation, offset))
            if session not in leaves or leaves[session].time < record.time:
                leaves[session] = record
    return leaves


def _fork_contexts(reader: EntryReader, named: Iterable[Row]) -> dict[tuple[int, str], list[int]]:
    """Return, by session and agent, the entries that the agent's `fork-context-ref` records refer to, in file order."""
    contexts: defaultdict[tuple[int, str], list[int]] = defaultdict(list)
    for type_, session, agent_id, entry, *_ in named:
        if type_ == "fork-context-ref" and agent_id is not None and entry in reader.index_of:
            contexts[session, agent_id].append(reader.index_of[entry])
    return contexts


def load_hints(reader: EntryReader, prompts: Mapping[int, Sequence[int]], roots: Iterable[int]) -> AgentHints:
    """Read the first non-empty prompt of every agent thread, and the agent files that contain the given roots.

    `prompts`: the prompts of every agent thread, in time order.
    """
    files: defaultdict[int, list[AgentFile]] = defaultdict(list)
    for root, agent_id, source in reader.rows("derive/agent_files", roots):
        files[root].append(AgentFile(agent_id, source))
    first_prompts: dict[int, tuple[int, str]] = {}
    pending, start, size = prompts, 0, 1
    while pending:  # every round reads twice as many prompts per thread as the previous one
        texts = reader.texts(index for own in pending.values() for index in own[start : start + size])
        for thread, own in pending.items():
            first = next((index for index in own[start : start + size] if texts[index]), NONE)
            if first != NONE:
                first_prompts[thread] = (first, texts[first])
        start, size = start + size, size * 2
        pending = {thread: own for thread, own in pending.items() if thread not in first_prompts and start < len(own)}
    return AgentHints(first_prompts=first_prompts, files={root: tuple(same) for root, same in files.items()})


def load_fork_contents(
    reader: EntryReader, siblings: Mapping[int, Sequence[int]], compared: Iterable[int]
) -> ForkContents:
    """Read the contents that the rulings on forks depend on.

    `siblings`: the children of every fork; `compared`: assistant entries whose texts and tool_use ids are compared.
    """
    nodes = reader.nodes
    callers = [parent for parent in siblings if nodes[parent].kind == _ASSISTANT]
    children = [index for group in siblings.values() for index in group]
    # texts are compared only between prompts with the same parent and the same timestamp, which may be duplicates
    prompts: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
    for parent, group in siblings.items():
        for index in group:
            if nodes[index].kind == _PROMPT:
                prompts[parent, nodes[index].timestamp_ms].append(index)
    contents: defaultdict[int, set[bytes]] = defaultdict(set)
    for index, is_text, content in reader.rows("derive/response_contents", compared):
        contents[index].add(digest_text_or_id(content, is_text=bool(is_text)))
    return ForkContents(
        uses={index: frozenset(calls) for index, calls in reader.grouped("derive/call_ids", callers).items()},
        answers=reader.grouped(
            "derive/answered_call_ids", (index for index in children if nodes[index].kind == _RESULT)
        ),
        texts=reader.texts(index for group in prompts.values() if len(group) > 1 for index in group),
        contents={index: frozenset(keys) for index, keys in contents.items()},
    )


def load_titles(reader: EntryReader) -> dict[int, str]:
    """Return the titles of the family's sessions, by session."""
    connection, nodes = reader.connection, reader.nodes
    leaves = connection.execute("select leaf from records where leaf is not null limit ?", (len(nodes),)).fetchall()
    entries = [node.entry for node in nodes]
    if len(leaves) < len(nodes):  # the whole index has fewer records with a leaf than the family has entries
        named = {leaf for (leaf,) in leaves}
        entries = [node.entry for node in nodes if node.uuid in named]
    params = {"sessions": reader.sessions, "entries": json.dumps(entries)}
    return dict(connection.execute(load("derive/titles"), params).fetchall())


def load_agent_records(
    reader: EntryReader, calls: Iterable[str], agents: Iterable[str], *, workflows: bool
) -> AgentRecords:
    """Read the given calls and their results, notices about the given agents, and the family's workflow journals."""
    connection, index_of, nodes = reader.connection, reader.index_of, reader.nodes
    records = AgentRecords()
    params = {"sessions": reader.sessions, "calls": encode_ids(calls), "tasks": encode_ids(agents)}
    for entry, call, *columns in connection.execute(load("derive/calls_by_id"), params):
        if entry in index_of:
            index = index_of[entry]
            records.calls.add(call, nodes[index].session, parse_call(index, call, *columns))
    for entry, call, *columns in connection.execute(load("derive/results_by_id"), params):
        if entry in index_of:
            index = index_of[entry]
            records.results.add(call, nodes[index].session, CallResult(index, call, *columns))
    for session, agent_id, status in connection.execute(load("derive/task_notices"), params):
        records.notices.setdefault((session, agent_id), []).append(status)
    if workflows:
        for session, run, agent_id, *state in connection.execute(load("derive/journal_agents"), params):
            records.journals[session, run, agent_id] = Journal(*state)
    return records


def parse_call(index: int, tool_use_id: str | None, text: str, is_spawn: int) -> Call:
    """Return a call with the inputs that describe an agent; inputs of the wrong type are ignored."""
    try:
        tool_input = json.loads(text)
    except (ValueError, RecursionError):  # invalid, or nested too deeply
        tool_input = None
    if not isinstance(tool_input, dict):
        return Call(index, tool_use_id, is_spawn=bool(is_spawn))
    prompt = tool_input.get("prompt")
    name, agent_type, team = (
        value if isinstance(value, str) and value else None
        for value in (tool_input.get("name"), tool_input.get("subagent_type"), tool_input.get("team_name"))
    )
    return Call(
        index,
        tool_use_id,
        prompt if isinstance(prompt, str) else None,
        name,
        agent_type,
        team,
        tool_input.get("run_in_background") in (True, "true"),  # 1 is accepted too, because it equals True
        bool(is_spawn),
    )
