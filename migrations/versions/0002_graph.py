"""Create the graph tables: threads, lines, placements, rulings, junctions, sessions and paths."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Upgrade the schema by one revision."""
    op.create_table(
        "threads",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("session", sa.Integer(), nullable=False),
        sa.Column("thread_id", sa.Text(), nullable=False),
        sa.Column("agent_id", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["session"], ["session_ids.id"], name="fk_threads_session"),
        sa.PrimaryKeyConstraint("id", name="pk_threads"),
        sqlite_strict=True,
    )
    op.create_index("ix_threads_session", "threads", ["session"], unique=False)

    op.create_table(
        "findings",
        sa.Column("entry", sa.Integer(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("thread", sa.Integer(), nullable=False),
        sa.Column("severity", sa.Text(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["entry"], ["entries.id"], name="fk_findings_entry"),
        sa.ForeignKeyConstraint(["thread"], ["threads.id"], name="fk_findings_thread"),
        sa.PrimaryKeyConstraint("entry", "kind", name="pk_findings"),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )
    op.create_index("ix_findings_thread", "findings", ["thread"], unique=False)

    op.create_table(
        "lines",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("thread", sa.Integer(), nullable=False),
        sa.Column("line_id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("parent", sa.Integer(), nullable=True),
        sa.Column("parent_position", sa.Integer(), nullable=True),
        sa.Column("attachment", sa.Integer(), nullable=True),
        sa.Column("first_entry", sa.Integer(), nullable=False),
        sa.Column("last_entry", sa.Integer(), nullable=False),
        sa.Column("entry_count", sa.Integer(), nullable=False),
        sa.Column("is_active", sa.Integer(), nullable=False),
        sa.CheckConstraint("kind in ('trunk', 'branch', 'agent', 'agent_branch')", name="ck_lines_kind"),
        sa.ForeignKeyConstraint(["attachment"], ["entries.id"], name="fk_lines_attachment"),
        sa.ForeignKeyConstraint(["first_entry"], ["entries.id"], name="fk_lines_first_entry"),
        sa.ForeignKeyConstraint(["last_entry"], ["entries.id"], name="fk_lines_last_entry"),
        sa.ForeignKeyConstraint(["parent"], ["lines.id"], name="fk_lines_parent"),
        sa.ForeignKeyConstraint(["thread"], ["threads.id"], name="fk_lines_thread"),
        sa.PrimaryKeyConstraint("id", name="pk_lines"),
        sqlite_strict=True,
    )
    op.create_index("ix_lines_line_id", "lines", ["line_id"], unique=False)
    op.create_index("ix_lines_parent", "lines", ["parent"], unique=False)
    op.create_index("ix_lines_thread", "lines", ["thread"], unique=False)

    op.create_table(
        "mentions",
        sa.Column("entry", sa.Integer(), nullable=False),
        sa.Column("idx", sa.Integer(), nullable=False),
        sa.Column("agent_id", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["entry"], ["entries.id"], name="fk_mentions_entry"),
        sa.PrimaryKeyConstraint("entry", "idx", "agent_id", name="pk_mentions"),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )
    op.create_table(
        "repairs",
        sa.Column("child", sa.Integer(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("thread", sa.Integer(), nullable=False),
        sa.Column("parent", sa.Integer(), nullable=True),
        sa.Column("rule", sa.Text(), nullable=True),
        sa.CheckConstraint("kind in ('spawn', 'cut')", name="ck_repairs_kind"),
        sa.ForeignKeyConstraint(["child"], ["entries.id"], name="fk_repairs_child"),
        sa.ForeignKeyConstraint(["parent"], ["entries.id"], name="fk_repairs_parent"),
        sa.ForeignKeyConstraint(["thread"], ["threads.id"], name="fk_repairs_thread"),
        sa.PrimaryKeyConstraint("child", "kind", name="pk_repairs"),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )
    op.create_index("ix_repairs_parent", "repairs", ["parent"], unique=False)
    op.create_index("ix_repairs_thread", "repairs", ["thread"], unique=False)

    op.create_table(
        "roots",
        sa.Column("entry", sa.Integer(), nullable=False),
        sa.Column("thread", sa.Integer(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("is_expected", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["entry"], ["entries.id"], name="fk_roots_entry"),
        sa.ForeignKeyConstraint(["thread"], ["threads.id"], name="fk_roots_thread"),
        sa.PrimaryKeyConstraint("entry", name="pk_roots"),
        sqlite_strict=True,
    )
    op.create_index("ix_roots_thread", "roots", ["thread"], unique=False)

    op.create_table(
        "sessions",
        sa.Column("session", sa.Integer(), nullable=False),
        sa.Column("family", sa.Integer(), nullable=False),
        sa.Column("relation", sa.Text(), nullable=False),
        sa.Column("parent", sa.Integer(), nullable=True),
        sa.Column("attachment", sa.Integer(), nullable=True),
        sa.Column("first_entry", sa.Integer(), nullable=True),
        sa.Column("last_entry", sa.Integer(), nullable=True),
        sa.Column("first_prompt", sa.Integer(), nullable=True),
        sa.Column("title", sa.Text(), nullable=True),
        sa.Column("entry_count", sa.Integer(), nullable=False),
        sa.Column("line_count", sa.Integer(), nullable=False),
        sa.Column("branch_count", sa.Integer(), nullable=False),
        sa.Column("agent_count", sa.Integer(), nullable=False),
        sa.Column("compaction_count", sa.Integer(), nullable=False),
        sa.Column("model_names", sa.Text(), nullable=True),
        sa.CheckConstraint("relation in ('root', 'continues', 'forks')", name="ck_sessions_relation"),
        sa.ForeignKeyConstraint(["attachment"], ["entries.id"], name="fk_sessions_attachment"),
        sa.ForeignKeyConstraint(["first_entry"], ["entries.id"], name="fk_sessions_first_entry"),
        sa.ForeignKeyConstraint(["first_prompt"], ["entries.id"], name="fk_sessions_first_prompt"),
        sa.ForeignKeyConstraint(["last_entry"], ["entries.id"], name="fk_sessions_last_entry"),
        sa.ForeignKeyConstraint(["parent"], ["session_ids.id"], name="fk_sessions_parent"),
        sa.ForeignKeyConstraint(["session"], ["session_ids.id"], name="fk_sessions_session"),
        sa.PrimaryKeyConstraint("session", name="pk_sessions"),
        sqlite_strict=True,
    )
    op.create_index("ix_sessions_family", "sessions", ["family"], unique=False)

    op.create_table(
        "forks",
        sa.Column("entry", sa.Integer(), nullable=False),
        sa.Column("thread", sa.Integer(), nullable=False),
        sa.Column("line", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("rung", sa.Integer(), nullable=False),
        sa.Column("verdict", sa.Text(), nullable=False),
        sa.Column("child_count", sa.Integer(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["entry"], ["entries.id"], name="fk_forks_entry"),
        sa.ForeignKeyConstraint(["line"], ["lines.id"], name="fk_forks_line"),
        sa.ForeignKeyConstraint(["thread"], ["threads.id"], name="fk_forks_thread"),
        sa.PrimaryKeyConstraint("entry", "thread", name="pk_forks"),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )
    op.create_index("ix_forks_line", "forks", ["line"], unique=False)
    op.create_index("ix_forks_thread", "forks", ["thread"], unique=False)

    op.create_table(
        "junctions",
        sa.Column("entry", sa.Integer(), nullable=False),
        sa.Column("target", sa.Integer(), nullable=False),
        sa.Column("thread", sa.Integer(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.CheckConstraint("kind in ('resume', 'fork', 'rewind', 'agent')", name="ck_junctions_kind"),
        sa.ForeignKeyConstraint(["entry"], ["entries.id"], name="fk_junctions_entry"),
        sa.ForeignKeyConstraint(["target"], ["lines.id"], name="fk_junctions_target"),
        sa.ForeignKeyConstraint(["thread"], ["threads.id"], name="fk_junctions_thread"),
        sa.PrimaryKeyConstraint("entry", "target", name="pk_junctions"),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )
    op.create_index("ix_junctions_target", "junctions", ["target"], unique=False)
    op.create_index("ix_junctions_thread", "junctions", ["thread"], unique=False)

    op.create_table(
        "paths",
        sa.Column("line", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("root", sa.Integer(), nullable=False),
        sa.Column("leaf", sa.Integer(), nullable=False),
        sa.Column("fork", sa.Integer(), nullable=True),
        sa.Column("entry_count", sa.Integer(), nullable=False),
        sa.Column("compaction_count", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["fork"], ["entries.id"], name="fk_paths_fork"),
        sa.ForeignKeyConstraint(["leaf"], ["entries.id"], name="fk_paths_leaf"),
        sa.ForeignKeyConstraint(["line"], ["lines.id"], name="fk_paths_line"),
        sa.ForeignKeyConstraint(["root"], ["entries.id"], name="fk_paths_root"),
        sa.PrimaryKeyConstraint("line", name="pk_paths"),
        sqlite_strict=True,
    )
    op.create_index("ix_paths_leaf", "paths", ["leaf"], unique=False)

    op.create_table(
        "places",
        sa.Column("entry", sa.Integer(), nullable=False),
        sa.Column("thread", sa.Integer(), nullable=False),
        sa.Column("line", sa.Integer(), nullable=True),
        sa.Column("position", sa.Integer(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("fork", sa.Integer(), nullable=True),
        sa.Column("parent", sa.Integer(), nullable=True),
        sa.CheckConstraint("reason in ('replay', 'dead_end', 'structural')", name="ck_places_reason"),
        sa.CheckConstraint(
            "(line is null) = (position is null) and (line is null) = (reason is not null) "
            "and (line is not null or fork is not null)",
            name="ck_places_accounted",
        ),
        sa.ForeignKeyConstraint(["entry"], ["entries.id"], name="fk_places_entry"),
        sa.ForeignKeyConstraint(["fork"], ["entries.id"], name="fk_places_fork"),
        sa.ForeignKeyConstraint(["line"], ["lines.id"], name="fk_places_line"),
        sa.ForeignKeyConstraint(["parent"], ["entries.id"], name="fk_places_parent"),
        sa.ForeignKeyConstraint(["thread"], ["threads.id"], name="fk_places_thread"),
        sa.PrimaryKeyConstraint("entry", name="pk_places"),
        sqlite_strict=True,
    )
    op.create_index("ix_places_fork", "places", ["fork"], unique=False, sqlite_where=sa.text("fork is not null"))
    op.create_index(
        "ix_places_line", "places", ["line", "position"], unique=False, sqlite_where=sa.text("line is not null")
    )
    op.create_index("ix_places_parent", "places", ["parent"], unique=False, sqlite_where=sa.text("parent is not null"))

    op.create_index(
        "ix_entries_named",
        "entries",
        ["parent_tool_use_id"],
        unique=False,
        sqlite_where=sa.text("named_agent_id is not null"),
    )

    op.create_index(
        "ix_occurrences_titles",
        "occurrences",
        ["session"],
        unique=False,
        sqlite_where=sa.text("type in ('custom-title', 'ai-title', 'summary') and entry is null"),
    )

    op.add_column("records", sa.Column("leaf", sa.Text(), nullable=True))
    op.create_index("ix_records_leaf", "records", ["leaf"], unique=False, sqlite_where=sa.text("leaf is not null"))

    op.add_column("sidecars", sa.Column("name", sa.Text(), nullable=True))

    op.create_index("ix_sources_session_hint", "sources", ["session_hint"], unique=False)
