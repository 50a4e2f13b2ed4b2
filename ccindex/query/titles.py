"""Load the titles of sessions and lines, and the subagents of lines, in batches."""

import json
import sqlite3
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple

from ccindex.query.ids import session_keys
from ccindex.query.line_tree import LineTree, TreeLine
from ccindex.read.text_tags import strip_tags
from ccindex.store.sql_files import load

_BATCH_LINES = 200


class AgentLabel(NamedTuple):
    """A subagent's name, task and status, and the name of the subagent that called it, if any."""

    agent_id: str
    name: str
    task: str
    status: str
    caller: str | None


class LabelledLine(NamedTuple):
    """A line of a tree with its title and its subagent."""

    line: TreeLine
    depth: int
    is_last: bool
    title: str
    agent: AgentLabel | None


def load_session_titles(connection: sqlite3.Connection, session_ids: Iterable[str]) -> dict[str, str]:
    """Return each session's title or, if it has none, its first typed prompt, first command or first other prompt."""
    keys = session_keys(connection, session_ids)
    titles = _titles_by_key(connection, keys.values())
    return {session_id: titles[key] for session_id, key in keys.items()}


def _titles_by_key(connection: sqlite3.Connection, sessions: Iterable[int]) -> dict[int, str]:
    values = {"sessions": json.dumps(list(sessions))}
    rows = connection.execute(load("query/session_title_texts"), values)
    return {session: title or strip_tags(text or "") for session, title, text in rows}


class LineLabels:
    """A cache of line titles and subagents, which are loaded in batches."""

    def __init__(self, connection: sqlite3.Connection, tree: LineTree) -> None:
        self._connection = connection
        self._tree = tree
        self._titles: dict[int, str] = {}
        self._agents: dict[tuple[str, str], AgentLabel] = {}
        self._sessions: set[str] = set()  # sessions whose subagents are loaded

    def load(self, lines: Iterable[TreeLine]) -> None:
        """Load the titles and subagents of the given lines, unless they are already loaded."""
        new = [line for line in lines if line.number not in self._titles]
        if any(line.agent_id is not None for line in new):
            self.load_tree_agents()
            self._load_agents(line for line in new if line.agent_id is not None)
        titled = [line for line in new if _needs_title(line, self.agent_of(line))]
        sessions = {line.session for line in titled if line.kind == "trunk"}
        by_session = _titles_by_key(self._connection, sessions) if sessions else {}
        others = [line.number for line in titled if line.kind != "trunk"]
        by_line = self._load_line_titles(others) if others else {}
        for line in new:
            self._titles[line.number] = by_session.get(line.session, "") if line.kind == "trunk" else ""
        self._titles.update(by_line)

    def _load_line_titles(self, numbers: list[int]) -> dict[int, str]:
        rows = self._connection.execute(load("query/line_title_texts"), {"lines": json.dumps(numbers)})
        return {number: strip_tags(text or "") for number, text in rows}

    def load_tree_agents(self) -> None:
        """Load the subagents of all sessions in the tree, once. This is as fast as loading them for one session."""
        if not self._sessions:
            self._load_agents(self._tree.lines.values())

    def _load_agents(self, lines: Iterable[TreeLine]) -> None:
        """Load the subagents of the given lines' sessions."""
        missing = {line.session: line.session_id for line in lines if line.session_id not in self._sessions}
        if not missing:
            return
        self._sessions.update(missing.values())
        rows = self._connection.execute(load("query/agent_labels"), {"sessions": json.dumps(list(missing))}).fetchall()
        names = {(session_id, agent_id): name for session_id, agent_id, name, *_ in rows}
        for session_id, agent_id, name, task, status, parent in rows:
            caller = names.get((session_id, parent))
            self._agents[session_id, agent_id] = AgentLabel(agent_id, name, task, status, caller)

    def title(self, line: TreeLine) -> str:
        """Return the title of a loaded line; it is empty for the line of a subagent that has a task."""
        return self._titles[line.number]

    def agent_of(self, line: TreeLine) -> AgentLabel | None:
        """Return the subagent that the line belongs to, if any."""
        return self.agent(line.session_id, line.agent_id)

    def known_agent(self, session_id: str, agent_id: str) -> AgentLabel | None:
        """Return the subagent with the given id, or None if the session has no such subagent."""
        return self._agents.get((session_id, agent_id))

    def agent(self, session_id: str, agent_id: str | None) -> AgentLabel | None:
        """Return the subagent with the given id, or a placeholder if only the id is known."""
        if agent_id is None:
            return None
        return self._agents.get((session_id, agent_id)) or AgentLabel(agent_id, "unknown", "", "unknown", None)


def _needs_title(line: TreeLine, agent: AgentLabel | None) -> bool:
    return line.kind != "agent" or agent is None or not agent.task


def load_labelled_lines(connection: sqlite3.Connection, tree: LineTree) -> Iterator[LabelledLine]:
    """Yield the lines of a tree depth first, with their titles and subagents."""
    labels = LineLabels(connection, tree)
    nodes = tree.walk()
    while batch := list(islice(nodes, _BATCH_LINES)):
        labels.load(node.line for node in batch)
        for node in batch:
            yield LabelledLine(*node, labels.title(node.line), labels.agent_of(node.line))
