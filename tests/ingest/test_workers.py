"""Worker processes send results and errors, and never outlive the process that started them."""

import os
import signal
import time
from collections.abc import Iterator
from unittest.mock import patch

import pytest

from ccindex.errors import WorkerLost
from ccindex.ingest.workers import Task, Workers, running_workers


def count_to(number: int) -> Iterator[int]:
    yield from range(number)


def count_slowly() -> Iterator[int]:
    for number in range(1_000):
        yield number
        time.sleep(0.01)


def fail(error: Exception) -> Iterator[int]:
    yield 1
    raise error


def die() -> Iterator[int]:
    yield 1
    os.kill(os.getpid(), signal.SIGKILL)


def run_all(count: int, task: Task, *arguments: object) -> list[int]:
    """Return all results of a task that is run by several workers."""
    results: list[int] = []
    with running_workers(count, task, *arguments) as pool:
        while (received := pool.results(is_waiting=True)) is not None:
            results += received
    return results


def test_results_of_all_workers_are_received() -> None:
    assert sorted(run_all(2, count_to, 3)) == [0, 0, 1, 1, 2, 2]


def test_without_workers_there_are_no_results() -> None:
    assert run_all(0, count_to, 3) == []


def test_results_are_not_waited_for_unless_requested() -> None:
    with running_workers(1, count_slowly) as pool:
        assert pool.results(is_waiting=False) == []  # the process takes longer to start
        assert pool.results(is_waiting=True) == [0]


def test_unexpected_exception_in_a_worker_is_raised_with_its_traceback() -> None:
    with pytest.raises(RuntimeError, match=r"(?s)Traceback.*KeyError: 'odd'"):
        run_all(1, fail, KeyError("odd"))


def test_system_error_in_a_worker_is_raised_as_it_is() -> None:
    with pytest.raises(OSError, match="no space") as raised:
        run_all(1, fail, OSError(28, "no space"))
    assert raised.value.errno == 28


def test_death_of_a_worker_is_reported() -> None:
    with pytest.raises(WorkerLost, match="exit code -9"):
        run_all(1, die)


def test_worker_exits_when_the_other_end_of_its_pipe_is_closed() -> None:
    pool = Workers(count_slowly)
    pool.start(1)
    [(pipe, process)] = pool._running.items()  # noqa: SLF001
    pipe.close()
    process.join(60)
    assert process.exitcode == 0


def test_workers_end_with_the_block() -> None:
    with running_workers(2, count_slowly) as pool:
        processes = list(pool._running.values())  # noqa: SLF001
    assert not any(process.is_alive() for process in processes)


def test_there_are_no_workers_if_no_process_can_be_started() -> None:
    with patch("multiprocessing.popen_spawn_posix.Popen._launch", side_effect=PermissionError) as started:
        assert run_all(2, count_to, 3) == []
    assert started.called
