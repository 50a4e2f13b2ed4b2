"""Which result answers which call, and the outcomes that a call can have."""

from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple


class CallOutcome(StrEnum):
    """How a tool call ended; `sql/derive/set_outcomes.sql` decides."""

    PENDING = "pending"
    OK = "ok"
    ERROR = "error"
    REFUSED = "refused"
    INTERRUPTED = "interrupted"


class Held(NamedTuple):
    """A call or a result: the entry that holds it, its place in that, its thread and its instant."""

    entry: int
    idx: int
    thread: int
    at: int


def pair(uses: Sequence[Held], results: Sequence[Held]) -> tuple[Held | None, Held | None]:
    """Of one id's calls and results, both by time, take the first call that its own thread answers.

    Where no thread answers its own call, the first call goes with the first result.
    """
    answers: dict[int, Held] = {}
    for result in results:
        answers.setdefault(result.thread, result)
    for use in uses:
        if use.thread in answers:
            return use, answers[use.thread]
    return next(iter(uses), None), next(iter(results), None)
