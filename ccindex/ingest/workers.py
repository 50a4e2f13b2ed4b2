"""New files to their events, read by processes or by this one.

Every worker has a pipe of its own, because a `ProcessPoolExecutor` blocks for ever if one of its processes is killed
while it sends a large result, and does not end its processes when this one is killed.
"""

import signal
import sys
import traceback
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from ccindex.errors import WorkerLost
from ccindex.model.events import Event
from ccindex.model.sources import FoundFile
from ccindex.read.source_reader import Unreadable, read_file

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.context import SpawnProcess

MIN_PARALLEL_BYTES = 8 << 20  # less is read before a process has started
MAX_FILE_BYTES = 32 << 20  # a larger file is read here, where its start can be committed before its end is read
MAX_WORKERS = 4  # one process writes what all of them read


@contextmanager
def reader(files: Sequence[FoundFile], jobs: int) -> Iterator[Iterator[Iterable[Event]]]:
    """Give the events of every file, in order, read by up to `jobs` processes if that is worth it.

    A worker is at most one file ahead: it waits until the events of its last one are taken. Iterating over the events
    of a file raises Unreadable if it cannot be opened, and WorkerLost if its worker ended.
    """
    with _started_workers(_share_out(files, min(jobs, MAX_WORKERS))) as workers:
        of_path = {file.path: worker for worker in workers for file in worker.files}
        yield (_received(of_path[file.path]) if file.path in of_path else read_file(file) for file in files)


def _share_out(files: Sequence[FoundFile], count: int) -> list[list[FoundFile]]:
    """Divide the files that workers read, each to the one with the fewest bytes so far."""
    wanted = [file for file in files if file.info.role.is_transcript and file.state.size <= MAX_FILE_BYTES]
    can_start = bool(sys.executable) and sys.platform != "win32"
    if count < 1 or not can_start or sum(file.state.size for file in wanted) < MIN_PARALLEL_BYTES:
        return []
    shares: list[list[FoundFile]] = [[] for _ in range(count)]
    sizes = [0] * count
    for file in wanted:
        least = sizes.index(min(sizes))
        shares[least].append(file)
        sizes[least] += file.state.size
    return [share for share in shares if share]


class _Worker(NamedTuple):
    """A process, the files that it reads in this order, and the pipe that their events come from."""

    files: list[FoundFile]
    process: "SpawnProcess"
    results: "Connection"


@contextmanager
def _started_workers(shares: Sequence[list[FoundFile]]) -> Iterator[list[_Worker]]:
    """Start one worker per share, none if a process cannot be started; end them in any case."""
    workers: list[_Worker] = []
    try:
        try:
            for share in shares:
                workers += [_start(share)]  # one by one, so that those that were started are ended
        except OSError:
            _end(workers)
            workers = []
        yield workers
    finally:
        _end(workers)


def _start(share: list[FoundFile]) -> _Worker:
    from multiprocessing import get_context, resource_tracker  # noqa: PLC0415 - 7 ms; small runs start no process

    # a new interpreter: a fork would inherit the connection to the index
    context = get_context("spawn")
    results, sender = context.Pipe(duplex=False)
    process = context.Process(target=_read_files, args=(share, sender), daemon=True)
    # it starts a process, too, and unblocks signals then
    resource_tracker.ensure_running()
    # Ctrl-C must not interrupt the start halfway; the worker inherits the mask and is ended by this process
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    try:
        process.start()
    except OSError:
        results.close()
        raise
    finally:
        sender.close()  # the worker has its own: if that is closed, it ended
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    return _Worker(share, process, results)


def _end(workers: Iterable[_Worker]) -> None:
    for worker in workers:
        worker.process.kill()
        worker.process.join()
        worker.results.close()


def _read_files(files: Iterable[FoundFile], results: "Connection") -> None:
    """Send the events of every file, or the error that occurred; the main function of a worker."""
    for file in files:
        message: list[Event] | Exception
        try:
            message = list(read_file(file))
        except Unreadable as error:
            message = error
        except Exception:  # noqa: BLE001 - a bug, reported by the process that writes
            message = RuntimeError(traceback.format_exc())
        try:
            results.send(message)
        except BrokenPipeError:  # the process that writes was killed
            return


def _received(worker: _Worker) -> Iterator[Event]:
    try:
        message: list[Event] | Exception = worker.results.recv()
    except (EOFError, OSError) as error:
        worker.process.join()
        raise WorkerLost(worker.process.exitcode or 0) from error
    if isinstance(message, Exception):
        raise message
    yield from message
