"""Build batches of rows from the decoded objects of one source, without access to a database."""

from typing import Any

from ccindex.chunks import short_hash
from ccindex.model.events import Batch, EntryRows, Row
from ccindex.read.entry_parser import Shape, context_of, links_of, parse_entry, shape_of
from ccindex.read.json_values import dumps_without_images, instant, is_canonical, string
from ccindex.read.tool_outcomes import parse_notices

# record types from which a session's titles, active branch, agents, queued text and locations are derived
_TYPES_USED_BY_DERIVE = frozenset(
    "summary ai-title custom-title last-prompt fork-context-ref worktree-state relocated teleported-from "
    "queue-operation started result".split()
)

MAX_NUMBERED_UUIDS = 100_000  # per source; if there are more, the next batch restarts the numbering


class BatchBuilder:
    """Collects rows until `take` returns them, and numbers the uuids of the source."""

    def __init__(self) -> None:
        self._forget_numbers()
        self._start_batch()

    def _forget_numbers(self) -> None:
        self._numbers: dict[str, int] = {}
        self._defined: set[int] = set()
        self._stored: set[int] = set()
        self._last_context: tuple[Any, ...] | None = None  # as recorded
        self._last_context_hash = 0

    def _start_batch(self) -> None:
        if len(self._numbers) > MAX_NUMBERED_UUIDS:
            self._forget_numbers()
        self._first_number = len(self._numbers)
        self._uuids: list[str] = []
        self._sessions: dict[str, int] = {}
        self._changed_sessions: set[int] = set()
        self._occurrences: list[Row] = []
        self._entries: list[Row] = []
        self._edges: list[Row] = []
        self._rows = EntryRows.empty()
        self._records: list[Row] = []
        self._record_notices: list[Row] = []
        self._contexts: dict[int, Row] = {}
        self._details: dict[int, str] = {}

    def take(self) -> Batch:
        """Return the rows that were added since the last call."""
        contents = self._rows._asdict()
        search_texts = contents.pop("search_texts")
        batch = Batch(
            self._first_number,
            self._uuids,
            list(self._sessions),
            sorted(self._changed_sessions),
            self._occurrences,
            self._entries,
            self._edges,
            {name: rows for name, rows in contents.items() if rows},
            search_texts,
            self._records,
            self._record_notices,
            self._contexts,
            self._details,
        )
        self._start_batch()
        return batch

    def add(
        self,
        position: tuple[int, int],
        raw: bytes,
        value: dict[str, Any],
        shape: Shape,
        claims: tuple[str, int, int],
    ) -> None:
        """Add an object (rule: entry_or_record).

        `position`: its line number and its byte offset.
        `claims`: its session and timestamp, and whether it has a timestamp of its own.
        """
        line_no, offset = position
        session_id, timestamp_ms, has_own_timestamp = claims
        session = self._sessions.setdefault(session_id, len(self._sessions))
        digest = short_hash(raw)
        type_ = string(value.get("type"))
        if string(value.get("uuid")) is None:
            self._add_record(session, type_, value)
            number, is_first, has_parent = None, False, False
        else:
            number, is_first, has_parent = self.add_entry(type_, value, shape, digest, is_timed=bool(has_own_timestamp))
            self._changed_sessions.add(session)
        self._occurrences.append(
            (
                line_no,
                offset,
                len(raw),
                digest,
                type_,
                timestamp_ms,
                has_own_timestamp,
                int(has_parent),
                session,
                number,
                is_first,
            )
        )

    def backfill(self, *, timestamp_ms: int | None = None, session_id: str | None = None) -> None:
        """Set the timestamp or the session of all objects in the current batch."""
        if timestamp_ms is not None:
            self._occurrences = [(*row[:5], timestamp_ms, *row[6:]) for row in self._occurrences]
        if session_id is not None:
            self._sessions = {session_id: 0} if self._occurrences else {}
            self._changed_sessions = {0} if self._changed_sessions else set()
            self._occurrences = [(*row[:8], 0, *row[9:]) for row in self._occurrences]

    def add_entry(
        self, type_: str | None, value: dict[str, Any], shape: Shape, digest: int, *, is_timed: bool
    ) -> tuple[int, bool, bool]:
        """Add an object's entry unless a copy was already added. `is_timed`: its timestamp is valid.

        Return the entry's number, whether it was added, and whether it has a parent.
        """
        uuid = value["uuid"]
        number = self._number(uuid)
        parent = string(value.get("parentUuid"))
        # the targets of links get numbers even if an earlier copy exists and no edges are added
        edges: list[Row] = []
        if parent is not None:
            edges.append((number, "parent", self._number(parent)))
        if shape.has_rare:
            logical_parent, forked_from = links_of(value)
            if logical_parent is not None:
                edges.append((number, "logical", self._number(logical_parent)))
            if forked_from is not None:
                edges.append((number, "forked_from", self._number(forked_from)))
        is_first = number not in self._defined
        if is_first:
            self._defined.add(number)
            self._edges += edges
            traits, columns, details = parse_entry(self._rows, number, type_, value, shape)
            timestamp = string(value.get("timestamp"))
            if is_timed and timestamp is not None and is_canonical(timestamp):
                timestamp = ""
            context = self._context(value)
            details_hash = None if details is None else self._detail(details)
            head = (number, uuid, len(self._occurrences), digest, context, details_hash, traits, timestamp)
            self._entries.append((*head, *columns))
        return number, is_first, parent is not None

    def _number(self, uuid: str) -> int:
        number = self._numbers.get(uuid)
        if number is None:
            number = self._numbers[uuid] = len(self._numbers)
            self._uuids.append(uuid)
        return number

    def _add_record(self, session: int, type_: str | None, value: dict[str, Any]) -> None:
        index = len(self._occurrences)
        leaf = string(value.get("parentLastUuid" if type_ == "fork-context-ref" else "leafUuid"))
        self._records.append((index, string(value.get("timestamp")), dumps_without_images(value), leaf))
        notices = parse_notices(string(value.get("content")) or "", None)
        self._record_notices += [(index, *notice) for notice in notices]
        if type_ in _TYPES_USED_BY_DERIVE or notices:
            self._changed_sessions.add(session)

    def _context(self, value: dict[str, Any]) -> int:
        recorded = context_of(value)
        if recorded != self._last_context:
            context = tuple(map(string, recorded))
            digest = short_hash("\0".join("" if part is None else "=" + part for part in context).encode())
            if digest not in self._stored:
                self._stored.add(digest)
                self._contexts[digest] = context
            self._last_context, self._last_context_hash = recorded, digest
        return self._last_context_hash

    def _detail(self, details: str) -> int:
        digest = short_hash(details.encode())
        if digest not in self._stored:
            self._stored.add(digest)
            self._details[digest] = details
        return digest


def build_entry_batch(value: dict[str, Any], digest: int) -> Batch:
    """Build the rows of one entry, without its occurrence."""
    builder = BatchBuilder()
    is_timed = instant(value.get("timestamp")) is not None
    builder.add_entry(string(value.get("type")), value, shape_of(value), digest, is_timed=is_timed)
    return builder.take()
