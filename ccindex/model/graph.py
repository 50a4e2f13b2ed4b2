"""What the graph is made of: a family of sessions by time, the forks in it, and what was made of them.

Entries are known by their place in the family's order of time, so that comparing two numbers compares their times.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import compress
from operator import not_
from typing import NamedTuple

NONE = -1  # no entry, no line


class Kind(StrEnum):
    """What an entry is to the graph."""

    ASSISTANT = "assistant"
    RESULT = "result"
    PROMPT = "prompt"
    BOUNDARY = "boundary"
    SIDE = "side"


class Node(NamedTuple):
    """An entry as the graph sees it."""

    entry: int
    uuid: str
    session: int
    at: int
    is_stamped: int
    source: int
    generation: int
    offset: int
    kind: str
    is_command: int
    is_typed: int
    is_active: int | None
    is_local_command: int
    is_agent: int
    agent_id: str | None
    own_agent_id: str | None
    workflow_run: str | None
    parent: int | None
    form: str | None = None

    @property
    def is_talk(self) -> bool:
        """It is conversation: a prompt that is no command, a result, an answer."""
        return self.kind in _TALK and not self.is_command

    @property
    def is_user(self) -> bool:
        """It is a prompt or a result."""
        return self.kind in _USERS


_SIDE = Kind.SIDE
_TALK = frozenset({Kind.PROMPT, Kind.RESULT, Kind.ASSISTANT})
_USERS = frozenset({Kind.PROMPT, Kind.RESULT})


class Thread(NamedTuple):
    """A session's trunk, or one agent of it."""

    id: str
    session: int
    agent_id: str | None

    @property
    def is_agent(self) -> bool:
        """It is no trunk."""
        return self.agent_id is not None


class Call(NamedTuple):
    """A call that may have spawned an agent: what it asked for."""

    node: int
    tool_use_id: str | None
    prompt: str | None = None
    name: str | None = None
    agent_type: str | None = None
    team: str | None = None
    is_background: bool = False
    is_spawn: bool = True  # by the tool's name: Task or Agent


class Naming(NamedTuple):
    """A result that names an agent, with the calls it answers."""

    node: int
    agent_id: str
    tool_use_ids: tuple[str, ...]


class Forked(NamedTuple):
    """An entry that copies another under a new uuid: the original, if it was seen, and the session it names."""

    node: int
    original: int
    session: int | None


class Sidecar(NamedTuple):
    """What the file beside an agent's transcript says of where it was spawned."""

    session_id: str | None
    agent_id: str
    beside: int | None
    tool_use_id: str | None
    name: str | None
    agent_type: str | None = None


@dataclass(frozen=True, slots=True)
class Family:
    """Sessions that hang together, with all that the graph needs to know of them.

    `logical`: what a boundary names to go on from, in order of preference; `forked`: entries that copy others;
    `outcomes` and `mentions`: results that name an agent; `progress`: entries that name one with its call;
    `runs`: results that name a workflow run.
    """

    nodes: Sequence[Node]
    session_ids: Mapping[int, str]
    source_ranks: Mapping[int, int]
    logical: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    forked: Sequence[Forked] = ()
    sidecars: Sequence[Sidecar] = ()
    calls: Sequence[Call] = ()
    outcomes: Sequence[Naming] = ()
    mentions: Sequence[Naming] = ()
    progress: Sequence[Naming] = ()
    runs: Sequence[Naming] = ()
    answers_of: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    calls_of: Mapping[str, tuple[int, ...]] = field(default_factory=dict)

    def seq(self, index: int) -> tuple[int, int, int]:
        """Where the entry's owner stands: file, generation, offset."""
        node = self.nodes[index]
        return self.source_ranks[node.source], node.generation, node.offset


@dataclass(frozen=True, slots=True)
class Words:
    """What is compared: the calls of a fork's parent, the calls a child answers, texts of prompts.

    `told`: what each agent thread was told first, by thread; `told_by`: the prompt that says so.
    """

    uses: Mapping[int, frozenset[str]] = field(default_factory=dict)
    answers: Mapping[int, tuple[str | None, ...]] = field(default_factory=dict)
    texts: Mapping[int, str] = field(default_factory=dict)
    told: Mapping[int, str] = field(default_factory=dict)
    told_by: Mapping[int, int] = field(default_factory=dict)


class Below(NamedTuple):
    """What lies under an entry in its thread, the entry itself left out."""

    height: int
    talks: bool
    has_typed: bool
    nearest_talk: Kind | None


class Child(NamedTuple):
    """One of several children of an entry; `place`: its own in time."""

    place: int
    node: Node
    below: Below
    answers: tuple[str | None, ...] = ()
    says: str = ""


@dataclass(frozen=True, slots=True)
class Fork:
    """An entry with several children in one thread, in order of time."""

    children: tuple[Child, ...]
    parent_kind: str
    parent_uses: frozenset[str]
    side: tuple[Child, ...] = field(init=False)
    rest: tuple[Child, ...] = field(init=False)

    def __post_init__(self) -> None:
        """Split off the side children, which every ruling inlines."""
        is_side = [_is_side(child) for child in self.children]
        object.__setattr__(self, "side", tuple(compress(self.children, is_side)))
        object.__setattr__(self, "rest", tuple(compress(self.children, map(not_, is_side))))


def _is_side(child: Child) -> bool:
    return (child.node.kind == _SIDE or bool(child.node.is_command)) and not child.below.talks


class Reason(StrEnum):
    """Why an entry is on no line."""

    REPLAY = "replay"
    DEAD_END = "dead_end"
    STRUCTURAL = "structural"


class Ruling(NamedTuple):
    """Where every child of a fork goes, and why."""

    rung: str
    reason: str
    inline: tuple[int, ...] = ()
    then: int = NONE
    segments: tuple[int, ...] = ()
    branches: tuple[int, ...] = ()
    dropped: tuple[int, ...] = ()
    below: Reason = Reason.STRUCTURAL  # why what lies below the inlined is set aside

    def children(self) -> list[int]:
        """Every child that was placed."""
        then = () if self.then == NONE else (self.then,)
        return [*self.inline, *then, *self.segments, *self.branches, *self.dropped]


class Verdict(StrEnum):
    """What a ruling made of a fork, in one word."""

    STITCHED = "stitched"
    CONTINUED = "continued"
    REPLAY = "replay"
    REWIND = "rewind"
