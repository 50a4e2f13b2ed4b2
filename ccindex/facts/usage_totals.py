"""Usage totals: counts of entries, responses and tool calls, added, merged and turned into figures."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ccindex.model.derived import BILLION, LONGEST_GAP_MS, MOST, REFUSED, Called, Used, day_of

_HOUR_MS = 3_600_000


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

    @property
    def used(self) -> Used:
        """It alone, counted."""
        return Used(
            self.session, day_of(self.at), self.agent_id, self.model, 1, (self.at, self.at), 0, 0, 0, 0, 0, 0, 0, 0
        )


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

    @property
    def used(self) -> Used:
        """It alone, counted."""
        return Used(
            *(self.session, day_of(self.at), self.agent_id, self.model),
            entries=0,
            spans=(),
            responses=1,
            input_tokens=self.input_tokens,
            output_tokens=self.output_tokens,
            cache_creation_tokens=self.cache_creation_5m_tokens + self.cache_creation_1h_tokens,
            cache_read_tokens=self.cache_read_tokens,
            priced=int(self.cost is not None),
            dollars=0,
            billionths=self.cost or 0,
        )


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

    @property
    def called(self) -> Called:
        """It alone, counted."""
        is_answered = self.is_error is not None
        is_refused = is_answered and self.form in REFUSED
        return Called(
            *(self.session, day_of(self.at), self.agent_id, self.model, self.name),
            calls=1,
            answered=int(is_answered),
            failed=int(self.is_error == 1),
            refused=int(is_refused),
            rejections=int(is_answered and self.form == "rejection"),
            errors=int(self.is_error == 1 and not is_refused),
            durations=(self.duration_ms,) if is_answered and self.duration_ms is not None else (),
            first_at=self.at,
            last_at=self.at,
        )


class Tally:
    """What a group comes to, one count after another, in any order."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.sessions: set[int] = set()
        self.durations: list[int] = []
        self.spans: list[int] = []
        self.agents: set[tuple[int, str]] = set()

    def add(self, counted: Used | Called) -> None:
        """Count some more."""
        # an agent that only progress tells of has responses, but no entry of its own
        self.sessions.add(counted.session)
        if counted.agent_id is not None:
            self.agents.add((counted.session, counted.agent_id))
        if isinstance(counted, Used):
            self._used(counted)
        else:
            self._called(counted)

    def merge(self, other: "Tally") -> None:
        """Count what another counted, too."""
        self.counts.update(other.counts)
        self.sessions |= other.sessions
        self.durations += other.durations
        self.spans += other.spans
        self.agents |= other.agents

    def _used(self, used: Used) -> None:
        counts = self.counts
        counts["entries"] += used.entries
        self.spans += used.spans
        if not used.responses:
            return
        counts["responses"] += used.responses
        counts["input"] += used.input_tokens
        counts["output"] += used.output_tokens
        counts["written"] += used.cache_creation_tokens
        counts["read"] += used.cache_read_tokens
        counts["priced"] += used.priced
        counts["cost"] += used.dollars * BILLION + used.billionths

    def _called(self, called: Called) -> None:
        counts = self.counts
        counts["calls"] += called.calls
        counts["answered"] += called.answered
        counts["refused"] += called.refused
        counts["rejections"] += called.rejections
        counts["errors"] += called.errors
        self.durations += called.durations

    def figures(self) -> Figures:
        """What all of it comes to."""
        counts, durations = self.counts, sorted(self.durations)
        return Figures(
            entries=counts["entries"],
            sessions=len(self.sessions),
            responses=counts["responses"],
            input_tokens=min(MOST, counts["input"]),
            output_tokens=min(MOST, counts["output"]),
            cache_creation_tokens=min(MOST, counts["written"]),
            cache_read_tokens=min(MOST, counts["read"]),
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
            active_hours=_active_ms(zip(self.spans[::2], self.spans[1::2], strict=True)) / _HOUR_MS,
        )


def _active_ms(spans: Iterable[tuple[int, int]]) -> int:
    """How long somebody was at work: spans that overlap or nearly touch are one.

    Whoever was at work in several places counts once, as if all entries were one list.
    """
    active, end = 0, None
    for first, last in sorted(spans):
        if end is None or first - end > LONGEST_GAP_MS:
            active += last - first
            end = last
        elif last > end:
            active += last - end
            end = last
    return active


def _median(ordered: Sequence[int]) -> float | None:
    size = len(ordered)
    return (ordered[(size - 1) // 2] + ordered[size // 2]) / 2 if size else None


def _p95(ordered: Sequence[int]) -> int | None:
    """The least value that 95 of 100 do not exceed."""
    return ordered[(95 * len(ordered) + 99) // 100 - 1] if ordered else None
