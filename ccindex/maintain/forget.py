"""Remove sessions and projects from the index and the archive, and prevent them from being indexed again."""

import json
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ccindex.errors import NoSuchProject, NoSuchTombstone
from ccindex.ingest.run import now
from ccindex.maintain.rebuild import rebuild_rows
from ccindex.model.sources import Forgotten, KnownSource, Tombstone, TombstoneKind
from ccindex.store import sources as store
from ccindex.store.archive import Archive
from ccindex.store.connection import transaction
from ccindex.store.sources import all_sources, load_generation, update_hashes
from ccindex.store.sql_files import load

_MAX_SUGGESTIONS = 5


def list_forgotten(connection: sqlite3.Connection) -> list[dict[str, Any]]:
    """Return the forgotten sessions and projects, sorted by kind and name."""
    rows = connection.execute("select kind, name, forgotten_at from v1_forgotten order by kind, name")
    return [dict(zip(("kind", "name", "forgotten_at"), row, strict=True)) for row in rows]


def is_forgotten(connection: sqlite3.Connection, kind: str, name: str) -> bool:
    """Return whether there is a tombstone of this kind with exactly this name."""
    row = connection.execute("select 1 from tombstones where kind = ? and name = ?", (kind, name)).fetchone()
    return row is not None


def find_project(connection: sqlite3.Connection, name: str) -> str:
    """Return the name if a project has exactly this name. A prefix is not accepted, because forgetting deletes data."""
    projects = [project for (project,) in connection.execute("select distinct project from sources order by 1")]
    if name in projects:
        return name
    similar = [project for project in projects if name.lower() in project.lower()]
    raise NoSuchProject(name, similar[:_MAX_SUGGESTIONS])


def find_forgotten(connection: sqlite3.Connection, kind: str, name: str) -> str:
    """Return the name of the forgotten session or project that has this name or, if only one matches, this prefix."""
    names = [row["name"] for row in list_forgotten(connection) if row["kind"] == kind]
    matches = [other for other in names if other == name] or [other for other in names if other.startswith(name)]
    if len(matches) != 1:
        raise NoSuchTombstone(kind, name)
    return str(matches[0])


@dataclass(frozen=True, slots=True)
class Loss:
    """How many entries of a session are removed, and how many are kept because other sessions have copies."""

    session_id: str
    removed: int
    kept: int


@dataclass(frozen=True, slots=True)
class Holder:
    """A session that keeps copies of forgotten entries, and the number of these entries."""

    session_id: str
    entries: int


@dataclass(frozen=True, slots=True)
class ForgetPlan:
    """What forgetting the given sessions and projects removes, and what it keeps."""

    tombstones: tuple[Tombstone, ...]
    files: tuple[KnownSource, ...]
    blanked: dict[str, int]
    losses: tuple[Loss, ...]
    holders: tuple[Holder, ...]

    @property
    def named(self) -> list[Tombstone]:
        """Tombstones of the sessions and projects that the user named."""
        return [item for item in self.tombstones if item.kind in (TombstoneKind.SESSION, TombstoneKind.PROJECT)]

    @property
    def entries(self) -> int:
        """Number of entries that are removed."""
        return sum(loss.removed for loss in self.losses)

    @property
    def bytes(self) -> int:
        """Number of archived bytes in the files that are removed completely."""
        return sum(file.position.archived for file in self.files)

    @property
    def others(self) -> list[Loss]:
        """Losses of sessions that the user did not name, but whose entries are in files that are removed."""
        names = {item.name for item in self.named}
        names.update(file.info.session_hint or file.info.stem for file in self.files)  # sessions of a named project
        return [loss for loss in self.losses if loss.session_id not in names]


def plan_forget(connection: sqlite3.Connection, tombstones: Sequence[Tombstone]) -> ForgetPlan:
    """Determine what forgetting the given sessions and projects would remove. Nothing is written."""
    forgotten = _to_forgotten(tombstones)
    sessions = store.find_sessions(connection, forgotten.sessions)
    agents = _with_sidecars(store.agent_files(connection, sessions))
    files = _covered_sources(connection, replace(forgotten, files=frozenset(agents)))
    params = {"sources": json.dumps([known.source for known in files]), "sessions": json.dumps(sessions)}
    affected = connection.execute(load("derive/affected_entries"), params).fetchall()
    lost = json.dumps([entry for entry, is_lost in affected if is_lost])
    kept = json.dumps([entry for entry, is_lost in affected if not is_lost])
    leaves = connection.execute(load("derive/lost_leaves"), params | {"lost": lost})
    losses = connection.execute(
        load("derive/removed_entry_counts"), {"lost": lost, "kept": kept, "sessions": params["sessions"]}
    )
    return ForgetPlan(
        tombstones=(
            *tombstones,
            *(Tombstone(TombstoneKind.FILE, path) for path in agents),
            *(Tombstone(TombstoneKind.LEAF, leaf) for (leaf,) in leaves),
        ),
        files=tuple(files),
        blanked=dict(connection.execute(load("derive/objects_in_other_sources"), params).fetchall()),
        losses=tuple(Loss(*row) for row in losses),
        holders=tuple(
            Holder(*row)
            for row in connection.execute(load("derive/sessions_keeping_copies"), params | {"entries": kept})
        ),
    )


def forget(connection: sqlite3.Connection, planned: ForgetPlan) -> None:
    """Carry out a plan in one transaction, which also records that `scrub` is due."""
    connection.execute("pragma secure_delete = on")  # overwrites deleted rows with zeros
    with transaction(connection):
        _finish_refill(connection)  # first, because otherwise it would delete leaf tombstones that the plan adds
        store.add_tombstones(connection, planned.tombstones, now())
        remove_forgotten(connection)


def allow(connection: sqlite3.Connection, tombstones: Iterable[Tombstone]) -> None:
    """Delete tombstones, so that the next run indexes sessions and projects whose files still exist."""
    with transaction(connection):
        store.delete_tombstones(connection, tombstones)


def remove_forgotten(connection: sqlite3.Connection) -> None:
    """Remove all forgotten entries and files from the index, inside the caller's transaction."""
    _finish_refill(connection)
    forgotten = store.load_forgotten(connection)
    if forgotten == Forgotten():
        return
    archive = Archive(connection)
    # repeated, because blanking an object in a later generation can expose the same object in an earlier one
    while _remove_files_and_objects(connection, archive, forgotten):
        store.request_scrub(connection)
        rebuild_rows(connection)
        forgotten = store.load_forgotten(connection)


def finish_forgetting(connection: sqlite3.Connection) -> bool:
    """Remove the remaining traces of deleted rows. Return False if a reader prevents it; a later run tries again."""
    return not store.is_scrub_due(connection) or store.scrub(connection)


def _finish_refill(connection: sqlite3.Connection) -> None:
    """After a refill of the archive, rebuild all rows and delete tombstones of leaves that are in the index again."""
    if store.is_refilled(connection):
        rebuild_rows(connection)
        store.delete_leaf_tombstones(connection)
        store.end_refill(connection)


def _remove_files_and_objects(connection: sqlite3.Connection, archive: Archive, forgotten: Forgotten) -> bool:
    """Drop forgotten files and blank forgotten objects. Return whether there were any."""
    sessions = store.find_sessions(connection, forgotten.sessions)
    agents = _with_sidecars(store.agent_files(connection, sessions))
    store.add_tombstones(connection, (Tombstone(TombstoneKind.FILE, path) for path in agents), now())
    files = _covered_sources(connection, replace(forgotten, files=forgotten.files.union(agents)))
    if files:
        store.drop_sources(connection, (known.source for known in files))
        archive.drop_unused()
    objects = store.forgotten_objects(connection)
    for (source, generation), redactions in objects.items():
        archive.overwrite_with_blanks(source, generation, redactions)
        store.add_redactions(connection, source, generation, redactions)
        known, _ = load_generation(connection, source, generation)
        update_hashes(
            connection, (source, generation), *archive.edge_hashes(source, generation, known.position.archived)
        )
    return bool(files or objects)


def _covered_sources(connection: sqlite3.Connection, forgotten: Forgotten) -> list[KnownSource]:
    return [known for known in all_sources(connection) if forgotten.covers(known.path, known.info)]


def _with_sidecars(agents: Iterable[str]) -> list[str]:
    """Return agent transcripts, each followed by the path of its sidecar, which may not exist."""
    return [path for agent in agents for path in (agent, agent.removesuffix(".jsonl") + ".meta.json")]


def _to_forgotten(tombstones: Iterable[Tombstone]) -> Forgotten:
    names: dict[TombstoneKind, set[str]] = {kind: set() for kind in TombstoneKind}
    for tombstone in tombstones:
        names[tombstone.kind].add(tombstone.name)
    return Forgotten(frozenset(names[TombstoneKind.SESSION]), frozenset(names[TombstoneKind.PROJECT]))
