"""Build batches of rows from the parsed objects of one source, without access to a database."""

from functools import lru_cache

from ccindex.chunks import short_hash
from ccindex.model.events import Batch, Row
from ccindex.model.recorded import Entry, EntryContext, ParsedObject

# record types from which a session's titles, active branch, agents, queued text and locations are derived
_TYPES_USED_BY_DERIVE = frozenset(
    "summary ai-title custom-title last-prompt fork-context-ref worktree-state relocated teleported-from "
    "queue-operation started result".split()
)

_CONTENT_TABLES = (
    "messages iterations blocks tool_uses tool_results agent_mentions file_touches task_notices tool_outcomes".split()
)
MAX_NUMBERED_UUIDS = 100_000  # per source; if there are more, the next batch restarts the numbering


class BatchBuilder:
    """Collects rows until `take` returns them, and numbers the uuids of the source."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._defined: set[int] = set()
        self._stored: set[int] = set()
        self._start_batch()

    def _start_batch(self) -> None:
        if len(self._numbers) > MAX_NUMBERED_UUIDS:
            self._numbers, self._defined, self._stored = {}, set(), set()
        self._first_number = len(self._numbers)
        self._uuids: list[str] = []
        self._sessions: dict[str, int] = {}
        self._changed_sessions: set[int] = set()
        self._occurrences: list[Row] = []
        self._entries: list[Row] = []
        self._edges: list[Row] = []
        self._contents: dict[str, list[Row]] = {name: [] for name in _CONTENT_TABLES}
        self._search_texts: list[Row] = []
        self._records: list[Row] = []
        self._record_notices: list[Row] = []
        self._contexts: dict[int, Row] = {}
        self._details: dict[int, str] = {}

    def take(self) -> Batch:
        """Return the rows that were added since the last call."""
        batch = Batch(
            self._first_number,
            self._uuids,
            list(self._sessions),
            sorted(self._changed_sessions),
            self._occurrences,
            self._entries,
            self._edges,
            {name: rows for name, rows in self._contents.items() if rows},
            self._search_texts,
            self._records,
            self._record_notices,
            self._contexts,
            self._details,
        )
        self._start_batch()
        return batch

    def add(
        self, position: tuple[int, int], raw: bytes, parsed: ParsedObject, session_id: str, timestamp_ms: int
    ) -> None:
        """Add an object. `position` is its line number and its byte offset."""
        session = self._sessions.setdefault(session_id, len(self._sessions))
        digest = short_hash(raw)
        number, is_first, has_parent = None, False, 0
        if parsed.entry is not None:
            number, is_first = self.add_entry(parsed, digest)
            has_parent = int(parsed.entry.parent is not None)
            self._changed_sessions.add(session)
        else:
            self._add_record(session, parsed)
        has_own_timestamp = int(parsed.timestamp_ms is not None)
        claims = (timestamp_ms, has_own_timestamp, has_parent, session)
        self._occurrences.append((*position, len(raw), digest, parsed.type, *claims, number, is_first))

    def backfill(self, *, timestamp_ms: int | None = None, session_id: str | None = None) -> None:
        """Set the timestamp or the session of all objects in the current batch."""
        if timestamp_ms is not None:
            self._occurrences = [(*row[:5], timestamp_ms, *row[6:]) for row in self._occurrences]
        if session_id is not None:
            self._sessions = {session_id: 0} if self._occurrences else {}
            self._changed_sessions = {0} if self._changed_sessions else set()
            self._occurrences = [(*row[:8], 0, *row[9:]) for row in self._occurrences]

    def add_entry(self, parsed: ParsedObject, digest: int) -> tuple[int, bool]:
        """Add an object's entry unless a copy was already added. Return the entry's number and whether it was added."""
        uuid, entry = parsed.uuid, parsed.entry
        assert uuid is not None
        assert entry is not None
        number = self._number(uuid)
        # the targets of links get numbers even if an earlier copy exists and no edges are added
        edges: list[Row] = []
        if entry.parent is not None:
            edges.append((number, "parent", self._number(entry.parent)))
        if entry.logical_parent is not None:
            edges.append((number, "logical", self._number(entry.logical_parent)))
        if entry.forked_from is not None:
            edges.append((number, "forked_from", self._number(entry.forked_from)))
        is_first = number not in self._defined
        if is_first:
            self._defined.add(number)
            self._edges += edges
            self._add_entry_rows(number, uuid, digest, entry)
        return number, is_first

    def _number(self, uuid: str) -> int:
        number = self._numbers.get(uuid)
        if number is None:
            number = self._numbers[uuid] = len(self._numbers)
            self._uuids.append(uuid)
        return number

    def _add_record(self, session: int, parsed: ParsedObject) -> None:
        index = len(self._occurrences)
        self._records.append((index, parsed.timestamp, parsed.payload, parsed.leaf))
        self._record_notices += [(index, *notice) for notice in parsed.notices]
        if parsed.type in _TYPES_USED_BY_DERIVE or parsed.notices:
            self._changed_sessions.add(session)

    def _add_entry_rows(self, number: int, uuid: str, digest: int, entry: Entry) -> None:
        contents, content, index = self._contents, entry.content, len(self._occurrences)
        shared = self._context(entry.context), None if entry.details is None else self._detail(entry.details)
        self._entries.append((number, uuid, index, digest, *shared, entry.traits, *entry.columns))
        if entry.message is not None:
            contents["messages"].append((number, *entry.message))
            if entry.iterations:
                contents["iterations"] += [(number, *iteration) for iteration in entry.iterations]
        if entry.outcome is not None:
            contents["tool_outcomes"].append((number, *entry.outcome))
        if content.blocks:
            contents["blocks"] += [(number, *block) for block in content.blocks]
            if content.uses:
                contents["tool_uses"] += [(number, *use) for use in content.uses]
                contents["file_touches"] += [(number, *touch) for touch in content.touches]
            if content.results:
                contents["tool_results"] += [(number, *result) for result in content.results]
                contents["agent_mentions"] += [(number, *mention) for mention in content.mentions]
        if entry.notices:
            contents["task_notices"] += [(number, *notice) for notice in entry.notices]
        if entry.search_text is not None:
            self._search_texts.append((number, *entry.search_text))

    def _context(self, context: EntryContext) -> int:
        digest = _context_hash(context)
        if digest not in self._stored:
            self._stored.add(digest)
            self._contexts[digest] = tuple(context)
        return digest

    def _detail(self, details: str) -> int:
        digest = short_hash(details.encode())
        if digest not in self._stored:
            self._stored.add(digest)
            self._details[digest] = details
        return digest


@lru_cache(maxsize=64)
def _context_hash(context: EntryContext) -> int:
    return short_hash("\0".join("" if part is None else "=" + part for part in context).encode())


def build_entry_batch(parsed: ParsedObject, digest: int) -> Batch:
    """Build the rows of one entry, without its occurrence."""
    builder = BatchBuilder()
    builder.add_entry(parsed, digest)
    return builder.take()
