"""What there is to index: files with their role, their state on disk, and how far they were read."""

from dataclasses import dataclass
from enum import StrEnum


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
