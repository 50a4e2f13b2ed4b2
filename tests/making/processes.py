"""The processes that a soak started and those that they started, as /proc tells; none where there is no /proc."""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

_PROC = Path("/proc")
_MARK = f"CCINDEX_SOAK={os.getpid()}"
_PATIENCE = 5.0  # seconds that they may take to notice that they are alone

MARKED = os.environ | dict([_MARK.split("=")])  # the environment to start a process with whose children are found again


def children(parent: int) -> list[int]:
    """The processes that a process started and that are not over."""
    try:
        return [int(word) for word in (_PROC / f"{parent}/task/{parent}/children").read_text().split()]
    except OSError:
        return []


def kill_one(processes: list[int], number: int) -> None:
    """Kill the n-th, counted round and round."""
    if processes:
        with suppress(ProcessLookupError):
            os.kill(processes[number % len(processes)], signal.SIGKILL)


def still_there() -> list[str]:
    """What is wrong if marked processes do not end by themselves."""
    deadline = time.monotonic() + _PATIENCE
    while left := list(_marked()):
        if time.monotonic() > deadline:
            return [f"processes left: {left}"]
        time.sleep(0.02)
    return []


def _marked() -> Iterator[int]:
    for folder in _PROC.glob("[0-9]*"):
        with suppress(OSError):  # over by now, or of somebody else
            if _MARK.encode() in (folder / "environ").read_bytes().split(b"\0"):
                yield int(folder.name)
