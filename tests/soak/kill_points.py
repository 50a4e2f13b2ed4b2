"""Run a command and kill it, or one of its worker processes, at a chosen point."""

import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from tests.making.processes import MARKED, children, kill_one

# Runs ccindex and kills it at the n-th SQL statement or progress callback, or when a file reaches n bytes. Batches are
# small, so that a run has several commits; with --jobs, an empty index is filled by a first load with small shards.
_LAUNCHER = """
import os, resource, signal, sqlite3, sys
import ccindex.ingest.run, ccindex.read.source_reader
ccindex.ingest.run.COMMIT_BYTES = ccindex.read.source_reader.CHECKPOINT_BYTES = 40_000
if "--jobs" in sys.argv:
    from ccindex.ingest import first_load
    first_load.MIN_LOAD_BYTES, first_load.NEWEST_BYTES = 0, 10_000
    first_load.MIN_SHARD_BYTES = first_load.MAX_SHARD_BYTES = 2_000
from ccindex.cli import main
kind, limit, count = sys.argv[1], int(sys.argv[2]), 0
def tick(*_):
    global count
    count += 1
    if count == limit:
        os.kill(os.getpid(), signal.SIGKILL)
original_connect = sqlite3.connect
def connect(*arguments, **keywords):
    connection = original_connect(*arguments, **keywords)
    if kind == "statement":
        connection.set_trace_callback(tick)
    if kind == "step":
        connection.set_progress_handler(tick, 400)
    return connection
sqlite3.connect = connect
if kind == "bytes":
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
sys.argv = ["ccindex", *sys.argv[3:]]
try:
    main()
finally:
    print(count, file=sys.stderr)
"""
KINDS = ("delay", "statement", "step", "bytes", "child")
_WORKER_LOST = "ccindex: a worker process ended with exit code -9; no data was lost; run the command again"


@dataclass(frozen=True, slots=True)
class KillPoint:
    """When to kill a run; `amount` is in seconds for the kinds "delay" and "child" (which kills a worker process)."""

    kind: str
    amount: float


def run_and_kill(words: tuple[str, ...], point: KillPoint, db: Path) -> tuple[bool, list[str]]:
    """Run a command and kill it; return whether it was killed before it finished, and problems with its messages."""
    if point.kind not in ("delay", "child"):
        process = run(point.kind, int(point.amount), words, db)
        return process.returncode < 0, _message_problems(process.returncode, process.stderr, "ccindex: ")
    with start("none", 0, words, db) as running:
        if point.kind == "delay":
            time.sleep(point.amount)
            running.kill()
        else:
            _kill_child(running, point.amount)
        _, stderr = running.communicate()
    return running.returncode != 0, _message_problems(running.returncode, stderr, _WORKER_LOST)


def _kill_child(process: subprocess.Popen[str], seconds: float) -> None:
    """Kill one of a run's worker processes, `seconds` after the first of them started."""
    while process.poll() is None and not children(process.pid):
        time.sleep(0.002)
    time.sleep(seconds)
    kill_one(children(process.pid), int(seconds * 1_000))


def _message_problems(code: int, stderr: str, expected: str) -> list[str]:
    """Describe an unexpected exit code or message of a run, unless the run itself was killed."""
    is_expected = code <= 0 or (code == 1 and stderr.startswith(expected) and "Traceback" not in stderr)
    return [] if is_expected else [f"exit code {code}, stderr {stderr!r}"]


def start(kind: str, amount: int, words: tuple[str, ...], db: Path) -> subprocess.Popen[str]:
    """Start a command that kills itself after the given amount of work; with the kind "none", it is not killed."""
    command = [sys.executable, "-c", _LAUNCHER, kind, str(amount), *words, "--db", str(db)]
    return subprocess.Popen(command, env=MARKED, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def run(kind: str, amount: int, words: tuple[str, ...], db: Path) -> subprocess.CompletedProcess[str]:
    """Run a command as `start` does, and wait for it to finish."""
    with start(kind, amount, words, db) as process:
        stdout, stderr = process.communicate(timeout=120)
    return subprocess.CompletedProcess([], process.returncode, stdout, stderr)
