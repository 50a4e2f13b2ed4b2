"""Objects to drafts of rows, before any id is known: all that can be done to a line away from the index."""

from functools import lru_cache

from ccindex.model.events import Draft, Row
from ccindex.model.recorded import Context, Entry, Parsed
from ccindex.store.archive import signed_hash

# records that the derived rows of a session depend on: titles, its active branch, agents, queued words, where it runs
_TELLING = frozenset(
    "summary ai-title custom-title last-prompt fork-context-ref worktree-state relocated teleported-from "
    "queue-operation started result".split()
)

_TABLES = (
    "messages iterations blocks tool_uses tool_results agent_mentions file_touches task_notices tool_outcomes".split()
)
_MOST_NUMBERED = 100_000


class Drafting:
    """Turns the objects of one source into drafts; numbers its entries as it meets their uuids."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._defined: set[int] = set()
        self._stored: set[int] = set()
        self._begin()

    def _begin(self) -> None:
        if len(self._numbers) > _MOST_NUMBERED:
            self._numbers, self._defined, self._stored = {}, set(), set()
        self._start = len(self._numbers)
        self._named: list[str] = []
        self._sessions: dict[str, int] = {}
        self._concerned: set[int] = set()
        self._objects: list[Row] = []
        self._entries: list[Row] = []
        self._edges: list[Row] = []
        self._contents: dict[str, list[Row]] = {name: [] for name in _TABLES}
        self._words: list[Row] = []
        self._records: list[Row] = []
        self._notices: list[Row] = []
        self._contexts: dict[int, Row] = {}
        self._details: dict[int, str] = {}

    def __len__(self) -> int:
        return len(self._objects)

    def take(self) -> Draft:
        """Hand over what was added since the last time."""
        draft = Draft(
            self._start,
            self._named,
            list(self._sessions),
            sorted(self._concerned),
            self._objects,
            self._entries,
            self._edges,
            {name: rows for name, rows in self._contents.items() if rows},
            self._words,
            self._records,
            self._notices,
            self._contexts,
            self._details,
        )
        self._begin()
        return draft

    def add(self, place: tuple[int, int], raw: bytes, parsed: Parsed, session_id: str, at: int) -> None:
        """Add an object; `place`: its line and its offset."""
        session = self._sessions.setdefault(session_id, len(self._sessions))
        digest = signed_hash(raw)
        number, is_first, has_parent = None, False, 0
        if parsed.entry is not None:
            number, is_first = self.add_entry(parsed, digest)
            has_parent = int(parsed.entry.parent is not None)
            self._concerned.add(session)
        else:
            self._record(session, parsed)
        is_stamped = int(parsed.at is not None)
        self._objects.append(
            (*place, len(raw), digest, parsed.type, at, is_stamped, has_parent, session, number, is_first)
        )

    def lend(self, *, at: int | None = None, session_id: str | None = None) -> None:
        """Let all objects that were not handed over yet have an instant, or a session."""
        if at is not None:
            self._objects = [(*row[:5], at, *row[6:]) for row in self._objects]
        if session_id is not None:
            self._sessions = {session_id: 0} if self._objects else {}
            self._concerned = {0} if self._concerned else set()
            self._objects = [(*row[:8], 0, *row[9:]) for row in self._objects]

    def add_entry(self, parsed: Parsed, digest: int) -> tuple[int, bool]:
        """Add what an object's entry says, unless a copy did; return its number, and whether it is the first."""
        uuid, said = parsed.uuid, parsed.entry
        assert uuid is not None
        assert said is not None
        number = self._number(uuid)
        links = self._links(number, said)
        is_first = number not in self._defined
        if is_first:
            self._defined.add(number)
            self._edges += links
            self._entry(number, uuid, digest, said)
        return number, is_first

    def _number(self, uuid: str) -> int:
        number = self._numbers.get(uuid)
        if number is None:
            number = self._numbers[uuid] = len(self._numbers)
            self._named.append(uuid)
        return number

    def _links(self, number: int, said: Entry) -> list[Row]:
        """The edges of an entry; what it points at gets a number even if another copy's edges count."""
        links: list[Row] = []
        if said.parent is not None:
            known = self._numbers.get(said.parent)
            links.append((number, "parent", self._number(said.parent) if known is None else known))
        if said.logical_parent is not None:
            links.append((number, "logical", self._number(said.logical_parent)))
        if said.forked_from is not None:
            links.append((number, "forked_from", self._number(said.forked_from)))
        return links

    def _record(self, session: int, parsed: Parsed) -> None:
        index = len(self._objects)
        self._records.append((index, parsed.timestamp, parsed.payload, parsed.leaf))
        self._notices += [(index, *notice) for notice in parsed.notices]
        if parsed.type in _TELLING or parsed.notices:
            self._concerned.add(session)

    def _entry(self, number: int, uuid: str, digest: int, said: Entry) -> None:
        contents, content, index = self._contents, said.content, len(self._objects)
        shared = self._context(said.context), None if said.details is None else self._detail(said.details)
        self._entries.append((number, uuid, index, digest, *shared, *said.columns))
        if said.message is not None:
            contents["messages"].append((number, *said.message))
            if said.iterations:
                contents["iterations"] += [(number, *iteration) for iteration in said.iterations]
        if said.outcome is not None:
            contents["tool_outcomes"].append((number, *said.outcome))
        if content.blocks:
            contents["blocks"] += [(number, *block) for block in content.blocks]
            if content.uses:
                contents["tool_uses"] += [(number, *use) for use in content.uses]
                contents["file_touches"] += [(number, *touch) for touch in content.touches]
            if content.results:
                contents["tool_results"] += [(number, *result) for result in content.results]
                contents["agent_mentions"] += [(number, *mention) for mention in content.mentions]
        if said.notices:
            contents["task_notices"] += [(number, *notice) for notice in said.notices]
        if said.words is not None:
            self._words.append((number, *said.words))

    def _context(self, context: Context) -> int:
        digest = _digest(context)
        if digest not in self._stored:
            self._stored.add(digest)
            self._contexts[digest] = tuple(context)
        return digest

    def _detail(self, details: str) -> int:
        digest = signed_hash(details.encode())
        if digest not in self._stored:
            self._stored.add(digest)
            self._details[digest] = details
        return digest


@lru_cache(maxsize=64)
def _digest(context: Context) -> int:
    return signed_hash("\0".join("" if part is None else "=" + part for part in context).encode())
