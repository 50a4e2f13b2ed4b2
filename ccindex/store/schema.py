"""Every table of the index, as SQLAlchemy metadata: the single truth that migrations are compared with.

Only creating and upgrading an index import this module; rows go through the driver (`store.recorded`).
*Recorded* tables say what a file said. `entries` and what hangs on it show the copy that owns each uuid.
"""

from typing import Any

from sqlalchemy import (
    CheckConstraint,
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    text,
)
from sqlalchemy.types import TypeEngine

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def _key(name: str = "id") -> Column[int]:
    return Column(name, Integer, primary_key=True)


def _must(name: str, kind: type[TypeEngine[Any]] = Integer, *, doc: str | None = None) -> Column[Any]:
    return Column(name, kind, nullable=False, comment=doc)


def _may(name: str, kind: type[TypeEngine[Any]] = Integer, *, doc: str | None = None) -> Column[Any]:
    return Column(name, kind, nullable=True, comment=doc)


def _of(name: str, target: str, *, nullable: bool = False) -> Column[int]:
    return Column(name, Integer, ForeignKey(target), nullable=nullable)


def _part_of_key(name: str, target: str) -> Column[int]:
    return Column(name, Integer, ForeignKey(target), primary_key=True)


meta = Table(
    "meta",
    metadata,
    Column("key", Text, primary_key=True),
    _must("value", Text),
    sqlite_strict=True,
    sqlite_with_rowid=False,
    comment="What the index says of itself: versions and the revision.",
)

runs = Table(
    "runs",
    metadata,
    _key(),
    _must("started_at", Text),
    _may("finished_at", Text),
    _must("status", Text),
    _must("files_seen"),
    _must("files_read"),
    _must("bytes_read"),
    _must("lines_read"),
    _must("entries_added"),
    _must("malformed_lines"),
    CheckConstraint("status in ('running', 'ok', 'interrupted', 'failed')", name="status"),
    sqlite_strict=True,
    comment="One row a run of ingest that changed something.",
)

sources = Table(
    "sources",
    metadata,
    _key(),
    _must("path", Text, doc="absolute, links resolved; bytes that are no UTF-8 as \\udcXX"),
    _may("raw_path", LargeBinary, doc="the name's bytes, where they are no UTF-8"),
    _must("role", Text),
    _must("project", Text),
    _may("session_hint", Text, doc="the <sessionId> of <sessionId>/subagents"),
    _may("agent_id", Text, doc="of agent-<id>.jsonl and agent-<id>.meta.json"),
    _may("workflow_run", Text, doc="the run's folder or file name"),
    _must("generation", doc="the current one, from 1"),
    _must("is_missing"),
    _must("first_indexed_at", Text),
    UniqueConstraint("path"),
    CheckConstraint(
        "role in ('session', 'agent', 'journal', 'run', 'sidecar', 'tool_result')",
        name="role",
    ),
    sqlite_strict=True,
    comment="One row a file ever indexed.",
)

generations = Table(
    "generations",
    metadata,
    _part_of_key("source", "sources.id"),
    Column("number", Integer, primary_key=True),
    _must("device"),
    _must("inode"),
    _must("size"),
    _must("mtime_ns"),
    _must("archived", doc="bytes in the archive, a torn tail included"),
    _must("offset", doc="bytes taken: where the next read starts to parse"),
    _must("line_no", doc="of the line that holds offset, from 1"),
    _must("line_objects", doc="objects taken from that line so far"),
    _must("malformed"),
    _must("saw_crlf"),
    _must("is_torn"),
    _may("last_at", doc="instant of the latest object that had one of its own"),
    _may("last_session", Text, doc="session id of the latest object that had one of its own"),
    _must("head_hash", doc="of the first 4 KiB archived"),
    _must("tail_hash", doc="of the last 4 KiB archived"),
    _must("last_indexed_at", Text),
    sqlite_strict=True,
    sqlite_with_rowid=False,
    comment="One row a lifetime of a file's content; a rewrite begins the next. Holds the read position.",
)

chunks = Table(
    "chunks",
    metadata,
    _key(),
    _must("hash", LargeBinary, doc="xxh3-128 of the raw bytes"),
    _must("raw_size"),
    _must("data", LargeBinary, doc="one zstd frame with checksum"),
    UniqueConstraint("hash"),
    sqlite_strict=True,
    comment="The archive: recorded bytes, compressed, each content once, never rewritten.",
)

extents = Table(
    "extents",
    metadata,
    _part_of_key("source", "sources.id"),
    Column("generation", Integer, primary_key=True),
    Column("start", Integer, primary_key=True),
    _must("length"),
    _of("chunk", "chunks.id"),
    sqlite_strict=True,
    sqlite_with_rowid=False,
    comment="Which chunk holds which bytes of a generation; extents of one generation leave no gap.",
)

session_ids = Table(
    "session_ids",
    metadata,
    _key(),
    _must("session_id", Text),
    UniqueConstraint("session_id"),
    sqlite_strict=True,
    comment="Session ids that an object claims, once each.",
)

occurrences = Table(
    "occurrences",
    metadata,
    _key(),
    _of("source", "sources.id"),
    _must("generation"),
    _must("line_no"),
    _must("offset"),
    _must("length"),
    _must("hash", doc="xxh3-64 of the object's bytes"),
    _of("entry", "entries.id", nullable=True),
    _of("session", "session_ids.id"),
    _may("type", Text),
    _must("at", doc="instant in UTC milliseconds, of a neighbour if it has none"),
    _must("is_stamped", doc="the instant is its own"),
    _must("has_parent"),
    _must("is_current", doc="0: only an earlier generation of the file holds it"),
    _must("is_owner"),
    _must("is_copy", doc="1: its uuid has stood, or stands, in several places"),
    Index("ix_occurrences_place", "source", "generation", "offset", unique=True),
    Index("ix_occurrences_entry", "entry"),
    Index("ix_occurrences_session", "session", "at"),
    Index("ix_occurrences_stale", "source", sqlite_where=text("is_current = 0")),
    sqlite_strict=True,
    comment="One row a JSON object in a transcript: where it stands and what it claims.",
)

contexts = Table(
    "contexts",
    metadata,
    Column("id", Integer, primary_key=True, comment="xxh3-64 of the rest"),
    _may("cwd", Text),
    _may("git_branch", Text),
    _may("version", Text),
    _may("user_type", Text),
    _may("entrypoint", Text),
    _may("slug", Text),
    _may("team_name", Text),
    sqlite_strict=True,
    comment="What many entries repeat: where and with which version they were written.",
)

details = Table(
    "details",
    metadata,
    Column("id", Integer, primary_key=True, comment="xxh3-64 of the text"),
    _must("json", Text),
    sqlite_strict=True,
    comment="Keys that have no column, as JSON; equal ones once. Long texts cut, images left out.",
)

entries = Table(
    "entries",
    metadata,
    _key(),
    _must("uuid", Text),
    _may("occurrence", doc="the owner, of occurrences"),
    _may("hash", doc="of the object whose content this is"),
    _of("context", "contexts.id", nullable=True),
    _of("details", "details.id", nullable=True),
    _may("type", Text),
    _may("subtype", Text, doc="of a system entry; data.type of progress; attachment.type of an attachment"),
    _may("kind", Text),
    _must("is_typed"),
    _must("is_command"),
    _must("is_sidechain"),
    _must("is_meta"),
    _must("is_compact_summary"),
    _must("is_api_error"),
    _may("is_active"),
    _may("timestamp", Text, doc="as recorded"),
    _may("agent_id", Text, doc="the object's own agentId"),
    _may("named_agent_id", Text, doc="the agent that an agent_progress entry speaks of"),
    _may("tool_use_id", Text, doc="toolUseID of progress, hooks and system entries"),
    _may("parent_tool_use_id", Text),
    _may("source_assistant_uuid", Text, doc="sourceToolAssistantUUID"),
    _may("text", Text, doc="of entries without content blocks"),
    _must("revision"),
    UniqueConstraint("uuid"),
    Index("ix_entries_context", "context"),
    CheckConstraint("kind in ('assistant', 'result', 'prompt', 'boundary', 'side')", name="kind"),
    CheckConstraint("occurrence is null or kind is not null", name="known"),
    sqlite_strict=True,
    comment="One row a distinct uuid, with the owner's content; no owner: a ghost, named but not seen yet.",
)

edges = Table(
    "edges",
    metadata,
    _part_of_key("child", "entries.id"),
    Column("kind", Text, primary_key=True),
    _of("parent", "entries.id"),
    Index("ix_edges_parent", "parent"),
    CheckConstraint("kind in ('parent', 'logical', 'forked_from')", name="kind"),
    sqlite_strict=True,
    sqlite_with_rowid=False,
    comment="Links as the owner's object names them; the parent may be a ghost.",
)

messages = Table(
    "messages",
    metadata,
    _part_of_key("entry", "entries.id"),
    _must("is_wrapped", doc="1: the message an agent_progress entry carries"),
    _may("message_id", Text),
    _may("request_id", Text),
    _may("model", Text),
    _may("stop_reason", Text),
    _may("timestamp", Text, doc="of a wrapped message"),
    _may("input_tokens"),
    _may("output_tokens"),
    _may("cache_creation_tokens"),
    _may("cache_creation_5m_tokens"),
    _may("cache_creation_1h_tokens"),
    _may("cache_read_tokens"),
    _may("web_search_requests"),
    _may("web_fetch_requests"),
    _may("service_tier", Text),
    Index("ix_messages_message_id", "message_id"),
    sqlite_strict=True,
    comment="The API message of an assistant entry, or the one it wraps, with its usage as recorded.",
)

blocks = Table(
    "blocks",
    metadata,
    _key(),
    _of("entry", "entries.id"),
    _must("idx"),
    _may("type", Text),
    _may("text", Text),
    _must("byte_size"),
    _may("media_type", Text),
    _may("details", Text, doc="JSON of a block type that has no columns here"),
    Index("ix_blocks_entry", "entry", "idx", unique=True),
    sqlite_strict=True,
    comment="Content blocks in order; a string content is one text block.",
)

tool_uses = Table(
    "tool_uses",
    metadata,
    _part_of_key("entry", "entries.id"),
    Column("idx", Integer, primary_key=True),
    _may("tool_use_id", Text),
    _may("name", Text),
    _must("input", Text, doc="JSON"),
    Index("ix_tool_uses_tool_use_id", "tool_use_id"),
    sqlite_strict=True,
    comment="Calls: the tool_use blocks.",
)

tool_results = Table(
    "tool_results",
    metadata,
    _part_of_key("entry", "entries.id"),
    Column("idx", Integer, primary_key=True),
    _may("tool_use_id", Text),
    _may("is_error"),
    Index("ix_tool_results_tool_use_id", "tool_use_id"),
    sqlite_strict=True,
    comment="Answers to calls: the tool_result blocks; their text is the block's.",
)

tool_outcomes = Table(
    "tool_outcomes",
    metadata,
    _part_of_key("entry", "entries.id"),
    _may("status", Text),
    _may("exit_code"),
    _may("is_interrupted"),
    _may("duration_ms"),
    _may("agent_id", Text),
    _may("workflow_run", Text),
    _may("file_path", Text),
    _may("lines_added"),
    _may("lines_removed"),
    _may("num_files"),
    _may("num_lines"),
    _may("stdout_bytes"),
    _may("stderr_bytes"),
    _may("total_tokens"),
    _may("total_tool_uses"),
    _may("is_async"),
    _may("background_task_id", Text),
    _may("persisted_path", Text),
    _may("persisted_size"),
    _may("facts", Text, doc="JSON of the rest, long texts and images left out"),
    sqlite_strict=True,
    comment="What toolUseResult says of a result, beyond the text the model saw.",
)

records = Table(
    "records",
    metadata,
    _part_of_key("occurrence", "occurrences.id"),
    _may("timestamp", Text),
    _must("payload", Text, doc="JSON; images left out"),
    sqlite_strict=True,
    comment="Objects without a uuid: queue operations, snapshots, summaries, titles, modes, links.",
)

sidecars = Table(
    "sidecars",
    metadata,
    _part_of_key("source", "sources.id"),
    _may("agent_type", Text),
    _may("description", Text),
    _may("tool_use_id", Text),
    _must("payload", Text),
    Index("ix_sidecars_tool_use_id", "tool_use_id"),
    sqlite_strict=True,
    comment="The latest whole JSON of each agent-*.meta.json and workflow run file.",
)

ranks = Table(
    "ranks",
    metadata,
    _part_of_key("session", "session_ids.id"),
    _must("first_at"),
    _may("first_own_at"),
    sqlite_strict=True,
    comment="Derived: how sessions that share uuids rank when a copy's owner is elected.",
)

drift = Table(
    "drift",
    metadata,
    _key(),
    _of("source", "sources.id"),
    _must("generation"),
    _must("kind", Text),
    _must("name", Text),
    _must("type", Text),
    _must("version", Text),
    _must("count"),
    _must("line_no", doc="of the first"),
    _must("offset", doc="of the first"),
    Index("ix_drift_what", "source", "generation", "kind", "name", "type", "version", unique=True),
    sqlite_strict=True,
    comment="Types and keys this version has no knowledge of, counted by file.",
)

diagnostics = Table(
    "diagnostics",
    metadata,
    _key(),
    _must("kind", Text),
    _must("severity", Text),
    _of("source", "sources.id", nullable=True),
    _may("path", Text, doc="of a place that is no source"),
    _may("generation"),
    _may("line_no"),
    _may("offset"),
    _may("detail", Text),
    Index("ix_diagnostics_source", "source"),
    CheckConstraint("severity in ('info', 'warning', 'error')", name="severity"),
    sqlite_strict=True,
    comment="Things worth telling, found while reading; replaced with what they speak of.",
)
