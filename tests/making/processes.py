"""Child processes, found through /proc; none are found on systems without it."""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

_PROC = Path("/proc")
_MARK = f"CCINDEX_SOAK={os.getpid()}"
_PATIENCE = 5.0  # seconds in which a child must notice that its parent is gone

MARKED = os.environ | dict([_MARK.split("=")])  # an environment by which processes and their children are found


def children(parent: int) -> list[int]:
    """Return the running child processes of a process."""
    try:
        return [int(word) for word in (_PROC / f"{parent}/task/{parent}/children").read_text().split()]
    except OSError:
        return []


def kill_one(processes: list[int], number: int) -> None:
    """Kill the process at an index, modulo their number."""
    if processes:
        with suppress(ProcessLookupError):
            os.kill(processes[number % len(processes)], signal.SIGKILL)


def still_there() -> list[str]:
    """Describe processes started with the environment MARKED, and their children, that do not end by themselves."""
    deadline = time.monotonic() + _PATIENCE
    while left := list(_marked()):
        if time.monotonic() > deadline:
            return [f"processes left: {left}"]
        time.sleep(0.02)
    return []


def _marked() -> Iterator[int]:
    for folder in _PROC.glob("[0-9]*"):
        with suppress(OSError):  # the process has ended, or belongs to another user
            if _MARK.encode() in (folder / "environ").read_bytes().split(b"\0"):
                yield int(folder.name)
