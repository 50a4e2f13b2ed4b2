"""The tables of an index, with their row types, indexes and constraints."""

from ccindex.model import derived, recorded, sources, usage_rows
from ccindex.model.columns import Index, Table
from ccindex.model.recorded import EntryKey

# rows that cannot be rebuilt from the archive
SOURCE_TABLES = (
    Table("meta", sources.Meta, has_rowid=False),
    Table("ingest_runs", sources.IngestRunRow, has_id=True),
    Table("sources", sources.Source, indexes=(Index("session_hint"),), has_id=True),
    Table(
        "generations",
        sources.GenerationKey,
        sources.FileState,
        sources.ReadPosition,
        sources.GenerationTime,
        has_rowid=False,
    ),
    Table("chunks", sources.ArchiveChunk, has_id=True),
    Table("extents", sources.InGeneration, sources.ExtentRow, has_rowid=False),
    Table("redactions", sources.InGeneration, sources.Redaction, has_rowid=False),
    Table("tombstones", sources.Tombstone, sources.TombstoneTime, has_rowid=False),
    Table("diagnostics", sources.StoredDiagnostic, indexes=(Index("source"),), has_id=True),
    Table("model_prices", derived.ModelPrice, has_rowid=False),
)

# rows with the content of files, which can be rebuilt from the archive
RECORDED_TABLES = (
    Table("session_ids", recorded.SessionId, has_id=True),
    Table(
        "occurrences",
        recorded.Occurrence,
        indexes=(
            Index("source", "generation", "offset", name="location", is_unique=True),
            Index("entry", "session", name="entry"),
            Index("session", "timestamp_ms", name="session"),
            Index("session", "type", name="records", where="entry is null"),
            Index("source", name="stale", where="is_current = 0"),
        ),
    ),
    Table("entry_contexts", recorded.ContentHash, recorded.EntryContext, has_id=True),
    Table("entry_traits", recorded.ContentHash, recorded.EntryTraits, has_id=True),
    Table("extra_json", recorded.ContentHash, recorded.ExtraJson, has_id=True),
    Table(
        "entries",
        recorded.EntryHead,
        recorded.EntryColumns,
        indexes=(Index("parent_tool_use_id", name="named", where="named_agent_id is not null"),),
        checks=("occurrence is null or traits is not null",),
    ),
    Table("edges", recorded.Edge, indexes=(Index("parent"),), has_rowid=False),
    Table("messages", EntryKey, recorded.Message, indexes=(Index("response_id"),)),
    Table("iterations", EntryKey, recorded.Iteration, indexes=(Index("response_id"),), has_rowid=False),
    Table(
        "blocks",
        recorded.EntryRef,
        recorded.Block,
        indexes=(Index("entry", "idx", name="entry", is_unique=True),),
        has_id=True,
    ),
    Table("tool_uses", EntryKey, recorded.ToolUse, indexes=(Index("tool_use_id"), Index("name"))),
    Table("tool_results", EntryKey, recorded.ToolResult, indexes=(Index("tool_use_id"),)),
    Table("agent_mentions", EntryKey, recorded.Mention, has_rowid=False),
    Table("file_touches", EntryKey, recorded.FileTouch, has_rowid=False),
    Table(
        "task_notices",
        recorded.NoticeOrigin,
        recorded.Notice,
        indexes=(Index("entry"), Index("record"), Index("task_id")),
        checks=("(entry is null) <> (record is null)",),
        has_id=True,
    ),
    Table("tool_outcomes", EntryKey, recorded.ToolOutcome),
    Table("records", recorded.RecordKey, recorded.Record, indexes=(Index("leaf", where="leaf is not null"),)),
    Table("sidecars", recorded.SidecarKey, recorded.StoredSidecar, indexes=(Index("tool_use_id"),)),
    Table(
        "drift",
        sources.DriftKey,
        recorded.Unknown,
        sources.FirstSeen,
        indexes=(Index("source", "generation", "kind", "name", "type", "version", name="unknown", is_unique=True),),
        has_id=True,
    ),
)

# rows that are computed from recorded rows
DERIVED_TABLES = (
    Table("session_ranks", derived.SessionRank),
    Table(
        "sessions",
        derived.SessionKey,
        derived.SessionGraph,
        derived.SessionSpan,
        indexes=(Index("family"), Index("last_timestamp_ms")),
    ),
    Table("threads", derived.StoredThread, indexes=(Index("session"),)),
    Table("lines", derived.StoredLine, indexes=(Index("thread"), Index("line_id"), Index("parent"))),
    Table(
        "placements",
        derived.StoredPlacement,
        indexes=(
            Index("effective_parent", where="effective_parent is not null"),
            Index("line", "position", name="line", where="line is not null"),
            Index("fork", where="fork is not null"),
        ),
        checks=(
            "(line is null) = (position is null)",
            "(line is null) = (set_aside_reason is not null)",
            "(line is null) = (fork_line is not null)",
            "line is not null or fork is not null",
        ),
    ),
    Table("parent_repairs", derived.ParentRepair, indexes=(Index("thread"), Index("parent")), has_rowid=False),
    Table("roots", derived.StoredRoot, indexes=(Index("thread"),)),
    Table("forks", derived.StoredFork, indexes=(Index("thread"), Index("line")), has_rowid=False),
    Table("junctions", derived.StoredJunction, indexes=(Index("thread"), Index("target")), has_rowid=False),
    Table("paths", derived.StoredPath, indexes=(Index("leaf"),)),
    Table("graph_diagnostics", derived.GraphDiagnostic, indexes=(Index("thread"),), has_rowid=False),
    Table("queued_words", derived.QueuedWords, indexes=(Index("session"), Index("entry"))),
    Table(
        "tool_pairs",
        derived.ToolPair,
        indexes=(Index("session"), Index("timestamp_ms"), Index("result", where="result is not null")),
        checks=("use is not null or result is not null",),
    ),
    Table("responses", derived.StoredResponse, indexes=(Index("session"),)),
    Table("agents", derived.StoredAgent, indexes=(Index("thread"), Index("tool_use_id")), has_rowid=False),
    Table("copy_conflicts", derived.CopyConflict),
    Table("usage_totals", usage_rows.UsageRow, indexes=(Index("session"),)),
    Table("tool_totals", usage_rows.ToolUsageRow, indexes=(Index("session"),)),
)

TABLES = {table.name: table for table in (*SOURCE_TABLES, *RECORDED_TABLES, *DERIVED_TABLES)}
