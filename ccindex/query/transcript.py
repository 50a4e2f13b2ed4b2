"""Entries in reading order to what a transcript tells: lines that begin, what was said, what leaves where."""

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from ccindex.query.ids import Named
from ccindex.query.reading_order import LineRow, Manner, Read, Tree, forest, reading_of
from ccindex.query.session_json import TALK
from ccindex.query.titles import Agent, Labels
from ccindex.store.sql_files import load


class Spoken(NamedTuple):
    """An entry without its content; `response` is the same for all entries of one answer of the model.

    `details` is JSON of what else a system entry tells.
    """

    entry: int
    uuid: str | None  # None: queued words that no entry holds
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
    details: str | None


class Answer(NamedTuple):
    """The result of a call."""

    uuid: str
    is_error: int
    form: str | None
    set_aside: str | None
    took_ms: int | None
    text: str | None
    media_type: str | None
    byte_size: int | None
    details: str | None
    idx: int


class Part(NamedTuple):
    """A block of an entry; a call has its answer folded in."""

    type: str | None  # a recorded block may have none
    text: str | None
    tool_use_id: str | None
    tool_name: str | None
    input: str | None
    is_error: int | None
    byte_size: int | None
    media_type: str | None
    details: str | None
    idx: int
    answer: Answer | None = None


class Report(NamedTuple):
    """A notification about a background task; `agent` is the subagent that it is about."""

    task_id: str
    status: str
    kind: str
    summary: str | None
    result: str | None
    agent: Agent | None = None


@dataclass(frozen=True, slots=True)
class Begins:
    """A line begins here, or is come back to."""

    line: LineRow
    title: str
    agent: Agent | None
    relation: str | None  # of a session to the one it goes on from
    parent_session_id: str | None
    first_uuid: str
    depth: int
    is_return: bool


@dataclass(frozen=True, slots=True)
class Said:
    """An entry with its content, or queued words; `label` is that of a compaction."""

    spoken: Spoken
    parts: tuple[Part, ...]
    agent: Agent | None
    set_aside: str | None
    label: str | None
    depth: int
    reports: tuple[Report, ...] = ()


@dataclass(frozen=True, slots=True)
class Leaves:
    """Another line goes off from the entry before; an unlinked one from who knows where."""

    line: LineRow
    kind: str
    first_uuid: str
    title: str
    agent: Agent | None
    depth: int


@dataclass(frozen=True, slots=True)
class MoreLeave:
    """So many lines more go off from the entry before than are named."""

    count: int
    depth: int


@dataclass(frozen=True, slots=True)
class LeftOut:
    """So many entries beside the talk were not told."""

    count: int


Event = Begins | Said | Leaves | MoreLeave | LeftOut

THINKING = frozenset({"thinking", "redacted_thinking"})

_NAMED = 20  # lines that leave from one entry: a reader of one of them does not want all


def transcript_of(
    connection: sqlite3.Connection, named: Named, manner: Manner, *, everything: bool = False, tree: Tree | None = None
) -> Iterator[Event]:
    """Tell what is named in reading order; what stands beside the talk only if it shall be everything.

    The tree is read unless it is known: that of the session of what is named.
    """
    reading = reading_of(connection, named, manner, tree)
    is_alone = named.kind == "entry"
    teller = _Teller(connection, reading.tree, manner, is_alone=is_alone)
    left_out = 0
    for read in reading.entries:
        said = teller.said(read)
        if everything or is_alone or _is_told(said):
            yield from teller.begun(read)
            if _says_something(said) and (everything or is_alone or not _is_empty_thinking(said)):
                yield said
        else:
            left_out += 1
        yield from teller.leaving(read)
    if named.kind in ("session", "path"):
        yield from teller.unlinked()
    if left_out:
        yield LeftOut(left_out)


class _Teller:
    """Tells entries one after another, and remembers which line it is on and which results it has told."""

    def __init__(self, connection: sqlite3.Connection, tree: Tree, manner: Manner, *, is_alone: bool) -> None:
        self._connection = connection
        self._tree = tree
        self._manner = manner
        self._is_alone = is_alone
        self._labels = Labels(connection, tree)
        self._others: dict[str, tuple[Tree, Labels]] = {}
        self._line: int | None = None
        self._begun: set[int] = set()
        self._told: set[tuple[str | None, int]] = set()  # results, by entry and place in it

    def said(self, read: Read) -> Said:
        """Read an entry with its content, or queued words."""
        if read.queued is not None:
            spoken = Spoken(*self._connection.execute(load("query/queued"), {"queued": read.queued}).fetchone())
            return Said(spoken, _as_parts(spoken), None, None, None, read.depth)
        spoken = Spoken(*self._connection.execute(load("query/spoken"), {"uuid": read.uuid}).fetchone())
        agent = self._labels.agent(spoken.session_id, spoken.agent_id)
        label = None
        if spoken.kind == "boundary":
            find = "select label from v1_compactions where uuid = ?"
            (label,) = self._connection.execute(find, (read.uuid,)).fetchone()
        is_notice = spoken.form == "notification" and spoken.kind != "result"
        reports = tuple(self._reports(spoken)) if is_notice else ()
        parts = _as_parts(spoken) if spoken.form == "queued" else tuple(self._parts(spoken, read))
        return Said(spoken, parts, agent, read.set_aside, label, read.depth, reports)

    def _reports(self, spoken: Spoken) -> Iterator[Report]:
        find = "select task_id, status, kind, summary, result from task_notices where entry = ? order by id"
        for row in self._connection.execute(find, (spoken.entry,)).fetchall():
            report = Report(*row)
            yield report._replace(agent=self._labels.known_agent(spoken.session_id, report.task_id))

    def begun(self, read: Read) -> Iterator[Begins]:
        """Give the line that an entry begins, or comes back to."""
        if read.line is not None and read.line != self._line and not self._is_alone:
            yield self._begins(self._tree.lines[read.line], read.depth)
            self._line = read.line

    def leaving(self, read: Read) -> Iterator[Leaves | MoreLeave]:
        """Give the lines that leave from an entry and are not entered there and then, and count those beyond some."""
        if read.uuid is None:
            return
        rows = self._connection.execute(load("query/leaving"), {"uuid": read.uuid}).fetchall()
        passed = [row for row in rows if self._is_alone or not self._is_entered(row[0])]
        for number, kind, first_uuid in passed[:_NAMED]:
            line, labels = self._found(number)
            yield Leaves(line, kind, first_uuid, labels.title(line), labels.agent_of(line), read.depth)
        if len(passed) > _NAMED:
            yield MoreLeave(len(passed) - _NAMED, read.depth)

    def _is_entered(self, number: int) -> bool:
        line = self._tree.lines.get(number)
        return line is not None and self._manner.enters(line)

    def _found(self, number: int) -> tuple[LineRow, Labels]:
        """A line that leaves from here, with what names it: its own tree may be another."""
        if number in self._tree.lines:
            return self._tree.lines[number], self._labels
        find = (
            "select i.session_id from lines l join threads t on t.id = l.thread "
            "join session_ids i on i.id = t.session where l.id = ?"
        )
        (session_id,) = self._connection.execute(find, (number,)).fetchone()
        if session_id not in self._others:
            tree = forest(self._connection, session_id)
            self._others[session_id] = tree, Labels(self._connection, tree)
        tree, labels = self._others[session_id]
        return tree.lines[number], labels

    def unlinked(self) -> Iterator[Leaves]:
        """Give the subagents that hang nowhere and were not read: nothing says which call spawned them."""
        sessions = {self._tree.lines[number].session_id for number in self._begun}
        for number in self._tree.roots:
            line = self._tree.lines[number]
            if line.kind == "agent" and line.session_id in sessions and number not in self._begun:
                (first,) = self._connection.execute(_FIRST, (number,)).fetchone()
                yield Leaves(line, "unlinked", first, self._labels.title(line), self._labels.agent_of(line), 0)

    def _parts(self, spoken: Spoken, read: Read) -> Iterator[Part]:
        rows = self._connection.execute(
            "select type, text, tool_use_id, tool_name, input, is_error, byte_size, media_type, details, idx "
            "from v1_blocks where uuid = ? order by idx",
            (spoken.uuid,),
        ).fetchall()
        for part in map(Part._make, ((*row, None) for row in rows)):
            if part.tool_use_id is None:
                yield part
            elif part.type == "tool_use":
                yield part._replace(answer=self._answer(spoken, part.tool_use_id))
            elif self._is_alone or not self._is_told_elsewhere(spoken, part, read):
                self._told.add((spoken.uuid, part.idx))
                yield part

    def _is_told_elsewhere(self, spoken: Spoken, part: Part, read: Read) -> bool:
        """Whether a result was told with its call, or will be: what is set aside is read before what goes on."""
        values = {"entry": spoken.entry, "idx": part.idx, "line": read.line, "position": read.position}
        return (spoken.uuid, part.idx) in self._told or bool(
            self._connection.execute(load("query/awaited"), values).fetchone()
        )

    def _answer(self, spoken: Spoken, tool_use_id: str) -> Answer | None:
        values = {"entry": spoken.entry, "tool_use_id": tool_use_id}
        row = self._connection.execute(load("query/answer"), values).fetchone()
        if row is None:
            return None
        answer = Answer(*row)
        if (answer.uuid, answer.idx) in self._told:  # on a line that was read before its call's
            return answer._replace(text="(told above)", media_type=None)
        self._told.add((answer.uuid, answer.idx))
        return answer

    def _begins(self, line: LineRow, depth: int) -> Begins:
        is_return = line.number in self._begun
        self._begun.add(line.number)
        relation, parent, first = self._connection.execute(
            "select s.relation, p.session_id, e.uuid from lines l join threads t on t.id = l.thread "
            "join placements w on w.line = l.id and w.position = 0 join entries e on e.id = w.entry "
            "left join sessions s on s.session = t.session and l.kind = 'trunk' "
            "left join session_ids p on p.id = s.parent where l.id = ?",
            (line.number,),
        ).fetchone()
        return Begins(
            line, self._labels.title(line), self._labels.agent_of(line), relation, parent, first, depth, is_return
        )


def _as_parts(spoken: Spoken) -> tuple[Part, ...]:
    """Queued words as a block of text, as the words of other prompts are."""
    if not spoken.text:
        return ()
    return (Part("text", spoken.text, None, None, None, None, len(spoken.text.encode()), None, None, 0),)


_FIRST = "select e.uuid from placements p join entries e on e.id = p.entry where p.line = ? and p.position = 0"


def _is_told(said: Said) -> bool:
    """Whether an entry is part of the talk, or something that a reader of it wants to know."""
    spoken = said.spoken
    if spoken.form in _PERSONS:
        return True
    if said.set_aside is not None:
        return spoken.kind in TALK
    is_notable = spoken.subtype == "api_error" or bool(spoken.text)
    return spoken.kind != "side" or (spoken.type == "system" and spoken.form != "hook" and is_notable)


# forms of side entries that hold a person's words, or a report to it
_PERSONS = frozenset({"queued", "local_command", "notification"})


def _says_something(said: Said) -> bool:
    """Whether an entry has something to show that was not shown yet: results are shown with their calls."""
    return bool(said.parts) or said.spoken.kind != "result"


def _is_empty_thinking(said: Said) -> bool:
    """Whether an entry consists of thinking whose text was not recorded."""
    return bool(said.parts) and all(part.type in THINKING and not part.text for part in said.parts)
