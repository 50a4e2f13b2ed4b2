"""Values of derived tables: usage totals, and the calls that spawned agents."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Generic, NamedTuple, TypeVar

from ccindex.model.graph import Call

DAY_MS = 86_400_000
# between two entries: a longer gap is a pause, in which nobody was at work
LONGEST_GAP_MS = 10 * 60_000
MOST = 2**63 - 1  # that SQLite and JSON can hold; tokens are as recorded, whatever that is
REFUSED = ("rejection", "interrupt")  # forms of results that the user gave, not the tool
BILLION = 1_000_000_000  # a cost is in billionths of a dollar


class Used(NamedTuple):
    """Entries and responses of a session by day, agent and model.

    `spans` are the instants between which no gap is too long: a beginning, its end, and so on.
    """

    session: int
    day: int | None
    agent_id: str | None
    model: str | None
    entries: int
    spans: Sequence[int]
    responses: int
    input_tokens: int
    output_tokens: int
    cache_creation_tokens: int
    cache_read_tokens: int
    priced: int
    dollars: int  # that responses with a price cost, in whole ones
    billionths: int  # of a dollar, beyond these


class Called(NamedTuple):
    """Calls of a tool in a session by day, agent and model; `durations` in milliseconds, of those answered."""

    session: int
    day: int | None
    agent_id: str | None
    model: str | None
    name: str | None
    calls: int
    answered: int
    failed: int
    refused: int
    rejections: int
    errors: int
    durations: Sequence[int]
    first_at: int
    last_at: int


def day_of(at: int) -> int | None:
    """The day of an instant, as many after 1970-01-01; an instant of 0 is that of a file without any."""
    return at // DAY_MS if at else None


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
