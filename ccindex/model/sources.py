"""Values and rows about indexed files: role, state, read position, generations, tombstones and redactions."""

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, NamedTuple

from ccindex.model.columns import Key, OneOf, Ref, Unique


class FileRole(StrEnum):
    """The role of a file, determined by its name and folder."""

    SESSION = "session"
    AGENT = "agent"
    JOURNAL = "journal"
    RUN = "run"
    SIDECAR = "sidecar"
    TOOL_RESULT = "tool_result"

    @property
    def is_transcript(self) -> bool:
        """Whether the file is read line by line as JSON objects."""
        return self in _TRANSCRIPTS

    @property
    def is_document(self) -> bool:
        """Whether the file is a single JSON document; the latest complete version is indexed."""
        return self in _DOCUMENTS


_TRANSCRIPTS = frozenset({FileRole.SESSION, FileRole.AGENT, FileRole.JOURNAL})
_DOCUMENTS = frozenset({FileRole.SIDECAR, FileRole.RUN})


@dataclass(frozen=True, slots=True)
class PathInfo:
    """Facts about a file, derived from its path."""

    role: FileRole
    project: str
    session_hint: str | None = None
    agent_id: str | None = None
    workflow_run: str | None = None
    stem: str = ""


@dataclass(frozen=True, slots=True)
class FileState:
    """The values from `stat` that identify the state of a file; if they are unchanged, the file need not be opened."""

    device: int
    inode: int
    size: int
    mtime_ns: int


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file found by discovery; `path` can be printed, `real` can be opened."""

    path: str
    real: str
    info: PathInfo
    state: FileState


@dataclass(frozen=True, slots=True)
class ReadPosition:
    """How far a generation has been read, and the state needed to resume reading it."""

    archived: int = 0
    offset: int = 0  # end of the last complete line or object; the archived bytes after it are an incomplete line
    line_no: int = 1
    line_objects: int = 0
    malformed_lines: int = 0
    has_crlf: bool = False
    is_torn: bool = False
    last_timestamp_ms: int | None = None
    last_session: str | None = None
    head_hash: int = 0
    tail_hash: int = 0


@dataclass(frozen=True, slots=True)
class KnownSource:
    """A source as stored in the index, with the state and read position of one of its generations."""

    source: int
    path: str
    info: PathInfo
    generation: int
    is_missing: bool
    state: FileState
    position: ReadPosition


class TombstoneKind(StrEnum):
    """What the name on a tombstone refers to."""

    SESSION = "session"
    PROJECT = "project"
    FILE = "file"
    LEAF = "leaf"


class Tombstone(NamedTuple):
    """One row per session id, project, path or leaf uuid that was forgotten and must not be indexed again."""

    kind: Annotated[TombstoneKind, Key()]
    name: Annotated[str, Key()]


class TombstoneTime(NamedTuple):
    """The time when a name was forgotten."""

    forgotten_at: str


@dataclass(frozen=True, slots=True)
class Forgotten:
    """The names on all tombstones except leaf tombstones."""

    sessions: frozenset[str] = frozenset()
    projects: frozenset[str] = frozenset()
    files: frozenset[str] = frozenset()

    def covers(self, path: str, info: PathInfo) -> bool:
        """Return whether a tombstone covers a file, judging by its path alone."""
        is_forgotten_transcript = info.role is FileRole.SESSION and info.stem in self.sessions
        return (
            is_forgotten_transcript
            or info.session_hint in self.sessions
            or info.project in self.projects
            or path in self.files
        )


class Redaction(NamedTuple):
    """One row per range of bytes that is blanked out in the archive because its content was forgotten."""

    start: Annotated[int, Key()]
    length: int


def blank_out(data: bytes, start: int, redactions: list[Redaction]) -> bytes:
    """Return `data` with the redacted ranges overwritten with spaces, so that all offsets stay valid.

    `start` is the offset of `data` in the file. The redactions are sorted by offset and do not overlap.
    """
    first = bisect_right(redactions, start, key=lambda redaction: redaction.start + redaction.length)
    last = bisect_left(redactions, start + len(data), key=lambda redaction: redaction.start)
    overlapping = redactions[first:last]
    if not overlapping:
        return data
    changed = bytearray(data)
    for redaction in overlapping:
        end = redaction.start + redaction.length
        first, last = max(0, redaction.start - start), min(len(data), end - start)
        changed[first:last] = b" " * (last - first)
    return bytes(changed)


class Meta(NamedTuple):
    """One row per property of the index, such as a version, the revision or pending work."""

    key: Annotated[str, Key()]
    value: str


class IngestRunRow(NamedTuple):
    """One row per ingest run that changed the index."""

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
    """One row per file that was indexed and not forgotten."""

    path: Annotated[str, Unique(), "absolute, with links resolved; bytes that are not UTF-8 appear as \\udcXX"]
    raw_path: Annotated[bytes | None, "the bytes of the path, if they are not UTF-8"]
    role: FileRole
    project: str
    session_hint: Annotated[str | None, "the <sessionId> in <sessionId>/subagents"]
    agent_id: Annotated[str | None, "the <id> in agent-<id>.jsonl and agent-<id>.meta.json"]
    workflow_run: Annotated[str | None, "the name of the workflow run's folder or file"]
    generation: Annotated[int, "the current generation, starting with 1"]
    is_missing: int
    first_indexed_at: str


class GenerationKey(NamedTuple):
    """One row per generation of a source, with its read position; rewriting the file starts a new generation."""

    source: Annotated[int, Key("sources")]
    number: Annotated[int, Key()]


class GenerationTime(NamedTuple):
    """The time when the read position was saved."""

    last_indexed_at: str


class ArchiveChunk(NamedTuple):
    """One row per distinct chunk of recorded bytes in the archive; chunks are compressed and never rewritten."""

    hash: Annotated[bytes, Unique(), "xxh3-128 of the raw bytes"]
    raw_size: int
    data: Annotated[bytes, "one zstd frame with a checksum"]


class InGeneration(NamedTuple):
    """The generation that bytes belong to."""

    source: Annotated[int, Key("sources")]
    generation: Annotated[int, Key()]


class ExtentRow(NamedTuple):
    """One row per range of a generation that is stored in a chunk; the extents of a generation leave no gaps."""

    start: Annotated[int, Key()]
    length: int
    chunk: Annotated[int, Ref("chunks")]


class DriftKey(NamedTuple):
    """One row per unknown type or key, per generation of a source and version of Claude Code, with its count."""

    source: Annotated[int, Ref("sources")]
    generation: int


@dataclass(frozen=True, slots=True)
class FirstSeen:
    """How often an unknown type or key was found, and the position of the first object that contains it."""

    count: int
    line_no: int
    offset: int


class StoredDiagnostic(NamedTuple):
    """One row per current diagnostic about reading a source or another path."""

    kind: str
    severity: Annotated[str, OneOf("info", "warning", "error")]
    source: Annotated[int | None, Ref("sources")]
    path: Annotated[str | None, "only if it is not a source"]
    generation: int | None
    session_id: Annotated[str | None, "from the folder, else from the nearest object before it"]
    line_no: int | None
    offset: int | None
    detail: str | None
