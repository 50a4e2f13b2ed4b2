"""Filters or a session to the Markdown pages of an export, with their file names."""

import hashlib
import json
import re
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ccindex.query.ids import entry_keys
from ccindex.query.lists import SESSIONS, Filters, list_rows
from ccindex.query.paths import PathRow, conversation_paths
from ccindex.store.sql_files import load

_PLAIN = re.compile(r"[0-9a-z_-][0-9a-z._-]{0,99}")
# endings that are added to names made of other ids
_TAKEN = re.compile(r".*(-[0-9a-f]{10}|_path[0-9]+|_abandoned|_agent-.*)", re.DOTALL)
_OTHER = re.compile(r"[^0-9a-z._-]")
_KEPT_CHARS = 80
_HASH_DIGITS = 10


def file_name_part(name: str) -> str:
    """Return an id as part of a file name: unchanged if every file system can store it, else cut and with a hash."""
    if _PLAIN.fullmatch(name) and not _TAKEN.fullmatch(name):
        return name
    digest = hashlib.sha256(name.encode("utf-8", "backslashreplace")).hexdigest()
    # lower case only: some file systems ignore case
    return f"{_OTHER.sub('_', name)[:_KEPT_CHARS]}-{digest[:_HASH_DIGITS]}"


@dataclass(frozen=True, slots=True)
class ExportPage:
    """A path that becomes a page: number `number` of `total` of a session, with or without its subagents.

    With an `agent_id` it is a path of a subagent that nothing links to a call, so that no other page contains it.
    """

    path: PathRow
    session_id: str
    number: int
    total: int
    agents: bool
    agent_id: str | None = None

    @property
    def file_name(self) -> str:
        """The file name, different for every path of a session, and marked if the path was abandoned."""
        agent = "" if self.agent_id is None else f"_agent-{file_name_part(self.agent_id)}"
        is_active = self.path.status == "active"
        number = "" if self.total == 1 and is_active else f"_path{self.number}"
        status = "" if is_active else "_abandoned"
        return f"transcript_{file_name_part(self.session_id)}{agent}{number}{status}.md"


def sessions_matching(connection: sqlite3.Connection, filters: Filters) -> list[str]:
    """Return the sessions that match filters, as `ccindex sessions` lists them."""
    return sorted(row["session_id"] for row in list_rows(connection, SESSIONS, replace(filters, limit=None)))


def pages_through(connection: sqlite3.Connection, session_id: str, *, agents: bool) -> list[ExportPage]:
    """Return the paths through a session, numbered by time of their leaves, and those of unlinked subagents.

    The latter are included if agents are wanted, or if the session has no other path.
    """
    paths = conversation_paths(connection, session_id)
    pages = [
        ExportPage(path, session_id, number, len(paths), agents=agents) for number, path in enumerate(paths, start=1)
    ]
    return [*pages, *_unlinked_pages(connection, session_id, agents=agents)] if agents or not pages else pages


def pages_ending_in(connection: sqlite3.Connection, session_ids: Sequence[str], *, agents: bool) -> list[ExportPage]:
    """Return every path that ends in one of the sessions, once, numbered as in v1_paths."""
    return [page for session_id in session_ids for page in _ending_in(connection, session_id, agents=agents)]


def _ending_in(connection: sqlite3.Connection, session_id: str, *, agents: bool) -> Iterator[ExportPage]:
    through = pages_through(connection, session_id, agents=agents)
    ending = [page for page in through if page.path.session_id == session_id]
    total = sum(page.agent_id is None for page in ending)
    for page in ending:
        yield page if page.agent_id is not None else replace(page, number=page.path.number, total=total)


def _unlinked_pages(connection: sqlite3.Connection, session_id: str, *, agents: bool) -> Iterator[ExportPage]:
    """Yield pages of subagents whose lines are roots, numbered per subagent."""
    paths = [path for path in conversation_paths(connection, session_id, agents=True) if path.is_agent]
    keys = entry_keys(connection, (path.root_uuid for path in paths))
    rows = connection.execute(load("query/path_threads"), {"roots": json.dumps(list(keys.values()))})
    threads = {root: (thread_id, agent_id) for root, thread_id, agent_id in rows}
    found: dict[tuple[str, str], list[PathRow]] = {}
    for path in paths:
        thread_id, agent_id = threads[keys[path.root_uuid]]
        if agent_id is not None:  # the path starts with the subagent
            found.setdefault((thread_id, agent_id), []).append(path)
    for (_, agent_id), own in found.items():
        for number, path in enumerate(own, start=1):
            yield ExportPage(path, session_id, number, len(own), agents, agent_id)
