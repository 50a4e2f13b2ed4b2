"""What reading a source yields, as plain rows, and the processor time of each phase."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from time import thread_time
from typing import Any, NamedTuple

Row = tuple[Any, ...]


class Draft(NamedTuple):
    """Some objects of one source, in order, as plain rows that can go from process to process.

    An entry goes by a number that is its own within the source: the how-manieth of those that the source names.
    """

    start: int  # the number of the first of `named`; 0: numbers begin anew
    named: list[str]  # uuids met for the first time, of entries and of those they point at
    sessions: list[str]  # ids that `objects` claim
    concerned: list[int]  # those sessions of which more is to be said now
    # line_no, offset, length, hash, type, at, is_stamped, has_parent; session: its place in `sessions`; entry: its
    # number, or None; is_first: of this uuid in this source
    objects: list[Row]
    entries: list[Row]  # number, uuid, the object's place in `objects`, then the columns from `hash` on
    edges: list[Row]  # child's number, kind, parent's number
    contents: dict[str, list[Row]]  # by table; an entry's number, then the other columns
    words: list[Row]  # an entry's number, then what it is found by
    records: list[Row]  # the object's place, timestamp, payload, leaf
    notices: list[Row]  # of records: the object's place, then the columns of a Notice
    contexts: dict[int, Row]
    details: dict[int, str]


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
