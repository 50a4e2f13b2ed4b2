"""Every table but the archive made anew from the archive, with no source file present."""

import sqlite3

from ccindex.derive.derive import derive_all
from ccindex.derive.facts import count_all_totals, index_queued_words
from ccindex.derive.facts import reprice as reprice_all
from ccindex.derive.owners import apply_owners, elect_owners
from ccindex.ingest.file_changes import replay_generation
from ccindex.maintain.update import renew_if_outdated
from ccindex.store.archive import Archive
from ccindex.store.connection import transaction
from ccindex.store.create import next_revision, write_revision
from ccindex.store.entry_writer import EntryWriter, delete_rebuilt
from ccindex.store.sources import known_all


def rebuild(connection: sqlite3.Connection) -> dict[str, int]:
    """Replay every generation of every source in one transaction; return what there is now."""
    with transaction(connection):
        return rebuild_rows(connection)


def rebuild_rows(connection: sqlite3.Connection) -> dict[str, int]:
    """Rebuild inside the caller's transaction."""
    revision = next_revision(connection)
    delete_rebuilt(connection)
    archive, entries = Archive(connection), EntryWriter(connection, revision)
    entries.changes.is_all = True
    sources = 0
    for known in known_all(connection):
        sources += 1
        for number in range(1, known.generation + 1):
            replay_generation(entries, archive, known.source, number)
    owners = elect_owners(connection, archive, entries.changes)
    apply_owners(entries, archive, owners)
    derived = derive_all(connection, revision, is_first=True)
    index_queued_words(connection, derived.removed_words, derived.added_words)
    write_revision(connection, revision)
    return {"sources": sources, "entries": entries.entries_added, "revision": revision}


def derive_again(connection: sqlite3.Connection) -> None:
    """Derive everything anew from the recorded rows, in one transaction."""
    with transaction(connection):
        revision = next_revision(connection)
        derived = derive_all(connection, revision, is_first=False)
        index_queued_words(connection, derived.removed_words, derived.added_words)
        write_revision(connection, revision)


def reprice(connection: sqlite3.Connection) -> int:
    """Estimate the cost of all responses anew; return how many there are."""
    renew_if_outdated(connection)  # or the index would say of rows made by other rules that they are by ours
    with transaction(connection):
        count = reprice_all(connection)
        count_all_totals(connection)
        write_revision(connection, next_revision(connection))
    return count
