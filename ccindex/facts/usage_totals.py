"""Sum up entries, responses and tool calls into usage rows per quarter hour, and usage rows into figures."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ccindex.facts.tool_calls import CallOutcome
from ccindex.model.usage_rows import MAX_GAP_MS, MAX_INTEGER, QUARTER_HOUR_MS, ToolUsageRow, UsageRow

_HOUR_MS = 3_600_000
_NANO = 1e9


class EntryGroup(NamedTuple):
    """Entries of one session, agent and model with no long gap between them."""

    session: int
    agent_id: str | None
    model: str | None
    first_ms: int
    last_ms: int
    entries: int


class ResponseUsage(NamedTuple):
    """A response with its tokens and its cost in billionths of a US dollar."""

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
    """A tool call with its outcome; `is_error` is the error flag of its result."""

    session: int
    timestamp_ms: int
    agent_id: str | None
    model: str | None
    name: str
    outcome: str
    is_error: int | None
    duration_ms: int | None


_Cell = tuple[int, int | None, str | None, str | None]  # session, quarter hour, agent, model
# responses; input, output, cache creation and cache read tokens; responses with a price; cost
_NO_RESPONSES = [0] * 7


def sum_usage(entries: Iterable[EntryGroup], responses: Iterable[ResponseUsage]) -> Iterator[UsageRow]:
    """Sum up entries and responses per session, quarter hour, agent and model; entries must be in time order."""
    counts: dict[_Cell, int] = defaultdict(int)
    spans: dict[_Cell, list[int]] = {}
    for session, agent_id, model, first, last, number in entries:
        cell = session, quarter_hour(first), agent_id, model
        counts[cell] += number
        span = spans.setdefault(cell, [first, last])
        if first - span[-1] <= MAX_GAP_MS:
            span[-1] = max(span[-1], last)
        else:
            span += (first, last)
    sums: dict[_Cell, list[int]] = defaultdict(_NO_RESPONSES.copy)
    for session, instant, agent_id, model, tokens_in, tokens_out, write_5m, write_1h, cache_read, cost in responses:
        total = sums[session, quarter_hour(instant), agent_id, model]
        total[0] += 1
        total[1] += tokens_in
        total[2] += tokens_out
        total[3] += write_5m + write_1h
        total[4] += cache_read
        if cost is not None:
            total[5] += 1
            total[6] += cost
    for cell in counts | sums:
        capped = [min(MAX_INTEGER, number) for number in sums.get(cell, _NO_RESPONSES)]
        yield UsageRow._make((*cell, counts.get(cell, 0), spans.get(cell, ()), *capped))


def quarter_hour(timestamp_ms: int | None) -> int | None:
    """Return the number of quarter hours since 1970, or None if the timestamp is unknown (missing or 0)."""
    return timestamp_ms // QUARTER_HOUR_MS if timestamp_ms else None


def sum_tool_calls(calls: Iterable[ToolCall]) -> Iterator[ToolUsageRow]:
    """Sum up tool calls per session, quarter hour, agent, model and tool."""
    cells: dict[tuple[_Cell, str], list[ToolCall]] = defaultdict(list)
    for call in calls:
        cell = call.session, quarter_hour(call.timestamp_ms), call.agent_id, call.model
        cells[cell, call.name].append(call)
    for (cell, name), group in cells.items():
        outcomes = Counter(call.outcome for call in group)
        instants = [call.timestamp_ms for call in group]
        yield ToolUsageRow(
            *cell,
            name,
            calls=len(group),
            ok=outcomes[CallOutcome.OK],
            errors=outcomes[CallOutcome.ERROR],
            refused=outcomes[CallOutcome.REFUSED],
            interrupted=outcomes[CallOutcome.INTERRUPTED],
            error_results=sum(call.is_error == 1 for call in group),
            durations_ms=sorted(
                call.duration_ms
                for call in group
                if call.duration_ms is not None and call.outcome != CallOutcome.PENDING
            ),
            first_timestamp_ms=min(instants),
            last_timestamp_ms=max(instants),
        )


class Figures(NamedTuple):
    """The totals of a group, in the units shown to users."""

    entries: int
    sessions: int
    responses: int
    input_tokens: int
    output_tokens: int
    cache_creation_tokens: int
    cache_read_tokens: int
    est_cost_usd: float | None  # None: there are responses, but none has a price
    unpriced_responses: int
    tool_calls: int
    tool_errors: int  # excluding refused and interrupted calls
    tool_refused: int  # including interrupted calls
    rejections: int
    pending: int
    error_rate: float | None  # of the calls with a result
    median_tool_ms: float | None
    p95_tool_ms: int | None
    active_hours: float


class UsageTotals:
    """Running totals of usage rows, which can be added in any order."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.sessions: set[int] = set()
        self.durations: list[int] = []
        self.spans: list[int] = []
        self.agents: set[tuple[int, str]] = set()

    def add(self, row: UsageRow | ToolUsageRow) -> None:
        """Add a row."""
        # rows without entries count too: an agent known only from progress entries has responses but no entries
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
            counts["priced"] += row.priced_responses
            counts["cost"] += row.cost_nanousd
        else:
            counts["calls"] += row.calls
            counts["ok"] += row.ok
            counts["errors"] += row.errors
            counts["refused"] += row.refused
            counts["interrupted"] += row.interrupted
            self.durations += row.durations_ms

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
    """Return the time covered by the spans. It includes gaps of up to ten minutes, and overlaps count only once."""
    active, end = 0, None
    for first, last in sorted(spans):
        if end is None or first - end > MAX_GAP_MS:
            active += last - first
            end = last
        elif last > end:
            active += last - end
            end = last
    return active


def median(ordered: Sequence[int]) -> float | None:
    """Return the median of sorted values."""
    size = len(ordered)
    return (ordered[(size - 1) // 2] + ordered[size // 2]) / 2 if size else None


def percentile_95(ordered: Sequence[int]) -> int | None:
    """Return the smallest value that is at least as large as 95% of the sorted values."""
    return ordered[(95 * len(ordered) + 99) // 100 - 1] if ordered else None
