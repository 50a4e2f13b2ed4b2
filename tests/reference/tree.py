"""Arrange lines in a forest: junctions, active branches, session relations, reading order (rule: line_attachment)."""

from typing import Any

from .entry_graph import EntryGraph, least_of_cycles
from .lines import Line, Lines
from .objects import Occurrence, as_object, as_text
from .subtrees import Subtrees


class Tree:
    """The forest of lines (rule: loop_cut, line_order)."""

    def __init__(self, graph: EntryGraph, lines: Lines) -> None:
        self.graph = graph
        self.lines = lines
        self.subtrees = Subtrees(graph)
        self.by_id = {line.id: line for line in lines.lines}
        # maps a fork and the thread of its children to the active branch and the criterion that chose this branch
        self.choices: dict[tuple[str | None, str], tuple[Line, str]] = {}
        self.attachments: dict[str, str] = {}
        for line in lines.lines:
            at = self._attachment(line)
            if at is not None:
                self.attachments[line.id] = at
        up = {line_id: lines.line_at(at).id for line_id, at in self.attachments.items()}
        self.loop_cuts = least_of_cycles(up, lambda line_id: self.time(self.by_id[line_id]))
        for line_id in self.loop_cuts:
            del self.attachments[line_id]

    def time(self, line: Line) -> tuple[int, str, int]:
        return self.graph.entries[line.uuids[0]].time

    def parent(self, line: Line) -> Line | None:
        at = self.attachments.get(line.id)
        return None if at is None else self.lines.line_at(at)

    def roots(self) -> list[Line]:
        return sorted((line for line in self.lines.lines if line.id not in self.attachments), key=self.time)

    def children(self, line: Line) -> list[Line]:
        return sorted((other for other in self.lines.lines if self.parent(other) is line), key=self.time)

    def reading_order(self) -> list[str]:
        """Return all entries on lines, depth first: a line, then its child lines by time (rule: reading_order)."""
        order = []
        todo = self.roots()[::-1]
        while todo:
            line = todo.pop()
            order += line.uuids
            todo += self.children(line)[::-1]
        return order

    def up_from(self, line: Line) -> list[Line]:
        """Return the line and all lines above it, bottom to top."""
        found = [line]
        while (above := self.parent(found[-1])) is not None:
            found.append(above)
        return found

    def is_active(self, line: Line) -> bool:
        """Return whether every branch from the line up to its root line is the active one (rule: active_line)."""
        return all(other.base is None or self._chosen(other) is other for other in self.up_from(line))

    def junctions(self) -> dict[str, dict[str, str]]:
        """Map each junction to the lines that start there, with their kinds, in time order (rule: junction_kind)."""
        return {uuid: targets for uuid in self.graph.entries if (targets := self._targets(uuid))}

    def sessions(self) -> dict[str, list[Any]]:
        """Return the relation, parent session and attachment of every session (rule: session_relation)."""
        return {session: self._relation(session) for session in self.graph.claims}

    def _attachment(self, line: Line) -> str | None:
        if line.fork is not None:
            return line.fork
        roots = [uuid for uuid in line.uuids if not self.graph.has_parent_in_thread(uuid)]
        return self.graph.parents.get(self.graph.by_time(roots)[0])

    def _chosen(self, line: Line) -> Line:
        """Return the active branch of the fork at which the given branch starts."""
        key = (line.fork, line.thread.id)
        if key not in self.choices:
            rivals = [other for other in self.lines.lines if (other.fork, other.thread.id) == key]
            self.choices[key] = self._choose(rivals)
        return self.choices[key][0]

    def _choose(self, branches: list[Line]) -> tuple[Line, str]:
        """Choose the active branch by flag, then leaf, then latest talk entry, then position (rule: active_branch)."""
        flagged = [line for line in branches if self.graph.entries[_start(line)].flag("is_active")]
        left = flagged or branches
        if len(left) == 1:
            return left[0], "flag" if flagged else "only"
        if (line := self._with_leaf(left, branches)) is not None:
            return line, "leaf"
        if (line := self._with_latest_talk(left)) is not None:
            return line, "latest talk"
        return max(left, key=self._first_seq), "last"

    def _first_seq(self, line: Line) -> tuple[str, int]:
        return self.graph.entries[_start(line)].seq

    def _with_leaf(self, left: list[Line], branches: list[Line]) -> Line | None:
        """Return the branch with the last `last-prompt` record's leaf, unless a branch starts after the record."""
        record = self.last_prompt(branches[0].thread.session)
        if record is None or any(record.time < self.graph.entries[_start(line)].time for line in branches):
            return None
        here: Line | None = self.lines.line_at(record.value["leafUuid"])
        while here is not None and here not in left:
            here = here.base
        return here

    def last_prompt(self, session: str) -> Occurrence | None:
        """Return the session's last `last-prompt` record whose leaf is an existing entry."""
        records = [
            record
            for record in self.graph.records
            if record.value.get("type") == "last-prompt"
            and record.session == session
            and as_text(record.value.get("leafUuid")) in self.graph.entries
        ]
        return max(records, key=lambda record: record.time, default=None)

    def _with_latest_talk(self, left: list[Line]) -> Line | None:
        """Return the branch with the latest talk entry, if the fork is a retry."""
        if self._verdict(left[0]) != "retry":
            return None
        start = self.subtrees.with_latest_talk([_start(line) for line in left])
        return next((line for line in left if line.start == start), None)

    def _verdict(self, branch: Line) -> str:
        return self.lines.forks[branch.fork or "", branch.thread.id].verdict

    def _targets(self, uuid: str) -> dict[str, str]:
        starts = {line.start for line in self.lines.lines if line.fork == uuid}
        targets: dict[str, str] = {}
        for child in self.graph.all_children(uuid):
            is_elsewhere = self.graph.thread_of[child] != self.graph.thread_of[uuid]
            line = self.lines.line_of.get(child)
            if line is not None and (child in starts or is_elsewhere):
                kind = self._junction_kind(uuid, line, is_branch=child in starts)
                targets[line.id] = kind if child in starts else targets.get(line.id, kind)
        return targets

    def _junction_kind(self, uuid: str, line: Line, *, is_branch: bool) -> str:
        if is_branch:
            return self._verdict(line)
        return "agent" if line.thread.is_agent else self._way_on(uuid)

    def _way_on(self, uuid: str) -> str:
        line = self.lines.line_of.get(uuid)
        return "resume" if line is not None and line.uuids[-1] == uuid else "fork"

    def _relation(self, session: str) -> list[Any]:
        """Return the relation, parent session and attachment of a session.

        They are derived from the session's own line, from its first branch that is attached outside the session's
        trunk, or from `forkedFrom`, in this order.
        """
        own = [line for line in self.lines.lines if line.thread.id == session]
        own.sort(key=lambda line: (line.base is not None, self.time(line)))
        places = [self.attachments.get(line.id) for line in own]
        outside = [at for at in places if at is None or self.graph.thread_of[at] != session]
        at = outside[0] if outside else None
        parent = self.graph.entries[at].session if at is not None else None
        if at is None or parent == session:
            parent, at = self._original(session)
        if parent is None or parent == session:
            return ["root", None, None]
        return ["continues" if at is not None and self._way_on(at) == "resume" else "forks", parent, at]

    def _original(self, session: str) -> tuple[str | None, str | None]:
        """Return the session and the entry that the latest `forkedFrom` of a session refers to."""
        mine = [uuid for uuid in self.graph.by_time(self.graph.entries) if self.graph.entries[uuid].session == session]
        named = [as_object(self.graph.entries[uuid].value.get("forkedFrom")) for uuid in mine]
        named = [item for item in named if as_text(item.get("messageUuid"))]
        if not named:
            return None, None
        original = self.graph.entries.get(named[-1]["messageUuid"])
        other = as_text(named[-1].get("sessionId")) or (original.session if original else None)
        return other, original.uuid if original else None


def _start(branch: Line) -> str:
    """Return the first entry of a branch, which is a child of the fork."""
    return branch.start or ""
