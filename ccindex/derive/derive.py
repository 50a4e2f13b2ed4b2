"""Derive families: their graphs, agents and queued text; or derive everything."""

import gc
import sqlite3
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from ccindex.derive.changes import Derived
from ccindex.derive.facts import (
    count_all_totals,
    derive_all_facts,
    queued_word_rows,
)
from ccindex.derive.family_rows import (
    RowIds,
    SessionFacts,
    agent_rows,
    graph_rows,
    line_rows,
    placement_rows,
    session_rows,
)
from ccindex.graph.build import FamilyGraph, build_graph
from ccindex.graph.line_ids import line_ids
from ccindex.graph.parents import link
from ccindex.graph.subtrees import compared_entries
from ccindex.graph.threads import outline
from ccindex.model.graph import AgentHints, ForkContents
from ccindex.store.entry_writer import mark_changed
from ccindex.store.facts import QueuedText, replace_queued_words
from ccindex.store.families import FamilyWriter, all_families, family_batches
from ccindex.store.family_loader import LoadedFamily, load_family, load_fork_contents, load_hints, load_titles
from ccindex.store.rows import Row


def derive_all(connection: sqlite3.Connection, revision: int, *, is_first: bool) -> Derived:
    """Derive everything; `is_first`: whether all entries were recorded in this revision."""
    with _paused_collection():
        families = all_families(connection)
        derived = Derived(len(families), [], [])
        recorded = None if is_first else ()
        are_placed = connection.execute("select 1 from placements limit 1").fetchone() is not None
        for batch in family_batches(connection, families):
            changed = derive_families(connection, batch, revision=revision, recorded=recorded, are_placed=are_placed)
            derived.removed_words.extend(changed.removed_words)
            derived.added_words.extend(changed.added_words)
        derive_all_facts(connection)
        count_all_totals(connection)
    return derived


@contextmanager
def _paused_collection() -> Iterator[None]:
    """Disable cyclic garbage collection: it scans millions of rows, which contain no cycles."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


class _FamilyChanges(NamedTuple):
    """The effects of deriving a batch of families.

    `moved`: entries whose thread is new or changed; `sessions`: the sessions of these entries.
    """

    moved: set[int]
    sessions: set[int]
    removed_words: Sequence[QueuedText]
    added_words: Sequence[QueuedText]


def derive_families(
    connection: sqlite3.Connection,
    families: Sequence[int],
    *,
    revision: int,
    recorded: Collection[int] | None,
    are_placed: bool,
) -> _FamilyChanges:
    """Derive a batch of families as one.

    `recorded`: entries whose revision is already current, None if all are; `are_placed`: whether any entry of the
    families may have a stored placement.
    """
    loaded = load_family(connection, families, are_placed=are_placed)
    reader = loaded.reader
    threads = outline(loaded.family)
    hints = AgentHints()
    if any(thread.agent_id is not None for thread in threads.threads):
        hints = load_hints(reader, threads.agent_prompts(), threads.agent_roots())
    links = link(threads, hints)
    siblings, compared = links.siblings(), compared_entries(links)
    contents = load_fork_contents(reader, siblings, compared) if siblings or compared else ForkContents()
    graph = build_graph(links, contents)
    placed = _write_family(connection, loaded, graph, hints)
    removed_words: Sequence[QueuedText] = ()
    added_words: Sequence[QueuedText] = ()
    if loaded.has_queue_operations:
        rows = queued_word_rows(connection, graph, loaded.sessions)
        removed_words, added_words = replace_queued_words(connection, loaded.sessions, rows)
    new = set() if recorded is None else {row[0] for row in placed.new}.difference(recorded)
    if placed.shown or new:
        mark_changed(connection, revision, placed.shown | new)
    moved = placed.moved | new
    sessions = {links.nodes[reader.index_of[entry]].session for entry in moved}
    return _FamilyChanges(moved, sessions, removed_words, added_words)


class _PlacementChanges(NamedTuple):
    """New and changed placements.

    `shown`: entries that look different in a view; `moved`: entries whose thread changed.
    """

    new: list[Row]
    changed: list[Row]
    shown: set[int]
    moved: set[int]


def _write_family(
    connection: sqlite3.Connection, loaded: LoadedFamily, graph: FamilyGraph, hints: AgentHints
) -> _PlacementChanges:
    """Write the derived rows of a family; return the placements that differ from the stored ones."""
    writer = FamilyWriter(connection, loaded.sessions)
    threads = writer.replace_threads([(thread.session, thread.id, thread.agent_id) for thread in graph.links.threads])
    lines = graph.forest.lines
    names = line_ids([line.name for line in lines])
    ids = RowIds(
        entries=[*(node.entry for node in graph.links.nodes), None],
        threads=threads,
        lines=[*writer.assign_line_ids([threads[line.thread] for line in lines], names), None],
        thread_of=[threads[thread] for thread in graph.links.thread_of],
    )
    writer.write_lines(line_rows(graph, ids))
    placed = _compare_placements(placement_rows(graph, ids), loaded.stored)
    writer.write_placements(placed.new, placed.changed)
    for table, rows in graph_rows(graph, ids).items():
        writer.replace(table, rows)
    family, agents = loaded.family, list[Row]()
    has_threads = any(thread.agent_id is not None for thread in graph.links.threads)
    if has_threads or family.outcomes or family.mentions or family.progress:
        agents = list(agent_rows(loaded, graph, hints, threads))
    writer.replace("agents", agents)
    find = "select 1 from occurrences where session = ? and entry is not null limit 1"
    facts = SessionFacts(
        claimed=[session for session in loaded.sessions if connection.execute(find, (session,)).fetchone()],
        models=loaded.models,
        titles=load_titles(loaded.reader),
        agent_counts=Counter(session for session, *_ in agents),
    )
    writer.replace_sessions(session_rows(graph, loaded.reader, facts))
    return placed


def _compare_placements(rows: Iterable[Row], stored: Mapping[int, Row]) -> _PlacementChanges:
    """Compare the placements of a family with the stored ones."""
    if not stored:
        return _PlacementChanges(list(rows), [], set(), set())
    placed = _PlacementChanges([], [], set(), set())
    for row in rows:
        old = stored.get(row[0])
        if row == old:
            continue
        if old is None:
            placed.new.append(row)
            continue
        entry, thread, line, position, _, _, parent, _ = row
        _, old_thread, old_line, old_position, _, _, old_parent, _ = old
        placed.changed.append(row)
        if (line, position, parent) != (old_line, old_position, old_parent):
            placed.shown.add(entry)
        if thread != old_thread:
            placed.moved.add(entry)
    return placed
