"""What the graph is made of: a family of sessions by time, the forks in it, and what was made of them.

Entries are known by their place in the family's order of time, so that comparing two numbers compares their times.
"""

from collections.abc import Callable, Mapping, Sequence
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
    is_meta: int
    is_compact_summary: int
    is_active: int | None
    is_local_command: int
    is_agent: int
    agent_id: str | None
    own_agent_id: str | None
    workflow_run: str | None
    parent: int | None
    form: str | None = None
    response: str | None = None  # message.id of an assistant entry that is not synthetic
    is_synthetic: int = 0

    @property
    def is_talk(self) -> bool:
        """Whether it is conversation: a prompt that is no command, a result or an answer."""
        return self.kind in TALK and not self.is_command

    @property
    def is_user(self) -> bool:
        """Whether it is a prompt or a result."""
        return self.kind in _USERS

    @property
    def is_typed_prompt(self) -> bool:
        """Whether it is a prompt that a person typed, commands included."""
        return bool(self.is_typed) and self.kind == _PROMPT

    @property
    def is_quiet(self) -> bool:
        """Whether it holds neither a person's nor a model's words."""
        if self.kind == _SIDE or self.is_command or self.is_synthetic:
            return True
        return self.kind == _PROMPT and not self.is_typed

    @property
    def is_caveat(self) -> bool:
        """Whether it is the isMeta prompt that Claude Code writes before commands."""
        return bool(self.is_meta) and self.form == "caveat"


# by value, because Enum members compare more slowly than strings
_SIDE, _PROMPT = str(Kind.SIDE), str(Kind.PROMPT)
TALK = frozenset(map(str, (Kind.PROMPT, Kind.RESULT, Kind.ASSISTANT)))
_USERS = frozenset(map(str, (Kind.PROMPT, Kind.RESULT)))


class Thread(NamedTuple):
    """A session's trunk, or one agent of it."""

    id: str
    session: int
    agent_id: str | None  # None: the trunk


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


class AgentFile(NamedTuple):
    """An agent's transcript that holds a copy of an entry."""

    agent_id: str
    source: int


class LeafRecord(NamedTuple):
    """A `last-prompt` record: the entry that it names, and when it was written."""

    leaf: int
    time: tuple[int, int, int, int]  # instant, rank of the source, generation, offset


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
    `runs`: results that name a workflow run; `leaves`: by session, its last `last-prompt` record whose leaf is an
    entry; `contexts`: by session and agent, the entries that its `fork-context-ref` records name.
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
    leaves: Mapping[int, LeafRecord] = field(default_factory=dict)
    contexts: Mapping[tuple[int, str], Sequence[int]] = field(default_factory=dict)
    answers_of: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    calls_of: Mapping[str, tuple[int, ...]] = field(default_factory=dict)

    def seq(self, index: int) -> tuple[int, int, int]:
        """Where the entry's owner stands: file, generation, offset."""
        node = self.nodes[index]
        return self.source_ranks[node.source], node.generation, node.offset

    def time(self, index: int) -> tuple[int, int, int, int]:
        """Return what entries and records are ordered by."""
        return self.nodes[index].at, *self.seq(index)


@dataclass(frozen=True, slots=True)
class AgentHints:
    """What helps to find where agent threads start.

    `told`: the first prompt of every agent thread that has words, by thread: the entry and its text. `files`: the agent
    files of the session that hold a copy of a thread's earliest root, by that root.
    """

    told: Mapping[int, tuple[int, str]] = field(default_factory=dict)
    files: Mapping[int, tuple[AgentFile, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ForkContents:
    """What the ladder compares: ids of tool calls, texts of prompts, and contents of assistant entries.

    `contents`: digests of the texts and tool_use ids of assistant entries with a response, in threads where a
    response stands in several places.
    """

    uses: Mapping[int, frozenset[str]] = field(default_factory=dict)
    answers: Mapping[int, tuple[str | None, ...]] = field(default_factory=dict)
    texts: Mapping[int, str] = field(default_factory=dict)
    contents: Mapping[int, frozenset[bytes]] = field(default_factory=dict)


class Child(NamedTuple):
    """One of several children of an entry, with what its subtree holds.

    Talk is named by its place in time; NONE: there is none. `first_spoken` passes over synthetic entries.
    """

    place: int
    node: Node
    height: int
    talks_below: bool
    has_typed: bool  # at or below it
    first_talk: int
    first_talk_kind: str | None
    first_spoken: int
    first_spoken_kind: str | None
    latest_talk: int
    latest_at: int
    answers: tuple[str | None, ...] = ()
    text: str = ""
    contents: frozenset[bytes] = frozenset()


@dataclass(frozen=True, slots=True)
class Fork:
    """An entry with several children in one thread, in order of time.

    `side`: children that every ruling inlines. `response_above`: the response of the nearest entry above a result.
    `is_recorded_again(one, other)`: whether all that stands at or below `one` stands at or below `other` too.
    """

    parent: Node
    children: tuple[Child, ...]
    parent_uses: frozenset[str]
    response_above: str | None
    is_recorded_again: Callable[[int, int], bool]
    side: tuple[Child, ...] = field(init=False)
    rest: tuple[Child, ...] = field(init=False)

    def __post_init__(self) -> None:
        """Separate the side children, late blocks among them, from the rest."""
        quiet = {child.place for child in self.children if child.node.is_quiet and not child.talks_below}
        late = self._late_blocks(quiet)
        is_side = [child.place in quiet or child.place in late for child in self.children]
        object.__setattr__(self, "side", tuple(compress(self.children, is_side)))
        object.__setattr__(self, "rest", tuple(compress(self.children, map(not_, is_side))))

    def _late_blocks(self, quiet: set[int]) -> set[int]:
        """Find blocks of the response above that were recorded below the result of its own call."""
        if self.response_above is None:
            return set()
        assistants = {
            child.place for child in self.children if child.node.kind == Kind.ASSISTANT and child.place not in quiet
        }
        late = {
            child.place
            for child in self.children
            if child.place in assistants and child.node.response == self.response_above and not child.talks_below
        }
        return late if late < assistants else set()


class Reason(StrEnum):
    """Why an entry is on no line."""

    REPLAY = "replay"
    STRUCTURAL = "structural"


class Verdict(StrEnum):
    """What a ruling made of a fork, in one word."""

    STITCHED = "stitched"
    CONTINUED = "continued"
    REPLAY = "replay"
    REWIND = "rewind"
    RETRY = "retry"


class Ruling(NamedTuple):
    """Where every child of a fork goes, and why."""

    rung: str
    verdict: Verdict
    reason: str
    inline: tuple[int, ...] = ()
    inline_whole: tuple[int, ...] = ()  # inlined with everything below them
    then: int = NONE
    segments: tuple[int, ...] = ()
    branches: tuple[int, ...] = ()
    dropped: tuple[int, ...] = ()

    def children(self) -> list[int]:
        """Return every child that was placed."""
        then = () if self.then == NONE else (self.then,)
        return [*self.inline, *self.inline_whole, *then, *self.segments, *self.branches, *self.dropped]
