"""Files that are indexed: their role, state and read position, and what was forgotten of them."""

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple


class Role(StrEnum):
    """What a file is to ccindex, by its name and folder."""

    SESSION = "session"
    AGENT = "agent"
    JOURNAL = "journal"
    RUN = "run"
    SIDECAR = "sidecar"
    TOOL_RESULT = "tool_result"

    @property
    def is_transcript(self) -> bool:
        """Its lines are read as objects."""
        return self in _TRANSCRIPTS

    @property
    def is_document(self) -> bool:
        """It is one JSON document, of which the latest whole one counts."""
        return self in _DOCUMENTS


_TRANSCRIPTS = frozenset({Role.SESSION, Role.AGENT, Role.JOURNAL})
_DOCUMENTS = frozenset({Role.SIDECAR, Role.RUN})


@dataclass(frozen=True, slots=True)
class Place:
    """What a path alone tells of a file."""

    role: Role
    project: str
    session_hint: str | None = None
    agent_id: str | None = None
    workflow_run: str | None = None
    stem: str = ""


@dataclass(frozen=True, slots=True)
class FileState:
    """What `stat` says: equal states mean that nothing has to be opened."""

    device: int
    inode: int
    size: int
    mtime_ns: int


@dataclass(frozen=True, slots=True)
class Found:
    """A file that discovery came upon."""

    path: str
    real: str
    place: Place
    state: FileState


@dataclass(frozen=True, slots=True)
class Watermark:
    """How far a generation was read, and what its next bytes depend on."""

    archived: int = 0
    offset: int = 0
    line_no: int = 1
    line_objects: int = 0
    malformed: int = 0
    saw_crlf: bool = False
    is_torn: bool = False
    last_at: int | None = None
    last_session: str | None = None
    head_hash: int = 0
    tail_hash: int = 0


@dataclass(frozen=True, slots=True)
class Position:
    """How far one generation was read, and the state of the file that this is true of."""

    source: int
    generation: int
    state: FileState
    mark: Watermark
    read_at: str


@dataclass(frozen=True, slots=True)
class Known:
    """A source as the index knows it, at its current generation."""

    source: int
    path: str
    place: Place
    generation: int
    is_missing: bool
    state: FileState
    watermark: Watermark


class Forgets(StrEnum):
    """What kind of thing a tombstone names."""

    SESSION = "session"
    PROJECT = "project"
    FILE = "file"
    LEAF = "leaf"


class Tombstone(NamedTuple):
    """One thing that was forgotten."""

    kind: Forgets
    name: str


@dataclass(frozen=True, slots=True)
class Forgotten:
    """All tombstones that speak of files."""

    sessions: frozenset[str] = frozenset()
    projects: frozenset[str] = frozenset()
    files: frozenset[str] = frozenset()

    def covers(self, path: str, place: Place) -> bool:
        """Whether a file is of something forgotten, by its path alone."""
        is_transcript_of_one = place.role is Role.SESSION and place.stem in self.sessions
        return (
            is_transcript_of_one
            or place.session_hint in self.sessions
            or place.project in self.projects
            or path in self.files
        )


class Span(NamedTuple):
    """Some bytes of a generation."""

    start: int
    length: int


def blanked(data: bytes, start: int, spans: list[Span]) -> bytes:
    """Bytes that begin at an offset, with blanks where the spans are: nothing moves, and a line of them is empty.

    The spans are in order and do not overlap.
    """
    first = bisect_right(spans, start, key=lambda span: span.start + span.length)
    here = spans[first : bisect_left(spans, start + len(data), key=lambda span: span.start)]
    if not here:
        return data
    changed = bytearray(data)
    for span in here:
        first, last = max(0, span.start - start), min(len(data), span.start + span.length - start)
        changed[first:last] = b" " * (last - first)
    return bytes(changed)
