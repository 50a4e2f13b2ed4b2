"""What is exported, and under which names: a session's conversation paths, or each session as a whole."""

import sqlite3
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from .filters import Filters
from .lists import SESSIONS, listed
from .names import safe
from .paths import PathRow, conversation_paths


@dataclass(frozen=True, slots=True)
class Transcript:
    """A conversation path to be written as a page: the `number`-th of `total` of a session, agents entered or not."""

    path: PathRow
    session_id: str
    number: int
    total: int
    agents: bool

    @property
    def file_name(self) -> str:
        """The name tells the paths of a session apart, and which of them were abandoned."""
        number = "" if self.total == 1 else f"_path{self.number}"
        status = "" if self.path.status == "active" else "_abandoned"
        return f"transcript_{safe(self.session_id)}{number}{status}.md"


def sessions_matching(connection: sqlite3.Connection, filters: Filters) -> list[str]:
    """Return the sessions that filters let through, as `ccindex sessions` lists them."""
    return sorted(row["session_id"] for row in listed(connection, SESSIONS, replace(filters, limit=None)))


def transcripts_through(connection: sqlite3.Connection, session_id: str, *, agents: bool) -> list[Transcript]:
    """Return the paths that run through a session, numbered by time of their leaves."""
    paths = _paths(connection, session_id)
    return [
        Transcript(path, session_id, number, len(paths), agents=agents) for number, path in enumerate(paths, start=1)
    ]


def transcripts_ending_in(
    connection: sqlite3.Connection, session_ids: Sequence[str], *, agents: bool
) -> list[Transcript]:
    """Return every path that ends in one of the sessions, once."""
    paths = [
        path for session_id in session_ids for path in _paths(connection, session_id) if path.session_id == session_id
    ]
    totals = Counter(path.session_id for path in paths)
    return [Transcript(path, path.session_id, path.number, totals[path.session_id], agents=agents) for path in paths]


def _paths(connection: sqlite3.Connection, session_id: str) -> list[PathRow]:
    """The conversation paths through a session; where only subagents talk, theirs."""
    return conversation_paths(connection, session_id) or conversation_paths(connection, session_id, agents=True)
