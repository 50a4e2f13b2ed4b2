"""Load the transcript of a session, line, entry or path: entries, line starts and line exits."""

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any, NamedTuple

from ccindex.query.ids import Target
from ccindex.query.line_tree import LineTree, ReadingStep, TreeLine, load_line_tree, load_lines
from ccindex.query.reading_order import ReadingOrder, find_session, reading_batches
from ccindex.query.titles import AgentLabel, LineLabels
from ccindex.store.sql_files import load

CONVERSATION_KINDS = frozenset({"prompt", "assistant", "result"})
THINKING_TYPES = frozenset({"thinking", "redacted_thinking"})
_MAX_EXITS = 20  # lines shown per entry; the others are only counted
# forms of side entries that contain text from the user or a report to the user
_PERSONAL_FORMS = frozenset({"queued", "local_command", "notification"})


class PairedResult(NamedTuple):
    """The result of a tool call, as shown with the call."""

    uuid: str
    outcome: str
    set_aside: str | None
    duration_ms: int | None
    text: str | None
    media_type: str | None
    byte_size: int | None
    details: str | None


class ContentBlock(NamedTuple):
    """A content block of an entry; a tool call includes its result."""

    type: str | None  # None if the block was recorded without a type
    text: str | None
    tool_use_id: str | None
    tool_name: str | None
    input: str | None  # JSON
    is_error: int | None
    byte_size: int | None
    media_type: str | None
    details: str | None  # JSON
    idx: int
    result: PairedResult | None = None


class TaskNotice(NamedTuple):
    """A notice about a background task; `agent` is set if the task is a subagent."""

    task_id: str
    status: str
    kind: str
    summary: str | None
    result: str | None
    agent: AgentLabel | None = None


class TranscriptEntry(NamedTuple):
    """An entry with its content, or queued text that no entry contains.

    `response` is the same for all entries of one API response. `label` is the heading of a compaction.
    """

    uuid: str | None  # None for queued text
    kind: str
    form: str | None
    type: str | None
    subtype: str | None
    timestamp_ms: int | None
    session_id: str
    agent_id: str | None
    model: str | None
    response: str | None
    text: str | None
    root_kind: str | None
    details: str | None  # other keys of a system entry, as JSON
    blocks: tuple[ContentBlock, ...] = ()
    agent: AgentLabel | None = None
    set_aside: str | None = None
    label: str | None = None
    depth: int = 0
    notices: tuple[TaskNotice, ...] = ()


class LineStart(NamedTuple):
    """The start of a line, or its continuation after a line that was read inside it."""

    line: TreeLine
    title: str
    agent: AgentLabel | None
    depth: int
    is_return: bool


class LineExit(NamedTuple):
    """A line that starts from the previous entry and is read elsewhere; an unlinked line has no known start."""

    line: TreeLine
    kind: str
    title: str
    agent: AgentLabel | None
    depth: int


@dataclass(frozen=True, slots=True)
class MoreExits:
    """The number of further lines that start from the previous entry."""

    count: int
    depth: int


@dataclass(frozen=True, slots=True)
class HiddenEntries:
    """The number of entries that are hidden because they are not part of the conversation."""

    count: int


TranscriptItem = LineStart | TranscriptEntry | LineExit | MoreExits | HiddenEntries


def load_transcript(
    connection: sqlite3.Connection,
    target: Target,
    order: ReadingOrder,
    *,
    everything: bool = False,
    tree: LineTree | None = None,
) -> Iterator[TranscriptItem]:
    """Yield a target's transcript in reading order. `everything` includes entries outside the conversation.

    `tree` is the tree of the target's session. It is loaded if it is not passed.
    """
    tree = tree or load_line_tree(connection, find_session(connection, target))
    assembly = _Assembly(connection, tree, order, is_alone=target.kind == "entry", everything=everything)
    for steps in reading_batches(connection, tree, target, order):
        yield from assembly.items(steps)
    if target.kind in ("session", "path"):
        yield from assembly.unlinked()
    if assembly.hidden:
        yield HiddenEntries(assembly.hidden)


@dataclass(frozen=True, slots=True)
class _Content:
    """The content of a batch of entries, by entry."""

    entries: dict[int, TranscriptEntry]
    queued: dict[int, TranscriptEntry]
    # each block, with the line and position of its call if it is a result
    blocks: dict[int, list[tuple[int | None, int | None, ContentBlock]]]
    results: dict[tuple[int, str], tuple[int, int, PairedResult]]  # by the call's entry and id
    exits: dict[int, list[tuple[int, str]]]  # number and kind of every line that starts from the entry
    notices: dict[int, list[TaskNotice]]
    labels: dict[int, str]


@dataclass(slots=True)
class _Assembly:
    """Converts reading steps to transcript items, keeping track of the current line and the results shown so far."""

    connection: sqlite3.Connection
    tree: LineTree
    order: ReadingOrder
    is_alone: bool
    everything: bool
    hidden: int = 0
    _line: int | None = None
    _started: set[int] = field(default_factory=set)
    _shown: set[tuple[int, int]] = field(default_factory=set)  # results, by entry and idx
    _labels: LineLabels = field(init=False)

    def __post_init__(self) -> None:
        self._labels = LineLabels(self.connection, self.tree)

    def items(self, steps: Sequence[ReadingStep]) -> Iterator[TranscriptItem]:
        """Load the content of a batch and yield its items."""
        content = _load_content(self.connection, steps)
        lines = self._load_lines(steps, content)
        for step in steps:
            entry = self._entry(step, content)
            if self.everything or self.is_alone or _is_conversation(entry):
                yield from self._start(step)
                if self._is_shown(entry):
                    yield entry
            else:
                self.hidden += 1
            yield from self._exits(step, content, lines)

    def _load_lines(self, steps: Sequence[ReadingStep], content: _Content) -> dict[int, TreeLine]:
        """Load titles and subagents, and return the lines to list as exits, which can belong to other trees."""
        exits = [number for lines in content.exits.values() for number, _ in self._listed(lines)]
        foreign = {number for number in exits if number not in self.tree.lines}
        lines = {line.number: line for line in load_lines(self.connection, foreign)} if foreign else {}
        lines |= {number: self.tree.lines[number] for number in exits if number not in foreign}
        started = () if self.is_alone else {step.line for step in steps if step.line is not None}
        self._labels.load([*lines.values(), *(self.tree.lines[number] for number in started)])
        if content.notices or any(entry.agent_id is not None for entry in content.entries.values()):
            self._labels.load_tree_agents()
        return lines

    def _entry(self, step: ReadingStep, content: _Content) -> TranscriptEntry:
        if step.entry is None:
            assert step.queued is not None
            queued = content.queued[step.queued]
            return queued._replace(blocks=_text_blocks(queued), depth=step.depth)
        entry = content.entries[step.entry]
        notices = tuple(
            notice._replace(agent=self._labels.known_agent(entry.session_id, notice.task_id))
            for notice in content.notices.get(step.entry, ())
        )
        blocks = _text_blocks(entry) if entry.form == "queued" else tuple(self._blocks(step, content))
        agent = self._labels.agent(entry.session_id, entry.agent_id)
        label = content.labels.get(step.entry)
        return entry._replace(
            blocks=blocks, agent=agent, set_aside=step.set_aside, label=label, depth=step.depth, notices=notices
        )

    def _blocks(self, step: ReadingStep, content: _Content) -> Iterator[ContentBlock]:
        """Yield the blocks of an entry, except results that are shown with their calls."""
        assert step.entry is not None
        for line, position, block in content.blocks.get(step.entry, ()):
            if block.tool_use_id is None:
                yield block
            elif block.type == "tool_use":
                yield block._replace(result=self._result(content.results.get((step.entry, block.tool_use_id))))
            else:
                # a set-aside result can be read before its call, which is later on the line
                is_before_call = line is not None and line == step.line and (position or 0) > step.position
                if self.is_alone or not (is_before_call or (step.entry, block.idx) in self._shown):
                    self._shown.add((step.entry, block.idx))
                    yield block

    def _result(self, stored: tuple[int, int, PairedResult] | None) -> PairedResult | None:
        if stored is None:
            return None
        entry, idx, result = stored
        if (entry, idx) in self._shown:  # on a line that was read before the call's line
            return result._replace(text="(shown above)", media_type=None)
        self._shown.add((entry, idx))
        return result

    def _start(self, step: ReadingStep) -> Iterator[LineStart]:
        """Yield the start of a step's line if it is not the current line."""
        if step.line is not None and step.line != self._line and not self.is_alone:
            line, is_return = self.tree.lines[step.line], step.line in self._started
            yield LineStart(line, self._labels.title(line), self._labels.agent_of(line), step.depth, is_return)
            self._started.add(step.line)
            self._line = step.line

    def _is_shown(self, entry: TranscriptEntry) -> bool:
        """Whether an entry has anything to show besides empty thinking and results that are shown with their calls."""
        if not entry.blocks:
            return entry.kind != "result"
        is_empty = all(block.type in THINKING_TYPES and not block.text for block in entry.blocks)
        return self.everything or self.is_alone or not is_empty

    def _exits(
        self, step: ReadingStep, content: _Content, lines: dict[int, TreeLine]
    ) -> Iterator[LineExit | MoreExits]:
        """Yield the lines that start from an entry and are not read there, then the number of lines over the limit."""
        exits = [] if step.entry is None else content.exits.get(step.entry, [])
        for number, kind in self._listed(exits):
            line = lines[number]
            yield LineExit(line, kind, self._labels.title(line), self._labels.agent_of(line), step.depth)
        hidden = len(self._not_entered(exits)) - _MAX_EXITS
        if hidden > 0:
            yield MoreExits(hidden, step.depth)

    def _listed(self, exits: Sequence[tuple[int, str]]) -> Sequence[tuple[int, str]]:
        return self._not_entered(exits)[:_MAX_EXITS]

    def _not_entered(self, exits: Sequence[tuple[int, str]]) -> Sequence[tuple[int, str]]:
        return exits if self.is_alone else [(number, kind) for number, kind in exits if not self._is_entered(number)]

    def _is_entered(self, number: int) -> bool:
        line = self.tree.lines.get(number)
        return line is not None and self.order.enters(line)

    def unlinked(self) -> Iterator[LineExit]:
        """Yield the unlinked subagents of the shown sessions: their calls are unknown, so they start from no entry."""
        sessions = {self.tree.lines[number].session_id for number in self._started}
        lines = [
            line
            for line in (self.tree.lines[number] for number in self.tree.roots)
            if line.kind == "agent" and line.session_id in sessions and line.number not in self._started
        ]
        self._labels.load(lines)
        for line in lines:
            yield LineExit(line, "unlinked", self._labels.title(line), self._labels.agent_of(line), 0)


def _text_blocks(entry: TranscriptEntry) -> tuple[ContentBlock, ...]:
    """Return queued text as a text block, like the content of other prompts."""
    if not entry.text:
        return ()
    return (ContentBlock("text", entry.text, None, None, None, None, len(entry.text.encode()), None, None, 0),)


def _is_conversation(entry: TranscriptEntry) -> bool:
    """Whether an entry is part of the conversation or important to its reader."""
    if entry.form in _PERSONAL_FORMS:
        return True
    if entry.set_aside is not None:
        return entry.kind in CONVERSATION_KINDS
    is_notable = entry.subtype == "api_error" or bool(entry.text)
    return entry.kind != "side" or (entry.type == "system" and entry.form != "hook" and is_notable)


def _load_content(connection: sqlite3.Connection, steps: Sequence[ReadingStep]) -> _Content:
    keys = [step.entry for step in steps if step.entry is not None]
    queued = [step.queued for step in steps if step.queued is not None]

    def rows(name: str, values: list[int], parameter: str = "entries") -> Iterable[Any]:
        return connection.execute(load(name), {parameter: json.dumps(values)}) if values else ()

    entries = {entry: TranscriptEntry(*row) for entry, *row in rows("query/transcript_entries", keys)}
    blocks = defaultdict(list)
    # sorted here, because SQLite would use a temporary file to sort long strings
    for entry, line, position, *row in sorted(rows("query/transcript_blocks", keys), key=itemgetter(-1)):
        blocks[entry].append((line, position, ContentBlock(*row)))
    exits = defaultdict(list)
    for entry, line, kind in rows("query/transcript_exits", keys):
        exits[entry].append((line, kind))
    notices = defaultdict(list)
    notified = [key for key, entry in entries.items() if entry.form == "notification" and entry.kind != "result"]
    for entry, *row in rows("query/transcript_notices", notified):
        notices[entry].append(TaskNotice(*row))
    return _Content(
        entries,
        {key: TranscriptEntry(*row) for key, *row in rows("query/transcript_queued", queued, "queued")},
        blocks,
        {
            (entry, call): (result, idx, PairedResult(*row))
            for entry, call, result, idx, *row in rows("query/transcript_results", keys)
        },
        exits,
        notices,
        dict(rows("query/compaction_labels", [key for key, entry in entries.items() if entry.kind == "boundary"])),
    )
