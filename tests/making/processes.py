"""Find child processes through /proc. On systems without /proc, no processes are found."""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

_PROC = Path("/proc")
_MARK = f"CCINDEX_SOAK={os.getpid()}"
_EXIT_SECONDS = 5.0  # the time allowed for a child to notice that its parent has exited

MARKED = os.environ | dict([_MARK.split("=")])  # an environment that identifies processes and their children


def children(parent: int) -> list[int]:
    """Return the ids of a process's running child processes."""
    try:
        return [int(word) for word in (_PROC / f"{parent}/task/{parent}/children").read_text().split()]
    except OSError:
        return []


def kill_one(processes: list[int], number: int) -> None:
    """Kill one of the processes, selected by `number` modulo their count."""
    if processes:
        with suppress(ProcessLookupError):
            os.kill(processes[number % len(processes)], signal.SIGKILL)


def remaining_processes() -> list[str]:
    """Describe the processes started with MARKED, and their children, that do not exit within a few seconds."""
    deadline = time.monotonic() + _EXIT_SECONDS
    while remaining := list(_marked()):
        if time.monotonic() > deadline:
            return [f"processes left: {remaining}"]
        time.sleep(0.02)
    return []


def _marked() -> Iterator[int]:
    for folder in _PROC.glob("[0-9]*"):
        with suppress(OSError):  # the process has exited, or belongs to another user
            if _MARK.encode() in (folder / "environ").read_bytes().split(b"\0"):
                yield int(folder.name)
