"""A folder to a home like a user's, with transcripts, an index, and programs that see nothing else."""

import json
import os
import shutil
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .process import Done, must, run

ROOT = Path(__file__).resolve().parents[2]
_ALONGSIDE = ("", "-wal", "-shm", ".lock", ".ran")


@dataclass(frozen=True, slots=True)
class Place:
    """A home with transcripts, and the index of them."""

    home: Path

    @property
    def projects(self) -> Path:
        """Where Claude Code keeps its transcripts."""
        return self.home / ".claude" / "projects"

    @property
    def db(self) -> Path:
        """The index."""
        return self.home / "index.db"

    @property
    def environment(self) -> dict[str, str]:
        """The variables for a program that lives here; ccindex is that of this checkout."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("CCINDEX_", "CLAUDE_"))}
        own = {"HOME": self.home, "CLAUDE_CONFIG_DIR": self.home / ".claude", "PYTHONPATH": ROOT}
        return kept | {name: str(value) for name, value in own.items()} | {"COLUMNS": "120", "DO_NOT_TRACK": "1"}

    def ccindex(self, *words: str) -> Done:
        """Run ccindex as a user would."""
        command = [sys.executable, "-m", "ccindex", *words, "--db", str(self.db)]
        return must(run(command, folder=self.home, environment=self.environment))

    def ingest(self) -> tuple[Done, dict[str, Any]]:
        """Run `ccindex ingest` and return what it reports too."""
        done = self.ccindex("ingest", str(self.projects), "--json")
        report: dict[str, Any] = json.loads(done.output)
        return done, report

    def clear(self) -> None:
        """Have no index."""
        for ending in _ALONGSIDE:
            self.db.with_name(self.db.name + ending).unlink(missing_ok=True)

    def state(self) -> tuple[int, ...]:
        """What changes when a transaction writes: size and time of the index, and size of the log beside it."""
        told, log = self.db.stat(), self.db.with_name(self.db.name + "-wal")
        return told.st_size, told.st_mtime_ns, log.stat().st_size if log.exists() else 0

    def ask(self, query: str) -> list[tuple[Any, ...]]:
        """Ask the index in SQL."""
        with closing(sqlite3.connect(f"{self.db.resolve().as_uri()}?mode=ro", uri=True)) as connection:
            return connection.execute(query).fetchall()


def sessions(projects: Path) -> Iterator[Path]:
    """Give the files of sessions, not those of their subagents."""
    return (path for path in projects.rglob("*.jsonl") if not path.name.startswith("agent-"))


def has_sessions(projects: Path) -> bool:
    """Tell whether there is something to measure."""
    return next(sessions(projects), None) is not None


def furnish(home: Path, corpus: Path) -> Place:
    """Make a home with a copy of transcripts: some programs write beside them, and so does the bench."""
    place = Place(home)
    shutil.copytree(corpus, place.projects)
    return place
