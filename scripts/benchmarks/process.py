"""Run a command and measure its elapsed time, CPU time and memory, including its child processes."""

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
_POLL_SECONDS = 0.02
_MAXRSS_UNIT_BYTES = 1 if sys.platform == "darwin" else 1024


@dataclass(frozen=True, slots=True)
class Cost:
    """Elapsed seconds, CPU seconds, and peak memory in bytes."""

    seconds: float
    cpu: float
    memory: int


@dataclass(frozen=True, slots=True)
class Completed:
    """A completed process: its command, cost, output and exit status."""

    command: Sequence[str]
    cost: Cost
    output: bytes
    errors: bytes
    status: int


class Failed(Exception):
    """A program to be measured failed, or there was nothing to measure."""


def run(command: Sequence[str], *, folder: Path, environment: Mapping[str, str]) -> Completed:
    """Run a command to completion, and measure its cost."""
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        started = perf_counter()
        process = subprocess.Popen(  # noqa: S603 - ccindex, or a program that the user has installed
            command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=errors
        )
        ended = Event()
        poller = _MemoryPoller(process.pid, ended)
        poller.start()
        _, status, usage = os.wait4(process.pid, 0)
        seconds = perf_counter() - started
        ended.set()
        poller.join()
        # Popen cannot get the status itself after wait4
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        errors.seek(0)
        # the system reports the peak memory of a single process; only polling gives the sum over several processes
        memory = max(usage.ru_maxrss * _MAXRSS_UNIT_BYTES, poller.peak_bytes)
        cost = Cost(seconds, usage.ru_utime + usage.ru_stime, memory)
        return Completed(command, cost, output.read(), errors.read(), process.returncode)


def require_success(process: Completed) -> Completed:
    """Raise Failed unless the exit status is 0."""
    if process.status:
        raise Failed(f"{' '.join(process.command)}: exit status {process.status}: {last_line(process.errors)}")
    return process


def last_line(text: bytes) -> str:
    """Return the last line of a program's output, which is usually the error message."""
    return (text.decode(errors="replace").strip().splitlines() or [""])[-1]


def best(costs: Sequence[Cost]) -> Cost:
    """Return the minimum times, which are least affected by other processes, and the maximum memory."""
    return Cost(
        min(cost.seconds for cost in costs), min(cost.cpu for cost in costs), max(cost.memory for cost in costs)
    )


def evict_from_cache(*files: Path) -> None:
    """Remove files from the page cache, if the operating system supports it."""
    if not hasattr(os, "posix_fadvise"):
        return
    for file in files:
        with suppress(FileNotFoundError), file.open("rb") as opened:
            os.fsync(opened.fileno())  # dirty pages cannot be evicted
            os.posix_fadvise(opened.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


class _MemoryPoller(Thread):
    """Polls the memory of a process and its children. Memory that they share is counted once."""

    def __init__(self, pid: int, ended: Event) -> None:
        super().__init__(daemon=True)
        self.peak_bytes = 0
        self._pid = pid
        self._ended = ended

    def run(self) -> None:
        """Poll until the process has ended."""
        while _PROC.is_dir() and not self._ended.wait(_POLL_SECONDS):
            pids = _process_tree(self._pid)
            if len(pids) > 1:  # for a single process, the system reports the peak
                self.peak_bytes = max(self.peak_bytes, sum(map(_memory_bytes, pids)))


def _process_tree(pid: int) -> list[int]:
    """Return a process and all its descendants."""
    pids = [pid]
    for member in pids:
        with suppress(OSError):  # the process has ended
            for children in _PROC.glob(f"{member}/task/*/children"):
                pids += map(int, _read_or_empty(children.read_text).split())
    return pids


def _memory_bytes(pid: int) -> int:
    """Return the private memory of a process and its proportional share of shared memory."""
    for line in _read_or_empty((_PROC / str(pid) / "smaps_rollup").read_text).splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) * 1024
    return 0


def _read_or_empty(read: Callable[[], str]) -> str:
    """Return the content of a file in /proc, or an empty string if its process has ended."""
    with suppress(OSError):
        return read()
    return ""
