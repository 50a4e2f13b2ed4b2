"""Derived: what sessions come to, counted once, so that statistics need not read every entry."""

from sqlalchemy import Index, Table, Text

from ccindex.store.schema.columns import may, metadata, must, of

usage_totals = Table(
    "usage_totals",
    metadata,
    of("session", "session_ids.id"),
    may("day", doc="since 1970-01-01, in UTC; NULL: no instant is known"),
    may("agent_id", Text, doc="NULL: the session's own"),
    may("model", Text),
    must("entries"),
    must("spans", Text, doc="instants, comma-separated: where entries begin and end that no long gap parts, and so on"),
    must("responses"),
    must("input_tokens"),
    must("output_tokens"),
    must("cache_creation_tokens"),
    must("cache_read_tokens"),
    must("priced", doc="responses whose model has a price"),
    must("dollars", doc="what these cost, in whole US dollars"),
    must("billionths", doc="and in billionths of one beyond them"),
    Index("ix_usage_totals_session", "session"),
    sqlite_strict=True,
    comment="Derived: entries and responses of a session, by day, agent and model.",
)

tool_totals = Table(
    "tool_totals",
    metadata,
    of("session", "session_ids.id"),
    may("day", doc="since 1970-01-01, in UTC; NULL: no instant is known"),
    may("agent_id", Text, doc="NULL: the session's own"),
    may("model", Text, doc="of the response that made the calls"),
    must("name", Text, doc="of the tool"),
    must("calls"),
    must("answered"),
    must("failed", doc="with an error, refused ones too"),
    must("refused", doc="by the user, or interrupted"),
    must("rejections"),
    must("errors", doc="without refused ones"),
    must("durations", Text, doc="milliseconds from call to result, ascending, comma-separated"),
    must("first_at"),
    must("last_at"),
    Index("ix_tool_totals_session", "session"),
    sqlite_strict=True,
    comment="Derived: calls of tools in a session, by day, agent, model and tool.",
)
