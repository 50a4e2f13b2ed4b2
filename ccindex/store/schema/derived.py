"""Derived: rows that can be dropped and made again from recorded ones at any time."""

from sqlalchemy import CheckConstraint, Column, Index, Table, Text, text

from ccindex.store.schema.columns import key, key_of, may, metadata, must, of

session_ranks = Table(
    "session_ranks",
    metadata,
    key_of("session", "session_ids.id"),
    must("first_at"),
    may("first_own_at"),
    sqlite_strict=True,
    comment="Derived: how sessions that share uuids rank when a copy's owner is elected.",
)

sessions = Table(
    "sessions",
    metadata,
    key_of("session", "session_ids.id"),
    must("family", doc="sessions that hang together have one number, and are derived together"),
    must("relation", Text),
    of("parent", "session_ids.id", nullable=True),
    of("attachment", "entries.id", nullable=True),
    of("first_entry", "entries.id", nullable=True),
    of("last_entry", "entries.id", nullable=True),
    of("first_prompt", "entries.id", nullable=True),
    may("title", Text),
    must("entry_count"),
    must("line_count"),
    must("branch_count"),
    must("agent_count"),
    must("compaction_count"),
    may("model_names", Text),
    may("project", Text, doc="of its earliest entry"),
    may("first_at", doc="instant of first_entry"),
    may("last_at", doc="instant of last_entry"),
    may("first_words", Text, doc="of first_prompt, where they differ from its text: after an editor's context"),
    may("worktree", Text, doc="path of the git worktree it was last in; NULL: none, or it left it"),
    may("relocated_from", Text, doc="working directory before the last move that was recorded"),
    may("relocated_to", Text, doc="working directory after it"),
    may("teleported_from", Text, doc="id of the remote session it was fetched from"),
    Index("ix_sessions_family", "family"),
    Index("ix_sessions_last_at", "last_at"),
    CheckConstraint("relation in ('root', 'continues', 'forks')", name="relation"),
    sqlite_strict=True,
    comment="Derived: one row a session id that an entry's occurrence claims.",
)

threads = Table(
    "threads",
    metadata,
    key(),
    of("session", "session_ids.id"),
    must("thread_id", Text),
    may("agent_id", Text, doc="NULL: the session's trunk"),
    Index("ix_threads_session", "session"),
    sqlite_strict=True,
    comment="Derived: a session's trunk, or one agent of it.",
)

lines = Table(
    "lines",
    metadata,
    key(),
    of("thread", "threads.id"),
    must("line_id", Text),
    must("kind", Text),
    of("parent", "lines.id", nullable=True),
    may("parent_position", doc="how far a path follows the parent line: to the attachment, or to the fork above it"),
    of("attachment", "entries.id", nullable=True),
    of("first_entry", "entries.id"),
    of("last_entry", "entries.id"),
    must("entry_count"),
    must("is_active"),
    Index("ix_lines_thread", "thread"),
    Index("ix_lines_line_id", "line_id"),
    Index("ix_lines_parent", "parent"),
    CheckConstraint("kind in ('trunk', 'branch', 'agent', 'agent_branch')", name="kind"),
    sqlite_strict=True,
    comment="Derived: DAG-lines. first_entry and last_entry are by time.",
)

placements = Table(
    "placements",
    metadata,
    key_of("entry", "entries.id"),
    of("thread", "threads.id"),
    of("line", "lines.id", nullable=True),
    may("position"),
    may("set_aside_reason", Text, doc="why it is on no line"),
    of("fork", "entries.id", nullable=True),  # that set it aside, or put it on the line beside what goes on
    of("effective_parent", "entries.id", nullable=True),
    of("fork_line", "lines.id", nullable=True),  # of an entry that was set aside: the line that owns the fork
    Index("ix_placements_effective_parent", "effective_parent", sqlite_where=text("effective_parent is not null")),
    Index("ix_placements_line", "line", "position", sqlite_where=text("line is not null")),
    Index("ix_placements_fork", "fork", sqlite_where=text("fork is not null")),
    CheckConstraint("set_aside_reason in ('replay', 'structural')", name="set_aside_reason"),
    CheckConstraint(
        "(line is null) = (position is null) and (line is null) = (set_aside_reason is not null) "
        "and (line is null) = (fork_line is not null) and (line is not null or fork is not null)",
        name="accounted",
    ),
    sqlite_strict=True,
    comment="Derived: where each entry is: its effective parent; its place on a line, or the fork that set it aside.",
)

parent_repairs = Table(
    "parent_repairs",
    metadata,
    key_of("child", "entries.id"),
    Column("kind", Text, primary_key=True),
    of("thread", "threads.id"),
    of("parent", "entries.id", nullable=True),
    may("rule", Text, doc="that found the spawn"),
    Index("ix_parent_repairs_thread", "thread"),
    Index("ix_parent_repairs_parent", "parent"),
    CheckConstraint("kind in ('spawn', 'cut')", name="kind"),
    sqlite_strict=True,
    sqlite_with_rowid=False,
    comment="Derived: where effective parents differ from recorded ones.",
)

roots = Table(
    "roots",
    metadata,
    key_of("entry", "entries.id"),
    of("thread", "threads.id"),
    must("kind", Text),
    must("is_expected"),
    Index("ix_roots_thread", "thread"),
    sqlite_strict=True,
    comment="Derived: entries without a parent in their thread.",
)

forks = Table(
    "forks",
    metadata,
    key_of("entry", "entries.id"),
    key_of("thread", "threads.id"),
    of("line", "lines.id"),
    must("position", doc="of the entry on the line; if it was set aside, of the fork that did it"),
    must("rung"),
    must("verdict", Text),
    must("child_count"),
    must("reason", Text),
    Index("ix_forks_thread", "thread"),
    Index("ix_forks_line", "line"),
    sqlite_strict=True,
    sqlite_with_rowid=False,
    comment="Derived: rulings on several children of an entry in one thread, which is theirs.",
)

junctions = Table(
    "junctions",
    metadata,
    key_of("entry", "entries.id"),
    key_of("target", "lines.id"),
    of("thread", "threads.id"),
    must("kind", Text),
    must("ordinal"),
    Index("ix_junctions_thread", "thread"),
    Index("ix_junctions_target", "target"),
    CheckConstraint("kind in ('resume', 'fork', 'rewind', 'retry', 'agent')", name="kind"),
    sqlite_strict=True,
    sqlite_with_rowid=False,
    comment="Derived: entries that lines leave from; thread is the entry's.",
)

paths = Table(
    "paths",
    metadata,
    key_of("line", "lines.id"),
    must("number", doc="within the session, conversation and agents apart"),
    of("root", "entries.id"),
    of("leaf", "entries.id"),
    of("fork", "entries.id", nullable=True),
    must("entry_count"),
    must("compaction_count"),
    Index("ix_paths_leaf", "leaf"),
    sqlite_strict=True,
    comment="Derived: paths, each by the line it ends on.",
)

graph_diagnostics = Table(
    "graph_diagnostics",
    metadata,
    key_of("entry", "entries.id"),
    Column("kind", Text, primary_key=True),
    of("thread", "threads.id"),
    must("severity", Text),
    may("detail", Text),
    Index("ix_graph_diagnostics_thread", "thread"),
    sqlite_strict=True,
    sqlite_with_rowid=False,
    comment="Derived: things worth telling about entries, replaced with what they speak of.",
)

queued_words = Table(
    "queued_words",
    metadata,
    key_of("occurrence", "occurrences.id"),
    of("session", "session_ids.id"),
    of("entry", "entries.id", nullable=True),  # next to which they are shown; NULL: the session's trunk has none
    must("text", Text),
    must("timestamp_ms", doc="instant of the enqueue operation"),
    must("removed_by", Text, doc="the operation: remove or popAll"),
    must("removed_at", doc="instant of that operation"),
    must("is_before", doc="1: they precede the entry; 0: they follow it"),
    Index("ix_queued_words_session", "session"),
    Index("ix_queued_words_entry", "entry"),
    CheckConstraint("removed_by in ('remove', 'popAll')", name="removed_by"),
    sqlite_strict=True,
    comment="Derived: words that a person queued, that were removed from the queue and that no entry holds.",
)
