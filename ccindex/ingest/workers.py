"""Run a function in worker processes.

Every worker has its own pipe. The processes of a `ProcessPoolExecutor` would survive if this process were killed.
"""

import signal
import sqlite3
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing import get_context, resource_tracker
from multiprocessing.connection import Connection, wait
from typing import TYPE_CHECKING, Any

from ccindex.errors import WorkerLost

if TYPE_CHECKING:
    from multiprocessing.context import SpawnProcess

Task = Callable[..., Iterator[Any]]
_DONE = None  # sent after the last result


class Workers:
    """Processes that all run the same task and send its results one by one."""

    def __init__(self, task: Task, *arguments: Any) -> None:
        self._task = task
        self._arguments = arguments
        self._running: dict[Connection, SpawnProcess] = {}

    @property
    def count(self) -> int:
        """The number of running workers."""
        return len(self._running)

    def start(self, count: int) -> None:
        """Start workers; start none if a process cannot be started."""
        try:
            for _ in range(count):
                self._start()
        except OSError:
            self.end()

    def results(self, *, is_waiting: bool) -> list[Any] | None:
        """Return the results that have arrived; None if all workers have finished. Optionally wait for a result.

        An exception in a worker is raised. Raises WorkerLost if a worker died.
        """
        if not self._running:
            return None
        received = []
        for pipe in wait(list(self._running), None if is_waiting else 0):
            assert isinstance(pipe, Connection)
            result = self._receive(pipe)
            if isinstance(result, Exception):
                raise result
            if result is _DONE:
                self._running.pop(pipe).join()
                pipe.close()
            else:
                received.append(result)
        return received

    def end(self) -> None:
        """Kill the workers that are still running."""
        for pipe, process in self._running.items():
            process.kill()
            process.join()
            pipe.close()
        self._running.clear()

    def _receive(self, pipe: Connection) -> Any:
        try:
            return pipe.recv()
        except (EOFError, OSError) as error:
            process = self._running[pipe]
            process.join()
            raise WorkerLost(process.exitcode or 0) from error

    def _start(self) -> None:
        # spawn, because a forked process would inherit open databases and the lock of the index
        context = get_context("spawn")
        results, sender = context.Pipe(duplex=False)
        process = context.Process(target=_run_task, args=(sender, self._task, *self._arguments), daemon=True)
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
        self._running[results] = process


@contextmanager
def running_workers(count: int, task: Task, *arguments: Any) -> Iterator[Workers]:
    """Start workers that run a task, and end them on exit. There are none if this system cannot start any."""
    workers = Workers(task, *arguments)
    try:
        if sys.executable and sys.platform != "win32":
            workers.start(count)
        yield workers
    finally:
        workers.end()


def _run_task(results: Connection, task: Task, *arguments: Any) -> None:
    """Run the task and send its results, then `_DONE`; or the error that occurred. The main function of a worker."""
    try:
        try:
            for result in task(*arguments):
                results.send(result)
            results.send(_DONE)
        except BrokenPipeError:
            return  # the main process was killed
        except (OSError, sqlite3.Error) as error:  # such as a full disk
            results.send(error)
        except Exception:  # noqa: BLE001 - a bug, which the main process reports
            results.send(RuntimeError(traceback.format_exc()))
    except BrokenPipeError:
        pass
