"""Home folders for benchmarks. Each contains transcripts and an index, and isolates programs from the user's files."""

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

from .process import Completed, require_success, run

ROOT = Path(__file__).resolve().parents[2]
_INDEX_SUFFIXES = ("", "-wal", "-shm", ".lock", ".ran")


@dataclass(frozen=True, slots=True)
class Home:
    """A home folder with transcripts and their index."""

    folder: Path

    @property
    def projects(self) -> Path:
        """The folder in which Claude Code keeps its transcripts."""
        return self.folder / ".claude" / "projects"

    @property
    def db(self) -> Path:
        """The index file."""
        return self.folder / "index.db"

    @property
    def environment(self) -> dict[str, str]:
        """The environment variables for programs that run in this home. Python imports ccindex from this checkout."""
        inherited = {name: value for name, value in os.environ.items() if not name.startswith(("CCINDEX_", "CLAUDE_"))}
        own = {"HOME": self.folder, "CLAUDE_CONFIG_DIR": self.folder / ".claude", "PYTHONPATH": ROOT}
        return inherited | {name: str(value) for name, value in own.items()} | {"COLUMNS": "120", "DO_NOT_TRACK": "1"}

    def ccindex(self, *arguments: str) -> Completed:
        """Run ccindex as a user would."""
        command = [sys.executable, "-m", "ccindex", *arguments, "--db", str(self.db)]
        return require_success(run(command, folder=self.folder, environment=self.environment))

    def ingest(self) -> tuple[Completed, dict[str, Any]]:
        """Run `ccindex ingest` and return the process and its JSON report."""
        completed = self.ccindex("ingest", str(self.projects), "--json")
        report: dict[str, Any] = json.loads(completed.output)
        return completed, report

    def delete_index(self) -> None:
        """Delete the index, if there is one."""
        for suffix in _INDEX_SUFFIXES:
            self.db.with_name(self.db.name + suffix).unlink(missing_ok=True)

    def index_state(self) -> tuple[int, ...]:
        """Return the index's size and mtime, and the size of its WAL. A transaction changes at least one of them."""
        status, wal = self.db.stat(), self.db.with_name(self.db.name + "-wal")
        return status.st_size, status.st_mtime_ns, wal.stat().st_size if wal.exists() else 0

    def query(self, sql: str) -> list[tuple[Any, ...]]:
        """Run a query on the index and return all rows."""
        with closing(sqlite3.connect(f"{self.db.resolve().as_uri()}?mode=ro", uri=True)) as connection:
            return connection.execute(sql).fetchall()


def session_files(projects: Path) -> Iterator[Path]:
    """Yield the session transcripts, without subagent transcripts."""
    return (path for path in projects.rglob("*.jsonl") if not path.name.startswith("agent-"))


def has_sessions(projects: Path) -> bool:
    """Whether a folder contains any sessions."""
    return next(session_files(projects), None) is not None


def create_home(folder: Path, corpus: Path) -> Home:
    """Create a home with a copy of the corpus. The benchmarks and some programs write to the copy."""
    home = Home(folder)
    shutil.copytree(corpus, home.projects)
    return home
