"""Extend lines by appended entries without deriving their families again, if nothing else in the families changes.

An appended entry becomes the last entry of its line if its parent is the end of the line, if it is later than all other
entries of its thread, and if no other derived row depends on it. The rulings on the forks above it do not change: the
child of each fork that leads to the end of the line had the latest talk entry of the thread before, and still has it.
"""

import sqlite3
from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from ccindex.store import line_ends as store
from ccindex.store.entry_writer import Changes
from ccindex.store.families import StaleFamilies
from ccindex.store.line_ends import AppendedEntry, DerivedSession, LineEnd

_NO_TEXT = "(image)"  # the text of a first prompt with an image, until a typed entry has text


class Extended(NamedTuple):
    """Families that need not be derived again, their changed sessions, and the (session, timestamp) of new entries."""

    families: set[int]
    sessions: set[int]
    instants: set[tuple[int, int]]


class _Extension(NamedTuple):
    """The end of a line, the entries to append, and what will be the last entry of the session in time order."""

    end: LineEnd
    appended: Sequence[AppendedEntry]
    last_entry: int


def extend_lines(connection: sqlite3.Connection, changes: Changes, stale: StaleFamilies) -> Extended:
    """Extend the lines of every stale family in which nothing else changes, and return these families."""
    if not changes.is_append:
        return Extended(set(), set(), set())
    sessions = {item.session: item for item in store.load_sessions(connection, stale.sessions)}
    affected = store.sessions_with_record_effects(connection, changes.first_occurrence, changes.entries)
    others = stale.merged | {
        item.family for item in sessions.values() if not item.has_entries or item.session in affected
    }
    if others.issuperset(stale.families):
        return Extended(set(), set(), set())
    by_thread: defaultdict[tuple[int, str | None], list[AppendedEntry]] = defaultdict(list)
    for item in store.load_appended(connection, changes.entries):
        by_thread[item.session, item.agent_id].append(item)
        if item.has_effects:
            others.add(sessions[item.session].family)
    extensions = []
    for (session, _), appended in by_thread.items():
        if sessions[session].family in others:
            continue
        extension = _plan(connection, sessions[session], appended)
        if extension is None:
            others.add(sessions[session].family)
        else:
            extensions.append(extension)
    extended = {item.session for item in sessions.values() if item.family not in others}
    for extension in extensions:
        if extension.end.session in extended:
            store.extend_line(connection, extension.end, extension.appended, last_entry=extension.last_entry)
    return Extended(
        {sessions[session].family for session in extended},
        extended,
        {(item.session, item.timestamp_ms) for extension in extensions for item in extension.appended},
    )


def _plan(
    connection: sqlite3.Connection, session: DerivedSession, appended: Sequence[AppendedEntry]
) -> _Extension | None:
    """Return how to append a thread's new entries, which are in time order; None: other rows may depend on them."""
    first = appended[0]
    end = None if first.parent is None else store.load_line_end(connection, first.parent, child=first.entry)
    if end is None or not _is_chain(end, appended) or _affects_prompts(connection, session, end, appended):
        return None
    if not all(store.has_model(connection, end.session, item.model) for item in appended if item.model is not None):
        return None
    return _extension(connection, end, appended)


def _is_chain(end: LineEnd, appended: Sequence[AppendedEntry]) -> bool:
    """Return whether the entries belong to the thread and file of a line's end, and each is the child of the previous.

    An agent without an id is a thread of its own that depends on the links between its entries.
    """
    place = (end.session, end.agent_id, end.source, end.generation)
    return (
        end.agent_id != ""
        and all((item.session, item.agent_id, item.source, item.generation) == place for item in appended)
        and all(item.parent == above.entry and above.child_count == 1 for above, item in pairwise(appended))
        and appended[-1].child_count == 0
    )


def _affects_prompts(
    connection: sqlite3.Connection, session: DerivedSession, end: LineEnd, appended: Sequence[AppendedEntry]
) -> bool:
    """Return whether the first prompt of the session or agent, or text removed from the queue, can change."""
    if end.agent_id is None:
        has_prompt = session.has_first_prompt and session.first_prompt_text != _NO_TEXT
        if not has_prompt and any(item.is_typed for item in appended):
            return True
    elif not end.has_first_prompt and any(item.is_prompt for item in appended):
        return True
    return store.affects_queued_words(
        connection,
        session.session,
        timestamp_ms=appended[0].timestamp_ms,
        has_new_text=any(item.is_person_text for item in appended),
    )


def _extension(connection: sqlite3.Connection, end: LineEnd, appended: Sequence[AppendedEntry]) -> _Extension | None:
    """Return the extension of a line unless a ruling or a root above its end can depend on it."""
    tail = store.load_tail(connection, end.entry)
    if not tail:
        return None
    new = [item.entry for item in appended]
    known = set(new)
    since = store.entries_since(connection, tail[0], appended=len(new))
    in_thread = [entry for entry, thread in since if thread == end.thread or entry in known]
    if tail[0] not in in_thread or in_thread[in_thread.index(tail[0]) :] != tail + new:
        return None
    # a response can complete a history that another root or branch recorded too
    can_repeat = any(item.has_response for item in appended)
    if can_repeat and (end.is_branch or store.count_roots(connection, end.thread, entry=end.entry) > 1):
        return None
    return _Extension(end, appended, since[-1][0])
