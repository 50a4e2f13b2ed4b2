"""Rebuild tables from the archive. The source files are not needed."""

import sqlite3

from ccindex.derive.derive import derive_all
from ccindex.derive.facts import count_all_totals, index_queued_words
from ccindex.derive.facts import reprice as reprice_all
from ccindex.derive.owners import apply_owners, elect_owners
from ccindex.ingest.file_changes import rebuild_generation
from ccindex.maintain.update import renew_if_outdated
from ccindex.store.archive import Archive
from ccindex.store.connection import transaction
from ccindex.store.create import next_revision, write_revision
from ccindex.store.entry_writer import EntryWriter, delete_rebuildable_rows
from ccindex.store.sources import all_sources


def rebuild(connection: sqlite3.Connection) -> dict[str, int]:
    """Rebuild all rows in one transaction. Return the numbers of sources and entries, and the new revision."""
    with transaction(connection):
        return rebuild_rows(connection)


def rebuild_rows(connection: sqlite3.Connection) -> dict[str, int]:
    """Rebuild the rows of every generation and derive everything, inside the caller's transaction."""
    revision = next_revision(connection)
    delete_rebuildable_rows(connection)
    archive, entries = Archive(connection), EntryWriter(connection, revision)
    entries.changes.is_all = True
    sources = 0
    for known in all_sources(connection):
        sources += 1
        for number in range(1, known.generation + 1):
            rebuild_generation(entries, archive, known.source, number)
    owners = elect_owners(connection, archive, entries.changes)
    apply_owners(entries, archive, owners)
    derived = derive_all(connection, revision, is_first=True)
    index_queued_words(connection, derived.removed_words, derived.added_words)
    write_revision(connection, revision)
    return {"sources": sources, "entries": entries.entries_added, "revision": revision}


def derive_again(connection: sqlite3.Connection) -> None:
    """Rebuild all derived rows from the recorded rows, in one transaction."""
    with transaction(connection):
        revision = next_revision(connection)
        derived = derive_all(connection, revision, is_first=False)
        index_queued_words(connection, derived.removed_words, derived.added_words)
        write_revision(connection, revision)


def reprice(connection: sqlite3.Connection) -> int:
    """Estimate the cost of all responses again and return their number."""
    renew_if_outdated(connection)  # otherwise outdated rows would be marked as current
    with transaction(connection):
        count = reprice_all(connection)
        count_all_totals(connection)
        write_revision(connection, next_revision(connection))
    return count
