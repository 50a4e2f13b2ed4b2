"""What a run recorded may have changed."""

from dataclasses import dataclass, field
from typing import NamedTuple

from ccindex.model.drafts import Draft
from ccindex.model.facts import Words


class Replacement(NamedTuple):
    """An entry whose owner changed, with the new owner's content: the only entry of the draft."""

    entry: int
    occurrence: int
    draft: Draft
    before: Words | None


@dataclass(slots=True)
class Changes:
    """Where to look again, since the last look: who owns what, and what follows from it.

    `calls` and `responses`: those that entries no longer speak of; what they speak of now is found by the entries.
    """

    is_all: bool = False  # nothing was there before, so that `entries` need not be told

    entries: set[int] = field(default_factory=set)
    contested: set[int] = field(default_factory=set)
    sources: set[int] = field(default_factory=set)  # that hold other entries than before
    sessions: set[int] = field(default_factory=set)
    leaves: set[str] = field(default_factory=set)
    sidecars: set[int] = field(default_factory=set)
    dropped: dict[int, tuple[int, ...] | None] = field(default_factory=dict)
    calls: set[str] = field(default_factory=set)
    responses: set[str] = field(default_factory=set)
    # queued words to leave and to enter the full-text index: occurrence and text
    unqueued: list[tuple[int, str]] = field(default_factory=list)
    queued: list[tuple[int, str]] = field(default_factory=list)
