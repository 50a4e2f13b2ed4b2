"""Read new files and convert them to events, in worker processes if there is enough to read.

Every worker has its own pipe. A `ProcessPoolExecutor` would block forever if one of its processes were killed while
sending a large result, and its processes would survive if this process were killed.
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

MIN_PARALLEL_BYTES = 8 << 20  # reading less takes less time than starting a process
MAX_FILE_BYTES = 32 << 20  # larger files are read by this process, which can commit them in parts
MAX_WORKERS = 4  # more workers would read faster than the single writing process can write


@contextmanager
def read_new_files(files: Sequence[FoundFile], jobs: int) -> Iterator[Iterator[Iterable[Event]]]:
    """Provide the events of every file, in order, read by up to `jobs` processes if there is enough to read.

    A worker reads at most one file ahead: it waits until the events of its previous file have been received.
    Iterating over the events of a file raises Unreadable if the file cannot be opened, and WorkerLost if its worker
    died.
    """
    with _running_workers(_divide_files(files, min(jobs, MAX_WORKERS))) as workers:
        worker_by_path = {file.path: worker for worker in workers for file in worker.files}
        yield (
            _receive_events(worker_by_path[file.path]) if file.path in worker_by_path else read_file(file)
            for file in files
        )


def _divide_files(files: Sequence[FoundFile], count: int) -> list[list[FoundFile]]:
    """Divide the files among workers. Each file goes to the worker with the fewest bytes so far."""
    eligible = [file for file in files if file.info.role.is_transcript and file.state.size <= MAX_FILE_BYTES]
    can_start = bool(sys.executable) and sys.platform != "win32"
    if count < 1 or not can_start or sum(file.state.size for file in eligible) < MIN_PARALLEL_BYTES:
        return []
    shares: list[list[FoundFile]] = [[] for _ in range(count)]
    sizes = [0] * count
    for file in eligible:
        smallest = sizes.index(min(sizes))
        shares[smallest].append(file)
        sizes[smallest] += file.state.size
    return [share for share in shares if share]


class _Worker(NamedTuple):
    """A process, the files that it reads in order, and the pipe through which it sends their events."""

    files: list[FoundFile]
    process: "SpawnProcess"
    results: "Connection"


@contextmanager
def _running_workers(shares: Sequence[list[FoundFile]]) -> Iterator[list[_Worker]]:
    """Start one worker per share, or none if a process cannot be started. Always end the workers on exit."""
    workers: list[_Worker] = []
    try:
        try:
            for share in shares:
                workers += [_start(share)]  # one at a time, so that workers already started are ended after an error
        except OSError:
            _end(workers)
            workers = []
        yield workers
    finally:
        _end(workers)


def _start(share: list[FoundFile]) -> _Worker:
    from multiprocessing import get_context, resource_tracker  # noqa: PLC0415 - 7 ms; small runs do not need it

    # spawn, because a forked process would inherit the connection to the index
    context = get_context("spawn")
    results, sender = context.Pipe(duplex=False)
    process = context.Process(target=_read_files, args=(share, sender), daemon=True)
    # the tracker unblocks signals when it starts its process, so it is started before signals are blocked
    resource_tracker.ensure_running()
    # Ctrl-C must not interrupt process.start(); the worker inherits the mask and is killed by this process
    previous_mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    try:
        process.start()
    except OSError:
        results.close()
        raise
    finally:
        sender.close()  # only the worker keeps this end open, so the pipe closes when the worker ends
        signal.pthread_sigmask(signal.SIG_SETMASK, previous_mask)
    return _Worker(share, process, results)


def _end(workers: Iterable[_Worker]) -> None:
    for worker in workers:
        worker.process.kill()
        worker.process.join()
        worker.results.close()


def _read_files(files: Iterable[FoundFile], results: "Connection") -> None:
    """Send the events of every file, or the error that occurred. This is the main function of a worker."""
    for file in files:
        message: list[Event] | Exception
        try:
            message = list(read_file(file))
        except Unreadable as error:
            message = error
        except Exception:  # noqa: BLE001 - a bug, which the main process reports
            message = RuntimeError(traceback.format_exc())
        try:
            results.send(message)
        except BrokenPipeError:  # the main process was killed
            return


def _receive_events(worker: _Worker) -> Iterator[Event]:
    try:
        message: list[Event] | Exception = worker.results.recv()
    except (EOFError, OSError) as error:
        worker.process.join()
        raise WorkerLost(worker.process.exitcode or 0) from error
    if isinstance(message, Exception):
        raise message
    yield from message
