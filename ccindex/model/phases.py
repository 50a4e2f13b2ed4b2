"""Where the time of a run goes, by phase."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from time import thread_time

PHASES = ("read", "decode", "project", "archive", "write", "index", "derive")


class Phases:
    """Adds up processor time: that of other processes too, if they tell."""

    def __init__(self) -> None:
        self._seconds = dict.fromkeys(PHASES, 0.0)

    @contextmanager
    def timed(self, phase: str) -> Iterator[None]:
        """Count what is inside."""
        start = thread_time()
        try:
            yield
        finally:
            self._seconds[phase] += thread_time() - start

    def add(self, told: Mapping[str, float]) -> None:
        """Count what another process took."""
        for phase, seconds in told.items():
            self._seconds[phase] += seconds

    def seconds(self) -> dict[str, float]:
        """What each phase took so far."""
        return {phase: round(seconds, 4) for phase, seconds in self._seconds.items()}
