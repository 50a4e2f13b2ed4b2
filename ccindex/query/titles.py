"""Titles of sessions, labels of lines and names of subagents."""

import json
import sqlite3
from functools import cached_property
from typing import NamedTuple

from ccindex.query.reading_order import LineRow, Tree
from ccindex.read.text_tags import part_context, plain_words, teammate_in
from ccindex.store.sql_files import load

__all__ = ["part_context", "plain_words", "teammate_in", "title_of", "titled"]


def title_of(connection: sqlite3.Connection, session_id: str) -> str:
    """Name a session: title, first prompt, first command, or what its first subagent was told; else nothing."""
    find = "select title, first_prompt from v1_sessions where session_id = ?"
    title, first_prompt = connection.execute(find, (session_id,)).fetchone() or (None, None)
    return titled(connection, session_id, title, first_prompt)


def titled(connection: sqlite3.Connection, session_id: str, title: str | None, first_prompt: str | None) -> str:
    """Name a session of which the title and the first prompt are known."""
    if title:
        return title
    if first_prompt:
        return plain_words(first_prompt)
    row = connection.execute(load("query/first_words"), {"session_id": session_id}).fetchone()
    return plain_words(row[0]) if row and row[0] else ""


class Agent(NamedTuple):
    """Who a subagent is, and by whom it was called: another subagent's name, or None for the session itself."""

    agent_id: str
    name: str
    asked: str
    status: str
    caller: str | None


class Labels:
    """Names the lines of a tree, each looked up when it is asked for."""

    def __init__(self, connection: sqlite3.Connection, tree: Tree) -> None:
        self._connection = connection
        self._tree = tree
        self._titles: dict[int, str] = {}

    def title(self, line: LineRow) -> str:
        """A session's title, else the first prompt on a line; of a retry the words or the tool call it begins with."""
        if line.number not in self._titles:
            self._titles[line.number] = self._find_title(line)
        return self._titles[line.number]

    def _find_title(self, line: LineRow) -> str:
        if line.kind == "trunk":
            return title_of(self._connection, line.session_id)
        if line.is_retry:
            find = (
                "select coalesce(nullif(b.text, ''), u.name) from placements p "
                "cross join blocks b on b.entry = p.entry "
                "left join tool_uses u on u.entry = b.entry and u.idx = b.idx where p.line = ? and p.position < 20 "
                "and (b.type = 'text' and b.text <> '' or u.name is not null) order by p.position, b.idx limit 1"
            )
        else:
            find = (
                "select e.text from placements p cross join entries q on q.id = p.entry "
                "cross join v1_entries e on e.uuid = q.uuid where p.line = ? "
                "and p.position < 20 and e.text is not null order by e.kind <> 'prompt', p.position limit 1"
            )
        row = self._connection.execute(find, (line.number,)).fetchone()
        return "" if row is None else plain_words(row[0])

    def agent_of(self, line: LineRow) -> Agent | None:
        """The subagent whose line it is."""
        return self.agent(line.session_id, line.agent_id)

    def known_agent(self, session_id: str, agent_id: str) -> Agent | None:
        """The subagent of that id, if the session has one."""
        return self._agents.get((session_id, agent_id))

    def agent(self, session_id: str, agent_id: str | None) -> Agent | None:
        """The subagent of that id, also one of which no more is known."""
        if agent_id is None:
            return None
        return self._agents.get((session_id, agent_id)) or Agent(agent_id, "unknown", "", "unknown", None)

    @cached_property
    def _agents(self) -> dict[tuple[str, str], Agent]:
        """All subagents of the tree's sessions: asking for one takes as long."""
        # by the numbers of lines: a JSON list of session ids would end one at a NUL
        rows = self._connection.execute(
            "select session_id, agent_id, name, coalesce(description, prompt, ''), status, parent_agent_id "
            "from v1_agents where session_id in (select i.session_id from json_each(?) j "
            "cross join lines l on l.id = j.value join threads t on t.id = l.thread "
            "join session_ids i on i.id = t.session)",
            (json.dumps(list(self._tree.lines)),),
        ).fetchall()
        names = {(session_id, agent_id): name for session_id, agent_id, name, *_ in rows}
        return {
            (session_id, agent_id): Agent(agent_id, name, asked, status, names.get((session_id, parent)))
            for session_id, agent_id, name, asked, status, parent in rows
        }
