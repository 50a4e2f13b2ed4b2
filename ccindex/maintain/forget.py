"""Removes sessions and projects from the index and the archive, and keeps them from coming back."""

import json
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ccindex.errors import NoSuchProject, NotForgotten
from ccindex.ingest.run import now
from ccindex.maintain.rebuild import rebuild_rows
from ccindex.model.sources import Forgets, Forgotten, KnownSource, Tombstone
from ccindex.store import sources as store
from ccindex.store.archive import Archive
from ccindex.store.connection import transaction
from ccindex.store.sources import known_all, load_generation, update_hashes
from ccindex.store.sql_files import load

_CLOSE = 5


def all_forgotten(connection: sqlite3.Connection) -> list[dict[str, Any]]:
    """The sessions and projects that were forgotten, by name."""
    rows = connection.execute("select kind, name, forgotten_at from v1_forgotten order by kind, name")
    return [dict(zip(("kind", "name", "forgotten_at"), row, strict=True)) for row in rows]


def is_forgotten(connection: sqlite3.Connection, kind: str, name: str) -> bool:
    """Whether exactly this was forgotten before."""
    found = connection.execute("select 1 from tombstones where kind = ? and name = ?", (kind, name)).fetchone()
    return found is not None


def project_named(connection: sqlite3.Connection, wanted: str) -> str:
    """Return a project of exactly that name; nothing less will do for what cannot be undone."""
    names = [name for (name,) in connection.execute("select distinct project from sources order by 1")]
    if wanted in names:
        return wanted
    raise NoSuchProject(wanted, [name for name in names if wanted.lower() in name.lower()][:_CLOSE])


def forgotten_named(connection: sqlite3.Connection, kind: str, wanted: str) -> str:
    """Return the forgotten thing that is meant: by its name, or by the only one that begins so."""
    names = [row["name"] for row in all_forgotten(connection) if row["kind"] == kind]
    matches = [name for name in names if name == wanted] or [name for name in names if name.startswith(wanted)]
    if len(matches) != 1:
        raise NotForgotten(kind, wanted)
    return str(matches[0])


@dataclass(frozen=True, slots=True)
class Loss:
    """What a session loses: entries that it owns and nobody else has; those that stay, others have copies of."""

    session_id: str
    removed: int
    kept: int


@dataclass(frozen=True, slots=True)
class Holder:
    """A session that goes on holding copies of entries of what is forgotten."""

    session_id: str
    entries: int


@dataclass(frozen=True, slots=True)
class Plan:
    """What forgetting takes out, and what it leaves."""

    tombstones: tuple[Tombstone, ...]
    files: tuple[KnownSource, ...]
    blanked: dict[str, int]
    losses: tuple[Loss, ...]
    holders: tuple[Holder, ...]

    @property
    def named(self) -> list[Tombstone]:
        """What the user named."""
        return [item for item in self.tombstones if item.kind in (Forgets.SESSION, Forgets.PROJECT)]

    @property
    def entries(self) -> int:
        """How many entries go."""
        return sum(loss.removed for loss in self.losses)

    @property
    def bytes(self) -> int:
        """How many recorded bytes of whole files go."""
        return sum(file.position.archived for file in self.files)

    @property
    def others(self) -> list[Loss]:
        """Sessions that nobody named and that lose something with the files of those that were."""
        names = {item.name for item in self.named}
        names.update(file.info.session_hint or file.info.stem for file in self.files)  # a project's own
        return [loss for loss in self.losses if loss.session_id not in names]


def plan_forget(connection: sqlite3.Connection, tombstones: Sequence[Tombstone]) -> Plan:
    """Find out what forgetting some sessions and projects removes; nothing is written."""
    forgotten = _named(tombstones)
    sessions = store.session_numbers(connection, forgotten.sessions)
    agents = _with_sidecars(store.agent_files(connection, sessions))
    files = _files(connection, replace(forgotten, files=frozenset(agents)))
    given = {"sources": json.dumps([known.source for known in files]), "sessions": json.dumps(sessions)}
    gone = connection.execute(load("derive/gone_entries"), given).fetchall()
    lost = json.dumps([entry for entry, is_lost in gone if is_lost])
    kept = json.dumps([entry for entry, is_lost in gone if not is_lost])
    leaves = connection.execute(load("derive/lost_leaves"), given | {"lost": lost})
    losses = connection.execute(load("derive/losses"), {"lost": lost, "kept": kept, "sessions": given["sessions"]})
    return Plan(
        tombstones=(
            *tombstones,
            *(Tombstone(Forgets.FILE, path) for path in agents),
            *(Tombstone(Forgets.LEAF, leaf) for (leaf,) in leaves),
        ),
        files=tuple(files),
        blanked=dict(connection.execute(load("derive/objects_elsewhere"), given).fetchall()),
        losses=tuple(Loss(*row) for row in losses),
        holders=tuple(
            Holder(*row) for row in connection.execute(load("derive/copy_holders"), given | {"entries": kept})
        ),
    )


def forget(connection: sqlite3.Connection, planned: Plan) -> None:
    """Do what was planned, in one transaction; whatever happens later, `scrub` is due."""
    connection.execute("pragma secure_delete = on")  # deleted rows are overwritten with zeros
    with transaction(connection):
        _let_come_back(connection)  # or leaves of it would be taken for some that did
        store.put_tombstones(connection, planned.tombstones, now())
        remove_forgotten(connection)


def allow(connection: sqlite3.Connection, tombstones: Iterable[Tombstone]) -> None:
    """Let some things come back with the next run, as far as their files are still there."""
    with transaction(connection):
        store.lift_tombstones(connection, tombstones)


def remove_forgotten(connection: sqlite3.Connection) -> None:
    """Take out whatever of the forgotten the index holds, inside the caller's transaction."""
    _let_come_back(connection)
    forgotten = store.load_forgotten(connection)
    if forgotten == Forgotten():
        return
    archive = Archive(connection)
    # again, because an earlier generation may hold what a later one hid
    while _take_out(connection, archive, forgotten):
        store.ask_for_scrub(connection)
        rebuild_rows(connection)
        forgotten = store.load_forgotten(connection)


def finish_forgetting(connection: sqlite3.Connection) -> bool:
    """Overwrite what is left of things taken out, if any were; False: a reader is in the way, a later run does it."""
    return not store.is_scrub_due(connection) or store.scrub(connection)


def _let_come_back(connection: sqlite3.Connection) -> None:
    """Make the rows of what the archive got back, and let summaries of it come back too."""
    if store.is_refilled(connection):
        rebuild_rows(connection)
        store.lift_known_leaves(connection)
        store.end_refill(connection)


def _take_out(connection: sqlite3.Connection, archive: Archive, forgotten: Forgotten) -> bool:
    """Drop files and blank objects; return whether there were any."""
    sessions = store.session_numbers(connection, forgotten.sessions)
    agents = _with_sidecars(store.agent_files(connection, sessions))
    store.put_tombstones(connection, (Tombstone(Forgets.FILE, path) for path in agents), now())
    files = _files(connection, replace(forgotten, files=forgotten.files.union(agents)))
    if files:
        store.drop_sources(connection, (known.source for known in files))
        archive.drop_unused()
    objects = store.held_objects(connection)
    for (source, generation), spans in objects.items():
        archive.blank(source, generation, spans)
        store.note_redactions(connection, source, generation, spans)
        known, _ = load_generation(connection, source, generation)
        update_hashes(connection, (source, generation), *archive.edges(source, generation, known.position.archived))
    return bool(files or objects)


def _files(connection: sqlite3.Connection, forgotten: Forgotten) -> list[KnownSource]:
    return [known for known in known_all(connection) if forgotten.covers(known.path, known.info)]


def _with_sidecars(agents: Iterable[str]) -> list[str]:
    """Transcripts of agents, each with the file that may stand beside it."""
    return [path for agent in agents for path in (agent, agent.removesuffix(".jsonl") + ".meta.json")]


def _named(tombstones: Iterable[Tombstone]) -> Forgotten:
    names: dict[Forgets, set[str]] = {kind: set() for kind in Forgets}
    for tombstone in tombstones:
        names[tombstone.kind].add(tombstone.name)
    return Forgotten(frozenset(names[Forgets.SESSION]), frozenset(names[Forgets.PROJECT]))
