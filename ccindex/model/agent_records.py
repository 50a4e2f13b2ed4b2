"""Recorded facts about agents: calls, results, notices and journals, grouped by id."""

from dataclasses import dataclass, field
from typing import Generic, NamedTuple, TypeVar

from ccindex.model.graph import Call


class CallResult(NamedTuple):
    """The result of a call that may have spawned an agent."""

    node: int
    tool_use_id: str
    is_error: int
    form: str | None
    status: str | None
    is_async: int
    is_interrupted: int


class Journal(NamedTuple):
    """The state of a workflow agent: whether the journal has its result, and the run's status in the run file."""

    has_result: int
    run_status: str | None


CallOrResult = TypeVar("CallOrResult", Call, CallResult)


class EarliestByCall(Generic[CallOrResult]):
    """The earliest call, or the earliest result, per call id, within each session and across all sessions."""

    def __init__(self) -> None:
        self._in_session: dict[tuple[str, int], CallOrResult] = {}
        self._anywhere: dict[str, CallOrResult] = {}

    def add(self, tool_use_id: str, session: int, item: CallOrResult) -> None:
        """Add a call or result; if an entry contains several with the same call id, the first one added is kept."""
        earliest = self._in_session.get((tool_use_id, session))
        if earliest is None or item.node < earliest.node:
            self._in_session[tool_use_id, session] = item
        earliest = self._anywhere.get(tool_use_id)
        if earliest is None or item.node < earliest.node:
            self._anywhere[tool_use_id] = item

    def of(self, tool_use_id: str, session: int, *, elsewhere: bool) -> CallOrResult | None:
        """Return the earliest item in the session; with `elsewhere`, fall back to the earliest item in any session."""
        inside = self._in_session.get((tool_use_id, session))
        return self._anywhere.get(tool_use_id) if inside is None and elsewhere else inside


@dataclass(frozen=True, slots=True)
class AgentRecords:
    """Calls and results by call id; notices by session and agent; journals by session, run and agent."""

    calls: EarliestByCall[Call] = field(default_factory=EarliestByCall)
    results: EarliestByCall[CallResult] = field(default_factory=EarliestByCall)
    notices: dict[tuple[int, str], list[str]] = field(default_factory=dict)
    journals: dict[tuple[int, str, str], Journal] = field(default_factory=dict)
