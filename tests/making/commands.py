"""Runs commands in subprocesses."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

CCINDEX = [sys.executable, "-m", "ccindex"]


def ccindex(*words: str | Path, **keys: Any) -> subprocess.CompletedProcess[str]:
    """Run a command without the user's settings; keywords go to `subprocess.run`."""
    environment = {key: value for key, value in os.environ.items() if key not in ("CCINDEX_DB", "CLAUDE_CONFIG_DIR")}
    environment |= keys.pop("env", {})
    return subprocess.run(
        [*CCINDEX, *map(str, words)], capture_output=True, text=True, check=False, env=environment, timeout=120, **keys
    )


def answer(*words: str | Path, **keys: Any) -> Any:
    """Run a command with --json and return the document."""
    done = ccindex(*words, "--json", **keys)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def failure(*words: str | Path, **keys: Any) -> tuple[int, str]:
    """Run a command that fails; return its exit code and message."""
    done = ccindex(*words, **keys)
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    return done.returncode, done.stderr


def wait_for(event: Callable[[], bool]) -> None:
    """Wait until a condition holds, at most a minute."""
    deadline = time.monotonic() + 60
    while not event():
        assert time.monotonic() < deadline, "timeout"
        time.sleep(0.05)


def bug(db: Path) -> list[str]:
    """The arguments of a process that runs a command with a bug in it."""
    script = "import ccindex.store.connection as db; db._set_pragmas = None; from ccindex.cli import main; main()"
    return [sys.executable, "-c", script, "db", "vacuum", "--db", str(db)]


def tree_nodes(roots: list[Any]) -> Iterator[tuple[Any, int]]:
    """Nodes of `tree --json` with their depth, parents first."""
    waiting = [(root, 0) for root in reversed(roots)]
    while waiting:
        node, depth = waiting.pop()
        yield node, depth
        waiting += [(child, depth + 1) for child in reversed(node["children"])]
