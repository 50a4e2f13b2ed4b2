"""What the index holds of the calls that spawned agents, and of what became of them."""

import sqlite3
from collections.abc import Iterable

from ccindex.model.spawned import Journal, Reply, Spawned

from .nodes import Loaded, call_of
from .sqlfiles import load
from .temporary import fill


def load_spawned(
    connection: sqlite3.Connection, loaded: Loaded, calls: Iterable[str], agents: Iterable[str], *, workflows: bool
) -> Spawned:
    """Read of a family what concerns some calls and some agents; temp.family holds its sessions still."""
    place, nodes = loaded.index_of, loaded.family.nodes
    found = Spawned()
    fill(connection, "wanted", calls)
    for entry, call, *rest in connection.execute(load("derive/calls_by_id")):
        if entry in place:
            found.calls.add(call, nodes[place[entry]].session, call_of(place[entry], call, *rest))
    for entry, call, *rest in connection.execute(load("derive/replies")):
        if entry in place:
            found.replies.add(call, nodes[place[entry]].session, Reply(place[entry], call, *rest))
    fill(connection, "wanted", agents)
    for session, agent_id, status in connection.execute(load("derive/notices")):
        found.notices.setdefault((session, agent_id), []).append(status)
    if workflows:
        for session, run, agent_id, *said in connection.execute(load("derive/journals")):
            found.journals[session, run, agent_id] = Journal(*said)
    return found
