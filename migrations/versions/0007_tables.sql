-- All tables that can be rebuilt from the archive, and three tables whose rows migration 0007 copies.
create table entry_contexts (
    id integer not null primary key,
    cwd text,
    git_branch text,
    version text,
    user_type text,
    entrypoint text,
    slug text,
    team_name text
) strict;
create table extra_json (
    id integer not null primary key,
    json text not null
) strict;
create table ingest_runs (
    id integer not null primary key,
    started_at text not null,
    finished_at text,
    status text not null,
    files_seen integer not null,
    files_read integer not null,
    bytes_read integer not null,
    lines_read integer not null,
    entries_added integer not null,
    malformed_lines integer not null,
    check (status in ('running', 'ok', 'interrupted', 'failed'))
) strict;
create table model_prices (
    model text not null,
    day text not null,
    above integer not null,
    input real,
    output real,
    cache_read real,
    cache_write_5m real,
    cache_write_1h real,
    primary key (model, day, above)
) strict, without rowid;
create table session_ids (
    id integer not null primary key,
    session_id text not null,
    constraint uq_session_ids_session_id unique (session_id)
) strict;
create table tombstones (
    kind text not null,
    name text not null,
    forgotten_at text not null,
    primary key (kind, name),
    check (kind in ('session', 'project', 'file', 'leaf'))
) strict, without rowid;
create table drift (
    id integer not null primary key,
    source integer not null references sources (id),
    generation integer not null,
    kind text not null,
    name text not null,
    type text not null,
    version text not null,
    count integer not null,
    line_no integer not null,
    offset integer not null
) strict;
create unique index ix_drift_what on drift (source, generation, kind, name, type, version);
create table entries (
    id integer not null primary key,
    uuid text not null,
    occurrence integer,
    revision integer not null,
    hash integer,
    context integer references entry_contexts (id),
    details integer references extra_json (id),
    type text,
    subtype text,
    kind text,
    form text,
    is_typed integer not null,
    is_command integer not null,
    is_sidechain integer not null,
    is_meta integer not null,
    is_compact_summary integer not null,
    is_api_error integer not null,
    is_active integer,
    timestamp text,
    agent_id text,
    named_agent_id text,
    tool_use_id text,
    parent_tool_use_id text,
    source_assistant_uuid text,
    text text,
    constraint uq_entries_uuid unique (uuid),
    check (kind in ('assistant', 'result', 'prompt', 'boundary', 'side')),
    check (occurrence is null or kind is not null)
) strict;
create index ix_entries_context on entries (context);
create index ix_entries_named on entries (parent_tool_use_id) where named_agent_id is not null;
create table session_ranks (
    session integer not null primary key references session_ids (id),
    first_at integer not null,
    first_own_at integer
) strict;
create table sidecars (
    source integer not null primary key references sources (id),
    agent_type text,
    description text,
    tool_use_id text,
    payload text not null,
    name text
) strict;
create index ix_sidecars_tool_use_id on sidecars (tool_use_id);
create table threads (
    id integer not null primary key,
    session integer not null references session_ids (id),
    thread_id text not null,
    agent_id text
) strict;
create index ix_threads_session on threads (session);
create table tool_totals (
    session integer not null references session_ids (id),
    quarter_hour integer,
    agent_id text,
    model text,
    name text not null,
    calls integer not null,
    ok integer not null,
    errors integer not null,
    refused integer not null,
    interrupted integer not null,
    flagged integer not null,
    durations text not null,
    first_at integer not null,
    last_at integer not null
) strict;
create index ix_tool_totals_session on tool_totals (session);
create table usage_totals (
    session integer not null references session_ids (id),
    quarter_hour integer,
    agent_id text,
    model text,
    entries integer not null,
    spans text not null,
    responses integer not null,
    input_tokens integer not null,
    output_tokens integer not null,
    cache_creation_tokens integer not null,
    cache_read_tokens integer not null,
    priced integer not null,
    cost_nanousd integer not null
) strict;
create index ix_usage_totals_session on usage_totals (session);
create table agent_mentions (
    entry integer not null references entries (id),
    idx integer not null,
    agent_id text not null,
    primary key (entry, idx, agent_id)
) strict, without rowid;
create table agents (
    session integer not null references session_ids (id),
    agent_id text not null,
    thread integer references threads (id),
    name text not null,
    kind text not null,
    depth integer,
    parent_agent_id text,
    spawn integer references entries (id),
    rule text,
    tool_use_id text,
    call integer references entries (id),
    result integer references entries (id),
    told integer references entries (id),
    status text not null,
    entry_count integer not null,
    first_entry integer references entries (id),
    last_entry integer references entries (id),
    workflow_run text,
    primary key (session, agent_id),
    check (kind in ('task', 'async', 'teammate', 'workflow', 'unknown')),
    check (status in ('completed', 'failed', 'interrupted', 'running', 'unknown'))
) strict, without rowid;
create index ix_agents_thread on agents (thread);
create index ix_agents_tool_use_id on agents (tool_use_id);
create table blocks (
    id integer not null primary key,
    entry integer not null references entries (id),
    idx integer not null,
    type text,
    text text,
    byte_size integer not null,
    media_type text,
    details text
) strict;
create unique index ix_blocks_entry on blocks (entry, idx);
create table copy_conflicts (
    entry integer not null primary key references entries (id),
    keys text not null,
    severity text not null
) strict;
create table edges (
    child integer not null references entries (id),
    kind text not null,
    parent integer not null references entries (id),
    primary key (child, kind),
    check (kind in ('parent', 'logical', 'forked_from'))
) strict, without rowid;
create index ix_edges_parent on edges (parent);
create table file_touches (
    entry integer not null references entries (id),
    idx integer not null,
    path text not null,
    operation text not null,
    primary key (entry, idx, path),
    check (operation in ('read', 'write', 'edit', 'notebook', 'search'))
) strict, without rowid;
create index ix_file_touches_path on file_touches (path);
create table graph_diagnostics (
    entry integer not null references entries (id),
    kind text not null,
    thread integer not null references threads (id),
    severity text not null,
    detail text,
    primary key (entry, kind)
) strict, without rowid;
create index ix_graph_diagnostics_thread on graph_diagnostics (thread);
create table iterations (
    entry integer not null references entries (id),
    idx integer not null,
    type text,
    model text,
    input_tokens integer,
    output_tokens integer,
    cache_creation_tokens integer,
    cache_creation_5m_tokens integer,
    cache_creation_1h_tokens integer,
    cache_read_tokens integer,
    response_id text not null,
    primary key (entry, idx)
) strict, without rowid;
create index ix_iterations_response_id on iterations (response_id);
create table lines (
    id integer not null primary key,
    thread integer not null references threads (id),
    line_id text not null,
    kind text not null,
    parent integer references lines (id),
    parent_position integer,
    attachment integer references entries (id),
    first_entry integer not null references entries (id),
    last_entry integer not null references entries (id),
    entry_count integer not null,
    is_active integer not null,
    check (kind in ('trunk', 'branch', 'agent', 'agent_branch'))
) strict;
create index ix_lines_line_id on lines (line_id);
create index ix_lines_parent on lines (parent);
create index ix_lines_thread on lines (thread);
create table messages (
    entry integer not null primary key references entries (id),
    is_wrapped integer not null,
    message_id text,
    request_id text,
    model text,
    stop_reason text,
    timestamp text,
    input_tokens integer,
    output_tokens integer,
    cache_creation_tokens integer,
    cache_creation_5m_tokens integer,
    cache_creation_1h_tokens integer,
    cache_read_tokens integer,
    web_search_requests integer,
    web_fetch_requests integer,
    service_tier text,
    response_id text,
    has_plain_text integer not null
) strict;
create index ix_messages_response_id on messages (response_id);
create table occurrences (
    id integer not null primary key,
    source integer not null references sources (id),
    generation integer not null,
    line_no integer not null,
    offset integer not null,
    length integer not null,
    hash integer not null,
    type text,
    timestamp_ms integer not null,
    has_own_timestamp integer not null,
    has_parent integer not null,
    session integer not null references session_ids (id),
    entry integer references entries (id),
    is_current integer not null,
    is_owner integer not null,
    has_copies integer not null
) strict;
create index ix_occurrences_entry on occurrences (entry, session);
create unique index ix_occurrences_place on occurrences (source, generation, offset);
create index ix_occurrences_records on occurrences (session, type) where entry is null;
create index ix_occurrences_session on occurrences (session, timestamp_ms);
create index ix_occurrences_stale on occurrences (source) where is_current = 0;
create table parent_repairs (
    child integer not null references entries (id),
    kind text not null,
    thread integer not null references threads (id),
    parent integer references entries (id),
    rule text,
    primary key (child, kind),
    check (kind in ('spawn', 'cut'))
) strict, without rowid;
create index ix_parent_repairs_parent on parent_repairs (parent);
create index ix_parent_repairs_thread on parent_repairs (thread);
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
    cost integer,
    parent text
) strict, without rowid;
create index ix_responses_session on responses (session);
create table roots (
    entry integer not null primary key references entries (id),
    thread integer not null references threads (id),
    kind text not null,
    is_expected integer not null
) strict;
create index ix_roots_thread on roots (thread);
create table sessions (
    session integer not null primary key references session_ids (id),
    family integer not null,
    relation text not null,
    parent integer references session_ids (id),
    attachment integer references entries (id),
    first_entry integer references entries (id),
    last_entry integer references entries (id),
    first_prompt integer references entries (id),
    title text,
    entry_count integer not null,
    line_count integer not null,
    branch_count integer not null,
    agent_count integer not null,
    compaction_count integer not null,
    model_names text,
    first_words text,
    project text,
    first_at integer,
    last_at integer,
    worktree text,
    relocated_from text,
    relocated_to text,
    teleported_from text,
    check (relation in ('root', 'continues', 'forks'))
) strict;
create index ix_sessions_family on sessions (family);
create index ix_sessions_last_at on sessions (last_at);
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
    facts text,
    denial_kind text
) strict;
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
) strict, without rowid;
create index ix_tool_pairs_result on tool_pairs (result) where result is not null;
create index ix_tool_pairs_session on tool_pairs (session);
create index ix_tool_pairs_timestamp_ms on tool_pairs (timestamp_ms);
create table tool_results (
    entry integer not null references entries (id),
    idx integer not null,
    tool_use_id text,
    is_error integer,
    primary key (entry, idx)
) strict;
create index ix_tool_results_tool_use_id on tool_results (tool_use_id);
create table tool_uses (
    entry integer not null references entries (id),
    idx integer not null,
    tool_use_id text,
    name text,
    input text not null,
    primary key (entry, idx)
) strict;
create index ix_tool_uses_name on tool_uses (name);
create index ix_tool_uses_tool_use_id on tool_uses (tool_use_id);
create table forks (
    entry integer not null references entries (id),
    thread integer not null references threads (id),
    line integer not null references lines (id),
    position integer not null,
    rung integer not null,
    verdict text not null,
    child_count integer not null,
    reason text not null,
    primary key (entry, thread)
) strict, without rowid;
create index ix_forks_line on forks (line);
create index ix_forks_thread on forks (thread);
create table junctions (
    entry integer not null references entries (id),
    target integer not null references lines (id),
    thread integer not null references threads (id),
    kind text not null,
    ordinal integer not null,
    primary key (entry, target),
    check (kind in ('resume', 'fork', 'rewind', 'retry', 'agent'))
) strict, without rowid;
create index ix_junctions_target on junctions (target);
create index ix_junctions_thread on junctions (thread);
create table paths (
    line integer not null primary key references lines (id),
    number integer not null,
    root integer not null references entries (id),
    leaf integer not null references entries (id),
    fork integer references entries (id),
    entry_count integer not null,
    compaction_count integer not null
) strict;
create index ix_paths_leaf on paths (leaf);
create table placements (
    entry integer not null primary key references entries (id),
    thread integer not null references threads (id),
    line integer references lines (id),
    position integer,
    set_aside_reason text,
    fork integer references entries (id),
    effective_parent integer references entries (id),
    fork_line integer references lines (id),
    check ((line is null) = (fork_line is not null)),
    check ((line is null) = (position is null)),
    check ((line is null) = (set_aside_reason is not null)),
    check (line is not null or fork is not null),
    check (set_aside_reason in ('replay', 'structural'))
) strict;
create index ix_placements_effective_parent on placements (effective_parent) where effective_parent is not null;
create index ix_placements_fork on placements (fork) where fork is not null;
create index ix_placements_line on placements (line, position) where line is not null;
create table queued_words (
    occurrence integer not null primary key references occurrences (id),
    session integer not null references session_ids (id),
    entry integer references entries (id),
    text text not null,
    timestamp_ms integer not null,
    removed_by text not null,
    removed_at integer not null,
    is_before integer not null,
    check (removed_by in ('remove', 'popAll'))
) strict;
create index ix_queued_words_entry on queued_words (entry);
create index ix_queued_words_session on queued_words (session);
create table records (
    occurrence integer not null primary key references occurrences (id),
    timestamp text,
    payload text not null,
    leaf text
) strict;
create index ix_records_leaf on records (leaf) where leaf is not null;
create table task_notices (
    id integer not null primary key,
    entry integer references entries (id),
    record integer references occurrences (id),
    task_id text not null,
    status text not null,
    kind text not null,
    summary text,
    result text,
    check ((entry is null) <> (record is null)),
    check (kind in ('task', 'shell', 'agent'))
) strict;
create index ix_task_notices_entry on task_notices (entry);
create index ix_task_notices_record on task_notices (record);
create index ix_task_notices_task_id on task_notices (task_id);
create virtual table entries_fts using fts5(
    prompt, answer, thinking, input, result, other, content = '', tokenize = "unicode61 remove_diacritics 2"
);
