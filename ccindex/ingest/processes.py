"""Processes that do part of a run's work: how they are started, spoken to, and ended."""

import marshal
import subprocess
import sys
from contextlib import suppress
from typing import IO, Any

Process = subprocess.Popen[bytes]

# a process finds ccindex where we did, and ends if we are gone before we said what to do
_START = """
import marshal, sys
try:
    sys.path[:], module, task = marshal.load(sys.stdin.buffer)
except EOFError:
    sys.exit()
from importlib import import_module
import_module(module).main(task)
"""


def start(module: str, task: Any) -> Process:
    """Let `main` of a module of ours do a task; raises OSError if no process can be started."""
    process = subprocess.Popen(  # noqa: S603 - ourselves
        [sys.executable, "-c", _START],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        process_group=0,  # an interrupt from the terminal is ours to see to
    )
    try:
        assert process.stdin is not None
        marshal.dump((list(map(str, sys.path)), f"{__package__}.{module}", task), process.stdin)
        process.stdin.flush()
    except BaseException:
        end(process)
        raise
    return process


def end(process: Process) -> None:
    """End a process, whatever it is at."""
    process.kill()
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            with suppress(OSError):
                stream.close()
    process.wait()


def send(stream: IO[bytes], value: Any) -> None:
    """Send a value of plain lists, tuples, texts, bytes and numbers."""
    data = marshal.dumps(value)
    stream.write(len(data).to_bytes(8, "little"))
    stream.write(data)


def receive(stream: IO[bytes]) -> Any:
    """Take a value that was sent; raises EOFError if there is no whole one."""
    size = int.from_bytes(stream.read(8), "little")
    data = stream.read(size)
    if not size or len(data) < size:
        raise EOFError
    return marshal.loads(data)  # noqa: S302 - of a process of ours
