"""A session, line, entry or path to the items of its transcript: lines that start, entries, lines that leave."""

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any, NamedTuple

from ccindex.query.ids import Target
from ccindex.query.line_tree import LineTree, ReadingStep, TreeLine, load_line_tree, load_lines
from ccindex.query.reading_order import ReadingOrder, reading_batches, session_of
from ccindex.query.titles import AgentLabel, LineLabels
from ccindex.store.sql_files import load

CONVERSATION_KINDS = frozenset({"prompt", "assistant", "result"})
THINKING_TYPES = frozenset({"thinking", "redacted_thinking"})
_MAX_EXITS = 20  # lines named per entry: a reader of one of them does not want all
# forms of side entries that contain a person's words, or a report to the person
_PERSONAL_FORMS = frozenset({"queued", "local_command", "notification"})


class ToolAnswer(NamedTuple):
    """The result of a tool call."""

    uuid: str
    outcome: str
    set_aside: str | None
    duration_ms: int | None
    text: str | None
    media_type: str | None
    byte_size: int | None
    details: str | None


class ContentBlock(NamedTuple):
    """A content block of an entry; a tool call has its answer with it."""

    type: str | None  # a recorded block may have none
    text: str | None
    tool_use_id: str | None
    tool_name: str | None
    input: str | None  # JSON
    is_error: int | None
    byte_size: int | None
    media_type: str | None
    details: str | None  # JSON
    idx: int
    answer: ToolAnswer | None = None


class TaskNotice(NamedTuple):
    """A notification about a background task; `agent` is the subagent that it is about."""

    task_id: str
    status: str
    kind: str
    summary: str | None
    result: str | None
    agent: AgentLabel | None = None


class TranscriptEntry(NamedTuple):
    """An entry with its content, or queued words that no entry contains.

    `response` is the same for all entries of one answer of the model, `label` is that of a compaction.
    """

    uuid: str | None  # None: queued words
    kind: str
    form: str | None
    type: str | None
    subtype: str | None
    at: int | None
    session_id: str
    agent_id: str | None
    model: str | None
    response: str | None
    text: str | None
    root_kind: str | None
    details: str | None  # JSON of what else a system entry says
    blocks: tuple[ContentBlock, ...] = ()
    agent: AgentLabel | None = None
    set_aside: str | None = None
    label: str | None = None
    depth: int = 0
    notices: tuple[TaskNotice, ...] = ()


class LineStart(NamedTuple):
    """A line starts here, or is continued after a line that left it."""

    line: TreeLine
    title: str
    agent: AgentLabel | None
    depth: int
    is_return: bool


class LineExit(NamedTuple):
    """Another line leaves from the entry before; of an unlinked one nothing says where it leaves."""

    line: TreeLine
    kind: str
    title: str
    agent: AgentLabel | None
    depth: int


@dataclass(frozen=True, slots=True)
class MoreExits:
    """The number of lines that leave from the entry before and are not named."""

    count: int
    depth: int


@dataclass(frozen=True, slots=True)
class HiddenEntries:
    """The number of entries that are not part of the conversation and were left out."""

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
    """Yield a target's transcript in reading order; entries beside the conversation only with `everything`.

    The tree is that of the target's session, and is loaded unless it is given.
    """
    tree = tree or load_line_tree(connection, session_of(connection, target))
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
    blocks: dict[int, list[tuple[int | None, int | None, ContentBlock]]]  # with line and position of a result's call
    answers: dict[tuple[int, str], tuple[int, int, ToolAnswer]]  # by entry and id of the call, with entry and idx
    exits: dict[int, list[tuple[int, str]]]  # lines that leave, and how
    notices: dict[int, list[TaskNotice]]
    labels: dict[int, str]


@dataclass(slots=True)
class _Assembly:
    """Makes items of steps, in order: it knows the current line, and which lines and results were shown before."""

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
                if self._has_something_to_show(entry):
                    yield entry
            else:
                self.hidden += 1
            yield from self._exits(step, content, lines)

    def _load_lines(self, steps: Sequence[ReadingStep], content: _Content) -> dict[int, TreeLine]:
        """Load titles and subagents, and the lines that leave for another tree."""
        leaving = [number for exits in content.exits.values() for number, _ in self._named(exits)]
        foreign = {number for number in leaving if number not in self.tree.lines}
        lines = {line.number: line for line in load_lines(self.connection, foreign)} if foreign else {}
        lines |= {number: self.tree.lines[number] for number in leaving if number not in foreign}
        started = () if self.is_alone else {step.line for step in steps if step.line is not None}
        self._labels.load([*lines.values(), *(self.tree.lines[number] for number in started)])
        if content.notices or any(entry.agent_id is not None for entry in content.entries.values()):
            self._labels.load_tree_agents()
        return lines

    def _entry(self, step: ReadingStep, content: _Content) -> TranscriptEntry:
        if step.entry is None:
            assert step.queued is not None
            queued = content.queued[step.queued]
            return queued._replace(blocks=_words_as_block(queued), depth=step.depth)
        entry = content.entries[step.entry]
        notices = tuple(
            notice._replace(agent=self._labels.known_agent(entry.session_id, notice.task_id))
            for notice in content.notices.get(step.entry, ())
        )
        blocks = _words_as_block(entry) if entry.form == "queued" else tuple(self._blocks(step, content))
        agent = self._labels.agent(entry.session_id, entry.agent_id)
        label = content.labels.get(step.entry)
        return entry._replace(
            blocks=blocks, agent=agent, set_aside=step.set_aside, label=label, depth=step.depth, notices=notices
        )

    def _blocks(self, step: ReadingStep, content: _Content) -> Iterator[ContentBlock]:
        """Yield the blocks of an entry; results that are shown with their calls are left out."""
        assert step.entry is not None
        for line, position, block in content.blocks.get(step.entry, ()):
            if block.tool_use_id is None:
                yield block
            elif block.type == "tool_use":
                yield block._replace(answer=self._answer(content.answers.get((step.entry, block.tool_use_id))))
            else:
                # what is set aside is read before what comes later on the line
                is_awaited = line is not None and line == step.line and (position or 0) > step.position
                if self.is_alone or not (is_awaited or (step.entry, block.idx) in self._shown):
                    self._shown.add((step.entry, block.idx))
                    yield block

    def _answer(self, found: tuple[int, int, ToolAnswer] | None) -> ToolAnswer | None:
        if found is None:
            return None
        entry, idx, answer = found
        if (entry, idx) in self._shown:  # on a line that was read before the line of the call
            return answer._replace(text="(told above)", media_type=None)
        self._shown.add((entry, idx))
        return answer

    def _start(self, step: ReadingStep) -> Iterator[LineStart]:
        """Yield the line of a step if it is not the current one."""
        if step.line is not None and step.line != self._line and not self.is_alone:
            line, is_return = self.tree.lines[step.line], step.line in self._started
            yield LineStart(line, self._labels.title(line), self._labels.agent_of(line), step.depth, is_return)
            self._started.add(step.line)
            self._line = step.line

    def _has_something_to_show(self, entry: TranscriptEntry) -> bool:
        """Whether an entry has content that is not shown elsewhere, or not only thinking that was not recorded."""
        if not entry.blocks:
            return entry.kind != "result"
        is_empty = all(block.type in THINKING_TYPES and not block.text for block in entry.blocks)
        return self.everything or self.is_alone or not is_empty

    def _exits(
        self, step: ReadingStep, content: _Content, lines: dict[int, TreeLine]
    ) -> Iterator[LineExit | MoreExits]:
        """Yield the lines that leave from an entry and are not entered there, and the number of those beyond some."""
        exits = [] if step.entry is None else content.exits.get(step.entry, [])
        for number, kind in self._named(exits):
            line = lines[number]
            yield LineExit(line, kind, self._labels.title(line), self._labels.agent_of(line), step.depth)
        rest = len(self._passed(exits)) - _MAX_EXITS
        if rest > 0:
            yield MoreExits(rest, step.depth)

    def _named(self, exits: Sequence[tuple[int, str]]) -> Sequence[tuple[int, str]]:
        return self._passed(exits)[:_MAX_EXITS]

    def _passed(self, exits: Sequence[tuple[int, str]]) -> Sequence[tuple[int, str]]:
        return exits if self.is_alone else [leaving for leaving in exits if not self._is_entered(leaving[0])]

    def _is_entered(self, number: int) -> bool:
        line = self.tree.lines.get(number)
        return line is not None and self.order.enters(line)

    def unlinked(self) -> Iterator[LineExit]:
        """Yield the subagents of the sessions shown that were not shown: nothing says which call spawned them."""
        sessions = {self.tree.lines[number].session_id for number in self._started}
        lines = [
            line
            for line in (self.tree.lines[number] for number in self.tree.roots)
            if line.kind == "agent" and line.session_id in sessions and line.number not in self._started
        ]
        self._labels.load(lines)
        for line in lines:
            yield LineExit(line, "unlinked", self._labels.title(line), self._labels.agent_of(line), 0)


def _words_as_block(entry: TranscriptEntry) -> tuple[ContentBlock, ...]:
    """Return queued words as a block of text, as other prompts have them."""
    if not entry.text:
        return ()
    return (ContentBlock("text", entry.text, None, None, None, None, len(entry.text.encode()), None, None, 0),)


def _is_conversation(entry: TranscriptEntry) -> bool:
    """Whether an entry is part of the conversation, or something that its reader wants to know."""
    if entry.form in _PERSONAL_FORMS:
        return True
    if entry.set_aside is not None:
        return entry.kind in CONVERSATION_KINDS
    is_notable = entry.subtype == "api_error" or bool(entry.text)
    return entry.kind != "side" or (entry.type == "system" and entry.form != "hook" and is_notable)


def _load_content(connection: sqlite3.Connection, steps: Sequence[ReadingStep]) -> _Content:
    wanted = [step.entry for step in steps if step.entry is not None]
    queued = [step.queued for step in steps if step.queued is not None]

    def rows(name: str, keys: list[int], parameter: str = "entries") -> Iterable[Any]:
        return connection.execute(load(name), {parameter: json.dumps(keys)}) if keys else ()

    entries = {entry: TranscriptEntry(*row) for entry, *row in rows("query/transcript_entries", wanted)}
    blocks = defaultdict(list)
    # sorted here: SQLite would sort long texts in a temporary file
    for entry, line, position, *row in sorted(rows("query/transcript_blocks", wanted), key=itemgetter(-1)):
        blocks[entry].append((line, position, ContentBlock(*row)))
    exits = defaultdict(list)
    for entry, line, kind in rows("query/transcript_exits", wanted):
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
            (entry, call): (result, idx, ToolAnswer(*row))
            for entry, call, result, idx, *row in rows("query/transcript_answers", wanted)
        },
        exits,
        notices,
        dict(rows("query/transcript_labels", [key for key, entry in entries.items() if entry.kind == "boundary"])),
    )
