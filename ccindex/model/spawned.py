"""What is known of the calls that spawned agents, and of what became of them."""

from dataclasses import dataclass, field
from typing import NamedTuple

from .graph import Call


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


@dataclass(frozen=True, slots=True)
class Spawned:
    """Calls and replies by the call's id; notices by session and agent; journals by session, run and agent."""

    calls: dict[str, list[Call]]
    replies: dict[str, list[Reply]]
    notices: dict[tuple[int, str], list[str]]
    journals: dict[tuple[int, str, str], Journal] = field(default_factory=dict)
