"""Files that are indexed: their role, state and read position, and what was forgotten of them."""

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple


class FileRole(StrEnum):
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


_TRANSCRIPTS = frozenset({FileRole.SESSION, FileRole.AGENT, FileRole.JOURNAL})
_DOCUMENTS = frozenset({FileRole.SIDECAR, FileRole.RUN})


@dataclass(frozen=True, slots=True)
class PathInfo:
    """What the path of a file says about it."""

    role: FileRole
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
class FoundFile:
    """A file that discovery found; `path` is printable, `real` opens the file."""

    path: str
    real: str
    info: PathInfo
    state: FileState


@dataclass(frozen=True, slots=True)
class ReadPosition:
    """How far a generation was read, and what the meaning of its next bytes depends on."""

    archived: int = 0
    offset: int = 0  # up to here objects were read; the archived bytes after it are an incomplete line
    line_no: int = 1
    line_objects: int = 0
    malformed: int = 0
    saw_crlf: bool = False
    is_torn: bool = False
    last_at: int | None = None
    last_session: str | None = None
    head_hash: int = 0
    tail_hash: int = 0

    @property
    def lines(self) -> int:
        """How many lines were read, the last one possibly in part."""
        return self.line_no - 1 + (self.line_objects > 0)


@dataclass(frozen=True, slots=True)
class KnownSource:
    """A source as the index knows it, at one of its generations."""

    source: int
    path: str
    info: PathInfo
    generation: int
    is_missing: bool
    state: FileState
    position: ReadPosition


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

    def covers(self, path: str, info: PathInfo) -> bool:
        """Whether a file belongs to something forgotten, by its path alone."""
        is_forgotten_transcript = info.role is FileRole.SESSION and info.stem in self.sessions
        return (
            is_forgotten_transcript
            or info.session_hint in self.sessions
            or info.project in self.projects
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
