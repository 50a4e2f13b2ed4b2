"""Recorded rows to derived ones: the families that changed, each untangled anew, written where it differs."""

import sqlite3
from collections import Counter
from collections.abc import Collection, Sequence
from typing import NamedTuple

from ccindex.derive.agents import agent_rows
from ccindex.derive.facts import count, count_all, derive_all_keyed, derive_keyed
from ccindex.derive.family_rows import Known, Rows, session_rows
from ccindex.derive.queued_words import queued_word_rows
from ccindex.graph.build import Untangled, untangle
from ccindex.graph.line_ids import line_ids
from ccindex.graph.parents import link
from ccindex.graph.subtrees import compared_entries
from ccindex.graph.threads import outline
from ccindex.model.graph import AgentHints
from ccindex.store.entry_writer import Changes, touch_entries
from ccindex.store.facts import stale_sessions
from ccindex.store.families import all_families, in_batches, stale_families
from ccindex.store.family_loader import Loaded, Reader, load_family, load_fork_contents, load_hints, load_titles
from ccindex.store.family_writer import Derived as FamilyWriter
from ccindex.store.queued_words import QueuedText, replace_queued_words
from ccindex.store.rows import Row


class Derived(NamedTuple):
    """The number of families derived, and the queued words that leave and enter the full-text table."""

    family_count: int
    removed_words: list[QueuedText]
    added_words: list[QueuedText]


def derive(connection: sqlite3.Connection, changes: Changes, revision: int) -> Derived:
    """Derive what depends on the changes; `revision` is set on entries for which a view shows something new."""
    if changes.is_all:
        return derive_all(connection, revision, is_first=True)
    families = stale_families(connection, changes)
    sessions = stale_sessions(connection)
    derived = Derived(len(families), [], [])
    moved: set[int] = set()
    for some in in_batches(connection, families):
        moved |= _derive_families(connection, some, derived=derived, revision=revision, recorded=changes.entries)
    sessions |= derive_keyed(connection, moved, changes.calls, changes.responses)
    if sessions:
        count(connection, sessions)
    return derived


def derive_all(connection: sqlite3.Connection, revision: int, *, is_first: bool) -> Derived:
    """Derive everything; `is_first`: all entries were recorded in this revision."""
    families = all_families(connection)
    derived = Derived(len(families), [], [])
    for some in in_batches(connection, families):
        _derive_families(connection, some, derived=derived, revision=revision, recorded=None if is_first else ())
    derive_all_keyed(connection)
    count_all(connection)
    return derived


def _derive_families(
    connection: sqlite3.Connection,
    families: Sequence[int],
    *,
    derived: Derived,
    revision: int,
    recorded: Collection[int] | None,
) -> set[int]:
    """Untangle some families as one; return the entries that are in another thread than before."""
    loaded = load_family(connection, families)
    drawn = outline(loaded.family)
    hints = load_hints(connection, loaded, drawn.agent_prompts(), drawn.agent_roots())
    links = link(drawn, hints)
    contents = load_fork_contents(connection, loaded, links.siblings(), compared_entries(links))
    made = untangle(links, contents)
    moved = _save(connection, loaded, made, hints)
    replaced = replace_queued_words(connection, loaded.sessions, queued_word_rows(connection, made))
    derived.removed_words.extend(replaced.gone)
    derived.added_words.extend(replaced.come)
    fresh = set() if recorded is None else {row[0] for row in moved.fresh}.difference(recorded)
    touch_entries(connection, revision, moved.shown | fresh)
    return moved.threads | fresh


class _Moved(NamedTuple):
    """Places of entries that had none and of those that had others; what v1_entries shows of which, whose thread."""

    fresh: list[Row]
    changed: list[Row]
    shown: set[int]
    threads: set[int]


def _save(connection: sqlite3.Connection, loaded: Loaded, made: Untangled, hints: AgentHints) -> _Moved:
    """Write what differs; return whom that concerns."""
    derived = FamilyWriter(connection, loaded.sessions)
    threads = derived.threads([(thread.session, thread.id, thread.agent_id) for thread in made.links.threads])
    names = [line.name for line in made.forest.lines]
    lines = derived.lines([threads[line.thread] for line in made.forest.lines], line_ids(names))
    rows = Rows(made, threads, lines)
    derived.replace_lines(rows.lines())
    derived.replace_paths(list(rows.paths()))
    moved = _moved(loaded, rows)
    derived.put_places(moved.fresh, moved.changed)
    derived.replace_owned("parent_repairs", rows.repairs())
    derived.replace_owned("roots", rows.roots())
    derived.replace_owned("forks", rows.forks())
    derived.replace_owned("junctions", rows.junctions())
    derived.replace_owned("graph_diagnostics", rows.findings())
    agents = list(agent_rows(connection, loaded, made, hints, threads))
    derived.replace_agents(agents)
    known = Known(
        claimed=_claimed(connection, loaded.sessions),
        models=loaded.models,
        titles=load_titles(connection, loaded),
        agent_counts=Counter(session for session, *_ in agents),
    )
    reader = Reader(connection, loaded.family.nodes, loaded.index_of)
    derived.replace_sessions(session_rows(made, reader, known))
    return moved


def _moved(loaded: Loaded, rows: Rows) -> _Moved:
    """The places that differ from those stored."""
    moved = _Moved([], [], set(), set())
    for row, stored in zip(rows.places(), loaded.stored, strict=True):
        if row == stored:
            continue
        if stored[0] is None:
            moved.fresh.append(row)
            continue
        entry, thread, line, position, _, _, parent, _ = row
        _, old_thread, old_line, old_position, _, _, old_parent, _ = stored
        moved.changed.append(row)
        if (line, position, parent) != (old_line, old_position, old_parent):
            moved.shown.add(entry)
        if thread != old_thread:
            moved.threads.add(entry)
    return moved


def _claimed(connection: sqlite3.Connection, sessions: Sequence[int]) -> list[int]:
    """Those sessions that an occurrence with a uuid claims."""
    find = "select 1 from occurrences where session = ? and entry is not null limit 1"
    return [session for session in sessions if connection.execute(find, (session,)).fetchone()]
