"""Row types for usage totals; they have their own module because statistics need no other row types."""

from collections.abc import Sequence
from typing import Annotated, NamedTuple

from ccindex.model.columns import Ref

DAY_MS = 86_400_000
QUARTER_HOUR_MS = 900_000
MAX_GAP_MS = 10 * 60_000  # between two entries; a longer gap does not count as active time
MAX_INTEGER = 2**63 - 1  # SQLite's maximum; recorded token counts can be larger


class UsageRow(NamedTuple):
    """One row per session, quarter hour, agent and model: totals of entries and responses."""

    session: Annotated[int, Ref("session_ids")]
    quarter_hour: Annotated[int | None, "number since 1970-01-01 UTC; NULL: the time is unknown"]
    agent_id: Annotated[str | None, "NULL: the trunk of the session"]
    model: str | None
    entries: int
    spans: Annotated[Sequence[int], "JSON array of instants: start and end of each period without a long gap"]
    responses: int
    input_tokens: int
    output_tokens: int
    cache_creation_tokens: int
    cache_read_tokens: int
    priced_responses: Annotated[int, "number of responses whose model has a price"]
    cost_nanousd: Annotated[int, "cost of these responses, in billionths of a US dollar"]


class ToolUsageRow(NamedTuple):
    """One row per session, quarter hour, agent, model and tool: totals of calls by outcome."""

    session: Annotated[int, Ref("session_ids")]
    quarter_hour: Annotated[int | None, "number since 1970-01-01 UTC; NULL: the time is unknown"]
    agent_id: Annotated[str | None, "NULL: the trunk of the session"]
    model: Annotated[str | None, "of the response that made the calls"]
    name: Annotated[str, "of the tool"]
    calls: Annotated[int, "including pending calls"]
    ok: int
    errors: int
    refused: int
    interrupted: int
    error_results: Annotated[int, "calls whose result is marked as an error, regardless of the outcome"]
    durations_ms: Annotated[Sequence[int], "JSON array of milliseconds from call to result, ascending"]
    first_timestamp_ms: int
    last_timestamp_ms: int
