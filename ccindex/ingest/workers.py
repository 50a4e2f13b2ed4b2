"""Processes that read new files for a run: it writes what they send, one file after another, in its own order."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import astuple

from ccindex.errors import WorkerLost
from ccindex.ingest.processes import Process, end, receive, start
from ccindex.ingest.worker import CLOSED, FAILED, READ, Message
from ccindex.model.sources import Found, Place

# fewer bytes are read sooner than a process is started
LEAST_BYTES = 8 << 20
# of one file: a larger one is read here, where its beginning can be committed before its end is known
MOST_BYTES = 32 << 20
# more would only wait for the one that writes
_MOST = 4


class Workers:
    """Which file which worker reads, and what they have sent of it."""

    def __init__(self, shares: Sequence[list[Found]]) -> None:
        self._of = {found.path: number for number, share in enumerate(shares) for found in share}
        self._workers: list[Process] = []
        try:
            for share in shares:
                self._workers.append(start("worker", [(found.real, _plain(found.place)) for found in share]))
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
            end(worker)

    def _received(self, worker: Process) -> Iterator[Message]:
        assert worker.stdout is not None
        last = ""
        while last not in (READ, CLOSED):
            try:
                messages: list[Message] = receive(worker.stdout)
            except EOFError as error:
                raise WorkerLost(worker.wait()) from error
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


def _plain(place: Place) -> tuple[str | None, ...]:
    return (str(place.role), *astuple(place)[1:])
