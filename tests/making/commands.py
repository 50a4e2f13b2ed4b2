"""Run commands in subprocesses."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

CCINDEX = [sys.executable, "-m", "ccindex"]


def ccindex(*arguments: str | Path, **keys: Any) -> subprocess.CompletedProcess[str]:
    """Run a command without the user's settings; keyword arguments are passed to `subprocess.run`."""
    environment = {key: value for key, value in os.environ.items() if key not in ("CCINDEX_DB", "CLAUDE_CONFIG_DIR")}
    environment |= keys.pop("env", {})
    return subprocess.run(
        [*CCINDEX, *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
        timeout=120,
        **keys,
    )


def run_json(*arguments: str | Path, **keys: Any) -> Any:
    """Run a command with --json and return the parsed output."""
    process = ccindex(*arguments, "--json", **keys)
    assert process.returncode == 0, process.stderr
    return json.loads(process.stdout)


def failure(*arguments: str | Path, **keys: Any) -> tuple[int, str]:
    """Run a command that should fail; return its exit code and message."""
    process = ccindex(*arguments, **keys)
    assert process.stdout == ""
    assert "Traceback" not in process.stderr
    return process.returncode, process.stderr


def wait_for(condition: Callable[[], bool]) -> None:
    """Wait until a condition is true, for at most one minute."""
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline, "timeout"
        time.sleep(0.05)


def crashing_command(db: Path) -> list[str]:
    """Return a command line that runs `ccindex db vacuum` so that it crashes."""
    script = "import ccindex.store.connection as db; db._set_pragmas = None; from ccindex.cli import main; main()"
    return [sys.executable, "-c", script, "db", "vacuum", "--db", str(db)]


def tree_nodes(roots: list[Any]) -> Iterator[tuple[Any, int]]:
    """Yield (node, depth) pairs from the output of `tree --json`, parents first."""
    stack = [(root, 0) for root in reversed(roots)]
    while stack:
        node, depth = stack.pop()
        yield node, depth
        stack += [(child, depth + 1) for child in reversed(node["children"])]
