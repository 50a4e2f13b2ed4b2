"""Graph values: the entries and records of a family of sessions, the forks, and the rulings on them.

Entries are identified by their index in the family's time order, so comparing two indexes compares their times.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import compress
from operator import not_
from typing import NamedTuple

NONE = -1  # no entry, no line


class EntryKind(StrEnum):
    """The role of an entry in the graph."""

    ASSISTANT = "assistant"
    RESULT = "result"
    PROMPT = "prompt"
    BOUNDARY = "boundary"
    SIDE = "side"


class Node(NamedTuple):
    """The columns of an entry that the graph depends on."""

    entry: int
    uuid: str
    session: int
    timestamp_ms: int
    has_own_timestamp: int
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
        """Whether this is a talk entry: an assistant entry, a result, or a prompt other than a command (rule: talk)."""
        return self.kind in TALK and not self.is_command

    @property
    def is_user(self) -> bool:
        """Whether the entry is a prompt or a result."""
        return self.kind in _USERS

    @property
    def is_typed_prompt(self) -> bool:
        """Whether the entry is a prompt that a person typed; the prompt may be a command."""
        return bool(self.is_typed) and self.kind == _PROMPT

    @property
    def is_quiet(self) -> bool:
        """Whether this is a side or synthetic entry, a command, or a prompt that is not typed (rule: quiet_entry)."""
        if self.kind == _SIDE or self.is_command or self.is_synthetic:
            return True
        return self.kind == _PROMPT and not self.is_typed

    @property
    def is_caveat(self) -> bool:
        """Whether the entry is the isMeta prompt that Claude Code writes before commands."""
        return bool(self.is_meta) and self.form == "caveat"


# as plain strings, because Enum members compare more slowly
_SIDE, _PROMPT = str(EntryKind.SIDE), str(EntryKind.PROMPT)
TALK = frozenset(map(str, (EntryKind.PROMPT, EntryKind.RESULT, EntryKind.ASSISTANT)))
_USERS = frozenset(map(str, (EntryKind.PROMPT, EntryKind.RESULT)))


class Thread(NamedTuple):
    """The trunk thread of a session, or the thread of one of its agents."""

    id: str
    session: int
    agent_id: str | None  # None: the trunk thread


class Call(NamedTuple):
    """A call that may have spawned an agent, with the inputs that describe the agent."""

    node: int
    tool_use_id: str | None
    prompt: str | None = None
    name: str | None = None
    agent_type: str | None = None
    team: str | None = None
    is_background: bool = False
    is_spawn: bool = True  # whether the tool is Task or Agent


class AgentMention(NamedTuple):
    """An entry that contains the id of an agent or workflow run, with the ids of the calls it answers or reports on."""

    node: int
    agent_id: str
    tool_use_ids: tuple[str, ...]


class ForkedCopy(NamedTuple):
    """An entry that was copied from another entry under a new uuid; `session` is the session of the original.

    `original` is NONE if the original is not in the family.
    """

    node: int
    original: int
    session: int | None


class AgentFile(NamedTuple):
    """An agent's transcript that contains a copy of an entry."""

    agent_id: str
    source: int


class LeafRecord(NamedTuple):
    """A `last-prompt` record: the entry that it refers to, and the record's sort key for time order."""

    leaf: int
    time: tuple[int, int, int, int]  # timestamp, source rank, generation, offset


class Sidecar(NamedTuple):
    """The metadata file of an agent; `transcript` is the transcript next to it, if the family has entries from it."""

    session_id: str | None
    agent_id: str
    transcript: int | None
    tool_use_id: str | None
    name: str | None
    agent_type: str | None = None


@dataclass(frozen=True, slots=True)
class Family:
    """Connected sessions, with everything that the graph is built from.

    `logical`: by boundary, the entries that it continues from, in order of preference; `forked`: entries copied from
    other entries; `calls`: calls of the tools Task and Agent; `outcomes`: results with an agent id in `agentId` or in
    `toolUseResult`; `mentions`: results with an agent id in their text; `progress`: entries with the ids of an agent
    and its call; `runs`: results with the id of a workflow run, which is stored as `agent_id`; `leaves`: by session,
    the last `last-prompt` record that refers to an entry of the family; `fork_contexts`: by session and agent, the
    entries that the agent's `fork-context-ref` records refer to; `answers_of`: by call id, the entries that answer the
    call; `calls_of`: by call id, the entries that contain the call.
    """

    nodes: Sequence[Node]
    session_ids: Mapping[int, str]
    source_ranks: Mapping[int, int]
    logical: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    forked: Sequence[ForkedCopy] = ()
    sidecars: Sequence[Sidecar] = ()
    calls: Sequence[Call] = ()
    outcomes: Sequence[AgentMention] = ()
    mentions: Sequence[AgentMention] = ()
    progress: Sequence[AgentMention] = ()
    runs: Sequence[AgentMention] = ()
    leaves: Mapping[int, LeafRecord] = field(default_factory=dict)
    fork_contexts: Mapping[tuple[int, str], Sequence[int]] = field(default_factory=dict)
    answers_of: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    calls_of: Mapping[str, tuple[int, ...]] = field(default_factory=dict)

    def seq(self, index: int) -> tuple[int, int, int]:
        """Return the sort key of an entry's owner for file order: source rank, generation, offset."""
        node = self.nodes[index]
        return self.source_ranks[node.source], node.generation, node.offset

    def time(self, index: int) -> tuple[int, int, int, int]:
        """Return the sort key of an entry for time order, comparable with `LeafRecord.time` (rule: time_order)."""
        return self.nodes[index].timestamp_ms, *self.seq(index)


@dataclass(frozen=True, slots=True)
class AgentHints:
    """Clues to the entries that spawned agent threads.

    `first_prompts`: by thread, the first prompt that has text, as an (entry, text) pair; `files`: by the earliest root
    of a thread, the agent files that contain a copy of that root with the same session.
    """

    first_prompts: Mapping[int, tuple[int, str]] = field(default_factory=dict)
    files: Mapping[int, tuple[AgentFile, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ForkContents:
    """The contents that the ladder compares: tool call ids, prompt texts and the contents of assistant entries.

    `texts`: the texts of prompts that have the same parent and the same timestamp; other texts are not loaded.
    `contents`: digests of the texts and tool_use ids of assistant entries that belong to a response. It covers only
    threads in which the entries of at least one response do not form a chain.
    """

    uses: Mapping[int, frozenset[str]] = field(default_factory=dict)
    answers: Mapping[int, tuple[str | None, ...]] = field(default_factory=dict)
    texts: Mapping[int, str] = field(default_factory=dict)
    contents: Mapping[int, frozenset[bytes]] = field(default_factory=dict)


class Child(NamedTuple):
    """One of several children of an entry, with facts about its subtree, which includes the child itself.

    Talk entries are given by index; NONE means that the subtree has no such entry. `first_real_talk` skips synthetic
    entries. `answers`, `text` and `contents` are empty if `ForkContents` does not cover the child.
    """

    index: int  # type: ignore[assignment] # hides tuple.index, which is not needed
    node: Node
    height: int
    talks_below: bool
    has_typed_prompt: bool
    first_talk: int
    first_talk_kind: str | None
    first_real_talk: int
    first_real_talk_kind: str | None
    latest_talk: int
    latest_timestamp_ms: int
    answers: tuple[str | None, ...] = ()
    text: str = ""
    contents: frozenset[bytes] = frozenset()


@dataclass(frozen=True, slots=True)
class Fork:
    """An entry with several children in one thread; the children are in time order.

    `side` contains the children that every ruling either inlines or makes the start of a segment. `main` contains all
    other children.
    `response_above`: if the entry is a result, the response of the nearest entry above it that is not a result.
    `is_recorded_again(one, other)`: whether the subtree of `other` repeats the history in the subtree of `one`.
    """

    parent: Node
    children: tuple[Child, ...]
    parent_uses: frozenset[str]
    response_above: str | None
    is_recorded_again: Callable[[int, int], bool]
    side: tuple[Child, ...] = field(init=False)
    main: tuple[Child, ...] = field(init=False)

    def __post_init__(self) -> None:
        """Separate the side children, which include late blocks, from the main children (rule: side_child)."""
        quiet = {child.index for child in self.children if child.node.is_quiet and not child.talks_below}
        late = self._late_blocks(quiet)
        is_side = [child.index in quiet or child.index in late for child in self.children]
        object.__setattr__(self, "side", tuple(compress(self.children, is_side)))
        object.__setattr__(self, "main", tuple(compress(self.children, map(not_, is_side))))

    def _late_blocks(self, quiet: set[int]) -> set[int]:
        """Return the children that are blocks of `response_above`, recorded below the result of one of its calls.

        (rule: late_block)
        """
        if self.response_above is None:
            return set()
        assistants = {
            child.index
            for child in self.children
            if child.node.kind == EntryKind.ASSISTANT and child.index not in quiet
        }
        late = {
            child.index
            for child in self.children
            if child.index in assistants and child.node.response == self.response_above and not child.talks_below
        }
        return late if late < assistants else set()


class Reason(StrEnum):
    """Why an entry is on no line."""

    REPLAY = "replay"
    STRUCTURAL = "structural"


class Verdict(StrEnum):
    """The outcome of a ruling."""

    STITCHED = "stitched"
    CONTINUED = "continued"
    REPLAY = "replay"
    REWIND = "rewind"
    RETRY = "retry"


class Ruling(NamedTuple):
    """The decision about every child of a fork, with a reason; `next_child` continues the line."""

    rung: str
    verdict: Verdict
    reason: str
    inline: tuple[int, ...] = ()  # everything below them except anchors is set aside
    inline_whole: tuple[int, ...] = ()  # inlined with everything below them
    next_child: int = NONE
    segments: tuple[int, ...] = ()
    branches: tuple[int, ...] = ()
    set_aside: tuple[int, ...] = ()

    def children(self) -> list[int]:
        """Return all children that the ruling covers."""
        next_child = () if self.next_child == NONE else (self.next_child,)
        return [*self.inline, *self.inline_whole, *next_child, *self.segments, *self.branches, *self.set_aside]
