"""What a session comes to on one day, counted when it is indexed."""

from collections.abc import Sequence
from typing import NamedTuple

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
