"""Find the paths through a session, along lines or along recorded parents."""

import json
import sqlite3
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ccindex.graph.threads import smallest_of_cycles
from ccindex.model.graph import NONE
from ccindex.query.ids import entry_keys
from ccindex.store.sql_files import load


class PathRow(NamedTuple):
    """A path with the columns of `v1_paths`; `line_id` is None for a path along recorded parents."""

    path_id: str
    session_id: str
    number: int
    status: str
    root_uuid: str
    leaf_uuid: str
    fork_uuid: str | None
    entry_count: int
    compaction_count: int
    line_id: str | None
    is_agent: int


class _RecordedEntry(NamedTuple):
    """An entry with its recorded parents."""

    entry: int
    uuid: str
    session_id: str
    parent: int | None
    logical_parent: int | None
    is_active: int
    is_agent: int
    is_boundary: int
    is_recorded: int
    file: int
    generation: int
    offset: int


class _Trail(NamedTuple):
    """Facts about the chain from a root to an entry."""

    root: int
    fork: int
    entry_count: int
    compaction_count: int
    is_active: bool
    is_recorded: bool


class PathTotals(NamedTuple):
    """Time span and usage of a path along lines, excluding its subagents."""

    project: str | None
    first_at: int | None
    last_at: int | None
    calls: int
    responses: int
    output_tokens: int
    est_cost_usd: float | None


def path_totals(connection: sqlite3.Connection, path: PathRow) -> PathTotals:
    """Return the totals of a path along lines, with every response counted once."""
    return PathTotals(*connection.execute(load("query/path_totals"), {"leaf_uuid": path.leaf_uuid}).fetchone())


def conversation_paths(connection: sqlite3.Connection, session_id: str, *, agents: bool = False) -> list[PathRow]:
    """Return the paths along lines that contain an entry recorded in the session; subagent paths come last.

    (rule: paths_of_session)
    """
    values = {"session_id": session_id, "agents": int(agents)}
    return [PathRow(*row) for row in connection.execute(load("query/session_paths"), values)]


def last_texts(connection: sqlite3.Connection, paths: Sequence[PathRow]) -> dict[str, str]:
    """Return the last text on the line where each path ends, keyed by the uuid of the path's leaf."""
    keys = entry_keys(connection, (path.leaf_uuid for path in paths))
    texts = dict(connection.execute(load("query/path_last_texts"), {"leaves": json.dumps(list(keys.values()))}))
    return {uuid: texts.get(key) or "" for uuid, key in keys.items()}


def conversation_uuids(connection: sqlite3.Connection, path: PathRow) -> list[str]:
    """Return the uuids of the entries on a path along lines, root first."""
    return [uuid for (uuid,) in connection.execute(load("query/path_entries"), {"leaf_uuid": path.leaf_uuid})]


@dataclass(frozen=True, slots=True)
class RecordedGraph:
    """The entries of a session's families with their recorded parents, without cycles (rule: recorded_path)."""

    entries: Sequence[_RecordedEntry]
    parents: Sequence[int]
    indexes: Mapping[str, int]

    def paths(self) -> list[PathRow]:
        """Return the root-to-leaf chains that contain an entry recorded in the session, sorted by the leaf's time."""
        trails = self._trails()
        inner = {parent for parent in self.parents if parent != NONE}
        numbers: Counter[str] = Counter()
        rows = []
        for index, entry in enumerate(self.entries):
            if index in inner:
                continue
            numbers[entry.session_id] += 1
            trail = trails[index]
            if trail.is_recorded:
                rows.append(
                    PathRow(
                        f"path-{entry.uuid}",
                        entry.session_id,
                        numbers[entry.session_id],
                        "active" if trail.is_active else "abandoned",
                        self.entries[trail.root].uuid,
                        entry.uuid,
                        None if trail.fork == NONE else self.entries[trail.fork].uuid,
                        trail.entry_count,
                        trail.compaction_count,
                        None,
                        entry.is_agent,
                    )
                )
        return rows

    def uuids(self, leaf_uuid: str) -> list[str]:
        """Return the uuids of the entries on the chain from the root to the given leaf."""
        index = self.indexes[leaf_uuid]
        uuids = []
        while index != NONE:
            uuids.append(self.entries[index].uuid)
            index = self.parents[index]
        return uuids[::-1]

    def _trails(self) -> list[_Trail]:
        """Return the trail of every entry, computed in one pass from the roots to the leaves."""
        children: list[list[int]] = [[] for _ in self.entries]
        order: list[int] = []
        for index, parent in enumerate(self.parents):
            (order if parent == NONE else children[parent]).append(index)
        trails = [
            _Trail(index, NONE, 1, entry.is_boundary, is_active=True, is_recorded=bool(entry.is_recorded))
            for index, entry in enumerate(self.entries)
        ]
        for index in order:  # grows during the loop
            chosen = max(children[index], key=self._active_rank, default=NONE)
            for child in children[index]:
                above, own = trails[index], trails[child]
                trails[child] = _Trail(
                    above.root,
                    index if len(children[index]) > 1 else above.fork,
                    above.entry_count + 1,
                    above.compaction_count + own.compaction_count,
                    is_active=above.is_active and child == chosen,
                    is_recorded=above.is_recorded or own.is_recorded,
                )
            order.extend(children[index])
        return trails

    def _active_rank(self, index: int) -> tuple[int, int, int, int]:
        """Return the sort key of a child: its `is_active` flag, then file order. The active child sorts last."""
        entry = self.entries[index]
        return entry.is_active, entry.file, entry.generation, entry.offset


def recorded_graph(connection: sqlite3.Connection, session_id: str, *, agents: bool = False) -> RecordedGraph:
    """Load the entries of a session's families with their recorded parents (rule: recorded_path).

    A boundary without a parent becomes a child of its logical parent. Cycles are cut at their earliest entries.
    """
    values = {"session_id": session_id, "agents": int(agents)}
    entries = [_RecordedEntry(*row) for row in connection.execute(load("query/recorded_graph"), values)]
    index_of: dict[int | None, int] = {entry.entry: index for index, entry in enumerate(entries)}
    parents = [index_of.get(entry.parent, NONE) for entry in entries]
    for index, entry in enumerate(entries):
        if entry.is_boundary and entry.parent is None:
            parents[index] = index_of.get(entry.logical_parent, NONE)
    for index in smallest_of_cycles(parents):
        parents[index] = NONE
    return RecordedGraph(entries, parents, {entry.uuid: index for index, entry in enumerate(entries)})
