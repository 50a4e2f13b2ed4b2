"""A command to what it cost: time on the clock, time of the processor, and memory, with its child processes."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread
from time import perf_counter

_PROC = Path("/proc")
_POLL = 0.02  # seconds
# what getrusage counts memory in
_MAXRSS = 1 if sys.platform == "darwin" else 1024


@dataclass(frozen=True, slots=True)
class Cost:
    """Seconds on the clock, seconds of processor time, and the most bytes of memory held at once."""

    seconds: float
    cpu: float
    memory: int


@dataclass(frozen=True, slots=True)
class Done:
    """A command that has ended: what it cost, what it printed, and whether it said that all is well."""

    command: Sequence[str]
    cost: Cost
    output: bytes
    errors: bytes
    status: int


class Failed(Exception):
    """What was to be measured did not work."""


def run(command: Sequence[str], *, folder: Path, environment: Mapping[str, str]) -> Done:
    """Run a command to its end."""
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        started = perf_counter()
        process = subprocess.Popen(  # noqa: S603 - ours, or a program that the user has installed
            command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=errors
        )
        ended = Event()
        polled = _Peak(process.pid, ended)
        polled.start()
        _, status, usage = os.wait4(process.pid, 0)
        seconds = perf_counter() - started
        ended.set()
        polled.join()
        # wait4 took the status away from it
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        errors.seek(0)
        # of one process the system knows the peak, of several only the poll sees the sum
        memory = max(usage.ru_maxrss * _MAXRSS, polled.bytes)
        cost = Cost(seconds, usage.ru_utime + usage.ru_stime, memory)
        return Done(command, cost, output.read(), errors.read(), process.returncode)


def must(done: Done) -> Done:
    """Insist that a command worked."""
    if done.status:
        raise Failed(f"{' '.join(done.command)}: exit status {done.status}: {last_line(done.errors)}")
    return done


def last_line(text: bytes) -> str:
    """What a program said last: mostly what went wrong."""
    return (text.decode(errors="replace").strip().splitlines() or [""])[-1]


def best(costs: Sequence[Cost]) -> Cost:
    """The least time, which others disturbed least, and the most memory."""
    return Cost(
        min(cost.seconds for cost in costs), min(cost.cpu for cost in costs), max(cost.memory for cost in costs)
    )


def evict(*files: Path) -> None:
    """Let the system forget what it holds of files in memory, where it can be asked to."""
    if not hasattr(os, "posix_fadvise"):
        return
    for file in files:
        with suppress(FileNotFoundError), file.open("rb") as opened:
            os.fsync(opened.fileno())  # what is not on disk cannot be forgotten
            os.posix_fadvise(opened.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


class _Peak(Thread):
    """Looks at a process and its children again and again; memory that they share counts once."""

    def __init__(self, pid: int, ended: Event) -> None:
        super().__init__(daemon=True)
        self.bytes = 0
        self._pid = pid
        self._ended = ended

    def run(self) -> None:
        """Look until the process has ended."""
        while _PROC.is_dir() and not self._ended.wait(_POLL):
            family = _family(self._pid)
            if len(family) > 1:  # what a single one holds, its usage says
                self.bytes = max(self.bytes, sum(map(_held, family)))


def _family(pid: int) -> list[int]:
    """Return a process and all below it."""
    found = [pid]
    for member in found:
        for children in _PROC.glob(f"{member}/task/*/children"):
            found += map(int, _read(children.read_text).split())
    return found


def _held(pid: int) -> int:
    """Return a process's own memory and its share of what it has in common with others."""
    for line in _read((_PROC / str(pid) / "smaps_rollup").read_text).splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) * 1024
    return 0


def _read(read: Callable[[], str]) -> str:
    """Return what stands in a file of a process, which may end meanwhile."""
    with suppress(OSError):
        return read()
    return ""
