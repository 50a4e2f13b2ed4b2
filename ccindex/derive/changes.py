"""Derive the rows that depend on changes: families, tool pairs, responses and totals."""

import sqlite3
from typing import NamedTuple

from ccindex.derive.extend import extend_lines
from ccindex.derive.facts import count_totals, derive_facts, recount_quarter_hours
from ccindex.store.entry_writer import Changes
from ccindex.store.facts import QueuedText
from ccindex.store.families import family_batches, stale_families


class Derived(NamedTuple):
    """The number of derived families, and the queued text to remove from and add to the full-text table."""

    family_count: int
    removed_words: list[QueuedText]
    added_words: list[QueuedText]


def derive(connection: sqlite3.Connection, changes: Changes, revision: int) -> Derived:
    """Derive the rows that depend on the changes; entries that look different in a view get the new revision."""
    if changes.is_all:
        from ccindex.derive.derive import derive_all  # noqa: PLC0415 - see below

        return derive_all(connection, revision, is_first=True)
    stale = stale_families(connection, changes)
    extended = extend_lines(connection, changes, stale)
    families = [family for family in stale.families if family not in extended.families]
    derived = Derived(len(families), [], [])
    entries, sessions = set(changes.entries), stale.sessions - extended.sessions
    if families:
        # imported here because it takes 50 ms and most appends only extend lines
        from ccindex.derive.derive import derive_families  # noqa: PLC0415

        for batch in family_batches(connection, families):
            changed = derive_families(connection, batch, revision=revision, recorded=changes.entries, are_placed=True)
            entries |= changed.moved
            sessions |= changed.sessions
            derived.removed_words.extend(changed.removed_words)
            derived.added_words.extend(changed.added_words)
    instants = extended.instants | derive_facts(connection, entries, calls=changes.calls, responses=changes.responses)
    count_totals(connection, sessions)
    recount_quarter_hours(connection, {(session, instant) for session, instant in instants if session not in sessions})
    return derived
