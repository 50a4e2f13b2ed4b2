"""Rows of usage totals, in a module of their own because statistics need no other row type."""

from collections.abc import Sequence
from typing import Annotated, NamedTuple

from ccindex.model.columns import Ref

DAY_MS = 86_400_000
QUARTER_HOUR_MS = 900_000
LONGEST_GAP_MS = 10 * 60_000  # between two entries; a longer gap is not active time
MAX_INTEGER = 2**63 - 1  # in SQLite; recorded token counts can be of any size


class UsageRow(NamedTuple):
    """One row per session, quarter hour, agent and model: totals of entries and responses."""

    session: Annotated[int, Ref("session_ids")]
    quarter_hour: Annotated[int | None, "since 1970-01-01, in UTC; NULL: no instant is known"]
    agent_id: Annotated[str | None, "NULL: the session's own"]
    model: str | None
    entries: int
    spans: Annotated[Sequence[int], "instants, a JSON array: start and end of each stretch without a long gap"]
    responses: int
    input_tokens: int
    output_tokens: int
    cache_creation_tokens: int
    cache_read_tokens: int
    priced: Annotated[int, "responses whose model has a price"]
    cost_nanousd: Annotated[int, "their cost, in billionths of a US dollar"]


class ToolUsageRow(NamedTuple):
    """One row per session, quarter hour, agent, model and tool: totals of calls by outcome."""

    session: Annotated[int, Ref("session_ids")]
    quarter_hour: Annotated[int | None, "since 1970-01-01, in UTC; NULL: no instant is known"]
    agent_id: Annotated[str | None, "NULL: the session's own"]
    model: Annotated[str | None, "of the response that made the calls"]
    name: Annotated[str, "of the tool"]
    calls: Annotated[int, "pending ones included"]
    ok: int
    errors: int
    refused: int
    interrupted: int
    flagged: Annotated[int, "calls whose result is marked as an error, whatever their outcome"]
    durations: Annotated[Sequence[int], "milliseconds from call to result, ascending, a JSON array"]
    first_at: int
    last_at: int
