"""The index itself, the files it was made from, and their bytes."""

from sqlalchemy import CheckConstraint, Column, Index, LargeBinary, Table, Text, UniqueConstraint

from ccindex.store.schema.columns import key, key_of, may, metadata, must, of

meta = Table(
    "meta",
    metadata,
    Column("key", Text, primary_key=True),
    must("value", Text),
    sqlite_strict=True,
    sqlite_with_rowid=False,
    comment="What the index says of itself: versions and the revision.",
)

ingest_runs = Table(
    "ingest_runs",
    metadata,
    key(),
    must("started_at", Text),
    may("finished_at", Text),
    must("status", Text),
    must("files_seen"),
    must("files_read"),
    must("bytes_read"),
    must("lines_read"),
    must("entries_added"),
    must("malformed_lines"),
    CheckConstraint("status in ('running', 'ok', 'interrupted', 'failed')", name="status"),
    sqlite_strict=True,
    comment="One row a run of ingest that changed something.",
)

sources = Table(
    "sources",
    metadata,
    key(),
    must("path", Text, doc="absolute, links resolved; bytes that are no UTF-8 as \\udcXX"),
    may("raw_path", LargeBinary, doc="the name's bytes, where they are no UTF-8"),
    must("role", Text),
    must("project", Text),
    may("session_hint", Text, doc="the <sessionId> of <sessionId>/subagents"),
    may("agent_id", Text, doc="of agent-<id>.jsonl and agent-<id>.meta.json"),
    may("workflow_run", Text, doc="the run's folder or file name"),
    must("generation", doc="the current one, from 1"),
    must("is_missing"),
    must("first_indexed_at", Text),
    UniqueConstraint("path"),
    Index("ix_sources_session_hint", "session_hint"),
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
    key_of("source", "sources.id"),
    key("number"),
    must("device"),
    must("inode"),
    must("size"),
    must("mtime_ns"),
    must("archived", doc="bytes in the archive, a torn tail included"),
    must("offset", doc="bytes taken: where the next read starts to parse"),
    must("line_no", doc="of the line that holds offset, from 1"),
    must("line_objects", doc="objects taken from that line so far"),
    must("malformed"),
    must("saw_crlf"),
    must("is_torn"),
    may("last_at", doc="instant of the latest object that had one of its own"),
    may("last_session", Text, doc="session id of the latest object that had one of its own"),
    must("head_hash", doc="of the first 4 KiB archived"),
    must("tail_hash", doc="of the last 4 KiB archived"),
    must("last_indexed_at", Text),
    sqlite_strict=True,
    sqlite_with_rowid=False,
    comment="One row a lifetime of a file's content; a rewrite begins the next. Holds the read position.",
)

chunks = Table(
    "chunks",
    metadata,
    key(),
    must("hash", LargeBinary, doc="xxh3-128 of the raw bytes"),
    must("raw_size"),
    must("data", LargeBinary, doc="one zstd frame with checksum"),
    UniqueConstraint("hash"),
    sqlite_strict=True,
    comment="The archive: recorded bytes, compressed, each content once, never rewritten.",
)

extents = Table(
    "extents",
    metadata,
    key_of("source", "sources.id"),
    key("generation"),
    key("start"),
    must("length"),
    of("chunk", "chunks.id"),
    sqlite_strict=True,
    sqlite_with_rowid=False,
    comment="Which chunk holds which bytes of a generation; extents of one generation leave no gap.",
)

redactions = Table(
    "redactions",
    metadata,
    key_of("source", "sources.id"),
    key("generation"),
    key("start"),
    must("length"),
    sqlite_strict=True,
    sqlite_with_rowid=False,
    comment="Bytes of a generation that the archive holds as blanks, because what stood there was forgotten.",
)

tombstones = Table(
    "tombstones",
    metadata,
    Column("kind", Text, primary_key=True),
    Column("name", Text, primary_key=True),
    must("forgotten_at", Text),
    CheckConstraint("kind in ('session', 'project', 'file', 'leaf')", name="kind"),
    sqlite_strict=True,
    sqlite_with_rowid=False,
    comment="What may not come back: session ids, projects, paths of files, leaves that summaries elsewhere name.",
)

drift = Table(
    "drift",
    metadata,
    key(),
    of("source", "sources.id"),
    must("generation"),
    must("kind", Text),
    must("name", Text),
    must("type", Text),
    must("version", Text),
    must("count"),
    must("line_no", doc="of the first"),
    must("offset", doc="of the first"),
    Index("ix_drift_what", "source", "generation", "kind", "name", "type", "version", unique=True),
    sqlite_strict=True,
    comment="Types and keys this version has no knowledge of, counted by file.",
)

diagnostics = Table(
    "diagnostics",
    metadata,
    key(),
    must("kind", Text),
    must("severity", Text),
    of("source", "sources.id", nullable=True),
    may("path", Text, doc="of a place that is no source"),
    may("generation"),
    may("session_id", Text, doc="claimed by the folder, else by the nearest object before it"),
    may("line_no"),
    may("offset"),
    may("detail", Text),
    Index("ix_diagnostics_source", "source"),
    CheckConstraint("severity in ('info', 'warning', 'error')", name="severity"),
    sqlite_strict=True,
    comment="Things worth telling, found while reading; replaced with what they speak of.",
)
