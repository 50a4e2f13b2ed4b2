"""Processes that read new files for a run: it writes what they send, one file after another, in its own order."""

import marshal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import astuple

from ccindex.errors import WorkerLost
from ccindex.model.sources import Found

from .worker import CLOSED, FAILED, READ, Message

# fewer bytes are read sooner than a process is started
LEAST_BYTES = 8 << 20
# of one file: a larger one is read here, where its beginning can be committed before its end is known
MOST_BYTES = 32 << 20
# more would only wait for the one that writes
_MOST = 4
# a worker finds ccindex where we did, and is none if we are gone before we said so
_START = """
import marshal, sys
try:
    sys.path[:], tasks = marshal.load(sys.stdin.buffer)
except EOFError:
    sys.exit()
from ccindex.index.worker import main
main(tasks)
"""


_Process = subprocess.Popen[bytes]


class Workers:
    """Which file which worker reads, and what they have sent of it."""

    def __init__(self, shares: Sequence[list[Found]]) -> None:
        self._of = {found.path: number for number, share in enumerate(shares) for found in share}
        self._workers: list[_Process] = []
        try:
            for share in shares:
                self._workers.append(_started())
                _instruct(self._workers[-1], share)
        except BaseException:
            self.close()
            raise

    def messages(self, found: Found) -> Iterator[Message] | None:
        """Give what a worker sends of a file, from its opening on; None: nobody reads that one for us."""
        number = self._of.get(found.path)
        return None if number is None else self._received(self._workers[number])

    def close(self) -> None:
        """End them, whatever they are at."""
        for worker in self._workers:
            worker.kill()
            for stream in (worker.stdin, worker.stdout):
                if stream is not None:
                    with suppress(OSError):
                        stream.close()
            worker.wait()

    def _received(self, worker: _Process) -> Iterator[Message]:
        assert worker.stdout is not None
        last = ""
        while last not in (READ, CLOSED):
            size = int.from_bytes(worker.stdout.read(8), "little")
            data = worker.stdout.read(size)
            if not size or len(data) < size:
                raise WorkerLost(worker.wait())
            messages: list[Message] = marshal.loads(data)  # noqa: S302 - of a process that we started
            last, values = messages[-1]
            if last == FAILED:
                raise RuntimeError(*values)
            yield from messages


@contextmanager
def workers_for(new: Sequence[Found], jobs: int) -> Iterator[Workers | None]:
    """Let others read what is new, if that is worth it; `jobs`: how many of them at most."""
    wanted = [found for found in new if found.place.role.is_transcript and found.state.size <= MOST_BYTES]
    if jobs < 1 or not sys.executable or sum(found.state.size for found in wanted) < LEAST_BYTES:
        yield None
        return
    try:
        workers = Workers(_shared_out(wanted, min(jobs, _MOST)))
    except OSError:  # no further process may be started here
        yield None
        return
    try:
        yield workers
    finally:
        workers.close()


def _shared_out(wanted: Sequence[Found], count: int) -> list[list[Found]]:
    """Give each file, in order, to who has the least to read so far."""
    shares: list[list[Found]] = [[] for _ in range(count)]
    sizes = [0] * count
    for found in wanted:
        least = sizes.index(min(sizes))
        shares[least].append(found)
        sizes[least] += found.state.size
    return [share for share in shares if share]


def _started() -> _Process:
    return subprocess.Popen(  # noqa: S603 - ourselves
        [sys.executable, "-c", _START],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        process_group=0,  # an interrupt from the terminal is ours to see to
    )


def _instruct(worker: _Process, share: list[Found]) -> None:
    assert worker.stdin is not None
    tasks = [(found.real, tuple(str(part) if part else part for part in astuple(found.place))) for found in share]
    marshal.dump((sys.path, tasks), worker.stdin)
    worker.stdin.close()  # nothing is sent before all of it is read, so neither waits for the other
