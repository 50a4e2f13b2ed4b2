"""Every table but the archive made anew from the archive, with no source file present."""

import sqlite3
from dataclasses import replace

from ccindex.derive.derive import derive_all
from ccindex.derive.facts import count_all_totals
from ccindex.derive.facts import reprice as reprice_all
from ccindex.derive.owners import apply_owners, elect_owners
from ccindex.derive.queued_words import index_queued_words
from ccindex.ingest.desk import Desk
from ccindex.ingest.documents import keep_document
from ccindex.ingest.intake import Intake
from ccindex.ingest.run import Run
from ccindex.model.sources import Watermark
from ccindex.model.tables import DERIVED_TABLES, RECORDED_TABLES
from ccindex.store.connection import transaction
from ccindex.store.create import Outdated, end_upgrade, next_revision, outdated_rows, write_revision
from ccindex.store.fts import Searched, forget_all_words
from ccindex.store.sources import known_all, position_of, save_position


def rebuild(connection: sqlite3.Connection) -> dict[str, int]:
    """Replay every generation of every source in one transaction; return what there is now."""
    with transaction(connection):
        return rebuild_rows(connection)


def rebuild_rows(connection: sqlite3.Connection) -> dict[str, int]:
    """Rebuild inside the caller's transaction."""
    revision = next_revision(connection)
    for table in (*RECORDED_TABLES, *DERIVED_TABLES):
        connection.execute(f"delete from {table.name}")  # noqa: S608
    forget_all_words(connection)
    connection.execute("delete from diagnostics where source is not null")
    run = Run(connection)
    run.recorder.changes.is_all = True
    sources = 0
    for known in known_all(connection):
        sources += 1
        for number in range(1, known.generation + 1):
            _replay(run, known.source, number)
    owners = elect_owners(connection, run.archive, run.recorder.changes)
    apply_owners(connection, run.recorder, run.archive, owners)
    derived = derive_all(connection, revision, is_first=True)
    index_queued_words(run.recorder.words, derived.removed_words, derived.added_words)
    end_upgrade(connection)
    write_revision(connection, revision)
    return {"sources": sources, "entries": run.recorder.entries_added, "revision": revision}


def derive_again(connection: sqlite3.Connection) -> None:
    """Derive everything anew from the recorded rows, in one transaction."""
    with transaction(connection):
        revision = next_revision(connection)
        derived = derive_all(connection, revision, is_first=False)
        index_queued_words(Searched(connection), derived.removed_words, derived.added_words)
        end_upgrade(connection)
        write_revision(connection, revision)


def reprice(connection: sqlite3.Connection) -> int:
    """Estimate the cost of all responses anew; return how many there are."""
    renew_if_outdated(connection)  # or the index would say of rows made by other rules that they are by ours
    with transaction(connection):
        count = reprice_all(connection)
        count_all_totals(connection)
        write_revision(connection, next_revision(connection))
    return count


def renew_if_outdated(connection: sqlite3.Connection) -> None:
    """Bring an index in line whose rows were made by other rules than this ccindex has."""
    outdated = outdated_rows(connection)
    if outdated is Outdated.RECORDED:
        rebuild(connection)
    elif outdated is Outdated.DERIVED:
        derive_again(connection)
    else:
        end_upgrade(connection)


def _replay(run: Run, source: int, number: int) -> None:
    """Take one generation's bytes out of the archive as if they were read for the first time."""
    place, before = position_of(run.connection, source, number)
    run.ledger.begin_generation(source, number)
    if place.role.is_document:
        keep_document(run, source, number)
    if not place.role.is_transcript:
        return
    intake = Intake(Desk(run, source, number), place, Watermark(), run.phases)
    for block in run.archive.blocks(source, number):
        intake.feed(block)
    intake.finish()
    old = before.mark
    mark = replace(intake.pause(old.archived), head_hash=old.head_hash, tail_hash=old.tail_hash)
    save_position(run.connection, replace(before, mark=mark))
    if number > 1:
        run.ledger.supersede(source, number)
