"""What was forgotten, and which name is meant by what was typed."""

import sqlite3
from typing import Any

from ccindex.errors import NoSuchProject, NotForgotten

_CLOSE = 5


def all_forgotten(connection: sqlite3.Connection) -> list[dict[str, Any]]:
    """The sessions and projects that were forgotten, by name."""
    rows = connection.execute("select kind, name, forgotten_at from v1_forgotten order by kind, name")
    return [dict(zip(("kind", "name", "forgotten_at"), row, strict=True)) for row in rows]


def is_forgotten(connection: sqlite3.Connection, kind: str, name: str) -> bool:
    """Whether exactly this was forgotten before."""
    found = connection.execute("select 1 from forgotten where kind = ? and name = ?", (kind, name)).fetchone()
    return found is not None


def project_named(connection: sqlite3.Connection, wanted: str) -> str:
    """Return a project of exactly that name; nothing less will do for what cannot be undone."""
    names = [name for (name,) in connection.execute("select distinct project from sources order by 1")]
    if wanted in names:
        return wanted
    raise NoSuchProject(wanted, [name for name in names if wanted.lower() in name.lower()][:_CLOSE])


def forgotten_named(connection: sqlite3.Connection, kind: str, wanted: str) -> str:
    """Return the forgotten thing that is meant: by its name, or by the only one that begins so."""
    names = [row["name"] for row in all_forgotten(connection) if row["kind"] == kind]
    matches = [name for name in names if name == wanted] or [name for name in names if name.startswith(wanted)]
    if len(matches) != 1:
        raise NotForgotten(kind, wanted)
    return str(matches[0])
