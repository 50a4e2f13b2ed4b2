"""Entries, responses and calls, one after another, to what they come to."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

# between two entries: a longer gap is a pause, in which nobody was at work
LONGEST_GAP_MS = 10 * 60_000

_HOUR_MS = 3_600_000
_MOST = 2**63 - 1  # that SQLite and JSON can hold; tokens are as recorded, whatever that is
_REFUSED = ("rejection", "interrupt")  # forms of results that the user gave, not the tool


class Figures(NamedTuple):
    """What a group comes to; tokens and cost as the views have them."""

    entries: int
    sessions: int
    responses: int
    input_tokens: int
    output_tokens: int
    cache_creation_tokens: int
    cache_read_tokens: int
    est_cost_usd: float | None  # None: no model of its responses has a price
    unpriced_responses: int
    tool_calls: int
    tool_errors: int  # without those that the user refused
    tool_refused: int
    rejections: int
    pending: int
    error_rate: float | None  # of the calls that were answered
    median_tool_ms: float | None
    p95_tool_ms: int | None
    active_hours: float


class Entry(NamedTuple):
    """An entry, as far as it counts."""

    at: int
    session: int
    model: str | None
    agent_id: str | None


class Response(NamedTuple):
    """A response with its tokens and its cost in billionths of a dollar."""

    at: int
    session: int
    model: str | None
    agent_id: str | None
    input_tokens: int
    output_tokens: int
    cache_creation_5m_tokens: int
    cache_creation_1h_tokens: int
    cache_read_tokens: int
    cost: int | None


class Call(NamedTuple):
    """A call of a tool and what became of it; `is_error` is None while it has no result."""

    at: int
    session: int
    model: str | None
    agent_id: str | None
    name: str
    is_error: int | None
    form: str | None
    duration_ms: int | None


Fact = Entry | Response | Call


class Tally:
    """What a group comes to, fact by fact; entries must come in order of time."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._sessions: set[int] = set()
        self._durations: list[int] = []
        self._active_ms = 0
        self._last_at: int | None = None
        self.agents: set[tuple[int, str]] = set()

    def add(self, fact: Fact) -> None:
        """Count one more."""
        # an agent that only progress tells of has responses, but no entry of its own
        self._sessions.add(fact.session)
        if fact.agent_id is not None:
            self.agents.add((fact.session, fact.agent_id))
        if isinstance(fact, Entry):
            self._entry(fact)
        elif isinstance(fact, Response):
            self._response(fact)
        else:
            self._call(fact)

    def _entry(self, entry: Entry) -> None:
        self._counts["entries"] += 1
        if self._last_at is not None and entry.at - self._last_at <= LONGEST_GAP_MS:
            self._active_ms += entry.at - self._last_at
        self._last_at = entry.at

    def _response(self, response: Response) -> None:
        counts = self._counts
        counts["responses"] += 1
        counts["input"] += response.input_tokens
        counts["output"] += response.output_tokens
        counts["written"] += response.cache_creation_5m_tokens + response.cache_creation_1h_tokens
        counts["read"] += response.cache_read_tokens
        counts["priced"] += response.cost is not None
        counts["cost"] += response.cost or 0

    def _call(self, call: Call) -> None:
        counts = self._counts
        counts["calls"] += 1
        if call.is_error is None:
            return
        counts["answered"] += 1
        counts["refused"] += call.form in _REFUSED
        counts["rejections"] += call.form == "rejection"
        counts["errors"] += call.is_error == 1 and call.form not in _REFUSED
        if call.duration_ms is not None:
            self._durations.append(call.duration_ms)

    def figures(self) -> Figures:
        """What all of it comes to."""
        counts, durations = self._counts, sorted(self._durations)
        return Figures(
            entries=counts["entries"],
            sessions=len(self._sessions),
            responses=counts["responses"],
            input_tokens=min(_MOST, counts["input"]),
            output_tokens=min(_MOST, counts["output"]),
            cache_creation_tokens=min(_MOST, counts["written"]),
            cache_read_tokens=min(_MOST, counts["read"]),
            est_cost_usd=counts["cost"] / 1e9 if counts["priced"] or not counts["responses"] else None,
            unpriced_responses=counts["responses"] - counts["priced"],
            tool_calls=counts["calls"],
            tool_errors=counts["errors"],
            tool_refused=counts["refused"],
            rejections=counts["rejections"],
            pending=counts["calls"] - counts["answered"],
            error_rate=counts["errors"] / counts["answered"] if counts["answered"] else None,
            median_tool_ms=_median(durations),
            p95_tool_ms=_p95(durations),
            active_hours=self._active_ms / _HOUR_MS,
        )


def _median(ordered: Sequence[int]) -> float | None:
    size = len(ordered)
    return (ordered[(size - 1) // 2] + ordered[size // 2]) / 2 if size else None


def _p95(ordered: Sequence[int]) -> int | None:
    """The least value that 95 of 100 do not exceed."""
    return ordered[(95 * len(ordered) + 99) // 100 - 1] if ordered else None
