"""What an export writes, and under which file names."""

import hashlib
import re
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ccindex.query.lists import SESSIONS, Filters, listed
from ccindex.query.paths import PathRow, conversation_paths

_PLAIN = re.compile(r"[0-9a-z_-][0-9a-z._-]{0,99}")
# what a name made of another id could end in
_TAKEN = re.compile(r".*(-[0-9a-f]{10}|_path[0-9]+|_abandoned|_agent-.*)", re.DOTALL)
_OTHER = re.compile(r"[^0-9a-z._-]")
_KEPT = 80
_DIGITS = 10


def safe(name: str) -> str:
    """An id as part of a file's name: as it is where no disk can mind, else cut and told apart by a hash."""
    if _PLAIN.fullmatch(name) and not _TAKEN.fullmatch(name):
        return name
    digest = hashlib.sha256(name.encode("utf-8", "backslashreplace")).hexdigest()
    # lower case only: some disks take A and a for the same
    return f"{_OTHER.sub('_', name)[:_KEPT]}-{digest[:_DIGITS]}"


@dataclass(frozen=True, slots=True)
class Transcript:
    """A path to be written as a page: the `number`-th of `total` of a session, agents entered or not.

    With an `agent_id` it is one of a subagent of which nothing says who spawned it, so that no other page has it.
    """

    path: PathRow
    session_id: str
    number: int
    total: int
    agents: bool
    agent_id: str | None = None

    @property
    def file_name(self) -> str:
        """The name tells the paths of a session apart, and which of them were abandoned."""
        agent = "" if self.agent_id is None else f"_agent-{safe(self.agent_id)}"
        is_active = self.path.status == "active"
        number = "" if self.total == 1 and is_active else f"_path{self.number}"
        status = "" if is_active else "_abandoned"
        return f"transcript_{safe(self.session_id)}{agent}{number}{status}.md"


def sessions_matching(connection: sqlite3.Connection, filters: Filters) -> list[str]:
    """Return the sessions that filters let through, as `ccindex sessions` lists them."""
    return sorted(row["session_id"] for row in listed(connection, SESSIONS, replace(filters, limit=None)))


def transcripts_through(connection: sqlite3.Connection, session_id: str, *, agents: bool) -> list[Transcript]:
    """Return the paths that run through a session, numbered by time of their leaves, and those of unlinked subagents.

    The latter if agents are wanted, or where only they talk.
    """
    paths = conversation_paths(connection, session_id)
    pages = [
        Transcript(path, session_id, number, len(paths), agents=agents) for number, path in enumerate(paths, start=1)
    ]
    return [*pages, *_of_unlinked(connection, session_id, agents=agents)] if agents or not pages else pages


def transcripts_ending_in(
    connection: sqlite3.Connection, session_ids: Sequence[str], *, agents: bool
) -> list[Transcript]:
    """Return every path that ends in one of the sessions, once, numbered as v1_paths does."""
    return [page for session_id in session_ids for page in _ending_in(connection, session_id, agents=agents)]


def _ending_in(connection: sqlite3.Connection, session_id: str, *, agents: bool) -> Iterator[Transcript]:
    through = transcripts_through(connection, session_id, agents=agents)
    ending = [page for page in through if page.path.session_id == session_id]
    total = sum(page.agent_id is None for page in ending)
    for page in ending:
        yield page if page.agent_id is not None else replace(page, number=page.path.number, total=total)


def _of_unlinked(connection: sqlite3.Connection, session_id: str, *, agents: bool) -> Iterator[Transcript]:
    """Pages of subagents whose lines hang nowhere, numbered within each subagent."""
    find = (
        "select t.thread_id, t.agent_id from entries e join placements p on p.entry = e.id "
        "join lines l on l.id = p.line join threads t on t.id = l.thread where e.uuid = ?"
    )
    found: dict[tuple[str, str], list[PathRow]] = {}
    for path in conversation_paths(connection, session_id, agents=True):
        thread_id, agent_id = connection.execute(find, (path.root_uuid,)).fetchone()
        if path.is_agent and agent_id is not None:  # its path begins with it
            found.setdefault((thread_id, agent_id), []).append(path)
    for (_, agent_id), paths in found.items():
        for number, path in enumerate(paths, start=1):
            yield Transcript(path, session_id, number, len(paths), agents, agent_id)
