"""Pair tool calls with the results that answer them, and define the outcomes of a call."""

from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple


class CallOutcome(StrEnum):
    """The outcome of a tool call."""

    PENDING = "pending"
    OK = "ok"
    ERROR = "error"
    REFUSED = "refused"
    INTERRUPTED = "interrupted"


class ToolBlock(NamedTuple):
    """A tool call or result: its entry, its block index in that entry, its thread and its timestamp.

    `form` and `is_error`: of the entry and of the block, if it is a result.
    """

    entry: int
    idx: int
    thread: int
    timestamp_ms: int
    form: str | None = None
    is_error: int | None = None


def pair_blocks(uses: Sequence[ToolBlock], results: Sequence[ToolBlock]) -> tuple[ToolBlock | None, ToolBlock | None]:
    """Return the first call that is answered in its own thread, and its result (rule: tool_pair).

    The calls and results have the same id and are in time order. If no call is answered in its own thread, the first
    call is paired with the first result.
    """
    answers: dict[int, ToolBlock] = {}
    for result in results:
        answers.setdefault(result.thread, result)
    for use in uses:
        if use.thread in answers:
            return use, answers[use.thread]
    return next(iter(uses), None), next(iter(results), None)


def call_outcome(result: ToolBlock | None) -> CallOutcome:
    """Return the outcome of a call from the result that answers it (rule: call_outcome)."""
    if result is None:
        return CallOutcome.PENDING
    if result.form == "rejection":
        return CallOutcome.REFUSED
    if result.form == "interrupt":
        return CallOutcome.INTERRUPTED
    return CallOutcome.ERROR if result.is_error == 1 else CallOutcome.OK
