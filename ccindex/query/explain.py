"""A uuid to the reasons for its place: the copy that owns it, its parent, the ruling that placed it, its line."""

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ccindex.graph.ladder import LADDER
from ccindex.store.sql_files import load


class EntryCopy(NamedTuple):
    """One occurrence of the uuid, with what decides about ownership, in that order."""

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
    """The parent that the owner names, and the effective parent."""

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
        """How the effective parent came about."""
        if self.is_cut:
            return "the link would close a cycle, of which this is the earliest entry: it was cut"
        if self.spawn_rule is not None:
            return f"an agent's first entry hangs where it was spawned: {_RULES[self.spawn_rule]}"
        if self.recorded_parent_uuid is None:
            return "no parent was recorded"
        return "as recorded" if self.is_seen else "the recorded parent was never seen: a ghost"


class ForkChild(NamedTuple):
    """One of the children of a fork, and where it went."""

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


class EntryPlace(NamedTuple):
    """The entry's place; of one that was set aside, the line is that of the fork."""

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
    """All decisions about an entry; `fork` placed it, `rulings` are on its own children."""

    uuid: str
    occurrences: Sequence[EntryCopy]
    owned_because: str
    parent: Parent
    fork: ForkRuling | None
    rulings: Sequence[ForkRuling]
    line: EntryPlace


def explain(connection: sqlite3.Connection, uuid: str) -> Explanation:
    """Load all decisions about an entry."""
    values = {"uuid": uuid}
    copies = _copies(connection, uuid)
    stored = connection.execute(load("query/rulings"), values).fetchall()
    rulings = [(is_own, _ruling(connection, _RulingRow(*row))) for is_own, *row in stored]
    return Explanation(
        uuid,
        copies,
        _because(copies),
        Parent(*connection.execute(load("query/parent"), values).fetchone()),
        next((ruling for is_own, ruling in rulings if not is_own), None),
        [ruling for is_own, ruling in rulings if is_own],
        EntryPlace(*connection.execute(load("query/place"), values).fetchone()),
    )


def _copies(connection: sqlite3.Connection, uuid: str) -> list[EntryCopy]:
    """Load the copies of an entry in the order in which they come to own it."""
    (entry,) = connection.execute("select id from entries where uuid = ?", (uuid,)).fetchone()
    copies = []
    for row in connection.execute(load("derive/ranked_copies"), {"entries": f"[{entry}]", "is_all": 1}):
        _, _, _, has_other_content, _, generation, offset, _, *criteria, line_no = row
        copies.append(EntryCopy._make((*criteria, generation, offset, line_no, int(not has_other_content))))
    return copies


# why the owner precedes the next copy, in the order of ownership
_REASONS = {
    "is_current": "the other copies stand only in an earlier content of a rewritten file",
    "session_first_at": "its session is the earliest that claims the uuid",
    "session_first_own_at": "its session was the first to go on alone",
    "session_id": "its session's id sorts first",
    "has_parent": "it names a parent",
    "is_agent_file": "it stands in a session's file, not an agent's",
    "is_helper_file": "the others stand in files of Claude Code's own helper agents",
    "agent_file_entries": "its file holds the most entries of all agent files with a copy",
    "source_path": "its file's path sorts first",
    "generation": "it stands in an earlier content of the file",
    "byte_offset": "it stands first in the file",
}


def _because(copies: Sequence[EntryCopy]) -> str:
    """Return the first criterion in which the owner differs from the next copy."""
    if len(copies) == 1:
        return "it is the only copy"
    owner, other = copies[0], copies[1]
    differs = next(name for name in _REASONS if getattr(owner, name) != getattr(other, name))
    return f"of {len(copies):,} copies this one owns the uuid: {_REASONS[differs]}"


_RULES = {
    "context": "its file begins with a record that names the entry it was forked from",
    "sidecar": "its sidecar names the call",
    "workflow": "the result names its workflow run",
    "result": "the result names the agent",
    "mention": "a line of the result's text names the agent",
    "progress": "a progress entry names the agent and the call",
    "prompt": "the call asked for what the agent was told first",
}


class _RulingRow(NamedTuple):
    """A row of query/rulings."""

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
