"""A command and a moment to how it ended: killed there, or one of the processes that it has."""

import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from tests.making.processes import MARKED, children, kill_one

# The program, told to kill itself at the n-th statement or step of SQLite's machine, or when a file comes to n bytes.
# Small batches, so that a run has several commits; asked for processes, it has some for the smallest amounts.
_LAUNCHER = """
import os, resource, signal, sqlite3, sys
import ccindex.ingest.run, ccindex.read.source_reader
ccindex.ingest.run.BATCH_BYTES = ccindex.read.source_reader.CHECKPOINT_BYTES = 40_000
if "--jobs" in sys.argv:
    import ccindex.ingest.file_changes, ccindex.ingest.workers
    ccindex.ingest.workers.MIN_PARALLEL_BYTES = ccindex.ingest.file_changes.MIN_BULK_BYTES = 0
from ccindex.cli import main
kind, at, seen = sys.argv[1], int(sys.argv[2]), 0
def tick(*_):
    global seen
    seen += 1
    if seen == at:
        os.kill(os.getpid(), signal.SIGKILL)
plain = sqlite3.connect
def connect(*words, **keys):
    connection = plain(*words, **keys)
    if kind == "statement":
        connection.set_trace_callback(tick)
    if kind == "step":
        connection.set_progress_handler(tick, 400)
    return connection
sqlite3.connect = connect
if kind == "bytes":
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_FSIZE, (at, at))
sys.argv = ["ccindex", *sys.argv[3:]]
try:
    main()
finally:
    print(seen, file=sys.stderr)
"""
KINDS = ("delay", "statement", "step", "bytes", "child")
_LOST = "ccindex: a process of this run ended with -9; nothing was lost: run it again"


@dataclass(frozen=True, slots=True)
class Blow:
    """When to kill: after so much of a kind of work; "child": a process of the run's own, after so long."""

    kind: str
    at: float


def struck(words: tuple[str, ...], blow: Blow, db: Path) -> tuple[bool, list[str]]:
    """Run a command into its end; return whether it came early, and what it said that it should not."""
    if blow.kind not in ("delay", "child"):
        done = run(blow.kind, int(blow.at), words, db)
        return done.returncode < 0, _unclear(done.returncode, done.stderr, "ccindex: ")
    with start("none", 0, words, db) as process:
        if blow.kind == "delay":
            time.sleep(blow.at)
            process.kill()
        else:
            _lose_child(process, blow.at)
        _, said = process.communicate()
    return process.returncode != 0, _unclear(process.returncode, said, _LOST)


def _lose_child(process: subprocess.Popen[str], after: float) -> None:
    """Kill one of the processes that a run has, so long after the first of them began."""
    while process.poll() is None and not children(process.pid):
        time.sleep(0.002)
    time.sleep(after)
    kill_one(children(process.pid), int(after * 1_000))


def _unclear(code: int, said: str, wanted: str) -> list[str]:
    """What is wrong with how a run ended that was not killed itself."""
    is_clear = code <= 0 or (code == 1 and said.startswith(wanted) and "Traceback" not in said)
    return [] if is_clear else [f"it ended with {code} and said {said!r}"]


def start(kind: str, at: int, words: tuple[str, ...], db: Path) -> subprocess.Popen[str]:
    """Start a command that kills itself at the n-th of a kind of work; "none": it does not."""
    command = [sys.executable, "-c", _LAUNCHER, kind, str(at), *words, "--db", str(db)]
    return subprocess.Popen(command, env=MARKED, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def run(kind: str, at: int, words: tuple[str, ...], db: Path) -> subprocess.CompletedProcess[str]:
    """Run such a command to its end."""
    with start(kind, at, words, db) as process:
        out, said = process.communicate(timeout=120)
    return subprocess.CompletedProcess([], process.returncode, out, said)
