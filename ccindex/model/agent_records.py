"""Recorded facts about agents: calls, replies, notices and journals, by the ids they contain."""

from dataclasses import dataclass, field
from typing import Generic, NamedTuple, TypeVar

from ccindex.model.graph import Call


class Reply(NamedTuple):
    """The result of a call that may have spawned an agent."""

    node: int
    tool_use_id: str
    is_error: int
    form: str | None
    status: str | None
    is_async: int
    is_interrupted: int


class Journal(NamedTuple):
    """The state of an agent according to its workflow's own files."""

    has_result: int
    run_status: str | None


CallOrReply = TypeVar("CallOrReply", Call, Reply)


class EarliestByCall(Generic[CallOrReply]):
    """The earliest call, or reply, per call id: in each session, and in all sessions together."""

    def __init__(self) -> None:
        self._in_session: dict[tuple[str, int], CallOrReply] = {}
        self._anywhere: dict[str, CallOrReply] = {}

    def add(self, tool_use_id: str, session: int, item: CallOrReply) -> None:
        """Add a call or reply. If one entry contains several, the first one added is kept."""
        earliest = self._in_session.get((tool_use_id, session))
        if earliest is None or item.node < earliest.node:
            self._in_session[tool_use_id, session] = item
        earliest = self._anywhere.get(tool_use_id)
        if earliest is None or item.node < earliest.node:
            self._anywhere[tool_use_id] = item

    def of(self, tool_use_id: str, session: int, *, elsewhere: bool) -> CallOrReply | None:
        """Return the earliest one in a session; with `elsewhere`, fall back to the earliest one in any session."""
        inside = self._in_session.get((tool_use_id, session))
        return self._anywhere.get(tool_use_id) if inside is None and elsewhere else inside


@dataclass(frozen=True, slots=True)
class AgentRecords:
    """Calls and replies by the call's id; notices by session and agent; journals by session, run and agent."""

    calls: EarliestByCall[Call] = field(default_factory=EarliestByCall)
    replies: EarliestByCall[Reply] = field(default_factory=EarliestByCall)
    notices: dict[tuple[int, str], list[str]] = field(default_factory=dict)
    journals: dict[tuple[int, str, str], Journal] = field(default_factory=dict)
