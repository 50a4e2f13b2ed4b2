"""Explain why an entry is where it is: its owner, its parent, the ruling that placed it, and its line."""

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ccindex.graph.ladder import LADDER
from ccindex.store.sql_files import load


class EntryCopy(NamedTuple):
    """One occurrence of an entry, with the ownership criteria in the order in which they apply."""

    is_owner: int
    is_current: int
    session_first_at: int | None
    session_first_own_at: int | None
    session_id: str
    has_parent: int
    is_agent_file: int
    is_helper_file: int | None
    agent_file_entries: int | None
    source_path: str
    generation: int
    byte_offset: int
    line_no: int
    same_bytes: int


class Parent(NamedTuple):
    """The recorded parent and the effective parent of an entry."""

    recorded_parent_uuid: str | None
    is_seen: int
    parent_uuid: str | None
    spawn_rule: str | None
    is_cut: int
    root_kind: str | None
    thread_id: str
    parent_thread_id: str | None

    @property
    def reason(self) -> str:
        """The reason for the effective parent."""
        if self.is_cut:
            return "the link was cut because it closes a cycle; this is the earliest entry in the cycle"
        if self.spawn_rule is not None:
            return f"a subagent's first entry is attached where the subagent was spawned: {_RULES[self.spawn_rule]}"
        if self.recorded_parent_uuid is None:
            return "no parent was recorded"
        return "as recorded" if self.is_seen else "no indexed file contains the recorded parent (a ghost)"


class ForkChild(NamedTuple):
    """A child of a fork, with its line and position or the reason why it was set aside."""

    uuid: str
    kind: str
    timestamp: str | None
    line_id: str | None
    position: int | None
    set_aside: str | None
    starts_line: int


@dataclass(frozen=True, slots=True)
class ForkRuling:
    """A ruling on the children of a fork."""

    uuid: str
    thread_id: str
    line_id: str
    rung: int
    name: str
    verdict: str
    reason: str
    children: Sequence[ForkChild]


class EntryPosition(NamedTuple):
    """The line and position of an entry; for a set-aside entry, the line of its fork."""

    line_id: str | None
    position: int | None
    kind: str | None
    entry_count: int
    is_active: int
    parent_line_id: str | None
    attachment_uuid: str | None
    set_aside: str | None
    fork_uuid: str | None


@dataclass(frozen=True, slots=True)
class Explanation:
    """All decisions about an entry: `fork` is the ruling that placed it, `rulings` are the rulings on its children."""

    uuid: str
    occurrences: Sequence[EntryCopy]
    owned_because: str
    parent: Parent
    fork: ForkRuling | None
    rulings: Sequence[ForkRuling]
    line: EntryPosition


def explain(connection: sqlite3.Connection, uuid: str) -> Explanation:
    """Load all decisions about an entry."""
    values = {"uuid": uuid}
    copies = _copies(connection, uuid)
    rows = connection.execute(load("query/entry_rulings"), values).fetchall()
    rulings = [(is_own, _ruling(connection, _RulingRow(*row))) for is_own, *row in rows]
    return Explanation(
        uuid,
        copies,
        _ownership_reason(copies),
        Parent(*connection.execute(load("query/entry_parents"), values).fetchone()),
        next((ruling for is_own, ruling in rulings if not is_own), None),
        [ruling for is_own, ruling in rulings if is_own],
        EntryPosition(*connection.execute(load("query/entry_position"), values).fetchone()),
    )


def _copies(connection: sqlite3.Connection, uuid: str) -> list[EntryCopy]:
    """Load the occurrences of an entry in ownership order, the owner first."""
    (entry,) = connection.execute("select id from entries where uuid = ?", (uuid,)).fetchone()
    copies = []
    for row in connection.execute(load("derive/ranked_copies"), {"entries": f"[{entry}]", "is_all": 1}):
        _, _, _, has_other_content, _, generation, offset, _, *criteria, line_no = row
        copies.append(EntryCopy._make((*criteria, generation, offset, line_no, int(not has_other_content))))
    return copies


# per ownership criterion, in order: the reason why the owner precedes the next copy
_REASONS = {
    "is_current": "the others are only in earlier generations of a rewritten file",
    "session_first_at": "its session started first",
    "session_first_own_at": "its session was the first to record new entries",
    "session_id": "its session's id sorts first",
    "has_parent": "it has a recorded parent",
    "is_agent_file": "it is in a session file, not in a subagent file",
    "is_helper_file": "the others are in files of Claude Code's helper agents",
    "agent_file_entries": "its file has the most entries of all subagent files that contain the entry",
    "source_path": "its file's path sorts first",
    "generation": "it is in an earlier generation of the file",
    "byte_offset": "it comes first in the file",
}


def _ownership_reason(copies: Sequence[EntryCopy]) -> str:
    """Return the reason for the first criterion in which the owner differs from the next copy."""
    if len(copies) == 1:
        return "it is the only occurrence"
    owner, other = copies[0], copies[1]
    criterion = next(name for name in _REASONS if getattr(owner, name) != getattr(other, name))
    return f"chosen from {len(copies):,} occurrences because {_REASONS[criterion]}"


_RULES = {
    "context": "its file contains a record that refers to the entry from which it was forked",
    "sidecar": "its sidecar file contains the call's id",
    "workflow": "the result contains the id of its workflow run",
    "result": "the result contains the subagent's id",
    "mention": "a line in the result text contains the subagent's id",
    "progress": "a progress entry contains the ids of the subagent and the call",
    "prompt": "the call's prompt is the subagent's first prompt",
}


class _RulingRow(NamedTuple):
    """A row of query/entry_rulings."""

    uuid: str
    thread_id: str
    line_id: str
    rung: int
    verdict: str
    reason: str


def _ruling(connection: sqlite3.Connection, row: _RulingRow) -> ForkRuling:
    values = {"uuid": row.uuid, "thread_id": row.thread_id}
    children = [ForkChild(*child) for child in connection.execute(load("query/fork_children"), values)]
    name = LADDER[row.rung - 1].__name__
    return ForkRuling(row.uuid, row.thread_id, row.line_id, row.rung, name, row.verdict, row.reason, children)
