"""Measure the CPU time of commands that read a whole session, on an index of generated transcripts."""

import os
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

from .process import require_success, run

COMMANDS = ("paths", "tree", "show", "explain", "doctor", "recorded")
_LARGEST_SESSION = "select session_id, entry_count from v1_sessions order by entry_count desc, session_id limit 1"
# an argument of a command cannot contain a NUL character
_LAST_ENTRY = "select uuid from v1_entries where instr(uuid, char(0)) = 0 order by timestamp_ms desc, uuid limit 1"


def measure_commands(db: Path) -> tuple[float, ...]:
    """Return the CPU seconds of each command, each in a process of its own."""
    with closing(sqlite3.connect(db)) as connection:
        session, _ = connection.execute(_LARGEST_SESSION).fetchone()
        (entry,) = connection.execute(_LAST_ENTRY).fetchone()
    arguments = {
        "paths": ("paths", "--session", session),
        "tree": ("tree", "--session", session),
        "show": ("show", session),
        "explain": ("explain", entry),
        "doctor": ("doctor",),
        "recorded": ("paths", "--session", session, "--recorded"),
    }
    environment = os.environ | {"CCINDEX_SYNC": "never"}
    return tuple(
        require_success(
            run(
                [sys.executable, "-m", "ccindex", *arguments[name], "--json", "--db", str(db)],
                folder=db.parent,
                environment=environment,
            )
        ).cost.cpu
        for name in COMMANDS
    )
