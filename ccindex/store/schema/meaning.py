"""Derived: what the entries mean: calls with their results, responses and what they cost, subagents, odd copies."""

from sqlalchemy import REAL, CheckConstraint, Column, Index, Table, Text, text

from ccindex.store.schema.columns import key, key_of, may, metadata, must, of

tool_pairs = Table(
    "tool_pairs",
    metadata,
    Column("tool_use_id", Text, primary_key=True),
    key_of("session", "session_ids.id"),
    of("use", "entries.id", nullable=True),
    may("use_idx"),
    of("result", "entries.id", nullable=True),
    may("result_idx"),
    may("timestamp_ms", doc="instant of the call, else of the result"),
    Index("ix_tool_pairs_session", "session"),
    Index("ix_tool_pairs_timestamp_ms", "timestamp_ms"),
    Index("ix_tool_pairs_result", "result", sqlite_where=text("result is not null")),
    CheckConstraint("use is not null or result is not null", name="something"),
    sqlite_strict=True,
    sqlite_with_rowid=False,
    comment="Derived: one row a tool_use id in a session: the call, and the result that answers it.",
)

responses = Table(
    "responses",
    metadata,
    Column("response_id", Text, primary_key=True, comment="message id, else request id, else uuid"),
    of("entry", "entries.id"),
    of("session", "session_ids.id"),
    must("timestamp_ms", doc="instant in UTC milliseconds of that entry"),
    may("model", Text),
    must("entry_count"),
    must("input_tokens"),
    must("output_tokens"),
    must("cache_creation_5m_tokens"),
    must("cache_creation_1h_tokens"),
    must("cache_read_tokens"),
    must("is_final", doc="a stop reason was recorded"),
    may("cost", doc="in billionths of a US dollar; NULL: the model has no price"),
    may("parent", Text, doc="the response it took part in, for an iteration of another model"),
    Index("ix_responses_session", "session"),
    sqlite_strict=True,
    sqlite_with_rowid=False,
    comment="Derived: API responses: the entry each belongs to, and the usage of its fullest snapshot.",
)

model_prices = Table(
    "model_prices",
    metadata,
    Column("model", Text, primary_key=True),
    Column("day", Text, primary_key=True),
    key("above", doc="the rates hold for responses with more input tokens than these"),
    may("input", REAL, doc="US dollars for a million tokens; NULL: the model has no price"),
    may("output", REAL),
    may("cache_read", REAL),
    may("cache_write_5m", REAL),
    may("cache_write_1h", REAL),
    sqlite_strict=True,
    sqlite_with_rowid=False,
    comment="Derived: list prices of the models seen on the days they were seen.",
)

agents = Table(
    "agents",
    metadata,
    key_of("session", "session_ids.id"),
    Column("agent_id", Text, primary_key=True),
    of("thread", "threads.id", nullable=True),
    must("name", Text),
    must("kind", Text),
    may("depth"),
    may("parent_agent_id", Text),
    of("spawn", "entries.id", nullable=True),
    may("rule", Text, doc="that found the spawn; recorded: its first entry names it"),
    may("tool_use_id", Text),
    of("call", "entries.id", nullable=True),
    of("result", "entries.id", nullable=True),
    of("told", "entries.id", nullable=True),
    must("status", Text),
    must("entry_count"),
    of("first_entry", "entries.id", nullable=True),
    of("last_entry", "entries.id", nullable=True),
    may("workflow_run", Text),
    Index("ix_agents_thread", "thread"),
    Index("ix_agents_tool_use_id", "tool_use_id"),
    CheckConstraint("kind in ('task', 'async', 'teammate', 'workflow', 'unknown')", name="kind"),
    CheckConstraint("status in ('completed', 'failed', 'interrupted', 'running', 'unknown')", name="status"),
    sqlite_strict=True,
    sqlite_with_rowid=False,
    comment="Derived: subagents, whether or not there is a transcript of them.",
)

copy_conflicts = Table(
    "copy_conflicts",
    metadata,
    key_of("entry", "entries.id"),
    must("keys", Text, doc="that differ, sorted, comma-separated"),
    must("severity", Text, doc="info: the content is the same"),
    sqlite_strict=True,
    comment="Derived: uuids of which current copies say different things, save whose they are.",
)
