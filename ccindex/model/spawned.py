"""What agents are derived from: calls, replies, notices and journals by the ids they name."""

from dataclasses import dataclass, field
from typing import Generic, NamedTuple, TypeVar

from ccindex.model.graph import Call


class Reply(NamedTuple):
    """How a call came out."""

    node: int
    tool_use_id: str
    is_error: int
    form: str | None
    status: str | None
    is_async: int
    is_interrupted: int


class Journal(NamedTuple):
    """What a workflow's own files say of one of its agents."""

    has_result: int
    run_status: str | None


Held = TypeVar("Held", Call, Reply)


class Earliest(Generic[Held]):
    """Calls, or replies, by the call's id: the earliest of each session and of all, however many there are."""

    def __init__(self) -> None:
        self._in_session: dict[tuple[str, int], Held] = {}
        self._anywhere: dict[str, Held] = {}

    def add(self, tool_use_id: str, session: int, held: Held) -> None:
        """Take one more; of several in one entry the first that was added stays."""
        before = self._in_session.get((tool_use_id, session))
        if before is None or held.node < before.node:
            self._in_session[tool_use_id, session] = held
        before = self._anywhere.get(tool_use_id)
        if before is None or held.node < before.node:
            self._anywhere[tool_use_id] = held

    def of(self, tool_use_id: str, session: int, *, elsewhere: bool) -> Held | None:
        """The earliest in a session, else in any if that may be."""
        inside = self._in_session.get((tool_use_id, session))
        return self._anywhere.get(tool_use_id) if inside is None and elsewhere else inside


@dataclass(frozen=True, slots=True)
class Spawned:
    """Calls and replies by the call's id; notices by session and agent; journals by session, run and agent."""

    calls: Earliest[Call] = field(default_factory=Earliest)
    replies: Earliest[Reply] = field(default_factory=Earliest)
    notices: dict[tuple[int, str], list[str]] = field(default_factory=dict)
    journals: dict[tuple[int, str, str], Journal] = field(default_factory=dict)
