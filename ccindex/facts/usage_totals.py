"""Usage totals: entries, responses and tool calls to rows per quarter hour, and such rows to figures."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ccindex.facts.tool_calls import CallOutcome
from ccindex.model.usage_rows import LONGEST_GAP_MS, MAX_INTEGER, QUARTER_HOUR_MS, ToolUsageRow, UsageRow

_HOUR_MS = 3_600_000
_NANO = 1e9


class EntryGroup(NamedTuple):
    """Entries of one session, agent and model whose instants lie close together."""

    session: int
    agent_id: str | None
    model: str | None
    first_ms: int
    last_ms: int
    entries: int


class ResponseUsage(NamedTuple):
    """A response with its tokens, and its cost in billionths of a US dollar."""

    session: int
    timestamp_ms: int
    agent_id: str | None
    model: str | None
    input_tokens: int
    output_tokens: int
    cache_creation_5m_tokens: int
    cache_creation_1h_tokens: int
    cache_read_tokens: int
    cost: int | None


class ToolCall(NamedTuple):
    """A tool call with its outcome; `is_error` is the flag of its result."""

    session: int
    timestamp_ms: int
    agent_id: str | None
    model: str | None
    name: str
    outcome: str
    is_error: int | None
    duration_ms: int | None


_Cell = tuple[int, int | None, str | None, str | None]  # session, quarter hour, agent, model
# responses; tokens: input, output, written to the cache, read from it; responses with a price, and their cost
_NO_RESPONSES = [0] * 7


def usage_rows(entries: Iterable[EntryGroup], responses: Iterable[ResponseUsage]) -> Iterator[UsageRow]:
    """Add up entries, which come in time order, and responses per session, quarter hour, agent and model."""
    counts: dict[_Cell, int] = defaultdict(int)
    spans: dict[_Cell, list[int]] = {}
    for session, agent_id, model, first, last, number in entries:
        cell = session, _quarter_hour_of(first), agent_id, model
        counts[cell] += number
        span = spans.setdefault(cell, [first, last])
        if first - span[-1] <= LONGEST_GAP_MS:
            span[-1] = max(span[-1], last)
        else:
            span += (first, last)
    sums: dict[_Cell, list[int]] = defaultdict(_NO_RESPONSES.copy)
    for session, at, agent_id, model, given, answered, short, long, read, cost in responses:
        own = sums[session, _quarter_hour_of(at), agent_id, model]
        own[0] += 1
        own[1] += given
        own[2] += answered
        own[3] += short + long
        own[4] += read
        if cost is not None:
            own[5] += 1
            own[6] += cost
    for cell in counts | sums:
        capped = [min(MAX_INTEGER, number) for number in sums.get(cell, _NO_RESPONSES)]
        yield UsageRow._make((*cell, counts.get(cell, 0), spans.get(cell, ()), *capped))


def _quarter_hour_of(timestamp_ms: int) -> int | None:
    """Return the number of quarter hours since 1970; an instant of 0 stands for none."""
    return timestamp_ms // QUARTER_HOUR_MS if timestamp_ms else None


def tool_rows(calls: Iterable[ToolCall]) -> Iterator[ToolUsageRow]:
    """Add up tool calls per session, quarter hour, agent, model and tool."""
    cells: dict[tuple[_Cell, str], list[ToolCall]] = defaultdict(list)
    for call in calls:
        cell = call.session, _quarter_hour_of(call.timestamp_ms), call.agent_id, call.model
        cells[cell, call.name].append(call)
    for (cell, name), same in cells.items():
        outcomes = Counter(call.outcome for call in same)
        instants = [call.timestamp_ms for call in same]
        yield ToolUsageRow(
            *cell,
            name,
            calls=len(same),
            ok=outcomes[CallOutcome.OK],
            errors=outcomes[CallOutcome.ERROR],
            refused=outcomes[CallOutcome.REFUSED],
            interrupted=outcomes[CallOutcome.INTERRUPTED],
            flagged=sum(call.is_error == 1 for call in same),
            durations=sorted(
                call.duration_ms
                for call in same
                if call.duration_ms is not None and call.outcome != CallOutcome.PENDING
            ),
            first_at=min(instants),
            last_at=max(instants),
        )


class Figures(NamedTuple):
    """The totals of a group as users see them."""

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
    tool_errors: int  # without refused and interrupted calls
    tool_refused: int  # interrupted calls included
    rejections: int
    pending: int
    error_rate: float | None  # of the calls with a result
    median_tool_ms: float | None
    p95_tool_ms: int | None
    active_hours: float


class UsageTotals:
    """Adds up usage rows in any order."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.sessions: set[int] = set()
        self.durations: list[int] = []
        self.spans: list[int] = []
        self.agents: set[tuple[int, str]] = set()

    def add(self, row: UsageRow | ToolUsageRow) -> None:
        """Add a row."""
        # an agent known only from progress entries has responses but no entry of its own
        self.sessions.add(row.session)
        if row.agent_id is not None:
            self.agents.add((row.session, row.agent_id))
        counts = self.counts
        if isinstance(row, UsageRow):
            counts["entries"] += row.entries
            self.spans += row.spans
            counts["responses"] += row.responses
            counts["input"] += row.input_tokens
            counts["output"] += row.output_tokens
            counts["cache_creation"] += row.cache_creation_tokens
            counts["cache_read"] += row.cache_read_tokens
            counts["priced"] += row.priced
            counts["cost"] += row.cost_nanousd
        else:
            counts["calls"] += row.calls
            counts["ok"] += row.ok
            counts["errors"] += row.errors
            counts["refused"] += row.refused
            counts["interrupted"] += row.interrupted
            self.durations += row.durations

    def merge(self, other: "UsageTotals") -> None:
        """Add the totals of another group."""
        self.counts.update(other.counts)
        self.sessions |= other.sessions
        self.durations += other.durations
        self.spans += other.spans
        self.agents |= other.agents

    def figures(self) -> Figures:
        """Return the totals of all rows."""
        counts, durations = self.counts, sorted(self.durations)
        refused = counts["refused"] + counts["interrupted"]
        answered = counts["ok"] + counts["errors"] + refused
        return Figures(
            entries=counts["entries"],
            sessions=len(self.sessions),
            responses=counts["responses"],
            input_tokens=min(MAX_INTEGER, counts["input"]),
            output_tokens=min(MAX_INTEGER, counts["output"]),
            cache_creation_tokens=min(MAX_INTEGER, counts["cache_creation"]),
            cache_read_tokens=min(MAX_INTEGER, counts["cache_read"]),
            est_cost_usd=counts["cost"] / _NANO if counts["priced"] or not counts["responses"] else None,
            unpriced_responses=counts["responses"] - counts["priced"],
            tool_calls=counts["calls"],
            tool_errors=counts["errors"],
            tool_refused=refused,
            rejections=counts["refused"],
            pending=counts["calls"] - answered,
            error_rate=counts["errors"] / answered if answered else None,
            median_tool_ms=median(durations),
            p95_tool_ms=percentile_95(durations),
            active_hours=active_ms(zip(self.spans[::2], self.spans[1::2], strict=True)) / _HOUR_MS,
        )


def active_ms(spans: Iterable[tuple[int, int]]) -> int:
    """Return the time that spans cover; gaps of at most ten minutes count, parallel work counts once."""
    active, end = 0, None
    for first, last in sorted(spans):
        if end is None or first - end > LONGEST_GAP_MS:
            active += last - first
            end = last
        elif last > end:
            active += last - end
            end = last
    return active


def median(ordered: Sequence[int]) -> float | None:
    """Return the mean of the two middle values."""
    size = len(ordered)
    return (ordered[(size - 1) // 2] + ordered[size // 2]) / 2 if size else None


def percentile_95(ordered: Sequence[int]) -> int | None:
    """Return the least value that at least 95 of 100 values do not exceed."""
    return ordered[(95 * len(ordered) + 99) // 100 - 1] if ordered else None
