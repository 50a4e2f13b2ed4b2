"""What a subagent was asked for and what became of it."""

from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property

from ccindex.graph.tree import Forest
from ccindex.graph.wording import fold, ways_to_say
from ccindex.model.graph import NONE, Call, Kind, Node, Sidecar
from ccindex.model.spawned import Journal, Reply

from .agents import Agent

_UNKNOWN = "unknown"
# how results, notifications and journals put it
_STATUS = {
    "completed": "completed",
    "success": "completed",
    "failed": "failed",
    "error": "failed",
    "killed": "interrupted",
    "stopped": "interrupted",
    "cancelled": "interrupted",
    "canceled": "interrupted",
    "interrupted": "interrupted",
    "aborted": "interrupted",
}
_UNDER_WAY = frozenset({"async_launched", "remote_launched", "teammate_spawned", "running", "pending", "launched"})


class Candidates:
    """The calls that may have spawned the agents of one place, the best guess first; None: not seen."""

    def __init__(self, calls: Sequence[Call | None]) -> None:
        self.first = calls[0] if calls else None
        self._spawning = [call for call in calls if call is not None and call.is_spawn]

    @cached_property
    def _prompts(self) -> dict[str, int]:
        """Where each prompt was asked first."""
        found: dict[str, int] = {}
        for place, call in enumerate(self._spawning):
            if call.prompt is not None:
                found.setdefault(fold(call.prompt), place)
        return found

    def choose(self, rule: str | None, told: str) -> Call | None:
        """The first call that spawns; by its prompt where an agent hangs by the record."""
        if not self._spawning:
            return None
        place = 0
        if rule == "recorded" and len(self._spawning) > 1:
            place = min((self._prompts[way] for way in ways_to_say(told) if way in self._prompts), default=0)
        return self._spawning[place]


def name_of(call: Call | None, sidecars: Sequence[Sidecar]) -> str:
    """What kind of agent the call asked for, else what the sidecar says."""
    asked = call.agent_type if call is not None else None
    return asked or next((sidecar.agent_type for sidecar in sidecars if sidecar.agent_type), _UNKNOWN)


def kind_of(agent: Agent, call: Call | None, reply: Reply | None, sidecars: Sequence[Sidecar]) -> str:
    """How it was set to work."""
    if agent.workflow_run is not None:
        return "workflow"
    if (call is not None and (call.name or call.team)) or any(sidecar.name for sidecar in sidecars):
        return "teammate"
    if agent.spawn == NONE:
        return _UNKNOWN
    is_async = (call is not None and call.is_background) or (reply is not None and reply.is_async)
    return "async" if is_async else "task"


def status_of(
    reply: Reply | None, notices: Sequence[str], journal: Journal | None, *, call_stopped: bool | None
) -> str:
    """What became of it: the last notice that says so, else what its workflow wrote, else the call's result.

    `call_stopped`: the person interrupted what the call was part of; None: no call is known.
    """
    ended = [_STATUS[notice] for notice in notices if notice in _STATUS]
    if ended:
        return ended[-1]
    if journal is not None:
        return _journalled(journal)
    if reply is not None:
        return _replied(reply)
    if call_stopped is None:
        return _UNKNOWN
    return "interrupted" if call_stopped else "running"


class Interrupts:
    """Tells whether the next that a person said after a call, on its line, was to interrupt it."""

    def __init__(self, forest: Forest, nodes: Sequence[Node]) -> None:
        self._forest = forest
        self._nodes = nodes
        self._prompts: dict[int, list[int]] = {}

    def follow(self, call: int) -> bool:
        """Whether a call was interrupted; one that was set aside is not known to be."""
        line = self._forest.line_of[call]
        if line == NONE:
            return False
        on_line = self._forest.lines[line].nodes
        if line not in self._prompts:
            self._prompts[line] = [place for place, index in enumerate(on_line) if self._is_said(index)]
        said = self._prompts[line]
        place = bisect_right(said, self._forest.position_of[call])
        return place < len(said) and self._nodes[on_line[said[place]]].form == "interrupt"

    def _is_said(self, index: int) -> bool:
        node = self._nodes[index]
        return node.kind == Kind.PROMPT and node.form != "injected"


def _journalled(journal: Journal) -> str:
    if journal.has_result:
        return "completed"
    run = _STATUS.get(journal.run_status or "", "running")
    return "interrupted" if run == "completed" else run  # the run ended without it


def _replied(reply: Reply) -> str:
    if reply.is_interrupted or reply.form in ("interrupt", "rejection"):
        return "interrupted"
    if reply.is_error:
        return "failed"
    if reply.status in _UNDER_WAY:
        return "running"
    return _STATUS.get(reply.status or "", "completed")
