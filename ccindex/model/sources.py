"""Files that are indexed: their role, state and read position, and what was forgotten of them."""

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, NamedTuple

from ccindex.model.columns import Key, OneOf, Ref, Unique


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
    """One row per session id, project, path or leaf that was forgotten and must not come back."""

    kind: Annotated[Forgets, Key()]
    name: Annotated[str, Key()]


class TombstoneTime(NamedTuple):
    """When it was forgotten."""

    forgotten_at: str


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
    """One row per range of bytes that the archive blanks out because their content was forgotten."""

    start: Annotated[int, Key()]
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


class Meta(NamedTuple):
    """One row per property of the index: versions, the revision, pending work."""

    key: Annotated[str, Key()]
    value: str


class IngestRunRow(NamedTuple):
    """One row per run of ingest that changed something."""

    started_at: str
    finished_at: str | None
    status: Annotated[str, OneOf("running", "ok", "interrupted", "failed")]
    files_seen: int
    files_read: int
    bytes_read: int
    lines_read: int
    entries_added: int
    malformed_lines: int


class Source(NamedTuple):
    """One row per file ever indexed."""

    path: Annotated[str, Unique(), "absolute, links resolved; bytes that are not UTF-8 as \\udcXX"]
    raw_path: Annotated[bytes | None, "the bytes of the path, if they are not UTF-8"]
    role: FileRole
    project: str
    session_hint: Annotated[str | None, "the <sessionId> of <sessionId>/subagents"]
    agent_id: Annotated[str | None, "of agent-<id>.jsonl and agent-<id>.meta.json"]
    workflow_run: Annotated[str | None, "the name of the folder or file of the run"]
    generation: Annotated[int, "the current one, from 1"]
    is_missing: int
    first_indexed_at: str


class GenerationKey(NamedTuple):
    """One row per lifetime of a file's content, with its read position; a rewrite starts the next generation."""

    source: Annotated[int, Key("sources")]
    number: Annotated[int, Key()]


class GenerationTime(NamedTuple):
    """When the position was saved."""

    last_indexed_at: str


class ArchiveChunk(NamedTuple):
    """One row per distinct content in the archive: recorded bytes, compressed, never rewritten."""

    hash: Annotated[bytes, Unique(), "xxh3-128 of the raw bytes"]
    raw_size: int
    data: Annotated[bytes, "one zstd frame with a checksum"]


class InGeneration(NamedTuple):
    """The generation that bytes belong to."""

    source: Annotated[int, Key("sources")]
    generation: Annotated[int, Key()]


class Extent(NamedTuple):
    """One row per range of a generation that a chunk contains; the extents of a generation leave no gap."""

    start: Annotated[int, Key()]
    length: int
    chunk: Annotated[int, Ref("chunks")]


class DriftKey(NamedTuple):
    """One row per type or key that this version does not know, counted per generation of a file."""

    source: Annotated[int, Ref("sources")]
    generation: int


@dataclass(frozen=True, slots=True)
class FirstSeen:
    """How often something occurs, and where first."""

    count: int
    line_no: int
    offset: int


class StoredDiagnostic(NamedTuple):
    """One row per irregularity found while reading; replaced when the source is read again."""

    kind: str
    severity: Annotated[str, OneOf("info", "warning", "error")]
    source: Annotated[int | None, Ref("sources")]
    path: Annotated[str | None, "of something that is not a source"]
    generation: int | None
    session_id: Annotated[str | None, "claimed by the folder, else by the nearest object before it"]
    line_no: int | None
    offset: int | None
    detail: str | None
