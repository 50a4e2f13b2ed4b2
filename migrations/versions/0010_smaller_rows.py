"""Store what entries share once, and store tool pairs and responses in tables with a rowid, whose indexes are smaller.

The tables are dropped and created again, because their rows are rebuilt from the archive afterwards.
"""

from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

_REPLACED = ("entries", "entry_contexts", "extra_json", "responses", "tool_outcomes", "tool_pairs")
_CREATED = (
    """
create table entry_contexts (
    id integer not null primary key,
    hash integer not null,
    cwd text,
    git_branch text,
    version text,
    user_type text,
    entrypoint text,
    slug text,
    team_name text,
    constraint uq_entry_contexts_hash unique (hash)
) strict
""",
    """
create table entry_traits (
    id integer not null primary key,
    hash integer not null,
    type text,
    subtype text,
    kind text not null,
    form text,
    is_typed integer not null,
    is_command integer not null,
    is_sidechain integer not null,
    is_meta integer not null,
    is_compact_summary integer not null,
    is_api_error integer not null,
    is_active integer,
    constraint uq_entry_traits_hash unique (hash),
    check (kind in ('assistant', 'result', 'prompt', 'boundary', 'side'))
) strict
""",
    """
create table extra_json (
    id integer not null primary key,
    hash integer not null,
    json text not null,
    constraint uq_extra_json_hash unique (hash)
) strict
""",
    """
create table entries (
    id integer not null primary key,
    uuid text not null,
    occurrence integer,
    revision integer not null,
    hash integer,
    context integer references entry_contexts (id),
    details integer references extra_json (id),
    traits integer references entry_traits (id),
    timestamp text,
    agent_id text,
    named_agent_id text,
    tool_use_id text,
    parent_tool_use_id text,
    source_assistant_uuid text,
    text text,
    constraint uq_entries_uuid unique (uuid),
    check (occurrence is null or traits is not null)
) strict
""",
    """
create table tool_outcomes (
    entry integer not null primary key references entries (id),
    status text,
    exit_code integer,
    is_interrupted integer,
    duration_ms integer,
    agent_id text,
    workflow_run text,
    file_path text,
    lines_added integer,
    lines_removed integer,
    num_files integer,
    num_lines integer,
    stdout_bytes integer,
    stderr_bytes integer,
    total_tokens integer,
    total_tool_uses integer,
    is_async integer,
    background_task_id text,
    persisted_path text,
    persisted_size integer,
    facts integer references extra_json (id),
    denial_kind text
) strict
""",
    "create index ix_entries_named on entries (parent_tool_use_id) where named_agent_id is not null",
    """
create table tool_pairs (
    tool_use_id text not null,
    session integer not null references session_ids (id),
    use integer references entries (id),
    use_idx integer,
    result integer references entries (id),
    result_idx integer,
    timestamp_ms integer,
    duration_ms integer,
    outcome text not null,
    primary key (tool_use_id, session),
    check (outcome in ('pending', 'ok', 'error', 'refused', 'interrupted')),
    check (use is not null or result is not null)
) strict
""",
    "create index ix_tool_pairs_session on tool_pairs (session)",
    "create index ix_tool_pairs_timestamp_ms on tool_pairs (timestamp_ms)",
    "create index ix_tool_pairs_result on tool_pairs (result) where result is not null",
    """
create table responses (
    response_id text not null primary key,
    entry integer not null references entries (id),
    session integer not null references session_ids (id),
    timestamp_ms integer not null,
    model text,
    entry_count integer not null,
    input_tokens integer not null,
    output_tokens integer not null,
    cache_creation_5m_tokens integer not null,
    cache_creation_1h_tokens integer not null,
    cache_read_tokens integer not null,
    is_final integer not null,
    cost_nanousd integer,
    parent text
) strict
""",
    "create index ix_responses_session on responses (session)",
)


def upgrade() -> None:
    """Replace the tables, and drop an index that saves less time than it takes space."""
    execute = op.get_bind().exec_driver_sql
    execute("drop index ix_file_touches_path")
    for table in _REPLACED:
        execute(f"drop table {table}")
    for statement in _CREATED:
        execute(statement.strip())
